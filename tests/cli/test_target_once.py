"""What the user named is looked up once in a run: what is read, trusted, compared and placed is one and the same."""

from __future__ import annotations

import importlib
import json

import pytest

from mcp_governor.cli import run
from mcp_governor.config import Config

SURFACE = {"tools": [{"name": "find", "description": "Finds a book.", "inputSchema": {"type": "object"}}]}
CHANGELOG = "# Schema changelog\n\n## [1.0.0] — current\n\n### Added\n\n- `find`: finds a book.\n"


@pytest.mark.parametrize(
    ("line", "times"),
    [
        ("check new.json", 1),
        ("check new.json --against old.json", 1),
        ("lint new.json", 1),
        ("lint new.json --new-only", 1),
        ("lint --show-settings", 0),
        ("call new.json", 1),
        ("snapshot new.json -o -", 1),
        ("fingerprint new.json", 1),
        ("diff old.json new.json", 2),
        ("changelog check new.json", 1),
        ("changelog draft new.json --diff", 1),
        ("changelog release 1.0.0 new.json --check", 1),
    ],
)
def test_a_target_is_resolved_once(tmp_path, monkeypatch, capsys, line, times):
    for name in ("old.json", "new.json", "mcp-surface.json"):
        (tmp_path / name).write_text(json.dumps(SURFACE))
    (tmp_path / "changelog.md").write_text(CHANGELOG)
    (tmp_path / "mcp-governor.toml").write_text('changelog = "changelog.md"\nschema-version = "1.0.0"\n')
    monkeypatch.chdir(tmp_path)
    # the package has a function of that name
    home = importlib.import_module("mcp_governor.target.resolve")
    resolved = []
    inner = home._resolved

    def counted(target: str | None, config: Config, command: tuple[str, ...]):
        resolved.append(target)
        return inner(target, config, command)

    monkeypatch.setattr(home, "_resolved", counted)
    run(line.split())
    assert len(resolved) == times, capsys.readouterr()
