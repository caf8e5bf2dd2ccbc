"""The JSON Schema of rule files (``schema rule``), and validation against it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mcp_governor.documents import described, toml_line, wrong_in
from mcp_governor.errors import ConfigError, FileFormatError, GovernorError
from mcp_governor.findings import Effect, Severity
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
from mcp_governor.schemas.patterns import compile_schema, first_error, linear_pattern, with_options
from mcp_governor.schemas.references import Document
from mcp_governor.surface.file import parse_json
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
_OF_TOOLS = {"argument": _SCHEMAS, "resolve": (*_SCHEMAS, "tool"), "correction": (*_SCHEMAS, "tool")}
"""Keys of a case that say something only about these subjects."""
_MAX_EVALUATIONS = 10_000
"""Maximum number of evaluations of subschemas that a rule's ``then`` may take for one value: some ten milliseconds. A
more expensive rule is rejected."""
_HINT = "See the format of rule files with: mcp-governor schema rule"


class _WrongError(Exception):
    """The one error about a rule file, at a place in it."""

    def __init__(self, where: Sequence[str | int], problem: str, hint: str = _HINT) -> None:
        super().__init__(problem)
        self.where, self.problem, self.hint = where, problem, hint


def validate(data: Mapping[str, Any], text: str, shown: str) -> None:
    """Reject a file that is not a rule, or whose parts do not compile.

    Args:
        data: the parsed file.
        text: its text, for line numbers.
        shown: its name, for messages.

    Raises:
        ConfigError: the first problem, with file and line.
    """
    try:
        # First, because the engine would miss the required key that is misspelt.
        for key in data:
            if key not in RULE_SCHEMA["properties"]:
                hint = did_you_mean(key, RULE_SCHEMA["properties"])
                raise _WrongError([key], f"has an unknown key {one_line(key)!r}.{hint}".removesuffix("."))
        _one_way(data)
        # JSON has no dates: as an object, one is refused at its place.
        plain = json.loads(json.dumps(data, default=lambda date: {"date": str(date)}))
        wrong = wrong_in(plain, RULE_SCHEMA)
        if wrong is not None:
            raise _WrongError(wrong.where, f"is not a rule: {wrong.sentence}".removesuffix("."), wrong.hint or _HINT)
        _compile(data)
    except _WrongError as error:
        line = toml_line(text, error.where) or 1
        raise ConfigError(f"Rule file {shown}:{line} {error.problem}.", error.hint) from None


def _one_way(data: Mapping[str, Any]) -> None:
    """Require that a lint rule has exactly one kind of check."""
    ways = [key for key in data if key in _WAYS]
    if data.get("station", "lint") == "lint" and len(ways) != 1:
        sentence = f"sets {' and '.join(ways)}" if ways else f"sets none of {', '.join(_WAYS)}"
        raise _WrongError(ways[1:2], f"{sentence}; a rule judges in exactly one way")
    extra = [key for key in Case.__struct_fields__ if key in data and "cases" in data]
    if extra:
        raise _WrongError(extra[:1], f"sets {extra[0]} next to cases; each case has its own")


def _compile(data: Mapping[str, Any]) -> None:
    """Check that expressions, schemas, options and examples are valid."""
    for name, option in data.get("options", {}).items():
        _made(["options", name, "schema"], _cheap_schema, option["schema"])
        problem = first_error(compile_schema(option["schema"]), option["default"])
        if problem is not None:
            sentence = f"has a default that its schema refuses: {one_line(problem[1])}"
            raise _WrongError(["options", name, "default"], sentence)
    for index, case in enumerate(cases_of(data)):
        _case(case, data, ["cases", index] if "cases" in data else [])
    for kind in ("pass", "fail"):
        for index, example in enumerate(data.get(kind, ())):
            for key in ("tool", "tools", "surface"):
                if isinstance(example.get(key), str):
                    _made([kind, index, key], lambda text: parse_json(text, "an example"), example[key])


def _case(case: Mapping[str, Any], data: Mapping[str, Any], where: list[str | int]) -> None:
    """Check that the expressions, schemas and patterns of a case compile, and that the names in it exist."""
    defaults = {name: option["default"] for name, option in data.get("options", {}).items()}
    filled = with_options(case, defaults)
    for keys, make in (
        (("given", "value"), lambda path: path == "name" or compile_query(path)),
        (("argument", "pattern", "forbid"), linear_pattern),
        (("when", "then"), _cheap_schema),
    ):
        for key in keys:
            if key in filled:
                _made([*where, key], make, filled[key])
    scope = data.get("on", "tool")
    for key, scopes in _OF_TOOLS.items():
        if case.get(key) and scope not in scopes:
            *others, last = (f'"{name}"' for name in scopes)
            hint = f"Write on = {', '.join(others)} or {last}."
            raise _WrongError([*where, key], f"sets {key}, but looks at a {scope}", hint)
    try:
        json.dumps(case.get("correction"))
    except TypeError:
        raise _WrongError([*where, "correction"], "has a correction that is not JSON", "Leave dates out.") from None
    if "says" in case and case["says"] not in data.get("messages", {}):
        raise _WrongError([*where, "says"], f"has no message {one_line(case['says'])!r}")


def _made(where: list[str | int], make: Callable[[Any], object], part: Any) -> None:
    """Turn an error about a part of the file into one about its place."""
    try:
        make(part)
    except GovernorError as error:
        sentence = f"does not compile: {'.'.join(map(str, where))}: {error.message.rstrip('.')}"
        hint = "Write JSON text, or a TOML table." if isinstance(error, FileFormatError) else error.hint
        raise _WrongError(where, sentence, hint) from None


def _cheap_schema(schema: Any) -> None:
    """Compile a schema, and reject one that takes more evaluations per value than a rule may need."""
    compile_schema(schema)
    evaluations = Evaluations(Document(schema), _MAX_EVALUATIONS + 1)
    often = evaluations.of(schema, "") > _MAX_EVALUATIONS
    if evaluations.recursive or evaluations.dynamic or often:
        raise ConfigError(
            f"it could run forever, because it {'repeats itself too often' if often else 'leads back into itself'}",
            'Write on = "schema": a rule then looks at every schema by itself, and needs no recursion.',
        )
