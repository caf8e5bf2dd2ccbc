"""What a failed start says, and what the hint makes of it: the words are those of real servers of both registries."""

from __future__ import annotations

import sys
import time

import pytest
from support import Leash

from mcp_governor.errors import UnreachableError
from mcp_governor.wire import Limits, StdioEndpoint, read
from mcp_governor.wire.advice import advice, error_line, main_script, node_needed, serves_http

UV_SCRIPTS = """\
An executable named `awslabs-docs` is not provided by package `awslabs-docs`.
The following executables are available:
- awslabs.docs
- awslabs.other

Use `uvx --from awslabs-docs awslabs.docs` instead.
"""
OLD_SDK = """\
  File "/x/site-packages/mcp_server_sqlite/server.py", line 173, in main
    @server.list_resources()
AttributeError: 'Server' object has no attribute 'list_resources'
"""
PYTHON_TOO_OLD = """\
error: No solution found when resolving tool dependencies
  cause: Because the current Python version (3.11.7) does not satisfy Python>=3.12 and dbt-mcp<=0.10.3 depends on
         Python>=3.12, we can conclude that dbt-mcp<=0.10.3 cannot be used.
"""
ARGPARSE = """\
usage: excel-mcp-server [-h] [--version] {stdio,streamable-http} ...
excel-mcp-server: error: the following arguments are required: transport
"""
SETTINGS = """\
pydantic_core._pydantic_core.ValidationError: 1 validation error for Settings
grafana_url
  Field required [type=missing, input_value={}, input_type=dict]
"""
ENGINE = """\
npm warn EBADENGINE   package: '@a/inspector@0.16.8',
npm warn EBADENGINE   required: { node: '>=22.0.0' },
npm warn EBADENGINE   current: { node: 'v20.20.2', npm: '11.19.1' }
"""
NO_PYTHON = """\
error: Request failed after 3 retries in 11.6s
  cause: Failed to download `https://h.example/releases/download/20261110/cpython-3.12.16%2B20261110-x86_64.tar.gz`
  cause: failed to lookup address information: Name or service not known
"""
INDENT = """\
warning: The package `mcp==2.3.0` does not have an extra named `server`
  File "/c/archive-v0/x/lib/python3.11/site-packages/index_mcp/__init__.py", line 31
    for i, entry in enumerate(feed.entries[:n], 1):
IndentationError: unexpected indent
"""


