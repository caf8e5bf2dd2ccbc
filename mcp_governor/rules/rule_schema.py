"""The JSON Schema of rule files (``schema rule``), and validation against it."""

from __future__ import annotations

from typing import Any

from mcp_governor.findings import Effect, Severity
from mcp_governor.rules.rule import SCOPES, STATIONS
from mcp_governor.rules.settings import PERSONAS
from mcp_governor.schemas.dialects import DIALECT_2020_12

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
