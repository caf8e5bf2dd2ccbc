"""Share of the default profile's findings that are useful: ``make precision [SPLIT=all|dev|held]``.

Reads judges' verdicts on single findings from ``fixtures/quality/precision/*.jsonl``, and counts those that the linter
still reports for the newest releases in ``../shared/corpus``: a finding that is gone, or whose message changed, needs
no verdict or a new one. ``--all`` counts every verdict.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import json
import re
import signal
import sys
from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from quality_corpus import CORPUS, QUALITY, Share, default_selection, kappa, lint, record, releases, table
from quality_labels import splits

from mcp_governor.report.finding_groups import causes
from mcp_governor.rule_names import current_name
from mcp_governor.rules import load_catalogue

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from mcp_governor.findings import Finding
    from mcp_governor.rules import Catalogue

PRECISION = QUALITY / "precision"

VERDICTS = ("useful", "nitpick", "false")
"""``useful``: a busy maintainer would fix it. ``nitpick``: true, but not worth the line. ``false``: not true."""


class Key(NamedTuple):
    """The identity of a finding for a judge: the place, the rule, and the facts.

    Attributes:
        server: name of the server in the corpus.
        rule: id of the rule.
        tool: name of the tool; empty for the server.
        pointer: the finding's path.
        digest: of the facts in message and fix, and of the value, see :func:`digest`.
    """

    server: str
    rule: str
    tool: str
    pointer: str
    digest: str


def read_key(record: Mapping[str, Any]) -> Key:
    """The key in a line of a file, with the current name of the rule."""
    key = Key(*(record[name] for name in Key._fields))
    return key._replace(rule=current_name(key.rule))


class Given(NamedTuple):
    """A finding that the linter currently reports."""

    key: Key
    version: str
    finding: Finding


class Verdict(NamedTuple):
    """One judge's verdict on one finding."""

    key: Key
    version: str
    split: str
    severity: str
    judge: str
    verdict: str
    reason: str

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> Verdict:
        """Parse a line of a file of verdicts, with the current name of the rule.

        Raises:
            ValueError: the verdict is not in :data:`VERDICTS`.
        """
        if record["verdict"] not in VERDICTS:
            raise ValueError(f"{record['verdict']!r} is not a verdict; known are {', '.join(VERDICTS)}")
        own = (record[name] for name in cls._fields[1:])
        return cls(read_key(record), *own)


_PLACE = re.compile(r"\{\w+(?:![qt])?(?::(?:\d{1,4}|all|lines))?\}")


@functools.cache
def _facts_of(template: str) -> re.Pattern[str]:
    """A pattern whose groups match the values of a template's placeholders."""
    return re.compile("(.*?)".join(map(re.escape, _PLACE.split(template))), re.DOTALL)


def facts(text: str, templates: Iterable[str]) -> list[str] | None:
    """The facts in a rule's message; ``None`` if no template matches."""
    for template in templates:
        found = _facts_of(template).fullmatch(text)
        if found is not None:
            return sorted(found.groups())
    return None


def digest(finding: Finding, catalogue: Catalogue) -> str:
    """Twelve hex digits for the facts of a finding: they do not depend on the rule's wording."""
    rule = catalogue.get(finding.rule)
    said = [
        text if (found := facts(text, templates)) is None else found
        for text, templates in (
            (finding.message, (rule.message, *rule.messages.values())),
            (finding.fix, (rule.fix,)),
        )
    ]
    text = json.dumps([*said, finding.value], sort_keys=True, ensure_ascii=True, default=str)
    text = _COUNTED.sub(r"\1argument", text)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


_COUNTED = re.compile(r"(\b\d+ (?:more )?|\b(?:one of its|fits no|than) )parameter(?=s?\b)")
"""Counts of parameters, which were counts of arguments when the first findings were judged."""


def key_of(server: str, finding: Finding, catalogue: Catalogue) -> Key:
    """The key of a finding about a server."""
    return Key(server, finding.rule, finding.tool or "", finding.path, digest(finding, catalogue))


