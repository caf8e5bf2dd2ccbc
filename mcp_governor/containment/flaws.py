"""What a validator finds wrong with a value, as a value that can go from one process to another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.frozen import frozen

if TYPE_CHECKING:
    import jsonschema_rs


@frozen
class Flaw:
    """One thing that is wrong with a value.

    Attributes:
        instance_path: steps to the part of the value.
        schema_path: steps to the keyword that refuses it.
        keyword: that keyword.
        property: for a missing member, its name; else empty.
        message: in the validator's words, not safe to show.
    """

    instance_path: tuple[str | int, ...]
    schema_path: tuple[str | int, ...]
    keyword: str
    property: str
    message: str

    def as_list(self) -> list[Any]:
        """The attributes in order, as JSON."""
        return [list(self.instance_path), list(self.schema_path), self.keyword, self.property, self.message]


def flaw_of(error: jsonschema_rs.ValidationError) -> Flaw:
    """A native error as a value."""
    keyword = str(error.kind.name)
    missing = str(getattr(error.kind, "property", "")) if keyword == "required" else ""
    return Flaw(tuple(error.instance_path), tuple(error.schema_path), keyword, missing, str(error.message))
