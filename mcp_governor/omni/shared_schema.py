"""A schema file of this package, and its validator."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any


class SharedSchema:
    """One schema file.

    Args:
        name: of the schema; its file has the same one.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def path(self) -> Path:
        """The path of the schema file."""
        return Path(__file__).with_name(f"{self._name}.schema.json")

    @cache  # noqa: B019 - the schemas live as long as the process
    def validator(self) -> Any:
        """A ``jsonschema`` validator of the schema file; it is made once."""
        from jsonschema import Draft202012Validator

        return Draft202012Validator(json.loads(self.path().read_text("utf-8")))

    def validate(self, payload: Any) -> None:
        """Validate a payload.

        Raises:
            ValueError: it does not conform; the message has the place and the reason.
        """
        from jsonschema.exceptions import best_match

        error = best_match(self.validator().iter_errors(payload))
        if error is not None:
            place = "".join(f"/{part}" for part in error.absolute_path) or "the root"
            raise ValueError(f"the payload does not conform to {self._name} at {place}: {error.message}")
