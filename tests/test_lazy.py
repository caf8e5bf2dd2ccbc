"""Patterns and names that are made with their first use."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import sys

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


def test_names_of_a_package_load_with_their_first_use(tmp_path, monkeypatch):
    package = tmp_path / "shop_of_test"
    package.mkdir()
    (package / "__init__.py").write_text(
        "from mcp_governor.lazy import lazy_names\n__getattr__ = lazy_names(__name__, {'shelf': ('BOOK',)})\n"
    )
    (package / "shelf.py").write_text("BOOK = object()\n")
    monkeypatch.syspath_prepend(tmp_path)
    shop = importlib.import_module("shop_of_test")
    assert "shop_of_test.shelf" not in sys.modules
    assert shop.BOOK is shop.BOOK is sys.modules["shop_of_test.shelf"].BOOK
    assert "BOOK" in vars(shop)
    assert shop.shelf is sys.modules["shop_of_test.shelf"]
    with pytest.raises(AttributeError, match="module 'shop_of_test' has no attribute 'LAMP'"):
        _ = shop.LAMP


@pytest.mark.parametrize(
    "package",
    [
        "",
        ".catalogue",
        ".change",
        ".changelog",
        ".charter",
        ".containment",
        ".linting",
        ".wire",
    ],
)
def test_every_promised_name_is_there(package):
    module = importlib.import_module(f"mcp_governor{package}")
    assert module.__all__
    assert [name for name in module.__all__ if not hasattr(module, name)] == []
    # A submodule of the same name would take its place as soon as somebody imports it.
    submodules = {found.name for found in pkgutil.iter_modules(module.__path__)}
    assert [name for name in module.__all__ if name in submodules and not inspect.ismodule(getattr(module, name))] == []
