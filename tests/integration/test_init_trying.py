"""``init`` tries what it finds: what is started, what is said of it, and what the next step is."""

from __future__ import annotations

import json
import shlex
import shutil
import sys

import pytest
from projects import contents, governor, repository, write
from support import SERVERS, missing

from mcp_governor.target.discover import trying

CONFIG = "mcp-governor.toml"
TOOL = {
    "name": "find_stock",
    "description": "Looks a word up in the stock list of the shop and returns the number of pieces.",
    "inputSchema": {
        "type": "object",
        "properties": {"word": {"type": "string", "description": "What to look for."}},
        "required": ["word"],
    },
}


def plain(*tools, name="stock"):
    """The command of the fixture server."""
    how = {"tools": list(tools or (TOOL,)), "info": {"name": name, "version": "2.1.0"}}
    return [sys.executable, str(SERVERS / "plain.py"), json.dumps(how)]


def project(root, *scripts, name="stock-server", **programs):
    """A Python project with an environment of its own, in which each script is a program of a shell."""
    entries = "".join(f'{script} = "stock.{script.replace("-", "_")}:main"\n' for script in programs)
    text = f'[project]\nname = "{name}"\nversion = "1"\ndependencies = ["mcp"]\n[project.scripts]\n{entries}'
    write(root, {"pyproject.toml": text, ".venv/pyvenv.cfg": "", ".gitignore": ".venv\n"})
    for script, body in programs.items():
        write(root, {f".venv/bin/{script}": f"#!/bin/sh\n{body}\n"})
        (root / ".venv/bin" / script).chmod(0o755)
    return root


def serving(*tools, name="stock"):
    """The body of a script that serves."""
    return f"exec {shlex.join(plain(*tools, name=name))}"


@pytest.fixture(autouse=True)
def without_uv(monkeypatch):
    """Nothing is installed behind the back of a test."""
    monkeypatch.setattr("mcp_governor.target.discover.python_projects._is_there", lambda program: False)


def said(done):
    return [line for line in done.stderr.splitlines() if line]


def test_a_script_of_the_project_is_started_and_named_after_it(tmp_path):
    root = project(tmp_path, stock=serving())
    done = governor(root, "init")
    assert done.returncode == 0, done.stderr
    assert said(done) == [
        "Looking for the MCP server of this repository; each command is run as shown.",
        "Trying stock  (pyproject.toml)",
        "  answers: stock 2.1.0, 1 tool",
    ]
    assert "Found the server stock-server in pyproject.toml: 1 tool." in done.stdout
    assert done.stdout.splitlines()[-1] == "Next: commit these files, then run: mcp-governor check"
    text = contents(root)[CONFIG].decode()
    assert '[servers.stock-server]\ncommand = ["stock"]\n' in text
    assert str(tmp_path) not in text
    # not in PATH, but in the environment of the project
    assert governor(root, "check").returncode == 0


def test_scripts_that_are_one_server_are_one_answer(tmp_path):
    root = project(tmp_path, **{"stock-server": serving(), "stock-mcp": serving()})
    done = governor(root, "init")
    assert done.returncode == 0, done.stderr
    assert 'command = ["stock-server"]' in contents(root)[CONFIG].decode()


def test_two_servers_are_for_the_user_to_choose(tmp_path):
    root = project(tmp_path, **{"stock-server": serving(), "shop-mcp": serving(name="shop")})
    before = contents(root)
    done = governor(root, "init")
    assert done.returncode == 2
    assert said(done)[-2:] == [
        "error: 2 different servers were found.",
        "hint: Choose one: mcp-governor init -- stock-server; or: mcp-governor init -- shop-mcp",
    ]
    assert contents(root) == before


def test_the_one_server_of_a_project_below_is_configured_there(tmp_path):
    root = repository(tmp_path, {"README.md": "a"})
    project(root / "packages" / "stock", stock=serving())
    done = governor(root, "init", "--no-ci", "--no-hook")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].endswith("then run: cd packages/stock && mcp-governor check")
    assert (root / "packages/stock" / CONFIG).is_file()
    assert not (root / CONFIG).exists()
    assert governor(root / "packages/stock", "check").returncode == 0


