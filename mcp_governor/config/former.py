"""Translates former rule names and finding ids in the configuration to current ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.rule_names import current_id, noted_name
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    Renaming = Callable[[str, str], str]


def with_current_names(table: Mapping[str, Any], file: str | None) -> dict[str, Any]:
    """A valid configuration table with current names in place of former ones.

    Args:
        table: as in the file.
        file: its name in notes; ``None`` for a file of an earlier commit, which needs no notes because nobody can
            change it.
    """

    def renamed(name: str, key: str) -> str:
        return current_id(name) if file is None else noted_name(name, file, key)

    out = dict(table)
    if "lint" in table:
        out["lint"] = _lint(table["lint"], renamed)
    if "accept" in table:
        out["accept"] = [_acceptance(item, renamed) for item in table["accept"]]
    return out


def _lint(table: Mapping[str, Any], renamed: Renaming) -> dict[str, Any]:
    out = dict(table)
    for key in ("select", "extend-select", "ignore"):
        if key in table:
            out[key] = _listed(table[key], f"lint.{key}", renamed)
    for key in ("severity", "options"):
        if key in table:
            out[key] = _keyed(table[key], f"lint.{key}", renamed)
    if "per-tool-ignores" in table:
        globs = table["per-tool-ignores"].items()
        out["per-tool-ignores"] = {
            glob: _listed(items, f'lint.per-tool-ignores."{one_line(glob, 60)}"', renamed) for glob, items in globs
        }
    return out


def _listed(items: Iterable[str | Mapping[str, str]], key: str, renamed: Renaming) -> list[Any]:
    """Rules in a list: ids, or tables of rule and reason."""
    return [
        renamed(item, key) if isinstance(item, str) else {**item, "rule": renamed(item["rule"], key)} for item in items
    ]


def _keyed(values: Mapping[str, Any], key: str, renamed: Renaming) -> dict[str, Any]:
    """Values by rule; if a file has both names of a rule, the value under the current name counts."""
    former = {new: value for name, value in values.items() if (new := renamed(name, key)) != name}
    current = {name: value for name, value in values.items() if current_id(name) == name}
    return former | current


def _acceptance(item: Mapping[str, Any], renamed: Renaming) -> dict[str, Any]:
    # An acceptance that was released is a record: it still matches, and needs no edit.
    finding = current_id(item["finding"]) if "released" in item else renamed(item["finding"], "accept")
    return {**item, "finding": finding}
