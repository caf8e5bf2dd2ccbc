"""Query sets in the formats of inspect_ai and promptfoo, out and in, so that nobody is locked in.

What a format has a word for is written as that (input, target, assertion); a line of the set also travels as metadata,
so that nothing is lost on the way back. What the other program will not judge, or what of theirs is not taken over, is
returned as sentences.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from mcp_governor.errors import FileFormatError, NothingCheckedError
from mcp_governor.evaluation.queries import as_line, parse_set
from mcp_governor.surface.file import parse_json
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mcp_governor.evaluation.model import Query, QuerySet
    from mcp_governor.evaluation.queries import Problem

FORMATS = ("inspect", "promptfoo")
"""Names of the formats: a JSONL data set of inspect_ai, and a configuration of promptfoo as JSON."""

_KEY = "mcp-governor"
"""Key of the metadata that holds a line of the set."""

_ANY = 1e-6
"""Threshold of an F1 score that any one of the named tools passes."""

_INSPECT_KEYS = frozenset(("input", "target", "id", "metadata"))
_TEST_KEYS = frozenset(("description", "vars", "assert", "metadata"))


def exported(queries: Sequence[Query], form: str) -> tuple[str, list[str]]:
    """A set in another format.

    Returns:
        The document, and sentences about what the other program will not judge.
    """
    return _to_inspect(queries) if form == "inspect" else _to_promptfoo(queries)


def imported(data: bytes, form: str, name: str) -> tuple[QuerySet, list[Problem], list[str]]:
    """The query set in a document of another format.

    Args:
        data: the document.
        form: one of :data:`FORMATS`.
        name: its name in messages.

    Returns:
        The set; the problems of queries that are not in it, with the number of the sample; sentences about what was not
        taken over.

    Raises:
        FileFormatError: the document is not of this format.
        NothingCheckedError: it has no query.
    """
    lost = Counter[str]()
    lines = list(_from_inspect(data, name, lost) if form == "inspect" else _from_promptfoo(data, name, lost))
    if not lines:
        raise NothingCheckedError(f"{name} has no test with a query.", "Check the file and --format.")
    text = "\n".join(json.dumps(line) for line in lines)
    queries, problems = parse_set(text.encode(), name)
    return queries, problems, [f"{what} ({count} times)" if count > 1 else what for what, count in lost.items()]


def _to_inspect(queries: Sequence[Query]) -> tuple[str, list[str]]:
    rows = [
        {"input": query.text, "target": list(query.gold), "id": query.id, "metadata": {_KEY: as_line(query)}}
        for query in queries
    ]
    lost = ["A scorer has to compare the calls with target; matchers and forbidden tools are in the metadata."]
    return "".join(f"{json.dumps(row)}\n" for row in rows), lost


def _to_promptfoo(queries: Sequence[Query]) -> tuple[str, list[str]]:
    tools = sorted({name for query in queries for name in (*query.gold, *query.forbidden)})
    kept = [query for query in queries if not _is_evaluated(query.text)]
    lost = []
    if len(kept) < len(queries):
        ids = ", ".join(one_line(query.id, 40) for query in queries if _is_evaluated(query.text))
        lost.append(f"Left out, because promptfoo would evaluate their text as a template or a file: {ids}.")
    matched = sum(bool(query.arguments) for query in kept)
    if matched:
        lost.append(f"Matchers of arguments are in the metadata and not judged by promptfoo: {matched} queries.")
    if any(not query.gold for query in kept):
        lost.append("For queries that no tool fits, promptfoo judges that no tool of this set is called.")
    tests = [
        {
            "description": query.id,
            "vars": {"query": query.text},
            "assert": list(_assertions(query, tools)),
            "metadata": {_KEY: as_line(query)},
        }
        for query in kept
    ]
    document = {
        "description": "Query set of mcp-governor; add providers with the tools of the server.",
        "prompts": ["{{query}}"],
        "tests": tests,
    }
    return json.dumps(document, indent=2) + "\n", lost


def _is_evaluated(text: str) -> bool:
    """True if promptfoo would not pass a string on as it is."""
    return any(mark in text for mark in ("{{", "{%", "{#")) or text.lstrip().startswith(("file://", "package:"))


def _assertions(query: Query, tools: Sequence[str]) -> Iterator[dict[str, Any]]:
    called = [{"type": "tool-call-f1", "value": [name], "threshold": 1} for name in query.gold]
    if len(called) == 1:
        yield called[0]
    elif called:
        # Any one of them is right: the mean of one 1 and zeros.
        yield {"type": "assert-set", "threshold": 1 / len(called), "assert": called}
    elif tools:
        yield {"type": "not-tool-call-f1", "value": list(tools), "threshold": _ANY}
    if query.forbidden:
        yield {"type": "not-tool-call-f1", "value": list(query.forbidden), "threshold": _ANY}


def _from_inspect(data: bytes, name: str, lost: Counter[str]) -> Iterator[dict[str, Any]]:
    for number, row in enumerate(_rows(data, name), 1):
        if not isinstance(row, dict) or "input" not in row:
            raise FileFormatError(
                f"{name}: sample {number} is not an object with an input.", "Check that it is a data set of inspect_ai."
            )
        text = _last_user(row["input"], lost)
        target = row.get("target", [])
        names = [target] if isinstance(target, str) else target
        for key in row.keys() - _INSPECT_KEYS:
            lost[f'"{one_line(key, 40)}" of a sample is not taken over.'] += 1
        yield _line(text, [name for name in names if name] if isinstance(names, list) else names, row.get("id"), row)


def _rows(data: bytes, name: str) -> list[Any]:
    """The samples of a JSON array, or of lines."""
    if data.lstrip()[:1] == b"[":
        document: list[Any] = parse_json(data, name)
        return document
    lines = enumerate(data.split(b"\n"), 1)
    return [parse_json(line, f"{name}:{number}") for number, line in lines if line.strip()]


def _last_user(given: Any, lost: Counter[str]) -> Any:
    """The text of an input: a string, or the last message of the user."""
    if not isinstance(given, list):
        return given
    said = [
        message["content"]
        for message in given
        if isinstance(message, dict) and message.get("role") == "user" and isinstance(message.get("content"), str)
    ]
    if len(given) > 1:
        lost["Of a conversation, only the last message of the user is taken over."] += 1
    return said[-1] if said else None


def _from_promptfoo(data: bytes, name: str, lost: Counter[str]) -> Iterator[dict[str, Any]]:
    if data.lstrip()[:1] not in (b"{", b"["):
        raise FileFormatError(
            f"{name} is not JSON; promptfoo's YAML is not read.",
            "Convert it: npx js-yaml promptfooconfig.yaml > promptfooconfig.json",
        )
    document = parse_json(data, name)
    tests = document.get("tests") if isinstance(document, dict) else document
    if not isinstance(tests, list):
        raise FileFormatError(
            f"{name} has no array of tests.", "Put the tests into the file; references to other files are not followed."
        )
    for number, test in enumerate(tests, 1):
        if not isinstance(test, dict) or not isinstance(test.get("vars"), dict):
            lost[f"Test {number} has no vars of its own."] += 1
            continue
        text = _variable(test["vars"], lost)
        gold, forbidden = _asserted(test.get("assert"), lost)
        for key in test.keys() - _TEST_KEYS:
            lost[f'"{one_line(key, 40)}" of a test is not taken over.'] += 1
        line = _line(text, gold, test.get("description"), test)
        if _KEY not in (test.get("metadata") or {}) and forbidden:
            line["forbidden"] = forbidden
        yield line


def _variable(variables: Mapping[str, Any], lost: Counter[str]) -> Any:
    if len(variables) > 1:
        lost["Of several vars, one is taken over as the query."] += 1
    strings = (value for value in variables.values() if isinstance(value, str))
    return variables.get("query", next(strings, None))


def _asserted(given: Any, lost: Counter[str]) -> tuple[list[str], list[str]]:
    """The tools that assertions name as right, and as wrong."""
    gold: list[str] = []
    forbidden: list[str] = []
    for one in given if isinstance(given, list) else ():
        kind = one.get("type") if isinstance(one, dict) else None
        if kind == "assert-set":
            inner, wrong = _asserted(one.get("assert"), lost)
            gold += inner
            forbidden += wrong
        elif kind in ("tool-call-f1", "not-tool-call-f1"):
            value = one.get("value")
            if isinstance(value, str):
                value = [name.strip() for name in value.split(",")]
            names = [name for name in value if isinstance(name, str)] if isinstance(value, list) else []
            if kind == "tool-call-f1" and len(names) > 1:
                lost["An assertion that several tools are all called becomes one of any of them."] += 1
            (gold if kind == "tool-call-f1" else forbidden).extend(names)
        else:
            lost[f'Assertions of type "{one_line(str(kind), 40)}" are not taken over.'] += 1
    return list(dict.fromkeys(gold)), list(dict.fromkeys(forbidden))


def _line(text: Any, gold: Any, label: Any, row: Mapping[str, Any]) -> dict[str, Any]:
    """A line of the set: from the metadata if it came from one, with the text and tools as they are now."""
    metadata = row.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    own = metadata.get(_KEY)
    if isinstance(own, dict):
        if list(gold) == own.get("gold_tools", []):
            return {**own, "query": text}
        return {key: value for key, value in own.items() if key != "kind"} | {"query": text, "gold_tools": gold}
    line = {"query": text, "gold_tools": gold}
    if label and isinstance(label, str | int) and not isinstance(label, bool):
        line["id"] = str(label)
    if metadata:
        line["meta"] = metadata
    return line
