"""The formats of documents that mcp-governor promises: what it writes, what it reads, and the schema of each.

``contracts/`` keeps the schema of every version of them; docs/formats.md says what is promised.
"""

from __future__ import annotations

import importlib
from typing import Any

from msgspec import Struct

from mcp_governor.documents import schema_of


class DocumentFormat(Struct, frozen=True):
    """A format with a published JSON Schema, whose ``title`` is name and version: ``mcp-governor/report-1``.

    Attributes:
        name: what ``mcp-governor schema`` calls it.
        what: what such a document is.
        source: ``package.module:Type`` of the document, or ``package.module:function`` of the schema.
        written: mcp-governor writes such documents, so others read them.
        read: mcp-governor reads such documents, so those that exist must stay valid.
        stated: a document states its format as ``format``.
    """

    name: str
    what: str
    source: str
    written: bool = False
    read: bool = False
    stated: bool = True

    def schema(self) -> dict[str, Any]:
        """The schema of today."""
        module, _, name = self.source.partition(":")
        made = getattr(importlib.import_module(module), name)
        schema: dict[str, Any] = schema_of(made, written=not self.read) if isinstance(made, type) else made()
        return schema

    @property
    def version(self) -> int:
        """The number of today."""
        return int(self.schema()["title"].rpartition("-")[2])


DOCUMENT_FORMATS = {
    form.name: form
    for form in (
        DocumentFormat(
            "report",
            "the report of `check`, `lint`, `diff`, `call` and `changelog check` (`--format json`)",
            "mcp_governor.checking.report_document:ReportDocument",
            written=True,
        ),
        DocumentFormat(
            "config",
            "`mcp-governor.toml`, and `[tool.mcp-governor]` in `pyproject.toml`",
            "mcp_governor.checking.reading:full_config_schema",
            read=True,
            stated=False,
        ),
        DocumentFormat(
            "surface",
            "the recorded surface, `mcp-surface.json`",
            "mcp_governor.surface.schema:surface_schema",
            written=True,
            read=True,
        ),
        DocumentFormat(
            "rule",
            "a rule file in TOML",
            "mcp_governor.rules.rule_schema:rule_schema",
            read=True,
            stated=False,
        ),
        DocumentFormat(
            "evaluation",
            "what an evaluation measured (`eval run --json-out`)",
            "mcp_governor.evaluation.assessment:EvaluationDocument",
            written=True,
        ),
        DocumentFormat(
            "fix-plan",
            "the plan of `lint --fix-plan`",
            "mcp_governor.checking.fix_plan:FixPlanDocument",
            written=True,
        ),
        DocumentFormat(
            "lint-baseline",
            "the known findings of `lint --write-baseline`",
            "mcp_governor.rules.governing:LintBaseline",
            written=True,
            read=True,
        ),
        DocumentFormat(
            "schemas",
            "`.mcp-governor-schemas.json`, the list of exported schema files",
            "mcp_governor.schema_files.documents:Manifest",
            written=True,
            read=True,
        ),
        DocumentFormat(
            "call",
            "a recorded call in `calls-dir`",
            "mcp_governor.call.record:recording_schema",
            written=True,
            read=True,
            stated=False,
        ),
        DocumentFormat(
            "queries",
            "one line of a query set, `mcp-queries.jsonl`",
            "mcp_governor.evaluation.queries:queries_schema",
            read=True,
            stated=False,
        ),
        DocumentFormat(
            "load-probe",
            "what `load probe --json-out` measured",
            "mcp_governor.load.probe:ProbeDocument",
            written=True,
        ),
        DocumentFormat(
            "load",
            "`mcp-load.json`, the figures with which budgets are compared",
            "mcp_governor.load.findings:LoadRecord",
            written=True,
            read=True,
        ),
        DocumentFormat(
            "load-sweep",
            "the report of `load sweep --json-out`",
            "mcp_governor.load.model:SweepDocument",
            written=True,
        ),
        DocumentFormat(
            "fleet",
            "the report about many servers (`fleet check --format json`, `--all`)",
            "mcp_governor.fleet.model:fleet_schema",
            written=True,
        ),
    )
}
"""Every format, by name."""
