"""Report → SARIF 2.1.0 (OASIS, 27 March 2020), as GitHub code scanning reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import msgspec

from mcp_governor.errors import Exit
from mcp_governor.findings import Severity
from mcp_governor.installation import documentation
from mcp_governor.report.items import Item, items, standalone_text
from mcp_governor.rules.catalogue import page_of_rule
from mcp_governor.rules.finding import named
from mcp_governor.secrets import redact_json
from mcp_governor.surface.file import dump_json

if TYPE_CHECKING:
    from mcp_governor.checking.model import Report

IS_JSON = True
WITH_PLACES = True

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

MAX_RESULTS = 5_000
"""Results that are written, the worst first: GitHub shows 5,000 of a run, and drops an upload with 25,000."""

_MAX_LENGTH = 2_000
"""Characters of a message: GitHub shows 1,024 in the list, and the whole on the page of an alert."""

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def render(report: Report) -> str:
    """The report as one SARIF run; accepted findings are suppressed results."""
    found = items(report)
    shown = found[:MAX_RESULTS]
    names = list(dict.fromkeys(item.rule for item in shown))
    index = {name: at for at, name in enumerate(names)}
    invocation: dict[str, Any] = {
        "executionSuccessful": True,
        "exitCode": int(Exit.PASS if report.verdict == "pass" else Exit.FINDINGS),
    }
    if report.reproduce:
        invocation["commandLine"] = report.reproduce
    if len(found) > len(shown):
        text = f"{len(found) - len(shown):,} more results are not listed; see the JSON report."
        invocation["toolExecutionNotifications"] = [{"level": "warning", "message": {"text": text}}]
    run = {
        "tool": {
            "driver": {
                "name": "mcp-governor",
                "semanticVersion": report.governor.version,
                **({"informationUri": site} if (site := documentation()) else {}),
                "rules": [_rule(name) for name in names],
            }
        },
        "invocations": [invocation],
        "columnKind": "unicodeCodePoints",
        "results": [_result(item, index[item.rule], report) for item in shown],
        "properties": {
            "verdict": report.verdict,
            "required_bump": report.required_bump.value,
            **({"calls": msgspec.to_builtins(report.calls)} if report.calls is not None else {}),
        },
    }
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return dump_json(redact_json(document))


def _rule(name: str) -> dict[str, Any]:
    """The description of a rule or kind of change from the catalogue; for external rules, only the name."""
    from mcp_governor.change.model import catalogue as kinds
    from mcp_governor.rules import load_catalogue

    rule, kind = load_catalogue().rules.get(name), kinds().get(name)
    if rule is not None:
        help_ = f"{rule.why.strip()}\n\nFix: {named(rule.fix)}" if rule.fix else rule.why.strip()
        return {
            "id": name,
            **({"helpUri": page} if (page := page_of_rule(name)) else {}),
            "shortDescription": {"text": rule.summary},
            "fullDescription": {"text": " ".join(rule.why.split())},
            "help": {"text": help_},
            "defaultConfiguration": {"level": _LEVELS[rule.severity]},
            "properties": {"tags": [rule.pack]},
        }
    if kind is not None:
        return {
            "id": name,
            "shortDescription": {"text": kind.explanation},
            "defaultConfiguration": {"level": "error"},
            "properties": {"tags": ["change"]},
        }
    return {"id": name}


def _result(item: Item, index: int, report: Report) -> dict[str, Any]:
    # Viewers show ``[text](target)`` as a link even in plain text (SARIF 2.1.0, 3.11.6).
    text = standalone_text(item, report, _MAX_LENGTH).replace("](", "] (")
    result: dict[str, Any] = {
        "ruleId": item.rule,
        "ruleIndex": index,
        "level": _LEVELS[item.severity],
        "message": {"text": text},
        "partialFingerprints": {"findingId/v1": item.id},
    }
    place: dict[str, Any] = {"artifactLocation": {"uri": quote(item.path, safe="/:")}}
    if item.line:
        place["region"] = {"startLine": item.line, **({"startColumn": item.column} if item.column else {})}
    location: dict[str, Any] = {"physicalLocation": place}
    if item.tool or item.pointer:
        name = f"{item.tool}{item.pointer}" if item.tool else item.pointer
        location["logicalLocations"] = [{"fullyQualifiedName": name, "kind": "member"}]
    result["locations"] = [location]
    if item.accepted is not None:
        result["suppressions"] = [{"kind": "external", "status": "accepted", "justification": item.accepted}]
    return result
