"""A small governed repository, a pull request as a branch of it, and the check of that against main."""

from __future__ import annotations

import json

from projects import committed, git, governor, surface_text, tool, write

GET, DELETE, ADD = tool("get_item"), tool("delete_item"), tool("add_item")
BOTH, ONE = surface_text(GET, DELETE), surface_text(GET)
SURFACE, CONFIG, CHANGELOG = "mcp-surface.json", "mcp-governor.toml", "docs/mcp-schema-changelog.md"
RULE = "policy/comparison-changed"
ONLY = ("--only", "breaking")


def branch(root, files, base=None):
    """The files of the base on main, those of a pull request on a branch that is checked out."""
    if base:
        write(root, base)
        committed(root, "base")
    git(root, "checkout", "-q", "-b", "topic")
    changed(root, files)
    return root


def changed(root, files):
    for name in [name for name, text in files.items() if text is None]:
        (root / name).unlink()
    write(root, {name: text for name, text in files.items() if text is not None})
    committed(root, "change")


def check(root, *arguments, folder=".", approval="required", offline=True):
    """Exit code and report of a check against main; without ``offline`` of the configured target."""
    words = ("check", *(["--offline"] * offline), "--base", "main", "--approval", approval, "--format", "json")
    done = governor(root / folder, *words, *arguments)
    return done.returncode, json.loads(done.stdout) if done.stdout else done.stderr


def said(report):
    """The sentences about a changed comparison."""
    return [one["message"] for one in report["findings"] if one["rule"] == RULE]


def removed(report):
    return [change["tool"] for change in report["changes"] if change["kind"] == "tool-removed"]
