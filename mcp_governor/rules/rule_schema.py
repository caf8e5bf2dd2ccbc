"""The JSON Schema of rule files (``schema rule``), and validation against it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NoReturn

from mcp_governor.documents import described, toml_line, wrong_in
from mcp_governor.errors import ConfigError
from mcp_governor.findings import Effect, Severity
from mcp_governor.parsing import exceeds_depth, read_json
from mcp_governor.rules.query import compile_query
from mcp_governor.rules.rule import (
    PERSONAS,
    SCOPES,
    STATIONS,
    Case,
    Example,
    Limit,
    Option,
    Rule,
    Stance,
    Verified,
    cases_of,
)
from mcp_governor.schemas.cost import Evaluations
from mcp_governor.schemas.dialects import DIALECT_2020_12
from mcp_governor.schemas.patterns import (
    compile_schema,
    first_error,
    linear_pattern,
    with_options,
)
from mcp_governor.schemas.references import Document
from mcp_governor.surface.file import MAX_DEPTH
from mcp_governor.text import did_you_mean, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from msgspec import Struct

FORMAT = "mcp-governor/rule-1"

ID_PATTERN = "^[a-z][a-z0-9]*(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*$"

_TEXT = {"type": "string", "minLength": 1}
_SENTENCE = {**_TEXT, "maxLength": 2_000}
"""A message with facts in it, each of which may be as long as a line; it is filled in for every finding."""
_JSON_OR_TEXT = {"type": ["object", "array", "string"]}
_ID = {"type": "string", "pattern": ID_PATTERN}
_TABLE = {"type": "object"}
_WAYS = ("check", "cases", "then", "pattern", "forbid")


def _one_of(*keys: str) -> list[dict[str, list[str]]]:
    return [{"required": [key]} for key in keys]


def _table(kind: type[Struct], *, required: Sequence[str] = (), **members: Any) -> dict[str, Any]:
    """The schema of a table, whose members are described where its type documents them."""
    said = described(kind)[1]
    properties = {
        name: {**member, "description": member.get("description", said[name])}
        if name in said and isinstance(member, dict)
        else member
        for name, member in members.items()
    }
    table = {"type": "object", "additionalProperties": False, "properties": properties}
    return {**table, "required": list(required)} if required else table


_EXAMPLE = _table(
    Example,
    tool=_JSON_OR_TEXT,
    tools=_JSON_OR_TEXT,
    surface=_JSON_OR_TEXT,
    options=_TABLE,
    at={"type": "array", "items": {"type": "string"}},
    note={"type": "string"},
) | {"oneOf": _one_of("tool", "tools", "surface")}
_CORRECTION = _table(
    Case,
    required=["effect"],
    set={"type": "object", "minProperties": 1, "description": "Members that the object found is to have."},
    remove={
        "anyOf": [{"const": True}, {"type": "array", "items": _TEXT, "minItems": 1}],
        "description": "Members that it is not to have; true: what was found is removed itself.",
    },
    effect={
        "enum": [effect.value for effect in Effect],
        "description": "What that is meant to do to the values that the schema accepts; it is proved.",
    },
) | {"anyOf": _one_of("set", "remove")}
_CASE = _table(
    Case,
    given={**_TEXT, "default": "$"},
    when=_TABLE,
    argument={"type": "string"},
    judge={"enum": ["value", "name"], "default": "value"},
    resolve={"type": "boolean", "default": False},
    then={"type": ["object", "boolean"]},
    pattern=_TEXT,
    forbid=_TEXT,
    cues={"type": "array", "items": _TEXT},
    value={"type": "string", "pattern": r"^(name|\$.*)$"},
    says=_TEXT,
    correction=_CORRECTION,
) | {"oneOf": _one_of("then", "pattern", "forbid")}

_MEMBERS: dict[str, Any] = {
    "id": _ID,
    **dict.fromkeys(("summary", "why", "source"), _TEXT),
    "severity": {"enum": [severity.value for severity in Severity]},
    "persona": {"enum": list(PERSONAS), "default": "regular"},
    "since": _TEXT,
    "station": {"enum": list(STATIONS), "default": "lint"},
    "on": {"enum": list(SCOPES), "default": "tool"},
    "enabled": {"type": "boolean", "default": True},
    **_CASE["properties"],
    "cases": {"type": "array", "minItems": 1, "items": _CASE},
    "check": {
        "type": "string",
        "pattern": r"^[a-z_][a-z0-9_]*(?:\.[a-z_][a-z0-9_]*){1,2}$|^[A-Za-z_][\w.]*:[A-Za-z_]\w*$",
    },
    "message": _SENTENCE,
    "messages": {"type": "object", "minProperties": 1, "additionalProperties": _SENTENCE},
    "grouped": {**_SENTENCE, "pattern": "\\{(?:tools|places|gists)\\}"},
    "gist": _SENTENCE,
    "order": {"enum": ["first", "last"]},
    "fix": _SENTENCE,
    "options": {
        "type": "object",
        "additionalProperties": _table(
            Option, required=["default", "schema", "summary"], default=True, schema=_TABLE, summary=_TEXT
        ),
    },
    "stance": _table(Stance, required=["topic", "choice"], topic=_TEXT, choice=_TEXT),
    "limit": _table(
        Limit,
        required=["target", "limit", "effect", "seen"],
        target={"type": "string", "pattern": "^[a-z][a-z0-9-]*$"},
        limit=_TEXT,
        effect=_TEXT,
        seen={"type": "string", "pattern": "^20[0-9]{2}-(0[1-9]|1[0-2])$"},
        fatal={"type": "boolean", "default": False},
    ),
    "verified": _table(
        Verified,
        required=["where", "version", "date"],
        where=_TEXT,
        version=_TEXT,
        date={"type": "string", "pattern": "^20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"},
    ),
    "twin": _ID,
    "unseen": _TEXT,
    "pass": {"type": "array", "items": _EXAMPLE},
    "fail": {"type": "array", "items": _EXAMPLE},
}

RULE_SCHEMA: dict[str, Any] = {
    "$schema": DIALECT_2020_12,
    "title": FORMAT,
    **_table(Rule, required=["id", "summary", "why", "source", "severity", "since", "fix"], **_MEMBERS),
    "anyOf": _one_of("message", "messages"),
    "if": {"not": {"required": ["station"], "properties": {"station": {"not": {"const": "lint"}}}}},
    "then": {
        "required": ["pass", "fail"],
        "properties": {"pass": {"minItems": 1}, "fail": {"minItems": 1}},
        "oneOf": _one_of(*_WAYS),
    },
    "else": {"not": {"anyOf": _one_of(*_WAYS)}},
}
"""The format of a rule file; user packs are validated when they load, our own by the tests."""


def rule_schema() -> dict[str, Any]:
    """:data:`RULE_SCHEMA`, as the other formats have it."""
    return dict(RULE_SCHEMA)


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
    # JSON has no dates: as an object, one is refused at its place.
    plain = json.loads(json.dumps(data, default=lambda date: {"date": str(date)}))
    wrong = wrong_in(plain, RULE_SCHEMA)
    if wrong is not None:
        file.refuse(wrong.where, f"is not a rule: {wrong.sentence}".removesuffix("."), wrong.hint or _HINT)
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
