"""One edit is one line for all its places; what breaks keeps its names, and nothing is left out of the JSON report."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from replacing import replace

from mcp_governor.checking.against.baseline import Baseline
from mcp_governor.checking.against.comparison import Comparison
from mcp_governor.checking.diff import compare_surfaces
from mcp_governor.checking.model import Report
from mcp_governor.checking.report_document import document as document_of
from mcp_governor.config import Config
from mcp_governor.findings import Bump
from mcp_governor.report.diff_text import diff_lines
from mcp_governor.report.lines import plain_text
from mcp_governor.report.markdown import render
from mcp_governor.report.word_diff import plain_words, word_diff
from mcp_governor.surface import build_surface

STRING = {"type": "string"}


def tool(name: str, properties: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object", "properties": properties or {}}, **more}


def compared(old: list[dict[str, Any]], new: list[dict[str, Any]], **more: Any) -> Report:
    before = build_surface({"tools": old, "serverInfo": {"name": "s", "version": "1.0.0"}})
    after = build_surface({"tools": new, "serverInfo": {"name": "s", "version": "1.0.1"}, **more})
    return compare_surfaces(Comparison(after, Config(), Baseline("old", before)))


def shown(report: Report) -> str:
    return plain_text(diff_lines(report))


def output(*names: str) -> dict[str, Any]:
    return {"type": "object", "properties": dict.fromkeys(names, STRING), "required": list(names)}


NAMES = [f"tool_{index:02}" for index in range(34)]


def test_the_required_bump_names_kinds_and_the_version_that_makes_it() -> None:
    old = [tool(name, {"q": STRING}) for name in ("one", "two", "three", "four")]
    text = shown(compared(old, [tool("one"), tool("two"), tool("three")]))
    why = "tool-removed in four, argument-removed in 3 tools"
    assert f"required bump: major ({why}); declared: patch (1.0.0 → 1.0.1), which is too small: it takes 2.0.0" in text
    early = compared(old, old[:3], serverInfo={"name": "s", "version": "0.2.1"})
    early = replace(early, required_bump=Bump.MINOR, declared_bump=Bump.PATCH, declared_versions=("0.2.0", "0.2.1"))
    text = shown(early)
    assert "required bump: minor (tool-removed in four; before 1.0.0 a minor step may break)" in text
    assert "(0.2.0 → 0.2.1), which is too small: it takes 0.3.0" in text


def test_titles_and_a_hint_of_many_tools_are_two_lines() -> None:
    report = compared(
        [tool(name, title=f"Title of {name}", annotations={"openWorldHint": True}) for name in NAMES],
        [tool(name, annotations={"openWorldHint": False}) for name in NAMES],
    )
    text = shown(report)
    assert (
        "+ tool_00: Title is gone. The same for 33 more tools: tool_01, tool_02, tool_03, …  title-changed × 34" in text
    )
    assert "openWorldHint changed from true to false. The same for 33 more tools: tool_01, tool_02, " in text
    assert text.count("itle is gone") == 1
    assert "compatible (34)" in text
    assert "wording (34)" in text
    assert len(text.splitlines()) < 15
    assert len(document_of(report)["changes"]) == 68
    assert len([line for line in render(report).splitlines() if line.startswith("- **")]) == 2


def test_a_replaced_output_is_one_change() -> None:
    fields = [f"old_{index}" for index in range(11)]
    report = compared(
        [tool("report", outputSchema=output(*fields)), tool("other", outputSchema=output(*fields, "kept"))],
        [tool("report", outputSchema=output("rows", "total")), tool("other", outputSchema=output("kept", "rows"))],
    )
    text = shown(report)
    assert (
        "The output of `report` was replaced: it had `old_0`, `old_1`, `old_2` and 8 more, and has `rows` and `total`."
    ) in text
    # Of the other tool one field remained, so that its clients may live on.
    assert text.count("is gone") == 1
    assert "Field `old_0` is gone. The same for 10 more: old_1, old_10, old_2, " in text
    assert text.count("output-field-removed × 11") == 1


def test_format_and_pattern_of_a_parameter_are_one_fact_and_a_property_may_be_called_pattern() -> None:
    loose = {"key": STRING, "pattern": STRING}
    tight = {"key": {**STRING, "format": "uuid", "pattern": "^[0-9a-f-]{36}$", "maxLength": 36}, "pattern": STRING}
    text = shown(compared([tool(name, loose) for name in NAMES], [tool(name, tight) for name in NAMES]))
    assert text.count("maxLength of `key` is new: 36") == 1
    [fact] = [line for line in text.splitlines() if "Pattern of `key` is new" in line or "pattern of `key`" in line]
    assert "maxLength of `key` is new: 36" in fact
    assert "The same for 33 more" in fact
    gone = shown(compared([tool("t", {**loose, "properties": STRING})], [tool("t", {"key": STRING})]))
    assert "Parameter `pattern` is gone." in gone
    assert "Parameter `properties` is gone." in gone


def test_a_break_keeps_its_names_and_other_values_are_not_said_to_be_the_same() -> None:
    old = [tool(name, {f"{name}_a": STRING, f"{name}_b": STRING}) for name in NAMES[:12]]
    new = [tool(name, {f"{name}_a": {**STRING, "maxLength": 19 - at}}) for at, name in enumerate(NAMES[:12])]
    text = shown(compared(old, new))
    assert "Parameter `tool_00_b` is gone. The same for 11 more: " in text
    assert all(f"{name}_b (" in text for name in NAMES[1:12])
    assert "maxLength of `tool_00_a` is new: 19. Similar for 11 more: tool_01_a (tool_01), " in text
    few = shown(compared(old[:3], new[:3]))
    assert few.count("is gone.") == 3  # where there is room, each break has its line, and its proof if there is one
    assert few.count("valid before, invalid now") == 3


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("Reads the file.", "Reads a file or a folder.", "Reads [-the file.-] {+a file or a folder.+}"),
        (
            "One two three four five six.",
            "One two three four five six seven.",
            "… three four five [-six.-] {+six seven.+}",
        ),
        ("A b c d e f g h i.", "X b c d e f g h i.", "[-A-] {+X+} b c d …"),
        ("Same  words.", "Same words.", ""),
        ("", "New.", "{+New.+}"),
        ("Hidden \x1b[31m.", "Hidden.", "[-Hidden \\x1b[31m.-] {+Hidden.+}"),
    ],
)
def test_the_words_of_a_description(old: str, new: str, words: str) -> None:
    assert plain_words(word_diff(old, new)) == words


def test_a_reworded_description_shows_its_words_once_for_all_tools() -> None:
    old = [tool(name, description="Reads the file.") for name in NAMES]
    new = [tool(name, description="Reads the folder.") for name in NAMES]
    text = shown(compared(old, new))
    assert text.count("Reads the [-file.-] {+folder.+}") == 1
    new[0]["description"] = "Lists."
    assert "Similar" not in shown(compared(old, new)).split("Reads the [-file.-]")[0].splitlines()[-2]


WORDS = st.lists(st.sampled_from(["a", "bb", "ccc", "the", "of", "and"]), max_size=40)


@given(WORDS, WORDS)
def test_the_differing_words_are_those_of_the_texts(old: list[str], new: list[str]) -> None:
    pieces = word_diff(" ".join(old), " ".join(new))
    assert bool(pieces) == (old != new)
    for kind, words in (("gone", old), ("new", new)):
        rest = iter(words)
        for piece, text in pieces:
            if piece in (kind, "same"):
                assert all(word in rest for word in text.replace("…", "").split())


def test_long_texts_are_shown_in_bounds() -> None:
    pieces = word_diff("x " * 90_000, "y " * 90_000)
    assert [kind for kind, _ in pieces] == ["gone", "new"]
    assert len(plain_words(pieces)) < 320
