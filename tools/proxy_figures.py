"""Top-1 figures of the proxies on labelled queries: ``make proxies``, ``python tools/proxy_figures.py [--folder DIR]``.

DIR (by default ``../shared/eval``) has sets in JSONL with lists of tools: ``reference_servers_45``,
``bfcl_live_multiple_150``, ``metatool_150``. They are not ours to ship; without them the command says so and exits
with 4.

A query is *dev* if the first byte of the SHA-256 of its text is even, else *held*. Everything that was chosen (weights,
stop words, what is embedded) was chosen on dev; held was looked at afterwards, and changed nothing.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from mcp_governor.evaluation.offering import load_tools  # noqa: E402
from mcp_governor.evaluation.proxies import PROXIES, index_of, is_installed, ranking  # noqa: E402
from mcp_governor.evaluation.queries import load_queries  # noqa: E402
from mcp_governor.evaluation.terms import ToolText, tool_text  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcp_governor.evaluation.model import Query
    from mcp_governor.evaluation.proxies import Index

FOLDER = ROOT.parent / "shared" / "eval"
SETS = ("reference_servers_45", "bfcl_live_multiple_150", "metatool_150")
OWN = "own server's tools"

SHOWN = ("name", "first-sentence", "description", "all")
"""How much of a tool is read: its name; and the first sentence; and the whole description; and the parameters."""


@dataclass(frozen=True)
class Case:
    """A query with the tools that it is ranked among."""

    query: Query
    tools: tuple[ToolText, ...]

    @property
    def is_dev(self) -> bool:
        return hashlib.sha256(self.query.text.encode()).digest()[0] % 2 == 0


@dataclass(frozen=True)
class Figure:
    """Shares of queries whose best tool is a right one: of all, of dev, of held; and the number of queries."""

    all: float
    dev: float
    held: float
    count: int


def cases(folder: Path) -> Iterator[tuple[str, list[Case]]]:
    """The sets, each with the tools that it is about; the first one also with the tools of one server each."""
    for name in SETS:
        path = folder / f"{name}.jsonl"
        queries = load_queries(path).queries
        surfaces = {file: load_tools(folder / file) for file in {query.tools_file for query in queries}}
        everything = {file: tuple(tool_text(tool.raw) for tool in surfaces[file].tools) for file in surfaces}
        if name == SETS[0]:
            servers = {tool.name: tool.raw["server"] for surface in surfaces.values() for tool in surface.tools}
            yield (
                OWN,
                [
                    Case(query, tuple(tool for tool in everything[query.tools_file] if servers[tool.name] in own))
                    for query in queries
                    for own in [{servers[gold] for gold in query.gold}]
                ],
            )
        yield name, [Case(query, everything[query.tools_file]) for query in queries]


def shown_of(tool: ToolText, amount: str) -> ToolText:
    """A tool with less of its text."""
    if amount == "all":
        return tool
    description = {"name": "", "first-sentence": tool.first, "description": tool.description}[amount]
    return ToolText(tool.name, "" if amount == "name" else tool.first, description, (), ())


def figure(proxy: str, shown: str, of: Sequence[Case]) -> Figure:
    """How often the best tool is right. Without a word in common, BM25 has no best tool."""
    indexes: dict[tuple[ToolText, ...], Index] = {}
    right: dict[bool, list[bool]] = {True: [], False: []}
    for case in of:
        tools = tuple(shown_of(tool, shown) for tool in case.tools)
        if tools not in indexes:
            indexes[tools] = index_of(proxy, tools)
        scores = indexes[tools].scores(case.query.text)
        best = ranking(scores, [tool.name for tool in tools])[0]
        hit = tools[best].name in case.query.gold and (proxy != "bm25" or scores[best] > 0)
        right[case.is_dev].append(hit)
    both = right[True] + right[False]
    return Figure(*(sum(part) / max(1, len(part)) for part in (both, right[True], right[False])), len(both))


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the sets are")
    typed = parser.parse_args()
    if not typed.folder.is_dir():
        print(f"{typed.folder}: the labelled queries are not here; nothing was measured.")
        return 4
    proxies = [name for name in PROXIES if name != "minilm" or is_installed()]
    print("Top-1 by how much of a tool is read, and by half of the set with everything.\n")
    print("| set | proxy | queries | name | first sentence | description | everything | dev | held |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, of in cases(typed.folder):
        for proxy in proxies:
            figures = [figure(proxy, shown, of) for shown in SHOWN]
            last, shares = figures[-1], " | ".join(f"{one.all:.2f}" for one in figures)
            print(f"| {name} | {proxy} | {last.count} | {shares} | {last.dev:.2f} | {last.held:.2f} |")
    if "minilm" not in proxies:
        print("\nminilm was not measured: the extra embed is not installed.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
