"""What ``init`` takes for the server of a repository, without running any of it."""

from __future__ import annotations

import json

import pytest
from projects import write

from mcp_governor.target.discover import discover

SDK = '"dependencies": {"@modelcontextprotocol/sdk": "1"}'
CLIENT = json.dumps(
    {
        "mcpServers": {
            "here": {"command": "python", "args": ["serve.py"]},
            "far": {"url": "https://example.org/mcp"},
            "helper": {"command": "helper"},
        }
    }
)


def found(root):
    """How a user would type each candidate, started in the best way."""
    return [candidate.ways[0].typed for candidate in discover(root).candidates]


def others(root):
    """How a user would type what is not started, and what that is."""
    return {way.typed: way.says for way in discover(root).others}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("server = FastMCP('a')", ["server"]),
        ("server: FastMCP = FastMCP('a')", ["server"]),
        ("server = fastmcp.FastMCP('a')", ["server"]),
        ("server = MCPServer[dict]('a')", ["server"]),
        ("one = two = MCPServer('a')", ["one", "two"]),
        ("def make() -> FastMCP: ...", ["make"]),
        ("async def make() -> 'MCPServer[Any]': ...", ["make"]),
        ("def make(debug: bool = False, *, log=None) -> fastmcp.FastMCP: ...", ["make"]),
        ("def make(path) -> FastMCP: ...", []),
        ("def make(*, path) -> FastMCP: ...", []),
        ("server = FastMCP('a')\ndef make() -> FastMCP: ...", ["server"]),
        ("class A:\n    server = FastMCP('a')", []),
        ("server: FastMCP", []),
        ("server = NotFastMCP('a')", []),
        ("# server = FastMCP('a')", []),
        ("server = FastMCP('a'", []),
    ],
)
def test_python_source(tmp_path, text, names):
    write(tmp_path, {"shop/api.py": text})
    assert found(tmp_path) == [f"python:shop.api:{name}" for name in names]


@pytest.mark.parametrize(
    ("path", "module"),
    [
        ("server.py", "server"),
        ("src/shop/__init__.py", "shop"),
        ("src/shop/api.py", "shop.api"),
        ("lib/api.py", "api"),
        ("shop/__init__.py", "shop"),
        ("tests/api.py", None),
        (".venv/lib/api.py", None),
        ("node_modules/a/api.py", None),
    ],
)
def test_modules_are_named_as_they_are_imported(tmp_path, path, module):
    write(tmp_path, {path: "server = FastMCP('a')"})
    assert found(tmp_path) == ([f"python:{module}:server"] if module else [])


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        (f'{{"name": "@shop/stock", "bin": "./dist/a.js", {SDK}}}', ["-- node dist/a.js"]),
        (f'{{"bin": {{"a": "a.js", "b": "b c.js"}}, {SDK}}}', ["-- node a.js", "-- node 'b c.js'"]),
        (f'{{"main": "index.js", {SDK}}}', ["-- node index.js"]),
        (f"{{{SDK}}}", []),
        (f'{{"bin": 5, "main": 5, {SDK}}}', []),
        ('{"bin": "a.js", "dependencies": {"express": "1"}}', []),
        ('{"bin": "a.js", "dependencies": []}', []),
        ("[]", []),
        ("{", []),
    ],
)
def test_node_packages(tmp_path, text, targets):
    write(tmp_path, {"package.json": text})
    assert found(tmp_path) == targets


def test_client_configurations_are_the_last_to_be_tried(tmp_path):
    own = {"servers": {"own": {"command": "${workspaceFolder}/serve.py"}}}
    write(tmp_path, {".mcp.json": CLIENT, ".vscode/mcp.json": json.dumps(own), "serve.py": ""})
    assert found(tmp_path) == [".mcp.json#here", ".vscode/mcp.json#own"]
    assert others(tmp_path) == {".mcp.json#far": "https://example.org/mcp", ".mcp.json#helper": "helper"}
    write(tmp_path, {"api.py": "server = FastMCP('a')"})
    assert found(tmp_path) == ["python:api:server", ".mcp.json#here", ".vscode/mcp.json#own"]


