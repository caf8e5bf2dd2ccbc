"""The names that ``mcp_governor`` promises (README.md, From Python), and what importing them costs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import mcp_governor
from mcp_governor import Change, Finding, GovernorError, Report, Surface
from mcp_governor.demo.server import RELEASES

PROMISED = ("check", "compare", "fingerprint", "lint", "load_surface", "read_surface", "validate_response")
TOOLS = [{"name": "find", "description": "Finds.", "inputSchema": {"type": "object"}}]
STATIONS = ("call", "change", "checking", "config", "containment", "findings", "surface", "server", "cli", "report")


@pytest.fixture
def files(tmp_path: Path, monkeypatch) -> tuple[Path, Path]:
    monkeypatch.chdir(tmp_path)
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    handshake = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}}
    old.write_text(json.dumps({**RELEASES[1], **handshake}))
    new.write_text(json.dumps({**RELEASES[2], **handshake}))
    return old, new


def test_what_is_promised_does_what_it_says(files: tuple[Path, Path]) -> None:
    old, new = (mcp_governor.load_surface(file) for file in files)
    assert isinstance(old, Surface)
    assert mcp_governor.read_surface(str(files[0])) == mcp_governor.read_surface(files[0])
    assert mcp_governor.fingerprint(old).startswith("v1:sha256:")
    changes = mcp_governor.compare(old, new)
    assert {type(change) for change in changes} == {Change}
    [breaking] = [change for change in changes if change.verdict == "breaking"]
    assert (breaking.kind, breaking.bump, breaking.side) == ("argument-required", "major", "input")
    assert mcp_governor.compare(old, new, level="strict")
    report = mcp_governor.check(new, against=str(files[0]))
    assert isinstance(report, Report)
    assert (report.verdict, report.required_bump) == ("fail", "major")
    assert all(isinstance(finding, Finding) for finding in report.findings)
    with pytest.raises(GovernorError) as caught:
        mcp_governor.read_surface("gone.json")
    assert caught.value.exit_code == 2


def test_contains_answers_with_a_witness() -> None:
    answer = mcp_governor.contains({"type": "integer"}, {"type": "number"})
    assert answer.verdict == "no"
    assert not isinstance(answer.witness, int)
    assert mcp_governor.contains({"type": "number"}, {"type": "integer"}, deadline=2.0).verdict == "yes"


def test_responses_are_validated() -> None:
    good = {"content": [{"type": "text", "text": "done"}]}
    assert mcp_governor.validate_response(good, profile="recommended") == []
    found = mcp_governor.validate_response({"content": "done"})
    assert found
    assert {type(finding) for finding in found} == {Finding}


def run(code: str, *flags: str, cwd: Path | None = None) -> str:
    done = subprocess.run(
        [sys.executable, *flags, "-c", code], capture_output=True, text=True, check=False, timeout=60, cwd=cwd
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


USE = f"""
tools = {TOOLS!r}
from mcp_governor.surface import build_surface
surface = build_surface({{"tools": tools}})
for name in {PROMISED!r}:
    assert callable(getattr(mcp_governor, name)), f"mcp_governor.{{name}} is {{getattr(mcp_governor, name)!r}}"
from mcp_governor import check, compare, fingerprint, lint, load_surface, read_surface, validate_response
assert all(map(callable, (check, compare, fingerprint, lint, load_surface, read_surface, validate_response)))
assert any(finding.tool == "find" for finding in lint(surface))
"""


@pytest.mark.parametrize(
    "first",
    [
        "import " + ", ".join(f"mcp_governor.{station}" for station in STATIONS),
        "from mcp_governor import lint; import mcp_governor",
        # After the run of every station.
        "import mcp_governor; from mcp_governor.cli import run; run(['check', 'old.json', '--against', 'old.json'])",
    ],
    ids=["stations", "lint", "check"],
)
def test_every_name_is_a_function_in_whatever_order_things_are_imported(files, first: str) -> None:
    """A submodule of the same name must not take a function's place once it is imported."""
    run(f"{first}\n{USE}", cwd=files[0].parent)


