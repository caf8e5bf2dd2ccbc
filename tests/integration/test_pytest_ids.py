"""Ids of the plugin's items as arguments, options of the ini file, ``--mcp-update`` and what a passing run says."""

from __future__ import annotations

import json
import re
import shlex

import pytest
from projects import surface_text, tool
from test_pytest_plugin import BARE, GOOD, RECOMMENDED, RECORDED, counted, ids, recorded, run

pytest_plugins = ("pytester",)
__all__ = ["recorded"]

FAILED = re.compile(r"^FAILED (\S+)", re.M)
COMPARED = RECORDED.replace('"charter"', '"recommended"\nbaseline = "old.json"')
UNUSED = COMPARED + '[[tool.mcp-governor.accept]]\nfinding = "tool-removed:x:/:00000000"\nreason = "Gone."\n'


@pytest.fixture
def compared(recorded):
    """A project whose one tool requires another parameter than its baseline, in a patch release."""
    recorded.write(
        {
            "pyproject.toml": COMPARED,
            "old.json": surface_text(GOOD, tool("list_stock")),
            "stock.json": surface_text(tool("count_stock", "warehouse"), tool("list_stock"), version="1.0.1"),
        },
    )
    return recorded


class TestIds:
    def test_every_listed_id_can_be_given_back(self, recorded):
        for one in ids(recorded.run("--collect-only", "-q")):
            assert ids(recorded.run("--collect-only", "-q", one)) == [one]

    def test_a_tool_and_all(self, recorded):
        everything = ids(recorded.run("--collect-only", "-q"))
        mine = [one for one in everything if one.startswith("mcp::drop_stock::")]
        assert len(mine) >= 2
        assert ids(recorded.run("--collect-only", "-q", "mcp::drop_stock")) == mine
        whole = recorded.run("--collect-only", "-q", "mcp")
        assert ids(whole) == everything
        assert "test_own" not in whole.stdout

    def test_among_paths_and_options(self, recorded):
        done = recorded.run("test_own.py::test_own", "mcp::count_stock::charter", "mcp::drop_stock", "-v")
        assert set(re.findall(r"^(\S+::\S+) (?:PASSED|FAILED)", done.stdout, re.M)) >= {
            "test_own.py::test_own",
            "mcp::count_stock::charter",
            "mcp::drop_stock::charter",
        }
        assert "mcp::surface" not in done.stdout
        done = recorded.run("mcp::drop_stock", "--deselect", "mcp::drop_stock::charter")
        assert done.returncode == 0, done.stdout
        chosen = counted(recorded.run("mcp::drop_stock", "-k", "charter"))
        assert chosen["failed"] == 1
        assert chosen.get("passed", 0) == 0
        assert chosen["deselected"] == len(ids(recorded.run("--collect-only", "-q", "mcp::drop_stock"))) - 1

    def test_from_a_folder_below(self, compared, monkeypatch):
        compared.write({"below/notes.txt": ""})
        monkeypatch.chdir(compared.root / "below")
        failed = FAILED.findall(compared.run(*RECOMMENDED, "--rootdir=..", "-c", "../pyproject.toml", "..").stdout)
        assert failed == ["../mcp::count_stock::changes", "../mcp::surface::policy"]
        again = compared.run(*RECOMMENDED, "--rootdir=..", "-c", "../pyproject.toml", *failed)
        assert FAILED.findall(again.stdout) == failed

    @pytest.mark.parametrize("workers", [False, True])
    def test_that_do_not_exist(self, recorded, workers):
        arguments = ("mcp::drop_stok::charter",)
        both = ("--mcp-charter", *arguments, "-n", "2")
        done = run(recorded.root, *both) if workers else recorded.run(*arguments)
        assert done.returncode == 4
        said = done.stdout + done.stderr
        assert "mcp::drop_stok::charter does not exist. Nearest: mcp::drop_stock::charter" in said
        assert "INTERNALERROR" not in said

    def test_without_the_flag(self, recorded):
        done = recorded.run("mcp::drop_stock::charter", flag=())
        assert done.returncode == 4
        assert "Turn them on: pytest --mcp-charter mcp::drop_stock::charter" in done.stderr
        assert "not found" not in done.stderr


def test_a_removed_tool_fails_under_its_name(compared):
    compared.write({"stock.json": surface_text(GOOD, version="1.0.1")})
    failed = FAILED.findall(compared.run(*RECOMMENDED).stdout)
    assert failed[0] == "mcp::list_stock::changes"
    assert "mcp::surface::policy" in failed
    # The item is there as well when the break is announced.
    compared.write({"stock.json": surface_text(GOOD, version="2.0.0")})
    assert "mcp::list_stock::changes" in ids(compared.run(*RECOMMENDED, "--collect-only", "-q"))


def test_warnings_are_shown_when_all_passes(compared):
    compared.write({"stock.json": surface_text(GOOD, tool("list_stock"))})
    done = compared.run(*RECOMMENDED)
    assert done.returncode == 0, done.stdout
    section = done.stdout.partition("= MCP server =")[2]
    [said] = [one for one in section.splitlines() if "clarity/hints-declared" in one]
    assert said.startswith("! No tool has readOnlyHint or destructiveHint.")
    assert "fix:" in compared.run(*RECOMMENDED, "-v").stdout.partition("= MCP server =")[2]
    # Those of items that did not run are left out.
    assert "MCP server" not in compared.run(*RECOMMENDED, "-k", "test_own").stdout
    assert "hints-declared" not in compared.run(*RECOMMENDED, "mcp::list_stock::spec").stdout


