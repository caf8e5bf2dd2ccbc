"""Formats in prose: the format that a description gives for a string, as a pattern that allows all of it.

A pattern rejects calls, so it is as wide as the words allow. There is no pattern if the description also allows other
formats ("relative dates", "or a name"), or if one of its examples does not match.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.alternatives import is_one_of_several, takes_more
from mcp_governor.prose.form import Form
from mcp_governor.prose.guarded import Cues, Guards, lowered
from mcp_governor.prose.named_forms import KNOWN
from mcp_governor.prose.ruled_forms import ruled_forms
from mcp_governor.prose.stated_values import QUOTED
from mcp_governor.prose.templates import templates
from mcp_governor.prose.words import name_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_MAX_TEXT = 2_000
"""Maximum number of characters read from a description; later text does not define a format."""


def stated_form(text: str, name: str = "") -> Form | None:
    """The one format that a description states; ``None`` if it states none, two different ones, or one of several.

    Args:
        text: the description of a parameter.
        name: of the parameter.
    """
    text = text[:_MAX_TEXT]
    if not _CUES.are_in(lowered(text)):
        return None
    if declared := _DECLARED.match(text):
        text = text[declared.end() :]
    text = _OF_SAMPLE.sub("", text)
    if (mixed := _or_literals(text)) is not None:
        return mixed
    forms: dict[str, Form] = {}
    spans: list[tuple[int, int]] = []
    for form, start, end in _forms(text, name):
        if is_one_of_several(text, start, end):
            return None
        forms.setdefault(form.pattern, form)
        spans.append((start, end))
    found = _one(list(forms.values())) or _either_time(list(forms.values()), text) if forms else None
    last = name_words(name)[-1:]
    if found is None or takes_more(text, spans) or (found.said == "digits" and last in _NO_NUMBERS):
        return None
    # "Query syntax: field:value" shows a part of a language.
    if last in _LANGUAGES and _PAIR.search(found.said):
        return None
    # "category/folder/subfolder" draws how a path goes on, not how deep it is.
    if last in _PATHS and found.said.count("/") > 1 and "{" not in found.said:
        return None
    return found if all(re.search(found.pattern, sample) for sample in _samples(text)) else None


_DECLARED = lazy_pattern(
    r"\s?[\[(](?:string|str|text|optional|required|,|\s){1,6}[\])]\s?[:.,–—-]?\s|(?:optional|required)[:.,]\s",
    re.IGNORECASE,
)
"""What descriptions declare in front of what the thing is: "(string, optional): URL to open", "Required. Day (…)"."""
_NO_NUMBERS = (("key",), ("name",), ("slug",))
"""Last words of names for text: a description that calls such a thing numeric was copied, or is wrong."""


_PATHS = (("path",), ("paths",), ("folder",), ("directory",))
_LANGUAGES = (("query",), ("q",), ("search",), ("filter",), ("filters",), ("expression",), ("where",), ("criteria",))
_PAIR = lazy_pattern(r"\w>?[:=]<?\w")


def names_other_form(text: str, values: Iterable[str], name: str) -> bool:
    """True if a description names a format that none of the listed values has: "Date (YYYY-MM-DD), 'today' or
    'tomorrow'". Then the values are not all that is accepted."""
    text, listed = text[:_MAX_TEXT], list(values)
    if not _CUES.are_in(lowered(text)):
        return False
    return any(not any(re.search(form.pattern, value) for value in listed) for form, _, _ in _forms(text, name))


def _one(forms: list[Form]) -> Form | None:
    """The only form, or what several say together: a prefix and a suffix, or a named format and a remark on a sign."""
    # "URL of the page" says less than "must start with abc://".
    specific = [form for form in forms if not form.widespread] or forms
    positive = [form for form in specific if not form.said.startswith("text without ")] or specific
    if len(positive) == 1:
        return positive[0]
    if len(positive) == 2:
        front, end = sorted(positive, key=lambda form: form.said.startswith("text that ends in"))
        if (
            end.said.startswith("text that ends in")
            and front.pattern.startswith("^")
            and not front.pattern.endswith("+$")
        ):
            start = front.pattern.removesuffix("$")
            start = f"{start.removesuffix('(/|$)')}/" if front.pattern.endswith("(/|$)") else start
            return front._replace(said=f"{front.said} that ends in {end.said[18:]}", pattern=f"{start}.*{end.pattern}")
        # "projects/ID" that starts with projects/ is one form.
        front, whole = sorted(positive, key=lambda form: not form.said.startswith("text that starts with"))
        if front.said.startswith("text that starts") and re.match(r"\^[\w/:]{2,}", whole.pattern):
            return whole if whole.pattern.startswith(front.pattern) else None
    return None