@pytest.mark.parametrize(
    ("entry", "shown"),
    [
        ({"command": "python", "args": ["serve.py"], "env": {"LD_PRELOAD": "x"}}, "python serve.py"),
        ({"command": "python", "args": ["serve.py"], "cwd": ".."}, "python serve.py"),
        ({"command": "sh", "args": ["-c", "curl https://example.org"]}, "sh -c 'curl https://example.org'"),
        ({"command": "python", "args": ["${NO_SUCH_A}"]}, "needs the environment variable NO_SUCH_A"),
        ({"command": "python", "args": "serve.py"}, '"args" of .mcp.json#helper is not a list of strings.'),
    ],
    ids=str,
)
def test_what_leads_elsewhere_is_listed_with_what_it_starts(tmp_path, entry, shown):
    write(tmp_path, {".mcp.json": json.dumps({"mcpServers": {"helper": entry}}), "serve.py": ""})
    assert found(tmp_path) == []
    assert shown in others(tmp_path)[".mcp.json#helper"]


def test_a_link_out_of_the_repository_is_listed(tmp_path):
    """Wherever it was found: as a module, a bin or an entry of a client."""
    write(tmp_path, {"api.py": "server = FastMCP('a')", "a.js": ""})
    root = tmp_path / "root"
    write(root, {"package.json": f'{{"bin": "a.js", {SDK}}}', ".mcp.json": CLIENT})
    for name, target in (("api.py", "api.py"), ("a.js", "a.js"), ("serve.py", "api.py")):
        (root / name).symlink_to(tmp_path / target)
    assert found(root) == []
    assert {"python:api:server", "-- node a.js", ".mcp.json#here"} < set(others(root))


def test_a_runner_may_name_the_project_itself(tmp_path):
    entry = {"command": "npx", "args": ["-y", "@shop/stock"]}
    write(tmp_path, {".mcp.json": json.dumps({"mcpServers": {"a": entry}}), "package.json": '{"name": "@shop/stock"}'})
    assert found(tmp_path) == [".mcp.json#a"]


def test_no_file_of_the_home_folder_is_read(tmp_path, monkeypatch):
    home, repository = tmp_path / "home", tmp_path / "home" / "work"
    write(home, {".mcp.json": CLIENT, ".cursor/mcp.json": CLIENT, "claude_desktop_config.json": CLIENT})
    monkeypatch.setenv("HOME", str(home))
    assert found(write(repository, {"README.md": ""})) == []


PROJECT = """
[project]
name = "stock-server"
dependencies = ["mcp"]

[project.scripts]
"""


def ways(root, stage=0):
    (candidate,) = [candidate for candidate in discover(root).candidates if candidate.stage == stage]
    return [way.shown for way in candidate.ways]


APART = "uv run --no-project --isolated --with-editable ."


