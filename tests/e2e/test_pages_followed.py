"""The guide and the first lines of README.md, followed by a reader who types everything that they say."""

from __future__ import annotations

import re
import subprocess

import pytest
from journeys import SECONDS, Project, checkout, environment
from pages import Begun, Edited, Typed, shows, steps
from servers_of_journeys import SERVERS
from support import REPO

from mcp_governor.installation import SOURCE

GUIDE = REPO / "docs" / "guide.md"


def sections() -> list[tuple[str, list[Typed | Edited]]]:
    """Each section of the guide that has a server of its own: its name, and what is done to it."""
    found: list[tuple[str, list[Typed | Edited]]] = []
    for step in steps(GUIDE.read_text("utf-8")):
        if isinstance(step, Begun):
            found.append((step.name, []))
        else:
            assert found, f"line {step.line}: no journey has begun"
            found[-1][1].append(step)
    return found


@pytest.mark.live
@pytest.mark.parametrize(("name", "done"), sections())
def test_the_guide_can_be_followed(name: str, done: list[Typed | Edited], tmp_path) -> None:
    server = SERVERS[name]
    project = checkout(tmp_path / server.name, server.package, tag=f"v{server.package.version}")
    follow(project, done)


@pytest.mark.live
def test_the_first_lines_of_the_readme_need_no_set_up(tmp_path) -> None:
    server = SERVERS["fastmcp"]
    first, *_ = re.findall(r"```console\n(.*?)```", (REPO / "README.md").read_text("utf-8"), re.DOTALL)
    lines = (
        first.replace("NAME", f"{server.package.name}=={server.package.version}:codetree")
        .replace("my-server", server.command)
        .splitlines()
    )
    project = checkout(tmp_path / server.name, server.package, tag=f"v{server.package.version}")
    same, gate = (types(project, line) for line in lines)
    assert "no changes" in same.stdout
    assert same.returncode == gate.returncode == 0, same.stdout + gate.stdout
    project.edit(server.wording.file, server.wording.old, server.wording.new)
    breaking = server.cycles[1]
    project.edit(breaking.edit.file, breaking.edit.old, breaking.edit.new)
    reported, gate = (types(project, line) for line in lines)
    assert reported.returncode == gate.returncode == 1
    for seen in (reported, gate):
        assert "✗ required-argument-added  find_references /inputSchema/properties/directory" in seen.stdout
        assert 'valid before, invalid now: {"symbol_name": ""}' in seen.stdout
    assert "changelog/" not in gate.stdout
    assert "clarity/" not in gate.stdout
    assert project.git("status", "--porcelain").split() == ["M", server.wording.file], "nothing is written"


def follow(project: Project, done: list[Typed | Edited]) -> None:
    env: dict[str, str] = {}
    for step in done:
        if isinstance(step, Edited):
            project.edit(step.file, step.old, step.new)
        elif exported := re.fullmatch(r"export (\w+)=(.*)", step.command):
            env[exported[1]] = exported[2]
        else:
            shown(project, step, env)


def shown(project: Project, step: Typed, env: dict[str, str]) -> None:
    """Type a command of the guide; the screen is the one of the page."""
    done = types(project, step.command, env)
    seen = f"line {step.line}: $ {step.command}\n{done.stdout}(exit code {done.returncode})"
    assert (done.returncode != 0) == step.fails, seen
    assert shows(step.screen, done.stdout), f"{seen}\n\nthe page says:\n" + "\n".join(step.screen)


def types(project: Project, command: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Type a line into a shell; where the pages speak of a clone of this repository, it is this one."""
    return subprocess.run(
        ["bash", "-c", command.replace(SOURCE, str(REPO)) if SOURCE.startswith("/") else command],
        cwd=project.root,
        env=environment(env or {}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )


@pytest.mark.parametrize(
    ("screen", "text", "same"),
    [
        (("a", "b"), "a\nb\n", True),
        (("a", "b"), "a\nx\nb\n", False),
        (("a", "…", "b"), "a\nb\n", True),
        (("a", "…", "b"), "a\nx\ny\nb\n", True),
        (("a", "…"), "a\n", True),
        (("a …, 1.2 s",), "a lot, 1.2 s\n", True),
        (("a … z",), "a\nz\n", False),
        (("a.c",), "abc\n", False),
        ((), "", True),
        ((), "a\n", False),
    ],
)
def test_a_screen_with_gaps(screen: tuple[str, ...], text: str, same: bool) -> None:
    assert shows(screen, text) == same


@pytest.mark.parametrize(
    "page", ["```toml\na = 1\n```\n", "```\n$ a\n```\n", "```console\nmcp-governor check\n```\n", "```diff\n+a\n```\n"]
)
def test_a_block_that_cannot_be_followed_is_refused(page: str) -> None:
    with pytest.raises(ValueError, match="line 1"):
        steps(page)


def test_a_page_is_read() -> None:
    page = "text\n<!-- journey: sdk -->\n```console\n$ a\nb\nFAIL\n$ c\n```\n```diff\n--- f.py\n x\n-y\n+z\n```\n"
    begun, first, second, edited = steps(page)
    assert begun == Begun(2, "sdk")
    assert (first, second) == (Typed(4, "a", ("b", "FAIL")), Typed(7, "c", ()))
    assert isinstance(first, Typed)
    assert first.fails
    assert edited == Edited(9, "f.py", "x\ny\n", "x\nz\n")