ASKS = 'test -n "$STOCK_KEY" || { echo "Error: STOCK_KEY environment variable is not set" >&2; exit 1; }\n'
SECRET = "sekret-0123456789"


class TestVariables:
    def test_what_the_server_asks_for_is_the_next_command(self, tmp_path):
        root = project(tmp_path, stock=ASKS + serving())
        before = contents(root)
        done = governor(root, "init")
        assert done.returncode == 3
        assert "It said: Error: STOCK_KEY environment variable is not set" in done.stderr
        assert "Set it in your environment and run: mcp-governor init --env STOCK_KEY" in done.stderr
        assert contents(root) == before

    def test_it_is_handed_over_and_not_written(self, tmp_path, monkeypatch):
        root = project(tmp_path, stock=ASKS + serving())
        monkeypatch.setenv("STOCK_KEY", SECRET)
        done = governor(root, "init", "--env", "STOCK_KEY")
        assert done.returncode == 0, done.stderr
        files = contents(root)
        assert b'env = { STOCK_KEY = "$STOCK_KEY" }' in files[CONFIG]
        assert SECRET.encode() not in b"".join(files.values())
        assert b"STOCK_KEY: ${{ secrets.STOCK_KEY }}" in files[".github/workflows/mcp-governor.yml"]
        assert "The server gets STOCK_KEY from the environment" in done.stdout
        assert governor(root, "check").returncode == 0
        monkeypatch.delenv("STOCK_KEY")
        assert governor(root, "check").returncode == 2
        assert governor(root, "check", "--env", f"STOCK_KEY={SECRET}").returncode == 0

    def test_the_variables_of_the_registry_manifest_are_the_next_command(self, tmp_path, monkeypatch):
        root = project(tmp_path, stock="echo 'no client given, as argument or otherwise' >&2; exit 2")
        variables = [{"name": "STOCK_ID", "isRequired": True}, {"name": "STOCK_KEY", "isSecret": True}]
        package = {"registryType": "pypi", "identifier": "stock", "environmentVariables": variables}
        write(root, {"server.json": json.dumps({"name": "io.example/stock", "packages": [package]})})
        assert "mcp-governor init --env STOCK_ID --env STOCK_KEY" in said(governor(root, "init"))[-1]
        monkeypatch.setenv("STOCK_ID", "1")
        last = said(governor(root, "init", "--env", "STOCK_ID"))[-1]
        assert "server.json lists its environment variables." in last
        assert last.endswith("mcp-governor init --env STOCK_ID --env STOCK_KEY")

    def test_what_is_not_built_asks_for_no_variable(self, tmp_path):
        root = tmp_path / "acme"
        server = {"packages": [{"environmentVariables": [{"name": "STOCK_ID", "isRequired": True}]}]}
        package = {"name": "@acme/mcp", "bin": "dist/x.js", "scripts": {"build": "tsc"}}
        package["dependencies"] = {"@modelcontextprotocol/sdk": "1"}
        files = {"server.json": json.dumps(server), "package.json": json.dumps(package), "package-lock.json": ""}
        root.mkdir()
        write(root, files)
        assert said(governor(root, "init"))[-1] == "hint: Run: npm ci && npm run build && mcp-governor init"

    def test_a_file_of_variables(self, tmp_path):
        root = project(tmp_path, stock=ASKS + serving())
        write(root, {".env": f"# mine\nexport STOCK_KEY='{SECRET}' # a key\nSTOCK_LEVEL=3\n\n"})
        done = governor(root, "init", "--env-file", ".env")
        assert done.returncode == 0, done.stderr
        files = contents(root)
        assert b'env = { STOCK_KEY = "$STOCK_KEY", STOCK_LEVEL = "3" }' in files[CONFIG]
        assert SECRET.encode() not in b"".join(text for name, text in files.items() if name != ".env")
        assert done.stdout.splitlines()[-1].endswith("then run: mcp-governor check --env-file .env")
        assert governor(root, "check").returncode == 2
        assert governor(root, "check", "--env-file", ".env").returncode == 0

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            (f"STOCK_KEY={SECRET}\nsekret {SECRET}\n", "line 2 of .env is not NAME=VALUE"),
            ("".join(f"A{number}=1\n" for number in range(201)), "more than 200 variables"),
            (None, ".env cannot be read"),
        ],
    )
    def test_a_file_that_is_none(self, tmp_path, text, words):
        write(tmp_path, {".env": text} if text else {})
        done = governor(tmp_path, "check", "--env-file", ".env", "--", "true")
        assert done.returncode == 2
        assert words in done.stderr
        assert SECRET not in done.stderr

    @pytest.mark.parametrize(
        "command",
        [
            ["docker", "run", "-i", "-e", "STOCK_KEY=hunter", "shop/stock"],
            ["docker", "run", "-i", "--env=STOCK_KEY=hunter", "shop/stock"],
            ["docker", "run", "-eSTOCK_KEY=hunter", "shop/stock"],
            ["sh", "-c", "STOCK_KEY=hunter exec stock"],
            ["sh", "-c", "export STOCK_KEY='hunter'; stock"],
            ["env", "STOCK_KEY=hunter", "stock"],
            ["uv", "run", "env", "STOCK_KEY=hunter", "stock"],
        ],
    )
    def test_a_value_in_a_command_is_refused(self, tmp_path, command):
        done = governor(tmp_path, "init", "--", *command)
        assert done.returncode == 2
        assert "The command contains the value of STOCK_KEY" in done.stderr
        assert "mcp-governor init --env STOCK_KEY --" in done.stderr
        assert "hunter" not in done.stderr
        assert contents(tmp_path) == {}

    def test_a_server_without_tools_may_lack_variables(self, tmp_path):
        root = project(tmp_path, stock=f"exec {shlex.join([*plain()[:2], json.dumps({'tools': []})])}")
        write(root, {"README.md": '"env": { "STOCK_URL": "https://…", "STOCK_KEY": "…" }'})
        done = governor(root, "init")
        assert done.returncode == 4
        assert "  responds, but publishes no tools" in said(done)
        assert "(from README.md): mcp-governor init --env STOCK_URL --env STOCK_KEY" in done.stderr


