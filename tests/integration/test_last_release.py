"""A recording that is renewed between releases hides no break, where no tag says what the last release published."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest
from projects import committed, git, governor, repository, surface_text, tool, write

PLAIN = Path(__file__).parent.parent / "servers" / "plain.py"
CHANGELOG = "docs/mcp-schema-changelog.md"
BOOK, BROKEN = tool("find_stock"), tool("find_stock", "warehouse")
CONFIG = 'target = "stock"\n[servers.stock]\nfile = "live.json"\n[policy]\ngate = "release"\n'
STATED = "# Log\n\n## {} (current)\n\nFingerprint: `{}`\n\n**Added**\n\n- `find_stock`.\n"
RELEASED = "docs/mcp-surface/1.0.0.json"


def digest_of(folder, target):
    """The whole fingerprint of a surface."""
    return json.loads(governor(folder, "fingerprint", target, "--format", "json").stdout)["fingerprint"]


@pytest.fixture
def root(tmp_path):
    """A release without a tag, and a break that was recorded and committed after it."""
    first = {"mcp-governor.toml": CONFIG, "live.json": surface_text(BOOK), "mcp-surface.json": surface_text(BOOK)}
    folder = repository(tmp_path / "stock", first)
    digest = digest_of(folder, "live.json")
    write(folder, {CHANGELOG: STATED.format("1.0.0", digest)})
    committed(folder, "release 1.0.0")
    assert governor(folder, "check").returncode == 0
    broken(folder)
    return committed(folder, "break")


def broken(folder):
    return write(folder, {"live.json": surface_text(BROKEN), "mcp-surface.json": surface_text(BROKEN)})


def reported(folder, *arguments):
    """The rules and changes that fail a check, and what it was compared with."""
    done = governor(folder, "check", "--format", "json", *arguments)
    report = json.loads(done.stdout)
    names = {one["rule"] for one in report["findings"] if one["severity"] == "error"}
    names |= {one["kind"] for one in report["changes"]}
    return done.returncode, names, report["baseline"]["source"]


@pytest.mark.parametrize("where", [(), ("--offline",)])
@pytest.mark.parametrize("only", [(), ("--only", "breaking")])
def test_a_break_that_is_recorded_is_compared_with_the_release(root, where, only):
    code, names, source = reported(root, *where, *only)
    assert (code, names & {"required-argument-added", "changelog/missing-entry"}) == (
        1,
        {"required-argument-added"} if only else {"required-argument-added", "changelog/missing-entry"},
    )
    first = git(root, "rev-list", "--max-parents=0", "HEAD").stdout.strip()
    assert source == f"git:{first[:12]}"


def test_a_break_is_neither_a_patch_nor_an_empty_release(root):
    write(root, {name: surface_text(BROKEN, version="1.0.1") for name in ("live.json", "mcp-surface.json")})
    assert "policy/bump-too-small" in reported(root)[1]
    done = governor(root, "changelog", "release", "1.0.1")
    assert done.returncode == 2
    assert "1.0.1 is too small: the changes since 1.0.0 need a major step." in done.stderr
    assert "1 entry drafted under Unreleased." in governor(root, "changelog", "draft").stdout


def test_the_recording_of_a_release_serves_where_the_history_is_gone(root):
    write(root, {RELEASED: surface_text(BOOK)})
    shutil.rmtree(root / ".git")
    assert reported(root)[2] == RELEASED
    # of another surface, it is none of this release
    write(root, {RELEASED: surface_text(BROKEN)})
    assert reported(root) == (1, {"policy/baseline-lost", "changelog/released-fingerprint"}, "mcp-surface.json")


def test_every_change_is_checked_against_what_the_changelog_describes(root):
    """Under the other gate, too: the recorded break was drafted as a patch that says nothing."""
    write(root, {"mcp-governor.toml": CONFIG.replace('"release"', '"change"')})
    assert {"changelog/missing-entry", "policy/bump-too-small", "required-argument-added"} <= reported(root)[1]
    assert "1 entry drafted for 2.0.0." in governor(root, "changelog", "draft").stdout
    write(root, {name: surface_text(BROKEN, version="2.0.0") for name in ("live.json", "mcp-surface.json")})
    assert reported(root) == (0, set(), "mcp-surface.json")


@pytest.mark.parametrize("only", [(), ("--only", "breaking")])
def test_a_shallow_clone_says_that_nothing_was_compared(root, tmp_path, only):
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{root}", str(clone))
    code, names, _ = reported(clone, *only)
    assert (code, names) == (1, {"policy/baseline-lost"})
    said = governor(clone, "check", *only).stdout
    assert "Nothing was compared with 1.0.0: this clone is shallow, and its surface is not in it." in said
    assert "Fetch the history: git fetch --unshallow --tags" in said


def test_a_release_is_compared_with_the_release_before_it(root):
    write(root, {name: surface_text(BROKEN, version="2.0.0") for name in ("live.json", "mcp-surface.json")})
    assert governor(root, "changelog", "draft").returncode == 0
    assert governor(root, "changelog", "release").returncode == 0
    committed(root, "release 2.0.0")
    code, names, source = reported(root, "--release")
    assert (code, "required-argument-added" in names, source.startswith("git:")) == (0, True, True)
    # after it, it is the last release itself
    assert reported(root) == (0, set(), "mcp-surface.json")


def restated(root):
    """The section of the last release states the surface of now, as if that had been released."""
    digests = [digest_of(root, name) for name in ("git:HEAD~1", "live.json")]
    text = (root / CHANGELOG).read_text()
    assert digests[0] in text
    return write(root, {CHANGELOG: text.replace(*digests)})


@pytest.mark.parametrize("commit", [True, False])
@pytest.mark.parametrize("only", [(), ("--only", "breaking")])
def test_a_section_that_is_rewritten_hides_no_break(root, only, commit):
    restated(root)
    if commit:
        committed(root, "quiet now")
    code, names, _ = reported(root, *only)
    assert (code, names) == (1, {"changelog/released-fingerprint"})
    done = governor(root, "check", *only, "--format", "json")
    (found,) = (one for one in json.loads(done.stdout)["findings"] if one["severity"] == "error")
    release = git(root, "rev-list", "HEAD", "--grep=release 1.0.0").stdout.strip()
    assert f"but in git:{release[:12]} it stated a different one" in found["message"]
    # it was never released
    accepted = f'[[accept]]\nfinding = "{found["id"]}"\nreason = "nobody has it"\n'
    write(root, {"mcp-governor.toml": CONFIG + accepted})
    assert governor(root, "check", *only).returncode == 0


def test_a_section_that_is_rewritten_before_the_next_release_is_noticed_at_it(root):
    restated(root)
    text = (root / CHANGELOG).read_text().replace("## 1.0.0 (current)", "## 1.0.0")
    digest = digest_of(root, "live.json")
    write(root, {CHANGELOG: text.replace("# Log\n", f"# Log\n\n## 1.0.1 (current)\n\nFingerprint: `{digest}`\n")})
    write(root, {name: surface_text(BROKEN, version="1.0.1") for name in ("live.json", "mcp-surface.json")})
    assert "changelog/released-fingerprint" in reported(root, "--release")[1]


def test_every_clone_has_the_release_that_init_began_with(tmp_path):
    """Without a tag, and with a recording that was renewed since."""
    begun = repository(tmp_path / "stock", {"readme.md": "x"})
    how = json.dumps({"tools": [BOOK], "info": {"name": "stock", "version": "1.0.0"}})
    assert governor(begun, "init", "--", sys.executable, str(PLAIN), how).returncode == 0
    recorded = (begun / RELEASED).read_text()
    assert recorded == (begun / "mcp-surface.json").read_text()
    committed(begun, "govern")
    write(begun, {"mcp-surface.json": surface_text(BROKEN)})
    committed(begun, "break")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{begun}", str(clone))
    for checkout in (begun, clone):
        code, names, source = reported(checkout, "--offline")
        assert (code, source) == (1, RELEASED)
        assert {"required-argument-added", "changelog/missing-entry"} <= names
