"""Which arguments go with some choices of another one only, and which words only look like it."""

from __future__ import annotations

import pytest

from mcp_governor.packs.clarity.needs import unstated_ignoring, unstated_needs
from mcp_governor.prose.modes import modes_listed, modes_of_argument
from mcp_governor.subjects.context import Context, Facts
from mcp_governor.surface import build_surface

VALUES = {
    "create": "mode",
    "delete": "mode",
    "list_all": "mode",
    "in": "country",
    "id": "order_by",
    "web": "sources",
    "all": "scope",
    "dig": "action",
    "sow": "action",
}

OF_ARGUMENTS = [
    ("Branch name for create/delete operations.", ("mode", "for create/delete operations")),
    ("Message (for create operation).", ("mode", "for create operation")),
    ("The goal, used with 'create' and 'delete' modes only.", ("mode", "with 'create' and 'delete' modes")),
    ("Filter. For `list_all`: what to find.", ("mode", "For `list_all`")),
    ("Where to go (list_all only).", ("mode", "for list_all")),
    ("[create, delete] Where to go.", ("mode", "for create, delete")),
    ("Only for list_all.", ("mode", "for list_all")),
    ("A title in create mode.", ("mode", "in create mode")),
    ("For mode=create: the name", ("mode", "For mode=create")),
    ("Only applies to mode='create' with a name.", ("mode", "applies to mode='create'")),
    ("create only: what to make", ("mode", "for create")),
    # The whole description ends with the name of an operation, and the parameter that has it selects one.
    ("Second bed for dig", ("action", "for dig")),
    ("Name of the bed (for dig/sow).", ("action", "for dig/sow")),
    ("Second bed for dig and more", None),
    ("Second bed for create", None),
    # Words, other arguments, exceptions and beginnings of sentences.
    ('Where it goes. Each has "kind" (create, delete).', None),
    ("`managed` (create only): who owns it", None),
    ("Required for all actions except some.", None),
    ("For 'all': which of them.", ("scope", "For 'all'")),
    ("Offset of characters (with mode=create the title counts).", None),
    ("For name=create: the name", None),
    ("Create only what is new.", None),
    ("Width in degrees, for web and mail.", None),
    ("The rules for create and more.", None),
    ("Filter by id.", None),
    ("Create the thing: now.", None),
    ("For all actions except 'create'.", None),
    ("Required except for the create operation.", None),
    ("Not for create operations that fail.", None),
    ("", None),
]


@pytest.mark.parametrize(("text", "expected"), OF_ARGUMENTS)
def test_what_an_argument_is_for(text, expected):
    found = modes_of_argument(text, "goal", VALUES)
    assert (found and (found.chooser, found.condition)) == expected


def test_the_values_of_the_argument_itself_are_not_a_choice():
    assert modes_of_argument("For create operations.", "mode", VALUES) is None


LISTS = [
    (
        "- create: requires `name` and url\n- delete: needs name",
        [("name", "for create, delete"), ("url", "for create")],
    ),
    (
        "1. list_all - Lists.\n   Required: name, url\n   Optional: goal",
        [("name", "for list_all"), ("url", "for list_all")],
    ),
    (
        '1) do_it: text\n   Required: mode="do_it", name\n2) undo\n   Required: mode="undo", name, url.',
        [("name", "for do_it, undo"), ("url", "for undo")],
    ),
    ("For create: name and url are required.", [("name", "for create"), ("url", "for create")]),
    ("When mode is 'x-y', `goal` must be provided.", [("goal", "for x-y")]),
    (
        "- create: name (required), url (string, required), goal (optional)",
        [("name", "for create"), ("url", "for create")],
    ),
    ("If you ask, name is required. For example: name is required.", []),
    # No choice, words that are no names, an argument of its own.
    ("Required: name, url", []),
    ("- create: requires a name that is short", [("name", "for create")]),
    ("- create: requires patience", []),
    ("- name: requires url", []),
]


@pytest.mark.parametrize(("text", "expected"), LISTS)
def test_what_a_list_of_choices_requires(text, expected):
    found = modes_listed(text, {"name", "url", "goal", "mode"}, VALUES)
    assert [(one.argument, one.condition) for one in found] == expected


