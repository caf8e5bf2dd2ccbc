"""Typical values of parameters with a well-known name, format or unit: dates, time zones, addresses, codes.

Names and addresses are reserved ones where they exist (RFC 2606, RFC 5737), and dates are today's.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Any

from mcp_governor.call.sandbox import DAY_FORMATS
from mcp_governor.call.words import singular, words
from mcp_governor.prose.words import word_set

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import date


def _table(*rows: tuple[str, tuple[Any, ...]]) -> dict[str, tuple[Any, ...]]:
    return {name: values for names, values in rows for name in names.split(", ")}


_BY_LAST: Mapping[str, tuple[Any, ...]] = _table(
    ("timezone, tz", ("UTC", "Europe/London")),
    ("zone", ("UTC",)),
    ("url, uri, link, href, website, homepage", ("https://example.com/",)),
    ("domain, hostname, host", ("example.com",)),
    ("email, mail", ("someone@example.com",)),
    ("phone", ("+12025550123",)),
    ("ip", ("192.0.2.1",)),
    ("uuid, guid", ("123e4567-e89b-42d3-a456-426614174000",)),
    ("country", ("US", "United States")),
    ("currency", ("EUR", "USD")),
    ("language", ("en", "python", "English")),
    ("lang", ("en",)),
    ("locale", ("en-US", "en")),
    ("city, location, place", ("London",)),
    ("state", ("open", "CA")),
    ("region", ("us-east-1", "Europe")),
    ("latitude, lat", (51.5,)),
    ("longitude, lon, lng", (-0.12,)),
    ("zip", ("10001",)),
    ("color, colour", ("#336699", "blue")),
    ("ticker", ("AAPL",)),
    ("isbn", ("9780306406157",)),
    ("doi", ("10.1000/182",)),
    ("version", ("1.0.0",)),
    ("branch", ("main", "example")),
    ("revision, commit, sha", ("HEAD",)),
    ("ref", ("HEAD", "main")),
    ("sql", ("SELECT 1",)),
    ("expression, equation", ("1 + 1",)),
    ("formula", ("=1+1",)),
    ("code", ("print(1)",)),
    ("command, cmd", ("echo example",)),
    ("regex", ("example",)),
    ("glob", ("*.txt", "**/*")),
    ("cell", ("A1",)),
    ("range", ("A1:B2",)),
    ("sheet, worksheet", ("Sheet1",)),
    ("owner", ("octocat",)),
    ("mime, mimetype", ("text/plain",)),
    ("encoding", ("utf-8",)),
    ("cron", ("0 12 * * *",)),
    ("duration", ("1h", "P1D")),
    ("limit", (10,)),
    ("page, month", (1,)),
    ("offset", (0,)),
    ("year", (2026,)),
    ("day", (15,)),
    ("hour", (12,)),
    ("width", (400,)),
    ("height", (300,)),
    ("html", ("<p>example</p>",)),
    ("json", ("{}", "[]")),
    ("markdown", ("# Example",)),
    ("mermaid", ("graph TD; A-->B",)),
)
"""The last word of a name in the singular → values, best first."""

_BY_TWO: Mapping[str, tuple[Any, ...]] = _table(
    ("base 64", ("ZXhhbXBsZQ==",)),
    ("time zone", _BY_LAST["timezone"]),
    ("sheet name, worksheet name", _BY_LAST["sheet"]),
    ("start cell", ("A1",)),
    ("end cell", ("B2",)),
    ("branch name", ("example-branch",)),
    ("base branch", ("main",)),
    ("country code", ("US", "USA")),
    ("currency code", ("EUR", "USD")),
    ("language code", ("en", "en-US")),
    ("zip code, postal code", ("10001",)),
    ("mime type", ("text/plain",)),
    ("repo name", ("hello-world",)),
    ("full name", ("octocat/hello-world",)),
    ("package name", ("requests", "express")),
    ("user name", ("octocat",)),
)
"""As :data:`_BY_LAST`, for the last two words."""

_BY_FIRST: Mapping[str, tuple[Any, ...]] = {"dry": (True,), "preview": (True,)}
"""Flags that make a call harmless."""

_QUESTIONS = word_set("is has needs should include enable allow skip use force")
_BOOLEAN = re.compile(r"(?:a )?bool(?:ean)?\b|whether\b|(?:if )?true\b", 2)  # re.IGNORECASE
_DATE_WORDS = word_set("date day since until before after deadline due birthday checkin checkout")
_TIME_WORDS = word_set("timestamp datetime moment created updated")
_TIME_OF_DAY = re.compile(r"\bHH?:MM\b|24-hour|time of day", 2)  # re.IGNORECASE
_WRITTEN_DAY = re.compile(r"\bYYYY[-/.]?MM[-/.]?DD\b|\bDD[-/.]MM[-/.]YYYY\b|\bMM/DD/YYYY\b|\bYYYY-MM\b", 2)
_ISO_TIME = re.compile(r"ISO[ -]?8601|RFC[ -]?3339|YYYY-MM-DDTHH", 2)
_UNITS = (
    (re.compile(r"\bIANA\b|\btime ?zone\b", 2), _BY_LAST["timezone"]),
    (re.compile(r"\bISO[ -]?4217\b", 2), _BY_LAST["currency"]),
    (re.compile(r"\bISO[ -]?3166", 2), ("US", "USA")),
    (re.compile(r"\bISO[ -]?639", 2), ("en", "eng")),
    (re.compile(r"\bBCP[ -]?47\b", 2), ("en-US",)),
    (re.compile(r"\bowner/repo\b", 2), ("octocat/hello-world",)),
    (re.compile(r"\b(?:fully[- ]qualified |absolute |valid |full )?URL\b"), _BY_LAST["url"]),
    (re.compile(r"\be-?mail address\b", 2), _BY_LAST["email"]),
    (re.compile(r"\b(?:git )?ref\b|\brevision\b|\bcommit (?:hash|sha|id)\b", 2), ("HEAD",)),
    (re.compile(r"\bUUID\b|\bGUID\b"), _BY_LAST["uuid"]),
    (re.compile(r"\bJSON (?:string|text)\b|\bstringified JSON\b", 2), _BY_LAST["json"]),
    (re.compile(r"\bnumeric (?:ID|value|string)\b", 2), ("1",)),
)
"""Phrases for notations in descriptions, and values in these notations."""


def typical(name: str, text: str, today: date) -> Iterator[Any]:
    """Values that a parameter with this name and description usually takes, best first.

    Args:
        name: name of the parameter; for the items of a list, the name of the list.
        text: description of the parameter, cut to a few thousand characters.
        today: the day for values that are dates.
    """
    said = words(name)
    last = singular(said[-1]) if said else ""
    yield from _days(said, last, text, today)
    yield from _BY_FIRST.get(said[0] if said else "", ())
    if said and (said[0] in _QUESTIONS or _BOOLEAN.match(text)):
        # For schemas without a type; other schemas refuse booleans or offer them already.
        yield from (False, True)
    yield from _BY_TWO.get(" ".join(map(singular, said[-2:])), ())
    yield from _BY_LAST.get(last, ())
    for pattern, values in _UNITS:
        if pattern.search(text):
            yield from values


def is_day(name: str, text: str = "") -> bool:
    """True if a parameter takes a date or time. For these, today is better than an old example."""
    said = words(name)
    return bool(said) and (
        not _DATE_WORDS.isdisjoint(said) or said[-1] in _TIME_WORDS or bool(_WRITTEN_DAY.search(text))
    )


def today_like(example: str, today: date) -> str | None:
    """Today's date in the notation of an example, or ``None`` if the example is not a date in a known notation."""
    for form in (*DAY_FORMATS, "%Y.%m.%d", "%d-%m-%Y", "%B %d, %Y", "%d %B %Y"):
        try:
            datetime.strptime(example, form)
        except ValueError:
            continue
        return today.strftime(form)
    try:
        moment = datetime.fromisoformat(example)
    except ValueError:
        return None
    return moment.replace(year=today.year, month=today.month, day=today.day).isoformat() if "T" in example else None


def _days(said: tuple[str, ...], last: str, text: str, today: date) -> Iterator[Any]:
    form = _WRITTEN_DAY.search(text)
    moment = f"{today.isoformat()}T12:00:00Z"
    if form is not None and not _ISO_TIME.search(text[form.start() :][:16]):
        notation = form[0].upper().replace("YYYY", "%Y").replace("MM", "%m").replace("DD", "%d")
        yield today.strftime(notation)
    if last == "time" and (_TIME_OF_DAY.search(text) or len(said) == 1):
        yield from ("16:30", moment)
    elif _ISO_TIME.search(text) or last in _TIME_WORDS or (last == "time" and len(said) > 1):
        yield from (moment, today.isoformat())
    if not _DATE_WORDS.isdisjoint(said):
        yield today.isoformat()
        yield moment
