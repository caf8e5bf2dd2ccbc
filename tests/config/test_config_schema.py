"""``schema config``, ``schema surface`` and ``schema rule`` describe what the tool really reads and writes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import tomli
from commandline import governor_here
from documents import closed
from support import REPO

from mcp_governor.demo.server import RELEASES
from mcp_governor.errors import ConfigError
from mcp_governor.surface import build_surface, dump_surface
from mcp_governor.surface.schema import surface_schema

# Every table of the reference, in its own spelling.
WHOLE = """
target = "search"
baseline = "mcp-surface.json"
changelog = "docs/mcp-schema-changelog.md"
schema-version = "serverInfo"
profile = "recommended"
level = "declared"
fail-on = "error"
clients = ["anthropic", "openai"]

[servers.search]
command = ["python", "-m", "search_server"]
env = { API_KEY = "$API_KEY" }

[servers.remote]
url = "https://example.invalid/mcp"
headers = { X-Team = "$TEAM" }
timeout = 5
list-params = [{ tier = "advanced" }]

[tiers]
facade = ["work_*"]
advanced = ["debug_*"]

[lint]
ignore = ["charter/composition"]
severity = { "clarity/length" = "error" }
options = { "charter/length" = { max = 500 } }
per-tool-ignores = { "legacy_*" = ["charter/*"] }

[policy]
zero-policy = "minor-may-break"
calver = "minor"
closed-output = "compatible"
open-enums = []
windows = { standard = 3, advanced = 0 }

[[calls]]
tool = "search"
arguments = { query = "a" }
status = "success"

[[accept]]
finding = "a:-:/:00000000"
reason = "agreed"
until = 2999-01-31
"""

WRONG = [
    'targt = "x"',
    "target = 5",
    'target = ""',
    'level = "loose"',
    'fail-on = "fatal"',
    'clients = "anthropic"',
    "timeout = 0",
    "profile = 1",
    "[servers.a]",
    "[servers.a]\ncommand = []",
    '[servers.a]\ncommand = ["x"]\nurl = "https://example.invalid"',
    '[servers.a]\nurl = "ftp://example.invalid"',
    '[servers.a]\nobject = "no_colon"',
    '[servers.a]\npackage = "cargo:x"',
    '[servers.a]\ncommand = ["x"]\nenv = { A = 1 }',
    '[tiers]\npublic = ["x"]',
    '[lint]\nseverity = { "clarity/length" = "fatal" }',
    '[lint]\npersona = "petty"',
    '[policy]\nzero-policy = "anything"',
    '[policy]\nclosed-output = "maybe"',
    "[policy]\nno-such-option = true",
    "[policy.windows]\nstandard = -1",
    "[policy.windows]\nstandard = 101",
    '[policy.windows]\nstandard = "two"',
    "[policy.windows]\npublic = 1",
    "[[calls]]\narguments = {}",
    '[[accept]]\nfinding = "x"',
]


def schema(name: str, capsys) -> jsonschema.Draft202012Validator:
    document = json.loads(governor_here("schema", name, capsys=capsys).stdout)
    jsonschema.Draft202012Validator.check_schema(document)
    return jsonschema.Draft202012Validator(document)


def plain(text: str) -> Any:
    """TOML as JSON has it: dates are strings."""
    return json.loads(json.dumps(tomli.loads(text), default=str))


@pytest.fixture
def old(tmp_path: Path, monkeypatch) -> str:
    (tmp_path / "old.json").write_text(dump_surface(build_surface(RELEASES[1])))
    monkeypatch.chdir(tmp_path)
    return "old.json"


@pytest.mark.parametrize("text", ["", WHOLE])
def test_what_the_schema_takes_is_read(old: str, capsys, text: str) -> None:
    Path("mcp-governor.toml").write_text(text, encoding="utf-8")
    schema("config", capsys).validate(plain(text))
    outcome = governor_here("diff", old, old, capsys=capsys)
    assert outcome.code == 0, outcome.err


@pytest.mark.parametrize("text", WRONG)
def test_what_the_schema_refuses_is_refused_with_its_key(old: str, capsys, text: str) -> None:
    assert not schema("config", capsys).is_valid(plain(text))
    Path("mcp-governor.toml").write_text(text, encoding="utf-8")
    outcome = governor_here("check", old, "--against", old, capsys=capsys)
    assert outcome.code == ConfigError.exit_code, outcome.out
    keys = re.findall(r"^\[+([\w.-]+)|^([\w-]+) =", text, re.MULTILINE)
    named = [part for pair in keys for part in pair if part]
    assert re.match(r"error: mcp-governor\.toml:\d+: ", outcome.err)
    assert any(name.split(".")[-1] in outcome.err for name in named)


def test_pyproject_holds_the_same_under_a_prefix(old: str, capsys) -> None:
    prefixed = re.sub(r"^(\[+)", r"\1tool.mcp-governor.", WHOLE, flags=re.MULTILINE)
    Path("pyproject.toml").write_text(f"[tool.mcp-governor]{prefixed}", encoding="utf-8")
    assert plain(Path("pyproject.toml").read_text(encoding="utf-8"))["tool"]["mcp-governor"] == plain(WHOLE)
    assert governor_here("diff", old, old, capsys=capsys).code == 0
    Path("pyproject.toml").write_text("[tool.mcp-governor]\ntargt = 'x'\n", encoding="utf-8")
    reported = governor_here("diff", old, old, capsys=capsys)
    assert reported.code == 2
    assert 'pyproject.toml:2: unknown key "targt". Did you mean "target"?' in reported.err


@pytest.mark.parametrize("raw", [RELEASES[1], RELEASES[2], {"tools": [None, {"name": 5}, {"name": "a\ud800"}]}])
def test_a_recorded_surface_holds_its_schema(tmp_path: Path, monkeypatch, capsys, raw: dict[str, Any]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tools.json").write_text(json.dumps(raw), encoding="utf-8")
    assert governor_here("snapshot", "tools.json", capsys=capsys).code == 0
    document = json.loads(Path("mcp-surface.json").read_bytes())
    schema("surface", capsys).validate(document)
    assert not schema("surface", capsys).is_valid({**document, "fingerprint": "none"})
    assert jsonschema.Draft202012Validator(closed(surface_schema())).is_valid(document)
    # Members of later releases.
    assert schema("surface", capsys).is_valid({**document, "more": 1})


def test_every_rule_holds_its_schema(capsys) -> None:
    validator = schema("rule", capsys)
    documents = [plain(file.read_text("utf-8")) for file in sorted((REPO / "rules").glob("*/*.toml"))]
    rules = [document for document in documents if "id" in document]
    assert len(rules) > 90
    for rule in rules:
        validator.validate(rule)
    assert not validator.is_valid({"id": "a/b"})
