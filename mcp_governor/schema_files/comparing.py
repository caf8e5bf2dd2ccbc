"""A folder of schema files against a surface: which files are missing or left over, and which say something else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.change.budget import Budget, OverBudgetError
from mcp_governor.change.equality import same_json
from mcp_governor.change.schemas import SchemaPair, compare_schemas
from mcp_governor.change.vocabulary import Level, Side
from mcp_governor.containment import contains
from mcp_governor.findings import Verdict
from mcp_governor.rules.finding import finding
from mcp_governor.schema_files.documents import (
    SchemaFile,
    foreign_references,
    schema_files,
    tool_of,
    without_added_dialect,
)
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.text import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcp_governor.change.model import Change
    from mcp_governor.change.options import ChangeOptions
    from mcp_governor.findings import Finding
    from mcp_governor.schema_files.folder import Folder
    from mcp_governor.surface import Surface, Tool

_NAMED = 4
"""Most kinds of changes in a message; the changes themselves are listed with it."""


class Compared(Struct, frozen=True):
    """The result of a comparison.

    Attributes:
        findings: what is wrong, file by file.
        changes: from what the files say to what the surface publishes.
        count: number of files that were compared.
    """

    findings: tuple[Finding, ...]
    changes: tuple[Change, ...]
    count: int


def compare_folder(folder: Folder, surface: Surface, *, level: Level, options: ChangeOptions) -> Compared:
    """Compare a folder with a surface.

    A schema and its file are first compared as values, without the order of members. If they differ, containment in
    both directions decides if they accept the same, and the changes from the file to the surface explain how they
    differ.

    Raises:
        UsageError: the name of a tool is too long for a file.
    """
    files = schema_files(surface)
    findings = [*_unusable(surface), *_broken(folder), *_alone(folder, files)]
    changes: list[Change] = []
    run = Budget.of_run(options)
    for file in files:
        if file.name in folder.schemas:
            tool = surface.by_name[file.tool]
            found, more = _compare(file, folder, tool, level, options, run.of_tool(visible(file.tool), options))
            findings += found
            changes += more
        elif file.name not in folder.broken:
            findings.append(_missing(file, folder))
    findings += _extra(folder, files, surface)
    return Compared(tuple(findings), tuple(changes), len(files))


def _unusable(surface: Surface) -> Iterator[Finding]:
    usable = {tool.index for tool in surface.tools}
    for index in range(len(surface.entries)):
        if index not in usable:
            yield finding("schemas/unusable-entry", join_pointer("/tools", index), index=index)


def _broken(folder: Folder) -> Iterator[Finding]:
    for name, why in sorted(folder.broken.items()):
        place = folder.place(name)
        yield finding("schemas/file-unreadable", place, value=name, file=place, why=why, folder=folder.shown)


def _alone(folder: Folder, files: Sequence[SchemaFile]) -> Iterator[Finding]:
    """What a file has to be by itself: of a stated dialect, and self-contained."""
    for file in files:
        if file.name not in folder.schemas:
            continue
        schema, place = folder.schemas[file.name], folder.place(file.name)
        if isinstance(schema, dict) and "$schema" not in schema:
            yield finding("schemas/dialect-missing", f"{place}:1", tool=file.tool, value=file.name, file=place)
        for pointer, reference in foreign_references(schema):
            yield finding(
                "schemas/reference-outside",
                located(folder, file.name, pointer),
                tool=file.tool,
                value=[file.name, pointer],
                file=place,
                reference=reference,
            )


def located(folder: Folder, name: str, pointer: str) -> str:
    """``FILE:LINE`` of a place in a schema file, or the nearest one around it that the file has."""
    from mcp_governor.fixes.positions import locate_all

    position = locate_all(folder.content[name], [pointer])[pointer]
    return f"{folder.place(name)}:{position.line}" if position is not None else folder.place(name)


def _missing(file: SchemaFile, folder: Folder) -> Finding:
    place = folder.place(file.name)
    rule = "schemas/output-missing" if file.is_output else "schemas/file-missing"
    return finding(rule, place, tool=file.tool, value=file.name, file=place, folder=folder.shown)


def _extra(folder: Folder, files: Sequence[SchemaFile], surface: Surface) -> Iterator[Finding]:
    known = {file.name for file in files}
    for name in folder.names:
        if name in known or name in folder.broken:
            continue
        of, place = tool_of(name), folder.place(name)
        tool, says = None, "stranger"
        if of is not None:
            tool = of[0]
            is_published = tool in surface.by_name
            says = ("output" if of[1] else "spelling") if is_published else "tool"
        expected = next((file.name for file in files if of == (file.tool, file.is_output)), "")
        yield finding(
            "schemas/file-extra",
            place,
            says=says,
            tool=tool if says in ("output", "spelling") else None,
            value=name,
            file=place,
            name=tool or "",
            folder=folder.shown,
            expected=expected,
        )


def _compare(
    file: SchemaFile, folder: Folder, tool: Tool, level: Level, options: ChangeOptions, budget: Budget
) -> tuple[list[Finding], list[Change]]:
    written = without_added_dialect(folder.schemas[file.name], file.schema)
    if same_json(written, file.schema):
        return [], []
    side = Side.OUTPUT if file.is_output else Side.INPUT
    pair = SchemaPair(written, file.schema, side, file.tool, tool.tier, level, options)
    changes = compare_schemas(pair, budget)
    same, reason = _means_the_same(written, file.schema, options.deadline, budget)
    rule = {True: "schemas/rewritten", False: "schemas/differs", None: "schemas/undecided"}[same]
    if same is None and any(change.verdict is Verdict.BREAKING for change in changes):
        rule = "schemas/differs"
    worst = sorted(changes, key=lambda one: (one.verdict is not Verdict.BREAKING, one.wording))
    words = [change for change in worst if change.kind != "schema-rewritten"]
    pointer = worst[0].path.removeprefix(pair.base) if worst else ""
    place = folder.place(file.name)
    found = finding(
        rule,
        located(folder, file.name, pointer),
        tool=file.tool,
        value=[file.name, written, file.schema],
        file=place,
        key=file.key,
        folder=folder.shown,
        kinds=kinds_of(worst),
        detail=f" ({kinds_of(words)})" if words else "",
        reason=reason,
    )
    return [found], changes


def _means_the_same(written: Any, published: Any, deadline: float, budget: Budget) -> tuple[bool | None, str]:
    """True if both schemas accept the same values, ``None`` with a reason if that cannot be decided."""
    reason = ""
    try:
        budget.check_run()
    except OverBudgetError as error:
        return None, str(error)
    for outer, inner in ((published, written), (written, published)):
        answer = contains(outer, inner, deadline=deadline, witness=False)
        if answer.verdict == "no":
            return False, ""
        if answer.verdict == "unknown":
            reason = reason or answer.reason
    return (None, reason) if reason else (True, "")


def kinds_of(changes: Sequence[Change]) -> str:
    """The kinds of some changes for a message, each once, those in the order given."""
    names = list(dict.fromkeys(change.kind for change in changes))
    shown = ", ".join(names[:_NAMED])
    return f"{shown}, …" if len(names) > _NAMED else shown
