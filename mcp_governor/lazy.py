"""Names of a package that load when they are first used."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


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
