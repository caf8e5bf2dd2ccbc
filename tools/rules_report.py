"""Number of hits of each rule on real servers, and the quality of the cues: ``make rules-report``.

Reads ``../shared/corpus`` and ``../shared/eval/smell-labels.jsonl`` next to the repository; says so if they are
missing. Exits with 1 if a rule has no hits and its file does not say why, or says so and has hits.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from mcp_governor.rules import LintSettings, Selection, load_catalogue, select  # noqa: E402
from mcp_governor.rules.run import run_rules  # noqa: E402
from mcp_governor.surface import build_surface  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.surface import Surface

SHARED = ROOT.parent / "shared"


class Cue(NamedTuple):
    """A rule that predicts the jury's verdict, and the figures in FACTS section 4 for such a cue."""

    rule: str
    label: str
    precision: float
    recall: float
    kappa: float
    words: int | None = None


CUES = (
    Cue("clarity/length", "purpose", 1.00, 0.23, 0.22, 6),
    Cue("clarity/length", "purpose", 0.99, 0.71, 0.68, 10),
    Cue("clarity/length", "purpose", 0.93, 0.89, 0.81, 15),
    Cue("clarity/usage-cue", "usage_guideline", 0.95, 0.95, 0.60),
    Cue("clarity/limitation-cue", "limitation", 0.96, 0.96, 0.59),
    Cue("clarity/sentences", "length_completeness", 0.98, 0.92, 0.80),
    Cue("clarity/example-cue", "examples_balance", 0.83, 0.93, 0.34),
)


def corpus() -> Iterator[tuple[str, Surface]]:
    """Every recorded release, with the name of its server."""
    for file in sorted((SHARED / "corpus").glob("*/*.json.gz")):
        for recording in json.loads(gzip.decompress(file.read_bytes())).values():
            yield file.name.removesuffix(".json.gz"), build_surface(recording)


def selections() -> list[Selection]:
    """All lint rules, by pack, because packs contradict each other."""
    catalogue = load_catalogue(entry_points=False)
    packs = ([rule.id for rule in rules if rule.station == "lint"] for rules in catalogue.packs.values())
    return [select(LintSettings(select=tuple(ids)), catalogue) for ids in packs if ids]


def report_hits() -> list[str]:
    """Print hits per rule on the corpus; returns problems with the notes of rules without hits."""
    chosen = selections()
    hits: Counter[str] = Counter()
    servers: defaultdict[str, set[str]] = defaultdict(set)
    releases = tools = 0
    names = set()
    for server, surface in corpus():
        releases, tools = releases + 1, tools + len(surface.tools)
        names.add(server)
        for selection in chosen:
            for finding in run_rules(surface, selection):
                hits[finding.rule] += 1
                servers[finding.rule].add(server)
    print(f"## Hits over {len(names)} servers, {releases} releases, {tools} tools\n")
    print("| rule | severity | hits | servers | where none |\n| --- | --- | ---: | ---: | --- |")
    problems = []
    for active in (active for selection in chosen for active in selection.linted):
        rule = active.rule
        print(f"| {rule.id} | {rule.severity} | {hits[rule.id]} | {len(servers[rule.id])} | {rule.unseen} |")
        if bool(hits[rule.id]) == bool(rule.unseen):
            problems.append(f"{rule.id}: {'hits, and says why it would not' if rule.unseen else 'hits nothing'}")
    return problems


def report_cues() -> None:
    """Print precision, recall and kappa of the cue rules against the jury, next to the figures in FACTS."""
    rows = [json.loads(line) for line in (SHARED / "eval" / "smell-labels.jsonl").read_text("utf-8").splitlines()]
    print(f"\n## Cues against the jury ({len(rows)} tools with a median score; FACTS: 631)\n")
    print("| rule | options | jury | precision | recall | kappa | FACTS 4 |")
    print("| --- | --- | --- | ---: | ---: | ---: | --- |")
    for cue in CUES:
        options = {cue.rule: {"min-words": cue.words, "max-characters": 10**6}} if cue.words else {}
        settings = LintSettings(select=(cue.rule,), options=options)
        selection = select(settings, load_catalogue(entry_points=False))
        table = Counter((_hits(row, selection), row["smell_median_lt3"][cue.label]) for row in rows)
        precision, recall, kappa = _agreement(table)
        shown = f"min-words {cue.words}" if cue.words else ""
        facts = f"{cue.precision:.2f} / {cue.recall:.2f} / {cue.kappa:.2f}"
        print(f"| {cue.rule} | {shown} | {cue.label} | {precision:.2f} | {recall:.2f} | {kappa:.2f} | {facts} |")


def _hits(row: dict[str, object], selection: Selection) -> bool:
    tool = {"name": row["tool"], "description": row["description"], "inputSchema": row["schema"] or {}}
    return bool(run_rules(build_surface({"tools": [tool]}), selection))


def _agreement(table: Counter[tuple[bool, bool]]) -> tuple[float, float, float]:
    """Precision, recall and Cohen's kappa for a two-by-two table of (cue, label)."""
    both, cue, label, none = (table[key] for key in ((True, True), (True, False), (False, True), (False, False)))
    total = both + cue + label + none
    observed = (both + none) / total
    expected = ((both + cue) * (both + label) + (label + none) * (cue + none)) / total**2
    return both / max(1, both + cue), both / max(1, both + label), (observed - expected) / (1 - expected)


def main() -> int:
    if not (SHARED / "corpus").is_dir():
        print("The corpus (../shared/corpus) is not here; nothing was measured.")
        return 0
    problems = report_hits()
    report_cues()
    for problem in problems:
        print(problem, file=sys.stderr)
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
