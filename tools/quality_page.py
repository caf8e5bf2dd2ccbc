"""The tables of docs/project/quality.md and the measurements on pages of rules, from fixtures/quality/figures.json."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quality_corpus import STAGES, Share
from quality_labels import HIDDEN, KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


def tables(figures: Mapping[str, Any]) -> dict[str, str]:
    """All that comes from figures."""
    parts = (_together(figures), _goals(figures), _recall(figures), _volume(figures), _precision(figures))
    return {"figures": "\n\n".join("\n".join(part).rstrip() for part in parts) + "\n"}


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
        figures: from :func:`quality_corpus.read_figures`.
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
