"""A rule as data: the typed content of a rule file."""

# Without `annotations` of __future__: of text, msgspec would compile fifty annotations in every run.
import functools
import json
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from mcp_governor.findings import Severity
from mcp_governor.text import visible

SCOPES = ("tool", "schema", "input", "output", "surface", "prompt", "resource", "template", "prose", "text")
"""The kinds of subject of a rule: the key ``on`` of a rule file.

``schema`` is every schema within a tool's inputSchema and outputSchema (keyword-aware, so a property named ``items`` is
not a keyword); ``input`` and ``output`` are those of one side. ``text`` is every string of the surface, and ``prose``
every string written for a reader: titles, descriptions, instructions.
"""

PERSONAS = ("regular", "pedantic")
"""The audience of a rule: everybody, or those who ask for every remark."""

ENGINE_CHECK = "engine.suppressions"
"""The check of the rule about suppressions: the engine itself runs it, after all others."""

STATIONS = ("lint", "change", "policy", "changelog", "call", "load", "schemas", "fleet")
"""The stations that emit findings. The linter runs its own rules; the others are in the catalogue for documentation."""


ALWAYS_RUN = ("policy", "changelog", "schemas", "fleet")
"""Stations whose rules always run with the station; profiles select among the rules of the others."""


class Option(Struct, frozen=True):
    """One setting of a rule.

    Attributes:
        schema: JSON Schema of the option.
    """

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
        fatal: the client rejects the tool or the whole request instead of cutting or rewriting it: an error for users
            who name the client in ``clients``, because they promise to work there.
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
        when: JSON Schema for the subject; if the subject does not satisfy it, nothing is checked.
        argument: Regular expression for the name of the parameter with this schema; others are not checked.
        judge: ``name``: the names of the selected members are checked, and not their values.
        resolve: Check a schema with local ``$ref`` followed, and with a choice between null and one other branch
            replaced by that branch.
        then: JSON Schema (2020-12) that every selected value must satisfy. Here, in ``when`` and in patterns,
            ``"{option}"`` stands for the value of an option.
        pattern: Regular expression that a string must match somewhere.
        forbid: Regular expression that a string must not match anywhere.
        cues: Words in small letters, one of which every string has that ``forbid`` matches.
        value: The value in question if it is not the checked one: a JSONPath from there, or ``name``. All problems
            there become one finding.
        says: Key of the message in ``messages``, if there are several.
        correction: How a finding is corrected, where that needs no decision, for ``lint --fix-plan`` and
            ``--diff``.
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
    """A surface that passes or fails a rule: exactly one of tool, tools and surface, a value or JSON text.

    Attributes:
        tool: One tool, as a table or as JSON text.
        tools: The list of tools, as an array or as JSON text.
        surface: A whole recording: tools, prompts, resources, resourceTemplates, serverInfo, …
        options: Options of the rule for the example.
        at: JSON pointers of the expected findings, ``TOOL#POINTER`` if not in the first tool; empty: anywhere.
        note: What the example shows.
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
    """One rule of the catalogue; the attributes are the keys of its file, which ``mcp-governor schema rule`` describes
    in these words.

    Attributes:
        id: ``pack/kebab-name``.
        summary: What holds, in one line.
        why: Why it matters to a model or a client.
        source: The clause or measurement behind it, with the figure if there is one.
        severity: The default severity.
        persona: ``regular``, or ``pedantic`` for those who ask for every remark.
        since: Version of mcp-governor that added it.
        station: The station that emits it.
        on: Its subject: what it checks, one at a time.
        enabled: ``false``: it runs only if it is named, by id or by its client.
        cases: Its checks, if it needs no Python code: several of given, when, then and so on, where one is not enough.
        check: A built-in check (pack.module.function) or your own (package.module:function).
        message: One sentence with facts in braces: {name}, {name!q} in quotes, {name!t} the JSON type, {name:60} at
            most 60 characters, {name:all} the whole line, {name:lines} all lines. Every rule has the facts tool (of a
            prompt or a resource, its name), path, value and its options; one without a check also name (of the member
            found), argument (whose schema it is), kind and length of the value, and error (the engine's words).
        messages: Sentences by key, if a rule needs several; the check says which.
        grouped: One sentence for equal findings of several tools: the facts that they share, and {tools} for their
            number and names, {places} for parameters and tools, or {gists} for what is said of them. Default: the
            message of the first one, and the names of the other tools.
        gist: What a finding adds to a sentence about {gists}, with facts in braces. Rules with the same sentence share
            one line of a report.
        order: Place among findings of equal severity, for reports with few lines: first what makes calls fail, last
            what is polish. Default: between them.
        fix: What to do instead, with facts in braces.
        options: Its settings by name.
        stance: Its position, if the sources disagree; two sides of one topic are refused.
        limit: The client limit that it checks.
        verified: The primary source in which its claim about a client or a store was read.
        twin: The rule of another station that reports the same; ``check`` reports that one only.
        unseen: Why no server in the corpus violates it, if none does.
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
    def if_asked(self) -> str:
        """When a rule runs that is off by default; empty for one that is on."""
        if self.enabled:
            return ""
        return "only if selected by name" + (" or by its client" if self.limit is not None else "")

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
