"""The JSON Schema of ``mcp-governor/fix-plan-1``, printed by ``schema fix-plan``."""

from __future__ import annotations

from typing import Any, get_args, get_type_hints

from mcp_governor.checking.fix_plan import FORMAT
from mcp_governor.findings import Effect
from mcp_governor.fixes.proof import Proof
from mcp_governor.schemas.dialects import DIALECT_2020_12

_TEXT = {"type": "string"}
_COUNT = {"type": "integer", "minimum": 0}
_ID = {"type": "string", "description": "rule:tool:pointer:hash, as in a report."}
_IDS = {"type": "array", "items": _ID}


def _object(properties: dict[str, Any], *optional: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
    }


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def fix_plan_schema() -> dict[str, Any]:
    """A 2020-12 schema that every plan satisfies. Objects are open, as in :func:`~.schema.report_schema`."""
    operation = _object(
        {"op": {"enum": ["add", "remove", "replace"]}, "path": _TEXT, "value": {"description": "Any JSON value."}},
        "value",
    )
    source = _object(
        {
            "file": {"type": "string", "description": "Relative to the project."},
            "line": {"type": "integer", "minimum": 1},
            "certain": {"type": "boolean", "description": "False: found as text, or in several places."},
        }
    )
    place = _object(
        {
            "tool": _TEXT,
            "path": {"type": "string", "description": "JSON pointer into the tool."},
            "patch": {**_list(operation), "description": "JSON Patch (RFC 6902), relative to the tool."},
            "source": source,
            "code": {
                "type": "string",
                "description": "The Python parameter, or argument of the decorator, as corrected.",
            },
        },
        "source",
        "code",
    )
    proof = _object(
        {
            "verdict": {"enum": list(get_args(get_type_hints(Proof)["verdict"]))},
            "witness": {"description": "A value that was accepted and is refused after the fix; any JSON value."},
            "reason": {"type": "string", "description": "What stopped the decision of an unknown one."},
        },
        "witness",
        "reason",
    )
    fix = _object(
        {
            "findings": _list(_object({"id": _ID, "rule": _TEXT, "message": _TEXT})),
            "before": {"description": "The fragment; absent where there is none."},
            "after": {"description": "The corrected fragment; absent where none is left."},
            "effect": {"enum": [effect.value for effect in Effect], "description": "What the fix is meant to do."},
            "proof": proof,
            "places": _list(place),
        },
        "before",
        "after",
    )
    counts = ("fixes", "places", "fixed", "partly", "unfixed")
    withheld = _object({"finding": _ID, "tool": {"type": ["string", "null"]}, "reason": _TEXT})
    return {
        "$schema": DIALECT_2020_12,
        "title": FORMAT,
        **_object(
            {
                "format": {"const": FORMAT},
                "target": _TEXT,
                "fingerprint": {"type": "string", "description": "Of the surface that the fixes are for."},
                "summary": _object(dict.fromkeys(counts, _COUNT)),
                "fixes": _list(fix),
                "fixed": {**_IDS, "description": "Findings that are gone after the plan."},
                "partly": {**_IDS, "description": "Findings about several places, some of which are left."},
                "unfixed": {**_IDS, "description": "Findings that a person has to decide."},
                "withheld": _list(withheld),
                "brought": {**_IDS, "description": "Findings about all tools together that the plan brings."},
            }
        ),
    }
