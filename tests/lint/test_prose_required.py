"""Prose about what is required: realistic sentences that contradict the schema, and near misses."""

from __future__ import annotations

import pytest
from linted import contradictions

STRING = {"type": "string"}


def default(value, kind):
    return {"type": kind, "default": value}


SAYS_REQUIRED = [
    "Required.",
    "Required",
    "REQUIRED: the id",
    "**Required.** The id",
    "**Required** - the id",
    "(required) The id",
    "[required] The id",
    "[Required]",
    "Required - the id",
    "The id (required)",
    "The id (required).",
    "The id (mandatory)",
    "limit (required): the id",
    "limit (string, required): the id",
    "(string, required) The id",
    "The id. This field is required.",
    "This is required.",
    "Mandatory. The id",
]
SAYS_OPTIONAL = [
    "Optional.",
    "optional",
    "(optional) The id",
    "(Optional) The id",
    "(string, optional) The id",
    "The id (optional)",
    "Optional: the id",
    "Optional - the id",
    "Optional, the id",
    "The id. This parameter is optional.",
]
SAYS_SPARE = [
    "The branch. Defaults to the current one.",
    "Needed to add, and should be omitted to remove.",
    "The value. It can be left out.",
    "Omit for the whole list.",
    "The id. If not provided, the first.",
    "The id. If not provided, asking is left to the client.",
    "The id. If not given, uses the tool of the project.",
]
SAYS_NEITHER = [
    "",
    "This field is required and optional at once.",
    "An address. The port can be omitted.",
    "The id, if not given by the user the root.",
    "Leave out the blanks.",
    "The id",
    "Required if name is not given.",
    "(required if name is not given) The id",
    "Required when name is absent",
    "required for writes",
    "Required unless name is given",
    "Required by the service",
    "Required scopes of the token",
    "Optional rule item types",
    "(writes only, required) The id",
    "Required permissions: read",
    "Optional if name is given",
    "Optional for admins",
    "Optional, but recommended for large tables: name one",
    "Either the id or the name is required.",
    "Path of the (optional) file",
    "Names of the required fields",
    "Fields: name (required), age (optional)",
    "The id (required for writes)",
    "Whether the field is required",
    "The id. Not required.",
    "The id. If not provided, always prompt the user with: which one?",
    "The folder. If not provided, ask the user if they would like to create one.",
    "The tests. If not provided, use the listTests tool to get all that failed.",
    "The id. If omitted, the call fails.",
    # What the caller has to do, or perhaps the tool.
    "The id. If not provided, infer it from the conversation.",
    "The id. If not given, look it up with another tool.",
    "The id. If not set, use list_ids.",
    "The id. If not set, first use `listIds`.",
    "The id. If not specified, the user will be prompted for it.",
    "The id. When not specified, do not call this.",
    "The id. If not provided, choose a sensible one.",
    "Required: false",
    "Optional: no. The id",
    "Whether this field is optional",
]


@pytest.mark.parametrize("text", SAYS_REQUIRED)
def test_required_is_said_of_an_optional_argument(text):
    assert contradictions(STRING, text) == ["prose-required"]
    assert contradictions(STRING, text, required=True) == []


@pytest.mark.parametrize("text", SAYS_OPTIONAL)
def test_optional_is_said_of_a_required_argument(text):
    assert contradictions(STRING, text, required=True) == ["prose-required"]
    assert contradictions(STRING, text) == []


@pytest.mark.parametrize("text", SAYS_SPARE)
def test_what_may_be_left_out_is_not_required(text):
    assert contradictions(STRING, text, required=True) == ["prose-required"]
    assert contradictions(STRING, text) == []
    assert contradictions(default("x", "string"), text, required=True) == []


@pytest.mark.parametrize("text", SAYS_NEITHER)
def test_neither_is_said_for_certain(text):
    assert contradictions(STRING, text, required=True) == []
    assert contradictions(STRING, text) == []


def test_null_stands_for_leaving_out_where_all_arguments_are_required():
    assert contradictions({"type": ["string", "null"]}, "Optional. The id", required=True) == []
