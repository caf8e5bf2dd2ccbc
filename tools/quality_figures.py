"""The recorded figures, ``fixtures/quality/figures.json``, which CI checks and the pages show.

``before`` was recorded before any rule was changed for the labels and is never written again; ``now`` is written by
``make recall UPDATE=1`` and ``make precision UPDATE=1``.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from quality_corpus import QUALITY

from mcp_governor.rule_names import current_name

if TYPE_CHECKING:
    from pathlib import Path

FIGURES = QUALITY / "figures.json"
STAGES = ("before", "now")


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
