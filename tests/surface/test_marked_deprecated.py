"""Deprecations as servers publish them: markers, and plain words about the tool itself."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_governor.surface import Deprecation, build_surface

OTHERS = [{"name": "read_text"}, {"name": "search"}, {"name": "new_api.list"}]
PROPERTIES = {"path": {"type": "string"}, "mode": {"type": "string"}, "limit": {"type": "integer"}}


def deprecation(**tool: Any) -> Deprecation | None:
    entry = {"name": "read_file", "inputSchema": {"type": "object", "properties": PROPERTIES}, **tool}
    return build_surface({"tools": [entry, *OTHERS]}).by_name["read_file"].deprecation


# description, replacement
SAID = [
    ("Deprecated: use `read_text` instead.", "read_text"),
    ("Reads a file as text. DEPRECATED: Use read_text instead.", "read_text"),
    ("Reads a file as text (deprecated, use `search`), and returns it.", "search"),
    ("Reads a file as text (deprecated).", None),
    ("Reads a file [DEPRECATED] from the disk. Use `search`.", "search"),
    ("Reads a file — **deprecated** in favour of `search`.", "search"),
    ("[DEPRECATED — use search — sunset 2027-01-31] Reads a file.", "search"),
    ("[DEPRECATED: use new_api.list] Query the status.", "new_api.list"),
    ("⚠️ DEPRECATED ⚠️ Reads a file; call `search` instead.", "search"),
    ("**Deprecated.** Reads a file.\n\nUse it for text.", None),
    ("Deprecated since 1.4: `search` replaces it. Use `search`.", "search"),
    ("Deprecated alias of `search`.", "search"),
    ("Reads a file.\n\n@deprecated use search", "search"),
    ("Reads a file.\n\n.. deprecated:: 1.4\n   Use :func:`search` instead.", None),
    ("Reads a file.\n\n## Deprecated\n\nUse something else.", None),
    ("Reads a file.\nDeprecation notice: use `search` instead.", "search"),
    ("Reads a file. This tool is now deprecated. Use `search` instead.", "search"),
    ("Reads a file. Note: this tool has been deprecated in favor of `search`.", "search"),
    ("Reads a file. Please note that this tool is deprecated, and will be removed in 2.0.0.", None),
    ("Reads a file.\nWARNING: This function is marked as deprecated - switch to `search`.", "search"),
    ("Use `search` instead; this tool is deprecated.", "search"),
    ("The read_file tool is deprecated and superseded by read_text.", "read_text"),
    ("This is a deprecated alias for `search`.", "search"),
    ("Use of this tool is deprecated.", None),
    ("Status: deprecated. Replaced by search.", "search"),
    # advice names a tool that exists before what does not, and no argument
    ("Deprecated: use the `path` argument of `search` instead.", "search"),
    ("Deprecated: use `gone_tool` instead.", "gone_tool"),
    ("Deprecated: use something better instead.", None),
    ("Deprecated: use read_file with more care.", None),
    ("Deprecated: use the `path` argument instead.", None),
]
NOT_SAID = [
    "Returns deprecated packages.",
    "Finds deprecated APIs in a project.",
    "Lists packages that are deprecated, use `limit` to bound them.",
    "This tool is not deprecated.",
    "This tool isn't deprecated.",
    "A non-deprecated way to read files.",
    "Reads a file. The `mode` parameter is deprecated; use `path`.",
    "Reads a file. The argument `mode` is deprecated: use `path` instead.",
    "Reads a file. This argument is deprecated.",
    "Reads a file.\n\nArgs:\n    path: The path.\n    mode: Deprecated, use `path` instead.\n",
    "Reads a file.\n\nArgs:\n    path: The path. DEPRECATED: use `mode` instead.\n        Deprecated since 1.2.\n",
    "Reads a file.\n\n- path: the path\n- mode (string, deprecated): DEPRECATED: use path\n",
    "Reads a file.\n\n- `mode` - Deprecated: use path.",
    "Reads a package.\n\nReturns:\n    deprecated: whether the package is deprecated.",
    "Reads a package.\n\nThe result holds\ndeprecated: a flag\nname: a text",
    "Checks a package. It is deprecated if its author said so.",
    "Searches for comments such as 'DEPRECATED: use x' in files.",
    'Searches for "DEPRECATED: use x instead".',
    "Finds:\n```\n# DEPRECATED: use x\n```",
    "Filters by state (active, deprecated, archived).",
    "Covers async changes.\n- Deprecated API removals\n- React 19",
    "Deprecated items are listed here.",
    "Marks a package as deprecated.",
    "Runs deprecation workflows.",
    "Deprecated: false",
    "The package is deprecated when nobody maintains it.",
    "Another tool: `search` is deprecated.",
    "",
]


@pytest.mark.parametrize(("description", "replacement"), SAID)
def test_words_about_the_tool(description: str, replacement: str | None) -> None:
    found = deprecation(description=description)
    assert found is not None
    assert (found.source, found.replacement, found.nothing) == ("description", replacement, False)


@pytest.mark.parametrize("description", NOT_SAID)
def test_words_about_something_else(description: str) -> None:
    assert deprecation(description=description) is None


@pytest.mark.parametrize(
    ("description", "since", "sunset"),
    [
        ("Deprecated since 1.4.", "1.4", None),
        ("Deprecated as of v1.4.0; use search.", "1.4.0", None),
        ("[DEPRECATED since 2026-01-31]", "2026-01-31", None),
        ("Deprecated in 1.4, will be removed in 2.0.0.", "1.4", "2.0.0"),
        ("Deprecated: will be removed in version 2.0.0.", None, "2.0.0"),
        ("[DEPRECATED — use search — sunset 2027-01-31] Reads.", None, "2027-01-31"),
        ("Deprecated; use search.", None, None),
    ],
)
def test_since_and_sunset_are_read(description: str, since: str | None, sunset: str | None) -> None:
    found = deprecation(description=description)
    assert found is not None
    assert (found.since, found.sunset) == (since, sunset)


@pytest.mark.parametrize(
    ("description", "replacement", "nothing"),
    [
        ("Deprecated: nothing replaces it, because the index was shut down.", None, True),
        ("Reads. This tool is deprecated. There is no replacement.", None, True),
        ("Deprecated without a replacement.", None, True),
        ("Deprecated. There is no direct replacement; use `search` and `read_text`.", "search", False),
    ],
)
def test_nothing_may_replace_it(description: str, replacement: str | None, nothing: bool) -> None:
    found = deprecation(description=description)
    assert found is not None
    assert (found.replacement, found.nothing) == (replacement, nothing)


# the tool as published, where it is said, replacement
MARKED = [
    ({"_meta": {"deprecated": True}}, "_meta", None),
    ({"_meta": {"dev.mcp-governor/deprecated": "use search"}}, "_meta", "search"),
    ({"_meta": {"com.example/deprecated": {"replacement": "search"}}}, "_meta", "search"),
    ({"_meta": {"deprecated": {"replacedBy": "search", "message": "Old."}}}, "_meta", "search"),
    ({"_meta": {"deprecated": {"message": "Use `search` instead."}}}, "_meta", "search"),
    ({"_meta": {"deprecated": True, "deprecationMessage": "Use search instead."}}, "_meta", "search"),
    ({"_meta": {"status": "deprecated"}}, "_meta", None),
    ({"_meta": {"fastmcp": {"deprecated": True, "tags": []}}}, "_meta", None),
    # FastMCP 2 (`_fastmcp`) and 3 (`fastmcp`)
    ({"_meta": {"_fastmcp": {"tags": ["deprecated"]}}}, "tags", None),
    ({"_meta": {"fastmcp": {"tags": ["files", "Deprecated"], "version": "1.0"}}}, "tags", None),
    ({"_meta": {"fastmcp": {"tags": ["deprecated"]}}, "description": "Reads. Use search instead."}, "tags", "search"),
    ({"deprecated": True, "description": "Reads. Replaced by `search`."}, "tool", "search"),
    ({"annotations": {"deprecated": True}}, "annotations", None),
    ({"inputSchema": {"type": "object", "deprecated": True}}, "inputSchema", None),
    (
        {"inputSchema": {"type": "object", "deprecated": True}, "description": "Use `search` instead."},
        "inputSchema",
        "search",
    ),
    ({"title": "[Deprecated] Read file"}, "title", None),
    ({"title": "Read file (deprecated)", "description": "Use search instead."}, "title", "search"),
    ({"annotations": {"title": "DEPRECATED: use search"}}, "title", "search"),
    # the words fill in what the marker leaves out, and do not overrule it
    ({"_meta": {"deprecated": {"since": "1.2.0"}}, "description": "Deprecated: use search."}, "_meta", "search"),
    (
        {"_meta": {"deprecated": {"replacement": "read_text"}}, "description": "Deprecated: use search."},
        "_meta",
        "read_text",
    ),
    # what a tool is for is no advice
    ({"_meta": {"deprecated": True}, "description": "Use search results to read a file."}, "_meta", None),
]


@pytest.mark.parametrize(("tool", "source", "replacement"), MARKED)
def test_markers(tool: dict[str, Any], source: str, replacement: str | None) -> None:
    found = deprecation(**tool)
    assert found is not None
    assert (found.source, found.replacement) == (source, replacement)


@pytest.mark.parametrize(
    "tool",
    [
        {"_meta": {"deprecated": False}},
        {"_meta": {"deprecated": None, "status": "stable"}},
        {"_meta": {"deprecated": "false"}},
        {"_meta": {"deprecated": 1}},
        {"_meta": {"fastmcp": {"tags": ["finds-deprecated", 5]}}},
        {"_meta": {"fastmcp": "deprecated"}},
        {"_meta": ["deprecated"]},
        {"annotations": {"deprecated": False}},
        {"inputSchema": {"type": "object", "properties": {"deprecated": {"type": "boolean"}}}},
        {"inputSchema": {"type": "object", "properties": {"path": {"type": "string", "deprecated": True}}}},
        {"title": "Find deprecated packages"},
    ],
)
def test_no_markers(tool: dict[str, Any]) -> None:
    assert deprecation(**tool) is None


def test_a_plain_word_is_a_replacement_where_it_is_a_tool() -> None:
    """ "search" is a word; it is a name where a tool is called so."""
    entry = {"name": "read_file", "description": "Deprecated: use search instead."}
    [alone] = build_surface({"tools": [entry]}).tools
    assert alone.deprecation is not None
    assert alone.deprecation.replacement is None
    found = deprecation(description=entry["description"])
    assert found is not None
    assert found.replacement == "search"


def test_a_long_description_is_read_in_its_time() -> None:
    """A million characters of the word, of marks and of blanks."""
    for text in ("deprecated " * 100_000, "*[( " * 250_000 + "deprecated", " " * 1_000_000, "a: b\n" * 200_000):
        deprecation(description=text)