def test_what_nobody_uses_is_reported_by_full_runs_alone(compared):
    compared.write({"pyproject.toml": UNUSED, "stock.json": surface_text(GOOD, tool("list_stock"))})
    assert FAILED.findall(compared.run(*RECOMMENDED).stdout) == ["mcp::surface::policy"]
    for part in (["mcp::surface"], ["-k", "policy"], ["--deselect", "mcp::list_stock"]):
        done = compared.run(*RECOMMENDED, *part)
        assert FAILED.findall(done.stdout) == [], part
        assert "accepted" not in done.stdout


class TestUpdate:
    def test_records_the_server_and_passes(self, compared):
        done = compared.run(*RECOMMENDED, "--mcp-update")
        assert done.returncode == 0, done.stdout
        assert "old.json: updated: changed count_stock" in done.stdout
        assert "old.json: the update contains breaking changes of count_stock" in done.stdout
        assert (compared.root / "old.json").read_text() == (compared.root / "stock.json").read_text()
        assert "old.json: unchanged" in compared.run(*RECOMMENDED, "--mcp-update").stdout

    def test_can_add_what_is_new_and_leave_the_rest(self, compared):
        new = surface_text(tool("count_stock", "warehouse"), tool("list_stock"), BARE, version="1.0.1")
        compared.write({"stock.json": new})
        done = compared.run(*RECOMMENDED, "--mcp-update=new")
        assert "old.json: updated: new drop_stock\n" in done.stdout
        assert "mcp::count_stock::changes" in FAILED.findall(done.stdout)
        kept = {one["name"]: one for one in json.loads((compared.root / "old.json").read_text())["tools"]}
        assert sorted(kept) == ["count_stock", "drop_stock", "list_stock"]
        assert kept["count_stock"]["inputSchema"]["required"] == []

    def test_writes_nothing_where_items_are_only_listed(self, compared):
        before = (compared.root / "old.json").read_bytes()
        compared.run("--mcp-update", "--collect-only", "-q")
        assert (compared.root / "old.json").read_bytes() == before


class TestIni:
    def ini(self, recorded, text):
        recorded.write({"pytest.ini": f"[pytest]\n{text}\n"})

    def test_turns_the_check_on_and_the_command_line_off(self, recorded):
        self.ini(recorded, "mcp_charter = true")
        assert "mcp::drop_stock::charter" in FAILED.findall(recorded.run(flag=()).stdout)
        assert recorded.run("--no-mcp-charter", flag=()).returncode == 0
        # A test that somebody picks needs no server.
        assert "collected 1 item\n" in recorded.run("test_own.py::test_own", flag=()).stdout
        assert "mcp::drop_stock::charter" in FAILED.findall(recorded.run("test_own.py", flag=()).stdout)

    def test_names_server_and_profile_and_the_command_line_others(self, recorded):
        recorded.write({"other.json": surface_text(tool("other_stock")), "third.json": surface_text(tool("third"))})
        self.ini(recorded, "mcp_target = other.json\nmcp_profile = configured recommended")
        listed = ids(recorded.run("--collect-only", "-q"))
        assert {"mcp::other_stock::charter", "mcp::other_stock::clarity"} <= set(listed)
        third = ids(recorded.run("--collect-only", "-q", "--mcp-target", "third.json", *RECOMMENDED))
        assert "mcp::third::charter" in third
        assert "mcp::third::clarity" not in third


def test_without_a_configuration_the_check_is_skipped_and_says_why(recorded):
    recorded.write({"pyproject.toml": "", "test_own.py": "def test_own(mcp_surface): raise AssertionError\n"})
    done = recorded.run("-rs")
    assert done.returncode == 0, done.stdout
    assert counted(done)["skipped"] == 2
    assert "mcp::target::read" in done.stdout or "SKIPPED" in done.stdout
    assert "nothing was checked: no MCP server is configured" in done.stdout
    # An id that is pasted cannot be looked for; the reason is what its reader needs.
    assert "no MCP server is configured" in recorded.run("mcp::drop_stock::charter").stdout


class TestReproduction:
    @pytest.mark.parametrize(
        ("options", "again"),
        [
            ((), ()),
            (
                ("--mcp-profile", "recommended", "--mcp-no-calls"),
                ("--mcp-profile", "recommended", "--mcp-calls", "none"),
            ),
        ],
        ids=["configured", "typed"],
    )
    def test_a_failure_prints_the_command_that_runs_it_again(self, compared, options, again):
        done = compared.run(*options)
        commands = re.findall(r"^reproduce: pytest (.+)$", done.stdout, re.M)
        assert sorted(command.split()[-1] for command in commands) == sorted(FAILED.findall(done.stdout))
        for command in commands:
            *typed, item = shlex.split(command)
            assert tuple(typed) == ("--mcp-charter", *again)
            repeated = compared.run(*typed, item, flag=())
            assert FAILED.findall(repeated.stdout) == [item]
            assert f"\nreproduce: pytest {command}\n" in repeated.stdout
