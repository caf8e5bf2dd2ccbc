"""``init`` in repositories of every kind: what it writes makes the next check pass, and nothing is overwritten."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import shlex
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from frameworks import CARELESS, COUNT, LIST, source
from projects import committed, contents, git, governor, governor_process, repository, write
from support import REPO, SERVERS, missing

from mcp_governor.cli.init_files import HOOK_FILES, _ours
from mcp_governor.cli.init_plan import name_of, script_of

CONFIG, SURFACE, CHANGELOG, KNOWN = (
    "mcp-governor.toml",
    "mcp-surface.json",
    "docs/mcp-schema-changelog.md",
    "mcp-lint-baseline.json",
)
DESCRIBED = {"type": "string", "description": "What to look for."}
FIND = {
    "name": "find_stock",
    "description": "Looks a word up in the stock list of the shop and returns the number of pieces.",
    "inputSchema": {"type": "object", "properties": {"word": DESCRIBED}, "required": ["word"]},
}
# an array without items: an error that clients choke on
WRONG = {**FIND, "inputSchema": {"type": "object", "properties": {"words": {"type": "array"}}, "required": ["word"]}}


SECRET = "sekret-0123456789"


@contextlib.contextmanager
def running_web():
    """The web server of the wire's tests."""
    sys.path.insert(0, str(SERVERS))
    try:
        from web import Web
    finally:
        sys.path.remove(str(SERVERS))
    with Web() as web:
        yield web


def plain(tools=(FIND,), version="2.1.0"):
    """The command of the fixture server."""
    how = {"tools": list(tools), "info": {"name": "stock", "version": version}}
    return [sys.executable, str(SERVERS / "plain.py"), json.dumps(how)]


