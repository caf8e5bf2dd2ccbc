"""Generates docs/quality.md and the measurements on the rules' pages from fixtures/quality/figures.json."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quality_figures import STAGES
from quality_labels import KINDS

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
the verdicts are: [`fixtures/quality`](../fixtures/quality). Without the recordings the commands say so, and the tests
that hold the figures are skipped.

Authors of rules do not read the labels of *held* (12 servers), *sealed* (18), *apart* (13) and *remote* (13). They may
read *dev* (13), *later* (18), *fresh* (19), *more* (25), since 2026-11-24 *unseen* (11) and since 2026-11-26 *blind*
(12), *wider* (22) and *distant* (19). All but *dev* and *held* were labelled when rules existed already, by readers who
had seen no rule: their first figure is one of servers that no rule was written for. *Before* is the state before any
rule was changed for the labels.
Verdicts about findings on *later* count as *dev*. The reader decided which problems a rule could see in the text and
the schema; the others take knowledge of the domain.

*Remote* says most about your server: it was recorded and labelled last, by a draw from the registries instead of a list
of known names, and no author has read a label or a finding of it. Its first figure is that of the rules at the
beginning of that evening, before authors read *wider* and *distant*. What they learnt there raised wider from 54 to
80 % of the important problems that a rule could see, and remote not at all: half of them were found before, and half of
them after. What is still missed is of many sorts, and each server has its own. The readers of these three noted two
problems per tool or more, and called up to half of them a matter of meaning.

The goals speak of problems that a machine could find. The readers marked those as *reach: rule*; the second row of each
pair counts only them.
"""

