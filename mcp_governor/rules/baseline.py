"""The lint baseline: findings that were known when it was written and do not fail a run, so that only new ones do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from mcp_governor.documents import Wrong, read
from mcp_governor.errors import FileFormatError
from mcp_governor.files import read_bytes
from mcp_governor.rule_names import current_id, noted_name
from mcp_governor.surface.file import dump_json, parse_json
from mcp_governor.text import visible

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from mcp_governor.findings import Finding

_WRITE = "Write it with: mcp-governor lint --baseline {} --write-baseline"


class LintBaseline(Struct, frozen=True, tag_field="format", tag="mcp-governor/lint-baseline-1"):
    """Known findings, which fail no run.

    Attributes:
        findings: Ids of findings, as reports print them, sorted.
    """

    findings: tuple[str, ...]


def dump_baseline(findings: Iterable[Finding]) -> str:
    """The content of a baseline file: the ids of findings, sorted, one per line, so that diffs are readable."""
    return dump_json(msgspec.to_builtins(LintBaseline(tuple(sorted({found.id for found in findings})))))


def load_baseline(path: Path, *, what: str = "") -> frozenset[str]:
    """The ids in a baseline file under current names; former names are reported.

    Args:
        path: the file.
        what: name of the file in messages; defaults to the path.

    Raises:
        FileFormatError: the file is missing or is not a baseline file.
    """
    shown = what or visible(str(path))
    try:
        data = read_bytes(path)
    except OSError as error:
        raise FileFormatError(
            f"{shown} cannot be read: {error.strerror}.",
            _WRITE.format(shown),
        ) from None
    return frozenset(noted_name(known, shown) for known in _listed(data, shown))


def parse_baseline(data: bytes, shown: str) -> frozenset[str]:
    """The ids in the content of a baseline file, under current names.

    Raises:
        FileFormatError: the content is not a baseline file.
    """
    return frozenset(map(current_id, _listed(data, shown)))


def _listed(data: bytes, shown: str) -> tuple[str, ...]:
    made = read(LintBaseline, parse_json(data, shown))
    if isinstance(made, Wrong):
        raise FileFormatError(f"{shown} is not a lint baseline: {made.problem}.", _WRITE.format(shown))
    return made.findings
