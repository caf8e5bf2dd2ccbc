"""A rule as data: the typed content of a rule file."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from mcp_governor.findings import Severity  # noqa: TC001  (msgspec reads the annotations)
from mcp_governor.text import visible

SCOPES = ("tool", "schema", "input", "output", "surface", "prompt", "resource", "template", "prose", "text")
"""The kinds of subject of a rule: the key ``on`` of a rule file.

``schema`` is every schema within a tool's inputSchema and outputSchema (keyword-aware, so a property named ``items`` is
not a keyword); ``input`` and ``output`` are those of one side. ``text`` is every string of the surface, and ``prose``
every string written for a reader: titles, descriptions, instructions.
"""

ENGINE_CHECK = "engine.suppressions"
"""The check of the rule about suppressions: the engine itself runs it, after all others."""

STATIONS = ("lint", "change", "policy", "changelog", "call", "load", "schemas", "fleet")
"""The stations that emit findings. The linter runs its own rules; the others are in the catalogue for documentation."""


ALWAYS_RUN = ("policy", "changelog", "schemas", "fleet")
"""Stations whose rules always run with the station; profiles select among the rules of the others."""


class Option(Struct, frozen=True):
    """One setting of a rule: its default, its JSON Schema, and its meaning."""

    default: Any
    schema: Mapping[str, Any]
    summary: str


class Stance(Struct, frozen=True):
    """The position of a rule on a question where the sources disagree (docs/rules/README.md)."""

    topic: str
    choice: str


class Limit(Struct, frozen=True):
    """A dated limit of a client or a provider.

    Attributes:
        target: the client's name in the setting ``clients``.
        limit: what it accepts.
        effect: what happens above it.
        seen: month in which it was last confirmed, ``YYYY-MM``; limits change.
        fatal: the client rejects the tool or the whole request instead of cutting or rewriting it. An error for users
            who name the client in ``clients``: they promise to work there.
    """

    target: str
    limit: str
    effect: str
    seen: str
    fatal: bool = False


class Verified(Struct, frozen=True):
    """The place where we have read what a rule says about a client, a provider or a store.

    A primary source: the code or the document of the party that rejects, cuts or drops it, or a statement of theirs.

    Attributes:
        where: repository and file, or the address of the page.
        version: commit, release or state of the page at that time.
        date: day of the reading, ``YYYY-MM-DD``, because requirements change.
    """

    where: str
    version: str
    date: str


class Case(Struct, frozen=True):
    """A check of a rule without Python code: the values to look at, under which condition, and the test for them.

    Attributes:
        given: JSONPath (RFC 9535) relative to the subject; ``$`` is the subject itself.
        when: JSON Schema for the subject; if the subject does not satisfy it, nothing is checked. ``None``: no
            condition.
        argument: regular expression for the name of the parameter with this schema; ``None``: any schema.
        judge: ``value``, or ``name`` to check the names of the selected members.
        resolve: check a schema with local references resolved, and with a union with null replaced by its other branch.
        then: JSON Schema that the value must satisfy, or ``None``.
        pattern: regular expression that a string must match somewhere, or ``None``.
        forbid: regular expression that a string must not match anywhere, or ``None``.
        cues: words in small letters, one of which every string has that ``forbid`` matches; none: any string.
        value: the value in question if it is not the checked one: a JSONPath from there, or ``name``. All problems
            there become one finding.
        says: key of the message in the rule's ``messages``, if it has several.
        correction: ``set`` (members of the selected object), ``remove`` (names of members, or ``true`` for the selected
            value itself) and ``effect`` (a :class:`~mcp_governor.findings.Effect`); ``None``: a person decides.
    """

    given: str = "$"
    when: Mapping[str, Any] | None = None
    argument: str | None = None
    judge: str = "value"
    resolve: bool = False
    then: Mapping[str, Any] | bool | None = None
    pattern: str | None = None
    forbid: str | None = None
    cues: tuple[str, ...] = ()
    value: str = ""
    says: str = ""
    correction: Mapping[str, Any] | None = None


class Example(Struct, frozen=True):
    """A surface that passes or fails a rule.

    Attributes:
        tools, surface: the example as written, a value or JSON text; exactly one of them is set.
        options: options of the rule for the example.
        at: JSON pointers of the expected findings, ``TOOL#POINTER`` if not in the first tool; empty: anywhere.
        note: what the example shows.
    """

    tools: Any = None
    surface: Any = None
    options: Mapping[str, Any] = msgspec.field(default_factory=dict)
    at: tuple[str, ...] = ()
    note: str = ""

    def recording(self) -> Mapping[str, Any]:
        """The example in the form that :func:`mcp_governor.surface.build_surface` takes.

        Raises:
            ValueError: the text is not JSON.
        """
        if self.surface is not None:
            value = _json(self.surface)
            return value if isinstance(value, Mapping) else {}
        tools = _json(self.tools)
        return {"tools": tools if isinstance(tools, list) else [tools]}


def _json(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else value


def _examples_in(file: str, kind: str) -> tuple[Example, ...]:
    with open(file, encoding="utf-8") as opened:  # noqa: PTH123 - rules keep the name of their file as text
        return _examples(opened.read(), kind)


# The tests of the rules read each file many times.
@functools.lru_cache(maxsize=1024)
def _examples(text: str, kind: str) -> tuple[Example, ...]:
    import tomli

    listed = tomli.loads(text).get(kind, ())
    return tuple(msgspec.convert({"tools": one.get("tool"), **one}, Example) for one in listed)


def cases_of(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The cases of a rule file: the listed ones, or the file itself as one; none if it names a check."""
    if "cases" in data:
        listed: list[dict[str, Any]] = data["cases"]
        return listed
    if {"then", "pattern", "forbid"}.isdisjoint(data):
        return []
    return [{key: data[key] for key in Case.__struct_fields__ if key in data}]


