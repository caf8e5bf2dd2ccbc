"""What was governed at the last release stays governed: deleting a file or a setting turns nothing green."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from projects import committed, git, governor, repository, surface_text, tool, write

PLAIN = Path(__file__).parent.parent / "servers" / "plain.py"
CHANGELOG = "docs/mcp-schema-changelog.md"
BOOK, BROKEN = tool("find_stock"), tool("find_stock", "warehouse")
CONFIG = 'target = "stock"\n[servers.stock]\nfile = "live.json"\n'
STATED = "# Log\n\n## {} (current)\n\nFingerprint: `{}`\n\n**Added**\n\n- `find_stock`.\n"


def released(tmp_path, config=CONFIG, changelog=CHANGELOG, **more):
    """A repository whose first release is tagged, with a changelog that is right."""
    files = {"mcp-governor.toml": config, "live.json": surface_text(BOOK), "mcp-surface.json": surface_text(BOOK)}
    root = repository(tmp_path / "repository", {**files, **more})
    digest = json.loads(governor(root, "fingerprint", "live.json", "--format", "json").stdout)["fingerprint"]
    write(root, {changelog: STATED.format("1.0.0", digest)})
    committed(root, "release 1.0.0")
    tagged(root, "v1.0.0")
    assert governor(root, "check").returncode == 0
    return root


def tagged(root, name):
    """Tag the commit, and go on working: a commit that carries a tag is compared with the release before."""
    git(root, "tag", "-f", name)
    git(root, "commit", "-q", "--allow-empty", "-m", "go on")


def rules(root, *arguments):
    done = governor(root, "check", "--format", "json", *arguments)
    assert done.returncode in (0, 1), done.stderr
    errors = [found for found in json.loads(done.stdout)["findings"] if found["severity"] == "error"]
    return {found["rule"]: found for found in errors if "accepted" not in found}


@pytest.mark.parametrize("offline", [(), ("--offline",)])
@pytest.mark.parametrize("commit", [True, False])
def test_a_changelog_that_is_deleted_is_missed(tmp_path, offline, commit):
    root = released(tmp_path)
    write(root, {"live.json": surface_text(BROKEN, version="2.0.0"), "mcp-surface.json": surface_text(BROKEN)})
    assert governor(root, "check", *offline).returncode == 1
    git(root, "rm", "-q", CHANGELOG)
    if commit:
        committed(root, "quiet now")
    done = governor(root, "check", *offline)
    assert done.returncode == 1
    assert f"{CHANGELOG} existed at v1.0.0 and is gone." in done.stdout
    assert f"fix: Restore it: git checkout v1.0.0 -- {CHANGELOG}." in done.stdout
    git(root, "checkout", "v1.0.0", "--", CHANGELOG)
    assert "policy/changelog-deleted" not in rules(root, *offline)


def test_a_changelog_that_the_configuration_names_and_nobody_finds_is_missed_too(tmp_path):
    named = 'changelog = "CHANGES.md"\n' + CONFIG
    root = released(tmp_path, named, "CHANGES.md")
    (root / "CHANGES.md").unlink()
    assert "CHANGES.md existed at v1.0.0 and is gone." in rules(root)["policy/changelog-deleted"]["message"]
    git(root, "checkout", "CHANGES.md")
    write(root, {"mcp-governor.toml": CONFIG})
    reported = rules(root)["policy/changelog-deleted"]["message"]
    assert reported == "CHANGES.md was the changelog at v1.0.0, and the configuration does not name it any more."


def test_a_lenient_fail_on_does_not_pass_itself(tmp_path):
    root = released(tmp_path)
    write(root, {"mcp-governor.toml": 'fail-on = "never"\n' + CONFIG, "live.json": surface_text(BROKEN)})
    done = governor(root, "check")
    assert done.returncode == 1
    assert "It is now never, which is more lenient." in done.stdout
    assert governor(root, "check", "--fail-on", "warning").returncode == 1
    accepted = f'[[accept]]\nfinding = "{rules(root)["policy/config-weakened"]["id"]}"\nreason = "a trial"\n'
    write(root, {"mcp-governor.toml": 'fail-on = "never"\n' + CONFIG + accepted})
    assert governor(root, "check").returncode == 0


@pytest.mark.parametrize(
    "setting",
    ['fail-on = "never"', '[policy]\ncapabilities = "note"'],
)
def test_a_gate_for_breaks_alone_is_not_more_lenient_than_the_release(tmp_path, setting):
    strict = 'fail-on = "error"\nlevel = "strict"\n'
    root = released(tmp_path, strict + CONFIG + '[policy]\ncapabilities = "breaking"\n')
    gate = ("check", "--only", "breaking")
    assert governor(root, *gate).returncode == 0
    top, table = ("", f"{setting}\n") if setting.startswith("[") else (f"{setting}\n", "")
    kept = "".join(f"{line}\n" for line in strict.splitlines() if line.partition(" ")[0] not in setting)
    if "capabilities" not in setting:
        table = (table or "[policy]\n") + 'capabilities = "breaking"\n'
    write(root, {"mcp-governor.toml": top + kept + CONFIG + table})
    committed(root, "quiet now")
    report = json.loads(governor(root, *gate, "--format", "json").stdout)
    assert [found["rule"] for found in report["findings"]] == ["policy/config-weakened"]
    assert governor(root, *gate).returncode == 1
    write(root, {"live.json": surface_text(BROKEN)})
    assert "required-argument-added" in governor(root, *gate, "--format", "json").stdout
    assert governor(root, *gate).returncode == 1
    accepted = f'[[accept]]\nfinding = "{report["findings"][0]["id"]}"\nreason = "a trial"\n'
    write(root, {"live.json": surface_text(BOOK), "mcp-governor.toml": top + kept + CONFIG + table + accepted})
    assert governor(root, *gate).returncode == 0


@pytest.mark.parametrize("only", [(), ("--only", "breaking")])
def test_tiers_of_a_server_that_is_the_baseline_are_those_of_the_release(tmp_path, only):
    """A server records no tiers: those of today's configuration would make every tool of it internal."""

    def command(*tools):
        return json.dumps([sys.executable, str(PLAIN), json.dumps({"tools": list(tools)})])

    servers = f"[servers.stock]\ncommand = {command(tool('count_stock'))}\n"
    servers += f"[servers.old]\ncommand = {command(BOOK, tool('count_stock'))}\n"
    config = f'target = "stock"\nbaseline = "old"\nfail-on = "error"\n{servers}'
    root = repository(tmp_path / "repository", {"mcp-governor.toml": config})
    tagged(root, "v1.0.0")
    assert governor(root, "check", *only).returncode == 1
    write(root, {"mcp-governor.toml": config + '[tiers]\ninternal = ["*"]\n'})
    done = governor(root, "check", "--format", "json", *only)
    assert done.returncode == 1
    kinds = {(change["kind"], change["verdict"]) for change in json.loads(done.stdout)["changes"]}
    assert {("tier-lowered", "breaking"), ("tool-removed", "breaking")} <= kinds


