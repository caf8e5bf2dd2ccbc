"""The statements of the source documents as data: ``fixtures/sources/DOCUMENT.toml``, read strictly.

``docs/project/coverage.md`` shows them and ``tests/sources`` runs their cases. Each mistake in a file is one error that
names the file and the statement; ``fixtures/sources/README.md`` explains the format.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomli

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "fixtures" / "sources"

DOCUMENTS = ("charter", "recovery", "schema-md", "surface", "schema-guide", "card")
"""In the order of the page; each one has a file."""

REASONS = ("beyond", "partly", "declined", "planned")
"""Why a statement is not simply enforced; a statement has at most one reason."""

STATES = ("enforced", "partly", "declined", "beyond a tool", "planned", "open")

BEFORE = ("yes", "partly", "no", "beyond")
"""Verdicts of the audit of 22 November 2026 at commit 0f4fdec."""

_DOCUMENT_KEYS = {"title", "profile", "sections", "before", "pieces", "statement"}
_STATEMENT_KEYS = {"number", "section", "says", "rules", "command", "tests", "bad", "good", *REASONS}

# kind of case → its keys; the first one that a case has determines its kind
KINDS: Mapping[str, frozenset[str]] = {
    "server": frozenset({"old", "changelog", "config", "files", "run"}),
    "new": frozenset({"old", "changelog", "config", "files", "run"}),
    "raw": frozenset({"tool", "tools", "surface", "arguments"}),
    "result": frozenset({"tool", "tools", "surface", "arguments", "text"}),
    "surface": frozenset({"config"}),
    "tool": frozenset({"config"}),
}
_CASE_KEYS = frozenset({"note", "profile", "rules", "also", "kinds", "severity"})
_JSON_KEYS = frozenset({"server", "new", "old", "raw", "result", "surface", "tools", "arguments"})
_WITH_CHANGES = ("server", "new")


class StatementError(ValueError):
    """A mistake in a file of statements; the message names the file and the place, and says what to write."""


@dataclass(frozen=True)
class Case:
    """An example that violates a statement, or satisfies it.

    Attributes:
        id: of the test, ``charter-006-bad-1``.
        kind: a key of ``KINDS``.
        bad: it violates the statement.
        profile: profiles with which it is checked.
        rules: ids of the rules that detect a bad case, no more and no fewer, and kinds of its changes, including all
            that break.
        kinds: kinds of all its changes, breaking or not; ``None`` if they are not checked.
        severity: of all findings of a bad case; empty if it is not checked.
        content: its data, with JSON parsed and pieces inserted.
        note: what it shows.
    """

    id: str
    kind: str
    bad: bool
    profile: tuple[str, ...]
    rules: frozenset[str]
    kinds: frozenset[str] | None
    content: Mapping[str, Any]
    note: str = ""
    severity: str = ""


@dataclass(frozen=True)
class Statement:
    """One normative sentence of a source, in our words.

    Attributes:
        document: its document.
        number: as in the audit; ``P1`` and higher are planned requirements.
        section: its heading in the source.
        says: the requirement.
        rules: ids of rules, and kinds of changes, that enforce it.
        command: what enforces it, if that is not a rule.
        tests: ``FILE::FUNCTION`` of tests that check it, if a case cannot.
        reason: why it is not simply enforced (a name in ``REASONS``).
        bad, good: its cases.
        line: of the file, from 1.
    """

    document: str
    number: str
    section: str
    says: str
    rules: tuple[str, ...]
    command: str
    tests: tuple[str, ...]
    reason: tuple[str, str] | None
    bad: tuple[Case, ...]
    good: tuple[Case, ...]
    line: int

    @property
    def id(self) -> str:
        """``charter-006``, its name in tests and links."""
        return f"{self.document}-{_padded(self.number)}"

    @property
    def state(self) -> str:
        """One of ``STATES``. A failing case fails the tests, so that existing ones are satisfied."""
        if self.reason is not None:
            name = self.reason[0]
            return "beyond a tool" if name == "beyond" else name
        return "enforced" if (self.bad and self.good) or self.tests else "open"

    @property
    def cases(self) -> tuple[Case, ...]:
        """Bad ones first."""
        return (*self.bad, *self.good)


@dataclass(frozen=True)
class Document:
    """One source.

    Attributes:
        name: of its file.
        title: of the source.
        profile: the profile for its cases, unless they name others.
        sections: its headings with statements, in order.
        before: number of its statements that the audit found at each of ``BEFORE``.
        statements: in the order of the sections, then of their numbers.
    """

    name: str
    title: str
    profile: tuple[str, ...]
    sections: tuple[str, ...]
    before: Mapping[str, int]
    statements: tuple[Statement, ...] = field(repr=False)


@cache
def documents() -> tuple[Document, ...]:
    """Every document.

    Raises:
        StatementError: a file is missing or invalid.
    """
    known = known_rules()
    found = sorted(path.stem for path in SOURCES.glob("*.toml"))
    if found != sorted(DOCUMENTS):
        raise StatementError(f"fixtures/sources has {', '.join(found)}; the documents are {', '.join(DOCUMENTS)}.")
    read = tuple(read_document((SOURCES / f"{name}.toml").read_text("utf-8"), name, known) for name in DOCUMENTS)
    twice = _repeated(one.number for document in read for one in document.statements)
    if twice:
        raise StatementError(f"Two documents use the same number: {', '.join(twice)}.")
    return read


@cache
def known_rules() -> frozenset[str]:
    """Ids of all rules, and names of all kinds of changes."""
    from mcp_governor.change import catalogue
    from mcp_governor.rules import load_catalogue

    return frozenset({*(rule.id for rule in load_catalogue(entry_points=False)), *catalogue()})


def read_document(text: str, name: str, known: frozenset[str]) -> Document:
    """Parse a document.

    Args:
        text: TOML.
        name: of the file, without its ending.
        known: ids of rules and kinds of changes that are allowed.

    Raises:
        StatementError: the first mistake.
    """
    place = f"fixtures/sources/{name}.toml"
    try:
        data = tomli.loads(text)
    except tomli.TOMLDecodeError as error:
        raise StatementError(f"{place}: {error}.") from None
    _keys(data, _DOCUMENT_KEYS, {"title", "profile", "sections", "before", "statement"}, place)
    sections = tuple(data["sections"])
    _keys(data["before"], set(BEFORE), set(BEFORE), f"{place}, before")
    reader = _Reader(name, place, _names(data["profile"], place), _pieces(data.get("pieces", {}), place), known)
    lines = [number for number, line in enumerate(text.splitlines(), 1) if line.strip() == "[[statement]]"]
    statements = [reader.statement(table, line) for table, line in zip(data["statement"], lines, strict=True)]
    twice = _repeated(one.number for one in statements)
    if twice:
        raise StatementError(f"{place}: number {twice[0]} is there twice.")
    for one in statements:
        if one.section not in sections:
            raise StatementError(f"{place}, statement {one.number}: section {one.section!r} is not in `sections`.")
    idle = [section for section in sections if section not in {one.section for one in statements}]
    if idle:
        raise StatementError(f"{place}: section {idle[0]!r} has no statement; take it out of `sections`.")
    statements.sort(key=lambda one: (sections.index(one.section), _padded(one.number)))
    return Document(name, data["title"], reader.profile, sections, data["before"], tuple(statements))


@dataclass(frozen=True)
class _Reader:
    """Reads the statements of one file."""

    document: str
    place: str
    profile: tuple[str, ...]
    pieces: Mapping[str, Any]
    known: frozenset[str]

    def statement(self, table: dict[str, Any], line: int) -> Statement:
        number = str(table.get("number", ""))
        place = f"{self.place}, statement {number or f'at line {line}'}"
        _keys(table, _STATEMENT_KEYS, {"number", "section", "says"}, place)
        if not re.fullmatch(r"P?[1-9]\d*", number):
            raise StatementError(f"{place}: number is {number!r}; write one of the audit, or P and one of the plan.")
        reasons = [(name, table[name]) for name in REASONS if name in table]
        if len(reasons) > 1:
            raise StatementError(f"{place}: it gives {' and '.join(name for name, _ in reasons)}; give one of them.")
        rules = self.rules(table, place)
        tests = _names(table.get("tests", []), place)
        for test in tests:
            _see_test(test, place)
        cases = {
            side: tuple(
                self.case(case, f"{self.document}-{_padded(number)}-{side}-{index}", rules, f"{place}, {side} {index}")
                for index, case in enumerate(table.get(side, []), 1)
            )
            for side in ("bad", "good")
        }
        command = table.get("command", "")
        if (cases["bad"] or cases["good"] or tests) and not rules and not command:
            raise StatementError(f"{place}: it has cases or tests, and neither rules nor a command that enforces it.")
        reason = reasons[0] if reasons else None
        return Statement(
            self.document,
            number,
            table["section"],
            table["says"],
            rules,
            command,
            tests,
            reason,
            cases["bad"],
            cases["good"],
            line,
        )

    def rules(self, table: dict[str, Any], place: str, key: str = "rules") -> tuple[str, ...]:
        named = _names(table.get(key, []), place)
        for name in named:
            if name not in self.known:
                from mcp_governor.text import did_you_mean

                raise StatementError(
                    f"{place}: there is no rule or kind of change {name}.{did_you_mean(name, self.known)}"
                )
        return named

    def case(self, table: dict[str, Any], name: str, rules: tuple[str, ...], place: str) -> Case:
        kind = next((key for key in KINDS if key in table), None)
        if kind is None:
            raise StatementError(f"{place}: it holds nothing; give it one of {', '.join(KINDS)}.")
        _keys(table, {kind, *KINDS[kind], *_CASE_KEYS}, {kind}, place)
        bad = "-bad-" in name
        if not bad and table.keys() & {"rules", "also", "severity"}:
            raise StatementError(f"{place}: a good case has no findings, so it names no rules and no severity.")
        if table.get("severity", "info") not in ("error", "warning", "info"):
            raise StatementError(f"{place}: severity is {table['severity']!r}; write error, warning or info.")
        if "kinds" in table and kind not in _WITH_CHANGES:
            raise StatementError(f"{place}: kinds are those of changes, and a {kind} has none.")
        expected = self.rules(table, place) or rules
        expected = (*expected, *self.rules(table, place, "also"))
        if bad and not expected:
            raise StatementError(f"{place}: neither it nor its statement names the rule that catches it.")
        return Case(
            name,
            kind,
            bad,
            _names(table["profile"], place) if "profile" in table else self.profile,
            frozenset(expected) if bad else frozenset(),
            frozenset(self.rules(table, place, "kinds")) if "kinds" in table else None,
            {key: self.value(kind, key, table[key], place) for key in (kind, *KINDS[kind]) if key in table},
            table.get("note", ""),
            table.get("severity", ""),
        )

    def value(self, kind: str, key: str, value: Any, place: str) -> Any:
        # The tool of a response is a name in `tools`, or an object.
        a_name = key == "tool" and kind in ("raw", "result") and not str(value).lstrip().startswith(("{", "$piece:"))
        if key not in _JSON_KEYS and (key != "tool" or a_name):
            return value
        return _with_pieces(_json(value, f"{place}, {key}"), self.pieces, f"{place}, {key}")


def _padded(number: str) -> str:
    """A form in which numbers sort in numeric order: ``006``, ``P02``."""
    return f"P{number[1:]:>02}" if number.startswith("P") else f"{number:>03}"


def _keys(table: Any, known: set[str] | frozenset[str], wanted: set[str], place: str) -> None:
    if not isinstance(table, dict):
        raise StatementError(f"{place}: this is not a table.")
    for key in table:
        if key not in known:
            from mcp_governor.text import did_you_mean

            raise StatementError(f'{place}: unknown key "{key}".{did_you_mean(key, known)}')
    absent = sorted(wanted - table.keys())
    if absent:
        raise StatementError(f"{place}: {absent[0]} is missing.")


def _names(value: Any, place: str) -> tuple[str, ...]:
    names = (value,) if isinstance(value, str) else tuple(value)
    if not all(isinstance(name, str) for name in names):
        raise StatementError(f"{place}: {value!r} is not a string or a list of strings.")
    return names


def _json(value: Any, place: str) -> Any:
    if isinstance(value, str) and value.startswith("$piece:"):
        return value
    try:
        return json.loads(value)
    except (TypeError, ValueError) as error:
        raise StatementError(f"{place}: not JSON in a TOML string: {error}.") from None


def _pieces(table: Mapping[str, Any], place: str) -> Mapping[str, Any]:
    """The named pieces of a file; a piece may use those before it."""
    pieces: dict[str, Any] = {}
    for name, value in table.items():
        where = f"{place}, pieces.{name}"
        pieces[name] = _with_pieces(_json(value, where), pieces, where)
    return pieces


def _with_pieces(value: Any, pieces: Mapping[str, Any], place: str) -> Any:
    """A value with ``"$piece:NAME"`` replaced by the piece, ``{"$piece": "NAME", …}`` by the piece with other members,
    and ``{"$times": [N, VALUE]}`` by a string N times over, or a list of N equal values."""
    if isinstance(value, str) and value.startswith("$piece:"):
        return _piece(value.removeprefix("$piece:"), pieces, place)
    if isinstance(value, list):
        return [_with_pieces(item, pieces, place) for item in value]
    if not isinstance(value, dict):
        return value
    members = {key: _with_pieces(item, pieces, place) for key, item in value.items() if key != "$piece"}
    if "$times" in members:
        count, item = members["$times"]
        return item * count if isinstance(item, str) else [item] * count
    if "$piece" not in value:
        return members
    try:
        return merged(_piece(value["$piece"], pieces, place), members)
    except KeyError as error:
        raise StatementError(f"{place}: $without names {error}, which is not there.") from None


def _piece(name: str, pieces: Mapping[str, Any], place: str) -> Any:
    if name not in pieces:
        raise StatementError(f"{place}: there is no piece {name!r}; the file has {', '.join(pieces) or 'none'}.")
    return pieces[name]


def merged(base: Any, patch: Any) -> Any:
    """``base`` with the members of ``patch``: objects member by member, other values as they are.

    ``"$without"`` in an object lists members to remove; ``null`` is a value.
    """
    if not isinstance(patch, dict):
        return patch
    out = dict(base) if isinstance(base, dict) else {}
    for name in patch.get("$without", ()):
        del out[name]
    for key, value in patch.items():
        if key != "$without":
            out[key] = merged(out.get(key), value)
    return out


def _see_test(test: str, place: str) -> None:
    file, *names = test.split("::")
    path = ROOT / file
    if not path.is_file():
        raise StatementError(f"{place}: there is no file {file}.")
    for name in names:
        if not re.search(rf"^ *(?:def|class) {re.escape(name)}\b", path.read_text("utf-8"), re.MULTILINE):
            raise StatementError(f"{place}: {file} has no {name}.")


def _repeated(numbers: Iterable[str]) -> list[str]:
    counts = Counter(numbers)
    return [number for number, count in counts.items() if count > 1]
