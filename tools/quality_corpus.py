"""What `make recall` and `make precision` share: recorded servers and the linter's findings about them, statistics, and
the recorded figures, ``fixtures/quality/figures.json``, which CI checks and the pages show."""

from __future__ import annotations

import gzip
import hashlib
import json
import math
import statistics
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from mcp_governor.checking.decisions import lint_report  # noqa: E402
from mcp_governor.checking.reading import lint_settings  # noqa: E402
from mcp_governor.config import Config  # noqa: E402
from mcp_governor.report.lines import plain_text  # noqa: E402
from mcp_governor.report.text import report_lines  # noqa: E402
from mcp_governor.rule_names import current_name  # noqa: E402
from mcp_governor.rules import Selection, load_catalogue, select  # noqa: E402
from mcp_governor.surface import build_surface  # noqa: E402
from mcp_governor.versions import Numbered  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mcp_governor.findings import Finding
    from mcp_governor.surface import Surface

CORPUS = ROOT.parent / "shared" / "corpus"
RECORDED = ROOT.parent / "recorded"
"""Recordings that ``tools/record_servers.py`` makes, in the layout of the corpus."""
QUALITY = ROOT / "fixtures" / "quality"


class Release(NamedTuple):
    """One release of one server.

    Attributes:
        registry: ``npm`` or ``pypi``.
        server: name of the file in the corpus.
        version: of the release.
        raw: the recorded surface.
    """

    registry: str
    server: str
    version: str
    raw: dict[str, Any]

    @property
    def surface(self) -> Surface:
        """The surface as the linter reads it."""
        return build_surface(self.raw, source=f"{self.registry}/{self.server}")

    @property
    def sha256(self) -> str:
        """The digest in ``servers.json``, see fixtures/quality/recall/README.md."""
        compact = json.dumps(self.raw, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(compact.encode()).hexdigest()


def newest(versions: Iterable[str]) -> str:
    """The highest version, with numbers compared as numbers; the order of the recordings does not matter.

    A version without numbers is older than one with numbers, and among those the greatest string is the newest.
    """

    def order(version: str) -> tuple[bool, Numbered, str]:
        numbered = Numbered.parse(version)
        return (numbered is not None, numbered or Numbered("0", (0,)), version)

    return max(versions, key=order)


def releases(corpus: Path = CORPUS) -> Iterator[Release]:
    """The newest release of every recorded server, by registry and name."""
    for file in sorted(corpus.glob("*/*.json.gz")):
        yield _release(file, None)


def release(registry: str, server: str, version: str, corpus: Path = CORPUS) -> Release | None:
    """One release; ``None`` if the corpus does not contain it."""
    file = corpus / registry / f"{server}.json.gz"
    try:
        return _release(file, version)
    except (FileNotFoundError, KeyError):
        return None


def _release(file: Path, version: str | None) -> Release:
    recorded: Mapping[str, Any] = json.loads(gzip.decompress(file.read_bytes()))
    version = newest(recorded) if version is None else version
    return Release(file.parent.name, file.name.removesuffix(".json.gz"), version, recorded[version])


class Linted(NamedTuple):
    """The output of ``lint`` for a release.

    Attributes:
        findings: each with its place.
        lines: number of lines in the text report that are about findings.
        printed: total number of lines.
    """

    findings: tuple[Finding, ...]
    lines: int
    printed: int


def default_selection() -> Selection:
    """The rules that run without configuration; rules of installed packages do not count."""
    return select(lint_settings(Config()), load_catalogue(entry_points=False))


def lint(surface: Surface, selection: Selection) -> Linted:
    """Lint a surface as the command does without configuration."""
    report, _ = lint_report(surface, Config(), selection, known=frozenset())
    without = replace(report, findings=())
    printed, frame = (len(plain_text(report_lines(shown)).splitlines()) for shown in (report, without))
    return Linted(report.findings, printed - frame, printed)


class Volume(NamedTuple):
    """The amount of output about some servers.

    Attributes:
        findings: by server.
        lines: of the text report, by server.
        rules: findings by rule.
    """

    findings: dict[str, int]
    lines: dict[str, int]
    rules: Counter[str]

    def as_json(self) -> dict[str, Any]:
        """The recorded figures."""
        counts, lines = self.findings.values(), self.lines.values()
        return {
            "servers": len(counts),
            "findings": {"sum": sum(counts), "median": statistics.median(counts), "max": max(counts)},
            "lines": {"median": statistics.median(lines), "max": max(lines)},
            "rules": dict(sorted(self.rules.items())),
        }


def volumes(splits: Mapping[str, str], corpus: Path = CORPUS) -> dict[str, Volume]:
    """The findings about the newest release of every recorded server: for ``all``, and for each split.

    Args:
        splits: server → ``dev`` or ``held``; the others are ``dev``.
        corpus: where the recordings are.
    """
    selection = default_selection()
    out: dict[str, Volume] = {}
    for recorded in releases(corpus):
        linted = lint(recorded.surface, selection)
        for split in ("all", splits.get(recorded.server, "dev")):
            volume = out.setdefault(split, Volume({}, {}, Counter()))
            volume.findings[recorded.server] = len(linted.findings)
            volume.lines[recorded.server] = linted.lines
            volume.rules.update(finding.rule for finding in linted.findings)
    return out


# -- statistics

_Z = 1.959964
"""The two-sided 95 % quantile of the normal distribution."""


class Share(NamedTuple):
    """``hits`` of ``total``; a hit may count partly if judges disagree."""

    hits: float
    total: int

    @property
    def value(self) -> float:
        """Between 0 and 1; 0 if there are none."""
        return self.hits / self.total if self.total else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The Wilson interval at 95 %, which is valid for small numbers and near 0 and 1, unlike the usual one."""
        if not self.total:
            return 0.0, 1.0
        n, p, square = self.total, self.value, _Z * _Z
        middle = (p + square / (2 * n)) / (1 + square / n)
        half = _Z / (1 + square / n) * math.sqrt(p * (1 - p) / n + square / (4 * n * n))
        return max(0.0, middle - half), min(1.0, middle + half)

    def __str__(self) -> str:
        if not self.total:
            return "-"
        low, high = self.interval
        return f"{self.hits:.4g}/{self.total} {self.value:.0%} [{low * 100:.0f}-{high * 100:.0f}]"

    def as_json(self) -> dict[str, float]:
        """The share with its interval, rounded to four digits."""
        low, high = self.interval
        figures = {"share": self.value, "low": low, "high": high} if self.total else {}
        return {"hits": self.hits, "total": self.total, **{name: round(value, 4) for name, value in figures.items()}}


def kappa(pairs: Iterable[tuple[str, str]]) -> float | None:
    """Cohen's kappa for two judges' verdicts on the same cases; ``None`` if it is undefined."""
    both = Counter(pairs)
    total = sum(both.values())
    if not total:
        return None
    first, second = Counter[str](), Counter[str]()
    for (one, other), count in both.items():
        first[one] += count
        second[other] += count
    observed = sum(count for (one, other), count in both.items() if one == other) / total
    expected = sum(first[verdict] * second[verdict] for verdict in first) / total**2
    return None if expected == 1 else (observed - expected) / (1 - expected)


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table with columns of equal width; the first column is text, the others are numbers."""
    cells = [list(head), *[[str(cell) for cell in row] for row in rows]]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    lines = [
        [
            cell.ljust(width) if not at else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        for row in cells
    ]
    rule = ["-" * widths[0], *["-" * (width - 1) + ":" for width in widths[1:]]]
    return "\n".join(f"| {' | '.join(line)} |" for line in (lines[0], rule, *lines[1:]))


# -- the recorded figures

FIGURES = QUALITY / "figures.json"
STAGES = ("before", "now")
"""The first was recorded before any rule was changed for the labels and is never written again."""


def read_figures(file: Path = FIGURES) -> dict[str, Any]:
    """Stage → ``recall``, ``corpus`` and ``precision``, as far as they were recorded.

    Figures of a rule that was renamed are under its current name.
    """
    figures: dict[str, Any] = json.loads(file.read_text("utf-8"), object_pairs_hook=_named) if file.is_file() else {}
    return {stage: figures.get(stage, {}) for stage in STAGES}


def _named(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return {current_name(name): value for name, value in pairs}


def record(parts: dict[str, Any], file: Path = FIGURES) -> None:
    """Write the figures of now, keeping its other parts."""
    figures = read_figures(file)
    figures["now"].update(parts)
    file.write_text(json.dumps(figures, indent=1, sort_keys=True) + "\n", "utf-8")