class TestPythonProjects:
    def test_a_script_is_started_apart_where_no_environment_is_there(self, tmp_path):
        write(tmp_path, {"pyproject.toml": PROJECT + 'stock = "stock:main"\n'})
        assert ways(tmp_path) == [f"{APART} stock"]
        (candidate,) = discover(tmp_path).candidates
        assert (candidate.name, candidate.found_in) == ("stock-server", "pyproject.toml")

    def test_a_locked_project_is_started_by_uv(self, tmp_path):
        write(tmp_path, {"pyproject.toml": PROJECT + 'stock = "stock:main"\n', "uv.lock": "version = 1\n"})
        assert ways(tmp_path) == ["uv run stock", f"{APART} stock"]

    def test_a_member_of_a_workspace_has_its_lock(self, tmp_path):
        lock = {"uv.lock": "", "pyproject.toml": '[tool.uv.workspace]\nmembers = ["packages/*"]\n'}
        write(tmp_path, {**lock, "packages/a/pyproject.toml": PROJECT + 'stock = "stock:main"\n'})
        (candidate,) = discover(tmp_path).candidates
        assert candidate.ways[0].shown == "uv run stock"
        assert candidate.folder == tmp_path / "packages" / "a"
        assert candidate.found_in == "packages/a/pyproject.toml"

    def test_a_script_of_the_projects_environment_is_taken(self, tmp_path):
        write(tmp_path, {"pyproject.toml": PROJECT + 'stock = "stock:main"\n', ".venv/pyvenv.cfg": ""})
        script = tmp_path / ".venv" / "bin" / "stock"
        write(tmp_path, {".venv/bin/stock": "#!/bin/sh\n"})
        script.chmod(0o755)
        assert ways(tmp_path)[0] == "stock"
        (tmp_path / ".venv/pyvenv.cfg").unlink()
        assert ways(tmp_path)[0] != "stock"

    def test_scripts_that_say_nothing_of_a_server_are_not_started(self, tmp_path):
        scripts = ["deploy = 'stock.ops:deploy'", "stock-mcp = 'stock:main'", "stock-server = 'stock:main'"]
        write(tmp_path, {"pyproject.toml": PROJECT + "\n".join([*scripts, "other-mcp = 'stock:other'"])})
        assert found(tmp_path) == [f"-- {APART} stock-mcp", f"-- {APART} other-mcp"]
        assert list(others(tmp_path)) == [f"-- {APART} deploy"]

    def test_a_project_without_a_word_of_mcp_starts_nothing(self, tmp_path):
        text = PROJECT.replace('"mcp"', '"flask"')
        write(tmp_path, {"pyproject.toml": text + 'stock-server = "stock:main"\n'})
        assert discover(tmp_path).candidates == ()

    def test_scripts_of_poetry(self, tmp_path):
        text = '[tool.poetry]\nname = "stock"\ndependencies = { mcp = "*" }\n[tool.poetry.scripts]\nstock = "a:b"'
        write(tmp_path, {"pyproject.toml": text, "setup.py": ""})
        assert ways(tmp_path) == [f"{APART} stock"]

    def test_a_package_with_a_main(self, tmp_path):
        files = {"src/stock/__init__.py": "", "src/stock/__main__.py": "from stock import main\nmain()\n"}
        write(tmp_path, {**files, "pyproject.toml": PROJECT})
        assert ways(tmp_path, 1) == [f"{APART} python -m stock"]

    def test_a_file_that_starts_a_server(self, tmp_path):
        text = "from mcp.server.fastmcp import FastMCP\nif __name__ == '__main__':\n    FastMCP('a').run()\n"
        write(tmp_path, {"server.py": text, "requirements.txt": "mcp\n"})
        assert ways(tmp_path, 1) == [
            "uv run --no-project --isolated --with-requirements requirements.txt python server.py"
        ]
        write(tmp_path, {"server.py": "# /// script\n# dependencies = ['mcp']\n# ///\n" + text})
        assert ways(tmp_path, 1) == ["uv run server.py"]

    @pytest.mark.parametrize("text", ["[", "[project]\nname = 5\nscripts = 5\n[tool]\nuv = 1\n# mcp", "\0"])
    def test_what_is_wrong_in_a_project_file_is_passed_over(self, tmp_path, text):
        write(tmp_path, {"pyproject.toml": text})
        assert discover(tmp_path).candidates == ()


class TestNode:
    def test_what_is_not_built_is_not_tried(self, tmp_path):
        package = {"name": "@shop/stock", "bin": "dist/index.js", "scripts": {"build": "tsc"}}
        package["devDependencies"] = {"@modelcontextprotocol/sdk": "1"}
        write(tmp_path, {"package.json": json.dumps(package), "package-lock.json": "{}"})
        (candidate,) = discover(tmp_path).candidates
        (way,) = candidate.ways
        assert candidate.name == "stock"
        assert (way.shown, way.missing, way.prepare) == (
            "node dist/index.js",
            "dist/index.js",
            "npm ci && npm run build",
        )
        write(tmp_path, {"dist/index.js": ""})
        (way,) = discover(tmp_path).candidates[0].ways
        # built already, perhaps without its packages
        assert (way.missing, way.prepare) == ("", "npm ci")

    def test_a_start_script_comes_second(self, tmp_path):
        text = f'{{"bin": "a.js", "scripts": {{"start": "node a.js", "publish": "x"}}, {SDK}}}'
        write(tmp_path, {"package.json": text, "a.js": ""})
        assert found(tmp_path) == ["-- node a.js", "-- npm run --silent start"]
        write(tmp_path, {"package.json": text.replace('"start": "node', '"start": "curl h.example | node')})
        assert found(tmp_path) == ["-- node a.js"]
        assert others(tmp_path) == {"-- npm run --silent start": "curl h.example | node a.js"}