@pytest.mark.parametrize(
    ("said", "package", "hint"),
    [
        (UV_SCRIPTS, "pypi:awslabs-docs==1.2", "pypi:awslabs-docs==1.2:awslabs.docs or pypi:awslabs-docs==1.2:awslabs"),
        (UV_SCRIPTS, "", "uvx --from awslabs-docs awslabs.docs or"),
        ("Package `attrs` does not provide any executables.", "pypi:attrs", "is a library"),
        (
            PYTHON_TOO_OLD,
            "pypi:dbt-mcp",
            "needs Python 3.12; this is 3.11. Let uv find or fetch it: set UV_PYTHON=3.12",
        ),
        (
            "Because x-y was not found in the package registry and you require x-y",
            "pypi:x-y",
            "does not have this package",
        ),
        ("npm error code E404\nnpm error 404 Not Found", "npm:x", "does not have this package"),
        ("npm error code ETARGET\nnpm error notarget No matching version found for x@9.", "npm:x@9", "this version"),
        ("Because there is no version of x==9 and you require x==9", "pypi:x==9", "this version"),
        (
            "npm error could not determine executable to run",
            "npm:@a/b@1",
            "npm view @a/b@1 bin; then write npm:@a/b@1:",
        ),
        ("sh: 1: mcp: not found", "npm:x:mcp", "npm view x bin; then write npm:x:COMMAND"),
        (OLD_SDK, "pypi:mcp-server-sqlite", "Add: --with 'mcp<2' (in the configuration: with = [\"mcp<2\"])"),
        ("ModuleNotFoundError: No module named 'mcp.server.fastmcp'", "pypi:x", "Add: --with 'mcp<2'"),
        ("ImportError: cannot import name 'Context' from 'fastmcp.server' (/x)", "pypi:x", "Add: --with 'fastmcp<3'"),
        (OLD_SDK, "", "Install 'mcp<2' where it runs; with uvx: uvx --with 'mcp<2'"),
        (
            "ImportError: cannot import name 'x' from 'pydantic._internal._typing_extra' (/x/site-packages/p.py)",
            "pypi:chroma-mcp",
            "older version of pydantic than the one installed with it. Add one that fits: --with 'pydantic<VERSION'",
        ),
        (
            "Cannot find module '/x/node_modules/@a/sdk/mcp' imported from /x/node_modules/@b/s/i.js",
            "npm:@b/s@1.2",
            "Try another version: npm:@b/s@VERSION",
        ),
        ("ModuleNotFoundError: No module named 'tzdata.zoneinfo'", "pypi:x", "Add: --with 'tzdata'"),
        (f"{ENGINE}ReferenceError: File is not defined", "npm:x", "asks for Node.js >=22.0.0"),
        (ENGINE, "npm:@a/inspector@0.16", "asks for Node.js >=22.0.0"),
        # npm warns about the engines of dependencies that work, too.
        (f"{ENGINE}🐳 13 Docker operations", "npm:@b/docker", "Its output says why it ended"),
        (NO_PYTHON, "pypi:x", "needs Python 3.12, which is not on this machine and cannot be downloaded"),
        (INDENT, "pypi:x==2", "not valid for this Python. Try another version of it: pypi:x==VERSION, or a newer"),
        (
            "npm error code 1\nnpm error path /r/_npx/1f/node_modules/sqlite3\nnpm error command failed\n",
            "npm:@a/b@1:c",
            "npm cannot install sqlite3, which it depends on. Install what its build needs, or try another version: "
            "npm:@a/b@VERSION",
        ),
        ("  × Failed to build `cffi==1.15.0`", "pypi:x", "uv cannot build cffi"),
        ("npm error code EBADPLATFORM", "npm:x", "does not run on this operating system"),
        (
            "ImportError: libodbc.so.2: cannot open shared object file: No such file or directory",
            "pypi:x",
            "needs libodbc.so.2, a library of the system",
        ),
        ("Please provide a base URL with the --apiUrl flag", "npm:x", "npm:x -- --apiUrl … ("),
        ("x failed to start: inputSchema must be a Zod schema", "npm:x", "Its output says why it ended"),
        ("Installed 31 packages in 98ms", "pypi:x", "usually need arguments"),
        # desktop-commander 0.2.52 where its install script cannot download: status 1, and no output of npx
        ("", "npm:x", "or start it by hand. npx ends like this, too, if an install script fails; its log"),
        ("KeyError: 'TOKEN'", "pypi:x", "--env TOKEN "),
        ('ZodError: [ {\n "path": [\n "GITHUB_TOKEN"\n ],\n "message": "Required"', "npm:x", "--env GITHUB_TOKEN "),
        ("Set the HOST environment variable.", "npm:x", "--env HOST "),
        (
            "Missing required environment variables:\n  - SQL_HOST\n  - SQL_USER\nSee A_PAGE",
            "npm:x",
            "--env SQL_HOST --env SQL_USER (",
        ),
        (
            "port = int(os.getenv(\"SSE_PORT\"))\nTypeError: int() argument must be a string, not 'NoneType'",
            "pypi:x",
            "--env SSE_PORT ",
        ),
        ("Error: connect ECONNREFUSED 127.0.0.1:5432", "npm:x", "cannot connect to 127.0.0.1:5432. Start the service"),
        ("redis.exceptions.ConnectionError: Connection refused.", "pypi:x", "cannot connect to a service"),
        ("Error: getaddrinfo ENOTFOUND db.example", "npm:x", "cannot find the host db.example"),
        ("Error: listen EADDRINUSE: address already in use :::3000", "npm:x", "The port on which it listens is in use"),
        ("Error: spawn docker ENOENT", "npm:x", "It starts docker, which is not installed"),
        (
            "FileNotFoundError: [Errno 2] No such file or directory: 'config/x.toml'",
            "pypi:x",
            "It reads config/x.toml, which does not exist",
        ),
        (
            "Error: ENOENT: no such file or directory, open '/r/.config/x.json'",
            "npm:x",
            "It reads /r/.config/x.json, which does not exist",
        ),
        ("PermissionError: [Errno 13] Permission denied: '/var/x'", "pypi:x", "It may not write or read /var/x"),
        ("Invalid kube-config file. No configuration found.", "pypi:x", "--env KUBECONFIG"),
        ("botocore.exceptions.NoCredentialsError: Unable to locate credentials", "pypi:x", "--env AWS_PROFILE"),
        ("This server requires macOS 14", "npm:x", "It runs only on macOS."),
        (
            "\x1b[31mA Brave API key is required via --brave-api-key, BRAVE_API_KEY\x1b[0m",
            "npm:x",
            "--env BRAVE_API_KEY ",
        ),
        (
            "Please provide a token with --access-token or set the SUPABASE_ACCESS_TOKEN",
            "",
            "--env SUPABASE_ACCESS_TOKEN",
        ),
        (SETTINGS, "pypi:x", "--env GRAFANA_URL"),
        (
            ARGPARSE,
            "pypi:excel",
            "It needs arguments (transport). Write them after --: pypi:excel -- TRANSPORT (",
        ),
        ("x: error: the following arguments are required: --db-path, mode", "pypi:x", "pypi:x -- --db-path … MODE"),
        ("Error: Missing option '--config' / '-c'.", "", "It needs arguments (--config)."),
        ("error: missing required argument 'directory'", "npm:x", "npm:x -- DIRECTORY"),
        ("Please provide a database URL as a command-line argument", "npm:x", "It seems to need arguments."),
        ("Usage: x <command>\n  Run 'x mcp' to start the MCP server.", "npm:x", "as its output says: npm:x -- mcp"),
        ("USAGE\n  mcp start [--transport stdio|sse]", "npm:x", "npm:x -- ARGUMENTS"),
        # A warning of npm about the engine is the cause only if nothing else is.
        (f"{ENGINE}Please set the API_KEY environment variable", "npm:x", "--env API_KEY"),
        (
            "Because x-dep was not found in the package registry and x-y depends on x-dep",
            "pypi:X_Y==1:s",
            "does not have x-dep, which it depends on",
        ),
        ("Because x-y was not found in the package registry", "pypi:X_Y[a]==1:s", "does not have this package"),
        (
            "npm error code E404\nnpm error 404 Not Found - GET https://r.example/@a%2fb\n"
            "npm error 404  '@a/b@^1' is not in this registry.",
            "npm:c@2",
            "does not have @a/b, which it depends on",
        ),
        (
            "npm error code E404\nnpm error 404 Not Found - GET https://r.example/@a%2fb\nnpm error 404\n"
            "npm error 404  The requested resource '@a/b@3.0.0' could not be found or you do not have permission",
            "npm:@a/c:run",
            "does not have @a/b, which it depends on",
        ),
        (
            "npm error code E404\nnpm error 404  '@a/b@*' is not in this registry.",
            "npm:@a/b@2:run",
            "does not have this package",
        ),
        ("TypeError: boom", "npm:x", "Its output says why it ended"),
        ("", "npm:x", "usually need arguments (write them after --) or variables (--env NAME)"),
    ],
)
def test_the_hint_is_what_to_type_next(said: str, package: str, hint: str) -> None:
    assert hint in advice(said, package)


