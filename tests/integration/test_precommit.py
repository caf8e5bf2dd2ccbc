"""The pre-commit hook in a git repository: commits that do not own up to a change are refused."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import sys
from pathlib import Path

import pytest
from projects import committed, git, governor, python, repository, surface_text, tool, write
from support import REPO, SERVERS, missing

from mcp_governor.changelog.first import first_changelog
from mcp_governor.surface import load_surface

CONFIG = 'baseline = "mcp-surface.json"\n[servers.gone]\ncommand = ["/no/such/server"]\n'
CHANGELOG = "docs/mcp-schema-changelog.md"
OLD = surface_text(tool("find_stock"))
NEW = surface_text(
    tool("find_stock", properties={}) | {"inputSchema": tool("find_stock", "branch")["inputSchema"] | {"required": []}},
    version="1.1.0",
)


@pytest.fixture
def root(tmp_path):
    """A released surface with its changelog, and pre-commit at hand."""
    if importlib.util.find_spec("pre_commit") is None:
        missing("pre-commit is not installed: pip install pre-commit")
    root = repository(tmp_path / "shop", {"mcp-governor.toml": CONFIG, "mcp-surface.json": OLD, "stock.py": "a = 1\n"})
    write(root, {CHANGELOG: first_changelog(load_surface(root / "mcp-surface.json"), "1.0.0")})
    return committed(root, "release 1.0.0")


def install(root, config):
    """Put the hook into the repository's own .git/hooks."""
    write(root, {".pre-commit-config.yaml": config})
    done = python(root, "-m", "pre_commit", "install")
    assert done.returncode == 0, done.stdout + done.stderr
    committed(root, "hook")


def commit(root, message):
    git(root, "add", "-A")
    env = {"PRE_COMMIT_HOME": str(root.parent / "cache"), "PRE_COMMIT_COLOR": "never"}
    return git(root, "commit", "-m", message, **env)


def paste(root, reported, *, gate):
    """Do what the refusal says: the entry in a new section, which under gate change states the printed fingerprint."""
    (entry,) = re.findall(r"add: (- .+)$", reported, re.M)
    path = root / CHANGELOG
    if gate == "release":
        assert 'in a new section "## Unreleased"' in reported
        new, old = f"## Unreleased\n\n**Added**\n\n{entry}\n\n## 1.0.0 (current)\n", "## 1.0.0 (current)\n"
    else:
        (line,) = set(re.findall(r"Fingerprint: `v1:sha256:[0-9a-f]{64}`", reported))
        new = f"## 1.1.0 (current)\n\n{line}\n\n**Added**\n\n{entry}\n\n## 1.0.0\n"
        old = "## 1.0.0 (current)\n"
    path.write_text(path.read_text().replace(old, new))


def checks_commits_against_the_changelog(root, *, gate):
    write(root, {"stock.py": "a = 2\n"})
    unrelated = commit(root, "nothing of the surface")
    assert unrelated.returncode == 0, unrelated.stdout + unrelated.stderr
    assert "Skipped" in unrelated.stdout + unrelated.stderr

    write(root, {"mcp-surface.json": NEW})
    refused = commit(root, "one more argument")
    reported = refused.stdout + refused.stderr
    assert refused.returncode == 1, reported
    assert "git:HEAD" in reported
    assert git(root, "log", "-1", "--format=%s").stdout.strip() == "nothing of the surface"

    paste(root, reported, gate=gate)
    passed = commit(root, "one more argument, told")
    assert passed.returncode == 0, passed.stdout + passed.stderr
    assert git(root, "log", "-1", "--format=%s").stdout.strip() == "one more argument, told"


def test_a_commit_without_its_changelog_entry_is_refused(root):
    hook = (REPO / ".pre-commit-hooks.yaml").read_text()
    entry = hook.replace("entry: mcp-governor", f"entry: {sys.executable} -m mcp_governor")
    local = entry.replace("language: python", "language: system")
    assert local.count(sys.executable) == local.count("language: system") == 1
    indented = "".join(f"      {line}\n" for line in local.splitlines())
    install(root, f"repos:\n  - repo: local\n    hooks:\n{indented}")
    checks_commits_against_the_changelog(root, gate="change")


def test_the_hook_that_init_writes(tmp_path, monkeypatch):
    if importlib.util.find_spec("pre_commit") is None:
        missing("pre-commit is not installed: pip install pre-commit")
    monkeypatch.setenv("PATH", os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])))
    root = repository(tmp_path / "shop", {"stock.py": "a = 1\n"})
    # The fixture server publishes what its argument says, and the hook starts none.
    how = json.dumps({"tools": json.loads(OLD)["tools"], "info": {"name": "stock", "version": "1.0.0"}})
    begun = governor(root, "init", "--", sys.executable, str(SERVERS / "plain.py"), how)
    assert begun.returncode == 0, begun.stderr
    (root / "mcp-surface.json").write_text(OLD)
    committed(root, "governed")
    assert python(root, "-m", "pre_commit", "install").returncode == 0
    checks_commits_against_the_changelog(root, gate="release")


@pytest.mark.live
def test_the_hook_installs_from_this_repository(root):
    head = git(REPO, "rev-parse", "HEAD")
    if head.returncode:
        missing("this checkout is not a git repository")
    config = f"repos:\n  - repo: {REPO}\n    rev: {head.stdout.strip()}\n    hooks:\n      - id: mcp-governor\n"
    install(root, config)
    env = {"PRE_COMMIT_HOME": str(root.parent / "cache")}
    ready = python(root, "-m", "pre_commit", "install-hooks", **env)
    if ready.returncode:
        missing(f"pre-commit cannot build the hook's environment: {ready.stdout[-300:]}")
    checks_commits_against_the_changelog(root, gate="change")
