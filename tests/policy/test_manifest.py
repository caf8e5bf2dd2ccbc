"""server.json: what an installation must set is part of the surface."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from mcp_governor.change import Kind, catalogue
from mcp_governor.changelog import SchemaVersion
from mcp_governor.errors import FileFormatError
from mcp_governor.policy.manifest import check_manifest, compare_manifests, manifest_names, parse_manifest

BASE: dict[str, Any] = {
    "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    "name": "io.example/notes",
    "version": "1.4.0",
    "packages": [
        {
            "registryType": "pypi",
            "identifier": "notes-server",
            "version": "1.4.0",
            "transport": {"type": "stdio"},
            "environmentVariables": [
                {"name": "API_KEY", "isRequired": True, "isSecret": True},
                {"name": "LOG_LEVEL", "default": "info", "choices": ["info", "debug"]},
                {"name": "REGION"},
            ],
            "packageArguments": [
                {"type": "positional", "valueHint": "folder", "isRequired": True},
                {"type": "named", "name": "--port"},
            ],
        }
    ],
    "remotes": [{"type": "streamable-http", "url": "https://x.test/mcp", "headers": [{"name": "X-Token"}]}],
}
ENV, ARGS = "environmentVariables", "packageArguments"


def edited(edit: str) -> dict[str, Any]:
    """The manifest after running one statement on ``m`` (the manifest) and ``p`` (its package)."""
    manifest = copy.deepcopy(BASE)
    exec(edit, {"m": manifest, "p": manifest["packages"][0], "env": manifest["packages"][0][ENV]})
    return manifest


CASES = [
    ("p['version'] = m['version'] = '1.5.0'", []),
    ("m['description'] = 'x'; env[0]['description'] = 'y'", []),
    ("env.reverse(); p['packageArguments'].reverse()", []),
    ("del env[2]", [("env-removed", "major", "REGION")]),
    ("env.append({'name': 'TIMEOUT'})", [("env-added", "minor", "TIMEOUT")]),
    ("env.append({'name': 'TIMEOUT', 'isRequired': True})", [("required-env-added", "major", "TIMEOUT")]),
    ("env.append({'name': 'TIMEOUT', 'isRequired': True, 'default': '5'})", [("env-added", "minor", "TIMEOUT")]),
    ("env[2]['isRequired'] = True", [("env-required", "major", "REGION")]),
    ("env[2].update(isRequired=True, default='eu')", []),
    ("env[0]['isRequired'] = False", [("env-optional", "minor", "API_KEY")]),
    ("env[0]['name'] = 'APP_API_KEY'", [("env-renamed", "major", "APP_API_KEY")]),
    (
        "env[0]['name'] = 'CREDENTIALS'",
        [("env-removed", "major", "API_KEY"), ("required-env-added", "major", "CREDENTIALS")],
    ),
    ("env[1]['default'] = 'debug'", [("env-default-changed", "major", "default")]),
    ("env[1]['choices'] = ['info']", [("env-choice-removed", "major", "choices")]),
    ("env[1]['choices'].append('trace')", [("env-choice-added", "minor", "choices")]),
    ("del env[1]['choices']", [("env-choice-added", "minor", "choices")]),
    ("env[2]['choices'] = ['eu']", [("env-choice-removed", "major", "choices")]),
    ("del p['packageArguments'][1]", [("package-argument-removed", "major", "--port")]),
    ("p['packageArguments'][1]['isRequired'] = True", [("package-argument-required", "major", "--port")]),
    ("p['packageArguments'][1]['name'] = '--ports'", [("package-argument-renamed", "major", "--ports")]),
    ("p['runtimeArguments'] = [{'type': 'named', 'name': '-e'}]", [("runtime-argument-added", "minor", "-e")]),
    ("p['transport'] = {'type': 'sse'}", [("package-transport-changed", "major", "transport")]),
    ("m['packages'] = []", [("package-removed", "major", "pypi:notes-server")]),
    ("m['packages'].append({'registryType': 'npm', 'identifier': 'n'})", [("package-added", "minor", "npm:n")]),
    ("m['status'] = 'deprecated'", [("server-deprecated", "minor", "status")]),
    ("m['status'] = 'deleted'", [("server-deprecated", "minor", "status")]),
    ("m['status'] = 'active'", []),
    ("m['status'] = ['deprecated']", []),
    (
        "m['_meta'] = {'io.modelcontextprotocol.registry/official': {'status': 'deprecated'}}",
        [("server-deprecated", "minor", "status")],
    ),
    ("m['remotes'] = []", [("remote-removed", "major", "https://x.test/mcp")]),
    ("m['remotes'][0]['headers'][0]['isRequired'] = True", [("remote-header-required", "major", "X-Token")]),
]


@pytest.mark.parametrize(("edit", "expected"), CASES)
def test_what_changed(edit: str, expected: list[tuple[str, str, str]]) -> None:
    changes = compare_manifests(BASE, edited(edit))
    reported = [(c.kind, c.bump.value, c.path.rpartition("/")[2].replace("~1", "/")) for c in changes]
    assert sorted(reported) == sorted(expected)
    assert all(change.path.startswith("/server.json/") and change.tool is None for change in changes)


KINDS = [kind for kind in catalogue().values() if kind.example and kind.example.at == "manifest"]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_example_of_a_kind_shows_this_change_and_no_other(kind: Kind) -> None:
    assert kind.example is not None
    [change] = compare_manifests(kind.example.old, kind.example.new)
    assert (change.kind, change.verdict, change.bump) == (kind.name, kind.verdict, kind.bump)


def test_every_change_of_a_manifest_is_in_the_catalogue() -> None:
    assert {kind for _, reported in CASES for kind, _, _ in reported} <= {kind.name for kind in KINDS}


SENTENCES = [
    (
        "env[1]['choices'] = ['info']",
        'environment variable `LOG_LEVEL` no longer accepts "debug"',
        'Environment variable `LOG_LEVEL` no longer accepts "debug".',
    ),
    (
        "m['status'] = 'deprecated'",
        "the manifest says that the server is deprecated",
        "The `status` in the manifest says that the server is deprecated.",
    ),
    (
        "p['transport'] = {'type': 'sse'}",
        "package `pypi:notes-server` now uses sse; it used stdio",
        "Package `pypi:notes-server` now uses sse; it used stdio.",
    ),
]


@pytest.mark.parametrize(("edit", "message", "entry"), SENTENCES)
def test_what_is_said_of_it(edit: str, message: str, entry: str) -> None:
    [change] = compare_manifests(BASE, edited(edit))
    assert (change.message, change.entry()) == (message, entry)


def test_the_default_of_a_secret_is_not_reported() -> None:
    old, new = edited("env[0]['default'] = 'one'"), edited("env[0]['default'] = 'two'")
    [change] = compare_manifests(old, new)
    assert change.message == "the default of environment variable `API_KEY` changed"


@pytest.mark.parametrize(
    "odd", [{}, {"packages": 1}, {"packages": [1, {}]}, {"packages": [{ENV: [1, {}, {"name": 5}]}]}]
)
def test_odd_manifests_do_no_harm(odd: dict[str, Any]) -> None:
    compare_manifests(BASE, odd)
    compare_manifests(odd, BASE)
    assert compare_manifests(odd, odd) == []


@pytest.mark.parametrize(
    ("stated", "expected", "message"),
    [
        ("1.4.0", "1.4.0", None),
        ("v1.4.0", "1.4.0", None),
        ("1.4.0", None, None),
        ("1.3.0", "1.4.0", "server.json says version 1.3.0, but the server says 1.4.0."),
        (None, "1.4.0", "server.json says no version, but the server says 1.4.0."),
        ("1.4.0+a", "1.4.0", "server.json says version 1.4.0+a, but the server says 1.4.0."),
    ],
)
def test_its_version_is_the_servers(stated: str | None, expected: str | None, message: str | None) -> None:
    manifest = {"version": stated} if stated else {}
    found = list(check_manifest(manifest, SchemaVersion(expected, "the server"), what="server.json"))
    assert [finding.message for finding in found] == ([message] if message else [])


def test_names_that_a_changelog_may_use() -> None:
    names = {"notes-server", "API_KEY", "LOG_LEVEL", "REGION", "folder", "--port", "https://x.test/mcp", "X-Token"}
    assert manifest_names(BASE) == names
    assert manifest_names({**BASE, "status": "deprecated"}) == {*names, "status"}


def test_what_is_not_a_manifest() -> None:
    assert parse_manifest('\ufeff{"version": "1"}'.encode(), "server.json") == {"version": "1"}
    with pytest.raises(FileFormatError, match="server.json is not a JSON object"):
        parse_manifest("[]", "server.json")
    with pytest.raises(FileFormatError, match="server.json is not JSON"):
        parse_manifest("{,}", "server.json")