class TestNextStep:
    def test_arguments(self, tmp_path):
        root = project(tmp_path, stock="echo 'usage: stock FOLDER' >&2; exit 2")
        done = governor(root, "init")
        assert done.returncode == 3
        assert "mcp-governor init -- stock ARGUMENTS" in said(done)[-1]

    def test_a_server_on_a_port(self, tmp_path, monkeypatch):
        monkeypatch.setattr(trying, "SECONDS", 1.0)
        reported = "Uvicorn running on http://127.0.0.1:8000 (Press CTRL+C to quit)"
        root = project(tmp_path, stock=f"echo '{reported}' >&2; cat >/dev/null")
        done = governor(root, "init")
        assert done.returncode == 3
        assert "It seems to serve HTTP at http://127.0.0.1:8000" in said(done)[-1]

    def test_names_are_quoted_for_the_shell(self, tmp_path):
        for name in ("a b", "c;d"):
            project(tmp_path / "src" / name, name="stock", stock=serving(name=name))
        done = governor(tmp_path, "init")
        choices = "cd 'src/a b' && mcp-governor init; or: cd 'src/c;d' && mcp-governor init"
        assert said(done)[-1] == f"hint: Choose one: {choices}"
        helper = {"mcpServers": {"x; rm -r": {"command": "docker", "args": []}}}
        other = write(tmp_path / "other", {".mcp.json": json.dumps(helper)})
        assert said(governor(other, "init"))[-1].endswith("mcp-governor init '.mcp.json#x; rm -r'")

    def test_packages_that_are_not_installed(self, tmp_path):
        if shutil.which("node") is None:
            missing("node is not installed")
        package = {"name": "stock", "bin": "index.js", "dependencies": {"@modelcontextprotocol/sdk": "1"}}
        write(tmp_path, {"package.json": json.dumps(package), "index.js": "require('@modelcontextprotocol/sdk')\n"})
        done = governor(tmp_path, "init")
        assert done.returncode == 3
        assert said(done)[-1] == "hint: Run: npm install && mcp-governor init"

    def test_a_runner_that_fails_at_its_own_work_is_tried_once(self, tmp_path, monkeypatch):
        monkeypatch.setattr("mcp_governor.target.discover.python_projects._is_there", lambda program: program == "uv")
        address = "https://example.org/20260325/cpython-3.14.3.tar.gz"
        lines = (
            "error: Request failed after 3 retries in 5.6s",
            f"  cause: Failed to download `{address}`",
            "  cause: no",
        )
        program = "".join(f"echo '{line}' >&2\n" for line in lines)
        root = project(tmp_path, **{"stock-server": serving(), "stock-mcp": serving(), "uv": f"{program}exit 2"})
        write(root, {"uv.lock": "", "stock/__init__.py": "", "stock/__main__.py": "import mcp\n"})
        told = said(governor(root, "init"))
        assert [line for line in told if line.startswith("Trying")] == ["Trying uv run stock-server  (pyproject.toml)"]
        assert f"retries in 5.6s; cause: Failed to download `{address}`; cause: no" in told[-3]
        assert told[-1].endswith("cannot be downloaded. Install Python 3.14.")

    def test_a_project_that_is_not_installed(self, tmp_path):
        entry = '[project]\nname = "stock"\ndependencies = ["mcp"]\n[project.scripts]\nstock-no-such = "stock:main"\n'
        write(tmp_path, {"pyproject.toml": entry})
        done = governor(tmp_path, "init")
        assert done.returncode == 3
        assert "  the command was not found." in said(done)
        assert said(done)[-1] == "hint: Run: pip install -e . && mcp-governor init"


