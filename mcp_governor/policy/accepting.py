"""Write an acceptance into a configuration file, and leave everything else in it unchanged.

A new acceptance is a table of its own that is inserted below the others as text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.config.editing import edited, literal
from mcp_governor.errors import ConfigError, UsageError
from mcp_governor.lazy import lazy_pattern
from mcp_governor.parsing import read_toml
from mcp_governor.rule_names import current_id
from mcp_governor.text import escape_toml, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from mcp_governor.policy.acceptance import Acceptance

_HEADER = lazy_pattern(r"\s*+\[{1,2}(?P<path>[^\[\]#]++)\]{1,2}\s*+(?:#.*)?")


def add_acceptance(text: str, acceptance: Acceptance, *, table: Sequence[str] = (), what: str) -> str:
    """Add an acceptance to a configuration file, or renew one of the same finding in place.

    Args:
        text: the content of the file.
        acceptance: the acceptance to add.
        table, what: as in :func:`mcp_governor.config.editing.edited`.

    Raises:
        UsageError: the reason is empty.
        ConfigError: the file is not TOML, its ``accept`` is not a list of tables, or its layout requires editing by
            hand.
    """
    if not acceptance.reason.strip():
        raise UsageError("An acceptance needs a reason.", "Give one with: --reason '…'")
    until = {} if acceptance.until is None else {"until": acceptance.until}
    values = {"finding": acceptance.finding, "reason": acceptance.reason, **until}
    header = f"[[{'.'.join((*table, 'accept'))}]]"
    block = [header, *(f"{key} = {literal(value).as_string()}" for key, value in values.items())]

    def edit(config: Any, as_value: Callable[[Any], Any]) -> None:
        listed = _listed(config, what)
        item = next((item for item in listed if _accepts(item) == acceptance.finding), None)
        if item is None:
            listed.append({key: as_value(value) for key, value in values.items()})
            return
        for key in {"until", "released"} - values.keys():
            item.pop(key, None)
        for key, value in values.items():
            if item.get(key) != value:
                item[key] = as_value(value)

    def by_text(body: str) -> Iterator[str]:
        lines = body.split("\n")
        for end in (_end_of((*table, "accept"), lines), _end_of(table, lines) if table else None, len(lines)):
            if end is not None:
                yield _inserted(lines, end, block)

    refusal = (
        f"The layout of {what} does not allow adding an acceptance; nothing was written.",
        "Add it by hand:\n" + "\n".join(block),
    )
    return edited(text, edit, table=table, what=what, refusal=refusal, by_text=by_text)


def retire_acceptances(
    text: str, findings: Collection[str], version: str, *, table: Sequence[str] = (), what: str
) -> str:
    """Mark acceptances in a configuration file as released with a version.

    They stay in the file, so that the release itself can still be checked.

    Args:
        text: the content of the file.
        findings: ids of accepted findings; acceptances that have a version already are not changed.
        version: the version that is released.
        table, what: as in :func:`mcp_governor.config.editing.edited`.

    Raises:
        ConfigError: the file is not TOML, or its layout requires editing by hand.
    """

    def is_meant(item: Mapping[str, Any]) -> bool:
        return _accepts(item) in findings and "released" not in item

    def edit(config: Any, as_value: Callable[[Any], Any]) -> None:
        for item in filter(is_meant, _listed(config, what)):
            item["released"] = as_value(version)

    def by_text(body: str) -> Iterator[str]:
        """A line below the last value of each ``[[accept]]`` table that is meant."""
        lines = body.split("\n")
        for path, start, end in reversed(list(_tables(lines))):
            try:
                item = read_toml("\n".join(lines[start + 1 : end])) if path == [*table, "accept"] else {}
            except ValueError:
                continue
            if is_meant(item):
                lines.insert(end, f'released = "{escape_toml(version)}"')
        yield "\n".join(lines)

    refusal = (
        f"The layout of {what} does not allow marking acceptances as released; nothing was written.",
        f'Add by hand, to each acceptance that this release needed: released = "{one_line(version)}"',
    )
    return edited(text, edit, table=table, what=what, refusal=refusal, by_text=by_text)


def _accepts(item: Mapping[str, Any]) -> str:
    """The id of an acceptance in the file, with the current rule name, because the file may have a former one."""
    finding = item.get("finding")
    return current_id(finding) if isinstance(finding, str) else ""


def _listed(config: Any, what: str) -> Any:
    """The list of acceptances; an empty list is inserted if there is none.

    Raises:
        ConfigError: ``accept`` or one of its tables has the wrong type.
    """
    listed = config.setdefault("accept", [])
    if not isinstance(listed, list) or not all(isinstance(item, dict) for item in listed):
        raise ConfigError(f'{what}: "accept" is not a list of tables.', "Write [[accept]] tables.")
    return listed


def _tables(lines: Sequence[str]) -> Iterator[tuple[list[str], int, int]]:
    """The path of each table, the number of its header, and that of the line below its last value; comments above the
    next table belong to that."""
    headers = [(number, match) for number, line in enumerate(lines) if (match := _HEADER.fullmatch(line))]
    for (start, match), below in zip(headers, [*(number for number, _ in headers[1:]), len(lines)], strict=False):
        end = below
        while not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#"):
            end -= 1
        yield [key.strip().strip("\"'") for key in match["path"].split(".")], start, end


def _end_of(path: Sequence[str], lines: Sequence[str]) -> int | None:
    """The number of the line below the last table at or under a path."""
    ends = [end for keys, _, end in _tables(lines) if keys[: len(path)] == list(path)]
    return ends[-1] if ends else None


def _inserted(lines: Sequence[str], end: int, block: Sequence[str]) -> str:
    """Insert a block below line ``end``, with a blank line on either side."""
    above, below = "\n".join(lines[:end]).rstrip("\n"), "\n".join(lines[end:]).lstrip("\n")
    return "\n\n".join(part for part in (above, "\n".join(block), below) if part) + ("" if below else "\n")
