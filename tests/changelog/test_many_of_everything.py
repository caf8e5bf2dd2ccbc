"""A changelog of many things: what is kept of them, and that the short ways find what the long ones would."""

from __future__ import annotations

import re

import pytest

from mcp_governor.change import compare
from mcp_governor.changelog import check, parse, subjects
from mcp_governor.changelog.checks import MAX_PROBLEMS
from mcp_governor.errors import FileFormatError
from mcp_governor.surface import build_surface

MORE = 234
ODD = "### Oddities\n" * (MAX_PROBLEMS + MORE)


@pytest.mark.parametrize(
    ("text", "rule", "line"),
    [
        (f"## 1.0.0 (current)\n{ODD}", "changelog/label-unknown", 1 + MAX_PROBLEMS),
        (
            "## 1.0.0 (current)\n### Added\n" + "- x\n" * (MAX_PROBLEMS + MORE),
            "changelog/entry-without-name",
            2 + MAX_PROBLEMS,
        ),
    ],
)
def test_what_is_not_listed_is_said(text: str, rule: str, line: int) -> None:
    """It weighs as much as the listed ones, and stands behind the last of them."""
    found = [finding for finding in check(parse(text, "log.md"), None) if finding.rule == rule]
    assert len(found) == MAX_PROBLEMS + 1
    assert found[-1].message == f"{MORE} more findings of {rule} are not listed."
    assert found[-1].path == f"log.md:{line}"
    assert len({finding.severity for finding in found}) == 1
    assert len({finding.id for finding in found[-2:]}) == 2


def test_a_section_out_of_order_is_sent_above_the_first_older_one() -> None:
    numbers = [9, 7, 8, 5, 3, 6, 4, 1, 2]
    text = "".join(f"## {number}.0.0{' (current)' if number == 9 else ''}\n" for number in numbers)
    found = [one for one in check(parse(text, "log.md"), None) if one.rule == "changelog/section-order"]
    lines = {number: line for line, number in enumerate(numbers, 1)}
    for one, (number, older) in zip(found, {8: 7, 6: 5, 4: 3, 2: 1}.items(), strict=True):
        assert one.path == f"log.md:{lines[number]}"
        assert re.search(rf"\bline {lines[older]}\b", one.fix)


def test_too_many_entries_that_name_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    # Ten times less than the real limit, whose questions take as many seconds.
    most = subjects.MAX_QUESTIONS // 10
    monkeypatch.setattr(subjects, "MAX_QUESTIONS", most)
    old = build_surface({"tools": []})
    new = build_surface({"tools": [{"name": f"find{number}"} for number in range(60)]})
    words = "word " * 200
    text = "## 1.0.0 (current)\n\n**Added**\n\n" + f"- `find*` {words}\n" * 60
    changes = compare(old, new)
    assert len(words) // 3 * 60 * len(changes) > most
    with pytest.raises(FileFormatError, match=r"log\.md: too many entries name `find"):
        check(parse(text, "log.md"), new, changes)
    assert "changelog/missing-entry" not in {one.rule for one in check(parse(text[:2_000], "log.md"), new, changes)}
