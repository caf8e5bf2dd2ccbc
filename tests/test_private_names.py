"""No private name of the standard library or of a package: it may be gone in their next release."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTED = {"os._exit", "sys._MEIPASS", "__future__.annotations"}
OURS = ("mcp_governor", "tests", "tools")


def private_names(source: str) -> list[str]:
    """Private names of other packages that a module imports or reaches through an imported module."""
    tree = ast.parse(source)
    modules: dict[str, str] = {}
    found: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                modules[alias.asname or alias.name.partition(".")[0]] = (
                    alias.asname and alias.name
                ) or alias.name.partition(".")[0]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            modules |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
            parts = [f"{node.module}.{alias.name}" for alias in node.names]
            found += [part for part in parts if not part.startswith(OURS) and _is_private(part)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            name = f"{modules[node.value.id]}.{node.attr}"
            if not name.startswith(OURS) and _is_private(name):
                found.append(name)
    return sorted(set(found) - DOCUMENTED)


def _is_private(name: str) -> bool:
    return any(part.startswith("_") and not (part.startswith("__") and part.endswith("__")) for part in name.split("."))


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import re\nre._compiler", ["re._compiler"]),
        ("from collections import _tuplegetter", ["collections._tuplegetter"]),
        ("import atexit as end\nend._run_exitfuncs()", ["atexit._run_exitfuncs"]),
        ("import os\nos._exit(0)\nself._own", []),
        ("import sys\nsys.__stdout__", []),
        ("from mcp_governor.packs import _x", []),
    ],
)
def test_what_is_private(source: str, found: list[str]) -> None:
    assert private_names(source) == found


def test_nothing_private_is_used() -> None:
    files = sorted((ROOT / "mcp_governor").rglob("*.py"))
    assert {
        str(file.relative_to(ROOT)): used for file in files if (used := private_names(file.read_text("utf-8")))
    } == {}
