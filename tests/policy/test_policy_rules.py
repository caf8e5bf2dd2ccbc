"""Every rule of the pack is raised somewhere, with a message and a fix that are complete sentences."""

from __future__ import annotations

import re
import string
from pathlib import Path

import tomli

ROOT = Path(__file__).parents[2]
SOURCES = "\n".join(file.read_text() for file in (ROOT / "mcp_governor").rglob("*.py"))


def rules(pack: str) -> dict[str, dict[str, str]]:
    return {file.stem: tomli.loads(file.read_text()) for file in (ROOT / "rules" / pack).glob("*.toml")}


def test_files_are_named_after_their_rules() -> None:
    for pack in ("policy", "changelog"):
        for name, rule in rules(pack).items():
            assert rule["id"] == f"{pack}/{name}"
            assert rule["station"] == pack


def test_every_rule_is_raised_by_the_code() -> None:
    tests = "\n".join(file.read_text() for file in Path(__file__).parent.glob("test_*.py"))
    elsewhere = "\n".join(file.read_text() for file in Path(__file__).parents[1].glob("*/test_*.py"))
    for name in rules("policy"):
        assert f'"policy/{name}"' in SOURCES, name
        short = name.removeprefix("contract-doc-").removeprefix("manifest-")
        assert f'"policy/{name}"' in elsewhere or re.search(rf"(?<![\w-]){re.escape(short)}(?![\w-])", tests), name


def test_messages_are_sentences() -> None:
    for pack in ("policy", "changelog"):
        for name, rule in rules(pack).items():
            for key in ("summary", "why", "message", "fix"):
                text = rule[key]
                fields = [field for _, field, _, _ in string.Formatter().parse(text) if field]
                assert all(re.fullmatch(r"[a-z_]+", field) for field in fields), (name, key)
            assert rule["message"].rstrip().endswith((".", "}")), name
