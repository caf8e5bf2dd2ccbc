"""The JSON Schema of the configuration, which ``schema config`` prints and loading validates against."""

from __future__ import annotations

from typing import Any

from mcp_governor.config.model import (
    CALLS_BUDGET,
    CALLS_MODES,
    GROWTH_RATIO,
    LOAD_RECORD,
    MAX_RELEASES,
    MAX_SECONDS,
    SLOWER_RATIO,
)
from mcp_governor.findings import Severity, Tier
from mcp_governor.schemas.dialects import DIALECT_2020_12

FORMAT = "mcp-governor/config-1"

_TEXT: dict[str, Any] = {"type": "string", "minLength": 1}
_STRINGS: dict[str, Any] = {"type": "array", "items": _TEXT}
_SECONDS: dict[str, Any] = {"type": "number", "exclusiveMinimum": 0, "maximum": MAX_SECONDS}
_STRING_MAP: dict[str, Any] = {"type": "object", "additionalProperties": {"type": "string"}}
_SEVERITIES = [*(severity.value for severity in Severity), "off"]


def _key(schema: dict[str, Any], description: str) -> dict[str, Any]:
    return {**schema, "description": description}


def _table(properties: dict[str, Any], description: str, **more: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "description": description,
        "properties": properties,
        "additionalProperties": False,
        **more,
    }


_SUPPRESSIONS: dict[str, Any] = {
    "type": "array",
    "items": {
        "anyOf": [
            _TEXT,
            _table(
                {"rule": _key(_TEXT, "pack/rule or pack/*."), "reason": _key(_TEXT, "Why it is not reported.")},
                "A rule that is not reported, and why.",
                required=["rule"],
            ),
        ]
    },
}

_SERVER = _table(
    {
        "command": _key(
            {**_STRINGS, "minItems": 1},
            "Program and arguments of a stdio server; the program is looked up in .venv, then in PATH.",
        ),
        "url": _key({"type": "string", "pattern": "^https?://"}, "URL of an HTTP server."),
        "object": _key(
            {"type": "string", "pattern": "^[^:]+:[^:]+$"},
            "package.module:attribute of a server; importing it runs its code.",
        ),
        "file": _key(_TEXT, "A recorded surface."),
        "package": _key(
            {"type": "string", "pattern": "^(pypi|npm):."}, "pypi:NAME or npm:NAME, with an optional version."
        ),
        "args": _key({"type": "array", "items": {"type": "string"}}, "Arguments of the package's server."),
        "with": _key(_STRINGS, 'Other packages to install with the package, for example "mcp<2".'),
        "transport": _key({"enum": ["auto", "http", "sse"]}, "Which HTTP transport; auto falls back to SSE."),
        "era": _key(
            {"enum": ["auto", "modern", "legacy"]},
            "How a session begins: modern is server/discover (2026-07-28), legacy is initialize; auto tries both.",
        ),
        "env": _key(_STRING_MAP, "Environment variables of the server; $NAME is taken from the environment."),
        "headers": _key(_STRING_MAP, "HTTP headers; $NAME is taken from the environment."),
        "bearer-token": _key(_TEXT, "Sent as Authorization: Bearer; $NAME is taken from the environment."),
        "cwd": _key(_TEXT, "Folder that the command or the package runs in."),
        "timeout": _key(_SECONDS, "Timeout per response, in seconds."),
        "start-timeout": _key(_SECONDS, "Timeout for startup, in seconds; see start-timeout."),
        "list-params": _key(
            {"type": "array", "items": {"type": "object"}},
            "Extra tools/list parameters, each for one more request, for servers that publish tiers through them.",
        ),
    },
    "How to reach a server.",
    oneOf=[{"required": [key]} for key in ("command", "url", "object", "file", "package")],
    dependentRequired={"args": ["package"], "with": ["package"]},
)

