"""What a tool's description says of its arguments: sections, bullets, mentions; and what is about others."""

from __future__ import annotations

import pytest

from mcp_governor.prose.outline import outline

NAMES = ("mode", "max_rows", "path", "position")

ENTRIES = [
    ("Runs.\n\nArgs:\n    mode: How to run.\n    path: Where.", {"mode": "How to run.", "path": "Where."}),
    ("Args:\n    mode (str): How\n        to run.\n    path: Where.", {"mode": "(str) How to run.", "path": "Where."}),
    ("Args:\n    mode: One of\n        - fast\n        - slow\n", {"mode": "One of\n- fast\n- slow"}),
    ("## Parameters\n\n- `mode` (string, required): How to run", {"mode": "(string, required) How to run"}),
    ("Required parameters:\n- **mode**: A\n\nOptional parameters:\n- path - B", {"mode": "A", "path": "B"}),
    ("Runs.\n- `mode`: How to run\n- other: not ours", {"mode": "How to run"}),
    ("Runs.\n1. `mode`: How to run", {"mode": "How to run"}),
    (":param mode: How to run\n:param str path: Where", {"mode": "How to run", "path": "Where"}),
    # No entries: results, examples, two entries for one argument, unmarked words outside of a section.
    ("Returns:\n- `mode`: the mode that ran\n- path: where", {}),
    ("Args:\n  mode: How\nReturns:\n  path: Where", {"mode": "How"}),
    ("Args:\n  mode: How\n  mode: How else", {}),
    # A line with a colon within the results is one of them; at their level, something else begins.
    ("Args:\n  mode: How\nReturns:\n  Rows with:\n  - mode: The mode", {"mode": "How"}),
    ("Returns:\n  Rows\nNotes:\n  - `mode`: How", {"mode": "How"}),
    ("Runs at once.\nmode: How to run", {}),
    ("Args:\n  Mode: How", {}),
    ('- `mode`: How\n```json\n{\n  "mode": "fast"\n}\n```\n- path: Where', {"mode": "How", "path": "Where"}),
    ("Simple fields:\nmode: How", {"mode": "How"}),
    ("Fields:\nmode: How", {}),
    ("Args:\n  mode (list (of ids), optional): How", {"mode": "(list (of ids), optional) How"}),
    ("Args:\n  mode?: How", {"mode": "How"}),
    ("Args:\n  mode — How", {"mode": "How"}),
    ("Moves:\n  mode -> How", {}),
]


@pytest.mark.parametrize(("description", "entries"), ENTRIES)
def test_entries(description, entries):
    assert outline(description, NAMES).entries == entries


MENTIONS = [
    ("Inserts at position ('before' or 'after'). Returns a path.", {"position": ("('before' or 'after')",)}),
    ("Set `mode` to 'a' or 'b'. Then go.", {"mode": ("to 'a' or 'b'",)}),
    ("Keep max_rows below 10, e.g. 5.\n\nMore.", {"max_rows": ("below 10, e.g. 5",)}),
    ("Use mode='fast' for 'path'.", {"mode": ("='fast' for",)}),
    ("The `mode` and the `path` must be given.", {"mode": ("and the",), "path": ("must be given",)}),
    ("`mode` is a. `mode` is b.", {"mode": ("is a", "is b")}),
    # Plain words that are also names, parts of other words, and what is said of results.
    ("Takes a path and a mode (if any) to a position.", {}),
    ("See /path, path/to, @mode, <path>, user.mode and in-position.", {}),
    ("Returns:\n  `mode` is 'a' or 'b'", {}),
    ("Mode is what `Mode` says.", {}),
]


@pytest.mark.parametrize(("description", "mentions"), MENTIONS)
def test_mentions(description, mentions):
    assert outline(description, NAMES).mentions == mentions


def test_a_story_is_not_read_to_its_end():
    reported = outline("`mode` " + "x" * 1000 + ". " + "`mode` is a. " * 50, NAMES).mentions["mode"]
    assert [len(one) for one in reported] == [399, 4, 4, 4]


@pytest.mark.parametrize(
    "piece", ["`mode` ", "mode: ", "mode, ", "- mode: a\n", "a-", ".\n\n", "mode (", "`", "# a\n", "  x\n"]
)
def test_time_is_linear_in_the_description(piece):
    # The test's own time limit is what a quadratic reading would break.
    reported = outline(piece * (1_000_000 // len(piece)), NAMES)
    assert len(reported.entries) <= 1
    assert all(len(strings) <= 4 for strings in reported.mentions.values())


def test_a_tagged_block_is_a_section_that_its_end_closes():
    text = "<parameters>\nmetrics: What to count\nwhere: A filter in SQL\n</parameters>\nmetrics: not an entry\n"
    assert dict(outline(text, {"metrics", "where"}).entries) == {"metrics": "What to count", "where": "A filter in SQL"}


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("- day_from, day_to: range of days", {"day_from", "day_to"}),
        ("- `day_from` and `day_to` (text): range of days", {"day_from", "day_to"}),
        ("day_from, day_to: range of days", {"day_from", "day_to"}),
        ("- day_from or today: range of days", set()),
    ],
)
def test_one_line_is_about_several_arguments(line, names):
    assert outline(f"Counts.\n\n{line}\n", ["day_from", "day_to"]).entries.keys() == names


def test_a_line_that_nothing_marks_is_an_entry_next_to_a_name_that_can_be_nothing_else():
    text = "Lists rows.\n\n  type: of what?\n  page_size: rows of a page\n  type: of the rows\nAll rows.\n  note: none"
    assert outline(text, {"page_size", "type", "note"}).entries == {
        "page_size": "rows of a page",
        "type": "of the rows",
    }


def test_what_follows_one_line_about_several_arguments_is_about_all_of_them():
    found = outline("Args:\n    low, high: ends of a range\n        in metres\n", ["low", "high"]).entries
    assert found == {"low": "ends of a range in metres", "high": "ends of a range in metres"}
