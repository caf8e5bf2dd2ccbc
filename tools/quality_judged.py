"""Findings that judges called useful, a nitpick or false: fixtures/quality/precision."""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from quality_corpus import QUALITY, default_selection, lint, releases
from quality_numbers import Share, kappa

from mcp_governor.rule_names import current_name
from mcp_governor.rules import load_catalogue

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
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
    # A verdict outlives another way to name the finding.
    value = finding.value if finding.former is None else finding.former
    text = json.dumps([*said, value], sort_keys=True, ensure_ascii=True, default=str)
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
