"""Query sets: JSONL, one query a line; strict, because a set that is half read measures something else.

A line is a JSON object (:func:`queries_schema`). Empty lines and lines that begin with ``#`` are skipped. Every problem
has the number of its line, and all of them are reported at once.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field

from mcp_governor.documents import Wrong, joined, read, schema_of, written
from mcp_governor.errors import ConfigError, FileFormatError, NothingCheckedError
from mcp_governor.evaluation.model import Kind, Query, QuerySet
from mcp_governor.files import MEBIBYTE, read_named
from mcp_governor.parsing import exceeds_depth, read_json
from mcp_governor.surface.canonical import canonical_bytes
from mcp_governor.text import capital, one_line, visible

MAX_PATTERN = 500
"""Maximum length of a pattern in characters; the longest useful one that we saw (a URL with its query) has 120."""

MAX_SEARCHED = 10_000
"""Number of characters of an argument that a pattern is searched in; what a model invents beyond does not match."""

ABSENT: Any = object()
"""The argument of a call that does not have it."""


class Conditions(Struct, frozen=True, forbid_unknown_fields=True):
    """What an object says about an argument."""

    equal: Any = UNSET
    enum: Annotated[list[Any], Meta(min_length=1)] | UnsetType = UNSET
    pattern: Annotated[str, Meta(max_length=MAX_PATTERN)] | UnsetType = UNSET
    minimum: float | UnsetType = UNSET
    maximum: float | UnsetType = UNSET
    present: bool | UnsetType = UNSET


def problem_of(matcher: Any) -> str | None:
    """What is wrong with a matcher, as the end of a sentence; ``None`` if it can be used."""
    if not isinstance(matcher, dict):
        return None
    if not matcher:
        return 'has no condition; {"present": true} accepts any value'
    found = read(Conditions, matcher)
    if isinstance(found, Wrong):
        return f'cannot be used: {found.sentence} An object that has to be equal is written as {{"equal": {{…}}}}'
    if found.present is False and len(matcher) > 1:
        return "must be absent, so other conditions cannot hold"
    if found.minimum is not UNSET and found.maximum is not UNSET and found.minimum > found.maximum:
        return f"has a minimum of {found.minimum:g}, above its maximum of {found.maximum:g}"
    from mcp_governor.schemas.patterns import compile_schema

    try:
        compile_schema({} if found.pattern is UNSET else {"pattern": found.pattern})
    except ConfigError:
        return (
            f'has the pattern "{one_line(str(found.pattern), 60)}", which is not a regular expression of a linear-time '
            "engine (no look-around, no back-references)"
        )
    return None


def matches(matcher: Any, value: Any = ABSENT) -> bool:
    """True if an argument is what a matcher expects: a matcher is a JSON Schema in other words.

    An answer of a model and a set of a stranger meet here: the engine takes linear time, whatever they are.

    Args:
        matcher: one without a problem (:func:`problem_of`).
        value: the argument, or :data:`ABSENT`.
    """
    from mcp_governor.schemas.patterns import compile_schema, encodable

    if value is ABSENT or (isinstance(matcher, dict) and matcher.get("present") is False):
        return value is ABSENT and isinstance(matcher, dict) and matcher.get("present") is False
    if isinstance(value, str) and isinstance(matcher, dict) and "pattern" in matcher:
        value = value[:MAX_SEARCHED]
    parts = matcher.items() if isinstance(matcher, dict) else [("equal", matcher)]
    schema = {"allOf": [{_KEYWORDS.get(name, name): item, **_TYPES.get(name, {})} for name, item in parts]}
    return bool(compile_schema(encodable(schema)).is_valid(encodable(value)))


_KEYWORDS = {"equal": "const"}
_TYPES = {"pattern": {"type": "string"}, "minimum": {"type": "number"}, "maximum": {"type": "number"}}
"""What a condition asks of the type; in JSON Schema, a keyword says nothing of other types."""


DEFAULT_NAME = "mcp-queries.jsonl"
"""File name of a set, next to ``mcp-surface.json``."""

MAX_QUERIES = 10_000
"""Maximum number of queries of a set: more than any benchmark of tool choice has (BFCL: 4,951). A longer set is
rejected."""

MAX_TEXT = 4_000
"""Maximum length of a query in characters; the longest of 345 queries of three benchmarks has 843."""

MAX_NAMES = 100
"""Maximum number of tools, or of arguments, that one query names; a query that more tools answer measures nothing."""

MAX_FILE = 16 * MEBIBYTE
"""Maximum size of a set in bytes: ``MAX_QUERIES`` queries of the longest kind that we saw take 8 MiB."""

MAX_LINE_DEPTH = 32
"""Maximum nesting depth of a line: arguments of calls rarely nest deeper than eight."""

MAX_PROBLEMS = 100
"""Number of problems that are listed; a set with more is of another format."""

Text = Annotated[str, Meta(max_length=MAX_TEXT)]
Names = Annotated[tuple[Annotated[str, Meta(min_length=1)], ...], Meta(max_length=MAX_NAMES)]


class Line(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One line of a query set.

    Attributes:
        id: Unique in the set; derived from the query if absent.
        text: What the user says.
        gold: Tools of which any is right; none: no tool should be called.
        kind: What the query is for; derived from gold_tools if absent: positive or abstain.
        arguments: Argument → matcher. Arguments that are not named may be anything.
        forbidden: Tools that must not be called, whatever else is.
        split: dev: to look at while descriptions are edited; test: to judge them.
        draft: Written by eval init, and not edited yet.
        note: For people.
        tools_file: Recorded tools that the query is about, relative to the set.
        meta: Anything else; never looked at.
        source: Metadata of published sets.
        n_tools: Metadata of published sets.
    """

    id: Annotated[str, Meta(min_length=1, max_length=MAX_NAMES)] | None = None
    text: Annotated[Text, Meta(pattern=r"\S")] = field(name="query")
    gold: Names = field(name="gold_tools", default=())
    kind: Kind | None = None
    arguments: Annotated[dict[str, Any], Meta(max_length=MAX_NAMES)] = field(default_factory=dict)
    forbidden: Names = ()
    split: Literal["dev", "test"] = "test"
    draft: bool = False
    note: Text = ""
    tools_file: Text = ""
    meta: dict[str, Any] = field(default_factory=dict)
    source: Any = None
    n_tools: Any = None


