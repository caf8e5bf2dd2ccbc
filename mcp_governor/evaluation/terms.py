"""Words of queries and of tools in a comparable form: identifiers are split, case and inflection are dropped."""

from __future__ import annotations

import functools
import itertools
import re
import unicodedata

MAX_TERMS = 20_000
"""Maximum number of terms that are read of one string; a description of 10 KB has 2,000."""

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
    word = _without_ed(_without_s(word))
    return f"{word[:-1]}i" if word.endswith("y") and _has_vowel(word[:-1]) else word


def _without_s(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith("ies"):
        return word[:-2] if len(word) > 4 else word[:-1]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us")) else word


def _without_ed(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        root = word.removesuffix(ending)
        if root != word and _has_vowel(root):
            return _repaired(root)
    return word


def _repaired(root: str) -> str:
    if root.endswith(("at", "bl", "iz")):
        return f"{root}e"
    if len(root) > 1 and root[-1] == root[-2] and root[-1] not in "aeioulsz":
        return root[:-1]
    if _measure(root) == 1 and _ends_cvc(root):
        return f"{root}e"
    return root


def _is_consonant(word: str, place: int) -> bool:
    char = word[place]
    if char == "y":
        return place == 0 or not _is_consonant(word, place - 1)
    return char not in "aeiou"


def _has_vowel(word: str) -> bool:
    return any(not _is_consonant(word, place) for place in range(len(word)))


def _measure(word: str) -> int:
    """The number of changes from a vowel to a consonant."""
    shape = [_is_consonant(word, place) for place in range(len(word))]
    return sum(not one and other for one, other in itertools.pairwise(shape))


def _ends_cvc(word: str) -> bool:
    if len(word) < 3 or word[-1] in "wxy":
        return False
    last = len(word) - 1
    return _is_consonant(word, last) and not _is_consonant(word, last - 1) and _is_consonant(word, last - 2)
