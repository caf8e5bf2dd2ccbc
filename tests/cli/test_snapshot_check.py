"""``snapshot --check``: what makes a recorded file stale, what does not, and what is said about it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commandline import governor_here

from mcp_governor.demo.server import RELEASES
from mcp_governor.surface import build_surface, dump_surface

NEVER = "Renew it with: mcp-governor snapshot live.json"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """``live.json`` stands for the server; ``mcp-surface.json`` records it."""
    for name in ("live", "mcp-surface"):
        (tmp_path / f"{name}.json").write_text(dump_surface(build_surface(RELEASES[1])))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def here(folder: Path, capsys):
    return lambda line: governor_here(*line.split(), capsys=capsys)


def edit(path: Path, change) -> None:
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))


@pytest.mark.parametrize(
    "written",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: json.dumps(json.loads(text), separators=(",", ":"), sort_keys=False),
        lambda text: json.dumps(dict(reversed(json.loads(text).items())), indent="\t"),
    ],
    ids=["line endings", "one line", "another order"],
)
def test_a_formatter_makes_no_file_stale(folder: Path, here, written) -> None:
    file = folder / "mcp-surface.json"
    file.write_bytes(written(file.read_text()).encode())
    before = file.read_bytes()
    for option in ("--check", "--exit-non-zero-on-change"):
        done = here(f"snapshot live.json {option}")
        assert (done.code, done.err) == (0, "")
        assert done.out.startswith("mcp-surface.json is up to date: 3 tools, v1:sha256:")
    assert file.read_bytes() == before


def test_a_change_is_named_and_a_break_comes_first(folder: Path, here) -> None:
    edit(folder / "live.json", lambda live: live["tools"].pop(0))
    edit(folder / "live.json", lambda live: live["tools"].append({"name": "zoom", "inputSchema": {"type": "object"}}))
    before = (folder / "mcp-surface.json").read_bytes()
    done = here("snapshot live.json --check")
    first, *changes, last = done.out.splitlines()
    assert (done.code, done.err) == (1, "")
    assert first == "mcp-surface.json is not what the server publishes now (2 changes: 1 breaking, 1 compatible)."
    assert [row.split()[-1] for row in changes] == ["tool-removed", "tool-added"]
    assert [row[0] for row in changes] == ["✗", "+"]
    assert last == NEVER
    assert (folder / "mcp-surface.json").read_bytes() == before
    quiet = here("snapshot live.json --check -q")
    assert quiet.out.splitlines() == [first, last]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "mcp-surface.json does not exist."),
        ("<<<<<<< HEAD\n{}\n", "mcp-surface.json is not JSON: Expecting value at line 1, column 1."),
        ("{}", "mcp-surface.json is not a surface: "),
        ("", "mcp-surface.json is cut off at line 1, column 1."),
    ],
    ids=["missing", "conflict", "other", "empty"],
)
def test_a_file_that_is_no_recording_is_stale(folder: Path, here, content: str | None, reason: str) -> None:
    """To record again is the remedy, as for any stale file; that is why it is no usage error."""
    file = folder / "mcp-surface.json"
    file.unlink()
    if content is not None:
        file.write_text(content)
    done = here("snapshot live.json --check")
    assert (done.code, done.err) == (1, "")
    assert done.out.startswith(reason)
    assert done.out.endswith(f"{NEVER}\n")
    assert here("snapshot live.json --exit-non-zero-on-change").code == 1
    assert here("snapshot live.json --check").code == 0


def test_the_file_that_output_names_is_the_one_that_is_checked(folder: Path, here) -> None:
    (folder / "there").mkdir()
    done = here("snapshot live.json --check -o there/it.json")
    assert (done.code, done.out) == (
        1,
        "there/it.json does not exist.\nRenew it with: mcp-governor snapshot live.json --output there/it.json\n",
    )
    assert here("snapshot live.json -o there/it.json").code == 0
    assert here("snapshot live.json --check -o there/it.json").code == 0


def test_a_file_that_cannot_be_read_is_an_error(folder: Path, here) -> None:
    (folder / "mcp-surface.json").unlink()
    (folder / "mcp-surface.json").mkdir()
    done = here("snapshot live.json --check")
    assert (done.code, done.out) == (2, "")
    assert "mcp-surface.json cannot be read" in done.err


@pytest.mark.parametrize(
    "line", ["--check --exit-non-zero-on-change", "--check -o -", "--exit-non-zero-on-change -o -"]
)
def test_options_that_leave_each_other_nothing_to_do(here, line: str) -> None:
    done = here(f"snapshot live.json {line}")
    assert (done.code, done.out) == (2, "")
    assert "has no effect with" in done.err


def test_nothing_is_compared_with_a_server_that_publishes_nothing(folder: Path, here) -> None:
    (folder / "live.json").write_text('{"tools": []}')
    done = here("snapshot live.json --check")
    assert done.code == 4
    assert "publishes no tools, prompts or resources to check" in done.err


def test_a_hostile_server_is_data_in_what_differs(folder: Path, here) -> None:
    name = "a\x1b[31m\u202e\n::error::x"
    edit(folder / "live.json", lambda live: live["tools"].append({"name": name, "inputSchema": {"type": "object"}}))
    done = here("snapshot live.json --check")
    assert done.code == 1
    assert not done.unsafe()
    assert "\n::error" not in done.out
