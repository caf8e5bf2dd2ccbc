"""A copy of one of our values with other attributes: most are Structs, those that hide a field are dataclasses."""

from __future__ import annotations

import dataclasses
from typing import TypeVar

import msgspec

T = TypeVar("T")


def replace(value: T, /, **changes: object) -> T:
    """The value with some attributes changed."""
    if isinstance(value, msgspec.Struct):
        return msgspec.structs.replace(value, **changes)
    return dataclasses.replace(value, **changes)  # type: ignore[type-var]
