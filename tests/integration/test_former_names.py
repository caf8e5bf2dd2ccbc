"""A repository that the version before a renaming wrote: it stays green, and the notes say what to edit."""

from __future__ import annotations

import json

import pytest
from projects import committed, git, governor, repository, surface_text, tool, write

CONFIG = 'target = "stock"\n[servers.stock]\nfile = "live.json"\n'
OLD, NEW = "changelog/untold", "changelog/missing-entry"
KEY = "dev.mcp-governor/ignore"
ADDED, BARE = tool("count_stock"), {"name": "find_stock", "description": "Finds.", "inputSchema": {"type": "object"}}


LOG = "docs/mcp-schema-changelog.md"
FIRST = "## 1.0.0{}\n\n{}**Added**\n\n- `find_stock`.\n"


def stated(root):
    digest = json.loads(governor(root, "fingerprint", "live.json", "--format", "json").stdout)["fingerprint"]
    return f"Fingerprint: `{digest}`\n\n"


@pytest.fixture
def root(tmp_path):
    """A release, and after it a tool that the changelog does not mention."""
    files = {"mcp-governor.toml": CONFIG, "live.json": surface_text(BARE), "mcp-surface.json": surface_text(BARE)}
    root = repository(tmp_path / "repository", files)
    write(root, {LOG: "# Log\n\n" + FIRST.format(" (current)", stated(root))})
    committed(root, "release 1.0.0")
    git(root, "tag", "v1.0.0")
    grown = surface_text(BARE, ADDED, version="1.1.0")
    write(root, {"live.json": grown, "mcp-surface.json": grown})
    write(root, {LOG: f"# Log\n\n## 1.1.0 (current)\n\n{stated(root)}{FIRST.format('', '')}"})
    committed(root, "grow")
    return root


def failing(root):
    done = governor(root, "check", "--format", "json")
    found = json.loads(done.stdout)["findings"]
    return [one["id"] for one in found if one["severity"] == "error" and "accepted" not in one]


def test_acceptances_under_the_former_id_go_on_and_are_renewed(root):
    [unsaid] = failing(root)
    assert unsaid.startswith(f"{NEW}:")
    former = unsaid.replace(NEW, OLD)
    text = f'{CONFIG}\n[[accept]]\nfinding = "{former}"\nreason = "later"\n'
    write(root, {"mcp-governor.toml": text})
    done = governor(root, "check")
    assert done.returncode == 0, done.stdout
    assert done.stderr == f"note: mcp-governor.toml: {OLD} in accept is now called {NEW}.\n"
    assert governor(root, "accept", former, "--reason", "never").returncode == 0
    now = (root / "mcp-governor.toml").read_text()
    assert now.count("[[accept]]") == 1
    assert unsaid in now
    done = governor(root, "check")
    assert (done.returncode, done.stderr) == (0, "")


def test_an_acceptance_of_what_was_left_out_goes_on_under_either_name(root):
    """Its id holds a hash of the entry, rule included: the hash is that of the first name."""
    entry = f'\n[lint]\nignore = ["{OLD}"]\n'
    # As the version before the renaming printed it for this entry.
    id_then = "policy/config-weakened:-:mcp-governor.toml:5b5c6d43"
    write(root, {"mcp-governor.toml": CONFIG + entry})
    assert failing(root) == [id_then]
    accepted = f'\n[[accept]]\nfinding = "{id_then}"\nreason = "a trial"\n'
    for rule in (OLD, NEW):
        write(root, {"mcp-governor.toml": CONFIG + entry.replace(OLD, rule) + accepted})
        done = governor(root, "check")
        assert done.returncode == 0, done.stdout


def test_the_command_line_takes_former_ids_and_prints_a_note(root):
    done = governor(root, "rule", OLD)
    assert done.returncode == 0
    assert done.stdout.startswith(f"{NEW}  error")
    assert f"formerly {OLD}" in done.stdout
    assert done.stderr == f"note: {OLD} is now called {NEW}.\n"
    done = governor(root, "lint", "--ignore", OLD, "--select", "charter/length", "--exit-zero")
    assert done.returncode == 0
    assert done.stderr == f"note: {OLD} in --ignore is now called {NEW}.\n"


def test_a_tool_that_suppresses_a_rule_by_its_former_id_is_noted(root):
    asking = tool("log_in", "password", _meta={KEY: ["directories/secrets-asked"]})
    write(root, {"live.json": surface_text(asking)})
    words = ("lint", "--select", "directories/secret-argument", "--extend-select", "lint/*")
    done = governor(root, *words)
    assert done.returncode == 0, done.stdout
    assert done.stderr == (
        "note: Tool log_in: directories/secrets-asked in /_meta/dev.mcp-governor~1ignore/0 "
        "is now called directories/secret-argument.\n"
    )
    write(root, {"live.json": surface_text(tool("log_in", "password"))})
    assert "directories/secret-argument" in governor(root, *words).stdout
