"""The names that ``mcp_governor`` promises (README.md, From Python), and what importing them costs."""

from __future__ import annotations

import json
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


def test_importing_the_package_loads_nothing_else() -> None:
    code = "import sys; before = set(sys.modules); import mcp_governor; print(*sys.modules.keys() - before)"
    ours = {"mcp_governor", "mcp_governor._version", "mcp_governor.lazy"}
    assert {name for name in run(code).split() if name.partition(".")[0] not in sys.stdlib_module_names} == ours


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
