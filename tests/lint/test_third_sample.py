"""False and clumsy lines about a third and a fourth sample of drawn servers, each with the nearest case that deserves
its line."""

from __future__ import annotations

from typing import Any

import pytest
from false_alarms import STRING, findings, tool

from mcp_governor.report.finding_groups import causes


def takes(
    said: str = "", tool_says: str = "", name: str = "look", required: list[str] | None = None, **properties: Any
) -> dict[str, Any]:
    """A tool with one described parameter ``x``, or with these, all of them required unless the list says so."""
    declared = properties or {"x": {**STRING, "description": said}}
    return tool(
        name,
        tool_says,
        inputSchema={
            "type": "object",
            "properties": declared,
            "required": list(declared) if required is None else required,
        },
    )


def described(**texts: str) -> dict[str, Any]:
    return {name: {**STRING, "description": text} for name, text in texts.items()}


JSON_TEXT = "The {} as a JSON string."
EPOCH = {"type": "integer"}
KEYS = "40=Return, 42=Backspace, 44=Space, 41=Escape"


@pytest.mark.parametrize(
    ("rule", "innocent", "guilty"),
    [
        (
            "clarity/parameter-described",
            takes(**described(credential_json=JSON_TEXT.format("credential"))),
            takes(**described(layout_json=JSON_TEXT.format("layout"))),
        ),
        (
            "clarity/prose-required",
            takes(required=[], **described(bundle="Bundle. iOS only, required.")),
            takes(required=[], **described(bundle="Bundle. Required.")),
        ),
        (
            "clarity/closed-list",
            takes(keycode={"type": "number", "description": f"iOS: {KEYS}. Android: 4=Back, 66=Enter."}),
            takes(keycode={"type": "number", "description": f"iOS: {KEYS}."}),
        ),
        (
            "clarity/parameter-described",
            takes(**described(fontStyle="Style of it", hostScope="Scope of it")),
            takes(**described(lineStyle="Style of it")),
        ),
        (
            "clarity/closed-list",
            takes('Section kind: "basics", "work", "meta.customField".'),
            takes('Section kind: "basics", "work", "meta.field".'),
        ),
        (
            "clarity/missing-unit",
            takes(last_epoch={**EPOCH, "description": "Highest epoch of the authority that was seen"}),
            takes(last_epoch={**EPOCH, "description": "Time of the last one"}),
        ),
        (
            "clarity/closed-list",
            takes("Priority label or numeric ID (0=not set, 1=high, 2=low)"),
            takes("Priority (0=not set, 1=high, 2=low)"),
        ),
        (
            "clarity/closed-list",
            takes('Sort order as "+METRIC" (ascending) or "-METRIC" (descending)'),
            takes('Sort order: "ASCENDING" or "DESCENDING"'),
        ),
    ],
)
def test_a_repaired_rule_is_quiet_there_and_speaks_here(
    rule: str, innocent: dict[str, Any], guilty: dict[str, Any]
) -> None:
    # Some rules are about what several tools take.
    def count(one: dict[str, Any]) -> int:
        return len(findings(rule, one, {**one, "name": "see"}))

    assert count(innocent) == 0
    assert count(guilty) > 0


def test_the_values_of_the_parameter_that_chooses_and_conditions_are_no_list() -> None:
    action = {"type": "string", "enum": ["add_path", "remove_path", "list"]}

    def listed(said: str) -> bool:
        one = takes(name="edit", action=action, group={"type": "string", "description": said})
        return findings("clarity/closed-list", one) != []

    assert not listed('action:"add_path" / "remove_path" — top-level group to edit.')
    assert listed('Kind of group: "inner" / "outer" — as it stands in the file.')
    assert not listed("Predicates, ANDed: 'cfg>7', 'name=euler', 'text~sunset'.")


def example(name: str, said: str, *, wrapped: bool) -> dict[str, Any]:
    inner = {"type": "object", "properties": {"gene": STRING}, "required": ["gene"]}
    return tool(name, said, inputSchema={**inner, "properties": {"params": inner}} if wrapped else inner)


def test_a_verb_alone_makes_no_tool_the_one_that_is_meant() -> None:
    names = ("qase_run_upsert", "qase_case_upsert", "qase_case_get")
    tools = [tool(name, "For steps, use qase_shared_step_upsert." if at else "") for at, name in enumerate(names)]
    assert {one.gist for one in findings("clarity/unknown-tool", *tools)} == {
        "qase_case_upsert names qase_shared_step_upsert",
        "qase_case_get names qase_shared_step_upsert",
    }
    tools[0]["name"] = "qase_step_upsert"
    assert "not qase_step_upsert" in findings("clarity/unknown-tool", *tools)[0].gist


def test_of_tools_that_read_the_surest_are_named() -> None:
    unsure = [tool(f"query_{thing}", "Query it.") for thing in "abcdef"]
    (one,) = findings("clarity/hints-declared", *unsure, tool("get_a", "Get it."), tool("list_b", "List them."))
    assert one.message.endswith("only read: get_a, list_b, query_a, query_b, query_c, query_d and 2 more.")


def test_examples_of_many_tools_are_one_line() -> None:
    tools = [example(f"find_{end}", f"Example: find_{end}(gene='A')", wrapped=True) for end in "abcde"]
    (line,) = causes(findings("clarity/example-fits", *tools))
    assert line.sentence == (
        "Examples do not match the schemas: find_a: gene is not declared in find_a(gene='A'); "
        "also in 4 more tools: find_b, find_c, find_d, …"
    )