def test_a_changelog_that_moves_is_not_deleted(tmp_path):
    root = released(tmp_path)
    git(root, "mv", CHANGELOG, "CHANGES.md")
    write(root, {"mcp-governor.toml": 'changelog = "CHANGES.md"\n' + CONFIG})
    assert rules(root) == {}


def test_the_branch_that_a_pull_request_is_compared_with_counts(tmp_path):
    root = released(tmp_path)
    git(root, "tag", "-d", "v1.0.0")
    git(root, "checkout", "-q", "-b", "topic")
    git(root, "rm", "-q", CHANGELOG)
    committed(root, "quiet now")
    assert rules(root) == {}, "nothing was released, and HEAD has no changelog"
    reported = rules(root, "--against", "git:main:mcp-surface.json")
    assert reported["policy/changelog-deleted"]["message"] == f"{CHANGELOG} existed at main and is gone."


def test_an_acceptance_is_the_way_out_and_ends_with_the_release(tmp_path):
    root = released(tmp_path)
    git(root, "rm", "-q", CHANGELOG)
    reported = rules(root)["policy/changelog-deleted"]
    write(root, {"mcp-governor.toml": f'{CONFIG}[[accept]]\nfinding = "{reported["id"]}"\nreason = "a wiki now"\n'})
    assert rules(root) == {}
    committed(root, "release 1.1.0")
    tagged(root, "v1.1.0")
    assert rules(root) == {}
    git(root, "checkout", "-q", "v1.1.0")
    for arguments in ((), ("--against", "git:v1.0.0:mcp-surface.json"), ("--against", "git:v1.1.0:mcp-surface.json")):
        assert rules(root, *arguments) == {}, arguments


def test_an_emptied_configuration_says_what_is_not_governed_any_more(tmp_path):
    root = released(tmp_path)
    for empty in ("", "# nothing\n", None):
        if empty is None:
            (root / "mcp-governor.toml").unlink()
        else:
            write(root, {"mcp-governor.toml": empty})
        done = governor(root, "check", "--offline")
        assert done.returncode == 1
        assert "At v1.0.0 the configuration had target = stock. It is no longer set." in done.stdout
        assert "At v1.0.0 the configuration had servers = stock. It is no longer set." in done.stdout
