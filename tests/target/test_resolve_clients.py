"""Files that MCP clients keep, as TARGET, and what stands beside them under the same name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from replacing import replace

from mcp_governor.config import Config, ServerConfig
from mcp_governor.errors import ConfigError, TargetError, UsageError
from mcp_governor.target import FileSource, LiveSource, parse_target, read_source
from mcp_governor.wire.endpoint import HttpEndpoint, StdioEndpoint

CLIENT_CONFIGS = {
    "claude.json": {"mcpServers": {"one": {"command": "node", "args": ["${HOME_X}/s.js"], "env": {"K": "v"}}}},
    "vscode.json": {"servers": {"two": {"type": "http", "url": "https://h/mcp", "headers": {"A": "${env:HOME_X}"}}}},
    "settings.json": {"mcp": {"servers": {"three": {"type": "sse", "url": "https://h/sse"}}}},
}


@pytest.fixture
def clients(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME_X", "/opt")
    for name, content in CLIENT_CONFIGS.items():
        (tmp_path / name).write_text(json.dumps(content))
    return tmp_path


@pytest.mark.parametrize(
    ("text", "endpoint"),
    [
        ("claude.json#one", StdioEndpoint(("node", "/opt/s.js"), env={"K": "v"})),
        ("vscode.json#two", HttpEndpoint("https://h/mcp", headers={"A": "/opt"})),
        ("settings.json#three", HttpEndpoint("https://h/sse", transport="sse")),
    ],
)
def test_client_configurations(text: str, endpoint: object, clients: Path) -> None:
    source = parse_target(text, Config(), base=clients)
    if isinstance(endpoint, StdioEndpoint):
        endpoint = replace(endpoint, cwd=str(clients.resolve()))
    assert source.endpoint == endpoint


VSCODE = """\ufeff{
  // where "it" is: https://example.org
  "servers": {
    "one": {
      "command": "node", /* the
      runtime */
      "args": ["${workspaceFolder}/s.js", "// no comment", "a,]", "${workspaceFolderBasename}", 5],
      "cwd": "sub",
      "env": {"A": "${HOME_X}", "B": null, "C": "${env:NOT_SET_X:-c}"}, // the end
    },
  },
}
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("place", [".vscode/mcp.json", ".cursor/mcp.json", "mcp.json"])
def test_what_an_editor_writes(clients: Path, place: str, end: str) -> None:
    file = clients / "the project" / place
    file.parent.mkdir(parents=True)
    file.write_bytes(VSCODE.replace("\n", end).encode())
    project = clients.resolve() / "the project"
    source = parse_target(f"the project/{place}#one", Config(), base=clients)
    assert source.endpoint == StdioEndpoint(
        ("node", f"{project}/s.js", "// no comment", "a,]", "the project", "5"),
        env={"A": "/opt", "C": "c"},
        cwd=str(project / "sub"),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"mcpServers": {"a": {"command": ["x"]}}}', r'"command" of bad.json#a is not a string\.'),
        ('{"mcpServers": {"a": {"command": "x", "args": "y"}}}', r'"args" of bad.json#a is not a list of strings\.'),
        ('{"mcpServers": {"a": {"command": "x", "args": [true]}}}', r'"args" of bad.json#a is not a list of strings\.'),
        (
            '{"mcpServers": {"a": {"command": "x", "env": ["K=v"]}}}',
            r'"env" of bad.json#a is not an object of strings\.',
        ),
        ('{"mcpServers": {"a": {"url": "https://h", "headers": {"A": {}}}}}', r'"headers" of bad.json#a is not an'),
        ('{\n  // ok\n  "mcpServers": x\n}', r"bad.json is not JSON: Expecting value at line 3, column 17\."),
        ('{"mcpServers": {"a": {"command": "x" /* }}}', r"bad.json "),
    ],
)
def test_client_configurations_that_are_wrong(clients: Path, text: str, message: str) -> None:
    (clients / "bad.json").write_text(text)
    with pytest.raises(UsageError, match=message) as caught:
        parse_target("bad.json#a", Config(), base=clients)
    assert caught.value.hint.startswith("Correct ")


