"""What the project's card says of the repository itself."""

from __future__ import annotations

import re

import tomli
from source_statements import ROOT

PROJECT = tomli.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_the_packages_of_the_card_are_requirements() -> None:
    extras = (item for items in PROJECT["optional-dependencies"].values() for item in items)
    names = {re.split(r"[^\w-]", item, maxsplit=1)[0] for item in (*PROJECT["dependencies"], *extras)}
    assert names >= {"click", "jsonschema", "pydantic", "rich", "pytest", "tomli"}


def test_the_folders_and_files_of_the_card_are_there() -> None:
    for name in ("pyproject.toml", "mcp_governor/__init__.py", "docs/mcp-schema-changelog.md"):
        assert (ROOT / name).is_file(), name
    for name in ("rules", "fixtures", "tests"):
        assert (ROOT / name).is_dir(), name
