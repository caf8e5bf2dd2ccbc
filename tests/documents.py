"""Documents of our own formats, and what holds them to their schemas."""

from __future__ import annotations

import sys
from typing import Any

import jsonschema
from support import REPO

sys.path.insert(0, str(REPO / "tools"))
from contracts import closed

__all__ = ["closed", "exactly"]


def exactly(schema: dict[str, Any], document: Any) -> None:
    """Fail unless a document satisfies a schema and has no member that the schema does not declare."""
    jsonschema.Draft202012Validator(closed(schema)).validate(document)