_LINT = _table(
    {
        "select": _key(_STRINGS, "Rules to run instead of the profile's: pack/rule or pack/*."),
        "extend-select": _key(_STRINGS, "Rules to run in addition to the profile's."),
        "ignore": _key(_SUPPRESSIONS, "Rules not to run: ids, pack/*, or tables of rule and reason."),
        "severity": _key(
            {"type": "object", "additionalProperties": {"enum": _SEVERITIES}}, "Severity by rule or pack/*."
        ),
        "options": _key(
            {"type": "object", "additionalProperties": {"type": "object"}},
            "Options by rule; see: mcp-governor rule NAME.",
        ),
        "per-tool-ignores": _key(
            {"type": "object", "additionalProperties": _SUPPRESSIONS},
            "Rules not to report for some tools, by glob over their names: ids, pack/*, or tables of rule and reason.",
        ),
        "rules": _key(_STRINGS, "Folders with your own rules; those in Python run only if you trust them."),
        "persona": _key({"enum": ["regular", "pedantic"]}, "Rules to run: regular leaves out pedantic rules."),
        "baseline": _key(_TEXT, "File of known findings, which do not fail a run."),
    },
    "Which rules run, and how.",
)

_POLICY = _table(
    {
        "gate": _key(
            {"enum": ["change", "release"]},
            "When version and changelog must be right: with every change, or at a release. "
            "Between releases the version may stay the same, and changes are listed under ## Unreleased.",
        ),
        "evaluation": _key(
            {"enum": ["none", "descriptions", "descriptions-and-schemas"]},
            "Changes that need an evaluation before a release: of descriptions, also of schemas, or none.",
        ),
        "zero-policy": _key(
            {"enum": ["minor-may-break", "anything-goes", "strict"]}, "What a version before 1.0.0 may break."
        ),
        "calver": _key(
            {"enum": ["major", "minor", "patch", "refuse"]},
            "What a release may change where versions do not say it, as dates do not: "
            "up to a major, minor or patch step; refuse: nothing.",
        ),
        "unknown": _key(
            {"enum": ["breaking", "compatible"]}, "How a change that cannot be decided counts in the verdict."
        ),
        "windows": _table(
            {
                tier.value: _key(
                    {"type": "integer", "minimum": 0, "maximum": MAX_RELEASES},
                    f"Minor releases that must carry the warning before a tool of tier {tier.value} is removed or "
                    "moves down; 0 asks for none.",
                )
                for tier in Tier
            },
            "How long a tool stays deprecated before it may be removed, by tier.",
        ),
    },
    "Decisions that a schema cannot make.",
)

_CALL = _table(
    {
        "tool": _key(_TEXT, "Name of the tool."),
        "arguments": _key(
            {"type": "object"}, "Arguments of the call; {sandbox} is the folder of sample files, {today} the date."
        ),
        "status": _key(_TEXT, "Expected status, for example success or error."),
        "kind": _key(_TEXT, "Expected error kind."),
        "suggested-tool": _key(_TEXT, "Tool that the recovery of the error should suggest."),
        "fuzzy-matches": _key({"type": "integer", "minimum": 0}, "Minimum number of alternatives in the recovery."),
    },
    "A call with its expected outcome.",
    required=["tool"],
)

_CALLS: dict[str, Any] = {
    "description": "Calls that check makes, of any tool that they name; or a value of calls-mode.",
    "type": ["array", "string"],
    "items": _CALL,
    # With anyOf, a wrong entry of the list could not be named.
    "if": {"type": "string"},
    "then": {"enum": [*reversed(CALLS_MODES)]},
}

_ACCEPT = _table(
    {
        "finding": _key(_TEXT, "Id of the finding, as reports print it."),
        "reason": _key(_TEXT, "Why it is accepted."),
        "until": _key({}, "Last day of the acceptance, a TOML date."),
        "released": _key(
            _TEXT, "The version released with it; `changelog release` writes it. It applies up to that release."
        ),
    },
    "An accepted finding.",
    required=["finding", "reason"],
)


