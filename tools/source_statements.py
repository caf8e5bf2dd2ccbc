"""The statements of the source documents as data: ``fixtures/sources/DOCUMENT.toml``, read strictly.

``docs/project/coverage.md`` shows them and ``tests/sources`` runs their cases. Each mistake in a file is one error that
names the file and the statement; ``fixtures/sources/README.md`` explains the format.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec
import tomli
from msgspec import Struct

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "fixtures" / "sources"

DOCUMENTS = ("charter", "recovery", "schema-md", "surface", "schema-guide", "card")
"""In the order of the page; each one has a file."""

REASONS = ("beyond", "partly", "declined", "planned")
"""Why a statement is not simply enforced; a statement has at most one reason."""

STATES = ("enforced", "partly", "declined", "beyond a tool", "planned", "open")

KINDS = ("server", "new", "raw", "result", "surface", "tool")
"""Kinds of cases: the first key that a case has determines its kind."""

_JSON_KEYS = ("server", "new", "old", "raw", "result", "surface", "tools", "arguments")


class StatementError(ValueError):
    """A mistake in a file of statements; the message names the file and the place, and says what to write."""


class _CaseTable(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """A case as it is written; JSON is in strings."""

    server: str = ""
    new: str = ""
    old: str = ""
    raw: str = ""
    result: str = ""
    surface: str = ""
    tool: str = ""
    tools: str = ""
    arguments: str = ""
    text: str = ""
    changelog: str = ""
    config: str = ""
    run: str = ""
    files: dict[str, str] = {}
    note: str = ""
    profile: str | list[str] = []
    rules: str | list[str] = []
    also: str | list[str] = []
    kinds: str | list[str] | None = None
    severity: Literal["error", "warning", "info", ""] = ""


class _StatementTable(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    number: int | str
    section: str
    says: str
    rules: str | list[str] = []
    command: str = ""
    tests: str | list[str] = []
    bad: list[_CaseTable] = []
    good: list[_CaseTable] = []
    beyond: str = ""
    partly: str = ""
    declined: str = ""
    planned: str = ""


class _DocumentTable(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    title: str
    profile: str | list[str]
    sections: list[str]
    pieces: dict[str, str] = {}
    statement: list[dict[str, Any]]


class Case(Struct, frozen=True):
    """An example that violates a statement, or satisfies it.

    Attributes:
        id: of the test, ``charter-006-bad-1``.
        kind: one of ``KINDS``.
        bad: it violates the statement.
        profile: profiles with which it is checked.
        rules: ids of the rules that detect a bad case, no more and no fewer, and kinds of its changes, including all
            that break.
        kinds: kinds of all its changes, breaking or not; ``None`` if they are not checked.
        severity: of all findings of a bad case; empty if it is not checked.
        content: its data, with JSON parsed and pieces inserted.
    """

    id: str
    kind: str
    bad: bool
    profile: tuple[str, ...]
    rules: frozenset[str]
    kinds: frozenset[str] | None
    severity: str
    content: dict[str, Any]


class Statement(Struct, frozen=True):
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


class Document(Struct, frozen=True):
    """One source: the name of its file, its title, the profile of its cases unless they name others, its headings with
    statements, and these in the order of the headings, then of their numbers."""

    name: str
    title: str
    profile: tuple[str, ...]
    sections: tuple[str, ...]
    statements: tuple[Statement, ...]


@cache
def documents() -> tuple[Document, ...]:
    """Every document.

    Raises:
        StatementError: a file is missing or invalid.
    """
    from mcp_governor.change import catalogue
    from mcp_governor.rules import load_catalogue

    known = frozenset({*(rule.id for rule in load_catalogue(entry_points=False)), *catalogue()})
    return tuple(read_document((SOURCES / f"{name}.toml").read_text("utf-8"), name, known) for name in DOCUMENTS)


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
        data = msgspec.convert(tomli.loads(text), _DocumentTable)
    except (tomli.TOMLDecodeError, msgspec.ValidationError) as error:
        raise StatementError(f"{place}: {error}.") from None
    reader = _Reader(name, place, _names(data.profile), known, data.pieces)
    lines = [number for number, line in enumerate(text.splitlines(), 1) if line.strip() == "[[statement]]"]
    statements = [reader.statement(table, line) for table, line in zip(data.statement, lines, strict=True)]
    for number, count in Counter(one.number for one in statements).items():
        if count > 1:
            raise StatementError(f"{place}: number {number} is there twice.")
    used = {one.section for one in statements}
    if used != set(data.sections):
        one = min(used ^ set(data.sections))
        what = "is not in `sections`" if one in used else "has no statement; take it out of `sections`"
        raise StatementError(f"{place}: section {one!r} {what}.")
    statements.sort(key=lambda one: (data.sections.index(one.section), _padded(one.number)))
    return Document(name, data.title, reader.profile, tuple(data.sections), tuple(statements))


class _Reader:
    """Reads the statements of one file."""

    def __init__(
        self, document: str, place: str, profile: tuple[str, ...], known: frozenset[str], pieces: dict[str, str]
    ) -> None:
        self.document, self.place, self.profile, self.known = document, place, profile, known
        self.pieces: dict[str, Any] = {}
        for name, value in pieces.items():
            # A piece may use those before it.
            self.pieces[name] = self.value(value, f"{place}, pieces.{name}")

    def statement(self, written: dict[str, Any], line: int) -> Statement:
        number = str(written.get("number", ""))
        place = f"{self.place}, statement {number or f'at line {line}'}"
        try:
            table = msgspec.convert(written, _StatementTable)
        except msgspec.ValidationError as error:
            raise StatementError(f"{place}: {error}.") from None
        if not re.fullmatch(r"P?[1-9]\d*", number):
            raise StatementError(f"{place}: number is {number!r}; write one of the audit, or P and one of the plan.")
        reasons = [(name, why) for name in REASONS if (why := getattr(table, name))]
        if len(reasons) > 1:
            raise StatementError(f"{place}: it gives {' and '.join(name for name, _ in reasons)}; give one of them.")
        rules, tests = self.rules(table.rules, place), _names(table.tests)
        for test in tests:
            _see_test(test, place)
        bad, good = (
            tuple(
                self.case(case, f"{self.document}-{_padded(number)}-{side}-{index}", rules, f"{place}, {side} {index}")
                for index, case in enumerate(cases, 1)
            )
            for side, cases in (("bad", table.bad), ("good", table.good))
        )
        if (bad or good or tests) and not (rules or table.command):
            raise StatementError(f"{place}: it has cases or tests, and neither rules nor a command that enforces it.")
        reason = reasons[0] if reasons else None
        named = (table.section, table.says, rules, table.command, tests)
        return Statement(self.document, number, *named, reason, bad, good, line)

    def rules(self, written: str | list[str], place: str) -> tuple[str, ...]:
        for name in _names(written):
            if name not in self.known:
                from mcp_governor.text import did_you_mean

                near = did_you_mean(name, self.known)
                raise StatementError(f"{place}: there is no rule or kind of change {name}.{near}")
        return _names(written)

    def case(self, table: _CaseTable, name: str, rules: tuple[str, ...], place: str) -> Case:
        kind = next((key for key in KINDS if getattr(table, key)), None)
        if kind is None:
            raise StatementError(f"{place}: it holds nothing; give it one of {', '.join(KINDS)}.")
        bad = "-bad-" in name
        if not bad and (table.rules or table.also or table.severity):
            raise StatementError(f"{place}: a good case has no findings, so it names no rules and no severity.")
        expected = (*(self.rules(table.rules, place) or rules), *self.rules(table.also, place))
        if bad and not expected:
            raise StatementError(f"{place}: neither it nor its statement names the rule that catches it.")
        content = {key: value for key in (*_JSON_KEYS, "tool") if (value := getattr(table, key))}
        # The tool of a response is a name in `tools`, or an object.
        named = kind in ("raw", "result") and not table.tool.lstrip().startswith(("{", "$piece:"))
        for key in content.keys() - ({"tool"} if named else set()):
            content[key] = self.value(content[key], f"{place}, {key}")
        for key in ("text", "changelog", "config", "run", "files"):
            if value := getattr(table, key):
                content[key] = value
        return Case(
            name,
            kind,
            bad,
            _names(table.profile) or self.profile,
            frozenset(expected) if bad else frozenset(),
            None if table.kinds is None else frozenset(self.rules(table.kinds, place)),
            table.severity,
            content,
        )

    def value(self, text: str, place: str) -> Any:
        """JSON in a TOML string, with its pieces."""
        try:
            return self.with_pieces(text if text.startswith("$piece:") else json.loads(text))
        except KeyError as error:
            raise StatementError(f"{place}: there is no piece or member {error}.") from None
        except ValueError as error:
            raise StatementError(f"{place}: not JSON in a TOML string: {error}.") from None

    def with_pieces(self, value: Any) -> Any:
        """A value with ``"$piece:NAME"`` replaced by the piece, ``{"$piece": "NAME", …}`` by the piece with other
        members, and ``{"$times": [N, VALUE]}`` by a string N times over, or a list of N equal values."""
        if isinstance(value, str) and value.startswith("$piece:"):
            return self.pieces[value.removeprefix("$piece:")]
        if isinstance(value, list):
            return [self.with_pieces(item) for item in value]
        if not isinstance(value, dict):
            return value
        members = {key: self.with_pieces(item) for key, item in value.items() if key != "$piece"}
        if "$times" in members:
            count, item = members["$times"]
            return item * count if isinstance(item, str) else [item] * count
        return merged(self.pieces[value["$piece"]], members) if "$piece" in value else members


def _padded(number: str) -> str:
    """A form in which numbers sort in numeric order: ``006``, ``P02``."""
    return f"P{number[1:]:>02}" if number.startswith("P") else f"{number:>03}"


def _names(value: str | list[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


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