def _either_time(forms: list[Form], text: str) -> Form | None:
    """Both ways to write a time, where the text takes either: "RFC 3339 or Unix timestamp"."""
    if len(forms) != 2 or _EITHER_TIME.search(text) is None:
        return None
    iso, unix = sorted(forms, key=lambda form: "nix" in form.said)
    if not iso.said.startswith("an ISO 8601 date") or "nix" not in unix.said:
        return None
    pattern = f"^(?:{iso.pattern[1:-1]}|{unix.pattern[1:-1]})$"
    return Form(f"{iso.said} or {unix.said}", pattern, wrong=("yesterday", "now-1h"))


_DATED = lazy_pattern(r"Y{4}|y{4}", re.NOFLAG)
_QUOTED_LIST = lazy_pattern(
    rf"(?:^|[.:;(—–]\s?|\b(?:accepts|either)\s)(?P<items>{QUOTED}(?:,?\sor\s{QUOTED}|,\s{QUOTED}){{1,8}})(?=$|[.,;)])",
    re.IGNORECASE,
)
_LITERAL = lazy_pattern(r"[a-z][a-z_\-]{1,20}")


def _or_literals(text: str) -> Form | None:
    """Dates in letters and words, all in quotes: "'today', 'yesterday' or 'YYYY-MM-DD'"; ``None`` for anything else."""
    found = _QUOTED_LIST.search(text) if _DATED.search(text) is not None else None
    if (
        found is None
        or _OPEN_END.match(text, found.end())
        or len(_DATED.findall(text)) != len(_DATED.findall(found["items"]))
    ):
        return None
    listed = [one.strip("`'\"“”‘’") for one in _ONE_QUOTED.findall(found["items"])]
    words = [one for one in listed if _LITERAL.fullmatch(one)]
    dates = [form for one in listed if one not in words and (form := _one([form for form, _, _ in templates(one)]))]
    if not words or not dates or len(words) + len(dates) != len(listed):
        return None
    said = f"{', '.join(form.said for form in dates)} or {', '.join(words)}"
    either = "|".join((*words, *(form.pattern[1:-1] for form in dates)))
    return Form(said, f"^(?:{either})$", wrong=("next week", "01/02/2026"))


_ONE_QUOTED = lazy_pattern(QUOTED)
_OPEN_END = lazy_pattern(r"[,.;)]?\s?(?:or\b|and\b|etc|\.\.\.|…)")
_OF_SAMPLE = lazy_pattern(r"(?<=[^\s(][`'\"])\s(?:for|=|means|→)\s[^,;()'\"`\n]{1,60}(?=[,)])")
"""What an example stands for: "(e.g., '0 2 * * *' for daily at 2 AM)"."""
_EITHER_TIME = lazy_pattern(
    r"\b(?:ISO|RFC)[^.;\n]{1,40}\bor\s(?:an?\s|as\s)?(?:unix|epoch|posix)\b|\b(?:unix|epoch|posix)\b[^.;\n]{0,30}\bor\s(?:an?\s|as\s)?(?:ISO|RFC)",
    re.IGNORECASE,
)

