"""Query sets: JSONL, one query a line; strict, because a set that is half read measures something else.

A line is a JSON object (:func:`queries_schema`). Empty lines and lines that begin with ``#`` are skipped. Every problem
has the number of its line, and all of them are reported at once.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.errors import FileFormatError, NothingCheckedError
from mcp_governor.evaluation.matchers import CONDITIONS, MAX_PATTERN, problem_of
from mcp_governor.evaluation.model import Kind, Query, QuerySet
from mcp_governor.files import MEBIBYTE, read_bytes
from mcp_governor.parsing import exceeds_depth, read_json
from mcp_governor.schemas.dialects import DIALECT_2020_12
from mcp_governor.surface.canonical import canonical_bytes
from mcp_governor.text import did_you_mean, one_line, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

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

SPLITS = ("dev", "test")
KEYS = (
    *("id", "query", "gold_tools", "kind", "arguments", "forbidden", "split", "draft", "note", "tools_file", "meta"),
    # What published sets say besides; kept as metadata.
    *("source", "n_tools"),
)
"""Every key of a line."""

_SYNONYMS = {
    **dict.fromkeys(("text", "prompt", "input", "question", "utterance"), "query"),
    **dict.fromkeys(("gold", "tool", "tools", "expected", "expected_tool", "target"), "gold_tools"),
    **dict.fromkeys(("args", "expected_arguments", "matchers"), "arguments"),
    **dict.fromkeys(("forbidden_tools", "not_tools"), "forbidden"),
}


class Problem(Struct, frozen=True):
    """Why a line cannot be used.

    Attributes:
        line: number of the line, from 1; 0 for the whole set.
        message: one sentence, safe to print.
    """

    line: int
    message: str


class _LineError(Exception):
    """A line cannot be used; the message says why."""


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
    try:
        data = read_bytes(path, limit=MAX_FILE)
    except FileNotFoundError:
        raise FileFormatError(
            f"{shown} does not exist.", f"Draft a query set: mcp-governor eval init --queries {shown}"
        ) from None
    except OSError as error:
        raise FileFormatError(f"{shown} cannot be read: {error.strerror}.", "Check the path.") from None
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
        line = data.count(b"\n", 0, error.start) + 1
        raise FileFormatError(f"{shown}:{line}: the line is not UTF-8.", "Save the set as UTF-8.") from None
    queries: list[Query] = []
    problems: list[Problem] = []
    seen: dict[str, int] = {}
    for number, content in _lines(text):
        if len(queries) == MAX_QUERIES:
            problems.append(Problem(number, f"The set has more than {MAX_QUERIES:,} queries; split it."))
            break
        if len(problems) == MAX_PROBLEMS:
            break
        try:
            query = _query(content, number)
            if query.id in seen:
                raise _LineError(_repeated(query, seen[query.id]))
        except _LineError as error:
            problems.append(Problem(number, f"{error}."))
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
    line: dict[str, Any] = {"id": query.id, "query": query.text, "gold_tools": list(query.gold)}
    derived = Kind.POSITIVE if query.gold else Kind.ABSTAIN
    if query.kind is not derived:
        line["kind"] = query.kind.value
    if query.arguments:
        line["arguments"] = dict(query.arguments)
    if query.forbidden:
        line["forbidden"] = list(query.forbidden)
    if query.split != SPLITS[-1]:
        line["split"] = query.split
    if query.draft:
        line["draft"] = True
    if query.note:
        line["note"] = query.note
    if query.tools_file:
        line["tools_file"] = query.tools_file
    if query.meta:
        line["meta"] = dict(query.meta)
    return line


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines that hold a query. JSON strings may contain any other line separator, so only line feeds end one."""
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip()
        if stripped and not stripped.startswith("#"):
            yield number, stripped


def _repeated(query: Query, line: int) -> str:
    if query.id.startswith("q-"):
        return f"The query is the same as in line {line}; remove one of them, or give each an id"
    return f'The id "{one_line(query.id, 60)}" is used in line {line} already'


