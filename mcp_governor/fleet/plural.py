"""Findings that exist only in the plural: about servers that one client uses together, and about their packages."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from mcp_governor.rules.catalogue import load_catalogue
from mcp_governor.rules.finding import finding
from mcp_governor.rules.governing import govern
from mcp_governor.text import counted, first_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcp_governor.findings import Finding
    from mcp_governor.fleet.model import Row
    from mcp_governor.rules import Selection

_TOOL_COUNT = "-tool-count"
"""How the names of the rules end that limit the number of tools of a client."""

_TOKENS = "clients/list-tokens"

_NAMED = 6
"""Most names in one message."""

MAX_FOREIGN = 200
"""Most findings about descriptions that name tools of other servers; a fleet with more has one cause for most."""


def plural_findings(rows: Sequence[Row], selection: Selection, *, together: bool) -> tuple[Finding, ...]:
    """The findings about several servers, by what the configuration decides about rules.

    Args:
        rows: one for each server; those that were not reached have only their package.
        selection: the rules of the run, with the limits of clients.
        together: one client uses all servers at a time.
    """
    found = [*_versions(rows), *_unpinned(rows)]
    if together:
        rows = _one_of_each(rows)
        found += [*_same_names(rows), *_foreign(rows), *_counts(rows, selection), *_tokens(rows, selection)]
    return tuple(govern(found, selection, stations=("fleet",)))


def _one_of_each(rows: Sequence[Row]) -> list[Row]:
    """The rows, with the first variant of a server for all of them: no client uses two at a time."""
    seen: set[str] = set()
    kept = []
    for row in rows:
        if row.server is None or row.server not in seen:
            kept.append(row)
        if row.server is not None and row.reached:
            seen.add(row.server)
    return kept


def _versions(rows: Sequence[Row]) -> Iterator[Finding]:
    of_package: dict[str, dict[str, str]] = defaultdict(dict)
    for row in rows:
        version = row.pinned or row.version
        if row.package is not None and version is not None:
            of_package[row.package].setdefault(version, row.name)
    for package, versions in sorted(of_package.items()):
        if len(versions) > 1:
            named = first_of([f"{version} ({name})" for version, name in sorted(versions.items())], _NAMED, 80)
            yield finding(
                "fleet/package-versions",
                "",
                value=[package, sorted(versions)],
                package=package,
                count=len(versions),
                versions=named,
            )


def _unpinned(rows: Sequence[Row]) -> Iterator[Finding]:
    loose = [row for row in rows if row.package is not None and row.pinned is None]
    if loose:
        names = sorted(row.name for row in loose)
        verb = "package is started" if len(loose) == 1 else "packages are started"
        yield finding(
            "fleet/unpinned",
            "",
            value=names,
            count=f"{len(loose)} {verb}",
            servers=first_of([f"{row.name} ({row.package})" for row in loose], _NAMED, 100),
        )


def _same_names(rows: Sequence[Row]) -> Iterator[Finding]:
    """One finding for each group of servers, because a server that is listed twice shares all of its tools."""
    owners: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        for tool in dict.fromkeys(row.tools):
            owners[tool].append(row.name)
    shared: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for tool, names in owners.items():
        if len(names) > 1:
            shared[tuple(names)].append(tool)
    for group, tools in sorted(shared.items()):
        yield finding(
            "fleet/same-name",
            "",
            value=[group, sorted(tools)],
            servers=first_of(group, _NAMED),
            count=counted(len(tools), "tool"),
            tools=first_of(sorted(tools), _NAMED),
        )


def _foreign(rows: Sequence[Row]) -> Iterator[Finding]:
    owner: dict[str, str] = {}
    for row in rows:
        for tool in row.tools:
            owner.setdefault(tool, row.name)
    number = 0
    for row in rows:
        for word, tool in sorted(row.words.items()):
            other = owner.get(word)
            if other is None or other == row.name or number >= MAX_FOREIGN:
                continue
            number += 1
            yield finding(
                "fleet/foreign-tool",
                f"/{row.name}",
                tool=tool,
                value=[row.name, word, other],
                server=row.name,
                foreign=word,
                other=other,
            )


def _counts(rows: Sequence[Row], selection: Selection) -> Iterator[Finding]:
    total = sum(len(row.tools) for row in rows)
    for active in selection.active.values():
        limit = active.rule.limit
        if not active.id.endswith(_TOOL_COUNT) or limit is None or total <= active.options["max"]:
            continue
        yield finding(
            "fleet/tool-count",
            f"/{limit.target}",
            value=total,
            count=f"{total:,}",
            client=limit.target,
            max=active.options["max"],
            largest=_largest([(len(row.tools), row.name) for row in rows]),
        )


def _tokens(rows: Sequence[Row], selection: Selection) -> Iterator[Finding]:
    active, total = selection.get(_TOKENS), sum(row.tokens for row in rows)
    # Off where clients are named, because it is not the limit of a client; the budget is the user's all the same.
    ignored = _TOKENS in selection.ignored
    most = active.options["max"] if active is not None else load_catalogue().get(_TOKENS).defaults["max"]
    if ignored or total <= most:
        return
    yield finding(
        "fleet/tokens",
        "",
        value=total,
        tokens=f"{total:,}",
        max=f"{most:,}",
        largest=_largest([(row.tokens, row.name) for row in rows]),
    )


def _largest(counts: list[tuple[int, str]]) -> str:
    """The servers with the most, and how much."""
    top = sorted(counts, key=lambda one: (-one[0], one[1]))[:3]
    return ", ".join(f"{name} ({count:,})" for count, name in top if count)
