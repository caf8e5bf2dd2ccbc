"""A maintainer's first hour and two releases, on real servers of PyPI and npm, by what the screen says.

init → green → a reworded description → a new argument → draft → release → tag → a fresh clone is green → a break,
released as well.

The page ``docs/guides/releases.md`` is this journey on the FastMCP server, and ``test_pages_followed.py`` types each of
its lines and compares each screen. A second run of it here would start that server, the slowest, 18 times more.
"""

from __future__ import annotations

import re

import pytest
from journeys import Project, checkout, figures
from pages import Edited, Typed, steps
from replacing import replace
from servers_of_journeys import SERVERS, Cycle, Edit, Server
from support import REPO

CHANGELOG = "docs/mcp-schema-changelog.md"
CONFIG = "mcp-governor.toml"
REASON = "announced to every client in October"
VERSION_FINDINGS = ("policy/bump-too-small", "changelog/fingerprint-stale", "changelog/version-mismatch")


ON_ITS_PAGE = "fastmcp"


@pytest.mark.live
@pytest.mark.parametrize("kind", [kind for kind in SERVERS if kind != ON_ITS_PAGE])
def test_the_first_hour_and_two_releases(kind: str, tmp_path) -> None:
    server = SERVERS[kind]
    project = checkout(tmp_path / server.name, server.package, tag=f"v{server.package.version}", env=server.env)
    begins(project, server)
    rewords(project, server)
    version = server.package.version
    for cycle in server.cycles:
        changes(project, server, cycle, version)
        releases(project, server, cycle, version)
        version = cycle.version
    # Shown with pytest -rP: the figures of docs/project/benchmarks.md.
    print(kind, figures(project.typed))


def test_the_page_of_releases_is_the_journey_of_the_fastmcp_server() -> None:
    """The same edits in the same order, and between them what a maintainer types."""
    page = (REPO / "docs" / "guides" / "releases.md").read_text("utf-8")
    _, began, rest = page.partition(f"<!-- journey: {ON_ITS_PAGE} -->")
    assert began
    done = list(steps(rest.partition("<!-- journey:")[0]))
    server = SERVERS[ON_ITS_PAGE]
    first, second = server.cycles
    wanted: list[str | Edit] = ["init", server.wording, "check"]
    wanted += [first.edit, "check", "changelog draft", "check", f"changelog release {first.version}", *first.stated]
    wanted += [f"changelog release {first.version}", f"git tag v{first.version}", "clone", "check"]
    wanted += [second.edit, "check", "changelog draft", "changelog release", "git tag", "check"]
    following = iter(done)
    for one in wanted:
        assert any(_is(step, one) for step in following), f"{one} is not on the page after what comes before it"
    screens = "\n".join(line for step in done if isinstance(step, Typed) for line in step.screen or ())
    assert f"Found the server {server.name} in pyproject.toml: {server.tools} tools." in screens
    assert server.reason in screens
    assert first.entry in screens
    for cycle in server.cycles:
        assert cycle.rule in screens
        assert cycle.pending in screens
    for name in VERSION_FINDINGS:
        assert name not in screens


def _is(step: object, wanted: str | Edit) -> bool:
    if isinstance(wanted, str):
        return isinstance(step, Typed) and wanted in step.command
    # The page shows whole lines.
    return isinstance(step, Edited) and step.file == wanted.file and wanted.new in step.new and wanted.old in step.old


def begins(project: Project, server: Server) -> None:
    """One command finds the server and its version; the next one is green."""
    given = [word for name in server.env for word in ("--env", name)]
    if given:
        alone = replace(project, env={}).governor("init").failed(3)
        alone.says(f"mcp-governor init {' '.join(given)}")
    init = project.governor("init", *given).passed()
    init.says(f"Found the server {server.name}", f"{server.tools} tools", server.reason)
    config = project.read(CONFIG)
    assert f'schema-version = "{server.source}"' in config
    assert 'gate = "release"' in config
    for value in server.env.values():
        assert value not in config + project.read("mcp-surface.json") + init.text
    assert f"## {server.package.version} (current)" in project.read(CHANGELOG)
    green(project)
    project.commit("Govern the MCP surface")


def green(project: Project, **env: str) -> None:
    """`check` passes without a word about version or changelog."""
    check = project.governor("check", **env).passed().is_silent_about(*VERSION_FINDINGS, "not a semantic version")
    assert check.last == "PASS"


def rewords(project: Project, server: Server) -> None:
    """A pull request that rewords a description is green without ceremony."""
    edit(project, server.wording)
    check = project.governor("check").passed().is_silent_about(*VERSION_FINDINGS)
    check.says("1 wording change", f" {server.package.version} (reports ")
    project.commit("Reword a description")


def changes(project: Project, server: Server, cycle: Cycle, version: str) -> None:
    """A pull request that changes the contract asks for one thing, an entry; `draft` writes it."""
    edit(project, cycle.edit)
    check = project.governor("check").failed().is_silent_about(*VERSION_FINDINGS)
    check.says(cycle.rule, "changelog/missing-entry", "mcp-governor changelog draft")
    released = project.read(CHANGELOG).partition(f"## {version}")[2]
    draft = project.governor("changelog", "draft").passed()
    draft.says("1 entry drafted under Unreleased", "When you release: mcp-governor changelog release")
    reported = project.read(CHANGELOG)
    unreleased, _, below = reported.partition(f"## {version}")
    assert below == released, "a released section stays as it is"
    assert cycle.entry in unreleased.partition("## Unreleased")[2].splitlines()
    if cycle.accepted:
        accepts(project, cycle.accepted)
    check = project.governor("check").passed().is_silent_about(*VERSION_FINDINGS)
    check.says(cycle.pending)
    project.commit("Change the contract")


def accepts(project: Project, rule: str) -> None:
    """A finding is accepted by the id that the report shows, with a reason."""
    report = project.governor("check", "-v").failed()
    found = re.search(rf"^ +id: ({rule}:.+)$", report.text, re.MULTILINE)
    assert found, str(report)
    project.governor("accept", found[1], "--reason", REASON).passed()
    project.governor("check").passed().says("1 accepted")
    project.governor("check", "-v").passed().says(f"accepted: {REASON}")


def releases(project: Project, server: Server, cycle: Cycle, version: str) -> None:
    """A release is one edit and one command; before the edit, the command says which."""
    early = project.governor("changelog", "release", cycle.version).failed(2)
    early.says(f"{server.place} still says {version}", f"set it to {cycle.version}")
    for stated in cycle.stated:
        edit(project, stated)
    released = project.governor("changelog", "release", cycle.version).passed()
    released.says(f"tag the commit v{cycle.version}")
    text = project.read(CHANGELOG)
    assert f"## {cycle.version} (current)" in text
    assert "## Unreleased" not in text
    if cycle.accepted:
        released.says("1 acceptance is marked as released")
    project.governor("check", "--release").passed()
    project.commit(f"Release {cycle.version}", tag=f"v{cycle.version}")
    green(project)
    # The build of the tag. A second clone would install the same again, which takes longer than all the rest.
    built = project.clone(f"v{cycle.version}") if cycle is server.cycles[0] else project
    green(built, GITHUB_REF_TYPE="tag", GITHUB_REF_NAME=f"v{cycle.version}")


def edit(project: Project, made: object) -> None:
    project.edit(made.file, made.old, made.new)
