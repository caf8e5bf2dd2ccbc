"""``policy.evaluation``: at a release models were asked about these words, and between releases nobody has to be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from replacing import replace

from mcp_governor import check
from mcp_governor.checking.discipline import check_evaluated
from mcp_governor.config import Config
from mcp_governor.config.policy import PolicyConfig
from mcp_governor.evaluation.model import Answer, Query, QuerySet, Run, RunnerInfo
from mcp_governor.evaluation.queries import digest
from mcp_governor.evaluation.record import Evaluation, record_text
from mcp_governor.stage import Stage
from mcp_governor.surface import Surface, fingerprint, parse_surface
from mcp_governor.surface.fingerprint import wording_fingerprint

AT_RELEASE = Stage("release", at_release=True)
FILE = "mcp-evaluation.jsonl"


def surface(description: str = "Finds a note.", kind: str = "string") -> Surface:
    schema = {"type": "object", "properties": {"text": {"type": kind}}}
    tool = {"name": "find", "description": description, "inputSchema": schema}
    return parse_surface(json.dumps({"tools": [tool], "serverInfo": {"name": "n", "version": "1.0.0"}}).encode(), "s")


def record(folder: Path, of: Surface, *, proxy: bool = False, answers: bool = True, name: str = FILE) -> None:
    queries = (Query("q1", "Find it", ("find",)),)
    made = QuerySet("q", queries, digest(queries))
    info = RunnerInfo("bm25" if proxy else "anthropic:a", "x", "x", proxy)
    digests = (fingerprint(of), wording_fingerprint(of))
    run = Run(info, (Answer("q1", ()),) if answers else (), "2026-11-23T10:00:00+00:00")
    (folder / name).write_text(record_text(Evaluation(made, (), (run,), *digests)))


def config(folder: Path, wanted: str = "descriptions", **more: Any) -> Config:
    return Config(root=folder, policy=PolicyConfig(gate="release", evaluation=wanted), **more)


def found(
    folder: Path, now: Surface, stage: Stage = AT_RELEASE, wanted: str = "descriptions", **more: Any
) -> list[str]:
    return [one.message for one in check_evaluated(now, config(folder, wanted, **more), stage)]


def test_without_a_recorded_evaluation(tmp_path: Path) -> None:
    assert found(tmp_path, surface()) == [
        "mcp-evaluation.jsonl does not exist, so no model was asked about these descriptions."
    ]


def test_the_same_words_pass_and_others_do_not(tmp_path: Path) -> None:
    record(tmp_path, surface())
    assert found(tmp_path, surface()) == []
    (message,) = found(tmp_path, surface("Looks for a note."))
    assert message.startswith("mcp-evaluation.jsonl is an evaluation of another wording: w1:sha256:")


@pytest.mark.parametrize(("wanted", "number"), [("none", 0), ("descriptions", 0), ("descriptions-and-schemas", 1)])
def test_other_schemas(tmp_path: Path, wanted: str, number: int) -> None:
    record(tmp_path, surface())
    assert len(found(tmp_path, surface(kind="integer"), wanted=wanted)) == number


@pytest.mark.parametrize(
    ("stage", "number"),
    [
        (Stage("release", at_release=False), 0),
        (Stage("release", at_release=True), 1),
        (Stage("change", at_release=True), 0),
        (Stage("change", at_release=True, tag="v1.0.0"), 1),
        (Stage("change", at_release=True, asked=True), 1),
    ],
)
def test_it_is_asked_for_at_the_end_of_a_phase_and_never_per_commit(tmp_path: Path, stage: Stage, number: int) -> None:
    assert len(found(tmp_path, surface(), stage)) == number


def test_a_ranking_by_words_is_no_model_and_an_empty_run_is_no_run(tmp_path: Path) -> None:
    for more in ({"proxy": True}, {"answers": False}):
        record(tmp_path, surface(), **more)
        (message,) = found(tmp_path, surface())
        assert message.startswith("mcp-evaluation.jsonl is an evaluation of no model")


def test_a_file_that_cannot_be_read_is_not_a_pass(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("{}")
    (message,) = found(tmp_path, surface())
    assert message.startswith("The recorded evaluation cannot be read: ")
    assert "file" not in message.split(":")[0]


def test_check_reports_it_at_a_release_alone(tmp_path: Path) -> None:
    settings = replace(config(tmp_path), path=tmp_path / "mcp-governor.toml", schema_version="1.0.0")
    rules = [[one.rule for one in check(surface(), config=settings, release=release).findings] for release in (0, 1)]
    assert ["evaluation/run-missing" in one for one in rules] == [False, True]
