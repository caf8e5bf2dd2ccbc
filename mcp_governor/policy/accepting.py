"""Write an acceptance into a configuration file, and leave everything else in it unchanged.

A file can have many layouts (tables in any order, dotted keys, inline tables), and tomlkit loses or breaks some of
them. So a new acceptance is a table of its own that is inserted below the others as text. The result is parsed before
it is returned: unless it equals the old content plus the acceptance, the file is not changed.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from mcp_governor.errors import ConfigError, UsageError
from mcp_governor.lazy import lazy_pattern
from mcp_governor.parsing import read_toml
from mcp_governor.rule_names import current_id
from mcp_governor.text import escape_toml, one_line

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from mcp_governor.policy.acceptance import Acceptance

_HEADER = lazy_pattern(r"\s*+\[{1,2}(?P<path>[^\[\]#]++)\]{1,2}\s*+(?:#.*)?")
_BOM = "\ufeff"
_ENDS = ("until", "released")
"""Keys that end an acceptance. Renewing an acceptance removes those that it does not set again."""


def add_acceptance(text: str, acceptance: Acceptance, *, table: Sequence[str] = (), what: str) -> str:
    """Add an acceptance to a configuration file; comments, order and line endings are preserved.

    An acceptance of the same finding is renewed in place.

    Args:
        text: the content of the file.
        acceptance: the acceptance to add.
        table: the table with the configuration: ``("tool", "mcp-governor")`` in pyproject.toml, empty in
            mcp-governor.toml.
        what: name of the file in messages.

    Raises:
        UsageError: the reason is empty.
        ConfigError: the file is not TOML, its ``accept`` is not a list of tables, or its layout requires editing by
            hand.
    """
    if not acceptance.reason.strip():
        raise UsageError("An acceptance needs a reason.", "Give one with: --reason '…'")
    body = _body(text)
    expected = _with(_loaded(body, what), acceptance, table, what)
    for written in _candidates(body, acceptance, table):
        if _contains(written, expected):
            return _as_file(written, text)
    raise ConfigError(
        f"The layout of {what} does not allow adding an acceptance; nothing was written.",
        f"Add it by hand:\n{_block(acceptance, table)}",
    )


def retire_acceptances(
    text: str, findings: Collection[str], version: str, *, table: Sequence[str] = (), what: str
) -> str:
    """Mark acceptances in a configuration file as released with a version.

    They stay in the file, so that the release itself can still be checked; comments, order and line endings are
    preserved.

    Args:
        text: the content of the file.
        findings: ids of accepted findings; acceptances that have a version already are not changed.
        version: the version that is released.
        table, what: as in :func:`add_acceptance`.

    Raises:
        ConfigError: the file is not TOML, or its layout requires editing by hand.
    """
    body = _body(text)
    expected = _loaded(body, what)
    for item in _listed(expected, table, what):
        if _accepts(item) in findings:
            item.setdefault("released", version)
    for written in (
        _lines_added(body, findings, version, table),
        _by_tomlkit_retired(body, findings, version, table),
    ):
        if _contains(written, expected):
            return _as_file(written, text)
    raise ConfigError(
        f"The layout of {what} does not allow marking acceptances as released; nothing was written.",
        f'Add by hand, to each acceptance that this release needed: released = "{one_line(version)}"',
    )


def _body(text: str) -> str:
    return text.removeprefix(_BOM).replace("\r\n", "\n")


def _as_file(body: str, text: str) -> str:
    """The new content with the byte order mark and the line endings of the original file."""
    bom = _BOM if text.startswith(_BOM) else ""
    return bom + (body.replace("\n", "\r\n") if "\r\n" in text else body)


def _lines_added(text: str, findings: Collection[str], version: str, table: Sequence[str]) -> str:
    """Insert a line below the last value of each ``[[accept]]`` table for one of ``findings``."""
    lines = text.split("\n")
    headers = [(number, match) for number, line in enumerate(lines) if (match := _HEADER.fullmatch(line))]
    ends = (*(number for number, _ in headers[1:]), len(lines))
    for (start, match), end in reversed(list(zip(headers, ends, strict=False))):
        if _keys(match["path"]) != [*table, "accept"]:
            continue
        try:
            item = read_toml("\n".join(lines[start + 1 : end]))
        except ValueError:
            continue
        if _accepts(item) in findings and "released" not in item:
            while not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#"):
                end -= 1
            lines.insert(end, f'released = "{escape_toml(version)}"')
    return "\n".join(lines)


def _by_tomlkit_retired(text: str, findings: Collection[str], version: str, table: Sequence[str]) -> str:
    """The same for acceptances in inline tables."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text)
        here: Any = document
        for key in table:
            here = here[key]
        for item in here["accept"]:
            if _accepts(item) in findings and "released" not in item:
                item["released"] = version
        return tomlkit.dumps(document)
    except (TOMLKitError, KeyError, TypeError, ValueError):
        return ""


