"""Every TARGET form, and what a wrong one gets."""

from __future__ import annotations

from pathlib import Path

import pytest
from replacing import replace

from mcp_governor.config import Config, Launch, ServerConfig
from mcp_governor.errors import ConfigError, Exit, GovernorError, MissingDependencyError, TargetError, UsageError
from mcp_governor.secrets import redact
from mcp_governor.target import FileSource, LiveSource, limits_of, parse_target, resolve
from mcp_governor.target.forms import PACKAGE_TIMEOUT, START_TIMEOUT
from mcp_governor.target.packages import neutral_folder
from mcp_governor.target.remote import shown_url
from mcp_governor.wire.endpoint import HttpEndpoint


def live(text: str, config: Config | None = None) -> LiveSource:
    return parse_target(text, config or Config(), base=Path())


@pytest.mark.parametrize(
    ("text", "endpoint"),
    [
        ("https://h.example/mcp", HttpEndpoint("https://h.example/mcp")),
        ("http://127.0.0.1:80/mcp", HttpEndpoint("http://127.0.0.1:80/mcp")),
        ("sse+https://h.example/sse", HttpEndpoint("https://h.example/sse", transport="sse")),
    ],
)
def test_urls_and_objects(text: str, endpoint: object) -> None:
    assert live(text).endpoint == endpoint


