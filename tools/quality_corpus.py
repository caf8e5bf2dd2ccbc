"""The recorded servers next to the repository, each with its newest release, and the linter's findings about them."""

from __future__ import annotations

import gzip
import hashlib
import json
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
from mcp_governor.rules import Selection, load_catalogue, select  # noqa: E402
from mcp_governor.surface import build_surface  # noqa: E402
from mcp_governor.versions import Numbered  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

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
