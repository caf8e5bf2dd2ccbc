"""Generates docs/project/quality.md and the measurements on the rules' pages from fixtures/quality/figures.json."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quality_figures import STAGES
from quality_labels import HIDDEN, KINDS
from quality_numbers import Share
from quality_strangers import table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

NOTE = "<!-- Written by `make docs` from fixtures/quality/figures.json and tools/quality_page.py, not by hand. -->"

_INTRODUCTION = """\
What the default profile finds of the problems that a reviewer finds, and how many of its findings are worth their line.
Both are measured on servers that nobody here wrote: recall on 195 public servers, precision on 43 of them. Neither
figure is worth anything alone: a linter that reports everything finds everything, and one that reports nothing is never
wrong.

<!-- journey: clone -->
```console
make recall                        # what the reviewer noted on the dev half, by kind
make recall SPLIT=held             # the same on servers that were set aside
make recordings                    # record the servers that are not in the corpus, from the registries
make recall MORE=--misses          # the problems that nothing finds (dev)
make precision                     # what the judges said of today's findings, by rule
make recall UPDATE=1 && make precision UPDATE=1 && make docs
```

The recordings of the servers are not in this repository, because they belong to their authors. The labels and
the verdicts are: [`fixtures/quality`](../../fixtures/quality). Without the recordings the commands say so, and the
tests that hold the figures are skipped.

Authors of rules do not read the labels of *held* (12 servers), *sealed* (18), *apart* (13) and *remote* (13). They may
read *dev* (13), *later* (18), *fresh* (19), *more* (25), since 2026-11-24 *unseen* (11) and since 2026-11-26 *blind*
(12), *wider* (22) and *distant* (19). All but *dev* and *held* were labelled when rules existed already, by readers who
had seen no rule: their first figure is one of servers that no rule was written for. *Before* is the state before any
rule was changed for the labels.
Verdicts about findings on *later* count as *dev*. The reader decided which problems a rule could see in the text and
the schema; the others take knowledge of the domain.

*Remote* says most about an unknown server: it was labelled last and drawn from the registries instead of a list of
known names. What authors learnt from *wider* and *distant* raised wider from 54 to 80 % of the important problems that
a rule could see, and remote not at all: what is still missed is of many sorts, and each server has its own.

On 2026-11-29 the reader of descriptions became a table of forms, and rules went whose lines judges called useless. Of
the hidden servers only *held* was measured again whole, so the columns of the other sets are those of the day before.
On the 49 hidden servers that could be recorded again, 170 of 338 important problems are found (194 with the reader
before), by warnings and errors alone 127 (120), and traps are hit 7 times (10).

The goals speak of problems that a machine could find. The readers marked those as *reach: rule*; the second row of each
pair counts only them.
"""

_METHOD = """\
## How it was judged

**Recall.** One reader noted 526 problems and 257 traps on 25 servers before the rules were changed, twenty-nine others
those of 170 servers later; [the README of the labels](../../fixtures/quality/recall/README.md) says how. A trap looks
like a problem to a naive rule and is none. A finding counts as finding a problem if it points at its place, or lists it
(`places` in JSON), and its rule repairs that kind of problem ([`kinds.toml`](../../fixtures/quality/kinds.toml)). Of
the kinds that hold many sorts, schema defects and others, it has to be of the same sort as well. A finding of a
matching kind at the place of a trap is a false alarm, unless it finds a problem there.

**Precision.** A judge reads one finding at a time, with the message, the fix, the place and the tool, and calls it
*useful* (a busy maintainer would repair it), a *nitpick* (true, and not worth the line) or *false*. The judges do not
see each other's verdicts. The sheets of samples drawn by `tools/precision.py draw` hide rule and severity; the first
sample, of the rules as they were before, was drawn earlier and named the rule. A sample takes the same number of
findings from every rule as far as there are as many, so that rare rules are judged at all. Its plain share is therefore
not the share among all findings; the *weighted* share counts each rule as often as it takes a line of the report
(*before*, when nothing was grouped: as often as it was reported). A verdict stands as long as the linter still gives
that finding with the same facts; a finding that is gone, or says something else, leaves the tables of *now*. Where
judges disagree, each counts for an equal part.

