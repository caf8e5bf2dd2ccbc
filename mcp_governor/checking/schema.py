"""The JSON Schema of ``mcp-governor/report-1``, printed by ``schema report``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.change.vocabulary import Level, Side, Verdict
from mcp_governor.checking.model import FORMAT
from mcp_governor.checking.response_coverage import CONFIGURED, NONE, SAFE, WHYS
from mcp_governor.findings import MAX_SPOTS, Bump, Severity, Tier
from mcp_governor.schemas.dialects import DIALECT_2020_12

if TYPE_CHECKING:
    from collections.abc import Iterable

_TEXT = {"type": "string"}
_OPTIONAL = {"type": ["string", "null"]}
_COUNT = {"type": "integer", "minimum": 0}
_COUNTS = (
    "tools",
    "prompts",
    "resources",
    "templates",
    "skills",
    "rules",
    "calls",
    "files",
    "models",
    "allowed",
    "rules_skipped",
    "old_findings",
    "omitted_changes",
    "omitted_findings",
)
"""Counts in the summary that only some runs have."""


def _enum(kind: type[Any], *, optional: bool = False) -> dict[str, Any]:
    values: list[str | None] = [member.value for member in kind]
    return {"enum": [*values, None] if optional else values}


def _object(properties: dict[str, Any], *, optional: tuple[str, ...] = (), nullable: bool = False) -> dict[str, Any]:
    return {
        "type": ["object", "null"] if nullable else "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
    }


def _growing(values: Iterable[str]) -> dict[str, Any]:
    """One of a list that may grow without a new version of the format: readers have to expect other values."""
    return {**_TEXT, "description": f"Now one of {', '.join(values)}; others may come."}


def report_schema() -> dict[str, Any]:
    """A 2020-12 schema that every JSON report satisfies.

    Objects are open, because a new optional member does not need a new version of the format; a report contains only
    members that the schema of its own mcp-governor declares.
    """
    change = _object(
        {
            "id": _TEXT,
            "kind": {"type": "string", "description": "A name of the change catalogue."},
            "tool": _OPTIONAL,
            "path": {"type": "string", "description": "JSON pointer into the tool, or into the surface."},
            "side": _enum(Side),
            "verdict": _enum(Verdict),
            "level": _enum(Level),
            "tier": _enum(Tier),
            "bump": _enum(Bump),
            "wording": {"type": "boolean", "description": "Only words or spelling change."},
            "message": _TEXT,
            "old": {"description": "The value before, any JSON value; absent where there was none."},
            "new": {"description": "The value now, any JSON value; absent where there is none."},
            "witness": {"description": "A value that proves the break in the schemas; any JSON value."},
            "reason": {"type": "string", "description": "Why the verdict is unknown."},
            "accepted": {"type": "string", "description": "Why the configuration accepts it."},
        },
        optional=("old", "new", "witness", "reason", "accepted"),
    )
    finding = _object(
        {
            "id": {"type": "string", "description": "rule:tool:pointer:hash; what `accept` takes."},
            "rule": {"type": "string", "pattern": "^[a-z0-9-]+/[a-z0-9-]+$"},
            "severity": _enum(Severity),
            "tool": _OPTIONAL,
            "path": {"type": "string", "description": "JSON pointer into the tool or surface, or FILE:LINE."},
            "message": _TEXT,
            "fix": _TEXT,
            "places": {
                "type": "array",
                "items": _object(
                    {
                        "tool": {**_OPTIONAL, "description": "Absent tool: the instructions, a prompt or a resource."},
                        "path": {"type": "string", "description": "JSON pointer into the tool or surface."},
                    }
                ),
                "description": f"The places of a finding about the whole server, at most {MAX_SPOTS:,}.",
            },
            "accepted": {"type": "string", "description": "Why the configuration accepts it."},
        },
        optional=("fix", "places", "accepted"),
    )
    summary = _object(
        {
            "changes": _object({verdict.value: _COUNT for verdict in Verdict}),
            "findings": _object({severity.value: _COUNT for severity in Severity}),
            "accepted": _COUNT,
            **dict.fromkeys(_COUNTS, _COUNT),
            "good_calls": {
                **_object(
                    {
                        "tools": _COUNT,
                        "succeeded": _COUNT,
                        "failed": _COUNT,
                        "tools_without_success": {"type": "array", "items": _TEXT},
                    }
                ),
                "description": "Calls with good arguments, where tools were called.",
            },
            "forcing": {
                "type": "array",
                "items": _TEXT,
                "description": "Ids of the changes that force the required bump.",
            },
        },
        optional=("good_calls", *_COUNTS),
    )
    return {
        "$schema": DIALECT_2020_12,
        "title": FORMAT,
        **_object(
            {
                "format": {"const": FORMAT},
                "governor": _object({"version": _TEXT}),
                "target": _TEXT,
                "server": _object({"name": _OPTIONAL, "version": _OPTIONAL, "protocol": _OPTIONAL}, nullable=True),
                "fingerprint": {"type": ["string", "null"], "pattern": "^v1:sha256:[0-9a-f]{64}$"},
                "baseline": _object({"source": _TEXT, "version": _OPTIONAL, "fingerprint": _TEXT}, nullable=True),
                "required_bump": _enum(Bump),
                "declared_bump": _enum(Bump, optional=True),
                "stage": {
                    **_object({"gate": _TEXT, "at_release": {"type": "boolean"}, "tag": _OPTIONAL}, nullable=True),
                    "description": "If changes may wait for the next release; tag: the release that is built.",
                },
                "only": {
                    **_OPTIONAL,
                    "description": "The only kind of change that was checked, now `breaking`; null if all were.",
                },
                "pending": {
                    **_object({"bump": _enum(Bump), "version": _OPTIONAL}, nullable=True),
                    "description": "What waits for the next release, and the version to release it as.",
                },
                "changes": {"type": "array", "items": change},
                "findings": {"type": "array", "items": finding},
                "calls": {
                    **_object(
                        {
                            "mode": _growing((SAFE, CONFIGURED, NONE)),
                            "contracts": {"type": "array", "items": _TEXT},
                            "tools": _COUNT,
                            "seen": _COUNT,
                            "unseen": {
                                "type": "array",
                                "items": _object({"why": _growing(WHYS), "tools": {"type": "array", "items": _TEXT}}),
                            },
                        }
                    ),
                    "description": "How many tools a response was checked of, the others by reason, and the packs "
                    "of rules that responses are checked against.",
                },
                "tokens": {
                    **_object(
                        {
                            "total": _COUNT,
                            "growth": {"type": "integer"},
                            "tools": {
                                "type": "object",
                                "additionalProperties": _object(
                                    {"tokens": _COUNT, "growth": {"type": "integer"}}, optional=("growth",)
                                ),
                            },
                        },
                        optional=("growth",),
                    ),
                    "description": "Estimated cost of the tools for a model; growth: the increase since the baseline.",
                },
                "base": {
                    **_object(
                        {
                            "ref": _TEXT,
                            "new": {"type": "array", "items": _TEXT},
                            "breaks": {"type": "array", "items": _TEXT},
                            "approval": {"enum": ["required", "given", None]},
                            "asks": {"type": "array", "items": _object({"id": _TEXT, "key": _TEXT})},
                            "approved": {"type": "array", "items": _object({"id": _TEXT, "key": _TEXT})},
                        },
                        optional=("asks", "approved"),
                    ),
                    "description": "With --base: ids of the changes that the base branch does not have, of those that "
                    "break clients, or may break them, and of what waits for an approval or has one.",
                },
                "summary": summary,
                "reproduce": {
                    **_TEXT,
                    "description": "The command that repeats the run from the root of the repository, for a POSIX "
                    "shell.",
                },
                "verdict": {"enum": ["pass", "fail"]},
            },
            optional=("calls", "tokens", "base", "reproduce"),
        ),
    }
