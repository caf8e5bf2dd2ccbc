"""``schema config`` describes what is really read; tests/test_contracts.py has the other formats."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import tomli
from commandline import governor_here

from mcp_governor.demo.server import RELEASES
from mcp_governor.errors import ConfigError
from mcp_governor.surface import build_surface, dump_surface

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
    'level = "loose"',
    'clients = "anthropic"',
    "timeout = 0",
    "[servers.a]",
    "[servers.a]\ncommand = []",
    '[servers.a]\ncommand = ["x"]\nurl = "https://example.invalid"',
    '[servers.a]\nobject = "no_colon"',
    '[servers.a]\ncommand = ["x"]\nenv = { A = 1 }',
    '[tiers]\npublic = ["x"]',
    '[lint]\nseverity = { "clarity/length" = "fatal" }',
    '[policy]\nzero-policy = "anything"',
    "[policy]\nno-such-option = true",
    "[policy.windows]\nstandard = 101",
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