def test_nothing_is_run_that_was_not_said(tmp_path, monkeypatch):
    root = repository(tmp_path / "work", {"README.md": "a"})
    marks = tmp_path / "marks"
    marks.mkdir()
    marked = {name: f"touch {marks}/{name}" for name in ("deploy", "git", "node", "npx")}
    project(root, name="shop", **{"shop-mcp": f"touch {marks}/shop-mcp; exit 1", **marked})
    clients = {
        "a": {"command": "docker"},
        "b": {"command": "npx", "args": ["other"]},
        "c": {"command": "touch", "args": [f"{marks}/touch"]},
        "d": {"command": "sh", "args": ["-c", f"touch {marks}/sh"]},
        "e": {"command": sys.executable, "args": ["-c", f"open('{marks}/python', 'w')"]},
    }
    write(
        root,
        {".mcp.json": json.dumps({"mcpServers": clients}), "Dockerfile": f'FROM a\nCMD ["touch", "{marks}/docker"]\n'},
    )
    home = {"mcpServers": {"c": {"command": "touch", "args": [f"{marks}/home"]}}}
    write(tmp_path, {".mcp.json": json.dumps(home), ".cursor/mcp.json": json.dumps(home)})
    monkeypatch.setenv("HOME", str(tmp_path))
    done = governor(root, "init")
    assert done.returncode == 3
    assert [line for line in said(done) if line.startswith("Trying")] == ["Trying shop-mcp  (pyproject.toml)"]
    assert [path.name for path in marks.iterdir()] == ["shop-mcp"]
    listed = said(done)[
        : said(done).index("Looking for the MCP server of this repository; each command is run as shown.")
    ]
    assert listed[0] == "Not started unless you name it:"
    assert "  mcp-governor init .mcp.json#b  (npx other)" in listed
    assert f"  mcp-governor init .mcp.json#d  (sh -c 'touch {marks}/sh')" in listed
    # named, it is started
    done = governor(root, "init", ".mcp.json#c")
    assert (marks / "touch").exists()