_SCHEMAS = _table(
    {
        "models": _key(
            {"type": "object", "additionalProperties": {"type": "string", "pattern": "^[^:]+:[^:]+$"}},
            "Tool and its model, package.module:NAME, where the model is not named after the tool; "
            "schemas check --models imports the module, which runs its code.",
        ),
        "injected": _key(_STRINGS, "Names of parameters that the server fills in itself, so that no schema has them."),
        "allow": {
            "type": "array",
            "description": "Allowed differences between schemas and models.",
            "items": _table(
                {
                    "tool": _key(_TEXT, "Name of the tool."),
                    "parameter": _key(_TEXT, "Parameter, with those around it: filter.kind. Default: any."),
                    "rule": _key({"type": "string", "pattern": "^schemas/."}, "Rule that reports it. Default: any."),
                    "reason": _key(_TEXT, "Why it is allowed."),
                },
                "A difference between the schema of a tool and its model, and why it is allowed.",
                required=["tool", "reason"],
            ),
        },
    },
    "Schema files, and the models behind them.",
)


_EVALUATION = _table(
    {
        "queries": _key(_TEXT, "Query set. Default: mcp-queries.jsonl."),
        "runners": _key(_STRINGS, "Runners: bm25, minilm, anthropic:MODEL, openai:MODEL, google:MODEL. Default: bm25."),
        "record": _key(
            _TEXT, "File of recorded answers. Default: none, or mcp-evaluation.jsonl if policy.evaluation needs one."
        ),
        "split": _key({"enum": ["dev", "test"]}, "Ask only the queries of this split."),
        "seed": _key({"type": "integer", "minimum": 0}, "Seed for the order of the tools. Default: 0."),
        "max-cost": _key({"type": "number", "minimum": 0}, "Dollars that a run may spend at most."),
        "min-accuracy": _key(
            {"type": "number", "minimum": 0, "maximum": 100}, "Least accuracy of each runner, in percent."
        ),
        "min-agreement": _key(
            {"type": "number", "minimum": -1, "maximum": 1}, "Least agreement of the models, Krippendorff's alpha."
        ),
        "tolerated-drop": _key(
            {"type": "number", "exclusiveMinimum": 0, "maximum": 100},
            "Drop of accuracy that a comparison has to be able to find, in points.",
        ),
        "insensitive": _key({"enum": ["fail", "warn"]}, "What a comparison does that could not have found that drop."),
    },
    "How models are asked for the right tool, and what is expected of them.",
)

_COUNT: dict[str, Any] = {"type": "integer", "minimum": 1}
_RATIO: dict[str, Any] = {"type": "number", "minimum": 1}

_LOAD = _table(
    {
        "check": _key({"type": "boolean"}, "Measure the list in every check, as with --load."),
        "record": _key(
            _TEXT, f"File of figures to compare with, written by load probe --record. Default: {LOAD_RECORD}."
        ),
        "payload-bytes": _key(_COUNT, "Most bytes of the result of tools/list, as compact JSON."),
        "payload-ratio": _key(_RATIO, f"Most bytes relative to the record; {GROWTH_RATIO:g} by default."),
        "tokens": _key(_COUNT, "Most tokens of all tools, estimated."),
        "tool-tokens": _key(_COUNT, "Most tokens of one tool, estimated."),
        "tokens-ratio": _key(_RATIO, f"Most tokens relative to the record; {GROWTH_RATIO:g} by default."),
        "list-p95-ms": _key(
            {"type": "number", "exclusiveMinimum": 0}, "Longest p95 of tools/list in milliseconds, on this machine."
        ),
        "list-ratio": _key(
            _RATIO,
            f"Longest time of tools/list relative to the record, both as multiples of a server that only answers; "
            f"{SLOWER_RATIO:g} by default.",
        ),
    },
    "Budgets of the list of tools, which check --load judges.",
)


