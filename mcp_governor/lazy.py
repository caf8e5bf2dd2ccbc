"""What is made when it is first used: regular expressions, and the names of a package.

A command imports some two hundred expressions and uses a few dozen. Compiling them all takes 2 to 7 % of a start (2 to
12 ms, Python 3.11).
"""

from __future__ import annotations

import importlib
import re
import sys
from typing import TYPE_CHECKING, Any, AnyStr, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class _Pattern:
    def __init__(self, source: str | bytes, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        value = getattr(re.compile(self._source, self._flags), name)
        # Found without this function from now on.
        setattr(self, name, value)
        return value


def lazy_pattern(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """``re.compile``, put off until a method or an attribute of the pattern is asked for.

    An expression that does not compile raises ``re.error`` only then: for expressions of our own, which tests run.
    """
    return cast("re.Pattern[AnyStr]", _Pattern(source, flags))


def lazy_names(package: str, homes: Mapping[str, tuple[str, ...]]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package (PEP 562) whose names load with their first use.

    Args:
        package: its ``__name__``.
        homes: submodule, or one in it, → the names that come from it; the submodule itself is one, too, so no name
            may be that of a submodule.
    """
    home_of = {name: name for name in (home.partition(".")[0] for home in homes)}
    home_of |= {name: home for home, names in homes.items() for name in names}

    def load(name: str) -> Any:
        home = home_of.get(name)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = importlib.import_module(f"{package}.{home}")
        value = module if name == home else getattr(module, name)
        # Found without this function from now on.
        setattr(sys.modules[package], name, value)
        return value

    return load
