"""Findings about published schemas and the models behind them, without the differences that a team allows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.change.budget import Budget
from mcp_governor.change.schema_pair import SchemaPair
from mcp_governor.change.schemas import compare_schemas
from mcp_governor.change.vocabulary import Side
from mcp_governor.rules.finding import finding
from mcp_governor.schema_files.comparing import kinds_of
from mcp_governor.schema_files.models import pair_up
from mcp_governor.schema_files.parity import Gap, gaps
from mcp_governor.text import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mcp_governor.change.options import ChangeOptions
    from mcp_governor.change.vocabulary import Level
    from mcp_governor.config.model import SchemaAllowance
    from mcp_governor.findings import Finding
    from mcp_governor.schema_files.models import Model
    from mcp_governor.surface import Surface, Tool

DERIVED = ("derived", "generated")
"""Last words of a ``schemaSource`` that says that nobody writes the schema by hand: ``zod-derived``."""
BY_HAND = ("hand-written", "handwritten", "manual")
"""Values of ``schemaSource`` of a schema without a model behind it."""


class Parity(Struct, frozen=True):
    """The result of a comparison.

    Attributes:
        findings: what differs, tool by tool.
        count: number of tools that were compared with a model.
        allowed: number of differences that the configuration allows.
    """

    findings: tuple[Finding, ...]
    count: int
    allowed: int


def compare_models(
    surface: Surface,
    models: Sequence[Model],
    *,
    modules: Sequence[str],
    named: Mapping[str, str],
    allowed: Sequence[SchemaAllowance],
    config: str,
    place: Callable[[str, str], str],
    level: Level,
    options: ChangeOptions,
) -> Parity:
    """Compare the input schemas of a surface with models.

    A schema that its tool marks as derived (``annotations.schemaSource``) has to equal a fresh derivation, apart from
    spelling; any other has to agree with it in keys, required keys, values and types.

    Args:
        surface: the published schemas.
        models: of the project.
        modules: their modules, for messages.
        named: tool → source, from the configuration.
        allowed: allowed differences; entries without effect are findings.
        config: name of the configuration, for findings about entries.
        place: the path of a finding, for a tool and a pointer into its input schema.
        level, options: as in :func:`mcp_governor.change.compare`.

    Raises:
        UsageError: as in :func:`mcp_governor.schema_files.models.pair_up`.
    """
    pairs = pair_up([tool.name for tool in surface.tools], models, named)
    shown = ", ".join(modules)
    used: set[int] = set()
    findings = []
    run = Budget.of_run(options)
    for tool in surface.tools:
        marker = _marker(tool)
        model = pairs.get(tool.name)
        if model is None or model.error:
            found = _without(tool, model, marker, shown, place)
        else:
            found = _with(tool, model, marker, place, level, options, run)
        for gap, one in found:
            entry = _entry(allowed, tool.name, gap)
            if entry is None:
                findings.append(one)
            else:
                used.add(entry)
    findings += [_unused(entry, index, config) for index, entry in enumerate(allowed) if index not in used]
    count = sum(not model.error for model in pairs.values())
    return Parity(tuple(findings), count, len(used))


def _marker(tool: Tool) -> str:
    said = tool.annotations.get("schemaSource")
    return said if isinstance(said, str) else ""


def _is_derived(marker: str) -> bool:
    return marker.lower().endswith(DERIVED)


def _without(
    tool: Tool, model: Model | None, marker: str, modules: str, place: Callable[[str, str], str]
) -> Iterator[tuple[Gap, Finding]]:
    """A tool that cannot be compared."""
    path = place(tool.name, "")
    if model is not None:
        facts = {"source": model.source, "why": model.error.rstrip(".")}
        gap = Gap("model-broken", "", "", "", facts)
    elif _is_derived(marker):
        gap = Gap("model-missing", "", "", "", {"marker": marker, "modules": modules})
    elif marker.lower() not in BY_HAND:
        gap = Gap("no-model", "", "", "", {"modules": modules})
    else:
        return
    yield gap, _found(gap, tool.name, path, model.source if model is not None else "")


def _with(
    tool: Tool,
    model: Model,
    marker: str,
    place: Callable[[str, str], str],
    level: Level,
    options: ChangeOptions,
    run: Budget,
) -> Iterator[tuple[Gap, Finding]]:
    published = {"type": "object"} if tool.input_schema is None else tool.input_schema
    found = gaps(published, model.schema, excluded=model.excluded, deadline=options.deadline)
    if not found and _is_derived(marker):
        found = list(_stale(tool, model, published, marker, level, options, run))
    for gap in found:
        yield gap, _found(gap, tool.name, place(tool.name, gap.path), model.source)


def _stale(
    tool: Tool, model: Model, published: Any, marker: str, level: Level, options: ChangeOptions, run: Budget
) -> Iterator[Gap]:
    """The whole schema as it would be derived now; frameworks close the root themselves."""
    derived = model.schema
    if isinstance(published, dict) and isinstance(derived, dict) and published.get("additionalProperties") is False:
        derived = {"additionalProperties": False, **derived}
    pair = SchemaPair(derived, published, Side.INPUT, tool.name, tool.tier, level, options)
    changes = compare_schemas(pair, run.of_tool(visible(tool.name), options))
    changes = [change for change in changes if change.kind != "schema-rewritten"]
    if changes:
        path = changes[0].path.removeprefix(pair.base)
        yield Gap("parity-stale", "", "", path, {"marker": marker, "kinds": kinds_of(changes)})


def _found(gap: Gap, tool: str, path: str, source: str) -> Finding:
    return finding(
        f"schemas/{gap.rule}",
        path,
        says=gap.says,
        tool=tool,
        value=[gap.name, gap.says, source],
        facts={"source": source, **gap.facts},
        name=gap.name,
    )


def _entry(entries: Sequence[SchemaAllowance], tool: str, gap: Gap) -> int | None:
    """The first entry that allows a difference."""
    for index, entry in enumerate(entries):
        if entry.tool != tool or (entry.rule and entry.rule != f"schemas/{gap.rule}"):
            continue
        if not entry.parameter or entry.parameter == gap.name:
            return index
    return None


def _unused(entry: SchemaAllowance, index: int, where: str) -> Finding:
    parts = [f'tool = "{entry.tool}"']
    parts += [f'parameter = "{entry.parameter}"'] if entry.parameter else []
    parts += [f'rule = "{entry.rule}"'] if entry.rule else []
    shown = one_line(", ".join(parts), 160)
    return finding("schemas/allow-unused", where or f"schemas.allow.{index}", value=shown, entry=shown)
