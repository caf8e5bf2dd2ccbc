"""The patterns of formats that have a name, and of what the words around the name add."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.form import Form
from mcp_governor.prose.guarded import Guarded

if TYPE_CHECKING:
    from collections.abc import Callable

DATES = Guarded(
    r"(?<![\w/.-])(?:[Yy]{4}|[Hh]{2}(?=:)|(?:[Mm]{2}|[Dd]{2})(?=[-/.](?:[Mm]{2}|[Dd]{2})[-/.][Yy]{4})"
    r"|[Mm]{2}(?=[-/][Yy]{4}))"
    r"(?:[-/.: ]?(?:[YMDHSymdhs]{2,4}|[TZ](?![a-z])|T(?=hh))){0,8}(?:Z|\b)",
    "yy",
    "hh",
    ignore_case=False,
)

_ZONE = r"(Z|[+\-]\d{2}:?\d{2})?"
_TIME = rf"^\d{{4}}-\d{{2}}-\d{{2}}T\d{{2}}:\d{{2}}(:\d{{2}}(\.\d+)?)?{_ZONE}$"
_DATE_OR_TIME = rf"^\d{{4}}-\d{{2}}-\d{{2}}(T\d{{2}}:\d{{2}}(:\d{{2}}(\.\d+)?)?{_ZONE})?$"
_ISO_DURATION = r"^-?P(\d+(\.\d+)?[YMWD])*(T(\d+(\.\d+)?[HMS])+)?$"
GO_DURATION = r"^-?(\d+(\.\d+)?(ns|us|µs|ms|s|m|h|d|w))+$"
UUID = r"^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"
_COUPLE = r"^-?\d+(\.\d+)?,\s?-?\d+(\.\d+)?$"
_DAYS = ("yesterday", "01/02/2026")
_QUOTED_HEX = lazy_pattern(r"[`'\"(]#?[0-9A-Fa-f]{6}[`'\")]|#(?=[0-9A-Fa-fRGBX]{6}\b)|[`'\"(]RRGGBB")


def iso_time(match: re.Match[str], text: str) -> Form | None:
    kind = (match["kind"] or match["kind2"] or "").lower()
    if kind.startswith("duration"):
        return Form("an ISO 8601 duration", _ISO_DURATION, wrong=("1h", "1 hour"))
    if kind.startswith("week"):
        return Form("an ISO week such as 2026-W05", r"^\d{4}-W\d{2}$", wrong=("2026-01-26", "5"))
    if kind.startswith(("interval", "calendar")) or read_dates(text):
        return None
    timed_dates = ("date-time", "datetime", "date time", "date/time", "date and")
    if kind.startswith("date") and not kind.startswith(timed_dates) and not _OR_TIME.match(text, match.end()):
        return Form("an ISO 8601 date", r"^\d{4}-\d{2}-\d{2}$", wrong=_DAYS)
    timed = kind.startswith(("timestamp", "time", *timed_dates)) or match["rfc"]
    # "End of an event, RFC 3339; all-day events end on the day after": a date alone is taken as well.
    if timed and not _DATES_TOO.search(text):
        return Form("an ISO 8601 date and time", _TIME, wrong=("2026-01-02", "yesterday"))
    return Form("an ISO 8601 date or time", _DATE_OR_TIME, wrong=_DAYS)


_OR_TIME = lazy_pattern(r"\s?(?:\(|/|or\s|and\s)\s?(?:an?\s)?(?:date[- ]?)?time", re.IGNORECASE)
_DATES_TOO = lazy_pattern(r"\ball[- ]day\b|\bdates?\b(?!\s?(?:[-/]|and|plus|with)?\s?times?\b)", re.IGNORECASE)


def read_dates(text: str) -> list[re.Match[str]]:
    """The dates in letters in a description (YYYY-MM-DD), unless one of them goes on in a way that is not read."""
    found = list(DATES.finditer(text))
    return [] if any(_GOES_ON.match(text, match.end()) for match in found) else found


_GOES_ON = lazy_pattern(r"[-:/±+.]?[A-Za-z±+]{0,9}[YMDHSymdhs]{2}(?![a-z])")

_COUNTS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "eight": 8, "ten": 10, "twelve": 12}
_LONG = {"country": "Germany", "region": "Germany", "language": "English", "currency": "dollars", "airport": "London"}


def _count(text: str) -> int:
    return _COUNTS.get(text.lower()) or int(text)


def code(match: re.Match[str], text: str) -> Form | None:
    """A code of letters, by what it is of, how long it is said to be, and the standard."""
    if "or more" in text or _TWO_SIZES.search(text) or text[: match.start()].lower().endswith("of the "):
        return None
    of = (match["of"] or match["of2"] or match["of3"] or "").lower().removesuffix("s")
    standard = (match["standard"] or match["standard2"] or "").lower().replace(" ", "-").replace("--", "-")
    of = of or {"3": "country", "4": "currency", "6": "language"}.get(standard[:1], "")
    sized = match["size"]
    if sized:
        least = most = _count(sized)
    elif "alpha-3" in standard or standard in ("639-2", "639-3", "4217") or of == "currency":
        least = most = 3
    elif standard.startswith("3166-2"):
        return Form("an ISO 3166-2 code", "^[A-Z]{2}-[A-Z0-9]{1,3}$", wrong=("Bavaria", "BY"))
    elif standard:
        least = most = 2
    else:
        least, most = 2, 3
    letters = "A-Z" if of == "currency" else "a-z" if of == "language" and not _UPPER.search(text) else "A-Za-z"
    if of == "country":
        letters = "A-Z" if re.search(rf"[`'\"][A-Z]{{{least}}}[`'\"]|upper", text) else "A-Za-z"
    said = f"{'ISO ' + standard if standard else 'ISO' if least < most else f'{least}-letter'} {of} code".replace(
        "  ", " "
    )
    size = f"{least}" if least == most else f"{least},{most}"
    article = "an" if said[0] in "I8" else "a"
    return Form(f"{article} {said}", f"^[{letters}]{{{size}}}$", wrong=(_LONG.get(of, "Germany"), "abcd"))


_UPPER = lazy_pattern(r"\bupper[- ]?case\b|[`'\"(][A-Z]{2,3}[`'\")]")
_TWO_SIZES = lazy_pattern(
    r"\b(?:two|2)[- ](?:letter)?\s?(?:or|/|to|-)\s?(?:three|3)\b|\balpha-?2\b.{1,30}\balpha-?3\b|-[A-Z]{2}\b(?=[`'\"])"
    r"|\b[a-z]{2}-[A-Z]{2}\b|\blocale\b",
    re.IGNORECASE,
)


def airport(match: re.Match[str], text: str) -> Form | None:
    body = (match["body"] or match["body2"]).upper()
    if re.search(r"\b(?:ICAO\W{0,3}(?:or|/|,|and)\W{0,3}IATA|IATA\W{0,3}(?:or|/|,|and)\W{0,3}ICAO|24|hex)\b", text):
        return None
    line = re.search(r"\b(?:airline|carrier|operator)", text, re.IGNORECASE)
    if body == "IATA":
        shape = "[A-Za-z0-9]{2}" if line else "[A-Za-z]{3}"
    else:
        shape = "[A-Za-z]{3}" if line else "[A-Za-z]{4}"
    kind = "airline" if line else "airport"
    return Form(f"an {body} {kind} code", f"^{shape}$", wrong=("Lufthansa" if line else "London Heathrow",))


def hexadecimal(_match: re.Match[str], text: str) -> Form:
    shown = _QUOTED_HEX.search(text)
    mark = "" if shown and "#" not in shown[0] else "#" if shown else "#?"
    no_mark = _NO_HASH.search(text)
    mark = "" if no_mark else mark
    said = "a hexadecimal colour" + (" with a leading #" if mark == "#" else "" if mark else " without #")
    # Many libraries take short colours and those with an alpha channel as well.
    size = "[0-9A-Fa-f]{6}" if _SIX_DIGITS.search(text) else "([0-9A-Fa-f]{3,4}){1,2}"
    return Form(said, rf"^{mark}{size}$", wrong=("#FF0000" if not mark else "FF0000", "red"))


_SIX_DIGITS = lazy_pattern(r"RRGGBB|\b(?:six|6)[- ](?:digits?|characters?|hex)", re.IGNORECASE)
_NO_HASH = lazy_pattern(r"\b(?:without|no|omit)\s(?:the\s|a\s|any\s)?(?:leading\s)?[`'\"]?(?:#|hash)", re.IGNORECASE)


def unix(match: re.Match[str], text: str) -> Form | None:
    milli = match["milli"] or re.search(r"\bmilli|\bms\b|(?<!\d)\d{13}(?!\d)", text, re.IGNORECASE)
    if milli and re.search(r"(?<!milli)\bseconds\b", text):
        return None
    if milli:
        return Form("Unix milliseconds", r"^\d{12,14}$", wrong=("1767312000", "2026-01-02"))
    return Form("a Unix time", r"^\d{1,14}(\.\d{1,9})?$", wrong=("2026-01-02", "yesterday"))


def uuid(match: re.Match[str], text: str) -> Form | None:
    # Where the text says that a name is refused, authors have seen calls with names.
    if match[0].lower().startswith("uuid") and match.start() > _LEAD:
        return None  # Advice on how to make one up.
    named = _NAME_REFUSED.search(text)
    demanded = match[0].lower().startswith("must")
    return Form("a UUID" if not named else "a UUID, and no name", UUID, not (named or demanded), ("my-project",))


_LEAD = 80
"""Characters in which a description says what the thing is."""
_NAME_REFUSED = lazy_pattern(
    r"\b(?:not|never|no)\s(?:the\s|a\s|an\s|its\s|their\s|your\s)?(?:[a-z]{1,16}\s){0,2}(?:names?|slugs?|keys?"
    r"|titles?|numbers?)\b"
    r"|\b(?:names?|slugs?|keys?|titles?)\s(?:is|are|will|do|does|can)\s?(?:not|n't)",
    re.IGNORECASE,
)


def schemes(match: re.Match[str], _text: str) -> Form | None:
    found = re.findall(r"([a-z][a-z0-9+]{1,15})://", match[0])
    escaped = "|".join(scheme.replace("+", r"\+") for scheme in dict.fromkeys(found))
    said = " or ".join(f"{scheme}://" for scheme in dict.fromkeys(found))
    return Form(f"{said} and an address", f"^({escaped})://", wrong=("localhost",))


def always(
    said: str, pattern: str, *wrong: str, widespread: bool = False
) -> Callable[[re.Match[str], str], Form | None]:
    return lambda _match, _text: Form(said, pattern, widespread, wrong)


def digits(match: re.Match[str], text: str) -> Form | None:
    count = _count(match["n"])
    shape = "[0-9a-fA-F]" if match["hex"] else r"\d"
    said = f"{count} {'hexadecimal digits' if match['hex'] else 'digits'}"
    if not 1 < count < 65:
        return None
    if (grouped := _GROUPS.search(text)) is not None:
        sizes = [int(size) for size in grouped[0].split("-")]
        pattern = f"^{'-'.join(f'{shape}{{{size}}}' for size in sizes)}$"
        return Form(f"{said} in groups of {grouped[0]}", pattern, wrong=("main",)) if sum(sizes) == count else None
    return None if _SEPARATED.search(text) else Form(said, f"^{shape}{{{count}}}$", wrong=("12345", "main"))


_GROUPS = lazy_pattern(r"(?<![\w\-])\d{1,2}(?:-\d{1,2}){1,7}(?![\w\-])")
"""The sizes of groups of digits, with hyphens between them: "formatted as 8-4-4-4-12"."""
_SEPARATED = lazy_pattern(
    r"\b(?:at most|dash(?:es)?|grouped|hyphen(?:s|ated)?|leading zeros?|padded|separat\w{1,4}|shorter|spaces|up to)\b",
    re.IGNORECASE,
)


def parts(match: re.Match[str], _text: str) -> Form | None:
    count = {"two": 2, "2": 2, "three": 3, "3": 3, "four": 4, "4": 4}[match["n"].lower()]
    return Form(f"{count} parts separated by dots", "^" + r"\.".join([r"[^.]+"] * count) + "$", wrong=("orders", "a.b"))


SIGNS = r"(?:letters|numbers|digits|hyphens|dashes|underscores|periods|dots)"


def alphabet(match: re.Match[str], text: str) -> Form | None:
    said = match[0].lower()
    if _MORE_SIGNS.match(text, match.end()):
        return None  # More signs, which are not read.
    letters = "a-z" if re.search(r"lower-?case", said) else "A-Z" if re.search(r"upper-?case", said) else "a-zA-Z"
    if not re.search(r"letter|alphanumeric", said):
        letters = ""
    marks = ("_" if "underscore" in said else "") + ("." if "period" in said or "dots" in said else "")
    hyphen = "-" if "hyphen" in said or "dash" in said else ""
    digits = "0-9" if re.search(r"numer|number|digit", said) else ""
    if not (letters or (digits and (marks or hyphen))):
        return None
    signs = ", ".join(
        word
        for word, there in (
            (f"{'lower-case ' if letters == 'a-z' else 'upper-case ' if letters == 'A-Z' else ''}letters", letters),
            ("digits", digits),
            ("underscores", "_" in marks),
            ("dots", "." in marks),
            ("hyphens", hyphen),
        )
        if there
    )
    return Form(f"{signs} only", f"^[{letters}{digits}{marks}{hyphen}]+$", wrong=("My Name", "My_Name.1"))


_MORE_SIGNS = lazy_pattern(
    r"[^.\n]{0,30}\b(?:(?:or|and)\b(?!\s(?:be|begin|end|has|have|is|must|start)s?\b)|spaces?|slash|colon|comma)",
    re.IGNORECASE,
)
ISSUE = r"^[A-Z][A-Z0-9_]+-\d+$"
ISSUE_SAMPLE = lazy_pattern(
    r"(?:[`'\"(]|\b(?:e\.g\.,?|like|as|format|,)\s|[A-Z]-\d{1,6},\s)[A-Z][A-Z0-9_]{1,12}-\d{1,9}\b"
)
DURATION_SAMPLE = lazy_pattern(r"\b\d{1,3}(?:ns|us|ms|s|m|h)\d{0,2}")
PHONE = lazy_pattern(r"\bphone|mobile|cell|number|whatsapp|sms\b", re.IGNORECASE)
COLOUR = lazy_pattern(r"\bcolou?r", re.IGNORECASE)


def styled(style: str) -> Form:
    style = style.lower().replace("_", "-").replace(" ", "-")
    if style.startswith("kebab"):
        return Form("a name in kebab-case", "^[a-z0-9]+(-[a-z0-9]+)*$", wrong=("My Name", "my_name"))
    if style.startswith("snake"):
        return Form("a name in snake_case", "^[a-z0-9]+(_[a-z0-9]+)*$", wrong=("My Name", "my-name"))
    return Form("a name in UPPER_SNAKE_CASE", "^[A-Z0-9]+(_[A-Z0-9]+)*$", wrong=("my_name", "My Name"))


def literal(source: str) -> Form | None:
    """A pattern that the description spells out, if both dialects can read it and it takes no time to match."""
    if not source.startswith("^") or _COSTLY.search(source):
        return None
    try:
        re.compile(source)
    except re.error:
        return None
    return Form(f"what matches {source}", source, wrong=("my-project", "An example!", "1"))


_COSTLY = lazy_pattern(r"\(\?|[+*}]\)?[+*{]|\\[pPAZz]")


def coordinates(match: re.Match[str], text: str) -> Form | None:
    first = (match["first"] or ("lon" if match["cn"].startswith("经") else "lat")).lower()
    if match["first"] and first[:2] == match["second"].lower()[:2]:
        return None
    if _PLACES.search(text) or _MANY.search(text):
        return None
    couple = "latitude,longitude" if first.startswith("lat") else "longitude,latitude"
    return Form(couple, _COUPLE, wrong=("Berlin",))


_PLACES = lazy_pattern(r"\b(?:address(?:es)?|place(?:\sname|s)?|city|zip|name|object|array|json)\b", re.IGNORECASE)
_MANY = lazy_pattern(
    r";|\||,\s?(?:radius|zoom|alt|rad)|\b(?:multiple|several|separated|lists?\sof)\b|多个|分隔|隔离", re.IGNORECASE
)
REVISIONS = lazy_pattern(r"\b(?:branch|tag|ref|HEAD|revision)\b", re.IGNORECASE)
STORED = lazy_pattern(r"\b(?:s3|gcs|gs|vstfs|ipfs)\b|://", re.IGNORECASE)
SCHEMES = lazy_pattern(
    r"\b(?:ssh|git|file|ftp|s3|gs|data|ws|wss|chrome|about|jdbc|redis|postgres\w*):|(?:\b(?:or|and)\s|/)(?:ssh|s?ftp)\b",
    re.IGNORECASE,
)
