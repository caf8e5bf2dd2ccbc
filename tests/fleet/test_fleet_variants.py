"""Variants of a server: how their settings come together, and a change that several of them have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from commandline import PYTHON, governor_here
from replacing import replace
from support import SERVERS

from mcp_governor.config import load_config
from mcp_governor.config.servers import ServerConfig
from mcp_governor.errors import ConfigError
from mcp_governor.fleet.members import members_of
from mcp_governor.fleet.model import Fleet, Row, RowChange
from mcp_governor.fleet.page import render_index
from mcp_governor.fleet.variants import differences_of, with_variant
from mcp_governor.fleet.words import each_words, fleet_lines, matrix_of
from mcp_governor.report.lines import plain_text

COMMAND = ServerConfig(name="s", command=("server", "stdio"), env={"A": "1", "B": "1"})
PACKAGE = ServerConfig(name="s", package="pypi:p==1", args=("x",), with_=("mcp<2",))
REMOTE = ServerConfig(name="s", url="https://a.example/mcp", headers={"X": "1"}, bearer_token="$T")


@pytest.mark.parametrize(
    ("server", "variant", "changed"),
    [
        (COMMAND, {}, {}),
        (COMMAND, {"args": ["--read-only"]}, {"command": ("server", "stdio", "--read-only")}),
        (COMMAND, {"env": {"B": "2", "C": "$C"}}, {"env": {"A": "1", "B": "2", "C": "$C"}}),
        (COMMAND, {"command": ["other"], "args": ["y"]}, {"command": ("other", "y")}),
        (COMMAND, {"url": "https://b.example/"}, {"command": (), "url": "https://b.example/"}),
        (PACKAGE, {"args": ["y"], "with": ["q"]}, {"args": ("x", "y"), "with_": ("mcp<2", "q")}),
        (PACKAGE, {"command": ["other"]}, {"package": "", "args": (), "with_": (), "command": ("other",)}),
        (REMOTE, {"headers": {"Y": "2"}, "transport": "sse"}, {"headers": {"X": "1", "Y": "2"}, "transport": "sse"}),
        (REMOTE, {"bearer-token": "$U"}, {"bearer_token": "$U"}),
    ],
)
def test_a_variant_inherits_what_it_does_not_say(server: ServerConfig, variant, changed: dict[str, Any]) -> None:
    assert with_variant(server, variant) == replace(server, **changed)


def listed(folder: Path, text: str) -> dict[str, Any]:
    path = folder / "mcp-governor.toml"
    path.write_text(text)
    config = load_config(path)
    return {member.name: dict(member.variant) for member in members_of(None, config).listed}


def test_a_server_with_variants_is_its_variants(tmp_path: Path) -> None:
    text = """
    [servers.one]
    command = ["x"]
    [servers.one.variants]
    default = {}
    flags = { env = { FLAG = "$FLAG" } }
    [servers.two]
    command = ["y"]
    """
    assert listed(tmp_path, text) == {"one@default": {}, "one@flags": {"env": {"FLAG": "$FLAG"}}, "two": {}}


PRINTED: list[tuple[Any, dict[str, Any]]] = [
    ({"a": {"args": ["--x"]}, "b": {}}, {"s@a": {"args": ["--x"]}, "s@b": {}}),
    (
        [
            {"name": "stdio", "args": "--toolsets 'a b'", "env_vars": "A=1\nB=x=y"},
            {
                "name": "http",
                "transport": "streamable-http",
                "server_url": "http://localhost:1/",
                "headers": '{"A": "b"}',
            },
            {"name": "own", "start_command": "node dist/stdio.js"},
        ],
        {
            "s@stdio": {"args": ["--toolsets", "a b"], "env": {"A": "1", "B": "x=y"}},
            "s@http": {"url": "http://localhost:1/", "headers": {"A": "b"}},
            "s@own": {"command": ["node", "dist/stdio.js"]},
        },
    ),
    (  # a file for its --config
        {
            "base": {"name": "python", "transport": "stdio", "start_command": "python -m s"},
            "targets": [{"name": "remote", "transport": "streamable-http", "server_url": "http://localhost:1/"}],
        },
        {"s@python": {"command": ["python", "-m", "s"]}, "s@remote": {"url": "http://localhost:1/"}},
    ),
]


def generated(folder: Path, printed: str) -> dict[str, Any]:
    (folder / "variants.json").write_text(printed)
    return listed(folder, '[servers.s]\ncommand = ["x"]\nvariants-command = ["cat", "variants.json"]\n')


@pytest.mark.parametrize(("printed", "variants"), PRINTED)
def test_a_command_prints_variants_as_ours_or_as_mcp_server_diff(tmp_path: Path, printed, variants) -> None:
    assert json.loads(json.dumps(generated(tmp_path, json.dumps(printed)))) == variants


@pytest.mark.parametrize(
    ("printed", "error"),
    [
        ("nothing", "did not print JSON"),
        ("3", "did not print an object"),
        ("[3]", "a configuration without a name"),
        ('{"a": {"arguments": []}}', 'unknown key "arguments"'),
        ('{"a": 3}', "printed the variant a"),
        ('[{"name": "a", "args": "\\"open"}]', "a command that cannot be read"),
        ('[{"name": "a", "headers": "{"}]', "headers that are not JSON"),
        ("[" * 50 + "]" * 50, "nests too deeply"),
        (" " * 2_000_000, "more than 1 MiB"),
        (json.dumps({str(n): {} for n in range(201)}), "more than 200 variants"),
        ('{"a": {"url": "http://x/", "args": ["y"]}}', "has args, but the server is reached without a command"),
    ],
)
def test_a_command_that_prints_something_else_gets_one_sentence(tmp_path: Path, printed: str, error: str) -> None:
    with pytest.raises(ConfigError) as caught:
        generated(tmp_path, printed)
    assert error in caught.value.message


def test_a_command_that_fails_gets_one_sentence(tmp_path: Path) -> None:
    for command, error in (('["false"]', "exited with status 1"), ('["/no/such"]', "cannot be started")):
        with pytest.raises(ConfigError, match=error):
            listed(tmp_path, f'[servers.s]\ncommand = ["x"]\nvariants-command = {command}\n')


def change(name: str, verdict: str = "breaking", **more: Any) -> RowChange:
    return RowChange(name, f"tool-{name}", verdict, f"Tool {name}.", **more)  # type: ignore[arg-type]


def variant(label: str, *changes: RowChange, **more: Any) -> Row:
    outcome = more.pop("outcome", "drifted" if changes else "same")
    return Row(name=f"s@{label}", target="", outcome=outcome, server="s", label=label, changes=changes, **more)


MATRIX = [
    variant("a", change("x"), change("y", "compatible")),
    variant("b", change("x"), change("z", "unknown")),
    variant("c", outcome="new"),
    variant("d", change("x", accepted="fine"), outcome="changed"),
    variant("e", outcome="unreachable", why="it exited"),
    variant("f"),
]


def test_a_change_is_said_once_with_the_variants_that_have_it() -> None:
    assert [(one.id, marks) for one, marks in matrix_of(MATRIX, compatible=True)] == [
        ("x", ("✗", "✗", "new", "·", "?", "-")),
        ("z", ("-", "?!", "new", "-", "?", "-")),
        ("y", ("+", "-", "new", "-", "?", "-")),
    ]
    assert [one.id for one, _ in matrix_of(MATRIX, compatible=False)] == ["x", "z"]
    text = plain_text(fleet_lines(Fleet("list", "check", tuple(MATRIX))))
    assert text.count("Tool x.") == 1
    html = render_index(Fleet("list", "check", tuple(MATRIX)), "servers", {})
    assert "<td>✗</td><td>✗</td><td>new</td><td>·</td><td>?</td><td>-</td><td>Tool x. " in html


def test_a_new_variant_is_no_failure() -> None:
    assert Fleet("list", "check", (MATRIX[2], MATRIX[5])).exit_code == 0
    assert Fleet("list", "check", (MATRIX[2], MATRIX[0])).exit_code == 1


def test_differences_between_variants_are_numbers_of_definitions() -> None:
    rows = [
        variant("a", definitions={"same": "1", "other": "1", "only": "1"}),
        variant("b", definitions={"same": "1", "other": "2"}),
        variant("c", outcome="unreachable"),
        Row(name="t", target="", outcome="same", definitions={"same": "9"}),
    ]
    assert [(one.tool, dict(one.definitions)) for one in differences_of(rows)] == [
        ("other", {"a": 1, "b": 2}),
        ("only", {"a": 1, "b": 0}),
    ]


def test_one_server_with_each_of_several_packages() -> None:
    rows = [
        variant("mcp==1", outcome="unreachable", why="no"),
        variant("mcp==2.1", fingerprint="f"),
        variant("mcp==2.2", fingerprint="f"),
        variant("mcp==2.3", fingerprint="g"),
    ]
    assert list(each_words(rows)) == [
        "surface equal with mcp==2.1, mcp==2.2",
        "moved by mcp==2.3",
        "does not start with mcp==1",
    ]


def test_each_package_makes_a_member_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "mcp-governor.toml").write_text('[servers.git]\npackage = "pypi:mcp-server-git"\n')
    config = load_config(tmp_path / "mcp-governor.toml")
    for fleet, target in ((None, ""), ("git", ""), ("pypi:mcp-server-time", "pypi:mcp-server-time")):
        found = members_of(fleet, config).with_each(("mcp==1", "mcp==2", "mcp==1")).listed
        assert [(one.target, one.label, one.with_) for one in found] == [
            (target, "mcp==1", "mcp==1"),
            (target, "mcp==2", "mcp==2"),
        ]


def test_a_matrix_of_three_variants_in_one_run(tmp_path: Path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WORD", "read")

    def how(*names: str) -> str:
        tools = [{"name": name, "description": "Finds it.", "inputSchema": {"type": "object"}} for name in names]
        return json.dumps(json.dumps({"info": {"name": "s", "version": "1.0.0"}, "tools": tools}))

    def configure(*rest: str) -> None:
        command = json.dumps([PYTHON, str(SERVERS / "plain.py")])
        (tmp_path / "mcp-governor.toml").write_text(
            f"[servers.s]\ncommand = {command}\n[servers.s.variants]\n"
            f"all = {{ args = [{how('a_b', 'c_d', *rest)}] }}\n"
            f'one = {{ args = [{how("a_b", *rest)}], env = {{ LEAK = "$WORD" }} }}\n'
        )

    configure("old_name")
    assert governor_here("snapshot", "--all", capsys=capsys).code == 0
    assert sorted(file.name for file in (tmp_path / "surfaces").iterdir()) == ["s@all.json", "s@one.json"]
    configure()
    done = governor_here("fleet", "check", "--differences", "--format", "json", capsys=capsys)
    assert done.code == 1
    report = done.report
    assert [row["changes"][0]["kind"] for row in report["servers"]] == ["tool-removed", "tool-removed"]
    assert msgspec.to_builtins(report["differences"]) == [
        {"server": "s", "tool": "a_b", "definitions": {"all": 1, "one": 2}},
        {"server": "s", "tool": "c_d", "definitions": {"all": 1, "one": 0}},
    ]
