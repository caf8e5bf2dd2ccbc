"""The pre-commit hook in a git repository: commits that do not own up to a change are refused."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shlex
import sys
from pathlib import Path

import pytest
from projects import committed, git, governor, python, repository, surface_text, tool, write
from support import REPO, SERVERS, missing

from mcp_governor.changelog.editing import first_changelog
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


def our_hooks(*ids, **settings):
    """A configuration with these hooks as they are published, run by this Python; settings apply to all of them."""
    import yaml  # comes with pre-commit

    hooks = yaml.safe_load((REPO / ".pre-commit-hooks.yaml").read_text())
    assert [hook["id"] for hook in hooks] == ["mcp-governor", "mcp-governor-snapshot", "mcp-governor-changelog"]
    chosen = []
    for hook in hooks:
        program, _, arguments = hook["entry"].partition(" ")
        assert (program, hook["language"]) == ("mcp-governor", "python")
        local = {"entry": f"{sys.executable} -m mcp_governor {arguments}", "language": "system"}
        if hook["id"] in ids:
            chosen.append({**hook, **local, **settings})
    assert len(chosen) == len(ids)
    return yaml.safe_dump({"repos": [{"repo": "local", "hooks": chosen}]})


def test_a_commit_without_its_changelog_entry_is_refused(root):
    install(root, our_hooks("mcp-governor"))
    checks_commits_against_the_changelog(root, gate="change")


SERVER = """\
import json, runpy, sys

sys.argv[1:] = [json.dumps({{"tools": {tools}, "info": {{"name": "stock", "version": "1.0.0"}}}})]
runpy.run_path({plain!r}, run_name="__main__")
"""
FIND, COUNT = tool("find_stock"), tool("count_stock")


def server(*tools):
    return SERVER.format(tools=list(tools), plain=str(SERVERS / "plain.py"))


@pytest.fixture
def shop(tmp_path):
    """A server whose recorded surface is up to date."""
    if importlib.util.find_spec("pre_commit") is None:
        missing("pre-commit is not installed: pip install pre-commit")
    config = (
        f"""baseline = "mcp-surface.json"\n[servers.stock]\ncommand = {json.dumps([sys.executable, "stock.py"])}\n"""
    )
    root = repository(tmp_path / "shop", {"stock.py": server(FIND), "mcp-governor.toml": config})
    assert governor(root, "snapshot").returncode == 0
    return committed(root, "recorded")


def test_a_stale_surface_is_refused_with_what_differs_and_the_command_that_renews_it(shop):
    install(shop, our_hooks("mcp-governor-snapshot"))
    write(shop, {"README.md": "Nothing that a server is made of.\n"})
    unrelated = commit(shop, "readme")
    assert unrelated.returncode == 0
    assert "Skipped" in unrelated.stdout + unrelated.stderr

    write(shop, {"stock.py": "# The same surface.\n" + server(FIND)})
    fresh = commit(shop, "comment")
    assert fresh.returncode == 0, fresh.stdout + fresh.stderr
    assert "Passed" in fresh.stdout + fresh.stderr

    write(shop, {"stock.py": server(FIND, COUNT)})
    refused = commit(shop, "one more tool")
    said = refused.stdout + refused.stderr
    assert refused.returncode == 1
    assert "mcp-surface.json is not what the server publishes now (1 compatible change)." in said
    assert "`count_stock`" in said
    before = (shop / "mcp-surface.json").read_text()
    (renewal,) = re.findall("^Renew it with: mcp-governor (.+)$", said, re.M)
    assert "count_stock" not in before, "a check writes nothing"
    assert governor(shop, *shlex.split(renewal)).returncode == 0
    assert "count_stock" in (shop / "mcp-surface.json").read_text()
    assert commit(shop, "one more tool, recorded").returncode == 0


def test_the_hook_writes_the_surface_as_a_formatter_does(shop):
    install(shop, our_hooks("mcp-governor-snapshot", args=["--exit-non-zero-on-change"]))
    write(shop, {"stock.py": server(FIND, COUNT)})
    refused = commit(shop, "one more tool")
    assert refused.returncode == 1
    assert "files were modified by this hook" in refused.stdout + refused.stderr
    passed = commit(shop, "one more tool")  # which adds what the hook wrote
    assert passed.returncode == 0, passed.stdout + passed.stderr
    assert "count_stock" in git(shop, "show", "HEAD:mcp-surface.json").stdout


def test_the_changelog_hook_wants_an_entry_and_a_well_formed_changelog(root):
    install(root, our_hooks("mcp-governor-changelog"))
    write(root, {"mcp-surface.json": NEW})
    refused = commit(root, "one more argument")
    reported = refused.stdout + refused.stderr
    assert refused.returncode == 1, reported
    assert "changelog/" in reported
    assert "policy/" not in reported, "only the changelog is judged"
    paste(root, reported, gate="change")
    passed = commit(root, "one more argument, mentioned")
    assert passed.returncode == 0, passed.stdout + passed.stderr

    path = root / CHANGELOG
    path.write_text(path.read_text().replace("## 1.0.0\n", "## 1.0.0 (current)\n"))
    odd = commit(root, "two current sections")
    assert odd.returncode == 1
    assert "changelog/several-current" in odd.stdout + odd.stderr


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
