"""False and clumsy lines about a third sample of drawn servers, each with the nearest server that deserves its line."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_governor.catalogue.settings import LintSettings
from mcp_governor.linting import lint
from mcp_governor.linting.effects import effect_of
from mcp_governor.report.causes import causes
from mcp_governor.surface import build_surface

STRING = {"type": "string"}


def tool(name: str, said: str = "", **more: Any) -> dict[str, Any]:
    return {"name": name, "description": said, "inputSchema": {"type": "object"}, **more}


def found(rule: str, *tools: dict[str, Any]) -> list[Any]:
    return lint(build_surface({"tools": list(tools)}), LintSettings(select=(rule,)))


@pytest.mark.parametrize(
    ("name", "said", "effect"),
    [
        ("create_identity", "Create a key pair. Refuses to overwrite an existing one.", "writes"),
        ("create_identity", "Create a key pair. Overwrites an existing one.", "destroys"),
        ("triage_plan_delete", "Prepare a capped plan.", "writes"),
        ("preview_delete", "Show what would go.", "reads"),
        ("triage_delete", "Prepare a capped plan.", "destroys"),
    ],
)
def test_what_a_tool_refuses_or_plans_is_not_what_it_does(name: str, said: str, effect: str) -> None:
    assert effect_of(build_surface({"tools": [tool(name, said)]}).tools[0]) == effect


def test_a_hint_of_a_tool_that_plans_is_not_contradicted() -> None:
    hints = {"annotations": {"readOnlyHint": False, "destructiveHint": False}}
    assert found("clarity/hints-contradict", tool("triage_plan_delete", "Prepare a capped plan.", **hints)) == []
    assert len(found("clarity/hints-contradict", tool("triage_delete", "Prepare a capped plan.", **hints))) == 1


def example(name: str, said: str, *, wrapped: bool) -> dict[str, Any]:
    inner = {"type": "object", "properties": {"gene": STRING}, "required": ["gene"]}
    return tool(name, said, inputSchema={**inner, "properties": {"params": inner}} if wrapped else inner)


def test_a_call_without_the_object_around_its_arguments_is_explained() -> None:
    (one,) = found("clarity/example-fits", example("find", "Example: find(gene='SCN1A')", wrapped=True))
    assert one.message == (
        "An example at /description does not match the schema: gene is a key of params, but not in find(gene='SCN1A')."
    )
    assert found("clarity/example-fits", example("find", "Example: find(gene='SCN1A')", wrapped=False)) == []
    (one,) = found("clarity/example-fits", example("find", "Example: find(name='SCN1A')", wrapped=True))
    assert "name is not declared in find(name='SCN1A')" in one.message


def test_examples_of_many_tools_are_one_line() -> None:
    tools = [example(f"find_{end}", f"Example: find_{end}(gene='A')", wrapped=True) for end in "abcde"]
    (line,) = causes(found("clarity/example-fits", *tools))
    assert line.sentence == (
        "Examples do not match the schemas: find_a: gene is a key of params, but not in find_a(gene='A'); "
        "also in 4 more tools: find_b, find_c, find_d, …"
    )


def test_a_verb_alone_makes_no_tool_the_one_that_is_meant() -> None:
    names = ("qase_run_upsert", "qase_case_upsert", "qase_case_get")
    tools = [tool(name, "For steps, use qase_shared_step_upsert." if at else "") for at, name in enumerate(names)]
    assert {one.gist for one in found("clarity/unknown-tool", *tools)} == {
        "qase_case_upsert names qase_shared_step_upsert",
        "qase_case_get names qase_shared_step_upsert",
    }
    tools[0]["name"] = "qase_step_upsert"
    assert "not qase_step_upsert" in found("clarity/unknown-tool", *tools)[0].gist