def _query(text: str, number: int) -> Query:
    raw = _object(text)
    for key in raw:
        if key not in KEYS:
            synonym = _SYNONYMS.get(key.lower())
            guess = f' Did you mean "{synonym}"?' if synonym else did_you_mean(key, KEYS)
            raise _LineError(f'Unknown key "{one_line(key, 40)}".{guess} Other data goes into "meta"')
    words = _text(raw, "query", most=MAX_TEXT)
    if not words.strip():
        raise _LineError('The query is empty; write what a user says in "query"')
    gold = _names(raw, "gold_tools")
    forbidden = _names(raw, "forbidden")
    tools_file = _relative(_text(raw, "tools_file", default=""))
    kind = _kind(raw, gold)
    both = [name for name in gold if name in forbidden]
    if both:
        raise _LineError(f'The tool "{one_line(both[0], 60)}" is both in gold_tools and forbidden')
    arguments = _arguments(raw)
    if arguments and not gold:
        raise _LineError("A query of kind abstain expects no call, so it cannot have arguments")
    split = _text(raw, "split", default="test")
    if split not in SPLITS:
        raise _LineError(f'The split "{one_line(split, 40)}" is neither dev nor test')
    return Query(
        id=_id(raw, words, tools_file),
        text=words,
        gold=gold,
        kind=kind,
        arguments=arguments,
        forbidden=forbidden,
        split=split,
        draft=_typed(raw, "draft", bool, "true or false", default=False),
        line=number,
        tools_file=tools_file,
        note=_text(raw, "note", default=""),
        meta={
            **_typed(raw, "meta", dict, "an object", default={}),
            **{key: raw[key] for key in ("source", "n_tools") if key in raw},
        },
    )


def _object(text: str) -> dict[str, Any]:
    import json

    try:
        raw = read_json(text)
    except json.JSONDecodeError as error:
        raise _LineError(f"The line is not JSON: {error.msg} at column {error.colno}") from None
    except (RecursionError, ValueError) as error:
        said = "it nests too deep" if isinstance(error, RecursionError) else one_line(str(error), 80)
        raise _LineError(f"The line cannot be read: {said}") from None
    if not isinstance(raw, dict):
        raise _LineError("The line is not a JSON object; write one query a line")
    if exceeds_depth(raw, MAX_LINE_DEPTH):
        raise _LineError(f"The line nests deeper than {MAX_LINE_DEPTH} levels")
    return raw


def _id(raw: Mapping[str, Any], words: str, tools_file: str) -> str:
    given = raw.get("id")
    if given is None:
        # Of what is asked, so that the answers of other runs are found again when lines move.
        key = f"{tools_file}\0{words}".encode("utf-8", "surrogatepass")
        return f"q-{hashlib.sha256(key).hexdigest()[:12]}"
    if not isinstance(given, str) or not 0 < len(given) <= MAX_NAMES:
        raise _LineError(f'"id" is not a string of 1 to {MAX_NAMES} characters')
    return given


def _kind(raw: Mapping[str, Any], gold: tuple[str, ...]) -> Kind:
    given = raw.get("kind")
    if given is None:
        return Kind.POSITIVE if gold else Kind.ABSTAIN
    known = [kind.value for kind in Kind]
    if given not in known:
        raise _LineError(f'The kind "{one_line(str(given), 40)}" is not one of {", ".join(known)}')
    kind = Kind(given)
    if kind is Kind.ABSTAIN and gold:
        raise _LineError(
            f'A query of kind abstain has no tool that is right, but gold_tools names "{one_line(gold[0])}"'
        )
    if kind is not Kind.ABSTAIN and not gold:
        raise _LineError(f'A query of kind {given} needs a tool in "gold_tools"')
    return kind


