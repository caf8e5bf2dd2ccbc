"""Lazy objects: names of a package, and regular expressions."""

from __future__ import annotations

import importlib
import re
import sys
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def lazy_names(package: str, homes: Mapping[str, tuple[str, ...]]) -> Callable[[str], Any]:
    """Create the ``__getattr__`` of a package (PEP 562) whose names load on first use.

    Args:
        package: its ``__name__``.
        homes: submodule, or a module within one, → the names that it provides. The submodule itself is a name too, so
            no other name may equal that of a submodule.
    """
    home_of = {name: name for name in (home.partition(".")[0] for home in homes)}
    home_of |= {name: home for home, names in homes.items() for name in names}

    def load(name: str) -> Any:
        home = home_of.get(name)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = importlib.import_module(f"{package}.{home}")
        value = module if name == home else getattr(module, name)
        # From now on the name is found without calling this function.
        setattr(sys.modules[package], name, value)
        return value

    return load


class _LazyPattern:
    """A placeholder for a compiled expression; it takes over the expression's methods on first use."""

    def __init__(self, source: str, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        made = re.compile(self._source, self._flags)
        for method in ("search", "match", "fullmatch", "finditer", "findall", "split", "sub"):
            setattr(self, method, getattr(made, method))
        return getattr(made, name)


def lazy_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """A regular expression that compiles on first use, for modules with many expressions that a short run does not
    need.

    A run over a small surface would spend a tenth of its time on compiling expressions that it never uses.

    Args:
        source: the expression.
        flags: as in :func:`re.compile`.

    Returns:
        An object with the methods and attributes of a compiled expression; the functions of :mod:`re` do not accept it.
    """
    return cast("re.Pattern[str]", _LazyPattern(source, flags))
