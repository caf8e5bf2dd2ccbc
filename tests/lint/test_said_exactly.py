"""Sentences that judges found untrue, as they are said now."""

from __future__ import annotations

from mcp_governor.rules import LintSettings
from mcp_governor.rules.run import lint
from mcp_governor.surface import build_surface


def said(rule: str, *tools: dict[str, object]) -> list[tuple[str, str]]:
    found = lint(build_surface({"tools": list(tools)}), LintSettings(select=(rule,)))
    return [(one.message, one.fix) for one in found]


def test_a_manual_of_a_language_names_its_words_and_not_parameters():
    """Words of a diagram language were taken for parameters; a near name of a parameter is still a slip."""
    manual = "A line of the diagram. " * 300 + "Set `lineWidth` to make it bold. Use `postLayout` and `dark_mode`."
    names = ("content", "post_layout")
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in names}}
    tool = {"name": "draw", "description": manual, "inputSchema": schema}
    assert [message for message, _ in said("clarity/unknown-argument", tool)] == [
        "The text at /description names postLayout, but draw has no such parameter."
    ]
    short = said("clarity/unknown-argument", {**tool, "description": manual[-200:]})
    assert "lineWidth" in "".join(message for message, _ in short)


def test_a_key_of_an_api_object_is_no_parameter():
    schema = {"type": "object", "properties": {"instance_fleet": {"type": "object"}}}
    text = "Adds a fleet. Specify `InstanceFleetType` in it."
    tool = {"name": "add", "description": text, "inputSchema": schema}
    assert said("clarity/unknown-argument", tool) == []
    tool["inputSchema"] = {"type": "object", "properties": {"InstanceFleet": {"type": "object"}}}
    assert len(said("clarity/unknown-argument", tool)) == 1


def test_a_hash_of_something_is_a_digest():
    """An error that a judge called false; a hash that maps is an object."""
    found = []
    for text in ("Hash of the policy to update", "Hash mapping names to values"):
        schema = {"type": "object", "properties": {"seen": {"type": "string", "description": text}}}
        found.append(len(said("clarity/prose-type", {"name": "put", "inputSchema": schema})))
    assert found == [0, 1]


def test_values_with_another_thing_of_their_sort_are_open():
    """The enum of a sibling refused what the words allow."""
    found = []
    for text in ("One of glue, emr, athena", "One of glue, emr, athena, or other service name"):
        schema = {"type": "object", "properties": {"service_type": {"type": "string", "description": text}}}
        found.append(len(said("clarity/closed-list", {"name": "put", "inputSchema": schema})))
    assert found == [1, 0]