def test_objects_are_imported_from_the_project(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    source = parse_target("python:pkg.mod:server", Config(), base=tmp_path)
    assert source.endpoint.command[2:] == ("pkg.mod:server", str(tmp_path), str(tmp_path / "src"))


@pytest.mark.parametrize(
    ("spec", "tail"),
    [
        ("mcp-server-time", ["--from", "mcp-server-time", "mcp-server-time"]),
        ("mcp-server-time==0.5.1", ["--from", "mcp-server-time==0.5.1", "mcp-server-time"]),
        ("some_pkg[x]==1.0:run-it", ["--from", "some_pkg[x]==1.0", "run-it"]),
        ("discord.py==1!2.0rc1.post2.dev3+u.1", ["--from", "discord.py==1!2.0rc1.post2.dev3+u.1", "discord.py"]),
    ],
)
def test_pypi(spec: str, tail: list[str]) -> None:
    endpoint = live(f"pypi:{spec}").endpoint
    assert list(endpoint.command[-3:]) == tail
    assert "uvx" in endpoint.command[0]
    assert endpoint.cwd == neutral_folder()


@pytest.mark.parametrize(
    ("spec", "tail"),
    [
        ("name", ["name"]),
        ("@scope/name:run-it", ["--package=@scope/name", "--", "run-it"]),
        ("@scope/name@1.2.3:run-it", ["--package=@scope/name@1.2.3", "--", "run-it"]),
        *(
            (spec, [spec])
            for spec in (
                "@scope/name@1.2.3",
                "socket.io@^4.1",
                "JSONStream",
                "a@next-1",
                "a@1.0.0-rc.1+b.2",
            )
        ),
    ],
)
def test_npm(spec: str, tail: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcp_governor.target.packages.find_program", lambda name: f"/bin/{name}")
    endpoint = live(f"npm:{spec}").endpoint
    assert endpoint.command == ("/bin/npx", "--yes", *tail)
    assert endpoint.package == f"npm:{spec}"


def test_arguments_requirements_and_variables_of_a_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcp_governor.target.packages.find_program", lambda name: f"/bin/{name}")
    launch = Launch(with_=("mcp<2", "tzdata"), env={"API_KEY": "hunter2-hunter2"})
    source = resolve("pypi:x==1:run", Config(launch=launch), command=("--repository", ". ."))
    tail = ("--from", "x==1", "--with", "mcp<2", "--with", "tzdata", "run", "--repository", ". .")
    assert source.endpoint.command[-len(tail) :] == tail
    assert source.endpoint.env["API_KEY"] == "hunter2-hunter2"
    assert redact("hunter2-hunter2") == "[redacted]"
    assert "hunter2" not in repr(source) + repr(launch)
    npm = resolve("npm:@a/x@2", Config(launch=Launch(with_=("y@3",))), command=("-v",))
    assert npm.endpoint.command == ("/bin/npx", "--yes", "--package=@a/x@2", "--package=y@3", "--", "x", "-v")


@pytest.mark.parametrize(
    "requirement", ["--index-url=x", "mcp @ https://h/x.whl", "../x", "git+https://h/x", "a b", ""]
)
def test_what_is_not_a_requirement(requirement: str) -> None:
    for target in ("pypi:x", "npm:x"):
        with pytest.raises(TargetError, match="is not"):
            resolve(target, Config(launch=Launch(with_=(requirement,))))


@pytest.mark.parametrize(
    ("target", "command", "launch", "message"),
    [
        ("https://h/mcp", (), Launch(env={"A": "b"}), "--env names a variable for a server"),
        ("https://h/mcp", (), Launch(with_=("a",)), "--with works only with"),
        (None, ("python", "s.py"), Launch(with_=("a",)), "--with works only with"),
        ("https://h/mcp", ("--port", "1"), Launch(), "Both a TARGET"),
    ],
)
def test_what_the_command_line_says_to_no_purpose(
    target: str | None, command: tuple[str, ...], launch: Launch, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        resolve(target, Config(launch=launch), command=command)


def test_a_configured_package_has_all_that_a_command_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY", "hunter2-hunter2")
    server = ServerConfig(
        "s",
        package="pypi:x",
        args=("--db", "a"),
        with_=("mcp<2",),
        env={"API_KEY": "$KEY"},
        cwd="sub",
        list_params=({},),
    )
    source = resolve("s", Config(root=tmp_path, servers={"s": server}))
    assert source.endpoint.command[-6:] == ("x", "--with", "mcp<2", "x", "--db", "a")
    assert source.endpoint.env["API_KEY"] == "hunter2-hunter2"
    assert source.endpoint.cwd == str(tmp_path / "sub")
    assert source.endpoint.package == "pypi:x"
    assert redact("hunter2-hunter2") == "[redacted]"
    assert source.list_params == ({},)


@pytest.mark.parametrize(
    ("server", "config", "answer", "start"),
    [
        (ServerConfig("s", command=("x",)), Config(), 30, 60),
        (ServerConfig("s", command=("npx", "x")), Config(), 30, 180),
        (ServerConfig("s", package="pypi:x"), Config(), 30, 180),
        (ServerConfig("s", url="https://h/mcp"), Config(timeout=90), 90, 90),
        (ServerConfig("s", command=("x",), timeout=5), Config(timeout=90), 5, 60),
        (ServerConfig("s", package="pypi:x", start_timeout=7), Config(start_timeout=8), 30, 7),
        (ServerConfig("s", object="m:a"), Config(start_timeout=8), 30, 8),
    ],
)
def test_how_long_a_server_may_take(server: ServerConfig, config: Config, answer: float, start: float) -> None:
    source = resolve("s", replace(config, servers={"s": server}))
    assert (source.timeout, source.start_timeout) == (answer, start)
    limits = limits_of(source)
    assert (limits.request_timeout, limits.connect_timeout) == (answer, start)


def test_a_missing_runner_names_the_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcp_governor.target.packages.find_program", lambda name: None)
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    with pytest.raises(MissingDependencyError) as caught:
        live("pypi:mcp-server-time")
    assert "pip install 'uv>=0.9'" in caught.value.hint
    assert caught.value.exit_code is Exit.USAGE
    with pytest.raises(MissingDependencyError, match="npx"):
        live("npm:name")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("serach", 'is not a TARGET. Did you mean "search"?'),
        ("https://", "is not a URL with a host"),
        ("python:pkg.mod", "does not name an attribute"),
        ("pypi:a b", "is not pypi:NAME"),
        ("pypi:--from", "is not pypi:NAME"),
        ("npm:-x", "is not npm:NAME"),
        ("npm:a@..", "is not npm:NAME"),
        ("npm:a@../b", "is not npm:NAME"),
        ("npm:a@https://h/x", "is not npm:NAME"),
        ("npm:a@1.tgz", "is not npm:NAME"),
        ("npm:a.tgz", "is not npm:NAME"),
        ("npm:a/b", "is not npm:NAME"),
        ("npm:./a", "is not npm:NAME"),
        ("npm:a@>1", "is not npm:NAME"),
        ("npm:a\n", "is not npm:NAME"),
        (f"npm:{'a' * 215}", "is not npm:NAME"),
        ("pypi:a==..", "is not pypi:NAME"),
        ("pypi:a==1.0;b", "is not pypi:NAME"),
        ("pypi:a @ https://h/x", "is not pypi:NAME"),
        ("pypi:./a", "is not pypi:NAME"),
        ("pypi:a.whl", "is not pypi:NAME"),
        ("pypi:a:-c", "is not pypi:NAME"),
        ("pypi:a[--x]", "is not pypi:NAME"),
        ("git:", "does not name a git ref"),
        ("git:--upload-pack=x", "does not name a git ref"),
        ("none.json", "does not exist"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("  ", "A TARGET is empty."),
    ],
)
def test_what_is_not_a_target(text: str, message: str) -> None:
    config = Config(servers={"search": ServerConfig("search", command=("x",))})
    with pytest.raises(TargetError) as caught:
        parse_target(text, config, base=Path())
    assert message in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("server.py", "server.py is a program, not a recording.", "-- python server.py, or name its server object"),
        ("my server/x.js", "is a program", "-- node 'my server/x.js'"),
        ("sh serve.sh", '"sh serve.sh" is not a TARGET.', "put -- before it: -- sh serve.sh"),
        ("git status", '"git status" is not a TARGET.', "put -- before it: -- git status"),
        (".", '"." is not a TARGET.', "A TARGET is"),
        ("a/b.json", "a/b.json does not exist.", "mcp-governor snapshot -o a/b.json"),
    ],
)
def test_what_was_probably_meant_is_said(text: str, message: str, hint: str) -> None:
    with pytest.raises(TargetError) as caught:
        parse_target(text, Config(), base=Path())
    assert message in caught.value.message
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    "text",
    [
        "https://me:sekret-1@[::1/mcp?k=sekret-2",
        "https://me:sekret-1@host:99999/mcp",
        "https:/me:sekret-1@host/mcp",
        "htps://me:sekret-1@host/mcp?k=sekret-2",
        "https:///?k=sekret-2",
        "https:?k=sekret-2",
    ],
)
def test_an_address_that_is_none_shows_no_secret(text: str) -> None:
    with pytest.raises(TargetError) as caught:
        parse_target(text, Config(), base=Path())
    assert "sekret" not in caught.value.message + caught.value.hint


