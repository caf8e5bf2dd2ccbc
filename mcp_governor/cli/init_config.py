"""The files that ``init`` begins a governed repository with: configuration, baseline, changelog, known findings."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from mcp_governor.config import DEFAULT_CHANGELOG, OWN_FILE, Config
from mcp_governor.target import SURFACE_FILE
from mcp_governor.text import escape_toml, visible
from mcp_governor.writing import NewFile

if TYPE_CHECKING:
    from mcp_governor.cli.init_plan import Plan
    from mcp_governor.surface import Surface

_FIRST_VERSION = "0.1.0"
_KNOWN_FILE = "mcp-lint-baseline.json"


def first_files(plan: Plan, surface: Surface, config: Config) -> tuple[list[NewFile], list[tuple[str, str]]]:
    """What is missing and will be written; and what to say of each file, written or left alone.

    Args:
        plan: what is governed.
        surface: the baseline.
        config: what the written configuration will say.
    """
    from mcp_governor.changelog.first import first_changelog
    from mcp_governor.surface import dump_surface
    from mcp_governor.versions import Numbered

    root = plan.root
    version = surface.version
    literal = "" if version and Numbered.parse(version) else _FIRST_VERSION
    told = literal or str(version)
    known = _known_findings(surface, config)
    files = {
        OWN_FILE: (_config_text(plan, literal, bool(known)), "what is governed, and how"),
        SURFACE_FILE: (dump_surface(surface), "the baseline: the surface as it is now"),
        DEFAULT_CHANGELOG: (first_changelog(surface, told), f"the schema changelog, starting at {visible(told)}"),
    }
    if known:
        files[_KNOWN_FILE] = (known, "findings of today, which do not fail")
    missing = {name for name in files if not os.path.lexists(root / name)}
    new = [NewFile(root / name, text, root, name) for name, (text, _) in files.items() if name in missing]
    return new, [(name, what if name in missing else "left as it was") for name, (_, what) in files.items()]


def _known_findings(surface: Surface, config: Config) -> str:
    """The lint baseline, where today's surface has findings that would fail; empty where it has none."""
    from mcp_governor.catalogue import dump_baseline
    from mcp_governor.checking.settings import lint_settings
    from mcp_governor.findings import Severity
    from mcp_governor.linting import lint

    failing = [found for found in lint(surface, lint_settings(config)) if found.severity is Severity.ERROR]
    return dump_baseline(failing) if failing else ""


def _config_text(plan: Plan, literal: str, known: bool) -> str:
    """The configuration: only what differs from the defaults."""
    lines = ["# mcp-governor: see all keys with `mcp-governor schema config`.", f"target = {_toml(plan.target)}"]
    lines.append(f"# The baseline is {SURFACE_FILE} at the latest release tag; before there is one, the file as it is.")
    if literal:
        lines += ["# The server reports no version that counts in numbers; this one is held to the changelog instead."]
        lines += [f"schema-version = {_toml(literal)}"]
    if plan.keys:
        lines += ["", f"[servers.{_key(plan.name)}]", *(f"{key} = {_toml(value)}" for key, value in plan.keys.items())]
    if known:
        lines += ["", "[lint]", f"baseline = {_toml(_KNOWN_FILE)}"]
    return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _toml(name)


def _toml(value: Any) -> str:
    import json

    if isinstance(value, list):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(name)} = {_toml(item)}" for name, item in value.items()) + " }"
    # A TOML basic string is a JSON string, but for what JSON does not have to escape.
    return escape_toml(json.dumps(str(value), ensure_ascii=False))
