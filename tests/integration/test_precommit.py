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

CHANGELOG = "docs/mcp-schema-changelog.md"
OLD = surface_text(tool("find_stock"))
NEW = surface_text(
    tool("find_stock", properties={}) | {"inputSchema": tool("find_stock", "branch")["inputSchema"] | {"required": []}},
    version="1.1.0",
)


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


def paste(root, reported):
    """Do what the refusal says: the entry in a new section."""
    (entry,) = re.findall(r"add: (- .+)$", reported, re.M)
    assert 'in a new section "## Unreleased"' in reported
    path = root / CHANGELOG
    new = f"## Unreleased\n\n**Added**\n\n{entry}\n\n## 1.0.0 (current)\n"
    path.write_text(path.read_text().replace("## 1.0.0 (current)\n", new))


def our_hook(name):
    """A configuration with this hook as it is published, run by this Python."""
    import yaml  # comes with pre-commit

    hooks = yaml.safe_load((REPO / ".pre-commit-hooks.yaml").read_text())
    assert [hook["id"] for hook in hooks] == ["mcp-governor", "mcp-governor-snapshot", "mcp-governor-changelog"]
    entries = {hook["id"]: hook["entry"].partition(" ") for hook in hooks}
    assert {(entries[hook["id"]][0], hook["language"]) for hook in hooks} == {("mcp-governor", "python")}
    local = {"entry": f"{sys.executable} -m mcp_governor {entries[name][2]}", "language": "system"}
    chosen = [{**hook, **local} for hook in hooks if hook["id"] == name]
    return yaml.safe_dump({"repos": [{"repo": "local", "hooks": chosen}]})


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
    install(shop, our_hook("mcp-governor-snapshot"))
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

    paste(root, reported)
    passed = commit(root, "one more argument, told")
    assert passed.returncode == 0, passed.stdout + passed.stderr
    assert git(root, "log", "-1", "--format=%s").stdout.strip() == "one more argument, told"
