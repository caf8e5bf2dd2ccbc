"""Names that load with their first use, and expressions that compile then."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import sys

import pytest

import mcp_governor
from mcp_governor import lazy, packs, prose, rules, subjects
from mcp_governor.lazy import lazy_pattern


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
        ".change",
        ".changelog",
        ".charter",
        ".containment",
        ".rules",
        ".subjects",
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


def test_a_lazy_pattern_is_the_compiled_one_from_its_first_use_on():
    source = r"(?P<word>[a-z]+)(\d*)"
    late, compiled = lazy_pattern(source, re.IGNORECASE), re.compile(source, re.IGNORECASE)
    assert "search" not in vars(late)
    text = "-Ab1, cd"
    assert late.search(text)["word"] == "Ab"
    # From now on a method is found without __getattr__.
    assert "search" in vars(late)
    assert late.match(text) is None
    assert late.match(text, 1).span() == (1, 4)
    assert late.fullmatch("ab") is not None
    assert late.findall(text) == [("Ab", "1"), ("cd", "")]
    assert [match.span() for match in late.finditer(text)] == [match.span() for match in compiled.finditer(text)]
    assert late.split("1a1") == compiled.split("1a1")
    assert late.sub("x", text) == "-x, x"
    assert (late.pattern, late.groups) == (compiled.pattern, 2)


def test_every_lazy_pattern_compiles():
    homes = ("changelog", "given", "packs", "prose", "rules", "surface", "target")
    count = 0
    for found in pkgutil.walk_packages(mcp_governor.__path__, "mcp_governor."):
        if found.name.split(".")[1] in homes:
            for value in vars(importlib.import_module(found.name)).values():
                if isinstance(value, lazy._LazyPattern):
                    count += 1
                    assert value.flags >= 0
    assert count > 100


def test_readers_of_text_compile_no_expression_when_they_are_imported():
    # A run over a small surface needs a third of their expressions, and compiling all took a fifth of its time.
    found = [
        f"{home.name}.{name}"
        for room in (packs, prose, rules, subjects)
        for home in pkgutil.walk_packages(room.__path__, f"{room.__name__}.")
        for name, value in vars(importlib.import_module(home.name)).items()
        if isinstance(value, re.Pattern)
    ]
    # lazy_pattern makes one that compiles with its first use. Every run splits words.
    assert [name for name in found if not name.startswith("mcp_governor.prose.words.")] == []
