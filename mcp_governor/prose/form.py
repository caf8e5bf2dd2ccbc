"""A format in prose, as a pattern, and a string that the prose excludes and the schema still takes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Form(NamedTuple):
    """A format that a description states.

    Attributes:
        said: what such a string is, for messages: "owner/repo", "an ISO 8601 date", "text that starts with cus_".
        pattern: matches every string of the format, in both ECMA 262 and Python.
        widespread: models write it correctly without help (URLs, UUIDs, addresses), so asking for a pattern is petty.
        wrong: strings that a model may well send instead, likeliest first; the pattern need not refuse all of them.
    """

    said: str
    pattern: str
    widespread: bool = False
    wrong: tuple[str, ...] = ()


_ANY = ("example", "an example", "1", "Example!", "-", "x")
"""Strings of which most patterns refuse one."""


def witness(form: Form, schema: Mapping[str, Any]) -> str:
    """A string that a format excludes and a schema accepts today; empty if none is at hand.

    Args:
        form: the format.
        schema: of the string: no more than its length may be bounded.
    """
    least, most = (schema.get(key) for key in ("minLength", "maxLength"))
    least = least if isinstance(least, int) else 0
    most = most if isinstance(most, int) else _LONGEST
    filled = tuple(sign * least for sign in "x-1") if 0 < least <= _LONGEST else ()
    for value in (*form.wrong, *_ANY, *filled):
        if least <= len(value) <= most and not re.search(form.pattern, value):
            return value
    return ""


_LONGEST = 60
"""Characters of such a string: a message shows no more."""
