"""Formats that have a name, in a word or a phrase: ISO 8601, ARN, "must start with"; each with its pattern."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from mcp_governor.linting.guarded import Guarded

if TYPE_CHECKING:
    from collections.abc import Callable


class Form(NamedTuple):
    """A format that a description states.

    Attributes:
        said: its name in the description, for messages.
        pattern: matches every string of the format, in both ECMA 262 and Python.
        widespread: models write it correctly without help (URLs, UUIDs, addresses), so asking for a pattern is petty.
    """

    said: str
    pattern: str
    widespread: bool = False


DATES = Guarded(
    r"(?<![\w-])(?:[Yy]{4}|[Hh]{2}(?=:)|(?:[Mm]{2}|[Dd]{2})(?=[-/.](?:[Mm]{2}|[Dd]{2})[-/.][Yy]{4}))"
    r"(?:[-/.: ]?(?:[YMDHSymdhs]{2,4}|[TZ](?![a-z])|T(?=hh))){0,8}(?:Z|\b)",
    "yy",
    "hh",
    ignore_case=False,
)

_TIME = r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+\-]\d{2}:?\d{2})?$"
_DATE_OR_TIME = r"^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+\-]\d{2}:?\d{2})?)?$"
_UUID = r"^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"
_QUOTED_HEX = re.compile(r"[`'\"(]#?[0-9A-Fa-f]{6}[`'\")]|#(?=[0-9A-Fa-fRGBX]{6}\b)|[`'\"(]RRGGBB")


def _iso_time(match: re.Match[str], text: str) -> Form | None:
    kind = (match["kind"] or "").lower()
    if kind.startswith(("duration", "week", "interval", "calendar")) or DATES.search(text):
        return None
    timed_dates = ("date-time", "datetime", "date time", "date/time", "date and")
    if kind.startswith("date") and not kind.startswith(timed_dates):
        return Form("an ISO 8601 date", r"^\d{4}-\d{2}-\d{2}$")
    timed = (
        kind.startswith(("timestamp", "time", "datetime", "date-time", "date time", "date/time", "date and"))
        or match["rfc"]
    )
    return Form("an ISO 8601 timestamp", _TIME) if timed else Form("ISO 8601", _DATE_OR_TIME)


def _code(match: re.Match[str], text: str) -> Form | None:
    of = (match["of"] or match["of2"] or "").lower()
    size = {"two": 2, "2": 2, "three": 3, "3": 3}.get((match["size"] or "").lower(), 3 if of == "currency" else 2)
    letters = "A-Z" if of == "currency" else "a-z" if of == "language" else "A-Za-z"
    if of == "country":
        upper = re.search(rf"[`'\"][A-Z]{{{size}}}[`'\"]|upper|alpha-2", text)
        letters = "A-Z" if upper else "A-Za-z"
    if "or more" in text:
        return None
    return Form(match[0], rf"^[{letters}]{{{size}}}$")


def _hex(_match: re.Match[str], text: str) -> Form | None:
    shown = _QUOTED_HEX.search(text)
    mark = "" if shown and "#" not in shown[0] else "#" if shown else "#?"
    return Form("a hexadecimal colour", rf"^{mark}[0-9A-Fa-f]{{6}}$")


def _prefixed(match: re.Match[str], _text: str) -> Form | None:
    starts = [part for part in match.groupdict().values() if part]
    escaped = [re.escape(part).replace(r"\-", "-").replace("/", "/") for part in dict.fromkeys(starts)]
    pattern = escaped[0] if len(escaped) == 1 else f"({'|'.join(escaped)})"
    return Form(" or ".join(starts) + " in front", f"^{pattern}")


def _schemes(match: re.Match[str], _text: str) -> Form | None:
    schemes = re.findall(r"([a-z][a-z0-9+]{1,15})://", match[0])
    escaped = "|".join(scheme.replace("+", r"\+") for scheme in dict.fromkeys(schemes))
    return Form(" or ".join(f"{scheme}://" for scheme in dict.fromkeys(schemes)), f"^({escaped})://")


def _always(said: str, pattern: str, *, widespread: bool = False) -> Callable[[re.Match[str], str], Form | None]:
    return lambda _match, _text: Form(said, pattern, widespread)


def _digits(match: re.Match[str], _text: str) -> Form | None:
    return Form(match[0], rf"^\d{{{int(match['n'])}}}$") if 1 < int(match["n"]) < 60 else None


def _parts(match: re.Match[str], _text: str) -> Form | None:
    count = {"two": 2, "2": 2, "three": 3, "3": 3, "four": 4, "4": 4}[match["n"].lower()]
    return Form(match[0], "^" + r"\.".join([r"[^.]+"] * count) + "$")


_SIGNS = r"(?:letters|numbers|digits|hyphens|dashes|underscores|periods|dots)"


def _alphabet(match: re.Match[str], _text: str) -> Form | None:
    said = match[0].lower()
    letters = "a-z" if "lowercase" in said or "lower-case" in said else "a-zA-Z"
    marks = ("_" if "underscore" in said else "") + ("." if "period" in said or "dots" in said else "")
    hyphen = "-" if "hyphen" in said or "dash" in said else ""
    digits = "0-9" if re.search(r"numer|number|digit", said) else ""
    return Form(match[0], f"^[{letters}{digits}{marks}{hyphen}]+$")


_ISSUE = r"^[A-Z][A-Z0-9_]+-\d+$"
_ISSUE_SAMPLE = re.compile(r"[`'\"][A-Z][A-Z0-9_]+-\d{1,9}[`'\"]")
_REVISIONS = re.compile(r"\b(?:branch|tag|ref|HEAD|revision)\b", re.IGNORECASE)
_STORED = re.compile(r"\b(?:s3|gcs|gs|vstfs|ipfs)\b|://", re.IGNORECASE)
_SCHEMES = re.compile(r"\b(?:ssh|git|file|ftp|s3|gs|data|ws|wss|chrome|about|jdbc|redis|postgres\w*):", re.IGNORECASE)
KNOWN: tuple[tuple[Guarded, Callable[[re.Match[str], str], Form | None]], ...] = (
    (
        Guarded(
            r"\b(?:ISO[- ]?8601(?:-1)?|(?P<rfc>RFC[- ]?3339))(?:[- ](?:format(?:ted)?\s|compliant\s|string\s|UTC\s)?"
            r"(?P<kind>durations?|weeks?|intervals?|calendar|timestamps?|date[- /]?times?|date and|dates?|times?)?)?",
            "iso",
            "rfc",
        ),
        _iso_time,
    ),
    (
        Guarded(
            r"\b(?P<size>two|three|2|3)[- ](?:letter|character|char)s?\s(?:ISO\s)?(?:[\d-]{1,8}\s)?"
            r"(?P<of>country|language|currency)\scodes?"
            r"|\bISO[- ]?(?:3166(?:-1)?(?:[- ]alpha-2)?|4217|639-1)\s(?P<of2>country|language|currency)\scodes?",
            "code",
        ),
        _code,
    ),
    (Guarded(r"\bISO[- ]?4217\b", "4217"), _always("an ISO 4217 code", "^[A-Z]{3}$")),
    (Guarded(r"\bISO[- ]?3166(?:-1)?[- ]alpha-2\b", "alpha-2"), _always("an alpha-2 code", "^[A-Z]{2}$")),
    (Guarded(r"\bBCP[- ]?47\b", "bcp"), _always("a BCP 47 tag", "^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$")),
    (
        Guarded(
            r"\b(?:hex(?:adecimal)?\s(?:RGB|colou?r(?:\scode)?)|RGB\shex|colou?r\s(?:in|as)\shex)\b|#RRGGBB\b",
            "hex",
            "rrggbb",
        ),
        _hex,
    ),
    (
        Guarded(
            r"\b(?:must|should|always)\s(?:start|begin)s?\swith\s(?:the\s)?(?:prefix\s)?[`'\"](?P<one>[^`'\"\s]{1,30})[`'\"]"
            r"(?:\sor\s[`'\"](?P<two>[^`'\"\s]{1,30})[`'\"])?",
            "with",
        ),
        _prefixed,
    ),
    (
        Guarded(
            r"\b(?:in|with|use|of|must)\s(?:the\s|be\s)?(?:format\s)?[`'\"]?[a-z][a-z0-9+]{1,15}://[`'\"]?"
            r"(?:\sor\s[`'\"]?[a-z][a-z0-9+]{1,15}://[`'\"]?)?\s(?:form(?:at)?|prefix|scheme|protocol)\b",
            "://",
        ),
        _schemes,
    ),
    (Guarded(r"\b(?P<n>two|three|four|2|3|4)\sdot[- ]separated\s(?:parts|segments|names)\b", "separated"), _parts),
    (
        Guarded(r"(?<!to\s)(?<!or\s)(?<![-–.\d])\b(?P<n>\d{1,2})[- ]digits?\b(?!\s(?:or|to|min|max|after))", "digit"),
        _digits,
    ),
    (
        Guarded(
            rf"\b(?:only\s(?:lower-?case\s)?(?:alphanumeric\scharacters|{_SIGNS})"
            rf"(?:(?:,\s|\sand\s|,\sand\s|\sor\s){_SIGNS}){{1,4}}"
            rf"|(?:lower-?case\s)?(?:alphanumeric\scharacters|letters)(?:(?:,\s|\sand\s|,\sand\s){_SIGNS}){{1,4}}\sonly)\b",
            "only",
        ),
        _alphabet,
    ),
    (
        Guarded(r"\bsemver\b|\bsemantic version\b(?!s|ing)", "semver", "semantic version"),
        _always("a semantic version", r"^\d+\.\d+\.\d+([\-+].+)?$"),
    ),
    (
        Guarded(r"\bcron\s(?:expression|format|syntax|string)\b", "cron"),
        _always("a cron expression", r"^\S+(\s+\S+){4,5}$"),
    ),
    (
        Guarded(
            r"\bmust\s(?:end|have)\s(?:in|with|a|an|the)\s(?:the\s|extension\s)?[`'\"]?\.(?P<end>[a-z0-9]{2,5})\b",
            "must",
        ),
        lambda match, _text: Form(f".{match['end']} at the end", rf"\.{match['end']}$"),
    ),
    (
        Guarded(
            r"^(?:the\s|an?\s)?(?:[a-z]{1,16}\s){0,3}(?:UU|GU)ID\b(?!\sor\b|s\b|/)|\((?:UU|GU)ID\)(?!\sor\b)|\b(?:UU|GU)ID\sformat"
            r"|\bUUID\s?v\d\b(?!\sor\b)|\b(?:must\sbe|is)\san?\s(?:valid\s|standard\s)?(?:UU|GU)ID\b(?!\sor\b)",
            "uuid",
            "guid",
        ),
        _always("a UUID", _UUID, widespread=True),
    ),
    (
        Guarded(r"^(?:the\s|your\s)?(?:[a-z']{1,16}\s){0,3}e-?mail(?:\saddress)\b(?!\sor\b|es\b|/)", "mail"),
        _always("an e-mail address", r"^[^@\s]+@[^@\s]+$", widespread=True),
    ),
    (
        Guarded(
            r"^(?:[Tt]he\s|[Aa]n?\s)?(?:[A-Za-z]{1,16}\s){0,3}(?:ARN|Amazon\sResource\sName)\b(?!\sor\b|s\b|/)",
            "arn",
            "amazon",
            ignore_case=False,
        ),
        _always("an ARN", "^arn:", widespread=True),
    ),
    (
        Guarded(r"\b(?:single\sidentifier|one\sname|a\sname)\b[^.\n]{0,20}\bno\sdots\b", "no dots"),
        _always("a name without dots", r"^[^.]+$"),
    ),
    (Guarded(r"\bISO[- ](?:timestamp|date-?time)\b", "iso"), _always("an ISO 8601 timestamp", _TIME)),
    (
        Guarded(r"\bISO[- ](?:date\b(?![- ]?time)|format(?:ted)?\b(?!\s(?:code|country|language|currency)))", "iso"),
        lambda match, text: None if DATES.search(text) else Form(match[0], _DATE_OR_TIME),
    ),
    (
        Guarded(
            r"\b(?:unix|epoch)(?:\sepoch)?(?:\stime(?:stamps?)?)?\s?\(?,?\s?(?:in\s)?(?P<milli>milliseconds|millis|ms)?\b",
            "unix",
            "epoch",
        ),
        lambda match, text: Form(
            "a Unix time", r"^\d{12,14}$" if match["milli"] or "millis" in text.lower() else r"^\d{1,14}(\.\d{1,9})?$"
        ),
    ),
    (
        Guarded(
            r"^(?:the\s|full\s)?(?:[a-z]{1,16}\s){0,3}SHA(?:-?1)?\b(?!\s?(?:or\b|/|-|256|512))(?=\s(?:hash|of|to)\b|\s?[.,(]|$)",
            "sha",
        ),
        lambda _match, text: None if _REVISIONS.search(text) else Form("a SHA", "^[0-9a-fA-F]{4,64}$", True),
    ),
    (Guarded(r"\bE\.164\b", "e.164"), _always("an E.164 number", r"^\+[1-9]\d{1,14}$")),
    (
        Guarded(r"\bIANA\s(?:time\s?zone|tz)\b|\btz\sdatabase\sname\b", "iana", "tz "),
        _always("an IANA time zone", r"^[A-Za-z][A-Za-z0-9_+\-]*(/[A-Za-z0-9_+\-]+)*$", widespread=True),
    ),
    (
        Guarded(
            r"^(?:the\s|an?\s)?(?:[a-z]{1,16}\s){0,3}base64(?:[- ]encoded)?\b(?!\s(?:or|data\sUR[IL])\b)", "base64"
        ),
        _always("Base64", r"^[A-Za-z0-9+/_\-\s]*=*\s*$", widespread=True),
    ),
    (
        Guarded(r"[`'\"(](?:lat(?:itude)?),\s?(?:long?|lng|longitude)[`'\")]", "lng", "lon"),
        _always("latitude,longitude", r"^-?\d+(\.\d+)?,\s?-?\d+(\.\d+)?$"),
    ),
    (Guarded(r"\bJSONPath\sexpression\b", "jsonpath"), _always("a JSONPath", r"^\$", widespread=True)),
    (
        Guarded(r"\b(?:SHA-?256|(?P<n>64)[- ]char(?:acter)?)\s(?:hex\s)?(?:hash|digest|checksum)\b", "sha", "64"),
        _always("a SHA-256 in hexadecimal digits", "^[0-9a-fA-F]{64}$"),
    ),
    (
        Guarded(r"\b40[- ]char(?:acter)?\s(?:\w{1,12}\s){0,2}(?:SHA|hash)\b", "40"),
        _always("40 hexadecimal digits", "^[0-9a-fA-F]{40}$"),
    ),
    (
        Guarded(r"\b(?:issue|ticket|epic|parent)\skey\b", "key"),
        lambda _match, text: Form("a key such as AB-12", _ISSUE) if _ISSUE_SAMPLE.search(text) else None,
    ),
    (
        Guarded(
            r"\b(?:owner|org|user|username|organization|namespace|workspace)/(?:repo|repository|name|repo[-_]?name)"
            r"(?=\)|\s(?:form(?:at)?)\b)",
            "/",
        ),
        lambda match, _text: Form(match[0], "^[^/]+/[^/]+$"),
    ),
    (
        Guarded(
            r"^(?:the\s|full\s|complete\s|absolute\s){0,3}(?:[a-z0-9]{1,16}\s){0,2}URI\b(?!s\b|/|\s(?:or|pattern|path|template)\b)",
            "uri",
        ),
        lambda _match, text: None if _STORED.search(text) else Form("a URI", r"^[A-Za-z][A-Za-z0-9+.\-]*:", True),
    ),
    (
        Guarded(
            r"^(?:the\s|full\s|complete\s|absolute\s|https?\s|target\s|web\s){0,3}(?:[a-z]{1,16}\s){0,2}URL\b"
            r"(?!s\b|/|\s(?:or|pattern|path|parameter|slug|fragment|template|to\smatch|for\sthe\shyperlink)\b)",
            "url",
        ),
        lambda _match, text: None if _SCHEMES.search(text) else Form("a URL", "^https?://", True),
    ),
)
