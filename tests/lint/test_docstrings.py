"""What a docstring says of parameters and the schema does not, and what descriptions say twice."""

from __future__ import annotations

import pytest

from mcp_governor.rules import LintSettings
from mcp_governor.rules.run import lint
from mcp_governor.surface import build_surface


def found(rule: str, *tools: dict) -> list[tuple[str, list[tuple[str | None, str]]]]:
    findings = lint(build_surface({"tools": list(tools)}), LintSettings(select=(rule,)))
    return [(one.message, [(spot.tool, spot.path) for spot in one.spots]) for one in findings]


def tool(name: str, description: str, **arguments: str) -> dict:
    properties = {key: {"type": "string", **({"description": text} if text else {})} for key, text in arguments.items()}
    return {"name": name, "description": description, "inputSchema": {"type": "object", "properties": properties}}


BLOCK = "Draws a box.\n\nArgs:\n    wide: width in millimetres\n    high: height in millimetres\n    ink: name of ink"


AGAIN = "after its first sentence"


@pytest.mark.parametrize(
    ("description", "again"),
    [
        ("Opens a gate of the yard.\n\nOpens the specified gate of a yard.", True),
        ("Opens a gate of the yard. This tool opens the gate.", True),
        ("Gets the keys of a gate.\n\nRetrieves all keys of a gate.", True),
        # It says more.
        ("Opens a gate of the yard. Opens the gate for an hour.", False),
        # Another verb: what it needs.
        ("Opens a gate of the yard. Requires the yard of the gate.", False),
        # Another tool.
        ("Gets a key of a gate by its list. Get the gate list by list_gate.", False),
        # A heading, a list and a label.
        ("Opens a gate of the yard.\n\nOpens gate and yard:", False),
        ("Opens a gate of the yard.\n- opens the gate", False),
        ("Opens a gate of the yard.\nThis gate: open.", False),
        # One word.
        ("Opens a gate. Opens.", False),
        ("", False),
    ],
)
def test_a_second_sentence_that_is_the_first_again(description: str, again: bool) -> None:
    messages = [message for message, _ in found("clarity/said-twice", tool("open_gate", description))]
    assert len(messages) == again
    assert all(AGAIN in message and "(open_gate)" in message for message in messages)


LONG = "{} of the box in millimetres, without the frame around it, as it is cut later by the machine in the big hall"
SIDES = {"wide": LONG.format("Width"), "high": LONG.format("Height"), "deep": LONG.format("Depth")}


def block(**said: str) -> str:
    return "Draws a box.\n\nArgs:\n" + "\n".join(f"    {name}: {text}" for name, text in said.items())


def test_an_args_block_that_repeats_the_schema() -> None:
    assert found("clarity/said-twice", tool("draw", block(**SIDES), **SIDES)) == [
        (
            "Said twice: wide and high and deep in the description of draw.",
            [("draw", "/description")],
        )
    ]


def test_words_of_the_schema_within_a_sentence_of_the_tool() -> None:
    within = "Draws a box. " + ". ".join(SIDES.values())
    assert len(found("clarity/said-twice", tool("draw", within, **SIDES))) == 1


@pytest.mark.parametrize(
    "said",
    [
        {name: f"{text[:40]}, at most 300, or less" for name, text in SIDES.items()},
        dict(list(SIDES.items())[:2]),
        {name: name for name in SIDES},
    ],
)
def test_an_args_block_that_says_more_or_little(said: dict[str, str]) -> None:
    assert found("clarity/said-twice", tool("draw", block(**said), **SIDES)) == []


def test_short_parameters_are_not_worth_a_line() -> None:
    short = {name: f"Side of the box, {name}" for name in SIDES}
    assert found("clarity/said-twice", tool("draw", block(**short), **short)) == []


def test_paragraphs_that_stand_twice_in_one_description() -> None:
    parts = [f"Part {n} of a long passage on boxes: {LONG.format('Width')}." for n in range(3)]
    assert len(found("clarity/said-twice", tool("draw", "\n\n".join(["Draws.", *parts, "Then:", *parts])))) == 1
    assert found("clarity/said-twice", tool("draw", "\n\n".join(["Draws.", *parts, "Then:", *parts[:2]]))) == []
