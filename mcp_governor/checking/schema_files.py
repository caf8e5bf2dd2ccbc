"""``schemas check``: schema files against a surface, and published schemas against the models of a project."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp_governor.change.vocabulary import Level
from mcp_governor.checking.decisions import station_report
from mcp_governor.checking.reading import change_options, refuse_empty, selection_of
from mcp_governor.errors import NothingCheckedError, UsageError
from mcp_governor.schema_files.comparing import compare_folder, located
from mcp_governor.schema_files.documents import input_file, stems, tool_of
from mcp_governor.schema_files.folder import Folder, read_folder
from mcp_governor.schema_files.parity_check import Model, check_word, endpoint_of, models_in
from mcp_governor.surface import Surface, build_surface
from mcp_governor.surface.folders import is_snapshot_folder
from mcp_governor.target import LiveSource, read_source, recorded_source, tier_rules
from mcp_governor.target.environments import python_of
from mcp_governor.target.forms import START_TIMEOUT, import_folders

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mcp_governor.change import Change
    from mcp_governor.checking.model import Report
    from mcp_governor.config import Config
    from mcp_governor.findings import Finding


def check_folder(folder: Path, surface: Surface, config: Config) -> Report:
    """Check that a folder has exactly the schemas that a surface publishes.

    Raises:
        NothingCheckedError: the surface publishes nothing.
        UsageError: the folder cannot be read.
    """
    files = read_folder(folder)
    refuse_empty(surface)
    compared = compare_folder(files, surface, level=Level(config.level), options=change_options(config))
    return _report(surface, config, compared.findings, compared.changes, {"files": len(files.names)})


def check_models(published: str | None, words: Sequence[str], config: Config) -> Report:
    """Check that published input schemas agree with the models of a project; starts no server.

    Importing a module runs its code, in a process of its own with the limits of a server.

    Args:
        published: a folder of schema files or a recording; ``None`` for the recorded surface file.
        words: ``package.module`` or ``package.module:NAME`` each.
        config: allowed differences, and models that are not named after their tools.

    Raises:
        UsageError: a module cannot be named so, or ``published`` is a server.
        NothingCheckedError: no tool has a model.
        ServerError: a module cannot be imported, or takes too long.
    """
    from mcp_governor.schema_files.parity_check import compare_models

    here = Path.cwd()
    table = config.schemas
    for word in words:
        check_word(word)
    for tool, word in table.models.items():
        check_word(word, of=f"schemas.models.{tool}")
    surface, place = _published(published, config, here)
    refuse_empty(surface)
    named = list(dict.fromkeys([*words, *table.models.values()]))
    parity = compare_models(
        surface,
        _models(named, config, here),
        modules=[word.partition(":")[0] for word in named],
        named=table.models,
        allowed=table.allow,
        config=config.path.name if config.path else "",
        place=place,
        level=Level(config.level),
        options=change_options(config),
    )
    if not parity.count and not any(found.rule == "schemas/model-broken" for found in parity.findings):
        raise NothingCheckedError(
            f"No tool of {surface.source} has a model in {', '.join(words)}.",
            'Models are named after their tools; for others, set schemas.models = { TOOL = "package.module:NAME" }.',
        )
    counts = {"models": parity.count, **({"allowed": parity.allowed} if parity.allowed else {})}
    return _report(surface, config, parity.findings, (), counts)


def _published(named: str | None, config: Config, here: Path) -> tuple[Surface, Callable[[str, str], str]]:
    """The surface to compare with models, and the path of a finding about a tool and a place in its input schema."""

    # A word that names no recording is a folder that is missing; read_folder says how to write it.
    recorded = named is None or named.endswith(".json") or ":" in named or is_snapshot_folder(here / named)
    if named is not None and not recorded:
        folder = read_folder(Path(named))
        surface = _of_folder(folder, config)
        files = {name: input_file(stem) for name, stem in stems(tool.name for tool in surface.tools).items()}
        return surface, lambda tool, pointer: located(folder, files[tool], pointer)
    source = recorded_source(config, named, base=here)
    return read_source(source, tiers=tier_rules(config)), lambda _, pointer: f"/inputSchema{pointer}"


def _of_folder(folder: Folder, config: Config) -> Surface:
    """The surface that schema files describe: input schemas, and what they are generated from."""
    tools: list[dict[str, Any]] = []
    for name in folder.names:
        of = tool_of(name)
        if of is None or of[1]:
            continue
        if name in folder.broken:
            raise UsageError(
                f"{folder.place(name)} {folder.broken[name]}.",
                f"Restore it, or write the folder again: mcp-governor schemas export {folder.shown}",
            )
        marker = {"annotations": {"schemaSource": folder.sources[of[0]]}} if of[0] in folder.sources else {}
        tools.append({"name": of[0], "inputSchema": folder.schemas[name], **marker})
    server = {"serverInfo": {"name": folder.server}} if folder.server else {}
    return build_surface({"tools": tools, **server}, tiers=tier_rules(config), source=folder.shown)


def _models(words: list[str], config: Config, here: Path) -> list[Model]:
    root = config.root if config.path is not None else here
    folders, injected = import_folders(root), config.schemas.injected
    endpoint = endpoint_of(python_of(root), words, folders, injected, config.launch.env)
    source = LiveSource(
        "the models", endpoint, timeout=config.timeout, start_timeout=config.start_timeout or START_TIMEOUT
    )
    return models_in(read_source(source))


def _report(
    surface: Surface,
    config: Config,
    findings: Sequence[Finding],
    changes: Sequence[Change],
    counts: Mapping[str, int],
) -> Report:
    return station_report(
        "schemas",
        surface,
        config,
        selection_of(config),
        findings,
        changes,
        counts={"tools": len(surface.entries), **counts},
        tiers={tool.name: tool.tier.value for tool in surface.tools},
        # A finding says for each file if it differs, or if that is unknown.
        unknown_fails=False,
    )[0]
