"""Acceptances: findings and changes that the team has reviewed, with a reason and an end."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

from mcp_governor.changelog.rulebook import finding
from mcp_governor.config.model import AcceptConfig
from mcp_governor.errors import ConfigError, UsageError
from mcp_governor.frozen import frozen
from mcp_governor.text import did_you_mean, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date

    from mcp_governor.change.model import Change
    from mcp_governor.findings import Finding


Acceptance = AcceptConfig
"""One accepted finding or change: as the configuration holds it."""


@frozen
class Accepted:
    """What acceptances make of a run.

    Attributes:
        findings: all of them, the accepted ones with their reason, and the findings about the acceptances
            themselves at the end.
        changes: id of each accepted change → the reason. An accepted break still counts in the required bump.
    """

    findings: tuple[Finding, ...]
    changes: Mapping[str, str] = field(default_factory=dict)


def apply_acceptances(
    acceptances: Iterable[Acceptance],
    findings: Sequence[Finding],
    changes: Sequence[Change] = (),
    *,
    today: date,
    where: str = "",
    complete: bool = True,
) -> Accepted:
    """Mark what is accepted, and report acceptances that ran out or match nothing.

    Args:
        acceptances: from the configuration.
        findings, changes: of this run.
        today: the day that ends are judged by; an acceptance holds through its last day.
        where: the configuration file, for the findings' place.
        complete: whether the run looked at everything; a partial one (``lint`` alone) cannot tell which
            acceptances match nothing.
    """
    reasons: dict[str, str] = {}
    problems: list[Finding] = []
    known = {found.id for found in findings} | {change.id for change in changes}
    seen: set[str] = set()
    for acceptance in acceptances:
        shown = one_line(acceptance.finding, 120)
        if acceptance.finding in seen:
            problems.append(finding("policy/acceptance-duplicate", where, value=acceptance.finding, finding=shown))
            continue
        seen.add(acceptance.finding)
        if acceptance.until is not None and acceptance.until < today:
            until = acceptance.until.isoformat()
            problems.append(
                finding("policy/acceptance-expired", where, value=acceptance.finding, finding=shown, until=until)
            )
        elif acceptance.finding in known:
            reasons[acceptance.finding] = acceptance.reason
        elif complete:
            problems.append(
                finding(
                    "policy/acceptance-unmatched",
                    where,
                    value=acceptance.finding,
                    finding=shown,
                    reason=one_line(acceptance.reason, 80),
                    hint=did_you_mean(acceptance.finding, known),
                )
            )
    marked = [replace(found, accepted=reasons[found.id]) if found.id in reasons else found for found in findings]
    return Accepted((*marked, *problems), {change.id: reasons[change.id] for change in changes if change.id in reasons})


def add_acceptance(text: str, acceptance: Acceptance, *, table: Sequence[str] = (), what: str) -> str:
    """A configuration file with one more acceptance; comments, order and line ends stay.

    An acceptance of the same finding is renewed in place.

    Args:
        text: the file, as it is.
        acceptance: what to add.
        table: where the configuration stands in the file: ``("tool", "mcp-governor")`` in pyproject.toml, empty
            in mcp-governor.toml.
        what: how messages name the file.

    Raises:
        UsageError: the reason is empty.
        ConfigError: the file is not TOML, or holds something else where acceptances stand.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    if not acceptance.reason.strip():
        raise UsageError("An acceptance needs a reason.", "Say why: --reason '…'")
    try:
        document = tomlkit.parse(text.removeprefix("\ufeff"))
        here = _table(document, table, what)
        listed = here.get("accept")
        if listed is None:
            listed = tomlkit.aot()
            here["accept"] = listed
        for item in _items(listed, what):
            if item.get("finding") == acceptance.finding:
                _fill(item, acceptance)
                break
        else:
            item = tomlkit.table() if isinstance(listed, tomlkit.items.AoT) else tomlkit.inline_table()
            _fill(item, acceptance)
            listed.append(item)
    except TOMLKitError as error:
        raise ConfigError(f"{what} is not TOML: {one_line(str(error))}.", "Correct that line.") from None
    bom = "\ufeff" if text.startswith("\ufeff") else ""
    return bom + _with_line_ends(tomlkit.dumps(document), text)


def _table(document: Any, path: Sequence[str], what: str) -> Any:
    import tomlkit

    here: Any = document
    for key in path:
        if key not in here:
            here[key] = tomlkit.table(is_super_table=key != path[-1])
        here = here[key]
        if not hasattr(here, "get"):
            raise ConfigError(f"{what}: {'.'.join(path)} is not a table.", "Correct it.")
    return here


def _items(listed: Any, what: str) -> list[Any]:
    if not isinstance(listed, list) or not all(hasattr(item, "get") for item in listed):
        raise ConfigError(f'{what}: "accept" is not a list of tables.', "Write [[accept]] tables.")
    return list(listed)


def _fill(item: Any, acceptance: Acceptance) -> None:
    item["finding"] = acceptance.finding
    item["reason"] = acceptance.reason
    if acceptance.until is not None:
        item["until"] = acceptance.until
    elif "until" in item:
        del item["until"]


def _with_line_ends(text: str, like: str) -> str:
    """tomlkit writes line feeds in what it adds; the file keeps to its own."""
    if "\r\n" not in like:
        return text
    return text.replace("\r\n", "\n").replace("\n", "\r\n")