class Problem(Struct, frozen=True):
    """Why a line cannot be used.

    Attributes:
        line: number of the line, from 1; 0 for the whole set.
        message: one sentence, safe to print.
    """

    line: int
    message: str


class _LineError(Exception):
    """A line cannot be used; the message is a sentence that says why."""


def load_queries(path: str | Path) -> QuerySet:
    """Read and validate a query set.

    Raises:
        FileFormatError: the file cannot be read, or a line cannot be used; the message has the first line.
        NothingCheckedError: the set is empty.
    """
    queries, problems = read_set(path)
    refuse(problems, visible(str(path)))
    return queries


def refuse(problems: list[Problem], name: str) -> None:
    """Raise the first problem of a set, with the number of the others.

    Raises:
        FileFormatError: there is one.
    """
    if not problems:
        return
    first = problems[0]
    place = f"{name}:{first.line}" if first.line else name
    more = f" {len(problems) - 1} more problems follow." if len(problems) > 1 else ""
    raise FileFormatError(
        f"{place}: {first.message}{more}", f"Correct the set; all problems: mcp-governor eval check --queries {name}"
    )


def read_set(path: str | Path) -> tuple[QuerySet, list[Problem]]:
    """A query set, and the problems of the lines that are not in it.

    Raises:
        FileFormatError: the file cannot be read, is larger than ``MAX_FILE``, or is not UTF-8.
        NothingCheckedError: it has no query.
    """
    shown = visible(str(path))
    hint = f"Draft a query set: mcp-governor eval init --queries {shown}"
    data = read_named(path, shown, limit=MAX_FILE, hint=hint)
    return parse_set(data, Path(path).name, shown=shown)


def parse_set(data: bytes, name: str, *, shown: str = "") -> tuple[QuerySet, list[Problem]]:
    """The query set in a document, and the problems of the lines that are not in it.

    Args:
        data: the content of a file.
        name: name of the set.
        shown: its name in messages; defaults to ``name``.

    Raises:
        FileFormatError: it is not UTF-8.
        NothingCheckedError: it has no query.
    """
    shown = shown or visible(name)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        at = data.count(b"\n", 0, error.start) + 1
        raise FileFormatError(f"{shown}:{at}: the line is not UTF-8.", "Save the set as UTF-8.") from None
    queries: list[Query] = []
    problems: list[Problem] = []
    seen: dict[str, int] = {}
    # JSON strings may contain any other line separator, so only line feeds end one.
    for number, line in enumerate(map(str.strip, text.split("\n")), 1):
        if not line or line.startswith("#"):
            continue
        if len(queries) == MAX_QUERIES:
            problems.append(Problem(number, f"The set has more than {MAX_QUERIES:,} queries; split it."))
            break
        if len(problems) == MAX_PROBLEMS:
            break
        try:
            query = _query(line, number)
            if query.id in seen:
                raise _LineError(_repeated(query, seen[query.id]))
        except _LineError as error:
            problems.append(Problem(number, str(error)))
        else:
            seen[query.id] = number
            queries.append(query)
    if not queries and not problems:
        raise NothingCheckedError(
            f"{shown} has no query.", f"Write one a line, or draft some: mcp-governor eval init --queries {shown}"
        )
    return QuerySet(name, tuple(queries), digest(queries)), problems


