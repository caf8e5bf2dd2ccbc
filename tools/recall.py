"""Share of the problems noted by reviewers that the default profile finds: ``make recall [SPLIT=dev|later|fresh|…]``.

Lints the labelled releases in ``../shared/corpus``, and those that ``make recordings`` recorded, and compares the
findings with ``fixtures/quality/recall``. A finding matches a label if it is about the same place and its rule fixes
problems of that kind (``fixtures/quality/kinds.toml``). A label counts once, however often it is found; a finding that
matches no problem and is about a trap of its own kind is a false alarm.

``--misses`` and ``--findings`` print labels and findings one by one, except those that are hidden from authors.
"""

from __future__ import annotations

import argparse
import json
import signal
import statistics
import sys
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace
from quality_corpus import CORPUS, Linted, Share, default_selection, lint, read_figures, record, release, table, volumes
from quality_labels import (
    HIDDEN,
    KINDS,
    NOTHING,
    SPLITS,
    Label,
    Repairs,
    Server,
    corpus_of,
    is_about,
    labelled_servers,
    labels,
    repairs_of_rules,
    splits,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from mcp_governor.findings import Finding
    from mcp_governor.surface import Surface


@dataclass
class Outcome:
    """The findings about one server, compared with its labels.

    Attributes:
        server: the server.
        linted: all findings, and their number of lines.
        found: problem → the findings that are about it.
        missed: problems without a finding.
        alarms: trap → the findings that fell into it.
        avoided: the other traps.
        credit: one entry per finding: ``found``, ``trap``, or empty if no label is about it.
    """

    server: Server
    linted: Linted
    found: dict[Label, list[Finding]] = field(default_factory=dict)
    missed: list[Label] = field(default_factory=list)
    alarms: dict[Label, list[Finding]] = field(default_factory=dict)
    avoided: list[Label] = field(default_factory=list)
    credit: list[tuple[str, Finding]] = field(default_factory=list)

    def share(self, wanted: Callable[[Label], bool]) -> Share:
        """The share of problems found, among the wanted ones."""
        hits, misses = (sum(map(wanted, group)) for group in (self.found, self.missed))
        return Share(hits, hits + misses)

    def demanding(self, wanted: Callable[[Label], bool]) -> Share:
        """The share of the wanted problems that a warning or an error is about; remarks do not count."""
        hits = sum(wanted(label) and any(one.severity != "info" for one in ones) for label, ones in self.found.items())
        return Share(hits, self.share(wanted).total)


def judge(
    server: Server, surface: Surface, linted: Linted, noted: Iterable[Label], repairs: Mapping[str, Repairs]
) -> Outcome:
    """Compare the findings about one server with its labels."""
    outcome = Outcome(server, linted)
    # A finding that lists places can be right in one and fall into a trap in another.
    units = [(at, unit) for at, finding in enumerate(linted.findings) for unit in _units(finding)]
    right: set[int] = set()
    noted = list(noted)

    def about(label: Label) -> list[int]:
        return [
            index
            for index, (_, unit) in enumerate(units)
            if repairs.get(unit.rule, NOTHING).covers(label) and is_about(unit, label, surface)
        ]

    def findings(hits: Iterable[int]) -> list[Finding]:
        return [linted.findings[at] for at in dict.fromkeys(units[index][0] for index in hits)]

    for label in noted:
        if label.trap:
            continue
        hits = about(label)
        right.update(hits)
        if hits:
            outcome.found[label] = findings(hits)
        else:
            outcome.missed.append(label)
    wrong: set[int] = set()
    for label in noted:
        if not label.trap:
            continue
        # One text may contain both a problem and a trap; finding the problem is not a false alarm.
        hits = [index for index in about(label) if index not in right]
        wrong.update(hits)
        if hits:
            outcome.alarms[label] = findings(hits)
        else:
            outcome.avoided.append(label)
    credited, charged = ({units[index][0] for index in indexes} for indexes in (right, wrong))
    outcome.credit = [
        ("found" if at in credited else "trap" if at in charged else "", finding)
        for at, finding in enumerate(linted.findings)
    ]
    return outcome


def _units(finding: Finding) -> list[Finding]:
    """A finding, and one for each place that it lists."""
    alone = replace(finding, spots=())
    return [alone, *(replace(alone, tool=spot.tool, path=spot.path) for spot in finding.spots)]


def measure(split: str, corpus: Path | None = None, only: str = "") -> tuple[list[Outcome], list[str]]:
    """Lint every labelled server of a split.

    Args:
        split: one of :data:`SPLITS`.
        corpus: the folder of recordings; that of the split if there is none.
        only: a server; all of the split if empty.

    Returns:
        The outcomes, and the servers that were not measured, with reasons.
    """
    repairs, selection = repairs_of_rules(), default_selection()
    corpus = corpus_of(split) if corpus is None else corpus
    outcomes, skipped = [], []
    for server in labelled_servers(split):
        if only and server.server != only:
            continue
        recorded = release(server.registry, server.server, server.version, corpus)
        if recorded is None:
            skipped.append(f"{server.server} {server.version}: the corpus does not hold this release")
        elif recorded.sha256 != server.surface_sha256:
            skipped.append(f"{server.server} {server.version}: the corpus holds another recording of this release")
        else:
            surface = recorded.surface
            outcomes.append(judge(server, surface, lint(surface, selection), labels(server), repairs))
    return outcomes, skipped


MEASURES: dict[str, Callable[[Label], bool]] = {
    "important": lambda label: label.importance == "important",
    "important, reach rule": lambda label: label.importance == "important" and label.reach == "rule",
    "all": lambda _: True,
    "all, reach rule": lambda label: label.reach == "rule",
}
"""The four figures of recall."""


def total(outcomes: Iterable[Outcome], wanted: Callable[[Label], bool]) -> Share:
    """The sum over servers."""
    shares = [outcome.share(wanted) for outcome in outcomes]
    return Share(sum(share.hits for share in shares), sum(share.total for share in shares))


def demanding(outcomes: Iterable[Outcome], wanted: Callable[[Label], bool]) -> Share:
    """The sum over servers of what warnings and errors find."""
    shares = [outcome.demanding(wanted) for outcome in outcomes]
    return Share(sum(share.hits for share in shares), sum(share.total for share in shares))


def mean(outcomes: Iterable[Outcome], wanted: Callable[[Label], bool]) -> float | None:
    """The mean over the servers that have such problems."""
    shares = [share.value for outcome in outcomes if (share := outcome.share(wanted)).total]
    return statistics.fmean(shares) if shares else None


def traps(outcomes: Iterable[Outcome], kind: str = "") -> Share:
    """The traps with a finding, of all kinds or of one."""
    hits = avoided = 0
    for outcome in outcomes:
        hits += sum(kind in ("", label.kind) for label in outcome.alarms)
        avoided += sum(kind in ("", label.kind) for label in outcome.avoided)
    return Share(hits, hits + avoided)


def figures(outcomes: list[Outcome]) -> dict[str, Any]:
    """The data of all tables, as JSON."""
    counts = [len(outcome.linted.findings) for outcome in outcomes]
    lines = [outcome.linted.lines for outcome in outcomes]
    by_rule = {rule: dict(uses) for rule, uses in sorted(_uses(outcomes).items())}
    return {
        "servers": len(outcomes),
        "recall": {
            name: {**total(outcomes, wanted).as_json(), "mean per server": _rounded(mean(outcomes, wanted))}
            for name, wanted in MEASURES.items()
        },
        "without remarks": {name: demanding(outcomes, wanted).as_json() for name, wanted in MEASURES.items()},
        "traps": traps(outcomes).as_json(),
        "kinds": {
            kind: {
                **{name: total(outcomes, _of_kind(kind, wanted)).as_json() for name, wanted in MEASURES.items()},
                "traps": traps(outcomes, kind).as_json(),
            }
            for kind in KINDS
        },
        "findings": {"sum": sum(counts), "median": statistics.median(counts), "max": max(counts)},
        "lines": {"median": statistics.median(lines), "max": max(lines)},
        "rules": by_rule,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _of_kind(kind: str, wanted: Callable[[Label], bool]) -> Callable[[Label], bool]:
    return lambda label: label.kind == kind and wanted(label)


def _uses(outcomes: Iterable[Outcome]) -> dict[str, Counter[str]]:
    uses: dict[str, Counter[str]] = {}
    for outcome in outcomes:
        for credit, finding in outcome.credit:
            uses.setdefault(finding.rule, Counter()).update(("findings", *([credit] if credit else [])))
    return uses


def report(split: str, outcomes: list[Outcome]) -> Iterator[str]:
    """The tables."""
    yield f"## Recall on {split}: {len(outcomes)} servers\n"
    rows = [
        (kind, *(total(outcomes, _of_kind(kind, wanted)) for wanted in MEASURES.values()), traps(outcomes, kind))
        for kind in KINDS
    ]
    sums = ("**all kinds**", *(total(outcomes, wanted) for wanted in MEASURES.values()), traps(outcomes))
    alone = ("without remarks", *(demanding(outcomes, wanted) for wanted in MEASURES.values()), "")
    means = ("mean over servers", *(_percent(mean(outcomes, wanted)) for wanted in MEASURES.values()), "")
    yield table(("kind", *MEASURES, "traps hit"), [*rows, sums, alone, means])
    yield "\nFound/noted, share, and its 95 % interval (Wilson). Traps hit: false alarms, the fewer the better.\n"
    servers = [
        (
            outcome.server.server,
            *(outcome.share(wanted) for wanted in (MEASURES["important"], MEASURES["all"])),
            traps([outcome]),
            len(outcome.linted.findings),
            outcome.linted.lines,
        )
        for outcome in outcomes
    ]
    yield table(("server", "important", "all", "traps hit", "findings", "lines"), servers)
    found = figures(outcomes)
    yield (
        f"\nFindings per server: median {found['findings']['median']:g}, maximum {found['findings']['max']}; "
        f"lines of the text report about them: median {found['lines']['median']:g}, maximum {found['lines']['max']}.\n"
    )
    repairs = repairs_of_rules()
    uses = sorted(_uses(outcomes).items(), key=lambda item: (-item[1]["findings"], item[0]))
    cells = [
        (rule, count["findings"], count["found"], count["trap"], ", ".join(repairs.get(rule, NOTHING).kinds) or "none")
        for rule, count in uses
    ]
    yield table(("rule", "findings", "find a problem", "fall into a trap", "repairs"), cells)


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.0%}"


def misses(outcomes: Iterable[Outcome]) -> Iterator[str]:
    """The problems that were not found, the important ones first, and the traps with a finding."""
    for outcome in outcomes:
        for label in sorted(outcome.missed, key=lambda label: label.importance):
            yield f"missed {label.importance}/{label.reach} {_shown(label)}"
        for label, hits in outcome.alarms.items():
            yield f"TRAP   {_shown(label)}"
            yield from (f"       {finding.rule} {finding.path}: {finding.message}" for finding in hits)


def _shown(label: Label) -> str:
    place, *more = label.places
    words = " => ".join(filter(None, label.words.split("\n")))
    others = f" (+{len(more)})" if more else ""
    return f"{label.kind}: {label.server} {place.tool} {place.pointer}{others}\n       {words}"


def listing(outcomes: Iterable[Outcome], rule: str) -> Iterator[str]:
    """Every finding of a rule (``all`` for every rule), with what the labels say about it."""
    for outcome in outcomes:
        for credit, finding in outcome.credit:
            if rule in (finding.rule, "all"):
                where = f"{outcome.server.server} {finding.tool or 'server'} {finding.path}"
                yield f"{credit or '-':5} {finding.rule} {where}: {finding.message} FIX {finding.fix}"


def update() -> int:
    """Record the figures of every split, and the volume of findings about every recorded server.

    A split that this machine has not recorded as a whole keeps its figures.
    """
    recorded = dict(read_figures()["now"].get("recall", {}))
    for split in SPLITS:
        if not corpus_of(split).is_dir():
            continue
        outcomes, skipped = measure(split)
        if skipped:
            print(f"recall: {split} keeps its figures:", *skipped, sep="\n  ")
        elif outcomes:
            recorded[split] = figures(outcomes)
    spoken = {split: volume.as_json() for split, volume in sorted(volumes(splits(), CORPUS).items())}
    record({"recall": recorded, "corpus": spoken})
    print("recall: the figures are recorded.")
    return 0


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--split", choices=SPLITS, default="dev")
    parser.add_argument("--server", default="", metavar="NAME", help="only this server")
    parser.add_argument(
        "--misses", action="store_true", help="list what was not found, and the false alarms (not of hidden splits)"
    )
    parser.add_argument(
        "--findings", metavar="RULE", help="list the findings of a rule, or of 'all' (not of hidden splits)"
    )
    parser.add_argument("--update", action="store_true", help="record the figures")
    parser.add_argument("--json", action="store_true", help="the figures as JSON")
    asked = parser.parse_args(arguments)
    if asked.split in HIDDEN and (asked.misses or asked.findings):
        parser.error(f"{asked.split} is never listed: rules would be written for it")
    if not corpus_of(asked.split).is_dir():
        print(f"recall: the recordings of {asked.split} are not here; nothing was measured.")
        return 0
    if asked.update:
        return update()
    outcomes, skipped = measure(asked.split, only=asked.server)
    for reason in skipped:
        print(f"not measured: {reason}", file=sys.stderr)
    if not outcomes:
        print("recall: nothing was measured.")
        return 1
    if asked.json:
        print(json.dumps(figures(outcomes), indent=1))
        return 0
    parts = [report(asked.split, outcomes)]
    if asked.misses or asked.findings:
        parts = [misses(outcomes)] if asked.misses else []
        parts += [listing(outcomes, asked.findings)] if asked.findings else []
    for part in parts:
        for line in part:
            print(line)
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # the lists may be piped to head
    sys.exit(main())