# Every format is stated with one of these; most descriptions contain none, and one search skips them.
_CUES = Cues(
    *(
        "yyyy",
        "hh:",
        "format",
        "form ",
        "form:",
        "qualified",
        "referenc",
        "notation",
        "iso",
        "rfc",
        "code",
        "bcp",
        "hex",
    ),
    *(
        "rrggbb",
        "-separated",
        " separated",
        "digit",
        "semver",
        "semantic",
        "cron",
        "uuid",
        "guid",
        "mail",
        "uri",
        "url",
    ),
    *("arn", "no dots", "start", "begin", "leading", "trailing", "prefix", "without", "must end", "ends ", "ending"),
    *(
        "seconds",
        "domain",
        "s3",
        "gs ",
        "gs\n",
        "gcs",
        "ipfs",
        "vstfs",
        "epoch",
        "unix",
        "posix",
        "sha",
        "base64",
        "iana",
    ),
    *(
        "e.164",
        "resource name",
        "longitude",
        "lng",
        "lon,",
        "lat,",
        "纬",
        "jsonpath",
        "not allowed",
        "ietf",
        "icao",
        "iata",
    ),
    *(
        "letter",
        "alphanumeric",
        "numeric",
        "number as",
        "integer i",
        "match",
        "pattern",
        "regex",
        "duration",
        "cidr",
        "mac address",
    ),
    *(
        "a1 ",
        "doi",
        "0x",
        "case",
        "objectid",
        "followed",
        ":asc",
        " asc",
        "w:h",
        "wxh",
        "width",
        "key:",
        "key=",
        "host:",
    ),
    *("field:", ":tag", ":port", ".table", ".view", "syntax", "west", "min_l", "minl", "international", "://", "refs/"),
    *("absolute", "cell", " ."),
    *("issue key", "ticket key", "epic key", "parent key", "story key", "key, ", "ticket identif", "issue identif"),
    *(" include", "owner/", "org/", "user/", "username/", "namespace/", "workspace/", "group/", "team/", "account/"),
    *(
        "vendor/",
        "project/",
        "organization/",
        "organisation/",
        "author/",
        "publisher/",
        "}/",
        "}:",
        "}-",
        "}_",
        "}@",
        "}=",
    ),
    *("}x", "}.", ">/", ">:", ">-", ">_", ">@", ">=", ">x<", ">.", "hyphen", "dashes", "underscore", "periods"),
    *(
        "spaces",
        "slashes",
        "commas",
        "colons",
        "must be",
        "should be",
        "must have",
        "should have",
        "plus a",
        "and then",
    ),
    *("tz ", "char", "extension", "written ", "given ", "expressed ", "specified ", "provided ", "structure", "style"),
)
_SAMPLES = lazy_pattern(
    r"(?:e\.g\.?|example|for instance|such as|like)[,:]?\s?"
    r"((?:[`'\"][^`'\"\n]{1,80}[`'\"](?:,\s|\sor\s|,\sor\s)?){1,6})",
    re.IGNORECASE,
)
_SAMPLE = lazy_pattern(r"[`'\"]([^`'\"\n]{1,80})[`'\"]")


_PLAIN_SAMPLES = lazy_pattern(
    r"(?:\be\.g\.?,?|\bfor example,?|\bsuch as|\bexamples?:"
    r"|\blike)\s((?:[\w+#@/~-][^\s,;()`'\"]{2,60}(?:,\s(?:or\s)?|\sor\s)?){1,3})",
    re.IGNORECASE,
)
_TOKEN = lazy_pattern(r"[^\s,;()`'\"]{3,60}")
_SHAPED = lazy_pattern(r"\d|[/:@#_]|\w-\w")


def _samples(text: str) -> Iterator[str]:
    """The examples in a description: those in quotes, and others that no word of a sentence looks like."""
    for match in _SAMPLES.finditer(text):
        # "not `public.customer`" is an example of an invalid value.
        for sample in _SAMPLE.finditer(match[1]):
            yield sample[1]
    for match in _PLAIN_SAMPLES.finditer(text):
        for sample in _TOKEN.finditer(match[1]):
            if _SHAPED.search(sample[0]):
                yield sample[0].rstrip(".:")


_KNOWN = Guards(KNOWN)


def _forms(text: str, name: str) -> Iterator[tuple[Form, int, int]]:
    yield from templates(text)
    yield from ruled_forms(text, name)
    for pattern, make in _KNOWN.possible(text):
        match = pattern.search(text)
        form = make(match, text) if match is not None else None
        if match is not None and form is not None:
            yield form, *match.span()
