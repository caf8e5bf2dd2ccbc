"""The models of a project, which tool each belongs to, and the findings about published schemas that differ from
theirs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.change.budget import Budget
from mcp_governor.change.schemas import SchemaPair, compare_schemas
from mcp_governor.change.vocabulary import Side
from mcp_governor.errors import UsageError
from mcp_governor.programs import our_interpreter
from mcp_governor.rules.finding import finding
from mcp_governor.schema_files.comparing import kinds_of
from mcp_governor.schema_files.hosted_models import META
from mcp_governor.schema_files.parity import Gap, gaps
from mcp_governor.text import did_you_mean, one_line, visible
from mcp_governor.wire.endpoint import StdioEndpoint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mcp_governor.change.options import ChangeOptions
    from mcp_governor.change.vocabulary import Level
    from mcp_governor.config.model import SchemaAllowance
    from mcp_governor.findings import Finding
    from mcp_governor.surface import Surface, Tool


_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*(?::[^\W\d]\w*(?:\.[^\W\d]\w*)*)?")
"""``package.module`` or ``package.module:NAME``."""

_ENDINGS = ("model", "schema", "input", "inputs", "args", "arguments", "params", "parameters", "request", "tool")
"""Last words of the names of models, which those of tools leave out: ``SearchCodeArguments``."""

_RANK = {"pydantic": 0, "dataclass": 0, "typeddict": 0, "function": 1}
"""A model before a function of the same name, which may be the code behind the tool with other parameters."""


class Model(Struct, frozen=True):
    """One type of the project.

    Attributes:
        source: ``package.module:NAME``.
        label: its own name.
        kind: ``pydantic``, ``dataclass``, ``typeddict`` or ``function``.
        tool: the tool that a mapping names for it, else empty.
        schema: the derived input schema; ``None`` if there is none.
        excluded: parameter → why it is not published.
        error: why no schema can be derived; empty if one is.
    """

    source: str
    label: str
    kind: str
    tool: str
    schema: Any
    excluded: Mapping[str, str]
    error: str


def check_word(word: str, *, of: str = "--models") -> None:
    """Check the form of ``package.module[:NAME]``.

    Raises:
        UsageError: it has another one.
    """
    if not _NAME.fullmatch(word):
        raise UsageError(
            f'{of}: "{one_line(word, 80)}" is not package.module or package.module:NAME.',
            "Name a module as in an import, without .py and without slashes.",
        )


def endpoint_of(
    python: str, words: Sequence[str], folders: Sequence[str], injected: Sequence[str], env: Mapping[str, str]
) -> StdioEndpoint:
    """The process that derives the schemas.

    Args:
        python: interpreter of the project's environment; empty for ours.
        words: ``package.module[:NAME]`` each.
        folders: folders to import from first.
        injected: names of parameters that the server fills in.
        env: variables from the command line.
    """
    script = Path(__file__).with_name("hosted_models.py")
    given = {"modules": list(words), "folders": list(folders), "injected": list(injected)}
    command = (python or our_interpreter(), str(script), json.dumps(given))
    return StdioEndpoint(command, env=env, inherits=True, title="the models")


def models_in(surface: Surface) -> list[Model]:
    """The models in the list of that process.

    Raises:
        UsageError: a module cannot be imported, or lacks a name.
    """
    found = []
    for tool in surface.tools:
        about = tool.meta.get(META)
        if isinstance(about, dict):
            if "fatal" in about:
                raise UsageError(
                    f"--models: {one_line(str(about['fatal']), 500)}.",
                    "Modules are imported in the environment of the project (.venv, venv or the active one), from its "
                    "folder and from src in it.",
                )
            found.append(
                Model(
                    source=tool.name,
                    label=str(about.get("label", "")),
                    kind=str(about.get("kind", "")),
                    tool=str(about.get("tool", "")),
                    schema=tool.input_schema,
                    excluded=dict(about.get("excluded") or {}),
                    error=str(about.get("error", "")),
                )
            )
    return found


def pair_up(tools: Iterable[str], models: Sequence[Model], named: Mapping[str, str]) -> dict[str, Model]:
    """Each tool with its model: the named one, else one that is named after the tool.

    Args:
        tools: names of the published tools.
        models: those of the modules.
        named: tool → source, from the configuration.

    Raises:
        UsageError: the configuration names a tool that is not published, or two models are named after one tool.
    """
    listed = list(tools)
    by_source = {model.source: model for model in models}
    for tool, source in named.items():
        if source not in by_source:
            raise UsageError(
                f"schemas.models.{one_line(tool, 80)}: {one_line(source, 120)} is not one type.",
                "Name a model, a dataclass, a TypedDict or a function.",
            )
        if tool not in listed:
            raise UsageError(
                f"schemas.models names the tool {one_line(tool, 80)}, which is not published."
                f"{did_you_mean(tool, listed)}",
                "Remove it, or correct its name.",
            )
    by_name: dict[str, list[Model]] = {}
    mapped = {model.tool: model for model in models if model.tool}
    for model in models:
        # A function that takes what no caller can send is called by a tool, and is not the tool.
        if not model.tool and model.kind and not (model.kind == "function" and model.error):
            by_name.setdefault(plain_name(model.label), []).append(model)
    pairs = {}
    for tool in listed:
        if tool in named:
            pairs[tool] = by_source[named[tool]]
        elif tool in mapped:
            pairs[tool] = mapped[tool]
        elif found := _closest(tool, by_name.get(plain_name(tool), [])):
            pairs[tool] = found
    return pairs


def _closest(tool: str, found: Sequence[Model]) -> Model | None:
    if not found:
        return None
    best = min(_RANK[model.kind] for model in found)
    last = [model for model in found if _RANK[model.kind] == best]
    last = [model for model in last if model.label == tool] or last
    if len(last) > 1:
        names = ", ".join(one_line(model.source, 80) for model in last[:3])
        raise UsageError(
            f"Several models are named after the tool {one_line(tool, 80)}: {names}.",
            f'Name one in the configuration: schemas.models = {{ "{one_line(tool, 80)}" = "{last[0].source}" }}',
        )
    return last[0]


def plain_name(name: str) -> str:
    """A name without case, separators and the endings of models: ``GitLogArgs`` and ``git-log`` are the same."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)
    lower = [word.lower() for word in words]
    while len(lower) > 1 and lower[-1] in _ENDINGS:
        lower.pop()
    return "".join(lower) or name.casefold()


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
