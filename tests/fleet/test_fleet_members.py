"""Which servers a list names: a client's file, a configuration, a folder of recordings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from replacing import replace

from mcp_governor.config import Config
from mcp_governor.errors import GovernorError, NothingCheckedError, UsageError
from mcp_governor.fleet import members
from mcp_governor.fleet.members import file_name, members_of

SERVERS = {"a": {"command": "x"}, "b": {"url": "http://127.0.0.1:9/mcp"}, "off": {"command": "y", "disabled": True}}


def names_of(path: Path) -> list[str]:
    return [member.name for member in members_of(str(path), Config(root=path.parent)).listed]


@pytest.mark.parametrize(
    ("file", "text"),
    [
        (".mcp.json", json.dumps({"mcpServers": SERVERS})),
        (".vscode/mcp.json", "{\n// servers of the project\n" + json.dumps({"servers": SERVERS})[1:]),
        (".cursor/mcp.json", json.dumps({"mcpServers": SERVERS})),
        ("claude_desktop_config.json", json.dumps({"mcpServers": SERVERS, "theme": "dark"})),
        ("settings.json", json.dumps({"mcp": {"servers": SERVERS}})),
        (
            "config.toml",
            'model = "o"\n[mcp_servers.a]\ncommand = "x"\n[mcp_servers.b]\nurl = "http://127.0.0.1:9/mcp"\n'
            '[mcp_servers.off]\ncommand = "y"\nenabled = false\n',
        ),
    ],
)
def test_the_file_of_each_client_lists_its_servers(tmp_path: Path, file: str, text: str) -> None:
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    found = members_of(str(path), Config(root=tmp_path))
    assert [(member.name, member.target) for member in found.listed] == [("a", f"{path}#a"), ("b", f"{path}#b")]
    assert found.left_out == {"off": "disabled"}
    assert found.together
    assert found.config.clients == {".cursor": ("cursor",), ".vscode": ("copilot",)}.get(path.parent.name, ())


def test_a_configuration_keeps_its_own_settings_and_the_words_of_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "fleet.toml"
    path.write_text('profile = "charter"\n[servers.one]\ncommand = ["x"]\n[servers.two]\npackage = "pypi:p==1"\n')
    found = members_of(str(path), Config(root=tmp_path), adapted=lambda config: replace(config, level="strict"))
    assert [(member.name, member.target) for member in found.listed] == [("one", ""), ("two", "")]
    assert (found.config.profile, found.config.level) == (("charter",), "strict")


def test_a_folder_of_recordings_is_no_client(tmp_path: Path) -> None:
    for name in ("b.json", "a.json", "notes.md"):
        (tmp_path / name).write_text("{}")
    found = members_of(str(tmp_path), Config(root=tmp_path))
    assert [member.name for member in found.listed] == ["a", "b"]
    assert not found.together


@pytest.mark.parametrize(
    ("file", "text", "error"),
    [
        ("gone.json", None, "gone.json does not exist"),
        ("a.json", "{", "is cut off at line 1"),
        ("a.json", '{"mcpServers": {}}', "has neither"),
        ("a.json", "[1, 2]", "has neither"),
        ("a.toml", "= 1", "is not TOML"),
        ("a.toml", "target = 'x'", "names no servers"),
        ("a.toml", "[servers.a]\ncommand = 'x'", "servers.a.command"),
        ("a.json", json.dumps({"mcpServers": {"off": {"disabled": True}}}), "lists no servers"),
    ],
)
def test_a_broken_list_gets_one_sentence(tmp_path: Path, file: str, text: str | None, error: str) -> None:
    if text is not None:
        (tmp_path / file).write_text(text)
    with pytest.raises(GovernorError) as caught:
        members_of(str(tmp_path / file), Config(root=tmp_path))
    assert error in caught.value.message
    assert "\n" not in caught.value.message
    assert caught.value.exit_code in (2, 4)


def test_an_empty_folder_is_nothing_to_check(tmp_path: Path) -> None:
    with pytest.raises(NothingCheckedError, match="lists no servers"):
        members_of(str(tmp_path), Config())


def test_a_list_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(members, "MAX_MEMBERS", 2)
    (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": {str(n): {} for n in range(3)}}))
    with pytest.raises(UsageError, match="lists 3 servers, more than 2"):
        members_of(str(tmp_path / ".mcp.json"), Config())


def test_each_server_is_in_exactly_one_part(tmp_path: Path) -> None:
    for number in range(10):
        (tmp_path / f"{number}.json").touch()
    found = members_of(str(tmp_path), Config())
    parts = [[member.name for member in found.shard(number, 3).listed] for number in (1, 2, 3)]
    assert parts == [["0", "3", "6", "9"], ["1", "4", "7"], ["2", "5", "8"]]


@given(st.lists(st.text(max_size=300), unique=True, max_size=8))
def test_each_name_has_a_file_of_its_own_in_the_folder(names: list[str]) -> None:
    files = [file_name(name) for name in names]
    assert len(set(files)) == len(files)
    for file in files:
        assert "/" not in file
        assert "\0" not in file
        assert not file.startswith(".")
        assert 0 < len(file.encode()) < 200
