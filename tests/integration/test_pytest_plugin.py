"""``pytest --mcp-charter`` in projects of its own: servers in processes as a user runs them, the rest in this one."""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
import subprocess
import xml.etree.ElementTree as ElementTree

import pytest
from frameworks import CARELESS, COUNT, LIST, source
from projects import python, surface_text, tool, write

import mcp_governor

pytest_plugins = ("pytester",)

GOOD = tool("count_stock")
BARE = {"name": "drop_stock", "description": "Drops.", "inputSchema": {"type": "object", "properties": {"a": {}}}}
TABLE = '[tool.mcp-governor]\nprofile = "charter"\n[tool.mcp-governor.servers.stock]\n'
RECORDED = TABLE + 'file = "stock.json"\n'
RECOMMENDED = ("--mcp-profile", "configured")
OBJECT = TABLE + 'object = "stock_server:server"\n'


# A run within this process forgets at its end which modules it loaded. Packages remember names of theirs, and a second
# copy of a module has other classes: everything is loaded before the first run.
for found in pkgutil.walk_packages(mcp_governor.__path__, "mcp_governor."):
    if not found.name.endswith("__main__"):
        importlib.import_module(found.name)


def run(root, *arguments, **env):
    """A run in a process of its own."""
    return python(root, "-m", "pytest", "-p", "no:cacheprovider", *arguments, **env)


class Project:
    """A project whose server is a recording, and runs in it within this process."""

    def __init__(self, pytester):
        self.pytester = pytester
        self.root = pytester.path
        self.write(
            {
                "pyproject.toml": RECORDED,
                "stock.json": surface_text(GOOD, BARE),
                "test_own.py": "def test_own(): pass\n",
            }
        )

    def write(self, files):
        write(self.root, files)

    def run(self, *arguments):
        plugins = (word for name in ("cacheprovider", "xdist", "hypothesispytest") for word in ("-p", f"no:{name}"))
        done = self.pytester.runpytest_inprocess(*plugins, "--mcp-charter", *arguments)
        return subprocess.CompletedProcess(arguments, int(done.ret), done.stdout.str(), done.stderr.str())


def ids(done):
    return [line for line in done.stdout.splitlines() if line.startswith("mcp::")]


def counted(done):
    """The last line's counts."""
    last = done.stdout.splitlines()[-1]
    return {word.rstrip("s"): int(number) for number, word in re.findall(r"(\d+) (\w+)", last)}


@pytest.fixture
def recorded(pytester):
    return Project(pytester)


class TestOnServers:
    """The servers of both frameworks, as objects of the test process."""

    @pytest.mark.parametrize("framework", ["fastmcp", "mcpserver"])
    def test_each_tool_is_an_item_and_the_careless_one_fails(self, tmp_path, framework):
        write(
            tmp_path,
            {
                "pyproject.toml": OBJECT,
                # a project that turns warnings into errors means those of its tests
                "stock_server.py": source(framework, COUNT, LIST, CARELESS)
                + "\nimport warnings\nwarnings.warn('old', DeprecationWarning)\n",
                # whoever starts a process is written down
                "conftest.py": "import sys\n"
                "def hook(event, args):\n"
                "    if event in ('subprocess.Popen', 'os.posix_spawn', 'os.fork', 'os.exec'):\n"
                "        print(event, args[1:2], file=open('started', 'a'))\n"
                "sys.addaudithook(hook)\n",
            },
        )
        done = run(tmp_path, "--mcp-charter", "-W", "error")
        assert done.returncode == 1, done.stdout + done.stderr
        failed = re.findall(r"^FAILED (\S+)", done.stdout, re.M)
        # The two that only read are called, and return no envelope; a tool that drops something is not called.
        wrong = ["mcp::count_pieces::envelope", "mcp::drop_article::charter", "mcp::list_articles::envelope"]
        assert failed == wrong
        assert counted(done)["failed"] == len(wrong)
        assert "envelope: 2 of 3 tools seen" in done.stdout
        assert "not called: 1 tool whose words contradict its readOnlyHint: drop_article" in done.stdout
        assert counted(done)["passed"] >= 5
        assert "charter/use-this-when  /description" in done.stdout
        assert 'fix: Begin with the situation: "Use this when' in done.stdout
        assert "Traceback" not in done.stdout
        assert "FailedRuleError" not in done.stdout
        started = tmp_path / "started"
        others = [line for line in started.read_text().splitlines() if "'git'" not in line] if started.exists() else []
        assert others == []


