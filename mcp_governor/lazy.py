"""Lazy objects: names of a package, and regular expressions."""

from __future__ import annotations

import importlib
import re
import sys
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


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


class AnyCase:
    """An expression in small letters that is found in whatever case: it compiles on first use, in less than half the
    time of ``re.IGNORECASE``, and runs over the text in small letters. So do its matches hold them; the spans say where
    to find what is written.
    """

    def __init__(self, source: str) -> None:
        self._made = lazy_pattern(source)

    def search(self, text: str, start: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        """The first match in a string."""
        return self._made.search(_small(text), start, end)

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        """The match at a position of a string."""
        return self._made.match(_small(text), start)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """The match of a whole string."""
        return self._made.fullmatch(_small(text))

    def finditer(self, text: str, start: int = 0, end: int = sys.maxsize) -> Iterator[re.Match[str]]:
        """All matches in a string."""
        return self._made.finditer(_small(text), start, end)


def _small(text: str) -> str:
    """A string in small letters; the letter is replaced that would become two and move all spans behind it."""
    return text.replace("\u0130", "i").lower()
