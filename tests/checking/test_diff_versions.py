"""Which releases two recordings are, and which step their changes need: one answer for check, diff and our own tool."""

from __future__ import annotations

import json

import pytest

from mcp_governor.checking.diff import compare_targets
from mcp_governor.checking.run import check
from mcp_governor.config import load_config
from mcp_governor.findings import Bump
from mcp_governor.report.diff_text import diff_lines
from mcp_governor.server.project import CONFIG, ROOT
from mcp_governor.server.work import compare_surfaces
from mcp_governor.surface import fingerprint, parse_surface

SDK = "1.30.0"
"""What the servers report: the version of their framework."""

TOOLS = [{"name": name, "inputSchema": {"type": "object"}} for name in ("keep", "drop")]


def recording(version, *, tools=2, source="pkg.mod:VERSION", server=SDK, release=None):
    """A surface file; ``version`` is what ``schema-version`` said when it was recorded, ``None`` for nothing."""
    document = {
        "format": "mcp-governor/surface-1",
        "protocolVersion": "2025-11-25",
        "serverInfo": {"name": "s", "version": server},
        "tools": TOOLS[:tools],
    }
    if version is not None:
        document["schemaVersion"] = {"source": source, "version": version}
    if release is not None:
        document["release"] = release
    return json.dumps(document)


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A governed project whose version is a constant of its code; its old recordings are in files."""
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").touch()
    (tmp_path / "pkg" / "mod.py").write_text('VERSION = "0.8.0"\n')
    (tmp_path / "mcp-governor.toml").write_text('target = "new.json"\nschema-version = "pkg.mod:VERSION"\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def compared(folder, old, new):
    (folder / "old.json").write_text(old)
    (folder / "new.json").write_text(new)
    return compare_targets("old.json", "new.json", config=load_config())


@pytest.mark.parametrize(
    ("old", "new", "versions", "declared", "required"),
    [
        # both were recorded with their release: the server's own version says nothing
        (recording("0.6.1"), recording("0.8.0", tools=1), ("0.6.1", "0.8.0"), "minor", "minor"),
        (recording("1.6.1"), recording("1.8.0", tools=1), ("1.6.1", "1.8.0"), "minor", "major"),
        (recording("0.6.1"), recording("0.6.2", tools=1), ("0.6.1", "0.6.2"), "patch", "minor"),
        # a source of former times, the same in both
        (
            recording("0.6.1", source="package.json"),
            recording("0.8.0", tools=1, source="package.json"),
            ("0.6.1", "0.8.0"),
            "minor",
            "minor",
        ),
        # two sources, or one side without any: no step, and the SDK's version is none either
        (recording("0.6.1", source="package.json"), recording("0.8.0"), ("0.6.1", "0.8.0"), None, "none"),
        (recording("0.6.1"), recording(None, tools=1), ("0.6.1", SDK), None, "minor"),
        (recording(None), recording("0.8.0", tools=1), (SDK, "0.8.0"), None, "major"),
        # unless the server that was recorded reports just that version
        (recording("0.6.1", server="0.6.1"), recording(None, server="0.8.0"), ("0.6.1", "0.8.0"), "minor", "none"),
        # recordings of packages
        (recording(None, release="2.0.0"), recording(None, release="2.1.0"), ("2.0.0", "2.1.0"), "minor", "none"),
        # recordings of a stranger
        (
            recording(None, server="0.3.0"),
            recording(None, tools=1, server="0.4.0"),
            ("0.3.0", "0.4.0"),
            "minor",
            "minor",
        ),
    ],
)
@pytest.mark.parametrize("governed", [True, False])
def test_a_recording_is_the_release_that_it_states(project, old, new, versions, declared, required, governed):
    if not governed:
        (project / "mcp-governor.toml").unlink()
    report = compared(project, old, new)
    assert report.drafts is governed, "elsewhere there is no changelog to draft"
    assert (report.declared_versions, report.declared_bump, report.required_bump.value) == (
        versions,
        declared,
        required,
    )
    said = "\n".join(map(str, diff_lines(report)))
    assert (SDK in said) == (SDK in versions and declared is not None)


def test_the_changelog_knows_a_recording_from_before_the_version_was_recorded(project):
    old = recording(None)
    stated = fingerprint(parse_surface(old.encode(), "old.json"))
    (project / "docs").mkdir()
    text = (
        f"# Changelog\n\n## 0.8.0 (current)\n\n- `drop` is gone.\n\n## 0.6.1\n\nFingerprint: `{stated}`\n\n- `keep`.\n"
    )
    (project / "docs" / "mcp-schema-changelog.md").write_text(text)
    report = compared(project, old, recording("0.8.0", tools=1))
    assert report.declared_versions == ("0.6.1", "0.8.0")
    assert (report.declared_bump, report.required_bump) == (Bump.MINOR, Bump.MINOR)


def tiered(**tiers):
    names = {"keep": tiers.get("keep"), "drop": tiers.get("drop")}
    tools = [{**tool, "_meta": {"tier": names[tool["name"]]}} if names[tool["name"]] else tool for tool in TOOLS]
    return json.dumps({**json.loads(recording("0.8.0")), "tools": tools})


POLICIES = [
    "",
    '[policy]\nzero-policy = "strict"\n',
    '[policy]\nzero-policy = "anything-goes"\n',
    '[tiers]\ninternal = ["keep"]\n',
    '[tiers]\nstandard = ["keep"]\nadvanced = ["dr*"]\n',
    'level = "strict"\n',
]


@pytest.mark.parametrize("more", POLICIES)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (recording("0.6.1"), recording("0.8.0", tools=1)),
        (recording("1.6.1"), recording("0.8.0")),
        (recording("0.6.1", tools=1), recording("0.8.0")),
        (tiered(keep="advanced"), recording("0.8.0")),
        (recording("0.6.1"), tiered(keep="advanced", drop="internal")),
    ],
)
def test_check_diff_and_our_tool_agree(project, monkeypatch, old, new, more):
    config = project / "mcp-governor.toml"
    top, table = (more, "") if not more.startswith("[") else ("", more)
    config.write_text(config.read_text() + top + table)
    monkeypatch.setenv(ROOT, str(project))
    monkeypatch.setenv(CONFIG, str(config))
    diffed = compared(project, old, new)
    checked = check("new.json", config=load_config(), against="old.json")
    told = compare_surfaces(old_uri="old.json", new_uri="new.json").to_wire()["data"]
    assert [change.id for change in diffed.changes] == [change.id for change in checked.changes]
    assert [change.path for change in diffed.changes] == [change["path"] for change in told["changes"]]
    assert {diffed.required_bump, checked.required_bump} == {told["required_bump"]}
    assert (diffed.declared_versions, diffed.declared_bump) == (checked.declared_versions, checked.declared_bump)