def test_names_beat_everything_and_the_command_wins_over_the_config() -> None:
    config = Config(target="a", servers={"a": ServerConfig("a", url="https://h/mcp")})
    assert isinstance(resolve(None, config), LiveSource)
    source = resolve(None, config, command=("python", "x y.py"))
    assert source.shown == "python 'x y.py'"
    with pytest.raises(UsageError, match="Both a TARGET"):
        resolve("a", config, command=("python",))


def test_a_program_of_an_environment_that_is_not_activated_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "uvx").write_text("", "utf-8")
    (tmp_path / "uvx").chmod(0o755)
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))

    def started(*command: str) -> tuple[str, ...]:
        source = resolve(None, Config(), command=command)
        return source.endpoint.command

    assert started("uvx", "mcp-server-time") == (str(tmp_path / "uvx"), "mcp-server-time")
    assert started("gone", "x") == ("gone", "x")


def test_two_servers_and_none_chosen() -> None:
    servers = {name: ServerConfig(name, command=("x",)) for name in ("b", "a")}
    with pytest.raises(UsageError, match=r"names 2 servers \(a, b\), and none is selected") as caught:
        resolve(None, Config(servers=servers))
    assert "target" in caught.value.hint


def test_nothing_named_lists_the_forms() -> None:
    with pytest.raises(UsageError) as caught:
        resolve(None, Config())
    assert "python:package.module:attribute" in caught.value.hint


def test_secrets_come_from_the_environment_and_never_show(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY", "hunter2")
    server = ServerConfig("s", url="https://u:pw@h/mcp?k=v", bearer_token="$KEY", headers={"X-Key": "a-${KEY}"})
    source = resolve("s", Config(servers={"s": server}))
    assert source.endpoint.headers == {"X-Key": "a-hunter2", "Authorization": "Bearer hunter2"}
    assert "hunter2" not in repr(source) + source.shown
    assert shown_url("https://u:pw@h:8/mcp?k=v#f") == "https://h:8/mcp"


def test_a_missing_variable_is_named_without_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KEY", raising=False)
    server = ServerConfig("s", command=("x",), env={"API_KEY": "p-$KEY"})
    with pytest.raises(ConfigError, match=r"servers\.s\.env\.API_KEY needs the environment variable KEY"):
        resolve("s", Config(servers={"s": server}))


def test_the_bearer_token_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCP_GOVERNOR_BEARER_TOKEN", "hunter2")
    endpoint = live("https://h/mcp").endpoint
    assert endpoint.headers == {"Authorization": "Bearer hunter2"}


def test_files_are_relative_to_where_they_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "s.json").write_text('{"tools": []}')
    config = Config(root=tmp_path, target="s.json")
    assert resolve(None, config) == FileSource("s.json", tmp_path / "s.json")
    monkeypatch.chdir("/")
    with pytest.raises(GovernorError):
        resolve("s.json", config)


@pytest.mark.parametrize(
    ("command", "seconds"),
    [
        (("npx", "-y", "a"), PACKAGE_TIMEOUT),
        (("env", "A=b", "npx", "-y", "a"), PACKAGE_TIMEOUT),
        (("sh", "-c", "sleep 7; exec npx -y a"), PACKAGE_TIMEOUT),
        (("/opt/bin/uvx", "a"), PACKAGE_TIMEOUT),
        (("node", "server.js", "--npx"), START_TIMEOUT),
        (("python", "-m", "server"), START_TIMEOUT),
    ],
)
def test_a_command_that_may_install_something_has_longer_to_start(command: tuple[str, ...], seconds: float) -> None:
    source = resolve(None, Config(), command=command)
    assert source.start_timeout == seconds
