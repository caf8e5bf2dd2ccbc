"""``make self-check``: our own server, checked as any other, over stdio and HTTP, in both protocol eras.

The configuration is that of the repository: profile ``charter``, and the rules of ``SCHEMA.md`` that do not contradict
it. A run passes with no finding of any severity, nothing accepted or suppressed, no change since the recorded surface,
and a response of every tool.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator

import pytest
from replacing import replace
from sources_page import topics as all_topics
from support import REPO, free_port, listening

from mcp_governor import check
from mcp_governor.checking.report_document import document
from mcp_governor.config import load_config
from mcp_governor.config.servers import ServerConfig
from mcp_governor.rules import LintSettings, load_catalogue
from mcp_governor.rules.run import lint
from mcp_governor.surface import load_surface

SERVE = (sys.executable, "-m", "mcp_governor", "serve")
PROTOCOLS = {"modern": "2026-07-28", "legacy": "2025-11-25"}
WITHOUT_SKILL = {
    *("skills-undecided", "policy/bump-too-small", "changelog/missing-entry", "changelog/fingerprint-stale"),
}
"""What a legacy run has to say, all of it: the SDK declares extensions in the modern era only, so it is unknown what
became of our skill, and the fingerprint of the changelog covers it."""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    address = f"127.0.0.1:{(port := free_port())}"
    with listening([*SERVE, "--http", address], port):
        yield f"http://{address}/mcp"


@pytest.mark.parametrize("era", PROTOCOLS)
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_run(transport: str, era: str, request: pytest.FixtureRequest) -> None:
    if transport == "stdio":
        server = ServerConfig("own", command=SERVE, era=era)
    else:
        server = ServerConfig("own", url=request.getfixturevalue("url"), transport="http", era=era)
    config = load_config(start=REPO)
    report = document(check(replace(config, target="own", servers={**config.servers, "own": server})))
    found = [one["rule"] for one in report["findings"]] + [one["kind"] for one in report["changes"]]
    assert set(found) == (WITHOUT_SKILL if era == "legacy" else set()), found
    assert report["verdict"] == ("fail" if era == "legacy" else "pass")
    assert report["server"]["protocol"] == PROTOCOLS[era]
    assert report["baseline"] is not None
    summary, recorded = report["summary"], json.loads((REPO / "mcp-surface.json").read_text("utf-8"))
    assert summary["tools"] == report["calls"]["seen"] == len(recorded["tools"]) == 8
    assert summary["good_calls"]["tools_without_success"] == []
    assert summary["accepted"] == 0


def test_nothing_is_suppressed() -> None:
    """Rules that are off have their reason there."""
    config = load_config(start=REPO)
    own = config.lint
    assert not (config.accept)
    assert not (own.per_tool_ignores)
    assert not (own.baseline)
    assert not (own.severity)
    assert not (own.options)
    assert [one for one in own.ignore if isinstance(one, str) or not one.reason] == []


def off() -> list[str]:
    """The rules that the configuration turns off."""
    return [one.rule for one in load_config(start=REPO).lint.ignore]


def test_only_rules_that_contradict_the_charter_are_off() -> None:
    sides = {topic["name"]: topic.get("side") for topic in all_topics()}
    rules = {rule.id: rule for rule in load_catalogue()}
    for name in off():
        stance = rules[name].stance
        if name == "schema-md/no-map":
            assert stance is None
            continue
        chosen = [side["choice"] for side in sides[stance.topic] if "charter" in side["profiles"]]
        assert chosen
        assert stance.choice not in chosen


def test_of_free_form_maps_there_are_only_those_of_the_charter() -> None:
    found = lint(load_surface(REPO / "mcp-surface.json"), LintSettings(select=("schema-md/no-map",)))
    assert {one.path.split("/")[-3] for one in found} == {"suggested_args", "observed_in"}
