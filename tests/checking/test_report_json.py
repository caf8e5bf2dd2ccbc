"""The JSON report: one schema for every command, and the same names in Python."""

from __future__ import annotations

import json
from dataclasses import is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from commandline import governor_here
from documents import closed
from msgspec import Struct

from mcp_governor.checking.against.baseline import Baseline
from mcp_governor.checking.against.comparison import Comparison
from mcp_governor.checking.formats import DOCUMENT_FORMATS
from mcp_governor.checking.model import Report
from mcp_governor.checking.report_document import document as document_of
from mcp_governor.checking.run import check_surface
from mcp_governor.config import AcceptConfig, Config
from mcp_governor.demo.server import RELEASES
from mcp_governor.surface import build_surface, dump_surface

ODD = [{"name": "a\x1b\u202e\ud800", "inputSchema": True}, {"name": "a\x1b\u202e\ud800"}, None, {"name": 5}]
CHANGELOG = "# Changelog\n\n## 1.0.0 (current)\n\n### Added\n\n- `search_books`.\n"


@pytest.fixture(scope="module")
def validator(tmp_path_factory) -> jsonschema.Draft202012Validator:
    """The schema as ``schema report`` prints it, without the room that it leaves for members of later releases."""
    jsonschema.Draft202012Validator.check_schema(DOCUMENT_FORMATS["report"].schema())
    return jsonschema.Draft202012Validator(closed(DOCUMENT_FORMATS["report"].schema()))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch) -> Path:
    for name, raw in (("old", RELEASES[1]), ("new", RELEASES[2]), ("odd", {"tools": ODD})):
        (tmp_path / f"{name}.json").write_text(dump_surface(build_surface(raw)))
    (tmp_path / "bare.json").write_text(json.dumps(RELEASES[1]["tools"]))
    (tmp_path / "changes.md").write_text(CHANGELOG)
    (tmp_path / "mcp-governor.toml").write_text('changelog = "changes.md"\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


RUNS = [
    "check old.json --against old.json",
    "check new.json --against old.json",
    "check new.json --against old.json --level strict",
    "check new.json --against old.json --fail-on never",
    "check old.json --against new.json",
    "check new.json",
    "check odd.json --against old.json",
    "check bare.json --against old.json",
    "diff old.json new.json",
    "diff new.json old.json --only breaking",
    "diff old.json odd.json",
    "diff old.json old.json",
    "lint new.json",
    "lint odd.json",
    "lint old.json --profile charter --pedantic",
    "changelog check new.json --against old.json",
    "changelog check bare.json",
]


@pytest.mark.parametrize("line", RUNS)
def test_every_report_holds_its_schema(folder: Path, capsys, validator, line: str) -> None:
    outcome = governor_here(*line.split(), "--format", "json", capsys=capsys)
    assert outcome.code in (0, 1), outcome.err
    validator.validate(outcome.report)
    assert outcome.code == (1 if outcome.report["verdict"] == "fail" else 0)
    ids = [entry["id"] for entry in (*outcome.report["changes"], *outcome.report["findings"])]
    assert len(ids) == len(set(ids)), "an id names one thing"
    summary = outcome.report["summary"]
    assert sum(summary["changes"].values()) == len(outcome.report["changes"])
    assert sum(summary["findings"].values()) == len(outcome.report["findings"])


def test_the_schema_is_printed(capsys) -> None:
    assert json.loads(governor_here("schema", "report", capsys=capsys).stdout) == DOCUMENT_FORMATS["report"].schema()


def full_report() -> Report:
    """A report with changes, findings, and one of each accepted."""
    old, new = build_surface(RELEASES[1], source="old"), build_surface(RELEASES[2], source="new")
    first = check_surface(Comparison(new, Config(), Baseline("old", old)))
    accept = tuple(AcceptConfig(item.id, "agreed") for item in (first.changes[0], first.findings[0]))
    report = check_surface(Comparison(new, Config(accept=accept), Baseline("old", old)))
    assert len(report.accepted) == 1
    assert report.findings[0].accepted == "agreed"
    return report


def mirrors(value: Any, document: Any) -> bool:
    """Whether attributes say what the JSON says under the same names."""
    if isinstance(value, Enum):
        return bool(value.value == document)
    if isinstance(value, tuple | list):
        return len(value) == len(document) and all(map(mirrors, value, document))
    if is_dataclass(value) or isinstance(value, Struct):
        return all(mirrors(getattr(value, name), item) for name, item in document.items())
    return bool(value == document)


def test_the_report_has_the_attributes_that_the_json_names() -> None:
    report = full_report()
    document = document_of(report)
    for name in set(document) - {"changes", "findings", "tokens"}:
        assert mirrors(getattr(report, name), document[name]), name
    assert {name: cost["tokens"] for name, cost in document["tokens"]["tools"].items()} == report.tokens.tools
    assert document["tokens"]["total"] == sum(report.tokens.tools.values())
    for finding, reported in zip(report.findings, document["findings"], strict=True):
        assert mirrors(finding, reported)
    for change, reported in zip(report.changes, document["changes"], strict=True):
        assert report.accepted.get(change.id) == reported.pop("accepted", None)
        reported.pop("witness", None)
        assert mirrors(change, reported)
