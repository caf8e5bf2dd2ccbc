"""Share of the default profile's findings that are useful: ``make precision [SPLIT=all|dev|held]``.

Reads judges' verdicts on single findings from ``fixtures/quality/precision/*.jsonl``, and counts those that the linter
still reports for the newest releases in ``../shared/corpus``: a finding that is gone, or whose message changed, needs
no verdict or a new one. ``--all`` counts every verdict.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

from quality_corpus import CORPUS
from quality_figures import record
from quality_judged import PRECISION, Given, Tally, Verdict, agreement, by_rule, given, read_verdicts, weighted
from quality_labels import splits
from quality_numbers import table

from mcp_governor.report.finding_groups import causes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mcp_governor.findings import Finding

SPLITS = ("all", "dev", "held")


def of_split(verdicts: Iterable[Verdict], split: str) -> list[Verdict]:
    """The verdicts about servers of a split."""
    return [verdict for verdict in verdicts if split in ("all", verdict.split)]


def standing(verdicts: Iterable[Verdict], today: Iterable[Given]) -> list[Verdict]:
    """The verdicts on findings that are still reported, with their current severity."""
    severity = {item.key: item.finding.severity.value for item in today}
    return [verdict._replace(severity=severity[verdict.key]) for verdict in verdicts if verdict.key in severity]


def demanding(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """The verdicts on warnings and errors, which ask for a repair; remarks do not, and share one line."""
    return [verdict for verdict in verdicts if verdict.severity != "info"]


def counts_by_rule(today: Iterable[Given], split: str, drawn: Mapping[str, str]) -> Counter[str]:
    """Number of lines per rule in the text report on the servers of a split: one for each cause."""
    servers: dict[str, list[Finding]] = {}
    for item in today:
        if split in ("all", drawn.get(item.key.server, "dev")):
            servers.setdefault(item.key.server, []).append(item.finding)
    return Counter(cause.rule for findings in servers.values() for cause in causes(findings))


def figures(verdicts: list[Verdict], counts: Mapping[str, Mapping[str, int]]) -> dict[str, Any]:
    """The data of all tables, as JSON.

    Args:
        verdicts: those that count.
        counts: split → rule → number of current findings.
    """
    out: dict[str, Any] = {}
    for split in SPLITS:
        chosen = of_split(verdicts, split)
        found = counts.get(split, {})
        rules, asked = by_rule(chosen), demanding(chosen)
        out[split] = {
            "judged": Tally.of(asked).as_json(),
            "errors": Tally.of(verdict for verdict in chosen if verdict.severity == "error").share("true").as_json(),
            "weighted": _rounded(weighted(by_rule(asked), found)),
            "with remarks": _rounded(weighted(rules, found)),
            "today": sum(found.values()),
            "covered": sum(found[rule] for rule in rules if rule in found),
            "rules": {rule: tally.as_json() for rule, tally in rules.items()},
        }
    out["judges"] = [[*row[:3], None if row[3] is None else round(row[3], 4)] for row in agreement(verdicts)]
    return out


def _rounded(share: float | None) -> float | None:
    return None if share is None else round(share, 4)


def report(split: str, verdicts: list[Verdict], counts: Mapping[str, int]) -> Iterator[str]:
    """The tables of one split.

    Args:
        split: the split.
        verdicts: those that count, of this split.
        counts: rule → number of current findings; empty if the corpus is missing.
    """
    rules = by_rule(verdicts)
    total = Tally.of(verdicts)
    yield f"## Precision on {split}: {total.n} judged findings\n"
    rows = [
        (rule, counts.get(rule, ""), *_cells(tally))
        for rule, tally in sorted(rules.items(), key=lambda row: (-row[1].n, row[0]))
    ]
    yield table(
        ("rule", "lines", "judged", "useful", "nitpick", "false"),
        [*rows, ("**all**", sum(counts.values()) or "", *_cells(total))],
    )
    yield "\nShare and 95 % interval (Wilson) of the judged findings. Where judges disagree, each counts in part.\n"
    errors = Tally.of(verdict for verdict in verdicts if verdict.severity == "error")
    yield f"Errors that are true: {errors.share('true')}"
    for name, some in (("Warnings and errors", by_rule(demanding(verdicts))), ("With remarks", rules)):
        share = weighted(some, counts)
        if share is not None:
            lines = sum(counts[rule] for rule in some if rule in counts)
            yield f"{name}, if all lines of a rule are as its judged findings: {share:.0%} of {lines} lines useful"
    if counts:
        unjudged = sorted(set(counts) - set(rules))
        if unjudged:
            yield f"Rules without a verdict: {', '.join(f'{rule} ({counts[rule]})' for rule in unjudged)}"
    for one, other, both, value in agreement(verdicts):
        shown = "not defined" if value is None else f"{value:.2f}"
        yield f"{one} and {other} on {both} findings: kappa {shown}"


def _cells(tally: Tally) -> tuple[object, ...]:
    return (tally.n, *(tally.share(kind) for kind in ("useful", "nitpick", "false")))


def measure(asked: argparse.Namespace) -> int:
    """``make precision``."""
    verdicts, drawn = read_verdicts(PRECISION), splits()
    today = given(CORPUS) if CORPUS.is_dir() else []
    if not today:
        print("precision: the corpus (../shared/corpus) is not here; every verdict counts, given today or not.")
    elif not asked.all:
        verdicts = standing(verdicts, today)
    counts = {split: counts_by_rule(today, split, drawn) for split in SPLITS}
    if asked.update:
        if not today:
            print("precision: without the corpus there is nothing to record.")
            return 1
        record({"precision": figures(verdicts, counts)})
    if asked.json:
        print(json.dumps(figures(verdicts, counts), indent=1))
        return 0
    for line in report(asked.split, of_split(verdicts, asked.split), counts[asked.split]):
        print(line)
    return 0


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--split", choices=SPLITS, default="all")
    parser.add_argument("--all", action="store_true", help="count verdicts on findings that are no longer given, too")
    parser.add_argument("--json", action="store_true", help="the figures as JSON")
    parser.add_argument("--update", action="store_true", help="record the figures")
    return measure(parser.parse_args(arguments))


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # the tables may be piped to head
    sys.exit(main())
