"""Keys that a description gives for an object: in words, as a shape, one by one with their types, or in an example."""

from __future__ import annotations

import re

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.claims import Claim, Form, is_void, read_forms, said_in, sentence_at
from mcp_governor.prose.value_lists import Listed, listed_at

_MAX_READ = 2_000
"""Maximum number of characters searched per description."""
_MAX_KEYS = 24
"""Maximum number of keys collected per object; a message shows fewer."""
_MAX_PIECES = 120
"""Maximum number of strings and brackets read of an example."""
_NAME = lazy_pattern(r"[A-Za-z_$][\w$\-]{0,40}")
_IN_SHAPE = lazy_pattern(r"(?:^|,)\s?[`'\"]?(?P<name>[A-Za-z_]\w{0,40})[`'\"]?\??\s?(?=:|,|$)")
_TYPED = lazy_pattern(
    r"(?:\b(?:an?|the)\s)?[`'\"]?(?P<name>[A-Za-z_]\w{0,40})[`'\"*]{0,3}(?:\s?:?\s?\(\s?|\s)"
    r"(?:str|string|text|int|integer|number|float|double|bool|boolean|list|array|dict|object|any|date|datetime|enum|map"
    r"|optional|required|field|key|property)s?\b(?!\s(?:field|column))",
    re.IGNORECASE,
)
_PIECE = lazy_pattern(r"(?P<string>\"[^\"\n]{0,200}\"|'[^'\n]{0,200}')(?P<colon>\s?:)?|[{}\[\]]", re.NOFLAG)
_KEY = lazy_pattern(r"[a-z_][a-z0-9]*(?:_[a-z0-9]+|[A-Z][a-z0-9]+)*", re.NOFLAG)
"""How keys that a program reads are written, unlike the headings of a table."""
_NO_KEYS = frozenset({"and", "are", "check", "for", "if", "is", "only", "or", "to", "when", "which", "with"})
"""Words of a phrase, of which none is likely the name of a key in a list without quotes."""


def read_keys(text: str) -> tuple[Claim, ...]:
    """The keys of objects in a description; ``listed`` holds them."""
    return tuple(read_forms(text[:_MAX_READ], "keys", _keys))


def _keys(form: Form, match: re.Match[str], text: str) -> Claim | None:
    said = said_in(match, text)
    end = match.end()
    if form.id == "keys-shown":
        names, end = _of_example(text, end)
    elif said.get("shape"):
        within = text.count("{", 0, match.start()) > text.count("}", 0, match.start())
        names = [] if within else [one["name"] for one in _IN_SHAPE.finditer(said["shape"])]
    elif said.get("typed"):
        names = [one["name"] for one in _TYPED.finditer(said["typed"])]
    else:
        listed = listed_at(text, end)
        end = listed.end
        taken = (listed.quoted or not form.row.get("quoted")) and not (listed.open or _NO_KEYS & set(listed.values))
        names = list(listed.values) if taken and all(map(_NAME.fullmatch, listed.values)) else []
    names = list(dict.fromkeys(names))[:_MAX_KEYS]
    if len(names) < form.row.get("least", 2) or is_void("keys", text, match.start(), end):
        return None
    sentence = sentence_at(text, match.start(), end)
    return Claim("keys", form.id, {}, sentence, (match.start(), end), listed=Listed(tuple(names)))


def _of_example(text: str, at: int) -> tuple[list[str], int]:
    """The keys of the object whose inside begins at a position, and its end; none that no program reads as keys."""
    found: list[str] = []
    depth = 0
    for number, piece in enumerate(_PIECE.finditer(text, at)):
        if depth < 0 or number > _MAX_PIECES:
            break
        if piece["string"] is None:
            depth += 1 if piece[0] in "{[" else -1
        elif depth == 0 and piece["colon"]:
            found.append(piece["string"][1:-1])
        at = piece.end()
    return (found if depth < 0 and all(map(_KEY.fullmatch, found)) else []), at
