"""The data in the responses of the tools, as models whose schemas are published."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

LISTED = 10_000
"""Items of a list in a response. A finding or a change takes at least 53 bytes of the 512 KB that a response may have
(``worker.RESULT_BYTES``), so there are never more; of rules there are some hundred."""

SHOWN, PAGE = 50, 200
"""Most items that ``check_server`` lists, some 5,000 tokens, and most on a page of ``list_findings``, some 20,000."""

SeverityName = Literal["error", "warning", "info"]
BumpName = Literal["none", "patch", "minor", "major"]


class FoundIn(BaseModel):
    """What one rule says about one place."""

    rule: str
    severity: SeverityName
    path: str
    message: str
    fix: str


class LintData(BaseModel):
    """Findings of one tool."""

    findings: list[FoundIn] = Field(json_schema_extra={"maxItems": LISTED})


class ValidateData(BaseModel):
    """Findings about one response."""

    valid: bool = Field(description="No finding is an error.")
    findings: list[FoundIn] = Field(json_schema_extra={"maxItems": LISTED})


class ChangeData(BaseModel):
    """One difference between two surfaces."""

    kind: str
    tool: str | None
    path: str
    verdict: Literal["breaking", "compatible", "unknown"]
    message: str
    witness_json: str | None = Field(description="A JSON value that proves a break, as text.")


class CompareData(BaseModel):
    """The differences between two surfaces."""

    required_bump: BumpName
    changes: list[ChangeData] = Field(json_schema_extra={"maxItems": LISTED})


class RuleData(BaseModel):
    """One rule of the catalogue; detailed answers have the summary too."""

    id: str
    severity: SeverityName
    summary: str | None


class RulesData(BaseModel):
    """Rules of the catalogue."""

    rules: list[RuleData] = Field(json_schema_extra={"maxItems": LISTED})


class ItemData(BaseModel):
    """A finding, or a change that breaks or could not be decided, of the last check of a server."""

    id: str
    rule: str = Field(description="The rule, or the kind of a change.")
    severity: SeverityName
    tool: str | None
    path: str
    message: str
    fix: str | None
    accepted: bool = Field(description="The configuration accepts it, so it fails nothing.")


class CountsData(BaseModel):
    """How many findings and changes a check found; accepted ones are counted only as accepted."""

    errors: int
    warnings: int
    infos: int
    breaking: int
    unknown: int
    accepted: int


class CheckData(BaseModel):
    """The verdict on one server."""

    server: str
    verdict: Literal["pass", "fail"]
    required_bump: BumpName
    declared_bump: BumpName | None
    counts: CountsData
    worst: list[ItemData] = Field(max_length=SHOWN)
    command: str = Field(description="Gives the whole report at a terminal.")


class FindingsData(BaseModel):
    """A page of the items of the last check."""

    server: str
    total: int
    findings: list[ItemData] = Field(max_length=PAGE)
    next_cursor: str | None


class ExplainData(BaseModel):
    """One item, and why its rule exists."""

    finding: ItemData
    why: str | None
    source: str | None
    passing_example_json: str | None
    failing_example_json: str | None
    accept_command: str = Field(description="Accepts it, if somebody decides that it may stay.")


class DraftData(BaseModel):
    """The entries that the schema changelog lacks. Nothing is written."""

    changelog: str
    section: str
    missing_entries: int
    diff: str
    next_step: str