def begun(root, *arguments, run=governor):
    """``init``, which must succeed, and the check after it, which must pass; then a second ``init``, refused."""
    before = contents(root)
    done = run(root, "init", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    after = contents(root)
    assert {name: after[name] for name in before} == before
    checked = run(root, "check", "--format", "json")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    report = json.loads(checked.stdout)
    assert report["verdict"] == "pass"
    assert report["changes"] == []
    assert report["baseline"]["source"] == SURFACE
    again = run(root, "init", *arguments)
    assert again.returncode == 2
    assert "configured already" in again.stderr
    assert contents(root) == after
    return done.stdout, after


class TestFound:
    """No TARGET is given: the server of the repository is found."""

    def test_a_module_with_a_fastmcp_server(self, tmp_path):
        told, files = begun(write(tmp_path, {"stock_server.py": source("fastmcp")}), run=governor_process)
        assert "stock_server.py: 2 tools" in told
        assert b'object = "stock_server:server"' in files[CONFIG]
        assert b"## 1.2.0 (current)" in files[CHANGELOG]
        assert b"count_pieces" in files[CHANGELOG]
        assert {CONFIG, SURFACE, CHANGELOG} <= set(files)

    def test_an_mcpserver_in_the_src_layout(self, tmp_path):
        files = {
            "pyproject.toml": '[project]\nname = "stock"\n',
            "src/stock/__init__.py": "",
            "src/stock/api.py": source("mcpserver"),
            "tests/test_api.py": "from fastmcp import FastMCP\nserver = FastMCP('of a test')\n",
        }
        told, files = begun(write(tmp_path, files), run=governor_process)
        assert "src/stock/api.py" in told
        assert b'object = "stock.api:server"' in files[CONFIG]

    def test_a_node_package_with_a_bin(self, tmp_path):
        if shutil.which("node") is None:
            missing("node is not installed")
        script = """
        const tools = %s;
        let rest = "";
        process.stdin.on("data", (chunk) => {
          rest += chunk;
          const lines = rest.split("\\n");
          rest = lines.pop();
          for (const line of lines) {
            const { id, method, params } = JSON.parse(line);
            if (id === undefined) continue;
            let body = { error: { code: -32601, message: "no such method" } };
            if (method === "initialize")
              body = { result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} },
                                 serverInfo: { name: "stock", version: "0.3.0" } } };
            if (method === "tools/list") body = { result: { tools } };
            process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...body }) + "\\n");
          }
        });
        """
        package = {
            "name": "@shop/stock",
            "bin": {"stock": "./dist/index.js"},
            "dependencies": {"@modelcontextprotocol/sdk": "1"},
        }
        files = {"package.json": json.dumps(package), "dist/index.js": script % json.dumps([FIND])}
        told, files = begun(write(tmp_path, files))
        assert "the server stock in package.json" in told
        assert b'command = ["node", "dist/index.js"]' in files[CONFIG]

    def test_a_client_configuration(self, tmp_path):
        command, *arguments = plain()
        entry = {"mcpServers": {"stock": {"command": command, "args": arguments}}}
        _, files = begun(write(tmp_path, {".mcp.json": json.dumps(entry)}))
        assert b'target = ".mcp.json#stock"' in files[CONFIG]

    def test_several_servers_are_named_and_none_is_taken(self, tmp_path):
        write(tmp_path, {"one.py": source("fastmcp"), "two.py": source("mcpserver")})
        before = contents(tmp_path)
        done = governor(tmp_path, "init")
        assert done.returncode == 2
        assert "2 different servers answer." in done.stderr
        choices = "mcp-governor init python:one:server; or: mcp-governor init python:two:server"
        assert f"Choose one: {choices}" in done.stderr
        assert contents(tmp_path) == before

    def test_nothing_to_govern(self, tmp_path):
        write(tmp_path, {"README.md": "FastMCP", "lib.py": "FastMCP = dict\nclass A:\n    server = FastMCP()\n"})
        before = contents(tmp_path)
        done = governor(tmp_path, "init")
        assert done.returncode == 2
        assert "No MCP server was found" in done.stderr
        assert "mcp-governor init -- COMMAND" in done.stderr
        assert contents(tmp_path) == before


class TestNamed:
    """The server is given on the command line."""

    def test_a_command(self, tmp_path):
        told, files = begun(repository(tmp_path, {"README.md": "a"}), "--", *plain())
        assert "1 tool." in told
        assert b"## 2.1.0 (current)" in files[CHANGELOG]
        assert b"schema-version" not in files[CONFIG]

    def test_findings_of_today_do_not_fail_and_new_ones_do(self, tmp_path):
        command = plain([WRONG])
        assert governor(tmp_path, "lint", "--isolated", "--", *command).returncode == 1
        _, files = begun(tmp_path, "--", *command)
        assert KNOWN in files
        assert f'baseline = "{KNOWN}"'.encode() in files[CONFIG]
        worse = {**WRONG, "inputSchema": {**WRONG["inputSchema"], "required": ["word", "other"]}}
        assert governor(tmp_path, "lint", "--", *plain([worse])).returncode == 1

    def test_careless_tools_of_a_real_server(self, tmp_path):
        begun(write(tmp_path, {"s.py": source("mcpserver", COUNT, LIST, CARELESS)}), run=governor_process)

    @pytest.mark.parametrize("version", ["2026.11", "1.2.0rc1", "1.2"])
    def test_versions_of_other_schemes_are_the_servers_own(self, tmp_path, version):
        _, files = begun(tmp_path, "--", *plain(version=version))
        assert b"schema-version" not in files[CONFIG]
        assert f"## {version} (current)".encode() in files[CHANGELOG]

    @pytest.mark.parametrize("version", ["", "next"])
    def test_a_server_without_a_version_that_counts_is_held_to_a_literal(self, tmp_path, version):
        told, files = begun(tmp_path, "--", *plain(version=version))
        assert b'schema-version = "0.1.0"' in files[CONFIG]
        assert b"## 0.1.0 (current)" in files[CHANGELOG]
        assert "Its version is written into the configuration: 0.1.0." in told

    def test_the_version_of_the_project_is_taken_and_the_screen_says_why(self, tmp_path):
        write(tmp_path, {"pyproject.toml": '[project]\nname = "stock"\nversion = "0.3.0"\n'})
        told, files = begun(tmp_path, "--", *plain(version="94.1.2"))
        why = "The server reports 94.1.2, and pyproject.toml line 3 says 0.3.0."
        assert f"{why} Its version is taken from pyproject.toml: 0.3.0.\n" in told
        assert f'# {why}\nschema-version = "pyproject.toml"\n'.encode() in files[CONFIG]
        assert b"## 0.3.0 (current)" in files[CHANGELOG]

    def test_a_server_that_reports_its_own_version_needs_no_word_about_it(self, tmp_path):
        write(tmp_path, {"pyproject.toml": '[project]\nname = "stock"\nversion = "2.1.0"\n'})
        told, _ = begun(tmp_path, "--", *plain())
        assert "Its version" not in told

    def test_a_server_of_a_client_configuration_is_named(self, tmp_path):
        command, *arguments = plain()
        entry = {"servers": {"stock": {"command": command, "args": arguments}}}
        write(tmp_path, {".vscode/mcp.json": json.dumps(entry)})
        done = governor(tmp_path, "init", ".vscode/mcp.json")
        assert done.returncode == 2
        assert "Name one: .vscode/mcp.json#stock" in done.stderr
        _, files = begun(tmp_path, ".vscode/mcp.json#stock")
        assert b'target = ".vscode/mcp.json#stock"' in files[CONFIG]

    def test_a_token_of_the_environment_is_named_and_not_written(self, tmp_path, monkeypatch):
        with running_web() as web:
            monkeypatch.setenv("MCP_GOVERNOR_BEARER_TOKEN", SECRET)
            _, files = begun(tmp_path, web.url("/good"))
            assert {headers.get("Authorization") for _, _, headers, _ in web.seen} == {f"Bearer {SECRET}"}
        assert b'bearer-token = "$MCP_GOVERNOR_BEARER_TOKEN"' in files[CONFIG]
        assert SECRET.encode() not in b"".join(files.values())
        _, job = steps_of(files)
        secret = "${{ secrets.MCP_GOVERNOR_BEARER_TOKEN }}"
        assert job["steps"][-1]["env"] == {"MCP_GOVERNOR_BEARER_TOKEN": secret}

    @pytest.mark.parametrize(
        "address",
        [
            f"http://me:{SECRET}@h.example/mcp",
            f"https://h.example/mcp?api_key={SECRET}",
            f"https://h.example/mcp?s={SECRET}",
            f"https://h.example/mcp;token={SECRET}",
            "https://h.example/s/0a1b2c3d4e5f6a7b8c9d/mcp",
        ],
    )
    def test_credentials_in_an_address_are_written_nowhere(self, tmp_path, address):
        done = governor(tmp_path, "init", address)
        assert done.returncode == 2
        assert "holds credentials" in done.stderr
        assert SECRET not in done.stdout + done.stderr
        assert "0a1b2c3d" not in done.stdout + done.stderr
        assert contents(tmp_path) == {}

    @pytest.mark.parametrize("query", ["toolsets=issues", "toolsets=issues,pull_requests&readonly=true", "v=2"])
    def test_an_address_with_choices_is_written(self, tmp_path, query):
        with running_web() as web:
            _, files = begun(tmp_path, web.url(f"/good?{query}"))
        assert f"?{query}".encode() in files[CONFIG]

    def test_files_that_are_there_are_left(self, tmp_path):
        own = {CHANGELOG: "mine\n", SURFACE: "mine\n"}
        write(tmp_path, own)
        done = governor(tmp_path, "init", "--", *plain())
        assert done.returncode == 0
        assert done.stdout.count("left as it was") == 2
        assert {name: contents(tmp_path)[name].decode() for name in own} == own

    def test_a_configured_pyproject_is_enough_to_refuse(self, tmp_path):
        write(tmp_path, {"pyproject.toml": '[tool.mcp-governor]\nprofile = "charter"\n'})
        done = governor(tmp_path, "init", "--", *plain())
        assert done.returncode == 2
        assert "pyproject.toml" in done.stderr

    @pytest.mark.parametrize(
        ("arguments", "code", "words"),
        [
            (["--", "/no/such/server"], 3, "/no/such/server"),
            (["mcp-surface.json"], 2, "mcp-surface.json does not exist."),
            ([str(REPO / "mcp-surface.json")], 2, "init takes a live server"),
            (["server.py"], 2, "Start it: -- python server.py"),
            (["python:nothing:server"], 2, "nothing"),
            (["--", *plain([])], 4, "publishes no tools"),
        ],
    )
    def test_a_server_that_cannot_be_read_leaves_nothing_behind(self, tmp_path, arguments, code, words):
        done = governor(tmp_path, "init", *arguments)
        assert done.returncode == code
        assert words in done.stderr
        assert contents(tmp_path) == {}

    def test_a_folder_that_cannot_be_made(self, tmp_path):
        write(tmp_path, {"docs": "a file"})
        done = governor(tmp_path, "init", "--", *plain())
        assert done.returncode == 2
        assert "docs/mcp-schema-changelog.md cannot be written: Not a directory. Nothing was written." in done.stderr
        assert contents(tmp_path) == {"docs": b"a file"}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("pypi:mcp-server-time", "mcp-server-time"),
        ("pypi:some_pkg[x]==1.0:run-it", "some-pkg"),
        ("npm:@modelcontextprotocol/server-memory@1.2.3", "server-memory"),
        ("npm:memory", "memory"),
        ("python:shop.api:server", "api"),
        ("tools/stock.py", "stock"),
        (".mcp.json#stock", "stock"),
        ("shop.stock.server", "stock"),
        ("https://h.example/mcp", "my-shop"),
    ],
)
def test_a_server_gets_the_name_that_tells_most(text, name):
    assert name_of(text, Path("/repositories/My Shop")) == name


