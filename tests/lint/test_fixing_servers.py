"""Corrections of every rule's examples, and of servers that others wrote."""

from __future__ import annotations

import copy
import json

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from linted import hint_groups, linted

from mcp_governor.findings import Correction, Edit, Effect, Finding, Severity
from mcp_governor.fixes.plan import make_plan
from mcp_governor.rules import LintSettings, load_catalogue, select
from mcp_governor.surface import build_surface

pytestmark = pytest.mark.usefixtures("unhurried")

# -- the examples of every rule

_BOUNDS = (
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
)


def _tool(name, description, required=(), **properties):
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return {"name": name, "description": description, "inputSchema": schema}


def _text(description, **more):
    return {"type": "string", "description": description, **more}


READS = {"get_app", "find_book", "list_spaces", "list_rules"}
"""Of the cases, the tools that do only read."""
HARMFUL = [
    # A hint that only half of the words support.
    _tool(
        "inbox",
        "Return the messages of an agent.",
        drop={"type": "boolean", "description": "Remove them after reading."},
    ),
    _tool(
        "get_queue",
        "Gets the queue.",
        auto_ack={"type": "boolean", "description": "If true, delete messages after returning them"},
    ),
    _tool("read_log", "Reads the log.", clear={"type": "boolean"}),
    _tool("list_mail", "Lists the mail.", keep=_text("Days after which entries are deleted")),
    _tool(
        "explain",
        "Show the plan of a statement.",
        sql=_text("Statement."),
        analyze={"type": "boolean", "description": "Run EXPLAIN ANALYZE."},
    ),
    _tool(
        "show_plan",
        "Show the plan of a statement.",
        run={"type": "boolean", "description": "Execute the statement to time it."},
    ),
    _tool("tidy", "Tidies the mailbox: entries past an age are removed for good."),
    _tool("run_apex", f"{'Explain first what the code does. ' * 20}", code=_text("Source.")),
    _tool("get_page", "Get a page.", action=_text("What to do.", enum=["read", "delete"])),
    # A form that a name or one example has.
    _tool("get_app", "Return an application.", ["app_uuid"], app_uuid=_text("Application UUID")),
    _tool("find_book", "Find books. The ISBN is given in the form 978-0-000-00000-0.", isbn=_text("ISBN of the book.")),
    _tool(
        "list_spaces", "List name spaces.", selector=_text("Selector such as 'metadata.name=default', 'phase=Active'.")
    ),
    _tool(
        "list_rules",
        "List rules.",
        include={"type": "array", "items": {"type": "string"}, "description": "What to add (e.g. services, teams)."},
    ),
    _tool("get_app", "Return an application.", key=_text("A 24-character id, such as 'a1b2c3d4e5f6a1b2c3d4e5f6'.")),
    _tool("get_app", "Return an application.", when=_text("Date in the format YYYY-MM-DD")),
    _tool("get_app", "Return an application.", x={"type": ["boolean", "string"]}, names={"type": "array", "items": {}}),
]

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
            # Of a finding about many tools, some are questions.
            assert finding in (*plan.fixed, *plan.partly) or left_out, (rule.id, finding)
            corrected[rule.id] = corrected.get(rule.id, 0) + (finding in (*plan.fixed, *plan.partly))
            assert _harms(finding) == [], rule.id
        assert plan.brought == (), rule.id
        for fix in plan.fixes:
            assert fix.effect.value == "narrower" or fix.proof.verdict in ("same", "wider", "no-schema"), rule.id
    assert [rule for rule, fixed in corrected.items() if not fixed] == []
    assert {"clarity/closed-list", "clients/openai-properties", "schema-md/no-default", "surface/open-output"} <= set(
        corrected
    )


# -- no correction does harm

EVIDENCE = {
    "clarity/closed-list": "the description lists the values",
    "clarity/limit-without-bound": "the description states the limit",
    "clarity/plain-limit": "the description states the limit",
    "spec/input-root-type": "the protocol passes objects only",
    "omni/closed-output": "the chosen profile closes every result",
    "schema-md/closed-input": "the chosen profile closes every object",
    "schema-md/closed-nested": "the chosen profile closes every object",
    "schema-md/closed-output": "the chosen profile closes every object",
}
"""Rules whose corrections may refuse what was accepted, with the reason. A form of one example, a word in a name, and
what another tool does are no evidence: then the finding asks."""
TRUST = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}
"""Hints that make a client ask less. No correction sets one."""


