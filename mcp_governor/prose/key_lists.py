"""Values that a description lists for a key of an object that declares none: ``"mode": "fast" | "slow"``.

A key is in quotes, or the list behind it is in brackets or has bars. Only alternatives count: the quotes behind a key
may also be the next key.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.list_items import scan
from mcp_governor.prose.list_words import EXAMPLE, MAX_TEXT, is_open, sentence

_KEY = lazy_pattern(
    r"(?P<quote>[`'\"])(?P<key>[A-Za-z_][\w.\-]{0,40})(?P=quote)(?:\s?\((?=[`'\"A-Z])|\s?:\s?(?=[`'\"])|\s?=\s?(?=[`'\"]))"
    r"|(?<![\w.\-])(?P<bare>[A-Za-z_]\w{1,40})(?:\s?\((?=[`'\"A-Z])|:\s?(?=[A-Za-z_]\w{0,40}\|))"
)
_COMMENT = lazy_pattern(
    r"[\"'](?P<key>[A-Za-z_]\w{0,40})[\"']\s?:\s?[\"'](?P<one>[\w\-]{1,40})[\"'],?\s{0,8}(?:#|//)\s?[Oo]r\s"
    r"(?P<rest>[\"'][\w\-]{1,40}[\"'](?:(?:,\s|\sor\s|,\sor\s)[\"'][\w\-]{1,40}[\"']){0,20})"
)
"""An example whose comment has the other values: ``"mode": "fast"  # or "slow"``."""
_WORD = lazy_pattern(r"[\w\-]+")
_OF_A_CALL = lazy_pattern(
    r"\b(?:only|required|if|when|under|with|provide|specify|not)\s(?:the\s)?[`'\"]?$", re.IGNORECASE
)
_MAX_KEYS = 20
"""Maximum number of keys per description; more are the documentation of an interface."""


class KeyList(NamedTuple):
    """The values of a key."""

    key: str
    values: tuple[str, ...]


def key_lists(text: str) -> tuple[KeyList, ...]:
    """The lists in a description of an object, one for each key."""
    text = text[:MAX_TEXT]
    out: dict[str, tuple[str, ...]] = {}
    for shown in _COMMENT.finditer(text):
        out[shown["key"]] = (
            shown["one"],
            *dict.fromkeys(word for word in _WORD.findall(shown["rest"]) if word != "or"),
        )
    for match in _KEY.finditer(text):
        found, end = scan(text, match.end())
        key = match["key"] or match["bare"]
        if found is None or not found.alternatives or len(out) == _MAX_KEYS or key in found.values:
            continue
        start = match.start()
        lead = text[max(sentence(text, start), start - 60) : start]
        if not (_OF_A_CALL.search(lead) or EXAMPLE.search(lead) or is_open(text[start + len(key) + 2 : end + 20])):
            out.setdefault(key, found.values)
    return tuple(KeyList(key, values) for key, values in out.items())
