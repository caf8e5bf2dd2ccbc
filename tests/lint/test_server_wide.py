"""What is found once for a server: titles, spelling, remains of web pages, lists that cannot be paged."""

from __future__ import annotations

import pytest

from mcp_governor.packs.clarity.server import history, leftovers, misspelt, prompts, unpaged
from mcp_governor.prose.misspellings import MISSPELT
from mcp_governor.subjects.context import Context, Facts
from mcp_governor.surface import build_surface


def found(check, *tools):
    surface = build_surface({"tools": [{"name": f"t{n}", "inputSchema": {}, **tool} for n, tool in enumerate(tools)]})
    return [one.values for one in check(surface, Context({}, Facts(surface)))]


def arguments(*names):
    return {"inputSchema": {"type": "object", "properties": {name: {} for name in names}}}


def test_spelling_is_said_once_for_a_word():
    tools = [{"description": "Thier lenght."}, {"description": "thier"}]
    assert found(misspelt, *tools) == [{"words": "lenght for length (t0), thier for their (t0)"}]


def test_names_are_spelt_as_they_are():
    assert (
        found(misspelt, {"name": "recieve", "description": "See get_lenght_of, `lenght`, x.lenght and Lenghty."}) == []
    )


def test_the_list_of_misspellings_holds_single_words_that_differ():
    assert len(MISSPELT) > 200
    assert all(wrong.isalpha() and wrong.islower() and right != wrong for wrong, right in MISSPELT.items())
    assert not MISSPELT.keys() & {word for right in MISSPELT.values() for word in right.split()}


LEFT = [
    ("Refer to the [Field Editing Guide].", "[Field Editing Guide] without an address (t0)"),
    ("A type</md-item> of", "the tag </md-item> left over (t0)"),
    ("As in the following example", 'no example follows "in the following example" (t0)'),
    ("See the table below for more.", 'no example follows "See the table below for more." (t0)'),
    ("Opens a [gate](ref:gate).", "[gate](ref:gate) leads to nothing (t0)"),
    ("Give \\`wide\\` a value.", "backslashes before backticks (t0)"),
    ("Give `wide` a value; \\` is a mark.", None),
    ("See the [Field Editing Guide](https://x.example).", None),
    ("See the [n] and [Start] of [A B] ranges.", None),
    ("<md-item>x</md-item> and </b>", None),
    ("As in the following example: a", None),
    ("See the table below\n| a |", None),
]


@pytest.mark.parametrize(("text", "places"), LEFT)
def test_remains_of_web_pages(text, places):
    assert found(leftovers, {"description": text}) == ([{"places": places}] if places else [])


def test_lists_that_cannot_be_paged():
    paged = [{"name": "list_a", **arguments("cursor")}, {"name": "list_b", **arguments("pageToken", "limit")}]
    short = {"name": "get_history", **arguments("max_results")}
    assert found(unpaged, *paged, short) == [{"names": "max_results (get_history)", "paged": "list_a, list_b"}]
    assert found(unpaged, paged[0], short) == []
    assert found(unpaged, *paged, {"name": "list_c", **arguments("x")}, {"name": "find_d", **arguments("limit")}) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Waits for the gate (#4711).", "(#4711)"),
        ("Off by default: output unchanged from earlier versions.", "unchanged from earlier versions"),
        ("True keeps the old behavior.", "old behavior"),
        ("Stays for backward compatibility.", "for backward compatibility"),
        ("Takes a list, and the map sometimes sent by clients.", "sometimes sent by clients"),
        ("The gates are open; this patch only adds doors.", "this patch only"),
        ("References that point to this commit, and what this patch changes.", None),
        ("Ink colour, such as black (#000000)", None),
        ("A message such as 'Paint it (#12)'", None),
        ("Closes issue #42 and restores a prior version.", None),
    ],
)
def test_the_history_of_the_code(text, told):
    expected = [{"places": f'"{told}" (t0)', "first": f'"{told}" (t0)'}] if told else []
    assert found(history, {"description": text}) == expected


def test_prompts_without_words_are_named_once():
    def of(*listed):
        surface = build_surface({"tools": [], "prompts": list(listed)})
        return [(one.path, one.values) for one in prompts(surface, Context({}, Facts(surface)))]

    silent = {"name": "greet", "arguments": [{"name": "guest"}]}
    asked = [{"name": "deep"}, {"name": "to", "description": "Whom"}]
    half = {"name": "bow", "description": "Bows.", "arguments": asked}
    assert of(half) == [("/prompts/0/arguments/0", {"names": "deep of bow (a prompt)"})]
    assert of({"name": "a", "description": "b"}, silent, half) == [
        ("/prompts/1", {"names": "greet (a prompt), deep of bow (a prompt)"})
    ]
    assert of({"name": "a", "description": "b"}, 3) == []
