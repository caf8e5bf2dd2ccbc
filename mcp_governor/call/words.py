"""Split names of tools and parameters into words (``issueId`` → issue, id); find what a tool does and is about."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

from mcp_governor.prose.words import word_set

if TYPE_CHECKING:
    from collections.abc import Iterable

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_MAX_NAME_LENGTH = 200
"""Characters of a name that are read. Names are a few words; the rest of a longer name does not change its meaning."""


CREATING = word_set("create new add insert make init generate register upload import open start begin")
LISTING = word_set("list search find query browse ls lookup resolve discover enumerate")
READING = LISTING | word_set(
    "get read show fetch describe view status log diff info count check validate explain peek retrieve tree "
    "analyze inspect preview convert"
)
REMOVING = word_set(
    "delete remove drop purge clear reset destroy close stop kill quit exit logout uninstall unregister disable "
    "cancel checkout revert shutdown terminate archive"
)
CHANGING = word_set(
    "write update set edit modify rename move copy save export put patch apply format merge send post commit run "
    "execute call use do by with for of in to from and or the a an all my"
)
_NOT_NOUNS = CREATING | READING | REMOVING | CHANGING


# the same names are split for every value; 4,096 names of at most 200 characters are 1 MB
@functools.lru_cache(maxsize=4_096)
def words(name: str) -> tuple[str, ...]:
    """The lower-case words of a name in snake case, camel case, or with dashes or spaces."""
    return tuple(word.lower() for word in _WORD.findall(name[:_MAX_NAME_LENGTH]))


def key_of(name: str) -> str:
    """One spelling for all spellings of a name: ``issueId``, ``issue-id`` and ``Issue ID`` are ``issue_id``."""
    return "_".join(words(name))


def singular(word: str) -> str:
    """The singular of a word, by simple rules."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if len(word) > 2 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def nouns(name: str, common: Iterable[str] = ()) -> frozenset[str]:
    """What a tool is about: the words of its name other than its verb and the name of the server.

    Args:
        name: name of the tool.
        common: words that all tool names share.
    """
    return frozenset(singular(word) for word in words(name) if word not in _NOT_NOUNS).difference(common)
