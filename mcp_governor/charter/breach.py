"""What is wrong with one response: the value that every check of an envelope or a result gives, and its words."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

from mcp_governor.frozen import frozen
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable


@frozen
class Breach:
    """One broken promise of one response.

    Attributes:
        rule: id of the rule in the catalogue (``envelope/…`` or ``call/…``).
        path: JSON pointer into what was checked.
        message: one sentence, safe to show.
        value: the JSON value in question.
    """

    rule: str
    path: str
    message: str
    value: Any = field(default=None, compare=False, repr=False)

    def under(self, prefix: str) -> Breach:
        """The same breach, seen from a document that holds this one at ``prefix``."""
        return Breach(self.rule, prefix + self.path, self.message, self.value)


def wrong_type(path: str, wanted: str, value: Any) -> Breach:
    """A field of an envelope is of another JSON type than the one ``wanted``."""
    field = path.rsplit("/", 1)[1]
    return Breach("envelope/field-type", path, f'"{field}" is {json_type(value)}, not {wanted}.', value)


def are_strings(value: Any) -> bool:
    """Whether a JSON value is a list of strings."""
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def json_type(value: Any) -> str:
    """The JSON type of a value, in words."""
    if value is None:
        return "null or absent"
    if isinstance(value, bool):
        return "a boolean"
    names = {str: "a string", dict: "an object", list: "a list", int: "a number", float: "a number"}
    return names.get(type(value), "something else")


def shown(value: Any) -> str:
    """A string in quotes, safe to show; the type of anything else."""
    return f'"{one_line(value, 60)}"' if isinstance(value, str) else json_type(value)


def quoted(message: str) -> str:
    """A message in quotes, shortened and safe to show."""
    return f'"{one_line(message, 100)}"'


def listed(names: Iterable[str]) -> str:
    """Names in order, for a message."""
    return ", ".join(sorted(names))