class Rule(Struct, frozen=True):
    """One rule of the catalogue; the attributes are the keys of its file.

    Attributes:
        id: ``pack/kebab-name``.
        summary: what holds, in one line.
        why: why it matters to a model or a client.
        source: the clause or measurement behind it, with the figure if there is one.
        severity: default severity.
        persona: ``regular`` or ``pedantic``.
        since: version of mcp-governor that added it.
        station: the station that emits it, one of :data:`STATIONS`.
        on: its subject, one of :data:`SCOPES`.
        enabled: ``False`` for a rule that runs only if it is named (by id, or its client by name).
        cases: its checks, if it needs no Python code.
        check: ``pack.module.function`` under ``mcp_governor.packs``, or ``package.module:function``.
        message: message of a finding, with facts in braces (:func:`mcp_governor.rules.finding.fill`).
        messages: by key, if a rule needs several; then ``message`` is empty, or the most common one.
        grouped: one message for findings about several tools, with the facts that they share, and with ``{tools}`` for
            their number and names, ``{places}`` for parameters and tools, or ``{gists}`` for what the check says of the
            first ones (``gist``) and the names of the others; empty: the message of the first finding stands for all.
            Rules with the same sentence about gists share one line of a report.
        gist: what a finding adds to that sentence, with the same facts, if the check does not say it.
        order: ``first`` or ``last`` among findings of equal severity, for reports with few lines: what makes calls fail
            comes first, polish last; empty: between them.
        fix: what to do instead, with the same facts.
        options: by name.
        stance: its position, if the sources disagree.
        limit: the client limit that it checks.
        verified: the primary source in which its claim about others was read; ``None`` if it was not.
        twin: the rule of another station that reports the same if ``check`` runs that station as well; only the linter
            alone reports this one.
        unseen: why no server in the corpus violates it, if none does.
        file: the file that it comes from; its examples, most of its text, are read from there when somebody asks.
        folder: the user's folder of rules that contains it, if any; its check may be there.
    """

    id: str
    summary: str
    why: str
    source: str
    severity: Severity
    fix: str
    since: str
    message: str = ""
    messages: Mapping[str, str] = msgspec.field(default_factory=dict)
    grouped: str = ""
    gist: str = ""
    order: str = ""
    persona: str = "regular"
    station: str = "lint"
    on: str = "tool"
    enabled: bool = True
    cases: tuple[Case, ...] = ()
    check: str | None = None
    options: Mapping[str, Option] = msgspec.field(default_factory=dict)
    stance: Stance | None = None
    limit: Limit | None = None
    verified: Verified | None = None
    twin: str = ""
    unseen: str = ""
    file: str = ""
    folder: str = ""

    @property
    def passes(self) -> tuple[Example, ...]:
        """Examples that the rule passes."""
        return _examples_in(self.file, "pass")

    @property
    def fails(self) -> tuple[Example, ...]:
        """Examples that the rule fails."""
        return _examples_in(self.file, "fail")

    @property
    def origin(self) -> str:
        """Its file, for messages."""
        return visible(self.file)

    @property
    def pack(self) -> str:
        """The part of the id before the slash."""
        return self.id.partition("/")[0]

    @property
    def name(self) -> str:
        """The part of the id after the slash."""
        return self.id.partition("/")[2]

    @property
    def is_foreign(self) -> bool:
        """True if its check is a function outside this package, so that running it imports foreign code."""
        return self.check is not None and ":" in self.check

    @property
    def defaults(self) -> dict[str, Any]:
        """Default values of the options."""
        return {name: option.default for name, option in self.options.items()}
