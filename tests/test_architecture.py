"""The table of ARCHITECTURE.md that says where a change belongs is true."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_what_the_table_names_is_where_it_says() -> None:
    section = (ROOT / "ARCHITECTURE.md").read_text("utf-8").partition("\n## Where does it belong?\n")[2]
    rows = re.findall(r"^\| (.+) \| (.+) \| `(.+)` \|$", section.partition("\n## ")[0], re.M)
    assert len(rows) >= 16
    for what, files, name in rows:
        first, *others = re.findall(r"`([^`]+)`", files)
        assert all(((ROOT / first).parent / other).is_file() or (ROOT / other).is_file() for other in others), what
        text = (ROOT / first).read_text("utf-8")
        pattern = rf'^(?:class |def )?"?{re.escape(name)}"?(?: *[:=(]|\b)'
        assert re.search(pattern, text, re.M), (what, first, name)
