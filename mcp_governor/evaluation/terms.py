"""Words of queries and of tools in a comparable form: identifiers are split, case and inflection are dropped.

A search over tools reads of one its name, its description, and the names and descriptions of its parameters, as
providers' tool searches do (tool search of Anthropic's API: names, descriptions, argument names and descriptions).
"""

from __future__ import annotations

import functools
import re
import unicodedata
from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MAX_TERMS = 20_000
"""Maximum number of terms that are read of one string; a description of 10 KB has 2,000."""

MAX_TEXT = 20_000
"""Number of characters that are read of a description; the longest of 848 tools of the corpus has 6,000."""

MAX_PARAMETERS = 500
"""Number of parameters that are read of a tool; the most of any tool of the corpus are 60."""

MAX_VALUES = 100
"""Number of listed values that are read of a parameter: beyond, they are data (currencies, time zones)."""

_WORD = re.compile(r"[^\W_]+")
# HTTPServer → HTTP Server, getUser → get User, v2beta → v 2 beta
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")

_STOP = (
    "a about am an and any are as at be been by can could did do does for from give had has have "  # words: quoted
    "how i if in into is it its just let like me my need of on or our please shall should so some tell than that the "
    "their them then there these they this those to too us very want was we were what when where which while who whom "
    "whose why will with would you your"
)

STOP_WORDS = frozenset(_STOP.split())
"""Words that say how a sentence is built and not what it is about: requests to an assistant are
full of them, and in a surface of five tools a rare "the" would outweigh every other word."""

# A full stop ends a sentence if white space follows and the word before it is longer than "e.g" or "i.e" suggests.
_SENTENCE_END = re.compile(r"(?<![.\s][A-Za-z])[.!?](?=\s|$)|\n\s*\n")


def split_identifier(text: str) -> list[str]:
    """The words of an identifier, as written: ``getUserByID_v2`` → get, User, By, ID, v, 2."""
    return [part for word in _WORD.findall(text) for part in _PARTS.findall(word)]


def terms(text: str) -> list[str]:
    """The stems of the words of a string, in order, without stop words.

    A word that is an identifier gives the stems of its parts.
    """
    folded = unicodedata.normalize("NFKC", text)
    found = (part.lower() for part in split_identifier(folded))
    return [stem(word) for word in found if word not in STOP_WORDS][:MAX_TERMS]


# The words of ten thousand tools.
@functools.lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """A lower-case English word without its inflection, by the steps 1a, 1b and 1c of Porter's algorithm.

    The later steps merge words that differ in meaning (``relational``, ``relative``); these three merge only forms of
    one word (M. F. Porter, An algorithm for suffix stripping, Program 14(3), 1980).
    """
    # Shorter words have no inflection that differs from the word: "is", "bus", "led".
    if len(word) <= 3 or not word.isascii():
        return word
    if word.endswith("sses") or (word.endswith("ies") and len(word) > 4):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us")):
        word = word[:-1]
    word = _without_ed(word)
    return f"{word[:-1]}i" if word.endswith("y") and "v" in _shape(word[:-1]) else word


def _without_ed(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if "vc" in _shape(word[:-3]) else word
    for ending in ("ed", "ing"):
        root = word.removesuffix(ending)
        shape = _shape(root)
        if root == word or "v" not in shape:
            continue
        # conflat(ed), siz(ed), fil(ing): Porter's measure is the number of changes from a vowel to a consonant.
        short = shape.count("vc") == 1 and shape.endswith("cvc") and root[-1] not in "wxy"
        if len(root) > 1 and root[-1] == root[-2] and root[-1] not in "aeioulsz":
            return root[:-1]
        return f"{root}e" if root.endswith(("at", "bl", "iz")) or short else root
    return word


def _shape(word: str) -> str:
    """``c`` for each consonant and ``v`` for each vowel; a "y" after a consonant is a vowel."""
    shape = ""
    for char in word:
        shape += "v" if char in "aeiou" or (char == "y" and shape.endswith("c")) else "c"
    return shape


class ToolText(Struct, frozen=True):
    """The text of one tool that searches read.

    Attributes:
        name: as published.
        first: the first sentence of the description, or all of it if it has no other.
        description: the whole description.
        parameters: names of the parameters.
        details: descriptions, titles and listed values of the parameters.
    """

    name: str
    first: str
    description: str
    parameters: tuple[str, ...]
    details: tuple[str, ...]

    @property
    def words_of_name(self) -> str:
        """The name as words: ``getUserByID`` → ``get user by id``."""
        return " ".join(split_identifier(self.name)).lower()


def tool_text(tool: Mapping[str, Any]) -> ToolText:
    """The text of a tool as published: an object with a ``name``."""
    given, schema = tool.get("description"), tool.get("inputSchema")
    description = given[:MAX_TEXT] if isinstance(given, str) else ""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    read = dict(list(properties.items())[:MAX_PARAMETERS]) if isinstance(properties, dict) else {}
    details = tuple(text for part in read.values() for text in _details(part))
    return ToolText(str(tool["name"]), first_sentence(description), description, tuple(read), details)


def first_sentence(text: str) -> str:
    """The first sentence of a string, or the first paragraph if that is shorter."""
    text = text.strip()
    end = _SENTENCE_END.search(text)
    return text[: end.start() + (0 if text[end.start()].isspace() else 1)] if end else text


def _details(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        values = schema.get("enum")
        listed = values[:MAX_VALUES] if isinstance(values, list) else []
        parts = (schema.get("title"), schema.get("description"), *listed)
        yield from (text[:MAX_TEXT] for text in parts if isinstance(text, str))
