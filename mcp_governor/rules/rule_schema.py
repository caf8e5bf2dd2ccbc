"""The JSON Schema of rule files (``schema rule``), and validation against it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NoReturn

from mcp_governor.documents import toml_line
from mcp_governor.errors import ConfigError
from mcp_governor.findings import Effect, Severity
from mcp_governor.parsing import exceeds_depth, read_json
from mcp_governor.rules.query import compile_query
from mcp_governor.rules.rule import SCOPES, STATIONS, Case, cases_of
from mcp_governor.rules.settings import PERSONAS
from mcp_governor.schemas.cost import Evaluations
from mcp_governor.schemas.dialects import DIALECT_2020_12
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

FORMAT = "mcp-governor/rule-1"

ID_PATTERN = "^[a-z][a-z0-9]*(-[a-z0-9]+)*/[a-z0-9]+(-[a-z0-9]+)*$"

_TEXT = {"type": "string", "minLength": 1}
_SENTENCE = {**_TEXT, "maxLength": 2_000}
"""A message with facts in it, each of which may be as long as a line; it is filled in for every finding."""
_JSON_OR_TEXT = {
    "type": ["object", "array", "string"],
    "description": "A JSON value as a TOML table or array, or as JSON text.",
}
_EXAMPLE = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "tool": {**_JSON_OR_TEXT, "description": "One tool, as a table or as JSON text."},
        "tools": {**_JSON_OR_TEXT, "description": "The list of tools, as an array or as JSON text."},
        "surface": {
            **_JSON_OR_TEXT,
            "description": "A whole recording: tools, prompts, resources, resourceTemplates, serverInfo, …",
        },
        "options": {"type": "object", "description": "Options of the rule that the example is run with."},
        "at": {
            "type": "array",
            "items": {"type": "string"},
            "description": "JSON pointers of the findings, TOOL#POINTER where not in the first tool.",
        },
        "note": {"type": "string", "description": "What the example shows."},
    },
    "oneOf": [{"required": ["tool"]}, {"required": ["tools"]}, {"required": ["surface"]}],
}

_CASE = {
    "given": {**_TEXT, "default": "$", "description": "JSONPath (RFC 9535) relative to what it looks at."},
    "when": {
        "type": "object",
        "description": "JSON Schema that what it looks at must satisfy; where it does not, nothing in it is judged.",
    },
    "argument": {
        "type": "string",
        "description": "Regular expression: only schemas of arguments whose name matches are judged.",
    },
    "judge": {
        "enum": ["value", "name"],
        "default": "value",
        "description": "name: the names of the members found are judged, and not their values.",
    },
    "resolve": {
        "type": "boolean",
        "default": False,
        "description": "A schema is judged as it comes out: local $ref followed, and of a choice between null and "
        "one other branch that branch.",
    },
    "then": {
        "type": ["object", "boolean"],
        "description": "JSON Schema (2020-12) that every value found must satisfy. Here, in when and in patterns, "
        '"{option}" stands for the value of an option.',
    },
    "pattern": {**_TEXT, "description": "Regular expression that every string found must match."},
    "forbid": {**_TEXT, "description": "Regular expression that no string found may match."},
    "cues": {
        "type": "array",
        "items": _TEXT,
        "description": "Words in small letters, one of which every string has that forbid matches.",
    },
    "value": {
        "type": "string",
        "pattern": r"^(name|\$.*)$",
        "description": "The value in question where it is another than the one judged: a JSONPath from there, or name. "
        "All that is wrong at one place is then one finding.",
    },
    "says": {**_TEXT, "description": "Which of the messages it is, where there are several."},
    "correction": {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "set": {"type": "object", "minProperties": 1, "description": "Members that the object found is to have."},
            "remove": {
                "anyOf": [{"const": True}, {"type": "array", "items": _TEXT, "minItems": 1}],
                "description": "Members that it is not to have; true: what was found is removed itself.",
            },
            "effect": {
                "enum": [effect.value for effect in Effect],
                "description": "What that is meant to do to the values that the schema accepts; it is proved.",
            },
        },
        "required": ["effect"],
        "anyOf": [{"required": ["set"]}, {"required": ["remove"]}],
        "description": "How a finding is corrected, where that needs no decision: lint --fix-plan and --diff show it.",
    },
}

RULE_SCHEMA: dict[str, Any] = {
    "$schema": DIALECT_2020_12,
    "title": FORMAT,
    "type": "object",
    "additionalProperties": False,
    "required": ["id", "summary", "why", "source", "severity", "since", "fix"],
    "properties": {
        "id": {"type": "string", "pattern": ID_PATTERN, "description": "pack/kebab-name"},
        "summary": {**_TEXT, "description": "What holds where the rule is followed, on one line."},
        "why": {**_TEXT, "description": "Why it matters to a model or a client."},
        "source": {**_TEXT, "description": "The clause or measurement, with its figure where there is one."},
        "severity": {"enum": [severity.value for severity in Severity]},
        "persona": {"enum": list(PERSONAS), "default": "regular"},
        "since": {**_TEXT, "description": "The version of mcp-governor that brought the rule."},
        "station": {"enum": list(STATIONS), "default": "lint", "description": "Who emits the findings."},
        "on": {"enum": list(SCOPES), "default": "tool", "description": "What it checks, one at a time."},
        "enabled": {
            "type": "boolean",
            "default": True,
            "description": "false: runs only when it is named, by id or by its client.",
        },
        **_CASE,
        "cases": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "additionalProperties": False,
                "properties": _CASE,
                "oneOf": [{"required": [key]} for key in ("then", "pattern", "forbid")],
            },
            "description": "Several of given, when, then and so on, where one is not enough.",
        },
        "check": {
            "type": "string",
            "pattern": r"^[a-z_][a-z0-9_]*(?:\.[a-z_][a-z0-9_]*){1,2}$|^[A-Za-z_][\w.]*:[A-Za-z_]\w*$",
            "description": "A built-in check (pack.module.function) or your own (package.module:function).",
        },
        "message": {
            **_SENTENCE,
            "description": "One sentence with facts in braces: {name}, {name!q} in quotes, {name!t} the JSON type, "
            "{name:60} at most 60 characters, {name:all} the whole line, {name:lines} all lines. Every rule has the "
            "facts tool, path, value and its options; one without a check also name (of the member found), argument "
            "(whose schema it is), kind and length of the value, and error (the engine's words).",
        },
        "messages": {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": _SENTENCE,
            "description": "Sentences by name, where one is not enough; the check says which.",
        },
        "grouped": {
            **_SENTENCE,
            "pattern": "\\{(?:tools|places|gists)\\}",
            "description": "One sentence for equal findings of several tools: the facts that they share, and {tools} "
            "for their number and names, {places} for parameters and tools, or {gists} for what is said of them. "
            "Default: the message of the first one, and the names of the other tools.",
        },
        "gist": {
            **_SENTENCE,
            "description": "What a finding adds to a sentence about {gists}, with facts in braces. Rules with the same "
            "sentence share one line of a report.",
        },
        "order": {
            "enum": ["first", "last"],
            "description": "Place among findings of equal severity where a report has room for few: first what makes "
            "calls fail, last what is polish. Default: between them.",
        },
        "fix": {**_SENTENCE, "description": "What to do instead; facts in braces, too."},
        "options": {
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "additionalProperties": False,
                "required": ["default", "schema", "summary"],
                "properties": {
                    "default": True,
                    "schema": {"type": "object", "description": "JSON Schema of the option."},
                    "summary": _TEXT,
                },
            },
        },
        "stance": {
            "type": "object",
            "additionalProperties": False,
            "required": ["topic", "choice"],
            "properties": {"topic": _TEXT, "choice": _TEXT},
            "description": "The side it takes where sources disagree; two sides of one topic are refused.",
        },
        "limit": {
            "type": "object",
            "additionalProperties": False,
            "required": ["target", "limit", "effect", "seen"],
            "properties": {
                "target": {"type": "string", "pattern": "^[a-z][a-z0-9-]*$"},
                "limit": _TEXT,
                "effect": _TEXT,
                "seen": {"type": "string", "pattern": "^20[0-9]{2}-(0[1-9]|1[0-2])$"},
                "fatal": {
                    "type": "boolean",
                    "default": False,
                    "description": "Refused, not only cut: an error where the client is named in clients.",
                },
            },
        },
        "verified": {
            "type": "object",
            "additionalProperties": False,
            "required": ["where", "version", "date"],
            "properties": {
                "where": {**_TEXT, "description": "Repository and file, or the address of the page."},
                "version": {**_TEXT, "description": "Commit, release or state of the page that was read."},
                "date": {"type": "string", "pattern": "^20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"},
            },
            "description": "The primary source where what the rule says of a client or a store was read.",
        },
        "twin": {
            "type": "string",
            "pattern": ID_PATTERN,
            "description": "The rule of another station that says the same; check reports that one only.",
        },
        "unseen": {**_TEXT, "description": "Why no server of the corpus breaks it, where none does."},
        "pass": {"type": "array", "items": _EXAMPLE},
        "fail": {"type": "array", "items": _EXAMPLE},
    },
    "anyOf": [{"required": ["message"]}, {"required": ["messages"]}],
    "if": {"not": {"required": ["station"], "properties": {"station": {"not": {"const": "lint"}}}}},
    "then": {
        "required": ["pass", "fail"],
        "properties": {"pass": {"minItems": 1}, "fail": {"minItems": 1}},
        "oneOf": [{"required": [key]} for key in ("check", "cases", "then", "pattern", "forbid")],
    },
    "else": {"not": {"anyOf": [{"required": [key]} for key in ("check", "cases", "then", "pattern", "forbid")]}},
}
"""The format of a rule file; user packs are validated when they load, our own by the tests."""


def rule_schema() -> dict[str, Any]:
    """:data:`RULE_SCHEMA`, as the other formats have it."""
    return dict(RULE_SCHEMA)


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