def test_the_package_names_what_it_offers() -> None:
    assert set(PROMISED) <= set(mcp_governor.__all__) == set(dir(mcp_governor))
    for name in mcp_governor.__all__:
        getattr(mcp_governor, name)
    with pytest.raises(AttributeError, match="no attribute 'chek'"):
        mcp_governor.chek  # noqa: B018


HEAVY = (
    *("mcp", "mcp_types", "fastmcp", "pydantic", "rich", "httpx2", "httpx", "markdown_it", "jsonschema", "anyio"),
    *("asyncio", "tomlkit"),
)
# A process that says at its end which of them it loaded, and writes nothing else there.
DUMP = f"""
import atexit, os, sys
heavy = {HEAVY!r}
atexit.register(lambda: open(os.environ["LOADED"], "w").write(" ".join(n for n in heavy if n in sys.modules)))
from mcp_governor.cli import run
sys.exit(run(sys.argv[1:]))
"""


def loaded(folder: Path, *arguments: str, code: int = 0) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", DUMP, *arguments],
        cwd=folder,
        env={**os.environ, "LOADED": str(folder / "loaded")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return set((folder / "loaded").read_text().split())


def test_importing_the_package_loads_nothing_else() -> None:
    code = (
        f"import sys, mcp_governor; print(*[n for n in sys.modules if n.split('.')[0] in {('mcp_governor', *HEAVY)}])"
    )
    assert set(run(code).split()) == {"mcp_governor", "mcp_governor._version", "mcp_governor.lazy"}


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("--version", 0),
        ("--help", 0),
        ("fingerprint old.json", 0),
        ("diff old.json old.json", 0),
        ("snapshot old.json -o copy.json", 0),
        ("lint old.json", 0),
        ("check old.json --against old.json", 0),
        ("check old.json --against old.json --format json", 0),
    ],
)
def test_light_paths_stay_light(files, line: str, code: int) -> None:
    assert loaded(files[0].parent, *line.split(), code=code) == set()


def test_a_live_check_stays_light(files) -> None:
    server = ("--", sys.executable, "-m", "mcp_governor.demo.server")
    assert loaded(files[0].parent, "check", "--against", "old.json", *server) == set()


def test_a_witness_costs_its_second_opinion_and_a_changelog_its_parser(files) -> None:
    folder = files[0].parent
    assert "jsonschema" in loaded(folder, "diff", "old.json", "new.json", code=1)
    assert loaded(folder, "diff", "old.json", "new.json", code=1) <= {"jsonschema", "asyncio"}
    (folder / "changes.md").write_text("# Changelog\n\n## 1.0.0 (current)\n")
    (folder / "mcp-governor.toml").write_text('changelog = "changes.md"\n')
    assert loaded(folder, "check", "old.json", "--against", "old.json", code=1) <= {"markdown_it"}


def test_style_costs_rich_only_where_it_is_wanted(files) -> None:
    line = ["diff", "old.json", "old.json"]
    assert "rich" not in loaded(files[0].parent, *line)
    assert "rich" in loaded(files[0].parent, *line, "--color", "always")


def test_lint_takes_a_profile_by_name() -> None:
    import mcp_governor
    from mcp_governor.surface import build_surface

    schema = {"type": "object"}
    tools = [{"name": "get_book", "description": "Returns the book that has this ISBN.", "inputSchema": schema}]
    rules = {found.rule for found in mcp_governor.lint(build_surface({"tools": tools}), profile="charter")}
    assert {"charter/use-this-when", "charter/disambiguation"} <= rules
    assert "charter/composition" not in rules, "one tool alone has nothing to be composed with"
    assert "charter/length" not in rules
    assert not {rule for rule in rules if rule.startswith("clarity/")}
