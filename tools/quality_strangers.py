"""What judges said of whole lines about servers that no rule had been written for, for docs/project/quality.md.

Each sample is of one day and of servers that nobody had linted; its verdicts are about the rules of that day. Causes of
false lines were repaired afterwards, so no sample counts twice.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from quality_corpus import QUALITY
from quality_numbers import Share, kappa

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

VERDICTS = QUALITY / "precision"


class Sample(NamedTuple):
    """Lines that one judge read, or two who did not see each other's verdicts.

    Attributes:
        day: of the verdicts.
        about: the servers.
        judges: the files of each judge, below ``fixtures/quality/precision``, in the same order of lines.
    """

    day: str
    about: str
    judges: tuple[tuple[str, ...], ...]


SAMPLES = (
    Sample("2026-11-24", "*sealed*", (("sealed/lines-judge3",),)),
    Sample("2026-11-24", "*unseen*", (("unseen/lines-judge5",), ("unseen/lines-judge6",))),
    Sample("2026-11-24", "*blind*", (("blind/lines-judge7",), ("blind/lines-judge8",))),
    Sample(
        "2026-11-26",
        "popular, half of them per judge",
        (("wide/lines-judge11", "wide/more-lines-judge11", "wide/more-lines-judge12"),),
    ),
    Sample("2026-11-26", "*apart*", (("apart/lines-judge9",), ("apart/lines-judge10",))),
    Sample("2026-11-26", "popular", (("new/lines-judge13",), ("new/lines-judge14",))),
    Sample("2026-11-26", "popular", (("strangers/lines-judge15",), ("strangers/lines-judge16",))),
    Sample("2026-11-26", "popular", (("strangers/lines-judge17",), ("strangers/lines-judge18",))),
    Sample("2026-11-27", "drawn", (("strangers/lines-judge19",), ("strangers/lines-judge20",))),
    Sample("2026-11-28", "drawn", (("strangers/lines-judge21",), ("strangers/lines-judge22",))),
    Sample("2026-11-28", "drawn", (("strangers/lines-judge23",), ("strangers/lines-judge24",))),
    Sample("2026-11-28", "drawn", (("strangers/lines-judge25",), ("strangers/lines-judge26",))),
    Sample("2026-11-28", "drawn", (("strangers/lines-judge27",), ("strangers/lines-judge28",))),
    Sample("2026-11-28", "drawn", (("strangers/lines-judge29",), ("strangers/lines-judge30",))),
)


class Line(NamedTuple):
    """One line of a report, and what a judge called it.

    Attributes:
        server: that it is about.
        severity: of the first finding in the line.
        verdict: ``useful``, ``nitpick`` or ``false``.
    """

    server: str
    severity: str
    verdict: str


_HEAD = (
    *("day", "servers", "warnings and errors", "useful", "nitpick", "false", "errors that are true"),
    *("remarks: useful, false", "kappa"),
)


def table(samples: Sequence[Sample] = SAMPLES) -> Iterator[str]:
    """The rows of a Markdown table, one per sample; of two judges, the mean."""
    yield f"| {' | '.join(_HEAD)} |"
    yield "| --- | --- | ---: | --- | ---: | ---: | --- | --- | ---: |"
    for sample in samples:
        yield _row(sample, [list(_lines(files)) for files in sample.judges])
    drawn = [sample.judges for sample in samples if sample.about == "drawn" and len(sample.judges) == _BOTH]
    if len(drawn) > 1:
        together = [[line for judges in drawn for line in _lines(judges[judge])] for judge in range(_BOTH)]
        yield _row(Sample("together", "drawn", ()), together)


_BOTH = 2
"""Number of judges of a sample that can be added to others."""


def _row(sample: Sample, judges: Sequence[Sequence[Line]]) -> str:
    count = len(judges)
    asking = [[line for line in lines if line.severity != "info"] for lines in judges]
    said = Counter(line.verdict for lines in asking for line in lines)
    remarks = [line.verdict for lines in judges for line in lines if line.severity == "info"]
    errors = [line.verdict for lines in judges for line in lines if line.severity == "error"]
    true = sum(verdict != "false" for verdict in errors) / count
    remarked = Counter(remarks)
    agreed = kappa([(one.verdict, other.verdict) for one, other in zip(*judges, strict=True)]) if count == 2 else None
    cells = (
        sample.day,
        f"{len({line.server for line in judges[0]})}, {sample.about}",
        f"{len(asking[0])}",
        _share(Share(said["useful"] / count, len(asking[0]))),
        f"{said['nitpick'] / count:g}",
        f"{said['false'] / count:g}",
        f"{true:g} of {len(errors) / count:g}",
        f"{remarked['useful'] / count:g}, {remarked['false'] / count:g} of {len(remarks) / count:g}",
        "–" if agreed is None else f"{agreed:.2f}",
    )
    return f"| {' | '.join(cells)} |"


def _lines(files: Sequence[str]) -> Iterator[Line]:
    for file in files:
        for text in (VERDICTS / f"{file}.jsonl").read_text("utf-8").splitlines():
            said = json.loads(text)
            yield Line(said["server"], said["severity"], said["verdict"])


def _share(share: Share) -> str:
    low, high = share.interval
    return f"{share.hits:g}, {share.value:.0%} ({low * 100:.0f}–{high * 100:.0f})".replace("%", " %")
