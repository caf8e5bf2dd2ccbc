"""A rule as data: what a rule file says, typed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp_governor.frozen import frozen

if TYPE_CHECKING:
    from mcp_governor.findings import Severity

SCOPES = ("tool", "schema", "input", "output", "surface", "prompt", "resource", "template", "prose", "text")
"""What a rule looks at, one at a time: the key ``on`` of a rule file.

``schema`` is every schema within a tool's inputSchema and outputSchema (keyword-aware, so that a property that
is called ``items`` is not a keyword), ``input`` and ``output`` those of one side. ``text`` is every string of the
surface, ``prose`` those that are written for a reader: titles, descriptions, instructions.
"""

ENGINE_CHECK = "engine.suppressions"
"""The check of the rule about suppressions: the engine itself runs it, after all others."""

STATIONS = ("lint", "change", "policy", "changelog", "call", "load", "schemas")
"""Who emits a rule's findings. The linter runs its own; the rest are in the catalogue to be explained."""


ALWAYS_RUN = ("policy", "changelog")
"""Stations whose rules run whenever the station does; profiles choose among the rules of the others."""


class Option(NamedTuple):
    """One setting of a rule: its default, its JSON Schema, and what it does."""

    default: Any
    schema: Mapping[str, Any]
    summary: str


class Stance(NamedTuple):
    """The side that a rule takes on a question where the sources disagree (docs/rules/README.md)."""

    topic: str
    choice: str


class Limit(NamedTuple):
    """A dated limit of a client or a provider.

    Attributes:
        target: the client's name in the setting ``clients``.
        limit: what it accepts.
        effect: what happens beyond it.
        seen: month in which it was last seen to hold, ``YYYY-MM``; limits move.
        fatal: the tool, or the whole request, is refused; not only cut or rewritten. An error for those who
            name the client in ``clients``: they promise to work there.
    """

    target: str
    limit: str
    effect: str
    seen: str
    fatal: bool = False


class Verified(NamedTuple):
    """Where somebody of this project read what a rule says of a client, a provider or a store.

    A primary source: the code or the document of whoever refuses, cuts or drops it, or their own words.

    Attributes:
        where: repository and file, or the address of the page.
        version: commit, release or state of the page that was read.
        date: day of the reading, ``YYYY-MM-DD``; others move what they refuse.
    """

    where: str
    version: str
    date: str


class Case(NamedTuple):
    """What a rule without Python looks for: which values, under which condition, and what is wrong with them.

    Attributes:
        given: JSONPath (RFC 9535) relative to what the rule looks at; ``$`` is the thing itself.
        when: JSON Schema that the thing itself must satisfy, else nothing in it is judged; ``None``: it need not.
        argument: regular expression for the name of the argument whose schema it is; ``None``: any schema.
        judge: ``value``, or ``name`` to judge the names of the members found.
        resolve: judge a schema as it comes out, local references followed and the one branch next to null in its place.
        then: JSON Schema that what is judged must satisfy, or ``None``.
        pattern: regular expression that it must contain a match of where it is text, or ``None``.
        forbid: regular expression that it must not contain a match of, or ``None``.
        value: the value in question where it is not the one judged: a JSONPath from there, or ``name``. Then all
            that is wrong there is one finding.
        says: which of the rule's ``messages`` it is, where it has several.
        correction: ``set`` (members of the object found), ``remove`` (the names of members, or ``true`` for what was
            found itself) and ``effect`` (a :class:`~mcp_governor.findings.Effect`); ``None``: a person decides.
    """

    given: str = "$"
    when: Mapping[str, Any] | None = None
    argument: str | None = None
    judge: str = "value"
    resolve: bool = False
    then: Mapping[str, Any] | bool | None = None
    pattern: str | None = None
    forbid: str | None = None
    value: str = ""
    says: str = ""
    correction: Mapping[str, Any] | None = None