`argument-dependencies` and `missing-format` divide readers and judges. The readers who noted the problems say that
calls fail; judges say that a model reads what the text says, and that the schema need not repeat it. Of the lines that
`argument-dependencies` leads, judges called 16 of 61 useful, of those that `missing-format` leads 2 of 25. So both are
remarks since 2026-11-26, as are `stringly-typed` (none of 16), `required-default` and `boolean-or-text`, and limits
that no model misses, "1-based", "not empty" or "26-character ID" (`plain-limit`). Other limits, such as "max 100"
(`limit-without-bound`), followed on 2026-11-28, and so did `index-base`: on drawn servers 8 of 26 and none of ten
verdicts called their lines useful. Remarks share two lines of a report, however much they find, and fail no run.

Two thirds of what the readers noted is minor, and much of that is of the sort that remarks are about: a count that may
be negative, two names for one thing, a default in prose only. A judge who is asked if one of them is worth a line says
no. So recall counts what remarks find, and a row of the table shows it without them. The goal for useful findings is
for warnings and errors, which ask for a repair; the share with remarks stands below it. Before, remarks were counted
with the rest.

**Lines.** What a maintainer sees is a report, so judges also read whole reports about servers that nobody had linted
before: every line. Where there were two judges, neither saw the other's verdicts, and the table above shows the mean.
Authors read the reasons afterwards and repaired most causes of false lines, each with a test, so a sample is blind
once. *Popular* servers were taken from lists of known names, *drawn* ones from all that the registries hold, by a
digest of the name. The [verdicts](../../fixtures/quality/precision) are next to those about findings.

**What CI holds.** Neither recall on the held half nor the share of useful findings may fall below the figures recorded
here, nor may more traps be hit. A rule with eight judged findings or more of which fewer than 60 % are useful may not
give warnings or errors in the profile `recommended`."""

_LIMITS = """\
## Limits

- **The judges are AI models**, as is the reader who wrote the labels, and as are the authors of the rules. They share
  blind spots. No maintainer of these servers was asked if they agree.
- The reader had read the list of rules that were asked for, and neither their code nor their findings.
- The list of problems is not complete, and one reader wrote it. Another one would agree on most of the important ones
  and on fewer of the minor ones; nobody has measured that.
- Place and kind are matched mechanically. A finding may count as found although its message names another detail of
  the same place, and a finding that asks for the same repair in a place that nobody noted counts for nothing.
- The held servers were set aside for the rules of this measurement. Their figures were looked at after each round of
  changes, so the last rounds are no longer blind to them. That is why the unseen servers were added, the sealed ones
  when the unseen ones had been measured often, the blind ones when authors had read the unseen ones, and those apart
  when they had read the blind ones.
- 12 held servers are few, and one of them (mcp-atlassian) holds a fifth of the held problems. The intervals treat
  problems as independent, which problems of one server are not; the mean over servers is shown next to the sum.