def digest(queries: list[Query] | tuple[Query, ...]) -> str:
    """``sha256:`` and hex over what a set measures: notes, drafts, metadata and the order do not move it.

    The canonical form is the array of the queries, each as RFC 8785 JSON with every field present, sorted by id.
    """
    parts = sorted(canonical_bytes(_measured(query)) for query in queries)
    return f"sha256:{hashlib.sha256(b'[' + b','.join(parts) + b']').hexdigest()}"


def _measured(query: Query) -> dict[str, Any]:
    return {
        "id": query.id,
        "query": query.text,
        "gold_tools": sorted(query.gold),
        "kind": query.kind.value,
        "arguments": query.arguments,
        "forbidden": sorted(query.forbidden),
        "split": query.split,
        "tools_file": query.tools_file,
    }


def as_line(query: Query) -> dict[str, Any]:
    """A query as a line of a set: only what differs from the defaults."""
    derived = query.kind is (Kind.POSITIVE if query.gold else Kind.ABSTAIN)
    line: dict[str, Any] = written(Line, joined(query, kind=None if derived else query.kind), digits=None)
    return line


def _repeated(query: Query, line: int) -> str:
    if query.id.startswith("q-"):
        return f"The query is the same as in line {line}; remove one of them, or give each an id."
    return f'The id "{one_line(query.id, 60)}" is used in line {line} already.'


def _query(text: str, number: int) -> Query:
    raw = _object(text)
    line = read(Line, raw)
    if isinstance(line, Wrong):
        hint = 'Other data goes into "meta".' if line.keyword == "additionalProperties" else line.hint
        raise _LineError(f"{capital(line.sentence)} {hint}".rstrip())
    kind = line.kind or (Kind.POSITIVE if line.gold else Kind.ABSTAIN)
    if kind is not Kind.ABSTAIN and not line.gold:
        raise _LineError(f"A query of kind {kind.value} needs a tool in gold_tools.")
    if kind is Kind.ABSTAIN and (line.gold or line.arguments):
        raise _LineError(
            f'A query of kind abstain has no tool that is right, but gold_tools names "{one_line(line.gold[0])}".'
            if line.gold
            else "A query of kind abstain cannot have arguments, because it expects no call."
        )
    if both := [name for name in line.gold if name in line.forbidden]:
        raise _LineError(f'The tool "{one_line(both[0], 60)}" is both in gold_tools and forbidden.')
    for name, matcher in line.arguments.items():
        if said := problem_of(matcher):
            raise _LineError(f'The matcher of argument "{one_line(name, 60)}" {said}.')
    path = line.tools_file
    if path.startswith(("/", "\\")) or ".." in path.replace("\\", "/").split("/") or ":" in path:
        raise _LineError('"tools_file" leads out of the folder of the set; name a file in it.')
    # Of what is asked, so that the answers of other runs are found again when lines move.
    key = f"{path}\0{line.text}".encode("utf-8", "surrogatepass")
    own = line.id or f"q-{hashlib.sha256(key).hexdigest()[:12]}"
    published: dict[str, Any] = {name: raw[name] for name in ("source", "n_tools") if name in raw}
    fields = {name: getattr(line, name) for name in _SAME}
    return Query(**fields, id=own, kind=kind, line=number, meta={**line.meta, **published})


_SAME = ("text", "gold", "arguments", "forbidden", "split", "draft", "tools_file", "note")
"""What a query has as its line does."""


def _object(text: str) -> dict[str, Any]:
    import json

    try:
        raw = read_json(text)
    except json.JSONDecodeError as error:
        raise _LineError(f"The line is not JSON: {error.msg} at column {error.colno}.") from None
    except (RecursionError, ValueError) as error:
        said = "it nests too deep" if isinstance(error, RecursionError) else one_line(str(error), 80)
        raise _LineError(f"The line cannot be read: {said}.") from None
    if not isinstance(raw, dict):
        raise _LineError("The line is not a JSON object; write one query a line.")
    if exceeds_depth(raw, MAX_LINE_DEPTH):
        raise _LineError(f"The line nests deeper than {MAX_LINE_DEPTH} levels.")
    return raw


def queries_schema() -> dict[str, Any]:
    """A 2020-12 schema of a line; what it cannot say (unique ids, existing tools) ``eval check`` says."""
    schema = schema_of(Line, "mcp-governor/queries-1")
    conditions = schema_of(Conditions, "matcher")["properties"]
    known = {"type": "object", "properties": conditions, "propertyNames": {"enum": [*conditions]}, "minProperties": 1}
    schema["properties"]["arguments"]["additionalProperties"] = {"$ref": "#/$defs/matcher"}
    schema["$defs"] = {
        "matcher": {
            "description": "A value that has to be equal, or an object of conditions that all have to hold.",
            "anyOf": [{"not": {"type": "object"}}, known],
        }
    }
    return schema
