"""``check --only breaking``: a gate for breaks alone, in a folder with nothing in it but what it is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commandline import Outcome, governor_here

OLD = {"find": {"title": {"type": "string"}}, "list": {}}


def recorded(tools: dict[str, dict[str, Any]], version: str = "1.0.0", **more: Any) -> str:
    listed = [
        {"name": name, "inputSchema": {"type": "object", "properties": properties}, **more.get(name, {})}
        for name, properties in tools.items()
    ]
    return json.dumps({"tools": listed, "serverInfo": {"name": "shelf", "version": version}})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.json").write_text(recorded(OLD))
    return tmp_path


def gate(capsys: pytest.CaptureFixture[str], *more: str, new: str = "new.json", against: str = "old.json") -> Outcome:
    return governor_here("check", new, "--only", "breaking", "--against", against, *more, capsys=capsys)


def test_what_breaks_nobody_passes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No description, no version step and no changelog: a full check has much to say about all of it."""
    (folder / "new.json").write_text(recorded({**OLD, "list": {"limit": {"type": "integer"}}, "add": {}}))
    outcome = gate(capsys)
    assert outcome.code == 0
    assert outcome.out.splitlines()[-3:] == [
        "no breaking changes",
        "only breaking changes were checked: no version, no changelog, no rules",
        "PASS",
    ]
    assert governor_here("check", "new.json", "--against", "old.json", capsys=capsys).code == 1


def test_a_break_fails_whatever_the_version_says(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "new.json").write_text(recorded({"find": {"title": {"type": "integer"}}}, "2.0.0"))
    outcome = gate(capsys)
    assert outcome.code == 1
    assert "2 breaking changes\nonly breaking changes were checked" in outcome.out
    assert "required bump" not in outcome.out
    report = gate(capsys, "--format", "json").report
    assert report["only"] == "breaking"
    assert (report["findings"], report["stage"], report["pending"]) == ([], None, None)
    assert [change["kind"] for change in report["changes"]] == ["type-changed", "tool-removed"]
    markdown = gate(capsys, "--format", "markdown").out
    assert (
        "Compared with `old.json`. Only breaking changes were checked: no version, no changelog, no rules." in markdown
    )


def test_the_configuration_is_heard_where_it_is_about_breaks(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Tiers and acceptances count; a changelog that is missing and rules that are unknown do not."""
    (folder / "new.json").write_text(recorded({"find": {"title": {"type": "integer"}}}))
    first, second = gate(capsys, "--format", "json").report["changes"]
    settings = 'changelog = "none.md"\n[lint]\nselect = ["no/such-rule"]\n'
    entry = f'[[accept]]\nfinding = "{first["id"]}"\nreason = "agreed with the clients"\n'
    (folder / "mcp-governor.toml").write_text(settings + entry)
    outcome = gate(capsys)
    assert outcome.code == 1
    assert "accepted: agreed with the clients" in outcome.out
    also = f'[[accept]]\nfinding = "{second["id"]}"\nreason = "unused"\n'
    lint = '[[accept]]\nfinding = "clarity/length:find:/description:0"\nreason = "another run"\n'
    (folder / "mcp-governor.toml").write_text(settings + entry + also + lint)
    assert gate(capsys).code == 0
    (folder / "mcp-governor.toml").write_text(f"{settings}{entry}until = 2020-01-01\n\n{also}")
    assert gate(capsys).code == 1, "an acceptance that ran out accepts nothing"


def test_with_nothing_to_compare_nothing_was_checked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = governor_here("check", "old.json", "--only", "breaking", capsys=capsys)
    assert outcome.code == 4
    assert "There is nothing to compare with" in outcome.err
    assert "--against pypi:NAME" in outcome.err