@pytest.mark.parametrize(
    ("command", "script"),
    [
        ("uv run stock.py", "stock.py"),
        ("uv tool run --quiet stock", "stock"),
        ("npx -y @shop/stock .", "@shop/stock"),
        ("python -m shop.stock --all", "shop.stock"),
        ("stock", "stock"),
    ],
)
def test_the_word_of_a_command_that_names_the_server(command, script):
    assert script_of(tuple(command.split())) == script


WORKFLOW, HOOKS = ".github/workflows/mcp-governor.yml", ".pre-commit-config.yaml"


def parsed(text):
    """A YAML document, as GitHub and pre-commit read it."""
    if importlib.util.find_spec("yaml") is None:
        missing("PyYAML is not installed: pip install pre-commit")
    import yaml

    return yaml.safe_load(text)


def steps_of(files, name=WORKFLOW):
    """The shell commands of a written workflow."""
    workflow = parsed(files[name])
    # YAML 1.1 reads the key "on" as true
    assert workflow[True] == {"push": {"branches": ["main", "master"], "tags": ["**"]}, "pull_request": None}
    (job,) = workflow["jobs"].values()
    checkout = job["steps"][0]
    assert checkout["uses"].startswith("actions/checkout@")
    assert checkout["with"]["fetch-depth"] == 0
    return [step["run"] for step in job["steps"] if "run" in step], job