def test_client_configurations_that_do_not_serve(clients: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TargetError, match='no server "on".* Did you mean "one"'):
        parse_target("claude.json#on", Config(), base=clients)
    monkeypatch.delenv("HOME_X")
    with pytest.raises(ConfigError, match="HOME_X, which is not set"):
        parse_target("claude.json#one", Config(), base=clients)
    (clients / "many.json").write_text('{"mcpServers": {"a": {"command": "x"}, "b": {"command": "x"}}}')
    with pytest.raises(TargetError, match="lists servers for MCP clients; name one of them") as caught:
        parse_target("many.json#", Config(), base=clients)
    assert caught.value.hint == "Name one: many.json#a, many.json#b"
    (clients / "bad.json").write_text('{"mcpServers": {"a": {"args": []}}}')
    with pytest.raises(ConfigError, match="neither a command nor a url"):
        parse_target("bad.json#a", Config(), base=clients)
    (clients / "ask.json").write_text('{"servers": {"a": {"command": "x", "args": ["${input:key}"]}}}')
    with pytest.raises(ConfigError, match="only an editor can prompt"):
        parse_target("ask.json#a", Config(), base=clients)


@pytest.mark.parametrize("name", [*CLIENT_CONFIGS, "many.json"])
def test_a_file_is_data_and_names_the_servers_that_it_lists(clients: Path, name: str) -> None:
    (clients / "many.json").write_text('{"mcpServers": {"b": {"command": "x"}, "a": {"command": "x"}}} // JSONC')
    source = parse_target(name, Config(), base=clients)
    assert isinstance(source, FileSource)
    with pytest.raises(TargetError, match="lists servers for MCP clients; name one of them") as caught:
        read_source(source)
    known = {"claude.json": "one", "vscode.json": "two", "settings.json": "three"}
    named = f"{name}#{known[name]}" if name in known else "many.json#a, many.json#b"
    assert caught.value.hint == f"Name one: {named}"


def test_a_surface_may_have_an_argument_that_is_called_as_clients_call_their_servers(clients: Path) -> None:
    schema = {"type": "object", "properties": {"mcpServers": {"type": "object"}, "servers": {"type": "object"}}}
    for document in ({"tools": [{"name": "t", "inputSchema": schema}]}, [{"name": "t", "inputSchema": schema}]):
        (clients / "surface.json").write_text(json.dumps(document))
        assert [tool.name for tool in read_source(parse_target("surface.json", Config(), base=clients)).tools] == ["t"]
    listed = {"tools": [{"name": "t", "inputSchema": schema}], "mcpServers": {"a": {"command": "x"}}}
    (clients / "surface.json").write_text(json.dumps(listed))
    assert isinstance(parse_target("surface.json", Config(), base=clients), FileSource)


@pytest.mark.parametrize("name", ["surface.json", "git:HEAD", "claude.json#one", "https://h.example/mcp"])
def test_a_server_of_the_configuration_never_stands_for_another_form(clients: Path, name: str) -> None:
    (clients / "surface.json").write_text('{"tools": []}')
    evil = Config(servers={name: ServerConfig(name, command=("evil",))}, root=clients)
    source = parse_target(name, evil, base=clients)
    assert not (isinstance(source, LiveSource) and source.endpoint == StdioEndpoint(("evil",), cwd=str(clients)))


def test_a_word_that_is_a_file_and_a_server_is_refused_where_it_was_typed(clients: Path) -> None:
    (clients / "surface").write_text('{"tools": []}')
    both = Config(servers={"surface": ServerConfig("surface", command=("x",))}, root=clients)
    with pytest.raises(TargetError, match="is a file, and the defaults has a server of that name") as caught:
        parse_target("surface", both, base=clients)
    assert caught.value.hint.startswith("Write ./surface for the file")
    assert isinstance(parse_target("./surface", both, base=clients), FileSource)
    assert isinstance(parse_target("surface", both, base=clients, typed=False), LiveSource)
