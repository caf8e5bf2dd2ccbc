"""Pages that are generated are as fresh as their sources."""

from __future__ import annotations

import ast
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
import tomli

from mcp_governor.checking.reading import lint_settings
from mcp_governor.config import load_config
from mcp_governor.rules import select

ROOT = Path(__file__).resolve().parent.parent


def test_generated_pages_are_fresh() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "docs.py"), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_pages_name_only_places_that_are_there(page: str) -> None:
    # Words in capitals stand for a name that the reader chooses.
    named = re.findall(r"`((?:mcp_governor|rules|tests|docs|tools)/[\w./-]*)`", (ROOT / page).read_text("utf-8"))
    assert named
    assert [place for place in named if not re.search(r"[A-Z]{2}", place) and not (ROOT / place).exists()] == []


def test_the_table_of_floors_is_the_one_that_the_linter_holds() -> None:
    contract = tomli.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"][0]
    held = [set(re.findall(r"\w+", layer)) for layer in contract["layers"] if layer != "__main__"]
    rows = re.findall(r"^\| (`.+?) \|", (ROOT / "ARCHITECTURE.md").read_text("utf-8"), re.MULTILINE)
    assert [set(re.findall(r"`(\w+)`", row)) for row in rows] == held


@pytest.mark.parametrize(
    "package", sorted((ROOT / "mcp_governor").glob("*/__init__.py")), ids=lambda at: at.parent.name
)
def test_each_folder_says_what_may_live_there(package: Path) -> None:
    assert ast.get_docstring(ast.parse(package.read_text("utf-8")))


def test_the_example_configuration_can_be_followed(tmp_path: Path) -> None:
    example = runpy.run_path(str(ROOT / "tools" / "docs.py"))["EXAMPLE"]
    (tmp_path / "pyproject.toml").write_text(example, "utf-8")
    config = load_config(start=tmp_path)
    assert config.servers["search"].command == ("python", "-m", "search_server")
    # Every rule, client and profile that it names is known.
    assert select(lint_settings(config)).active
