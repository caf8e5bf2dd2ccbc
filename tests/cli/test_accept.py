"""``accept``: one acceptance in the configuration file, and nothing else in it touched."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path

import pytest
from support import reported

from mcp_governor.cli import run
from mcp_governor.config import load_config

ID = "policy/bump-too-small:-:/serverInfo/version:b9c08877"
OTHER = "argument-required:find:/inputSchema/properties/a:b/c:0a1b2c3d"
REPORT = ("--report", "report.json")
OWN = '# ours\nbaseline = "mcp-surface.json"   # reviewed\n\n[servers.s]\ncommand = ["s"]\n'
PROJECT = '[project]\nname = "x"  # kept\n\n[tool.mcp-governor]\nlevel = "strict"\n\n[tool.other]\na = 1\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    reported(tmp_path, ID, OTHER)
    return tmp_path


def accepted(folder: Path) -> list[tuple[str, str, date | None]]:
    return [(item.finding, item.reason, item.until) for item in load_config(start=folder).accept]


@pytest.mark.parametrize(("name", "text"), [("mcp-governor.toml", OWN), ("pyproject.toml", PROJECT)])
def test_one_entry_is_added_and_every_old_line_stays(folder: Path, capsys, name: str, text: str) -> None:
    (folder / name).write_text(text)
    assert run(["accept", ID, "--reason", "agreed with all clients", "--until", "2999-01-31", *REPORT]) == 0
    assert capsys.readouterr().out == f"{name}: accepts {ID} until 2999-01-31.\n"
    assert accepted(folder) == [(ID, "agreed with all clients", date(2999, 1, 31))]
    lines = iter((folder / name).read_text().splitlines())
    assert all(line in lines for line in text.splitlines()), "an old line is gone or has moved"


def test_the_same_id_is_renewed_and_another_is_added(folder: Path) -> None:
    (folder / "mcp-governor.toml").write_text(OWN)
    for arguments in (
        [ID, "--reason", "first", "--until", "2999-01-31"],
        [OTHER, "--reason", "second"],
        [ID, "--reason", "third", "-q"],
    ):
        assert run(["accept", *arguments, *REPORT]) == 0
    assert accepted(folder) == [(ID, "third", None), (OTHER, "second", None)]


def test_today_is_a_last_day_and_yesterday_is_not(folder: Path, capsys) -> None:
    config = folder / "mcp-governor.toml"
    config.write_text(OWN)
    today, yesterday = date.today(), date.today() - timedelta(days=1)
    assert run(["accept", ID, "--reason", "r", "--until", yesterday.isoformat()]) == 2
    assert config.read_text() == OWN
    assert "is in the past" in capsys.readouterr().err
    assert run(["accept", ID, "--reason", "r", "--until", today.isoformat(), *REPORT]) == 0


def test_another_file_is_named_with_config_and_keeps_its_line_ends(folder: Path) -> None:
    config = folder / "other.toml"
    config.write_bytes(OWN.replace("\n", "\r\n").encode())
    assert run(["accept", ID, "--reason", "r", "--config", "other.toml", *REPORT]) == 0
    content = config.read_bytes()
    assert content.count(b"\n") == content.count(b"\r\n") > OWN.count("\n")
    assert [item.finding for item in load_config(config).accept] == [ID]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["", "--reason", "r"], "The id of the finding is empty."),
        (["  ", "--reason", "r"], "The id of the finding is empty."),
        (["policy/bump-too-small", "--reason", "r"], "is not the id of a finding"),
        ([f"{ID}0", "--reason", "r"], "is not the id of a finding"),
        ([ID, "--reason", "  "], "An acceptance needs a reason."),
        ([ID, "--reason", "r", "--until", "soon"], "does not match the format"),
        ([ID], "Missing option '--reason'"),
        (["a\x1b[2J", "--reason", "r"], r'"a\x1b[2J" is not the id'),
    ],
)
def test_what_cannot_be_accepted_is_refused_and_nothing_written(folder: Path, capsys, arguments, sentence) -> None:
    config = folder / "mcp-governor.toml"
    config.write_text(OWN)
    assert run(["accept", *arguments]) == 2
    captured = capsys.readouterr()
    assert sentence in captured.err
    assert not captured.out
    assert "\x1b" not in captured.err
    assert config.read_text() == OWN


def test_without_a_configuration_there_is_no_place_to_write(folder: Path, capsys) -> None:
    assert run(["accept", ID, "--reason", "r"]) == 2
    assert "mcp-governor init" in capsys.readouterr().err
    assert [file.name for file in folder.iterdir()] == ["report.json"]


TOOL = {
    "name": "find",
    "description": "Finds the notes that hold all of the given words, the newest of them first.",
    "annotations": {"readOnlyHint": True},
    "inputSchema": {
        "type": "object",
        "properties": {"words": {"type": "string", "description": "The words."}},
        "required": ["words"],
    },
}


@pytest.fixture
def broken(folder: Path) -> Path:
    """A recorded server that broke an argument since the baseline, and a configuration that names both."""
    text = json.dumps({"serverInfo": {"name": "s", "version": "1.0.0"}, "tools": [TOOL]})
    (folder / "old.json").write_text(text)
    (folder / "new.json").write_text(text.replace('"words"', '"phrase"'))
    (folder / "mcp-governor.toml").write_text('target = "new.json"\nbaseline = "old.json"\n')
    return folder


def ids(*arguments: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    run(["check", *arguments, "--format", "json"])
    report = json.loads(capsys.readouterr().out)
    return [item["id"] for item in (*report["changes"], *report["findings"])]


def test_whatever_check_reports_can_be_accepted(broken: Path, capsys) -> None:
    found = ids(capsys=capsys)
    kinds = {name.partition(":")[0] for name in found}
    assert kinds == {"argument-renamed", "policy/bump-too-small"}, "the change, and the version that stood still"
    for name in found:
        assert run(["accept", name, "--reason", "agreed"]) == 0
    capsys.readouterr()
    assert run(["check"]) == 0
    assert f"{len(found)} accepted" in capsys.readouterr().out


def test_an_id_that_nothing_has_is_refused_and_the_nearest_is_named(broken: Path, capsys) -> None:
    [first, *_] = ids(capsys=capsys)
    rule, _, rest = first.partition(":")
    before = (broken / "mcp-governor.toml").read_text()
    for wrong, nearest in ((f"{rule}s:{rest}", first), (first.replace(":find:", ":fin:"), first)):
        assert run(["accept", wrong, "--reason", "r"]) == 2
        printed = capsys.readouterr().err
        assert f'No reported finding or change has the id {wrong}. Did you mean "{nearest}"?' in printed
        assert "List the ids with: mcp-governor check -v" in printed
    assert (broken / "mcp-governor.toml").read_text() == before


def test_a_finding_about_an_acceptance_is_not_accepted(broken: Path, capsys) -> None:
    config = broken / "mcp-governor.toml"
    config.write_text(config.read_text() + f'[[accept]]\nfinding = "{ID}"\nreason = "r"\n')
    [problem] = [name for name in ids(capsys=capsys) if "acceptance" in name]
    assert run(["accept", problem, "--reason", "r"]) == 2
    assert "is a finding about an acceptance, and cannot be accepted" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "cannot be read"),
        ("{", "is not JSON"),
        ("[]", "is not a JSON report"),
        ('{"findings": []}', "is not a JSON report"),
        (
            '{"format": "mcp-governor/report-1", "findings": [1, {}, {"id": 2}]}',
            "No reported finding or change has the id",
        ),
    ],
)
def test_a_report_that_does_not_say_it(folder: Path, capsys, text: str | None, message: str) -> None:
    (folder / "mcp-governor.toml").write_text(OWN)
    (folder / "report.json").write_text(text) if text is not None else (folder / "report.json").unlink()
    assert run(["accept", ID, "--reason", "r", *REPORT]) == 2
    assert message in capsys.readouterr().err
    assert (folder / "mcp-governor.toml").read_text() == OWN


def test_a_report_stands_for_the_check(broken: Path, capsys) -> None:
    for more in (["old.json"], ["--offline"], ["--against", "old.json"], ["--", "true"]):
        assert run(["accept", ID, "--reason", "r", *REPORT, *more]) == 2
        assert "--report reads a finished report" in capsys.readouterr().err
