"""Accuracy of the comparison of surfaces, measured on releases of real servers.

Reads the corpus next to the repository (``../shared/corpus``). Every release is compared with itself and with the next
one, and the results for hand-labelled pairs are compared with their labels. Run it with ``make accuracy``.

Exits with 1 if a target is missed: a crash, a change between a release and itself, more than 0.2 % of changed schema
pairs undecided, or a disagreement with a label that is not listed below with its reason.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp_governor.change import Change, Side, Verdict, compare
from mcp_governor.surface import Surface, build_surface
from mcp_governor.surface.fingerprint import strip

if TYPE_CHECKING:
    from collections.abc import Iterator

CORPUS = Path(__file__).resolve().parents[2] / "shared" / "corpus"
MAX_UNKNOWN = 0.002

POLICY_WINS = {
    "annotations-weakened": "a hint made less safe is breaking (docs/changes.md)",
    "format-added": "formats are annotations; breaking with assert-formats (docs/changes.md)",
    "def-added": "a definition that nothing uses changes nothing; its uses are reported (docs/changes.md)",
}
"""Label rules for which the design defines another verdict."""

EXCEPTIONS = {
    ("search_documentation", "/outputSchema/$defs/SearchResult/properties/query_id"): (
        "the field that held the results is gone, which is reported once; what was below it is not reported again"
    ),
}
"""Individual labels that are not matched: (tool, pointer) → why."""


@dataclass
class Tally:
    """The counters."""

    servers: int = 0
    releases: int = 0
    steps: int = 0
    tool_pairs: int = 0
    schema_pairs: int = 0
    unknown: list[str] = field(default_factory=list)
    breaks: int = 0
    witnessed: int = 0
    not_itself: list[str] = field(default_factory=list)
    crashes: list[str] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0


def servers() -> Iterator[tuple[str, dict[str, Surface]]]:
    """Every server's releases, in the order of the recording."""
    for file in sorted(CORPUS.glob("*/*.json.gz")):
        with gzip.open(file) as stream:
            releases: dict[str, Any] = json.load(stream)
        name = next(iter(releases.values()))["package"]
        yield name, {version: build_surface(raw) for version, raw in releases.items()}


def changed_schemas(old: Surface, new: Surface) -> Iterator[tuple[str, str]]:
    """Schemas of tools on both surfaces that differ in more than wording."""
    for tool in old.tools:
        other = new.by_name.get(tool.name)
        if other is None:
            continue
        for side in ("inputSchema", "outputSchema"):
            before, after = tool.raw.get(side), other.raw.get(side)
            if before is not None and after is not None and strip(before) != strip(after):
                yield tool.name, side


def measure_step(name: str, old: Surface, new: Surface, tally: Tally) -> None:
    """Compare one release with the next."""
    tally.steps += 1
    tally.schema_pairs += len(list(changed_schemas(old, new)))
    tally.tool_pairs += sum(1 for tool in old.tools if tool.name in new.by_name)
    try:
        changes = compare(old, new)
    except Exception as error:
        tally.crashes.append(f"{name}: {type(error).__name__}: {error}")
        return
    for change in changes:
        tally.kinds[change.kind] += 1
        if change.verdict is Verdict.UNKNOWN:
            tally.unknown.append(f"{name} {change.tool} {change.kind} {change.path}: {change.reason}")
        elif change.verdict is Verdict.BREAKING and change.side is not Side.SURFACE:
            tally.breaks += 1
            tally.witnessed += change.has_witness


def measure_corpus(tally: Tally) -> dict[str, dict[str, Surface]]:
    """Compare every release with itself and with the next."""
    everything = dict(servers())
    start = time.process_time()
    for name, releases in everything.items():
        tally.servers += 1
        tally.releases += len(releases)
        for version, surface in releases.items():
            copy = build_surface(json.loads(json.dumps(_raw(surface))))
            if compare(surface, copy):
                tally.not_itself.append(f"{name} {version}")
        for (before, old), (after, new) in pairwise(releases.items()):
            measure_step(f"{name} {before} -> {after}", old, new, tally)
    tally.seconds = time.process_time() - start
    return everything