class TestBounds:
    def test_programs(self, tmp_path, monkeypatch):
        monkeypatch.setattr(trying, "MAX_ATTEMPTS", 2)
        root = project(tmp_path, **{f"mcp-{number}": "exit 1" for number in range(4)})
        done = governor(root, "init")
        assert done.returncode == 3
        assert sum(line.startswith("Trying ") for line in said(done)) == 2

    def test_time(self, tmp_path, monkeypatch):
        monkeypatch.setattr(trying, "SECONDS", 1.0)
        root = project(tmp_path, **{"stock-server": "cat >/dev/null", "stock-mcp": serving()})
        done = governor(root, "init")
        assert done.returncode == 0, done.stderr
        assert "  no response to `initialize` within 1 s." in done.stderr
        assert 'command = ["stock-mcp"]' in contents(root)[CONFIG].decode()


OLD = {**TOOL, "inputSchema": {**TOOL["inputSchema"], "required": []}}


class TestFrom:
    """A baseline that was recorded by another program."""

    def begun(self, root, recording):
        done = governor(root, "init", "--from", recording, "--no-ci", "--no-hook", "--", *plain())
        assert done.returncode == 0, done.stderr
        reported = f"Next: commit these files, then see what has changed since {recording} with: mcp-governor check"
        assert done.stdout.splitlines()[-1] == reported
        return done, json.loads(contents(root)["mcp-surface.json"])

    def test_a_folder_of_snapshots(self, tmp_path):
        write(tmp_path, {"pkg/__toolsnaps__/find_stock.snap": json.dumps(OLD)})
        done, recorded = self.begun(tmp_path, "pkg/__toolsnaps__")
        assert recorded["tools"] == [OLD]
        assert recorded["serverInfo"] == {"name": "stock", "version": "2.1.0"}
        assert "the baseline: the surface as recorded in pkg/__toolsnaps__" in done.stdout
        report = json.loads(governor(tmp_path, "check", "--format", "json").stdout)
        assert [change["kind"] for change in report["changes"]] == ["argument-required"]

    def test_an_export_without_annotations(self, tmp_path):
        kept = {key: OLD[key] for key in ("name", "description", "inputSchema")}
        export = {"serverId": "stock", "exportedAt": "2026-01-01T00:00:00Z", "tools": [kept], "resources": []}
        write(tmp_path, {"export.json": json.dumps({**export, "prompts": []})})
        annotated = {**TOOL, "annotations": {"readOnlyHint": True}, "title": "Find"}
        done = governor(tmp_path, "init", "--from", "export.json", "--", *plain(annotated))
        assert done.returncode == 0, done.stderr
        (tool,) = json.loads(contents(tmp_path)["mcp-surface.json"])["tools"]
        assert tool == {**OLD, "annotations": {"readOnlyHint": True}, "title": "Find"}


def test_no_object_is_taken_for_a_script_that_says_why_it_does_not_start(tmp_path):
    """The object has tools that the script does not register without a setting that it does not name plainly."""
    root = project(tmp_path, **{"stock-server": "echo 'the shop is closed' >&2; exit 1"})
    page = "Settings:\n\n- `STOCK_TOKEN`: from the shop\n\n```\nexport STOCK_URL=https://shop.example\n```\n"
    write(
        root, {"stock/__init__.py": "", "stock/app.py": "from mcp.server.fastmcp import FastMCP\nmcp = FastMCP('s')\n"}
    )
    write(root, {"README.md": page})
    done = governor(root, "init")
    assert done.returncode == 3
    assert [line for line in said(done) if line.startswith("Trying")] == ["Trying stock-server  (pyproject.toml)"]
    assert "(from README.md): mcp-governor init --env STOCK_TOKEN --env STOCK_URL" in done.stderr