def test_workers_share_the_items(recorded):
    done = run(recorded.root, "--mcp-charter", "-n", "2", "-v")
    assert done.returncode == 1, done.stdout + done.stderr
    failed = sorted(re.findall(r"^FAILED (\S+)", done.stdout, re.M))
    assert failed == ["mcp::count_stock::charter", "mcp::drop_stock::charter"]
    reported = set(re.findall(r"\[gw\d\].* (\S+::\S+)", done.stdout))
    assert len(reported) == counted(done)["passed"] + 2


def test_without_the_flag_there_are_no_items(recorded):
    done = run(recorded.root)
    assert done.returncode == 0
    assert "collected 1 item\n" in done.stdout


def test_without_the_flag_nothing_is_loaded(recorded):
    recorded.write(
        {
            "conftest.py": "import json, sys\n"
            "def pytest_unconfigure():\n"
            "    json.dump(sorted(sys.modules), open('modules.json', 'w'))\n"
        },
    )
    done = run(recorded.root, "-p", "mcp_governor.pytest_plugin", PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    assert done.returncode == 0, done.stderr
    loaded = json.loads((recorded.root / "modules.json").read_text())
    assert [name for name in loaded if name.partition(".")[0] == "mcp_governor"] == [
        "mcp_governor",
        "mcp_governor._version",
        "mcp_governor.lazy",
        "mcp_governor.pytest_plugin",
    ]
    heavy = "pydantic rich jsonschema jsonschema_rs httpx2 mcp anyio markdown_it tomli click"
    assert set(heavy.split()).isdisjoint(loaded)


def test_the_entry_point_offers_the_flag(tmp_path):
    assert "--mcp-charter" in run(tmp_path, "--help").stdout


def test_collect_only_lists_the_items(recorded):
    done = recorded.run("--collect-only", "-q")
    assert done.returncode == 0
    listed = ids(done)
    assert {"mcp::count_stock::charter", "mcp::drop_stock::charter", "mcp::surface::policy"} <= set(listed)
    assert len(listed) == len(set(listed))
    assert f"{len(listed) + 1} tests collected" in done.stdout


def test_passing_and_failing_items_are_the_same(recorded):
    before = ids(recorded.run("--collect-only", "-q"))
    recorded.write({"pyproject.toml": RECORDED.replace('"charter"', '"charter"\nlint.ignore = ["charter/length"]')})
    assert ids(recorded.run("--collect-only", "-q")) == before


def test_a_former_name_of_a_rule_is_noted_and_fails_nothing(recorded):
    recorded.write({"pyproject.toml": RECORDED + '[tool.mcp-governor.lint]\nignore = ["changelog/untold"]\n'})
    done = recorded.run("-W", "error", "--deselect", "mcp::drop_stock")
    note = "note: pyproject.toml: changelog/untold in lint.ignore is now called changelog/missing-entry."
    assert done.stdout.splitlines().count(note) == 1
    recorded.write({"pyproject.toml": RECORDED})
    assert "note:" not in recorded.run().stdout


def test_items_are_chosen_by_keyword(recorded):
    done = recorded.run("-k", "drop_stock and charter", "-q")
    assert done.returncode == 1
    assert counted(done)["failed"] == 1
    assert "passed" not in counted(done)
    assert recorded.run("-k", "test_own").returncode == 0
    nothing = recorded.run("-k", "no_such_item")
    assert nothing.returncode == 5
    assert "0 selected" in nothing.stdout


def test_items_are_deselected_by_id(recorded):
    done = recorded.run("--deselect", "mcp::drop_stock", "--deselect", "mcp::count_stock")
    assert done.returncode == 0, done.stdout
    assert counted(done)["deselected"] >= 4


def test_junit_names_tool_and_family(recorded):
    recorded.run("--junitxml", "out.xml")
    cases = ElementTree.parse(recorded.root / "out.xml").iter("testcase")
    named = {(case.get("classname"), case.get("name")): case for case in cases}
    failure = named["mcp.drop_stock", "charter"].find("failure")
    assert "charter/use-this-when  /description" in failure.text
    assert named["mcp.surface", "policy"].find("failure") is None


def test_a_target_of_the_command_line_is_checked_instead(recorded):
    recorded.write({"other.json": surface_text(tool("other_stock"))})
    done = recorded.run("--mcp-target", "other.json", "--collect-only", "-q")
    assert "mcp::other_stock::charter" in ids(done)
    assert not any("drop_stock" in one for one in ids(done))


def test_a_break_without_its_step_fails_policy(recorded):
    recorded.write(
        {
            "pyproject.toml": RECORDED.replace('"charter"', '"recommended"\nbaseline = "old.json"'),
            "old.json": surface_text(GOOD),
            "stock.json": surface_text(tool("count_stock", "warehouse"), version="1.0.1"),
        },
    )
    done = recorded.run(*RECOMMENDED)
    assert re.findall(r"^FAILED (\S+)", done.stdout, re.M) == ["mcp::surface::policy"]
    assert "Release it as 2.0.0" in done.stdout


def test_between_releases_a_change_may_wait(recorded, monkeypatch):
    """As for ``check``: mentioned it passes, and where CI builds the tag of a release it has to be one."""
    gate = '\n[tool.mcp-governor.policy]\ngate = "release"\n'
    options = '"recommended"\nbaseline = "old.json"\nchangelog = "log.md"'
    recorded.write(
        {
            "pyproject.toml": RECORDED.replace('"charter"', options) + gate,
            "old.json": surface_text(GOOD),
            "stock.json": surface_text(GOOD, tool("list_stock")),
            "log.md": "## Unreleased\n",
        },
    )
    failed = re.compile(r"^FAILED (\S+)", re.M)
    assert failed.findall(recorded.run(*RECOMMENDED).stdout) == ["mcp::list_stock::changelog"]
    recorded.write({"log.md": "## Unreleased\n\n**Added**\n\n- `list_stock` is a new tool.\n"})
    assert failed.findall(recorded.run(*RECOMMENDED).stdout) == []
    monkeypatch.setenv("CI_COMMIT_TAG", "v1.1.0")
    assert failed.findall(recorded.run(*RECOMMENDED).stdout) == ["mcp::surface::changelog", "mcp::surface::policy"]


@pytest.mark.parametrize(
    ("config", "words"),
    [
        (TABLE + 'command = ["/no/such/server"]\n', ["/no/such/server"]),
        (TABLE + 'object = "no_such_module:server"\n', ["no_such_module"]),
        (TABLE + 'object = "broken_server:server"\n', ["SystemExit"]),
        ('[tool.mcp-governor]\nbaselin = "a"\n', ['unknown key "baselin"', "baseline"]),
        (RECORDED.replace('"charter"', '"nobody"'), ["nobody"]),
        ("", ["No TARGET is given"]),
        (TABLE + 'file = "empty.json"\n', ["publishes no tools"]),
    ],
    ids=["no-command", "no-module", "exiting-module", "unknown-key", "unknown-profile", "no-config", "no-tools"],
)
def test_a_run_that_cannot_be_made_is_one_failing_item(recorded, config, words):
    recorded.write(
        {
            "pyproject.toml": config,
            "empty.json": '{"tools": []}',
            "broken_server.py": "raise SystemExit(3)\n",
        },
    )
    done = recorded.run()
    assert done.returncode == 1, done.stdout + done.stderr
    assert counted(done)["failed"] == counted(done)["passed"] == 1
    assert "mcp::target::read" in done.stdout
    for word in words:
        assert word in done.stdout
    for word in ("INTERNALERROR", "Traceback", "GovernorError"):
        assert word not in done.stdout + done.stderr


def test_words_of_a_server_reach_no_terminal_raw(recorded):
    hostile = {**BARE, "name": "drop\x1b[31m\u202estock"}
    recorded.write({"stock.json": surface_text(hostile)})
    done = recorded.run("-v", "--color=no")
    assert done.returncode == 1
    assert "\x1b" not in done.stdout
    assert "\u202e" not in done.stdout