- The servers are public and popular. A small private server may look different."""


def page(figures: Mapping[str, Any]) -> str:
    """docs/project/quality.md."""
    parts = [
        "# How good the linter is",
        NOTE,
        _INTRODUCTION,
        "\n".join(_together(figures)),
        "\n".join(_strangers()),
        "\n".join(_goals(figures)),
        "\n".join(_recall(figures)).rstrip(),
        "\n".join(_volume(figures)),
        "\n".join(_precision(figures)),
        _METHOD,
        _LIMITS,
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _at(figures: Mapping[str, Any], *path: str) -> Any:
    """A figure; ``None`` if it was not recorded."""
    value: Any = figures
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _share(found: Any) -> str:
    """``14 of 94, 15 % (9-23)``."""
    if not found:
        return "–"
    if not found["total"]:
        return "none"
    interval = f"{found['low'] * 100:.0f}–{found['high'] * 100:.0f}"
    return f"{found['hits']:.4g} of {found['total']}, {found['share']:.0%} ({interval})".replace("%", " %")


def _judged(found: Any) -> str:
    return _share(found) if found and found["total"] else "not judged"


def _useful(tally: Any) -> str:
    return _judged(tally and {"hits": tally["useful"], "total": tally["n"], **tally})


def _percent(value: Any) -> str:
    return "–" if value is None else f"{value * 100:.0f} %"


def _number(value: Any) -> str:
    return "–" if value is None else f"{value:g}"


_GOALS: tuple[tuple[str, str, Callable[[Any], str], tuple[str, ...]], ...] = (
    ("important problems found", "60 % or more", _share, ("recall", "SPLIT", "recall", "important")),
    ("… of those that a rule could see", "", _share, ("recall", "SPLIT", "recall", "important, reach rule")),
    ("… mean over servers", "", _percent, ("recall", "SPLIT", "recall", "important", "mean per server")),
    ("… by warnings and errors alone", "", _share, ("recall", "SPLIT", "without remarks", "important")),
    ("all problems found", "40 % or more", _share, ("recall", "SPLIT", "recall", "all")),
    ("… of those that a rule could see", "", _share, ("recall", "SPLIT", "recall", "all, reach rule")),
    ("… mean over servers", "", _percent, ("recall", "SPLIT", "recall", "all", "mean per server")),
    ("traps hit", "1 in 30 at most", _share, ("recall", "SPLIT", "traps")),
    ("judged warnings and errors that are useful", "", _useful, ("precision", "SPLIT", "judged")),
    ("… weighted by how often a rule reports", "70 % or more", _percent, ("precision", "SPLIT", "weighted")),
    ("… together with remarks", "", _percent, ("precision", "SPLIT", "with remarks")),
    ("judged errors that are true", "97 % or more", _judged, ("precision", "SPLIT", "errors")),
    ("lines about findings, median server", "fewer than 15", _number, ("corpus", "SPLIT", "lines", "median")),
)
"""The goals: label, target, format, and key in a stage's figures."""


_READ = {
    "dev": ("before", "now"),
    **dict.fromkeys(("later", "fresh", "more", "unseen", "blind", "wider", "distant"), ("first", "now")),
}
"""The splits that authors read, with the names of both stages."""


def _together(figures: Mapping[str, Any]) -> Iterator[str]:
    """The hidden splits added up: what to expect of a server that nobody has read."""
    yield "## In short"
    yield ""
    yield f"The {len(HIDDEN)} sets of servers that authors of rules do not read ({', '.join(HIDDEN)}), added up:"
    yield ""
    yield "| | goal | before, or first | now |"
    yield "| --- | --- | --- | --- |"
    for name, goal, _, path in _GOALS:
        if path[0] == "recall" and path[-1] != "mean per server":
            cells = [_share(_sum(figures[stage], path)) for stage in STAGES]
            yield f"| {name} | {goal} | {' | '.join(cells)} |"