def _arguments(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    given: dict[str, Any] = _typed(raw, "arguments", dict, "an object from arguments to matchers", default={})
    if len(given) > MAX_NAMES:
        raise _LineError(f'"arguments" names {len(given)} arguments, more than {MAX_NAMES}')
    for name, matcher in given.items():
        said = problem_of(matcher)
        if said:
            raise _LineError(f'The matcher of argument "{one_line(name, 60)}" {said}')
    return given


def _names(raw: Mapping[str, Any], key: str) -> tuple[str, ...]:
    given = raw.get(key, [])
    if isinstance(given, str):
        raise _LineError(f'"{key}" is a string; write an array of names: ["{one_line(given, 60)}"]')
    if not isinstance(given, list) or not all(isinstance(name, str) and name for name in given):
        raise _LineError(f'"{key}" is not an array of tool names')
    if len(given) > MAX_NAMES:
        raise _LineError(f'"{key}" names {len(given)} tools, more than {MAX_NAMES}')
    for place, name in enumerate(given):
        if name in given[:place]:
            raise _LineError(f'"{key}" names "{one_line(name, 60)}" twice')
    return tuple(given)


def _relative(path: str) -> str:
    if path and (path.startswith(("/", "\\")) or ".." in path.replace("\\", "/").split("/") or ":" in path):
        raise _LineError('"tools_file" leads out of the folder of the set; name a file in it')
    return path


def _text(raw: Mapping[str, Any], key: str, *, default: str | None = None, most: int = MAX_TEXT) -> str:
    if key not in raw and default is None:
        raise _LineError(f'The key "{key}" is missing')
    value: str = _typed(raw, key, str, "a string", default=default)
    if len(value) > most:
        raise _LineError(f'"{key}" has {len(value):,} characters, more than {most:,}')
    if "\0" in value:
        raise _LineError(f'"{key}" holds a NUL character')
    return value


def _typed(raw: Mapping[str, Any], key: str, kind: Callable[..., Any], what: str, *, default: Any) -> Any:
    value = raw.get(key, default)
    if type(value) is not kind:
        raise _LineError(f'"{key}" is not {what}')
    return value


def queries_schema() -> dict[str, Any]:
    """A 2020-12 schema of a line; what it cannot say (unique ids, existing tools) ``eval check`` says."""
    names = {"type": "array", "items": {"type": "string", "minLength": 1}, "uniqueItems": True, "maxItems": MAX_NAMES}
    text = {"type": "string", "maxLength": MAX_TEXT}
    return {
        "$schema": DIALECT_2020_12,
        "title": "mcp-governor/queries-1",
        "description": "One line of a query set.",
        "type": "object",
        "properties": {
            "id": {
                "type": "string",
                "minLength": 1,
                "maxLength": MAX_NAMES,
                "description": "Unique in the set; derived from the query if absent.",
            },
            "query": {**text, "pattern": r"\S", "description": "What the user says."},
            "gold_tools": {**names, "description": "Tools of which any is right; none: no tool should be called."},
            "kind": {
                "enum": [kind.value for kind in Kind],
                "description": "What the query is for; derived from gold_tools if absent: positive or abstain.",
            },
            "arguments": {
                "type": "object",
                "maxProperties": MAX_NAMES,
                "additionalProperties": {"$ref": "#/$defs/matcher"},
                "description": "Argument → matcher. Arguments that are not named may be anything.",
            },
            "forbidden": {**names, "description": "Tools that must not be called, whatever else is."},
            "split": {
                "enum": [*SPLITS],
                "default": SPLITS[-1],
                "description": "dev: to look at while descriptions are edited; test: to judge them.",
            },
            "draft": {"type": "boolean", "default": False, "description": "Written by eval init, and not edited yet."},
            "note": {**text, "description": "For people."},
            "tools_file": {**text, "description": "Recorded tools that the query is about, relative to the set."},
            "meta": {"type": "object", "description": "Anything else; never looked at."},
            "source": {"description": "Metadata of published sets."},
            "n_tools": {"description": "Metadata of published sets."},
        },
        "required": ["query"],
        "additionalProperties": False,
        "allOf": [
            {
                "if": {"properties": {"kind": {"const": "abstain"}}, "required": ["kind"]},
                "then": {"properties": {"gold_tools": {"maxItems": 0}}},
            },
            {
                "if": {"properties": {"kind": {"enum": ["positive", "sibling"]}}, "required": ["kind"]},
                "then": {"properties": {"gold_tools": {"minItems": 1}}, "required": ["gold_tools"]},
            },
            {
                "if": {"properties": {"arguments": {"minProperties": 1}}, "required": ["arguments"]},
                "then": {"properties": {"gold_tools": {"minItems": 1}}, "required": ["gold_tools"]},
            },
        ],
        "$defs": {
            "matcher": {
                "description": "A value that has to be equal, or an object of conditions that all have to hold.",
                "anyOf": [
                    {"not": {"type": "object"}},
                    {
                        "type": "object",
                        "properties": {
                            "equal": {},
                            "enum": {"type": "array", "minItems": 1},
                            "pattern": {"type": "string", "maxLength": MAX_PATTERN, "format": "regex"},
                            "minimum": {"type": "number"},
                            "maximum": {"type": "number"},
                            "present": {"type": "boolean"},
                        },
                        "propertyNames": {"enum": [*CONDITIONS]},
                        "minProperties": 1,
                    },
                ],
            }
        },
    }
