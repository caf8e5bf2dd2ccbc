"""Lists of required and optional arguments in a description, and defaults that only prose states."""

from __future__ import annotations

import pytest

from mcp_governor.packs.clarity.listed import listed_necessity
from mcp_governor.subjects.context import Context, Facts
from mcp_governor.surface import build_surface

ARGUMENTS = {"path": {}, "text": {"default": None}, "size": {"type": "integer"}}


def surface_of(description, arguments, required=("path",)):
    schema = {"type": "object", "required": list(required), "properties": arguments}
    return build_surface({"tools": [{"name": "a", "description": description, "inputSchema": schema}]}, source="test")


LISTS = [
    ("Args: path (str), text (str), size (int, optional)", [(["text"], "required")]),
    ("`path` (string), `text` (string) and `size` (integer, default 3)\nOptional.", [(["text"], "required")]),
    (
        "Required parameters:\n- `text`: what\n\nOptional parameters:\n- path: where",
        [(["text"], "required"), (["path"], "optional")],
    ),
    ("**Required:** path, text", [(["text"], "required")]),
    ("Optional: path.", [(["path"], "optional")]),
    ("If the `path` parameter is not provided, it uses the current one.", [(["path"], "optional")]),
    ("Reads by text and optionally path name", [(["path"], "optional")]),
    ("Lists everything below an optional path.", [(["path"], "optional")]),
    ("If the `path` is not given, infer it from the conversation.", []),
    # What fails, what the caller does then, and another thing.
    ("If path is not provided, the call fails.", []),
    ("If path is not given, call list_paths first.", []),
    ("Optionally path-like names.", []),
    ("Reads text, with an optional path separator.", []),
    ("If text is omitted, all are read.", []),
    # Lists that agree, that mark nothing or not what is optional, that stand for one operation, or have an exception.
    ("Args: path (str), text (str, optional), size (int, optional)", []),
    ("Args: path (str), text (str), size (int)", []),
    ("Args: path (str, optional), text (str), size (int)", []),
    ("list:\nRequired: path\nmove:\nRequired: text", []),
    ("Required: path\n- text: more", []),
    ("Required parameters:\n- path\n- text (optional): what", []),
    ("Required parameters:\n- path\nOther words.\n- text: what", []),
]


@pytest.mark.parametrize(("description", "expected"), LISTS)
def test_lists_of_arguments(description, expected):
    surface = surface_of(description, ARGUMENTS)
    found = listed_necessity(surface.tools[0], Context({}, Facts(surface)))
    assert [(one.values["arguments"], one.values["stated"]) for one in found] == expected


def test_a_required_argument_with_a_default_is_another_rule():
    surface = surface_of("Lists everything below an optional path.", {"path": {"default": "/"}})
    assert not list(listed_necessity(surface.tools[0], Context({}, Facts(surface))))


def test_a_sentence_makes_a_parameter_optional_that_its_note_does_not():
    note = "Folder is optional, if not given the home.\n\nArgs:\n  path (str)\n  text (str)\n  size (int, optional)"
    surface = surface_of(note.replace("text", "out_folder"), {**ARGUMENTS, "out_folder": {"type": "string"}})
    assert not list(listed_necessity(surface.tools[0], Context({}, Facts(surface))))
    surface = surface_of(note, ARGUMENTS)
    (found,) = listed_necessity(surface.tools[0], Context({}, Facts(surface)))
    assert found.values["arguments"] == ["text"]


def test_a_default_that_says_something_and_null_are_optional():
    text = {"default": "x", "type": "string"}
    surface = surface_of("path (str), text (str), size (int, optional)", {**ARGUMENTS, "text": text})
    assert not list(listed_necessity(surface.tools[0], Context({}, Facts(surface))))
    nullable = {"anyOf": [{"type": "string"}, {"type": "null"}]}
    surface = surface_of("Optional: text", {**ARGUMENTS, "text": nullable}, ("path", "text"))
    assert not list(listed_necessity(surface.tools[0], Context({}, Facts(surface))))


STATED = [
    ({"type": "integer", "description": "Defaults to 20."}, "20"),
    ({"type": "boolean", "description": "default: true"}, "true"),
    ({"type": "string", "description": "The mode. Default is `fast`"}, '"fast"'),
    ({"type": "string", "description": "Defaults to chromium"}, '"chromium"'),
    ({"enum": ["a", "b"], "type": "string", "description": "(default: a)"}, '"a"'),
    ({"enum": ["a", "b"], "type": "string", "description": "`a` (default, short) or `b`"}, '"a"'),
    ({"enum": ["a", "b"], "type": "string", "description": "a (default) | b | c"}, '"a"'),
    ({"type": "string", "description": "Colour of the frame (#RRGGBB; defaults to '#000000')"}, '"#000000"'),
    ({"type": "string", "description": "Default value: fast, which is slower than slow"}, '"fast"'),
    ({"type": "integer", "description": "The range is 1 to 90, default 30"}, "30"),
    ({"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None, "description": "Default: 5"}, "5"),
]


UNSTATED = [
    {"type": "integer", "default": 3, "description": "Defaults to 20."},
    {"type": "integer", "description": "Defaults to 20 for lists."},
    {"type": "string", "description": "Defaults to 20"},
    {"type": "string", "description": "Defaults to the current branch."},
    {"type": "string", "description": "Defaults to the default branch."},
    {"type": "string", "description": "Default: page.pdf"},
    {"type": "string", "description": "Defaults to today."},
    {"enum": ["a", "b"], "type": "string", "description": "Default: c"},
    {"enum": ["a", "b"], "type": "string", "description": "a (default for lists) or b (default for trees)"},
    {"enum": ["a", "b"], "type": "string", "description": "a (default), or b (default)"},
    {"enum": ["a", "b"], "type": "string", "description": "c (default)"},
    {"type": "integer", "description": "Shown by default."},
    {"type": "string", "description": "Defaults to 'shown' on create. On update, leaving it out changes nothing."},
    {"type": "string", "description": "Moment (for create operations, defaults to AFTER)"},
    {"type": "string", "description": 'Used by "grant" (defaults to \'reader\') and "update".'},
    {"type": "string", "description": "Defaults to 'text/plain'; required with upload."},
    {"type": "string", "description": "What to sort by; defaults to Saving, Desc"},
    {"type": "string", "description": "Default value expression"},
    {"type": "integer", "description": "Height. The renderer may raise it to its configured minimum (500 by default)."},
    {"type": "integer", "description": "Limit. For get: <=0 defaults to 200."},
    {"type": "integer", "description": "Most rows. Default: 500. Env: MOST_ROWS."},
]
