"""Names that load with their first use."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys

import pytest


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