@pytest.mark.parametrize(
    ("scripts", "main"),
    [
        (["x"], "x"),
        (["x-cli", "x", "x_setup"], "x"),
        (["x-server", "x-cli"], ""),
        (["x", "xy"], ""),
        ([], ""),
    ],
)
def test_the_main_script_is_the_one_that_the_others_extend(scripts: list[str], main: str) -> None:
    assert main_script(scripts) == main


@pytest.mark.parametrize(
    ("said", "package", "node"),
    [
        (f"{ENGINE}TypeError [ERR_UNKNOWN_BUILTIN_MODULE]: No such built-in module: node:sqlite", "npm:x", "22"),
        ("x requires Node.js version >=22.5.0", "npm:x", "22"),
        (ENGINE, "npm:@a/inspector", ""),
        ("SyntaxError: Unexpected token", "npm:x", ""),
        ("", "npm:x", ""),
    ],
)
def test_another_node_is_tried_only_where_this_one_lacks_something(said: str, package: str, node: str) -> None:
    assert node_needed(said, package) == node


@pytest.mark.parametrize(
    ("said", "engine", "node"),
    [
        ("No such built-in module: node:sqlite\n\nNode.js v20.20.2\n", ">=24.12.0", "24"),
        ("No such built-in module: node:sqlite\n\nNode.js v20.20.2\n", "^20.19 || >=22", ""),
        ("No such built-in module: node:sqlite\n\nNode.js v24.12.0\n", ">=24.12.0", ""),
        ("No such built-in module: node:sqlite\n\nNode.js v24.1.0\n", "v24.12", "24"),
        ("No such built-in module: node:sqlite\n", ">=24.12.0", ""),
        ("TypeError: boom\n\nNode.js v20.20.2\n", ">=24.12.0", ""),
    ],
)
def test_a_package_that_npm_has_kept_is_asked_for_its_node(said: str, engine: str, node: str) -> None:
    assert node_needed(said, "npm:x", lambda: engine) == node


def test_what_is_given_is_not_asked_for_again() -> None:
    assert "usually need" in advice("", "npm:x", with_=["@a/b@1"])
    said = advice(OLD_SDK, "pypi:x", with_=["mcp<2"])
    assert said == "It does not fit 'mcp<2' either. Try another version of mcp, or of it."
    assert "Add: --with 'mcp<2'" in advice(OLD_SDK, "pypi:x", with_=["tzdata"])


