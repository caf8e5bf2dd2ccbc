"""Corrections of every rule's examples, and of servers that others wrote."""

from __future__ import annotations

import copy
import json
import sys
from pathlib import Path

import pytest
from linted import linted

from mcp_governor.fixes.plan import make_plan
from mcp_governor.rules import LintSettings, load_catalogue, select
from mcp_governor.surface import build_surface

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

pytestmark = pytest.mark.usefixtures("unhurried")

# -- the examples of every rule

CATALOGUE = load_catalogue(entry_points=False)
EXAMPLES = [(rule, example) for rule in CATALOGUE if rule.station == "lint" for example in rule.fails]


def test_every_correction_of_every_rule_does_what_it_says():
    """Each failing example of each rule is its test: what has a correction is gone after it, or left out aloud."""
    corrected: dict[str, int] = {}
    for rule, example in EXAMPLES:
        surface = build_surface(example.recording())
        options = {rule.id: example.options} if example.options else {}
        chosen = select(LintSettings(select=(rule.id,), options=options), CATALOGUE)
        found = [one for one in linted(surface, chosen) if one.rule == rule.id]
        plan = make_plan(surface, chosen, found)
        for finding in found:
            if finding.correction is None:
                continue
            left_out = [one.reason for one in plan.withheld if one.finding.id == finding.id]
            assert finding in plan.fixed or left_out, (rule.id, finding)
            corrected[rule.id] = corrected.get(rule.id, 0) + (finding in plan.fixed)
        assert plan.brought == (), rule.id
        for fix in plan.fixes:
            assert fix.effect.value == "narrower" or fix.proof.verdict in ("same", "wider", "no-schema"), rule.id
    assert [rule for rule, fixed in corrected.items() if not fixed] == []
    assert {"clarity/closed-list", "clients/openai-properties", "schema-md/no-default", "surface/open-output"} <= set(
        corrected
    )


# -- servers that others wrote


def _applied(surface, plan):
    """The surface after the JSON Patches of the plan, carried out here and not by the planner."""
    tools = {one["name"]: one for one in copy.deepcopy(list(surface.entries))}
    for fix in plan.fixes:
        for operation in fix.patch:
            holder = tools[fix.tool]
            *way, last = [part.replace("~1", "/").replace("~0", "~") for part in operation["path"].split("/")[1:]]
            for part in way:
                holder = holder[int(part)] if isinstance(holder, list) else holder[part]
            assert (last in holder) is (operation["op"] != "add")
            if operation["op"] == "remove":
                del holder[last]
            else:
                holder[last] = operation["value"]
    return list(tools.values())


def _free_servers():
    from quality_corpus import CORPUS, QUALITY, releases

    if not CORPUS.is_dir():
        pytest.skip("NOT MEASURED: the recorded servers (../shared/corpus) are not here")
    servers = json.loads((QUALITY / "recall" / "servers.json").read_text())
    held = {one["server"] for one in servers if one["split"] == "held"}
    return [release for release in releases() if release.server not in held]


_WHOLE = frozenset({"clients/list-tokens", "surface/token-growth"})
"""Rules about all tools together: any fix that adds a word may push the list over a limit, and lists of values that
stood in prose can be compared once they are enums."""


@pytest.mark.parametrize("profile", ["recommended", "schema-md", "omni", "surface"])
def test_real_servers_keep_their_other_findings_and_lose_those_that_are_fixed(profile):
    # The profiles besides recommended are about style: every third server is enough.
    servers = _free_servers()[:: 1 if profile == "recommended" else 3]
    chosen = select(LintSettings(profiles=(profile,)), load_catalogue(entry_points=False))
    fixed = 0
    for release in servers:
        surface = release.surface
        found = linted(surface, chosen)
        plan = make_plan(surface, chosen, found)
        applied = _applied(surface, plan)
        # What has the same tools has the same findings, and a second run would take as long as the rest.
        assert json.dumps(applied) == json.dumps(list(plan.surface.entries)), release.server
        left = linted(build_surface({**release.raw, "tools": applied}), chosen)
        assert not {one.id for one in plan.fixed} & {one.id for one in left}, release.server
        # What is left was there before: a rule with one finding about many places may have fewer of them.
        known = {one.id for one in found} | {one.rule for one in plan.partly}
        new = [one for one in left if one.id not in known and one.rule not in known]
        new = [one for one in new if not _stays(one, found)]
        assert {one.rule for one in new} <= _WHOLE, (release.server, [one.id for one in new])
        assert {one.rule for one in plan.brought} <= _WHOLE
        for fix in plan.fixes:
            assert fix.proof.verdict != "unknown", (release.server, fix.tool, fix.fragment)
            if fix.effect.value != "narrower":
                assert fix.proof.verdict in ("same", "wider", "accepts-all", "no-schema"), (release.server, fix)
        fixed += len(plan.fixed)
    assert fixed > len(servers) // 2


def _stays(finding, before):
    """Whether a finding is one of before whose value, the schema around it, a fix has changed."""
    return any((one.rule, one.tool, one.path) == (finding.rule, finding.tool, finding.path) for one in before)
