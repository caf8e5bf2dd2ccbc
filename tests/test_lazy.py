"""Patterns that are compiled on first use."""

from __future__ import annotations

import importlib
import pkgutil
import re

import pytest

import mcp_governor
from mcp_governor.lazy import _Pattern, lazy_pattern


def test_nothing_is_compiled_before_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = []
    compile_ = re.compile
    monkeypatch.setattr(re, "compile", lambda *args: compiled.append(args) or compile_(*args))
    pattern = lazy_pattern(r"(\d+) (\w+)", re.ASCII)
    assert compiled == []
    assert [pattern.search(text) is not None for text in ("12 cups", "no", "3 spoons")] == [True, False, True]
    assert compiled == [(r"(\d+) (\w+)", re.ASCII)]


def test_it_does_what_a_pattern_does() -> None:
    ours, theirs = lazy_pattern("a(b)?", re.IGNORECASE), re.compile("a(b)?", re.IGNORECASE)
    assert ours.sub("x", "AB ab b") == theirs.sub("x", "AB ab b")
    assert ours.findall("ab a") == theirs.findall("ab a")
    assert (ours.pattern, ours.flags, ours.groups) == (theirs.pattern, theirs.flags, theirs.groups)
    assert lazy_pattern(b"a").fullmatch(b"a") is not None


def _modules() -> list[str]:
    found = pkgutil.walk_packages(mcp_governor.__path__, "mcp_governor.")
    return [module.name for module in found if not module.name.endswith("__main__")]


def test_every_pattern_of_ours_compiles() -> None:
    patterns = {
        f"{module}.{name}": value
        for module in _modules()
        for name, value in vars(importlib.import_module(module)).items()
        if isinstance(value, _Pattern)
    }
    assert len(patterns) > 100
    for place, pattern in patterns.items():
        assert isinstance(pattern.search, type("".join)), place
