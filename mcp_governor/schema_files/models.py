"""The models of a project: their schemas, and which tool each belongs to."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.errors import UsageError
from mcp_governor.programs import our_interpreter
from mcp_governor.schema_files.hosted_models import META
from mcp_governor.text import did_you_mean, one_line
from mcp_governor.wire.endpoint import StdioEndpoint

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mcp_governor.surface import Surface

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
