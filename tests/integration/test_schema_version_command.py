"""``mcp-governor schema-version``: one command changes the source, and the old numbers are not held against it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from projects import committed, git, governor, repository, surface_text, tool, write

from mcp_governor.surface import fingerprint, parse_surface

PYPROJECT = '[project]\nname = "codetree"\nversion = "0.2.0"\n'


def surface(version: str, *tools: str) -> str:
    document = json.loads(surface_text(*(tool(name) for name in tools)))
    return json.dumps(document | {"serverInfo": {"name": "codetree", "version": version}})


def log(*sections: tuple[str, str]) -> str:
    parts = [f"## {head}\n\nFingerprint: `{fingerprint(parse_surface(text, 'x'))}`\n" for head, text in sections]
    return "# Schema changelog\n\n" + "\n".join(parts)


OLD = surface("94.1.2", "find")
FILES = {
    "mcp-governor.toml": '# ours\ntarget = "now.json"\nchangelog = "log.md"\n\n'
    '[lint] # as it was\nselect = ["spec/tool-name"]\n',
    "pyproject.toml": PYPROJECT,
    "now.json": OLD,
    "mcp-surface.json": OLD,
    "log.md": log(("94.1.2 (current)", OLD)),
}


@pytest.fixture
def codetree(tmp_path: Path) -> Path:
    root = repository(tmp_path / "codetree", FILES)
    git(root, "tag", "v0.2.0")
    return root


def test_from_the_framework_to_the_project(codetree: Path) -> None:
    before = governor(codetree, "check")
    assert before.returncode == 0
    assert "The server reports 94.1.2, and pyproject.toml line 3 says 0.2.0." in before.stdout
    assert "fix: Take the version from the project: mcp-governor schema-version pyproject.toml" in before.stdout

    shown = governor(codetree, "schema-version")
    assert (shown.returncode, shown.stdout) == (
        0,
        "94.1.2, from the server\nThe server reports 94.1.2, and pyproject.toml line 3 says 0.2.0.\n"
        "Take it from the project with: mcp-governor schema-version pyproject.toml\n",
    )
    done = governor(codetree, "schema-version", "pyproject.toml")
    assert done.returncode == 0, done.stderr
    assert done.stdout == (
        'mcp-governor.toml: schema-version = "pyproject.toml" (was "serverInfo").\n'
        "log.md: 94.1.2 is now 0.2.0.\n"
        "mcp-surface.json: recorded as 0.2.0.\n"
        "The version is 0.2.0, from pyproject.toml line 3.\n"
        "Commit these files.\n"
    )
    text = (codetree / "mcp-governor.toml").read_text()
    assert text == FILES["mcp-governor.toml"].replace('"log.md"\n', '"log.md"\nschema-version = "pyproject.toml"\n')
    assert "## 0.2.0 (current)" in (codetree / "log.md").read_text()
    recorded = json.loads((codetree / "mcp-surface.json").read_text())
    assert recorded["schemaVersion"] == {"version": "0.2.0", "source": "pyproject.toml"}

    # The baseline at the tag still holds 94.1.2, the framework's, and that is not held against 0.2.0.
    after = governor(codetree, "check")
    assert (after.returncode, after.stderr) == (0, "")
    assert after.stdout.startswith("codetree 0.2.0 (reports 94.1.2) from now.json")
    assert "declared: none (0.2.0 → 0.2.0)" in after.stdout
    assert "version" not in after.stdout.partition("declared")[0]
    again = governor(codetree, "schema-version", "pyproject.toml")
    assert again.stdout == "The version is 0.2.0, from pyproject.toml line 3.\n"


def test_the_next_release_is_counted_by_the_new_source(codetree: Path) -> None:
    governor(codetree, "schema-version", "pyproject.toml")
    committed(codetree, "source")
    # The framework is released, and the server gains a tool.
    write(codetree, {"now.json": surface("94.2.0", "find", "search")})
    red = governor(codetree, "check")
    assert red.returncode == 1
    assert "pyproject.toml line 3 still says 0.2.0, but the changes require a minor step" in red.stdout
    write(codetree, {"pyproject.toml": PYPROJECT.replace("0.2.0", "0.3.0")})
    assert governor(codetree, "changelog", "draft").returncode == 0
    green = governor(codetree, "check")
    assert green.returncode == 0, green.stdout
    assert "declared: minor (0.2.0 → 0.3.0)" in green.stdout
    released = governor(codetree, "changelog", "release", "0.3.0")
    assert released.returncode == 0, released.stdout + released.stderr
    recorded = json.loads((codetree / "docs/mcp-surface/0.3.0.json").read_text())
    assert recorded["schemaVersion"] == {"version": "0.3.0", "source": "pyproject.toml"}


def test_older_sections_get_the_versions_of_their_tags(codetree: Path) -> None:
    new = surface("94.3.0", "find", "search")
    write(
        codetree,
        {
            "pyproject.toml": PYPROJECT.replace("0.2.0", "0.3.0"),
            "now.json": new,
            "mcp-surface.json": new,
            "docs/mcp-surface/94.3.0.json": new,
            "log.md": log(("94.3.0 (current)", new), ("94.1.2", OLD)),
        },
    )
    committed(codetree, "release")
    git(codetree, "tag", "v0.3.0")
    done = governor(codetree, "schema-version", "distribution:codetree")
    assert done.returncode == 0, done.stderr
    assert "log.md: 94.1.2 is now 0.2.0, 94.3.0 is now 0.3.0." in done.stdout
    assert "docs/mcp-surface/94.3.0.json: is now docs/mcp-surface/0.3.0.json." in done.stdout
    headings = [line for line in (codetree / "log.md").read_text().splitlines() if line.startswith("##")]
    assert headings == ["## 0.3.0 (current)", "## 0.2.0"]
    assert [file.name for file in (codetree / "docs/mcp-surface").iterdir()] == ["0.3.0.json"]
    assert governor(codetree, "check").returncode == 0


def test_an_older_section_that_nothing_numbers_has_to_be_given(codetree: Path) -> None:
    write(codetree, {"log.md": log(("94.1.2 (current)", OLD), ("94.0.0", surface("94.0.0", "find", "gone")))})
    names = ("mcp-governor.toml", "log.md", "mcp-surface.json")
    before = [(codetree / name).read_bytes() for name in names]
    done = governor(codetree, "schema-version", "pyproject.toml")
    assert done.returncode == 2
    assert "log.md:7 holds 94.0.0, and the section above it would become 0.2.0; nothing was written." in done.stderr
    assert "--renumber 94.0.0=VERSION" in done.stderr
    assert [(codetree / name).read_bytes() for name in names] == before
    given = governor(codetree, "schema-version", "pyproject.toml", "--renumber", "94.0.0=0.1.0")
    assert given.returncode == 0, given.stderr
    assert "log.md: 94.1.2 is now 0.2.0, 94.0.0 is now 0.1.0." in given.stdout


def test_back_to_the_server(codetree: Path) -> None:
    governor(codetree, "schema-version", "pyproject.toml")
    done = governor(codetree, "schema-version", "serverInfo", "--renumber", "0.2.0=94.1.2")
    assert done.returncode == 0, done.stderr
    assert "log.md: 0.2.0 is now 94.1.2." in done.stdout
    assert "schemaVersion" not in json.loads((codetree / "mcp-surface.json").read_text())
    assert governor(codetree, "check").returncode == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("pyproject.tml",), 'Did you mean "pyproject.toml"?'),
        (("package.json",), "package.json does not exist"),
        (("git-tag", "--renumber", "9.9.9=1.0.0"), "log.md has no section for version 9.9.9."),
        (("git-tag", "--renumber", "x"), '--renumber takes OLD=NEW, not "x".'),
        (("--renumber", "94.1.2=1.0.0"), "--renumber has no effect without SOURCE."),
        (("pyproject.toml", "--isolated"), "--isolated"),
    ],
)
def test_what_is_refused(codetree: Path, words: tuple[str, ...], message: str) -> None:
    done = governor(codetree, "schema-version", *words)
    assert (done.returncode, message in done.stderr) == (2, True), done.stderr
    assert git(codetree, "status", "--porcelain").stdout == ""


def test_a_recording_behind_a_link_is_not_touched(codetree: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "94.1.2.json").write_text(OLD)
    (codetree / "docs").mkdir(exist_ok=True)
    (codetree / "docs/mcp-surface").symlink_to(outside)
    done = governor(codetree, "schema-version", "pyproject.toml")
    assert done.returncode == 2
    assert "leads through a symbolic link; nothing was written" in done.stderr
    assert [file.name for file in outside.iterdir()] == ["94.1.2.json"]
    assert (codetree / "log.md").read_text() == FILES["log.md"]