def _harms(finding):
    """What a correction must not do, for one finding."""
    correction = finding.correction
    if correction is None:
        return []
    harms = [edit.path for edit in correction.edits if TRUST.get(edit.path.rpartition("/")[2], ()) is edit.value]
    narrower = correction.effect.value == "narrower" and finding.rule not in EVIDENCE
    guessed = [
        edit.path for edit in correction.edits if edit.op == "set" and edit.path.endswith(("/pattern", "/format"))
    ]
    return harms + guessed + (["narrower without evidence"] if narrower else [])


def _refused(before, after):
    """Calls that a schema accepted before and refuses now, judged by another validator, with the keywords that do."""
    old, new = Draft202012Validator(before), Draft202012Validator(after)
    names = list(before.get("properties", {}))
    base = {
        name: before["properties"][name].get("default", "x") for name in names if name in before.get("required", ())
    }
    for call in ({}, base, *({**base, name: value} for name in names for value in VALUES)):
        if old.is_valid(call):
            # Of alternatives, what counts is the keyword in the one that the value has the type of.
            yield from ((call, best_match([error]).validator) for error in new.iter_errors(call))


VALUES = ("x", "", "a-b_c/d", 0, 7, -1, 10**9, 2.5, True, None, [], ["x"], {}, {"x": 1})


def test_the_harm_of_a_correction_is_seen():
    def found(*edits, effect=Effect.NEUTRAL, rule="a/b"):
        correction = Correction(tuple(Edit(path, value) for path, value in edits), effect)
        return Finding(rule, Severity.WARNING, "It is wrong.", "t", "/x", correction=correction)

    assert _harms(found(("/annotations/readOnlyHint", True))) == ["/annotations/readOnlyHint"]
    assert _harms(found(("/annotations/destructiveHint", False))) == ["/annotations/destructiveHint"]
    assert _harms(found(("/annotations/destructiveHint", True), ("/annotations/readOnlyHint", False))) == []
    assert _harms(found(("/inputSchema/properties/a/pattern", "^x$"))) == ["/inputSchema/properties/a/pattern"]
    assert _harms(found(("/inputSchema/properties/a/enum", ["x"]), effect=Effect.NARROWER)) != []
    listed = found(("/inputSchema/properties/a/enum", ["x"]), effect=Effect.NARROWER, rule="clarity/closed-list")
    assert _harms(listed) == []
    assert next(_refused({"properties": {"a": {}}}, {"properties": {"a": {"enum": ["x"]}}})) == ({"a": ""}, "enum")


@pytest.mark.parametrize("case", HARMFUL, ids=lambda case: case["name"])
def test_what_invites_a_harmful_correction_has_none(case):
    surface = build_surface({"tools": [case]})
    chosen = select(LintSettings(personas=("regular", "pedantic")), CATALOGUE)
    found = linted(surface, chosen)
    assert [harm for finding in found for harm in _harms(finding)] == []
    reads = [hint_groups(one.message).get("only read", "") for one in found if one.rule == "clarity/hints-declared"]
    assert reads == [""] or case["name"] in READS
    fixes = make_plan(surface, chosen, found).fixes
    assert [fix.fragment.pointer for fix in fixes if fix.proof.verdict == "narrower"] == []


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


KEYWORDS = dict.fromkeys(("recommended", "omni", "surface"), frozenset({"enum", *_BOUNDS, "type"})) | {
    "schema-md": frozenset({"enum", *_BOUNDS, "type", "additionalProperties"})
}
"""Keywords by which a plan may refuse a call: listed values, stated limits, and what a profile is about."""
_WHOLE = frozenset({"clarity/sibling-bound", "clients/list-tokens", "surface/token-growth"})
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
            if fix.proof.verdict == "narrower":
                assert {one.rule for one in fix.findings} & EVIDENCE.keys(), (release.server, fix)
        assert [(one.rule, harm) for one in found for harm in _harms(one)] == [], release.server
        for old, new in zip(surface.entries, applied, strict=True):
            refused = {keyword for _, keyword in _refused(old["inputSchema"], new["inputSchema"])}
            assert refused <= KEYWORDS[profile], (release.server, old["name"], refused)
        fixed += len(plan.fixed)
    assert fixed > len(servers) // 2


def _stays(finding, before):
    """Whether a finding is one of before whose value, the schema around it, a fix has changed."""
    return any((one.rule, one.tool, one.path) == (finding.rule, finding.tool, finding.path) for one in before)