def _sum(figures: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    """A share over all hidden splits; ``None`` if one of them has none."""
    found = [_at(figures, *(split if token == "SPLIT" else token for token in path)) for split in HIDDEN]
    if not all(found):
        return None
    return Share(sum(one["hits"] for one in found), sum(one["total"] for one in found)).as_json()


def _strangers() -> Iterator[str]:
    yield "Lines about servers that no rule had been written for, as judges read them, with the rules of the day:"
    yield ""
    yield from table()


def _goals(figures: Mapping[str, Any]) -> Iterator[str]:
    yield "## Set by set"
    yield ""
    yield "On the servers that authors of rules do not read:"
    yield ""
    later = dict.fromkeys(("sealed", "apart", "remote"), ("first", "now"))
    yield from _figures(figures, {"held": ("before", "now"), **later})
    yield ""
    yield "In brackets the 95 % interval (Wilson), in per cent."
    for stage in ("before", "now"):
        for one, other, count, kappa in _at(figures[stage], "precision", "judges") or ():
            agreed = "not defined" if kappa is None else f"{kappa:.2f}"
            yield f"Agreement of {one} and {other} on {count} findings ({stage}): Cohen's kappa {agreed}."
    yield ""
    yield "On the servers that they read:"
    yield ""
    yield from _figures(figures, _READ)


def _figures(figures: Mapping[str, Any], columns: Mapping[str, tuple[str, str]]) -> Iterator[str]:
    """A table of the goals; ``columns`` has the names of both stages for each split."""
    names = [f"{split}, {stage}" for split, stages in columns.items() for stage in stages]
    yield f"| | goal | {' | '.join(names)} |"
    yield f"| --- | --- |{' --- |' * len(names)}"
    for name, goal, shown, path in _GOALS:
        found = [
            _at(figures[stage], *(split if token == "SPLIT" else token for token in path))
            for split in columns
            for stage in STAGES
        ]
        if path[0] == "recall" or any(found):
            yield f"| {name} | {goal} | {' | '.join(map(shown, found))} |"


def _recall(figures: Mapping[str, Any]) -> Iterator[str]:
    for split, title, first in (
        ("held", "the held servers", "before"),
        ("sealed", "the sealed servers", "first"),
        ("apart", "the servers that are set apart", "first"),
        ("remote", "the remote servers", "first"),
    ):
        measures = ("important", "all", "traps hit")
        names = [f"{name}, {stage}" for name in measures for stage in (first, "now")]
        yield f"## Recall on {title}, by kind"
        yield ""
        yield f"| kind | {' | '.join(names)} |"
        yield f"| --- |{' --- |' * len(names)}"
        for kind in KINDS:
            cells = [
                _share(_at(figures[stage], "recall", split, "kinds", kind, name))
                for name in ("important", "all", "traps")
                for stage in STAGES
            ]
            yield f"| `{kind}` | {' | '.join(cells)} |"
        yield ""


def _volume(figures: Mapping[str, Any]) -> Iterator[str]:
    yield "## How much is said"
    yield ""
    yield "Findings of the default profile on the newest release of each recorded server, and lines of the text report."
    yield ""
    yield "| servers | | findings | median | maximum | lines, median | lines, maximum |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | ---: |"
    for split in ("all", "dev", "held"):
        for stage in ("before", "now"):
            found = _at(figures[stage], "corpus", split)
            if found:
                numbers = (
                    *(found["findings"][name] for name in ("sum", "median", "max")),
                    *(found["lines"][name] for name in ("median", "max")),
                )
                cells = " | ".join(f"{number:,g}" for number in numbers)
                yield f"| {split} ({found['servers']}) | {stage} | {cells} |"


def _precision(figures: Mapping[str, Any]) -> Iterator[str]:
    yield "## Precision by rule"
    for stage, label in (("before", "Before"), ("now", "Now")):
        rules = _at(figures[stage], "precision", "all", "rules")
        reported = _at(figures[stage], "corpus", "all", "rules") or {}
        yield ""
        if not rules:
            yield f"{label}: no finding has been judged."
            continue
        judged = _at(figures[stage], "precision", "all", "judged", "n")
        yield f"{label}, all servers: {judged} judged findings."
        yield ""
        yield "| rule | reported | judged | useful | nitpick | false |"
        yield "| --- | ---: | ---: | --- | ---: | ---: |"
        for rule, tally in sorted(rules.items(), key=lambda row: (-row[1]["n"], row[0])):
            numbers = f"{tally['nitpick']:.4g} | {tally['false']:.4g}"
            yield f"| `{rule}` | {reported.get(rule, 0)} | {tally['n']} | {_useful(tally)} | {numbers} |"


def measured(figures: Mapping[str, Any]) -> dict[str, str]:
    """Rule → a sentence about its precision, for rules that report anything on the recorded servers.

    Args:
        figures: from :func:`quality_figures.read_figures`.
    """
    tallies = _at(figures["now"], "precision", "all", "rules") or {}
    reported = _at(figures["now"], "corpus", "all", "rules") or {}
    out = {}
    for rule in {*reported, *tallies}:
        tally = tallies.get(rule)
        if tally is None:
            out[rule] = "none of its findings has been judged ([quality](../project/quality.md))."
            continue
        judged = f"{tally['n']} judged finding{'' if tally['n'] == 1 else 's'}"
        useful = f"{tally['share'] * 100:.0f} % useful ({tally['low'] * 100:.0f}–{tally['high'] * 100:.0f})"
        others = f"{tally['nitpick']:.4g} nitpicks, {tally['false']:.4g} false"
        out[rule] = f"{judged}: {useful}; {others} ([quality](../project/quality.md))."
    return out
