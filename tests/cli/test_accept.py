"""``accept``: one acceptance in the configuration file, and nothing else in it touched."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from mcp_governor.cli import run
from mcp_governor.config import load_config

ID = "policy/bump-too-small:-:/serverInfo/version:b9c08877"
OTHER = "argument-required:find:/inputSchema/properties/a:b/c:0a1b2c3d"
OWN = '# ours\nbaseline = "mcp-surface.json"   # reviewed\n\n[servers.s]\ncommand = ["s"]\n'
PROJECT = '[project]\nname = "x"  # kept\n\n[tool.mcp-governor]\nlevel = "strict"\n\n[tool.other]\na = 1\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def accepted(folder: Path) -> list[tuple[str, str, date | None]]:
    return [(item.finding, item.reason, item.until) for item in load_config(start=folder).accept]


@pytest.mark.parametrize(("name", "text"), [("mcp-governor.toml", OWN), ("pyproject.toml", PROJECT)])
def test_one_entry_is_added_and_every_old_line_stays(folder: Path, capsys, name: str, text: str) -> None:
    (folder / name).write_text(text)
    assert run(["accept", ID, "--reason", "agreed with all clients", "--until", "2999-01-31"]) == 0
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
        assert run(["accept", *arguments]) == 0
    assert accepted(folder) == [(ID, "third", None), (OTHER, "second", None)]


def test_today_is_a_last_day_and_yesterday_is_not(folder: Path, capsys) -> None:
    config = folder / "mcp-governor.toml"
    config.write_text(OWN)
    today, yesterday = date.today(), date.today() - timedelta(days=1)
    assert run(["accept", ID, "--reason", "r", "--until", yesterday.isoformat()]) == 2
    assert config.read_text() == OWN
    assert "is over already" in capsys.readouterr().err
    assert run(["accept", ID, "--reason", "r", "--until", today.isoformat()]) == 0


def test_another_file_is_named_with_config_and_keeps_its_line_ends(folder: Path) -> None:
    config = folder / "other.toml"
    config.write_bytes(OWN.replace("\n", "\r\n").encode())
    assert run(["accept", ID, "--reason", "r", "--config", "other.toml"]) == 0
    content = config.read_bytes()
    assert content.count(b"\n") == content.count(b"\r\n") > OWN.count("\n")
    assert [item.finding for item in load_config(config).accept] == [ID]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["", "--reason", "r"], "The finding's id is empty."),
        (["  ", "--reason", "r"], "The finding's id is empty."),
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


def test_without_a_configuration_there_is_nowhere_to_write(folder: Path, capsys) -> None:
    assert run(["accept", ID, "--reason", "r"]) == 2
    assert "mcp-governor init" in capsys.readouterr().err
    assert list(folder.iterdir()) == []
