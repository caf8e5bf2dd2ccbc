"""Formats in prose: the format that a description gives for a string, as a pattern that allows all of it.

A pattern rejects calls, so it is as wide as the words allow. There is no pattern if the description also allows other
formats ("relative dates", "or a name"), or if one of its examples does not match.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_governor.linting.guarded import Cues, Guarded, lowered
from mcp_governor.linting.named_forms import DATES, KNOWN, Form
from mcp_governor.linting.ruled_forms import ruled_forms

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    forms: dict[str, Form] = {}
    for form in _forms(text, name):
        forms.setdefault(form.pattern, form)
    found = _one(list(forms.values()))
    if found is None or _OTHERS.search(text):
        return None
    return found if all(re.search(found.pattern, sample) for sample in _samples(text)) else None


def _one(forms: list[Form]) -> Form | None:
    """The only form, or the combination of two: a prefix and a suffix."""
    if len(forms) == 1:
        return forms[0]
    positive = [form for form in forms if not form.said.startswith("no ")]
    if len(positive) == 1:
        return positive[0]  # A named format that must not begin with a certain character: the format says more.
    if len(forms) == 2:
        front, end = sorted(forms, key=lambda form: form.pattern.startswith("\\."))
        if front.pattern.startswith("^") and front.pattern.endswith("(/|$)") and end.pattern.startswith("\\."):
            pattern = f"{front.pattern.removesuffix('(/|$)')}/.*{end.pattern}"
            return Form(f"{front.said}, {end.said}", pattern)
    return None


# Every format is stated with one of these; most descriptions contain none, and one search skips them.
_CUES = Cues(
    *("yyyy", "hh:", "form", "qualified", "referenc", "notation", "iso", "rfc", "code", "key", "/", "40", "bcp", "hex"),
    *("rrggbb", "with", "separated", "digit", "only", "sem", "cron", "must", "uuid", "mail", "uri", "url", "arn"),
    *("no dots", "start", "begin", "leading", "contain", "seconds", "domain", "s3", "gs ", "gs\n", "gcs", "ipfs"),
    *("vstfs", "epoch", "unix", "sha", "base64", "iana", "e.164", "guid", "resource name", "longitude", "lng"),
    *("jsonpath", "not allowed", "spaces"),
)
_OTHERS = re.compile(
    r"\b(?:relative|natural language|absolute dates?|any (?:format|valid|css)|various|several"
    r"|(?:other|multiple|following|supported|accepted|these) (?:formats|forms)"
    r"|formats are|also (?:accepts?|supports?|takes)"
    r"|keywords?"
    r"|now|today|yesterday|\d?daysago|custom|wildcards?|regex|regular expression|glob|css|named? colou?rs?|json"
    r"|or an? (?:branch|commit|duration|expression|id|name|number|offset|path|ref|sha|slug|string|tag|text|title|url)"
    r"|comma[- ]separated|range of|partial|prefix(?:es)? or|usually|typically|preferably|recommended|prefer(?:red)?)\b"
    r"|\brgba?\(|\b[ap]\.?m\b|;\s?for\s[^.;]{1,60}\suse\b",
    re.IGNORECASE,
)
_SAMPLES = re.compile(
    r"(?:e\.g\.?|example|for instance|such as|like)[,:]?\s?"
    r"((?:[`'\"][^`'\"\n]{1,80}[`'\"](?:,\s|\sor\s|,\sor\s)?){1,6})",
    re.IGNORECASE,
)
_SAMPLE = re.compile(r"[`'\"]([^`'\"\n]{1,80})[`'\"]")


def _samples(text: str) -> Iterator[str]:
    """The quoted examples in a description."""
    for match in _SAMPLES.finditer(text):
        # "not `public.customer`" is an example of an invalid value.
        for sample in _SAMPLE.finditer(match[1]):
            yield sample[1]


def _forms(text: str, name: str) -> Iterator[Form]:
    yield from _templates(text)
    yield from ruled_forms(text, name)
    for pattern, make in KNOWN:
        match = pattern.search(text)
        form = make(match, text) if match is not None else None
        if form is not None:
            yield form


# -- templates: YYYY-MM-DD, owner/repo, 1234567890.123456

_IN_FORM = Guarded(
    r"\b(?:in|as|using|has|of|with)\s(?:the\s|a\s)?(?:[a-z]{1,12}\s)?(?:form(?:at)?)(?:\sof)?:?\s?[`'\"](?P<behind>[^`'\"\n]{3,60})[`'\"]"
    r"|\bformat:\s?[`'\"]?(?P<label>[\w<>{}./:#@\-]{3,60})[`'\"]?(?=$|[\s).,;])"
    r"|[`'\"](?P<front>[\w<>{}./:#@\-]{3,60})[`'\"]\s(?:form(?:at)?\b|qualified\sname|references?\b|notation)",
    "form",
    "qualified",
    "reference",
    "notation",
)
_PART = r"(?:<[\w \-]{1,30}>|\{[\w \-]{1,30}\}|[A-Za-z][A-Za-z_]{1,30})"
_PLACEHOLDER = re.compile(_PART)
_WHOLE = re.compile(rf"[/#@]?(?:{_PART}[./:#@]){{1,4}}{_PART}")
_ALSO = re.compile(r"\s?,?\sor\s[`'\"](?P<also>[^`'\"\n]{3,60})[`'\"]")
_FILE = re.compile(r"\.(?:json|ya?ml|xml|md|txt|csv|py|jsx?|tsx?|html?|toml|ini|com|org|net|io)$", re.IGNORECASE)
_NUMBERS = re.compile(r"(?=.*\d{3})\d{1,20}(?:[.:\-/]\d{1,20}){1,4}")


_ONE_OF_SEVERAL = re.compile(r"\b(?:such as|for example) an?\s", re.IGNORECASE)


_GOES_ON = re.compile(r"[-:/±+.]?[A-Za-z±+]{0,9}[YMDHSymdhs]{2}(?![a-z])")
_EITHER = re.compile(r"\bor\s(?:[\w-]+\s){1,3}$", re.IGNORECASE)
"""In front of "in the format …": the format of the last of several things, "an id or a full name in the format"."""
_ANOTHER = re.compile(r"[`'\"]?\s?(?:,|or)\s\d")


def _templates(text: str) -> Iterator[Form]:
    written = [
        match
        for match in DATES.finditer(text)
        if not _ONE_OF_SEVERAL.search(text, max(0, match.start() - 50), match.start())
    ]
    found = dict.fromkeys(match[0].strip() for match in written)
    dates = {template: date for template in found if (date := _date_pattern(template))}
    if any(_GOES_ON.match(text, match.end()) for match in written):
        dates = {}  # A form that is read in part only.
    if len(dates) == 1:
        template, pattern = next(iter(dates.items()))
        yield Form(template, f"^{pattern}$")
    elif dates:
        # "YYYY-MM-DD or YYYY-MM": either matches; the longest comes first.
        either = "|".join(dates[template] for template in sorted(dates, key=len, reverse=True))
        yield Form(" or ".join(dates), f"^(?:{either})$")
    for match in _IN_FORM.finditer(text):
        template = next(filter(None, match.groups()))
        if _EITHER.search(text, max(0, match.start() - 40), match.start()):
            continue
        if _NUMBERS.fullmatch(template):
            if _ANOTHER.match(text, match.end()):
                continue  # "2100-12-31, 23:59": one of several forms.
            pattern = re.sub(r"\d+", lambda digits: rf"\d{{{len(digits[0])}}}", template.replace(".", r"\."))
            yield Form(template, f"^{pattern}$")
        elif _names(template):
            # "'/org/project' or '/org/project/version'": either matches; the longest comes first.
            also = _ALSO.match(text, match.end())
            if also is not None and _names(also["also"]):
                longest, other = sorted((_joined(template), _joined(also["also"])), key=len, reverse=True)
                yield Form(f"{template} or {also['also']}", f"^(?:{longest[1:-1]}|{other[1:-1]})$")
            else:
                yield Form(template, _joined(template))


def _names(template: str) -> bool:
    """True if a template consists of names with separators, and is neither a date nor a file."""
    return bool(_WHOLE.fullmatch(template)) and not _date_pattern(template) and not _FILE.search(template)


def _joined(template: str) -> str:
    """The pattern for names with separators: "owner/repo" is two strings without a slash, joined by one."""
    first = template[0] if template[0] in "/#@" else ""
    marks = re.sub(_PLACEHOLDER, "", template[len(first) :])
    part = f"[^{''.join(dict.fromkeys(marks))}]+"
    return "^" + first + part + "".join(("\\." if mark == "." else mark) + part for mark in marks) + "$"


def _date_pattern(template: str) -> str:
    """The pattern for a date in letters; empty if the template is not a date with a year or a time."""
    out, at = [], 0
    letters = template.rstrip(".-/: ")
    if not re.search(r"[Yy]{4}", letters) and not re.fullmatch(r"[Hh]{2}:[Mm]{2}(?::[Ss]{2})?", letters):
        return ""
    while at < len(letters):
        char = letters[at]
        run = len(letters[at:]) - len(letters[at:].lstrip(char + char.swapcase()))
        if char in "YyMmDdHhSs" and char.upper() != "T":
            out.append(rf"\d{{{run}}}")
            at += run
        else:
            out.append({"T": "T", "Z": "Z", ".": r"\."}.get(char, char))
            at += 1
    # The end of a time is seldom spelled out: fractions of a second, and the time zone.
    zone = r"(\.\d+)?(Z|[+\-]\d{2}:?\d{2})?" if "T" in out and len(out) == 11 else ""
    return "".join(out) + zone if len(out) > 1 else ""