CHECK = "mcp-governor check ${GITHUB_BASE_REF:+--new-only}"
OURS = _ours()
"""What CI installs us from: it depends on where this checkout came from (``test_installation.py`` tries them all)."""


def words_of(command, variables):
    """What a shell makes of a command with these variables, where it would start it."""
    done = subprocess.run(
        ["sh", "-c", f"printf '%s\\n' {command}"], env=variables, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


class TestWorkflow:
    """What ``init`` writes for CI."""

    @pytest.mark.parametrize(
        ("files", "install"),
        [
            ({"stock.py": source("fastmcp")}, [f"pip install {OURS}"]),
            (
                {"stock.py": source("fastmcp"), "pyproject.toml": '[project]\nname = "stock"\n'},
                [f"pip install . {OURS}"],
            ),
            (
                {"stock.py": source("fastmcp"), "pyproject.toml": "[tool.ruff]\n", "requirements.txt": "fastmcp\n"},
                [f"pip install -r requirements.txt {OURS}"],
            ),
        ],
        ids=["bare", "project", "requirements"],
    )
    def test_a_python_server_is_installed_beside_us(self, tmp_path, files, install):
        _, written = begun(write(tmp_path, files))
        commands, _ = steps_of(written)
        assert commands == [*install, CHECK]
        assert (b"Install what the server needs" in written[WORKFLOW]) == (len(files) == 1)

    def test_a_node_server_is_built(self, tmp_path):
        (tmp_path / "node").symlink_to(sys.executable)
        write(tmp_path, {"package.json": "{}", "package-lock.json": "{}"})
        _, *arguments = plain()
        _, written = begun(tmp_path, "--", str(tmp_path / "node"), *arguments)
        commands, job = steps_of(written)
        assert commands == [
            "npm ci",
            "npm run build --if-present",
            f"pip install {OURS}",
            CHECK,
        ]
        assert any(step.get("uses", "").startswith("actions/setup-node@") for step in job["steps"])

    @pytest.mark.parametrize(
        ("lock", "commands"),
        [
            ("pnpm-lock.yaml", ["corepack enable", "pnpm install --frozen-lockfile", "pnpm run build"]),
            ("yarn.lock", ["corepack enable", "yarn install --immutable", "yarn run build"]),
            ("bun.lock", ["npm install --global bun", "bun install --frozen-lockfile", "bun run build"]),
        ],
    )
    def test_the_lock_file_says_how_a_node_server_is_built(self, tmp_path, lock, commands):
        (tmp_path / "node").symlink_to(sys.executable)
        write(tmp_path, {"package.json": '{"scripts": {"build": "tsc"}}', lock: ""})
        _, *arguments = plain()
        _, written = begun(tmp_path, "--", str(tmp_path / "node"), *arguments)
        assert steps_of(written)[0][:3] == commands

    def test_a_project_of_poetry_is_installed_by_it(self, tmp_path):
        (tmp_path / "poetry").symlink_to(sys.executable)
        _, *arguments = plain()
        _, written = begun(write(tmp_path, {"poetry.lock": ""}), "--", str(tmp_path / "poetry"), *arguments)
        commands, _ = steps_of(written)
        assert commands[0].startswith("pip install poetry ")
        assert commands[1:] == ["poetry install", CHECK]

    def test_the_branch_of_the_clone_is_the_one_that_is_checked(self, tmp_path):
        root = repository(tmp_path / "shop", {"README.md": "a"})
        git(root, "branch", "-m", "trunk")
        git(tmp_path, "clone", "-q", str(root), str(tmp_path / "clone"))
        assert governor(tmp_path / "clone", "init", "--", *plain()).returncode == 0
        workflow = parsed(contents(tmp_path / "clone")[WORKFLOW])
        assert workflow[True]["push"]["branches"] == ["trunk"]

    def test_the_check_of_the_workflow_passes_in_a_clone_and_fails_after_a_break(self, tmp_path):
        root = repository(tmp_path / "shop", {"server.json.txt": "a"})
        begun(root, "--", *plain())
        committed(root, "governed")
        git(root, "tag", "v2.1.0")
        clone = tmp_path / "clone"
        assert git(tmp_path, "clone", "-q", str(root), str(clone)).returncode == 0
        commands, _ = steps_of(contents(clone))
        assert words_of(commands[-1], {}) == ["mcp-governor", "check"]
        _, *check = words_of(commands[-1], {"GITHUB_BASE_REF": "main"})
        assert check == ["check", "--new-only"]
        passed = governor(clone, *check)
        assert passed.returncode == 0, passed.stdout + passed.stderr
        # Recording the broken surface anew does not hide the break: the release tag has the old one.
        config = (clone / CONFIG).read_text()
        (clone / CONFIG).write_text(config.replace("find_stock", "seek_stock"))
        assert governor(clone, "snapshot").returncode == 0
        failed = governor(clone, *check)
        assert failed.returncode == 1
        assert "compared with git:v2.1.0 (2.1.0)" in failed.stdout
        assert "pending: major, release as 3.0.0" in failed.stdout

    def test_a_server_in_a_folder_of_a_repository(self, tmp_path):
        root = repository(tmp_path / "mono", {"README.md": "a"})
        folder = write(root / "packages" / "the stock", {"README.md": "a"})
        begun(folder, "--", *plain())
        commands, job = steps_of(contents(root), ".github/workflows/mcp-governor-packages-the-stock.yml")
        assert commands[-1] == CHECK
        assert job["defaults"]["run"]["working-directory"] == "packages/the stock"
        (hook,) = parsed((root / HOOKS).read_text())["repos"][0]["hooks"]
        _, *arguments = shlex.split(hook["entry"])
        assert arguments == ["check", "--offline", "--new-only", "--config", "packages/the stock/mcp-governor.toml"]
        assert governor(root, *arguments).returncode == 0

    def test_gitlab_gets_a_job_to_paste_and_nothing_is_touched(self, tmp_path):
        write(tmp_path, {".gitlab-ci.yml": "stages: [test]\n"})
        told, written = begun(tmp_path, "--", *plain())
        assert WORKFLOW not in written
        assert ".gitlab-ci.yml was left as it was; add this job" in told
        start = told.index("    mcp-governor:\n")
        job = parsed(textwrap.dedent(told[start : told.index("Next: commit")]))["mcp-governor"]
        assert job["script"][-1] == "mcp-governor check ${CI_MERGE_REQUEST_IID:+--new-only}"
        assert job["variables"] == {"GIT_DEPTH": "0"}

    def test_what_is_there_stays_and_what_is_not_wanted_is_not_written(self, tmp_path):
        write(tmp_path, {WORKFLOW: "mine\n", HOOKS: "mine\n"})
        told, written = begun(tmp_path, "--", *plain())
        assert f"{WORKFLOW}  left as it was" in told
        assert "add this to its repos:" in told
        assert written[WORKFLOW] == written[HOOKS] == b"mine\n"
        told, written = begun(write(tmp_path / "other", {"a": ""}), "--no-ci", "--no-hook", "--", *plain())
        assert not {WORKFLOW, HOOKS} & set(written)
        assert "pre-commit" not in told


class TestHook:
    """What ``init`` writes for pre-commit; the hook itself is tried in ``test_precommit.py``."""

    OTHER = "- repo: https://example.org/hooks\n  rev: v1\n  hooks:\n    - id: other\n"

    def test_the_files_are_those_of_the_hook_that_we_publish(self):
        (published,) = parsed((REPO / ".pre-commit-hooks.yaml").read_text())
        assert published["files"] == HOOK_FILES

    @pytest.mark.parametrize(
        "text",
        [
            "repos:\n" + OTHER,
            "default_stages: [pre-commit]\nrepos: # ours\n\n" + textwrap.indent(OTHER, "  ") + "  # the end\n",
            "repos:\n" + textwrap.indent(OTHER, "    ").rstrip("\n"),
        ],
        ids=["no-indent", "indented", "no-line-feed"],
    )
    def test_an_existing_list_gets_one_more(self, tmp_path, text):
        write(tmp_path, {HOOKS: text})
        done = governor(tmp_path, "init", "--", *plain())
        assert "with one more hook at its end" in done.stdout
        new = (tmp_path / HOOKS).read_text()
        assert new.startswith(text)
        before, after = parsed(text), parsed(new)
        assert after["repos"][:-1] == before["repos"]
        assert after["repos"][-1]["hooks"][0]["entry"] == "mcp-governor check --offline --new-only"
        assert {**after, "repos": before["repos"]} == before

    @pytest.mark.parametrize(
        "text",
        [
            "repos: []\n",
            "repos: [{repo: local, hooks: []}]\n",
            "",
            "repos:\n" + OTHER + "ci:\n  autofix_prs: false\n",
            "repos:\n" + OTHER + "...\n",
            "repos:\r\n" + OTHER.replace("\n", "\r\n"),
            "repos:\n" + OTHER.replace("  rev", "\trev"),
            "repos: &all\n" + OTHER,
            "\ufeffrepos:\n" + OTHER,
        ],
    )
    def test_a_file_in_another_style_is_left_and_the_hook_is_shown(self, tmp_path, text):
        (tmp_path / HOOKS).write_bytes(text.encode())
        done = governor(tmp_path, "init", "--", *plain())
        assert done.returncode == 0
        assert (tmp_path / HOOKS).read_bytes() == text.encode()
        shown = done.stdout[done.stdout.index("    - repo: local") : done.stdout.index("Next: commit")]
        ((item),) = parsed(textwrap.dedent(shown))
        assert item["hooks"][0]["id"] == "mcp-governor"

    def test_a_hook_that_is_there_is_not_added_again(self, tmp_path):
        text = "repos:\n" + self.OTHER.replace("other", "mcp-governor")
        write(tmp_path, {HOOKS: text})
        done = governor(tmp_path, "init", "--", *plain())
        assert f"{HOOKS}             has the hook already" in done.stdout
        assert (tmp_path / HOOKS).read_text() == text
