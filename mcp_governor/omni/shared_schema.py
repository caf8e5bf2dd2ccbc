"""A schema file of this package, and its validator."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any


def path_of(name: str) -> Path:
    """The path of a schema file."""
    return Path(__file__).with_name(f"{name}.schema.json")


@cache
def validator_of(name: str) -> Any:
    """A ``jsonschema`` validator of a schema file; it is made once."""
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json.loads(path_of(name).read_text("utf-8")))


def check(name: str, payload: Any) -> None:
    """Validate a payload.

    Raises:
        ValueError: it does not conform; the message has the place and the reason.
    """
    from jsonschema.exceptions import best_match

    error = best_match(validator_of(name).iter_errors(payload))
    if error is not None:
        place = "".join(f"/{part}" for part in error.absolute_path) or "the root"
        raise ValueError(f"the payload does not conform to {name} at {place}: {error.message}")
