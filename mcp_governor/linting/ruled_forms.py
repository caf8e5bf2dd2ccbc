"""Formats that a description gives as a rule ("must not start with '-'", "starts with ou_") or a name implies.

Such a rule is about one character or a prefix, so asking for most of these patterns one by one is petty: see
``Form.widespread``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_governor.linting.guarded import Guarded
from mcp_governor.linting.named_forms import Form
from mcp_governor.linting.words import name_words

if TYPE_CHECKING:
    from collections.abc import Iterator

_MARK = r"[`'\"“](?P<mark>[^\w\s`'\"]{1,3})[`'\"”]"
_NOT_IN_FRONT = Guarded(
    rf"\b(?:must\snot|may\snot|cannot|can't|should\snot|do\snot|don't|not)\s(?:start|begin)\swith\s(?:an?\s|the\s)?{_MARK}"
    rf"|\b(?:no|without|omit|excluding|strip)\s(?:the\s|an?\s|any\s)?leading\s{_MARK}"
    rf"|\bwithout\s(?:the\s|a\s)?{_MARK}\s(?:prefix|sign|symbol|in\sfront)".replace("?P<mark>", ""),
    "start with",
    "begin with",
    "leading",
    "without",
)
_COLONS = Guarded(r"\bwithout\s(?:the\s)?(?:colons|::?)(?=$|[\s.,;)])", "without")
_NOT_WITHIN = Guarded(
    r"\b(?:must\snot|may\snot|cannot|can't|should\snot|do\snot|don't)\s(?:contain|include|have|use)\s(?:any\s)?(?P<what>"
    r"white\s?space|spaces|slashes|dots|periods|commas|colons|hyphens|dashes|underscores)\b(?!\s(?:and|or|at|in\sfront)\b)"
    r"|\b(?:without|no)\s(?:any\s)?(?P<less>white\s?space|spaces|slashes|dots|periods|commas)(?=\s?(?:$|[.,;)]))"
    r"|\bcharacters?\s(?P<marks>(?:[^\w\s.,;()]\s?){1,8})\s?(?:is|are)\snot\sallowed\b",
    *("contain", "include", "have", "use", "without", "no ", "allowed"),
)
_KINDS = {
    "whitespace": r"\s",
    "spaces": " ",
    "slashes": "/",
    "dots": ".",
    "periods": ".",
    "commas": ",",
    "colons": ":",
    "hyphens": r"\-",
    "dashes": r"\-",
    "underscores": "_",
}
_PREFIX = Guarded(
    r"(?:^|\()(?:(?:it|the\s(?:id|key|token|value|name)|[A-Za-z]{1,16}\sids?|ids?|keys?|tokens?)\s)?(?:always\s)?"
    r"(?:start|begin)(?:s|ing)?\swith\s(?:the\s(?:prefix\s)?)?[`'\"]?(?P<one>[A-Za-z0-9]{1,16}[_\-:/])[`'\"]?(?=[\s).,;]|$)"
    r"|\bprefixed\swith\s[`'\"](?P<two>[^`'\"\s]{1,30})[`'\"]",
    "with",
)
_EXAMPLE_PREFIX = Guarded(
    r"(?:e\.?g\.?,?|such\sas|example:?|format:?|form|i\.e\.)\s?[`'\"(]{0,2}"
    r"(?P<head>refs/(?:heads|tags)/|(?:s3|gs|gcs|abfss?|hdfs|ipfs|spotify|vstfs|jdbc|file|ssh|redis|bolt|neo4j)://)",
    *("refs/", "://"),
)
_STORES = {"s3": "s3", "gcs": "gs", "gs": "gs", "google cloud storage": "gs", "vstfs": "vstfs", "ipfs": "ipfs"}
_STORE = Guarded(
    r"\b(?P<store>s3|gcs|gs|google\scloud\sstorage|vstfs|ipfs)\s(?:URI|URL|path|location)\b(?!s\b|\sor\b|/)",
    *("s3 ", "gcs ", "gs ", "storage ", "vstfs ", "ipfs "),
)
_DOMAIN = Guarded(
    r"\b(?:must\sbe|has\sto\sbe|only|needs\sto\sbe)\s(?:an?\s)?(?:(?:URLs?\s)?(?:from|on|at|within|under|in)\s(?:the\s)?)?"
    r"(?P<host>(?:[a-z0-9\-]{1,40}\.){1,4}[a-z]{2,10})(?=\s(?:domain|URLs?|links?|pages?|host)\b)",
    "domain",
    "url",
    "link",
    "page",
    "host",
)
_SECONDS = re.compile(r"\bin\s(?P<milli>milli)?seconds\b", re.IGNORECASE)
_TIMES = frozenset({"time", "timestamp", "since", "until", "date", "at", "ts", "before", "after"})
_OR = re.compile(
    r"\b(?:or|and|name|id|username|domain|subject|body|template|message|alias|pattern|list)\b", re.IGNORECASE
)


def ruled_forms(text: str, name: str) -> Iterator[Form]:
    """The formats that a description gives as a rule, or that follow from the parameter's name and a word in it.

    Args:
        text: the description of a parameter.
        name: of the parameter.
    """
    if match := _NOT_IN_FRONT.search(text):
        mark = next(filter(None, match.groups()))
        yield Form(f'no leading "{mark}"', rf"^(?!{_escaped(mark)})", True)
    if _COLONS.search(text):
        yield Form("no colons", "^[^:]+$", True)
    if match := _NOT_WITHIN.search(text):
        kind = match["what"] or match["less"]
        marks = _KINDS[kind.lower().replace(" ", "")] if kind else "".join(map(_in_class, match["marks"].split()))
        yield Form(f"no {kind}" if kind else f"no {match['marks'].strip()}", f"^[^{marks}]*$", True)
    if match := _PREFIX.search(text):
        start = match["one"] or match["two"]
        yield Form(f"a leading {start}", f"^{_escaped(start)}")
    if match := _EXAMPLE_PREFIX.search(text):
        head = match["head"].lower()
        yield Form(f"a leading {head}", f"^{_escaped(head)}", not head.startswith("refs"))
    elif match := _STORE.search(text):
        scheme = _STORES[match["store"].lower()]
        yield Form(f"a leading {scheme}://", f"^{scheme}://", True)
    if match := _DOMAIN.search(text):
        yield Form(f"a URL of {match['host']}", rf"^https?://{_escaped(match['host'])}(/|$)")
    yield from _of_name(text, name)


def _of_name(text: str, name: str) -> Iterator[Form]:
    words = name_words(name)
    if not words:
        return
    seconds = _SECONDS.search(text) if _TIMES.intersection(words[-1:]) else None
    if seconds is not None:
        unit = "milliseconds" if seconds["milli"] else "seconds"
        yield Form(f"a time in {unit}", r"^\d+$")
    elif words[-1] in ("email", "emails", "mail") and not _OR.search(text[:120].partition(".")[0]):
        yield Form("an e-mail address", r"^[^@\s]+@[^@\s]+$", True)


def _escaped(text: str) -> str:
    """The text as a pattern for both ECMA 262 with the ``u`` flag and Python, with necessary escapes only."""
    return re.sub(r"([\\^$.|?*+()\[\]{}])", r"\\\1", text)


def _in_class(mark: str) -> str:
    return "".join(f"\\{sign}" if sign in "\\]^-[" else sign for sign in mark)
