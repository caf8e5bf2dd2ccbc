"""What becomes of acceptances at a release, by the commands and in a git repository."""

from __future__ import annotations

from pathlib import Path

import pytest
from living import GATE, Released, accept_all


@pytest.mark.parametrize("gate", ["", GATE])
def test_an_acceptance_is_retired_by_the_release_that_needed_it(tmp_path: Path, gate: str) -> None:
    (tmp_path / "repository").mkdir()
    life = Released(tmp_path / "repository", config="# why we accept\n" + gate)
    life.go_on()
    del life.tools["find"]
    life.version = "2.0.0"
    life.passes("changelog", "draft", "--for", "2.0.0")
    path = life.path
    path.write_text(life.log.replace("REPLACEMENT", "search"))
    accepted = accept_all(life)
    assert accepted, "a tool that goes without a deprecation is a finding"
    life.passes("check", "--release")
    reported = life.passes("changelog", "release", "2.0.0")
    assert "mcp-governor.toml: 1 acceptance is marked as released.\n" in reported
    assert life.config.count('released = "2.0.0"') == len(accepted) == 1
    assert "# why we accept\n" in life.config
    assert 'reason = "agreed with the only client"\nreleased = "2.0.0"\n' in life.config
    life.passes("check", "--release")
    life.commit("release 2.0.0")
    life.passes("check")
    life.git("tag", "v2.0.0")
    life.passes("check")
    fresh = life.clone(tmp_path / "clone", "v2.0.0")
    for arguments in (("check",), ("check", "--offline"), ("check", "--against", "git:v1.2.0:mcp-surface.json")):
        assert fresh.run(*arguments).code == 0, fresh.run(*arguments).out
    life.go_on()
    life.passes("check")
    life.passes("check", "--offline")
    # the same break done again is a new one
    life.tool("find", "query")
    life.version = "2.1.0"
    life.passes("changelog", "draft", "--for", "2.1.0")
    life.passes("changelog", "release", "2.1.0")
    life.tagged("2.1.0")
    life.go_on()
    del life.tools["find"]
    life.version = "3.0.0"
    life.passes("changelog", "draft", "--for", "3.0.0")
    path.write_text(life.log.replace("REPLACEMENT", "search"))
    assert life.run("check", "--release").code == 1


def test_an_acceptance_that_is_still_needed_stays(tmp_path: Path) -> None:
    life = Released(tmp_path)
    life.go_on()
    life.tool("search", "query", "limit", description="Searches.")
    rule = next(f for f in life.run("check", "--format", "json").report["findings"] if f["rule"].startswith("clarity/"))
    life.passes("accept", rule["id"], "--reason", "short on purpose")
    life.version = "1.3.0"
    life.passes("changelog", "draft")
    assert "marked as released" not in life.passes("changelog", "release", "1.3.0")
    assert "released =" not in life.config
    life.tagged("1.3.0")
    assert "accepted: short on purpose" in life.passes("check", "-v")


def test_a_release_by_hand_retires_nothing_and_turns_nothing_red(tmp_path: Path) -> None:
    life = Released(tmp_path)
    life.go_on()
    del life.tools["find"]
    life.version = "2.0.0"
    life.passes("changelog", "draft")
    path = life.path
    path.write_text(life.log.replace("REPLACEMENT", "search"))
    accept_all(life)
    life.passes("check")
    life.passes("snapshot", "-o", "mcp-surface.json")
    life.tagged("2.0.0")
    life.passes("check")
    life.go_on()
    reported = life.passes("check", "-v")
    assert "v2.0.0 was released with the acceptance of policy/removed-undeprecated" in reported
    fresh = life.clone(tmp_path.parent / f"{tmp_path.name}-clone", "v2.0.0")
    assert fresh.run("check").code == 0