@pytest.mark.parametrize(
    ("said", "line"),
    [
        (ARGPARSE, "excel-mcp-server: error: the following arguments are required: transport"),
        ("usage: x [-h]\n\noptions:\n  -h  show this", "usage: x [-h]"),
        ("Traceback\nValueError: no\nbye", "ValueError: no"),
        ("error: no\n  cause: one\n  cause: two\n  cause: three\nbye", "error: no; cause: one; cause: three"),
        ("one\ntwo", "two"),
        ("", ""),
    ],
)
def test_the_line_that_says_the_error(said: str, line: str) -> None:
    assert error_line(said) == line


@pytest.mark.parametrize(
    ("said", "where"),
    [
        ("Uvicorn running on http://127.0.0.1:8000 (Press CTRL+C to quit)", "http://127.0.0.1:8000 "),
        ("up at http://localhost:3333/\nendpoint available at http://localhost:3333/mcp", "http://localhost:3333/mcp "),
        ("[INFO] HTTP server listening on port 3333", "http://127.0.0.1:3333/mcp "),
        ("see https://example.org:8000/docs; waiting for the port of the debugger", ""),
        ("", ""),
    ],
)
def test_a_program_that_waits_on_a_port_is_recognised(said: str, where: str) -> None:
    found = serves_http(said)
    assert (where in found) if where else (found == "")


def test_where_it_waits_is_in_the_error(leash: Leash) -> None:
    code = (
        "import sys, time; print('Running on http://127.0.0.1:8000/mcp', file=sys.stderr, flush=True); time.sleep(600)"
    )
    with pytest.raises(UnreachableError) as caught:
        read(leash.endpoint(sys.executable, "-c", code), limits=Limits(connect_timeout=1.5, close_timeout=0.3))
    assert caught.value.hint.startswith("It seems to serve HTTP at http://127.0.0.1:8000/mcp and nothing on stdin.")


@pytest.mark.parametrize(
    "said",
    [
        "",
        "cannot open the database /srv/DB_FILES/x",
        "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'x' imported from /a",
        "listening on port 3000",
        "Killed",
    ],
)
def test_what_says_nothing_of_the_start_gets_no_hint(said: str) -> None:
    assert advice(said) == ""


def test_a_variable_that_is_given_is_not_asked_for_again() -> None:
    said = "API_KEY and API_URL are required"
    assert "--env API_KEY --env API_URL" in advice(said)
    assert "--env API_URL " in advice(said, given=["API_KEY"])
    assert "--env API_KEY" not in advice(said, given=["API_KEY"])


def test_of_alternatives_one_is_enough() -> None:
    found = advice("A key is required via --key, X_API_KEY, --key-file, or X_API_KEY_FILE.", "npm:x")
    assert found.startswith("It asks for X_API_KEY or X_API_KEY_FILE. ")
    assert 'set one and add --env X_API_KEY (in the configuration: env = { X_API_KEY = "$X_API_KEY" })' in found
    both = advice("X_API_KEY or X_TOKEN is required\nX_URL is required", "npm:x")
    assert "set them and add --env X_API_KEY --env X_TOKEN --env X_URL " in both


@pytest.mark.parametrize(
    "said",
    [
        "- a\n" * 40_000,
        "arguments are required: " + "a," * 80_000,
        "A_" * 80_000 + "A ",
        "`" * 100_000,
        "site-packages/" * 20_000,
        "npm error path " * 20_000,
        "Please use " * 20_000,
        "Run x " * 40_000,
        "ImportError: cannot import name 'a' from 'b' (" * 8_000,
        'env var "' * 60_000,
        "ECONNREFUSED a" * 40_000,
        "ModuleNotFoundError: No module named '" + "a" * 200_000,
        "ImportError: cannot import name 'a' from '" + "a" * 200_000,
        "npm error code E404\n" * 8 + "404 " * 50_000,
    ],
)
def test_hostile_words_take_no_time_and_reach_no_command(said: str) -> None:
    began = time.process_time()
    found = advice("An executable named `x` is not provided by package `y`.\n" + said + "$(reboot) required", "pypi:y")
    assert time.process_time() - began < 5
    assert "reboot" not in found
    assert len(found) < 1_000


def test_the_hint_and_the_words_are_in_the_error(leash: Leash) -> None:
    code = "import sys; print('Please set TEAM_ID', file=sys.stderr); print('\\x1b[2Jusage: x FOO'); sys.exit(0)"
    endpoint = leash.endpoint(sys.executable, "-c", code)
    with pytest.raises(UnreachableError) as caught:
        read(StdioEndpoint(endpoint.command, endpoint.env, package="pypi:x"))
    assert caught.value.message == "pypi:x: it exited with status 0 before it answered."
    first, *rest = caught.value.hint.splitlines()
    assert first.startswith("It asks for TEAM_ID.")
    assert rest == [
        "The start of its stdout:",
        "  \\x1b[2Jusage: x FOO",
        "The end of its stderr:",
        "  Please set TEAM_ID",
    ]