def _loaded(text: str, what: str) -> dict[str, Any]:
    try:
        return read_toml(text)
    except ValueError as error:
        raise ConfigError(f"{what} is not TOML: {one_line(str(error)).rstrip('.')}.", "Correct the line.") from None


def _contains(text: str, expected: dict[str, Any]) -> bool:
    try:
        return read_toml(text) == expected
    except ValueError:
        return False


def _with(document: dict[str, Any], acceptance: Acceptance, table: Sequence[str], what: str) -> dict[str, Any]:
    """The data that the new file must contain."""
    document = deepcopy(document)
    listed = _listed(document, table, what)
    same = [item for item in listed if _accepts(item) == acceptance.finding]
    if not same:
        listed.append(_values(acceptance))
        return document
    for key in _ENDS:
        same[0].pop(key, None)
    same[0].update(_values(acceptance))
    return document


def _accepts(item: Mapping[str, Any]) -> str:
    """The id of an acceptance in the file, with the current rule name, because the file may have a former one."""
    finding = item.get("finding")
    return current_id(finding) if isinstance(finding, str) else ""


def _listed(document: dict[str, Any], table: Sequence[str], what: str) -> list[dict[str, Any]]:
    """The list of acceptances in a document; an empty list is inserted if there is none.

    Raises:
        ConfigError: ``accept`` or one of its tables has the wrong type.
    """
    here: Any = document
    for key in table:
        here = here.setdefault(key, {})
        if not isinstance(here, dict):
            raise ConfigError(f"{what}: {'.'.join(table)} is not a table.", "Correct the file.")
    listed: Any = here.setdefault("accept", [])
    if not isinstance(listed, list) or not all(isinstance(item, dict) for item in listed):
        raise ConfigError(f'{what}: "accept" is not a list of tables.', "Write [[accept]] tables.")
    return listed


def _values(acceptance: Acceptance) -> dict[str, Any]:
    until = {} if acceptance.until is None else {"until": acceptance.until}
    return {"finding": acceptance.finding, "reason": acceptance.reason, **until}


def _candidates(text: str, acceptance: Acceptance, table: Sequence[str]) -> Iterator[str]:
    """Different ways to write the file, best first; each of them fails for some layouts."""
    lines = text.split("\n")
    block = _block(acceptance, table).split("\n")
    for end in (_end_of((*table, "accept"), lines), _end_of(table, lines) if table else None, len(lines)):
        if end is not None:
            yield _inserted(lines, end, block)
    yield _by_tomlkit(text, acceptance, table)


def _block(acceptance: Acceptance, table: Sequence[str]) -> str:
    import tomlkit

    values = (f"{key} = {escape_toml(tomlkit.item(value).as_string())}" for key, value in _values(acceptance).items())
    return "\n".join([f"[[{'.'.join((*table, 'accept'))}]]", *values])


def _end_of(path: Sequence[str], lines: Sequence[str]) -> int | None:
    """The number of the line below the last table at or under a path; comments above the next table belong to it."""
    headers = [(number, match) for number, line in enumerate(lines) if (match := _HEADER.fullmatch(line))]
    own = [place for place, (_, match) in enumerate(headers) if _keys(match["path"])[: len(path)] == list(path)]
    if not own:
        return None
    end = headers[own[-1] + 1][0] if own[-1] + 1 < len(headers) else len(lines)
    while end and (not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#")):
        end -= 1
    return end


def _keys(path: str) -> list[str]:
    return [key.strip().strip("\"'") for key in path.split(".")]


def _inserted(lines: Sequence[str], end: int, block: Sequence[str]) -> str:
    """Insert a block below line ``end``, with a blank line on either side."""
    above, below = list(lines[:end]), list(lines[end:])
    while above and not above[-1].strip():
        above.pop()
    while below and not below[0].strip():
        below.pop(0)
    parts = ["\n".join(part) for part in (above, block, below) if part]
    return "\n\n".join(parts) + ("" if below else "\n")


def _by_tomlkit(text: str, acceptance: Acceptance, table: Sequence[str]) -> str:
    """Extend a list or table that is on one line, or renew an existing acceptance."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text)
        here: Any = document
        for key in table:
            here = here[key]
        listed = here.get("accept")
        if listed is None:
            here["accept"] = listed = tomlkit.array()
        same = [item for item in listed if _accepts(item) == acceptance.finding]
        item = same[0] if same else tomlkit.inline_table()
        for key in _ENDS:
            if key in item and key not in _values(acceptance):
                del item[key]
        for key, value in _values(acceptance).items():
            if item.get(key) != value:
                item[key] = value
        if not same:
            listed.append(item)
        return tomlkit.dumps(document)
    except (TOMLKitError, KeyError, TypeError, ValueError):
        return ""