class TestDockerfile:
    @pytest.mark.parametrize(
        ("text", "command"),
        [
            ('FROM a\nWORKDIR /app\nENTRYPOINT ["node", "/app/index.js"]\nCMD ["stdio"]', "node index.js stdio"),
            ("FROM a\nCMD python -m stock", f"{APART} python -m stock"),
            ("FROM a\nCMD uv run --no-dev \\\n stock --quiet", f"{APART} stock --quiet"),
            ('FROM a\nCMD ["python", "gone.py"]', None),
            ("FROM a\nCMD stock --transport sse", None),
            ("FROM a\nCMD cd /x && stock", None),
            ('FROM a\nENTRYPOINT ["stock", 5]', None),
            ("FROM a\nENTRYPOINT [", None),
            ("FROM a\nCMD stock\nFROM b", None),
            ("FROM a\nCMD uvx other", None),
        ],
    )
    def test_what_it_starts(self, tmp_path, text, command):
        scripts = PROJECT + 'stock = "stock:main"\n'
        write(tmp_path, {"Dockerfile": text, "index.js": "", "pyproject.toml": scripts, "stock/__main__.py": ""})
        docker = [candidate.ways[0].shown for candidate in discover(tmp_path).candidates if candidate.stage == 3]
        assert docker == ([command] if command else [])


class TestMonorepos:
    def test_projects_below_count_where_the_root_holds_none(self, tmp_path):
        files = {f"src/{name}/pyproject.toml": PROJECT + f'{name} = "a:b"\n' for name in ("one", "two")}
        files["packages/three/package.json"] = f'{{"bin": "a.js", {SDK}}}'
        write(tmp_path, {**files, "docs/pyproject.toml": "", "deep/er/est/pyproject.toml": PROJECT + 'x = "a:b"\n'})
        folders = [candidate.folder.relative_to(tmp_path).as_posix() for candidate in discover(tmp_path).candidates]
        assert folders == ["src/one", "src/two", "packages/three"]
        write(tmp_path, {"pyproject.toml": PROJECT + 'root = "a:b"\n'})
        assert [candidate.folder for candidate in discover(tmp_path).candidates] == [tmp_path]

    def test_the_source_of_a_project_below_is_not_that_of_the_root(self, tmp_path):
        server = "server = FastMCP('a')"
        files = {"src/one/pyproject.toml": PROJECT, "src/one/one/__init__.py": server, "src/two/two.py": server}
        assert found(write(tmp_path, files)) == ["python:two.two:server"]
        (tmp_path / "src/two/two.py").unlink()
        assert found(tmp_path) == ["python:one:server"]

    def test_links_do_not_lead_elsewhere(self, tmp_path):
        outside = write(tmp_path / "outside", {"pyproject.toml": PROJECT + 'x = "a:b"\n'})
        root = write(tmp_path / "root", {"README.md": ""})
        (root / "linked").symlink_to(outside)
        assert discover(root).candidates == ()


def test_the_variables_that_a_repository_names(tmp_path):
    manifest = {"packages": [{"environmentVariables": [{"name": "LATER"}, {"name": "FIRST", "isRequired": True}, 5]}]}
    readme = 'Add: {"mcpServers": {"a": {"command": "a", "env": {"STOCK_KEY": "…", "STOCK_URL": "x"}}}}'
    write(
        tmp_path,
        {
            "pyproject.toml": PROJECT + 'stock = "a:b"\n',
            "server.json": json.dumps(manifest),
            ".env.example": "# COMMENT=1\nexport STOCK_USER=\nnot a line\n",
            "README.md": readme,
            "Dockerfile": "FROM a\nENV STOCK_MODE=x PATH=y\nENV PYTHONUNBUFFERED=1\n",
        },
    )
    assert discover(tmp_path).variables == {
        "FIRST": "server.json",
        "LATER": "server.json",
        "STOCK_USER": ".env.example",
        "STOCK_KEY": "README.md",
        "STOCK_URL": "README.md",
        "STOCK_MODE": "Dockerfile",
    }


def test_files_that_cannot_be_read_are_passed_over(tmp_path):
    write(tmp_path, {"good.py": "server = FastMCP('a')", "deep.py": "FastMCP" + "(" * 5000, ".mcp.json": "[" * 5000})
    (tmp_path / "binary.py").write_bytes(b"FastMCP \xff\xfe")
    (tmp_path / "large.py").write_text("server = FastMCP('a')\n" + "#" * 600_000)
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "gone.py").symlink_to(tmp_path / "nowhere")
    assert found(tmp_path) == ["python:good:server"]