def given(corpus: Path) -> list[Given]:
    """The default profile's current findings about the newest release of every recorded server."""
    catalogue, selection = load_catalogue(entry_points=False), default_selection()
    out: dict[Key, Given] = {}
    for recorded in releases(corpus):
        for finding in lint(recorded.surface, selection).findings:
            key = key_of(recorded.server, finding, catalogue)
            out.setdefault(key, Given(key, recorded.version, finding))
    return list(out.values())


def read_verdicts(folder: Path = PRECISION) -> list[Verdict]:
    """Every verdict in the files of a folder.

    Raises:
        ValueError: a line is not a verdict, or a judge judged a finding twice.
    """
    out: list[Verdict] = []
    for file in sorted(folder.glob("*.jsonl")):
        out += [Verdict.read(json.loads(line)) for line in file.read_text("utf-8").splitlines()]
    twice = [seen for seen, count in Counter((verdict.key, verdict.judge) for verdict in out).items() if count > 1]
    if twice:
        key, judge = twice[0]
        raise ValueError(f"{judge} judged {key.rule} at {key.server} {key.tool} {key.pointer} twice")
    return out


class Tally(NamedTuple):
    """Counts of judged findings. If judges disagree, each counts for an equal part of the finding.

    Attributes:
        n: number of findings.
        useful, nitpick, false: number of findings, with fractions if judges disagree.
    """

    n: int
    useful: float
    nitpick: float
    false: float

    @classmethod
    def of(cls, verdicts: Iterable[Verdict]) -> Tally:
        """The tally of some verdicts."""
        by_key: dict[Key, list[str]] = {}
        for verdict in verdicts:
            by_key.setdefault(verdict.key, []).append(verdict.verdict)
        parts = (sum(said.count(kind) / len(said) for said in by_key.values()) for kind in VERDICTS)
        return cls(len(by_key), *(round(part, 6) for part in parts))

    def share(self, kind: str) -> Share:
        """The share of ``useful``, ``nitpick`` or ``false``, or of ``true``, which is everything not false."""
        hits = self.n - self.false if kind == "true" else getattr(self, kind)
        return Share(hits, self.n)

    def as_json(self) -> dict[str, float]:
        """The tally, with the share of useful ones and its interval."""
        low, high = self.share("useful").interval
        shown = {"share": self.share("useful").value, "low": low, "high": high} if self.n else {}
        return {**self._asdict(), **{name: round(value, 4) for name, value in shown.items()}}


def agreement(verdicts: Iterable[Verdict]) -> list[tuple[str, str, int, float | None]]:
    """For every two judges of the same findings: their names, the number of findings, and Cohen's kappa."""
    by_judge: dict[str, dict[Key, str]] = {}
    for verdict in verdicts:
        by_judge.setdefault(verdict.judge, {})[verdict.key] = verdict.verdict
    out = []
    for one, other in combinations(sorted(by_judge), 2):
        both = sorted(by_judge[one].keys() & by_judge[other].keys())
        if both:
            out.append((one, other, len(both), kappa((by_judge[one][key], by_judge[other][key]) for key in both)))
    return out


def by_rule(verdicts: Iterable[Verdict]) -> dict[str, Tally]:
    """The tally of each rule."""
    groups: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        groups.setdefault(verdict.key.rule, []).append(verdict)
    return {rule: Tally.of(group) for rule, group in sorted(groups.items())}


def weighted(tallies: Mapping[str, Tally], findings: Mapping[str, int]) -> float | None:
    """The share of useful findings if every current finding were judged like the judged ones of its rule.

    A sample with the same number from every rule says little about all findings, since one rule produces half of them.
    Rules without a verdict do not count.
    """
    counted = {rule: findings[rule] for rule, tally in tallies.items() if tally.n and findings.get(rule)}
    total = sum(counted.values())
    return (
        sum(tallies[rule].share("useful").value * count for rule, count in counted.items()) / total if total else None
    )


# -- the figures

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