def config_schema(policy_options: dict[str, Any] | None = None, *, profiles: tuple[str, ...] = ()) -> dict[str, Any]:
    """The JSON Schema (2020-12) of ``[tool.mcp-governor]``.

    Args:
        policy_options: schemas of the change catalogue's options, which are part of the ``policy`` table; the caller
            passes them because the catalogue is on a floor above this one.
        profiles: the known profiles, which the caller passes for the same reason.
    """
    policy = {**_POLICY, "properties": {**_POLICY["properties"], **(policy_options or {})}}
    if policy_options is None:
        policy["additionalProperties"] = True
    name = {"enum": list(profiles)} if profiles else _TEXT
    return {
        "$schema": DIALECT_2020_12,
        "title": FORMAT,
        **_table(
            {
                "target": _key(_TEXT, "Server that is checked by default: a name from servers, or any TARGET."),
                "baseline": _key(
                    _TEXT,
                    "What the server is compared with: any TARGET; for a recording, a recording. pypi:NAME and "
                    "npm:NAME mean the newest release that is not newer than the server. Default: the latest release "
                    "tag.",
                ),
                "changelog": _key(_TEXT, "The schema changelog. Default: docs/mcp-schema-changelog.md if it exists."),
                "schema-version": _key(
                    _TEXT,
                    'Where the version comes from: "serverInfo", "pyproject.toml", "package.json", "server.json" (also '
                    'below a folder), "distribution:NAME", "git-tag", "pkg.module:CONSTANT", or the version itself.',
                ),
                "profile": _key(
                    {"anyOf": [name, {"type": "array", "items": name}]}
                    if profiles
                    else {"type": ["string", "array"], "items": _TEXT},
                    "Profiles, which select rules and the result contract; one name, or several that do not conflict.",
                ),
                "level": _key({"enum": ["declared", "strict"]}, "How schemas are compared."),
                "fail-on": _key({"enum": [*(s.value for s in Severity), "never"]}, "Lowest severity that fails a run."),
                "clients": _key(_STRINGS, "Clients whose limits apply."),
                "contract-doc": _key(_TEXT, "Document that must change with a tool's schemas."),
                "server-json": _key(_TEXT, "The registry manifest. Default: server.json if it exists."),
                "timeout": _key(_SECONDS, "Timeout per response of a server, in seconds."),
                "start-timeout": _key(
                    _SECONDS,
                    "Timeout for startup, until the first response, in seconds. Default: 60, or 180 for a package "
                    "and a package runner, or timeout if that is longer.",
                ),
                "read-only-tools": _key(
                    _STRINGS,
                    "Globs over names of tools without annotations that only read and may be called. Like calls and "
                    "calls-dir, it counts for a server of the command line only with --trust.",
                ),
                "calls-dir": _key(_TEXT, "Folder of recorded calls, one JSON file each."),
                "calls-mode": _key(
                    {"enum": [*reversed(CALLS_MODES)]},
                    "What check calls: safe, also each tool with readOnlyHint, once with good arguments and once with "
                    "bad ones; configured, only calls and calls-dir; none. Default: safe if the profile has a result "
                    "contract, else configured.",
                ),
                "calls-budget": _key(
                    _SECONDS, f"Time limit for all calls of a check, in seconds; {CALLS_BUDGET:g} by default."
                ),
                "servers": {
                    "type": "object",
                    "description": "Servers by name.",
                    "additionalProperties": _SERVER,
                },
                "tiers": _table(
                    {tier.value: _key(_STRINGS, f"Globs over tool names: {tier.value}.") for tier in Tier},
                    "Tiers by glob; tools that match none are standard.",
                ),
                "lint": _LINT,
                "policy": policy,
                "changelog-options": _table(
                    {
                        "date": _key({"type": "boolean"}, "Write the release date into the heading."),
                        "surfaces": _key(_TEXT, "Folder that a release records its surface in."),
                    },
                    "How the changelog is written.",
                ),
                "schemas": _SCHEMAS,
                "evaluation": _EVALUATION,
                "load": _LOAD,
                "calls": _CALLS,
                "accept": {"type": "array", "items": _ACCEPT, "description": "Accepted findings."},
            },
            "[tool.mcp-governor] in pyproject.toml, or mcp-governor.toml with the same keys and no prefix.",
        ),
    }