_METHOD = """\
## How it was judged

**Recall.** One reader noted 526 problems and 257 traps on 25 servers before the rules were changed, twenty-nine others
those of 170 servers later; [the README of the labels](../fixtures/quality/recall/README.md) says how. A trap looks like
a problem to a naive rule and is none. A finding counts as finding a problem if it points at its place, or lists it
(`places` in JSON), and its rule repairs that kind of problem ([`kinds.toml`](../fixtures/quality/kinds.toml)). Of the
kinds that hold many sorts, schema defects and others, it has to be of the same sort as well. A finding of a matching
kind at the place of a trap is a false alarm, unless it finds a problem there.

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
that no model misses, "1-based", "not empty" or "26-character ID" (`plain-limit`). Any other limit, such as "max 100",
is still a warning. Remarks share two lines of a report, however much they find, and fail no run.

Two thirds of what the readers noted is minor, and much of that is of the sort that remarks are about: a count that may
be negative, two names for one thing, a default in prose only. A judge who is asked if one of them is worth a line says
no. So recall counts what remarks find, and a row of the table shows it without them. The goal for useful findings is
for warnings and errors, which ask for a repair; the share with remarks stands below it. Before, remarks were counted
with the rest.

**Lines about sealed servers.** One judge read all 109 lines about the 18 sealed servers on 2026-11-24: 51 useful, 36
nitpicks, 22 false ([verdicts](../fixtures/quality/precision/sealed/lines-judge3.jsonl)). That is 47 % useful, where
the servers that authors read have 71 %: what is true there is not yet true elsewhere. Afterwards four rules left the
default profile, the three rules above were put into one line, and causes of false lines were repaired: 85 lines are
left, 51 of them useful by the same verdicts (60 %) and 9 false.

**Lines about unseen servers.** Two more judges, blind to each other, read all 42 lines about the tools of the 11 unseen
servers, for which no rule was ever changed, on the same day and after those repairs: 21 and 20 useful, 12 and 13
nitpicks, 9 and 9 false; they differ on one line (kappa 0.96)
([verdicts](../fixtures/quality/precision/unseen)). None of the lines is an error. So half of what is said about a
server that nobody has read was useful, and a fifth of it false. Afterwards authors read these labels and verdicts, and
repaired the causes, so *unseen* is not unseen any more.

**Lines about blind servers.** Two judges, blind to each other, read all 64 lines about the 12 blind servers at the
end of that day: of the 61 that are warnings and errors 30 and 31 useful, 16 and 15 nitpicks, 15 and 15 false; of the
three remarks none useful ([verdicts](../fixtures/quality/precision/blind)). They differ on five lines (kappa 0.88).
Of seven errors three were true. So on a server that nobody has read, half of what is said is useful, a quarter is
false, and the goals of 70 % and 97 % are not reached there. Afterwards the causes of the four false errors and of
some other false lines were repaired, and on 2026-11-26 authors read the labels as well.

**Lines about servers without labels.** Authors read the lines about 28 more servers, repaired a dozen causes of false
ones, and then gave all 152 lines to two more judges, one for each half: of 121 warnings and errors 92 useful (76 %),
14 nitpicks and 15 false; of 31 remarks 6 useful ([verdicts](../fixtures/quality/precision/wide)).

**Lines about the servers that are set apart.** Then two judges, who did not see each other's verdicts, read all 59
lines about the 13 servers that nobody had read (commit bbf9b83e): of 44 warnings and errors 32 and 30 useful (73 and
68 %), 6 and 7 nitpicks, 6 and 7 false; of 15 remarks 3 and 3 useful. They differ on three lines (kappa 0.91). The one
error is true. Two days earlier it had been 50 % on the blind servers, with 25 % false
([verdicts](../fixtures/quality/precision/apart)). Half of what was false was repaired afterwards, from the judges'
reasons only, so the precision there is not blind any more; the recall is.

**Lines about nineteen new servers.** On 2026-11-26, after all that, two judges who did not see each other's verdicts
read all 95 lines about 19 servers that nobody had linted before (commit f4d06796): of 72 warnings and errors 42 and
42 useful (58 %), 14 and 13 nitpicks, 16 and 17 false; of 23 remarks 2 useful. They differ on four lines (kappa 0.93).
The one error is true ([verdicts](../fixtures/quality/precision/new)). That is less than on the servers that are set
apart: half of the false lines came from three rules (`open-items`, `unknown-tool`, `example-fits`), and 17 of the 27
nitpicks say that the schema should repeat what the text says. Most causes of false lines were repaired, from the
reasons: 83 lines are left; of the 55 warnings and errors among them that have a verdict, 41 and 42 are useful (75 and
76 %) and one false.

**Lines about 65 more servers.** Later that day, five rules became remarks, as said above, and 65 servers were recorded
that nobody had linted. An author read the lines about 24 of them and repaired what was false. Then two judges, who did
not see each other's verdicts, read all 105 lines about 22 others (commit bc7980bf): of 70 warnings and errors 49 and
47 useful (70 and 67 %), 5 and 7 nitpicks, 16 and 16 false; of 35 remarks 1 and 5 useful. They differ on eleven lines
(kappa 0.83). Three of the seven errors were true; three false ones took the address of a contract for base64. These
causes were repaired as well, and two more judges read all 79 lines about the last 19 (commit 18ff4e0c): of 49 warnings
and errors **40 and 40 useful (82 %, interval 69 to 90)**, 2 nitpicks and 7 false; of 30 remarks 3 useful. They differ
on three lines (kappa 0.94). All three errors are true, one of them not worth its line
([verdicts](../fixtures/quality/precision/strangers)). So on a server that nobody has read, seven to eight of ten
warnings and errors are useful, one or two are false, and a remark is rarely worth more than a glance. What was false
there was repaired afterwards, so these servers are seen now.

**Lines about 29 servers that were drawn.** In the evening, with the rules that authors had learnt from the labels of
*wider*, two judges who did not see each other's verdicts read all 102 lines about 29 more servers, drawn from the
registries by a digest of their names, half of them with six tools or fewer (commit d4afb86c): of 61 warnings and errors
**47 and 49 useful (77 and 80 %, interval 65 to 88)**, 9 and 7 nitpicks, 5 and 5 false; of 41 remarks 3 and 6 useful, 4
and 3 false. They differ on seven lines (kappa 0.88). The one error is true. Four of the six false lines are repaired.
Of all 120 servers drawn that evening five get an error: three are true, two were false (a placeholder in a command;
what another sentence serializes) and are repaired. Of 24 errors about 195 servers recorded before, 22 were true; the
two false ones are repaired as well.

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
    """docs/quality.md."""
    parts = [
        "# How good the linter is",
        NOTE,
        _INTRODUCTION,
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


def _goals(figures: Mapping[str, Any]) -> Iterator[str]:
    yield "## The figures"
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
            out[rule] = "none of its findings has been judged ([quality](../quality.md))."
            continue
        judged = f"{tally['n']} judged finding{'' if tally['n'] == 1 else 's'}"
        useful = f"{tally['share'] * 100:.0f} % useful ({tally['low'] * 100:.0f}–{tally['high'] * 100:.0f})"
        others = f"{tally['nitpick']:.4g} nitpicks, {tally['false']:.4g} false"
        out[rule] = f"{judged}: {useful}; {others} ([quality](../quality.md))."
    return out