def test_a_parameter_of_some_choices_has_no_effect_for_the_others():
    arguments = {
        "mode": {"enum": ["create", "delete", "list"]},
        "deep": {"type": "boolean", "description": "Go deep (for delete operations)."},
        "size": {"type": "integer", "default": 3, "description": "Size (for create operations)."},
        "title": {"type": "string", "description": "Title for create operations."},
        "name": {"type": "string", "description": "Name for create/delete operations."},
        "alias": {"type": "string", "description": "Alias for create/delete operations."},
        "old_name": {"type": "string", "description": "Name for delete operations."},
        "new_name": {"type": "string", "default": "a", "description": "Name for create/delete operations."},
        "goal": {"type": "string", "description": "Goal for create operations."},
    }
    schema = {"type": "object", "required": ["mode", "goal"], "properties": arguments}
    surface = build_surface({"tools": [{"name": "a", "description": "", "inputSchema": schema}]}, source="test")
    context = Context({}, Facts(surface))
    # What names the thing is needed by the choices that share it; the others are told to nobody who did not ask.
    assert [one.values["needs"] for one in unstated_needs(surface.tools[0], context)] == [
        '`name` is for `mode` "create" or "delete"'
    ]
    assert [one.values["needs"] for one in unstated_ignoring(surface.tools[0], context)] == [
        '`deep` and `old_name` have no effect unless `mode` is "delete"; '
        '`size` and `title` have no effect unless `mode` is "create"; '
        '`alias` and `new_name` have no effect unless `mode` is "create" or "delete"'
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Every operation except list_all requires name.", [("name", ("create", "delete"))]),
        (
            "Any mode but `create` and `delete` must include the name and url;",
            [("name", "list_all"), ("url", "list_all")],
        ),
        ("Does it. create and delete change the list and both require the url path.", [("url", ("create", "delete"))]),
        # Words, values of two parameters, and what only begins like a name.
        ("Every operation except list_all requires name resolution.", []),
        ("Every operation except list_all and web requires name.", []),
        ("Every operation except the last one requires name.", []),
        ("create changes the list and the others both require url.", []),
        ("create and web both require url.", []),
    ],
)
def test_what_all_choices_but_some_require(text, found):
    stated = [(one.argument, one.choices) for one in modes_listed(text, {"name", "url", "mode", "sources"}, VALUES)]
    assert stated == [(name, (choices,) if isinstance(choices, str) else choices) for name, choices in found]


def test_what_a_choice_asks_for_may_be_one_of_two():
    text = "- create: requires `name` or `url`\n- delete: requires name and url"
    found = modes_listed(text, {"name", "url", "mode"}, VALUES)
    assert [(one.argument, one.choices) for one in found] == [("name", ("delete",)), ("url", ("delete",))]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("url", "The target (only kind=url)", ['`url` is for `kind` "url"']),
        ("newPath", "Where to, for rename operations.", ['`newPath` is for `kind` "rename"']),
        # What filters a list may be left out.
        ("path", "Where, for list operations.", []),
        ("newPath", "Where, for list operations.", []),
    ],
)
def test_an_operation_fails_without_the_thing_that_it_is_about(name, text, said):
    arguments = {
        "kind": {"enum": ["url", "rename", "list"], "type": "string"},
        name: {"type": "string", "description": text},
    }
    assert _needs(arguments) == said


def test_a_condition_that_names_every_value_cannot_be_broken():
    country = {"type": "string", "description": 'The country. Available only if topic is "general".'}
    one, two = ({"enum": values, "type": "string"} for values in (["general"], ["general", "news"]))
    assert _needs({"topic": one, "country": country}) == []
    assert _needs({"topic": two, "country": country}) == ['`country` is available only for `topic` "general"']


def _needs(arguments):
    schema = {"type": "object", "properties": arguments}
    surface = build_surface({"tools": [{"name": "a", "description": "", "inputSchema": schema}]}, source="test")
    return [one.values["needs"] for one in unstated_needs(surface.tools[0], Context({}, Facts(surface)))]
