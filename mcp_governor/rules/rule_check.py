"""Validation of a user's rule file: reports one error, with the file, the line and a fix."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NoReturn

from mcp_governor.documents import toml_line
from mcp_governor.errors import ConfigError
from mcp_governor.parsing import exceeds_depth, read_json
from mcp_governor.rules.query import compile_query
from mcp_governor.rules.rule import Case, cases_of
from mcp_governor.rules.rule_schema import RULE_SCHEMA
from mcp_governor.schemas.cost import Evaluations
from mcp_governor.schemas.patterns import (
    compile_schema,
    first_error,
    first_error_by_ours,
    linear_pattern,
    with_options,
)
from mcp_governor.schemas.references import Document
from mcp_governor.surface.file import MAX_DEPTH
from mcp_governor.text import did_you_mean, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_WAYS = ("check", "cases", "then", "pattern", "forbid")
_SCHEMAS = ("schema", "input", "output")
_MAX_EVALUATIONS = 10_000
"""Maximum number of evaluations of subschemas that a rule's ``then`` may take for one value: some ten milliseconds. A
more expensive rule is rejected."""
_HINT = "See the format of rule files with: mcp-governor schema rule"


class _File:
    """A rule file under validation, with positions for messages."""

    def __init__(self, text: str, shown: str) -> None:
        self._text = text
        self._shown = shown

    def refuse(self, where: Sequence[str | int], problem: str, hint: str = _HINT) -> NoReturn:
        """Raise the one error about the value at ``where``."""
        line = toml_line(self._text, where) or 1
        raise ConfigError(f"Rule file {self._shown}:{line} {problem}.", hint) from None

    def compiles(self, where: Sequence[str | int], make: Callable[[], object]) -> None:
        """Turn a :class:`ConfigError` into one about this place."""
        try:
            make()
        except ConfigError as error:
            problem = f"does not compile: {_name(where)}: {error.message.rstrip('.')}"
            hint = error.hint
        else:
            return
        self.refuse(where, problem, hint)


def validate(data: Mapping[str, Any], text: str, shown: str) -> None:
    """Reject a file that is not a rule, or whose parts do not compile.

    Args:
        data: the parsed file.
        text: its text, for line numbers.
        shown: its name, for messages.

    Raises:
        ConfigError: the first problem, with file and line.
    """
    file = _File(text, shown)
    unknown = [key for key in data if key not in RULE_SCHEMA["properties"]]
    if unknown:
        hint = did_you_mean(unknown[0], RULE_SCHEMA["properties"])
        file.refuse([unknown[0]], f"has an unknown key {one_line(unknown[0])!r}.{hint}".removesuffix("."))
    _one_way(data, file)
    problem = first_error_by_ours(compile_schema(RULE_SCHEMA), _plain(data))
    if problem is not None:
        _refuse_value(data, problem, file)
    _compile(data, file)


def _one_way(data: Mapping[str, Any], file: _File) -> None:
    """Require that a lint rule has exactly one kind of check."""
    ways = [key for key in data if key in _WAYS]
    if data.get("station", "lint") == "lint" and len(ways) != 1:
        sentence = f"sets {' and '.join(ways)}" if ways else f"sets none of {', '.join(_WAYS)}"
        file.refuse(ways[1:2], f"{sentence}; a rule judges in exactly one way")
    extra = [key for key in Case.__struct_fields__ if key in data and "cases" in data]
    if extra:
        file.refuse(extra[:1], f"sets {extra[0]} next to cases; each case has its own")


def _refuse_value(data: Mapping[str, Any], problem: tuple[list[str | int], str], file: _File) -> NoReturn:
    where, message = problem
    known = RULE_SCHEMA["properties"].get(where[0], {}).get("enum") if len(where) == 1 else None
    if known is not None:
        given = data[str(where[0])]
        guess = did_you_mean(given, known) if isinstance(given, str) else ""
        sentence = f"is not a rule: {where[0]} cannot be {one_line(json.dumps(given, default=str))}.{guess}"
        file.refuse(where, sentence.removesuffix("."), f"Use one of {', '.join(known)}.")
    file.refuse(where, f"is not a rule: {_name(where)}: {one_line(message)}")


def _compile(data: Mapping[str, Any], file: _File) -> None:
    """Check that expressions, schemas, options and examples are valid."""
    for name, option in data.get("options", {}).items():
        where = ["options", name, "schema"]
        file.compiles(where, lambda option=option: compile_schema(option["schema"]))  # type: ignore[misc]
        _check_cost(option["schema"], where, file)
        problem = first_error(compile_schema(option["schema"]), option["default"])
        if problem is not None:
            file.refuse(["options", name, "default"], f"has a default that its schema refuses: {one_line(problem[1])}")
    for index, case in enumerate(cases_of(data)):
        _case(case, data, ["cases", index] if "cases" in data else [], file)
    for kind in ("pass", "fail"):
        for index, example in enumerate(data.get(kind, ())):
            for key in ("tool", "tools", "surface"):
                _example(example.get(key), [kind, index, key], file)


def _case(case: Mapping[str, Any], data: Mapping[str, Any], where: list[str | int], file: _File) -> None:
    """Check that the expressions, schemas and patterns of a case compile, and that the names in it exist."""
    defaults = {name: option["default"] for name, option in data.get("options", {}).items()}
    filled = with_options(case, defaults)
    for key in ("given", "value"):
        if filled.get(key, "").startswith("$"):
            file.compiles([*where, key], lambda key=key: compile_query(filled[key]))  # type: ignore[misc]
    for key in ("argument", "pattern", "forbid"):
        if key in filled:
            file.compiles([*where, key], lambda key=key: linear_pattern(filled[key]))  # type: ignore[misc]
    for key in ("when", "then"):
        if key in filled:
            file.compiles([*where, key], lambda key=key: compile_schema(filled[key]))  # type: ignore[misc]
            _check_cost(filled[key], [*where, key], file)
    scope = data.get("on", "tool")
    if "argument" in case and scope not in _SCHEMAS:
        file.refuse([*where, "argument"], f"sets argument, but looks at a {scope}", f"Write on = {_listed(_SCHEMAS)}.")
    if case.get("resolve") and scope not in (*_SCHEMAS, "tool"):
        file.refuse([*where, "resolve"], f"sets resolve, but a {scope} is not a schema")
    _correction(case, scope, [*where, "correction"], file)
    if "says" in case and case["says"] not in data.get("messages", {}):
        file.refuse([*where, "says"], f"has no message {one_line(case['says'])!r}")


def _correction(case: Mapping[str, Any], scope: str, where: list[str | int], file: _File) -> None:
    """Check that a correction is JSON and is about a tool."""
    if "correction" not in case:
        return
    if scope not in (*_SCHEMAS, "tool"):
        file.refuse(where, f"says correction, but looks at a {scope}", f"Write on = {_listed([*_SCHEMAS, 'tool'])}.")
    try:
        json.dumps(case["correction"], allow_nan=False)
    except (TypeError, ValueError):
        file.refuse(where, "has a correction that is not JSON", "Leave dates, inf and nan out.")


def _check_cost(schema: Any, where: list[str | int], file: _File) -> None:
    """Reject a schema that takes more evaluations per value than a rule may need."""
    evaluations = Evaluations(Document(schema), _MAX_EVALUATIONS + 1)
    often = evaluations.of(schema, "") > _MAX_EVALUATIONS
    if evaluations.recursive or evaluations.dynamic or often:
        sentence = "repeats itself too often" if often else "leads back into itself"
        hint = 'Write on = "schema": a rule then looks at every schema by itself, and needs no recursion.'
        file.refuse(where, f"could run forever: {_name(where)} {sentence}", hint)


def _listed(words: Sequence[str]) -> str:
    return ", ".join(f'"{word}"' for word in words[:-1]) + f' or "{words[-1]}"'


def _example(value: Any, where: list[str | int], file: _File) -> None:
    if not isinstance(value, str):
        return
    sentence = ""
    try:
        if exceeds_depth(read_json(value), MAX_DEPTH):
            raise RecursionError
    except ValueError as error:
        sentence = f"is not JSON: {one_line(str(error))}"
    except RecursionError:
        sentence = f"nests deeper than {MAX_DEPTH} levels"
    if sentence:
        file.refuse(where, f"has an example that {sentence}", "Write JSON text, or a TOML table.")


def _name(where: Sequence[str | int]) -> str:
    return ".".join(map(str, where)) or "the file"


def _plain(value: Any) -> Any:
    """Replace TOML dates, which JSON lacks, with objects, so that the schema rejects them at their place."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value if isinstance(value, str | int | float | bool) else {"date": str(value)}