def _raw(surface: Surface) -> dict[str, Any]:
    return {
        "tools": list(surface.entries),
        "prompts": list(surface.prompts),
        "resources": list(surface.resources),
        "resourceTemplates": list(surface.templates),
        "serverInfo": surface.server,
        "capabilities": surface.capabilities,
        "instructions": surface.instructions,
    }


def check_labels(everything: dict[str, dict[str, Surface]]) -> tuple[int, int, list[str], Counter[str]]:
    """Compare the results for labelled pairs with their labels.

    Returns:
        Number of labels, number of matches, disagreements, and the documented exceptions by reason.
    """
    labels = json.loads((CORPUS / "labels.json").read_text())
    wrong: list[str] = []
    agreed = 0
    total = 0
    won: Counter[str] = Counter()
    for pair in labels:
        releases = everything[pair["package"]]
        changes = compare(releases[pair["old"]], releases[pair["new"]])
        place = f"{pair['package']} {pair['old']} -> {pair['new']}"
        explained: set[str] = set()
        for label in pair["changes"]:
            total += 1
            found = _breaking_at(changes, label)
            explained |= {change.id for change in found}
            if bool(found) == label["breaking"]:
                agreed += 1
            elif label["rule"] in POLICY_WINS:
                won[POLICY_WINS[label["rule"]]] += 1
            elif (label["tool"], label["path"]) in EXCEPTIONS:
                won[EXCEPTIONS[label["tool"], label["path"]]] += 1
            else:
                what = f"{label['rule']} {label['tool']} {label['path']} labelled {label['breaking']}"
                wrong.append(f"{place}: {what}: {label['what'][:90]}; found {[c.kind for c in found]}")
        for change in changes:
            of_tool = change.tool is not None  # labels are about tools only
            if of_tool and change.verdict is not Verdict.COMPATIBLE and change.id not in explained:
                wrong.append(f"{place}: unlabelled {change.kind} {change.tool} {change.path}: {change.message}")
    return total, agreed, wrong, won


def _breaking_at(changes: list[Change], label: dict[str, Any]) -> list[Change]:
    """The breaks that a label refers to: same tool, and one pointer is a prefix of the other."""
    out = []
    for change in changes:
        if change.verdict is Verdict.COMPATIBLE or change.tool != label["tool"]:
            continue
        if label["rule"] in ("tool-added", "tool-removed"):
            if label["rule"] == "tool-removed":  # if it was renamed, its own changes belong to that
                out.append(change)
        elif label["path"] and (change.path.startswith(label["path"]) or label["path"].startswith(change.path or "\0")):
            out.append(change)
    return out


def main() -> int:
    """Print the measurement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-v", "--verbose", action="store_true", help="list every kind and every unknown")
    arguments = parser.parse_args()
    if not CORPUS.is_dir():
        print(f"changes: no corpus at {CORPUS.name}; skipped")
        return 0
    tally = Tally()
    everything = measure_corpus(tally)
    total, agreed, wrong, won = check_labels(everything)
    share = len(tally.unknown) / max(1, tally.schema_pairs)
    print(f"changes: {tally.servers} servers, {tally.releases} releases, {tally.steps} steps, ", end="")
    print(f"{tally.tool_pairs} tools on both sides, {tally.schema_pairs} changed schemas")
    print(f"  crashes {len(tally.crashes)}, releases that differ from themselves {len(tally.not_itself)}")
    print(f"  undecided {len(tally.unknown)} ({share:.2%} of changed schemas; at most {MAX_UNKNOWN:.1%})")
    print(f"  schema breaks {tally.breaks}, of them with a witness {tally.witnessed}")
    print(f"  {tally.seconds:.1f} s of CPU, {tally.seconds / max(1, tally.steps) * 1000:.0f} ms per step")
    print(f"  labels {total}, agreed {agreed}, documented exceptions {sum(won.values())}, ", end="")
    print(f"disagreements {len(wrong)}")
    for reason, count in won.items():
        print(f"    {count} × {reason}")
    for line in (*tally.crashes, *tally.not_itself, *wrong):
        print(f"    ! {line}")
    if arguments.verbose:
        for line in tally.unknown:
            print(f"    ? {line}")
        for kind, count in tally.kinds.most_common():
            print(f"    {count:6} {kind}")
    missed = tally.crashes or tally.not_itself or wrong or share > MAX_UNKNOWN
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
