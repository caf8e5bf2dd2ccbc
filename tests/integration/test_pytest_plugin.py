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
    """A run in a process of its own, without the plugin of hypothesis, which takes a second to load."""
    return python(root, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:hypothesispytest", *arguments, **env)


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

    def run(self, *arguments, flag=("--mcp-charter",)):
        plugins = (word for name in ("cacheprovider", "xdist", "hypothesispytest") for word in ("-p", f"no:{name}"))
        done = self.pytester.runpytest_inprocess(*plugins, *flag, *arguments)
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
    """The servers of both frameworks, as objects that a module names."""

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
        others = [line for line in started.read_text().splitlines() if "'git'" not in line]
        # The process that imports the module, and nothing else.
        assert others
        assert all("hosted.py" in line for line in others)


USES = """
from mcp_governor.testing import assert_compatible, assert_envelope

def test_own(mcp_surface, mcp_baseline, mcp_check, mcp_session):
    assert [tool.name for tool in mcp_surface.tools] == ["count_pieces", "list_articles"]
    assert mcp_check.baseline is not None
    assert mcp_session.call_tool("count_pieces", {"article": "abc"})["structuredContent"] == {"result": 3}
    assert_compatible(mcp_baseline, mcp_surface)
"""


class TestBreak:
    """A project with a FastMCP server, from the passing run to the break that fails its tool."""

    OPTIONS = ("--mcp-profile", "configured")

    @pytest.fixture
    def shop(self, pytester):
        import fastmcp  # noqa: F401  loaded before the run, which forgets what it loads

        shop = Project(pytester)
        good = source("fastmcp", COUNT, LIST)
        # Each start of the module is written down: it is read once, whoever asks for it.
        good += "\nprint(1, file=open('starts', 'a'))\n"
        table = OBJECT.replace('"charter"', '"recommended"\nbaseline = "mcp-surface.json"')
        shop.write({"stock_server.py": good, "pyproject.toml": table, "test_own.py": USES})
        passes = shop.run(*self.OPTIONS, "--mcp-update")
        assert passes.returncode == 0, passes.stdout
        assert "mcp-surface.json: written" in passes.stdout
        shop.write({"stock_server.py": good.replace("    limit: ", "    shelf: str,\n    limit: ")})
        return shop

    def test_that_waits_for_a_release_fails_nothing_and_is_shown(self, shop):
        table = (shop.root / "pyproject.toml").read_text()
        shop.write({"pyproject.toml": f'{table}\n[tool.mcp-governor.policy]\ngate = "release"\n'})
        done = shop.run(*self.OPTIONS, "-k", "list_articles")
        assert done.returncode == 0, done.stdout
        assert "required-argument-added  list_articles /inputSchema/properties/shelf" in done.stdout
        assert done.stdout.count('valid before, invalid now: {"words": "example"}') == 1
        assert re.search(r"^pending: m", done.stdout, re.M), done.stdout
        other = shop.run(*self.OPTIONS, "-k", "count_pieces")
        assert "required-argument-added" not in other.stdout

    def test_is_the_same_for_workers_which_share_one_reading(self, shop):
        (shop.root / "starts").unlink(missing_ok=True)
        done = run(shop.root, "--mcp-charter", *self.OPTIONS, "-n", "2", "-k", "not test_own")
        failed = sorted(re.findall(r"^FAILED (\S+)", done.stdout, re.M))
        assert failed == ["mcp::list_articles::changes", "mcp::surface::policy"]
        assert done.stdout.count('valid before, invalid now: {"words": "example"}') == 1
        assert (shop.root / "starts").read_text() == "1\n"


class TestFixtures:
    def test_need_no_flag_and_skip_or_fail_with_the_reason(self, recorded):
        recorded.write(
            {
                "test_own.py": "import pytest\n"
                "def test_surface(mcp_surface): assert mcp_surface.by_name['drop_stock']\n"
                "def test_check(mcp_check): assert mcp_check.verdict == 'fail'\n"
                "def test_baseline(mcp_baseline): raise AssertionError\n"
                "def test_session(mcp_session): raise AssertionError\n"
            }
        )
        done = recorded.run("-rs", flag=())
        assert counted(done)["passed"] == counted(done)["skipped"] == 2, done.stdout
        assert "There is no baseline: no release and no recorded surface." in done.stdout
        assert "stock is a recording, which cannot be called." in done.stdout
        recorded.write({"pyproject.toml": TABLE + 'command = ["/no/such/server"]\n'})
        done = recorded.run("-k", "surface or check", flag=())
        assert counted(done)["error"] == 2
        assert "/no/such/server" in done.stdout
        assert "During handling" not in done.stdout
        assert "mcp_governor/" not in done.stdout


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


def test_junit_names_tool_and_family(recorded):
    recorded.run("--junitxml", "out.xml")
    cases = ElementTree.parse(recorded.root / "out.xml").iter("testcase")
    named = {(case.get("classname"), case.get("name")): case for case in cases}
    failure = named["mcp.drop_stock", "charter"].find("failure")
    assert "charter/use-this-when  /description" in failure.text
    assert named["mcp.surface", "policy"].find("failure") is None


def test_a_break_without_its_step_fails_its_tool_and_policy(recorded):
    recorded.write(
        {
            "pyproject.toml": RECORDED.replace('"charter"', '"recommended"\nbaseline = "old.json"'),
            "old.json": surface_text(GOOD),
            "stock.json": surface_text(tool("count_stock", "warehouse"), version="1.0.1"),
        },
    )
    done = recorded.run(*RECOMMENDED)
    assert re.findall(r"^FAILED (\S+)", done.stdout, re.M) == ["mcp::count_stock::changes", "mcp::surface::policy"]
    assert done.stdout.count("valid before, invalid now: {}") == 1
    assert done.stdout.count("Release it as 2.0.0") == 1
    # Announced by its version, the same break passes, and so it does where the team accepts it.
    announced = surface_text(tool("count_stock", "warehouse"), version="2.0.0")
    recorded.write({"stock.json": announced})
    assert "failed" not in counted(recorded.run(*RECOMMENDED))


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
        (TABLE + 'object = "broken_server:server"\n', ["exited with status 3"]),
        ('[tool.mcp-governor]\nbaselin = "a"\n', ['unknown key "baselin"', "baseline"]),
        (RECORDED.replace('"charter"', '"nobody"'), ["nobody"]),
        ("[tool.mcp-governor]\n", ["No TARGET is given"]),
        (TABLE + 'file = "empty.json"\n', ["publishes no tools"]),
    ],
    ids=["no-command", "no-module", "exiting-module", "unknown-key", "unknown-profile", "no-target", "no-tools"],
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