@frozen
class Example:
    """A surface that a rule passes or fails.

    Attributes:
        tools, surface: the example as written: a value, or JSON text; one of them is set.
        options: options of the rule that the example is run with.
        at: JSON pointers of the findings it gives, ``TOOL#POINTER`` where not in its first tool; empty:
            anywhere.
        note: what the example shows.
    """

    tools: Any = None
    surface: Any = None
    options: Mapping[str, Any] = field(default_factory=dict)
    at: tuple[str, ...] = ()
    note: str = ""

    def recording(self) -> Mapping[str, Any]:
        """The example in the shape that :func:`mcp_governor.surface.build_surface` takes.

        Raises:
            ValueError: it is text and not JSON.
        """
        if self.surface is not None:
            value = _json(self.surface)
            return value if isinstance(value, Mapping) else {}
        tools = _json(self.tools)
        return {"tools": tools if isinstance(tools, list) else [tools]}


def _json(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else value


Examples = tuple[tuple[Example, ...], tuple[Example, ...]]
"""Examples that pass, and examples that fail."""


def cases_of(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The cases of a rule file: those it lists, or the one that it says itself; none where it names a check."""
    if "cases" in data:
        listed: list[dict[str, Any]] = data["cases"]
        return listed
    return (
        [{key: data[key] for key in Case._fields if key in data}] if {"then", "pattern", "forbid"} & data.keys() else []
    )


@frozen
class Rule:
    """One rule of the catalogue; the attributes are the keys of its file.

    Attributes:
        id: ``pack/kebab-name``.
        summary: what it asks for, one line.
        why: why that matters to a model or a client.
        source: the clause or measurement it comes from, with its figure where there is one.
        severity: by default.
        persona: ``regular`` or ``pedantic``.
        since: version of mcp-governor that brought it.
        station: who emits it, one of :data:`STATIONS`.
        on: what it looks at, one of :data:`SCOPES`.
        enabled: ``False`` for a rule that runs only when it is named (by id, or its client by name).
        cases: what it looks for, where it needs no Python.
        check: ``module.function`` under ``mcp_governor.linting.checks``, or ``package.module:function``.
        message: the sentence of a finding, with facts in braces (:func:`mcp_governor.catalogue.finding.fill`).
        messages: by name, where a rule needs several sentences; then ``message`` is empty, or the commonest one.
        grouped: one sentence for findings of several tools, with the facts that they have in common, and ``{tools}``
            for their number and names or ``{places}`` for parameters and tools; empty: the message of the first one
            stands for all.
        fix: what to do instead, with the same facts.
        options: by name.
        stance: the side it takes, where the sources disagree.
        limit: the client limit it stands for.
        verified: the primary source where its claim about others was read; ``None`` where nobody has read one.
        twin: the rule of another station that says the same where ``check`` runs that station as well; only the
            linter alone reports this one.
        unseen: why no server of the corpus breaks it, where none does.
        examples: gives the examples that pass and those that fail; they are read when somebody asks.
        origin: the file it was read from, for messages.
        folder: the folder of rules that it is part of, where that is the user's; its check may be there.
    """

    id: str
    summary: str
    why: str
    source: str
    severity: Severity
    fix: str
    since: str
    message: str = ""
    messages: Mapping[str, str] = field(default_factory=dict)
    grouped: str = ""
    persona: str = "regular"
    station: str = "lint"
    on: str = "tool"
    enabled: bool = True
    cases: tuple[Case, ...] = ()
    check: str | None = None
    options: Mapping[str, Option] = field(default_factory=dict)
    stance: Stance | None = None
    limit: Limit | None = None
    verified: Verified | None = None
    twin: str = ""
    unseen: str = ""
    examples: Callable[[], Examples] = field(default=lambda: ((), ()), repr=False, compare=False)
    origin: str = ""
    folder: str = field(default="", repr=False, compare=False)

    @property
    def passes(self) -> tuple[Example, ...]:
        """Examples that the rule passes."""
        return self.examples()[0]

    @property
    def fails(self) -> tuple[Example, ...]:
        """Examples that the rule fails."""
        return self.examples()[1]

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
        """True if its check is a function outside of this package, so that running it imports somebody's code."""
        return self.check is not None and ":" in self.check

    @property
    def defaults(self) -> dict[str, Any]:
        """Option values where nobody sets them."""
        return {name: option.default for name, option in self.options.items()}
