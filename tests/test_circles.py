"""No module needs itself, over however many others: imports for types and inside of functions count as well."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

import grimp
import pytest


def order(imports: dict[str, set[str]]) -> tuple[str, ...]:
    return tuple(TopologicalSorter(imports).static_order())


def test_no_circle_of_modules() -> None:
    graph = grimp.build_graph("mcp_governor", cache_dir=None)
    packages = {name for name in graph.modules if graph.find_children(name)}
    imports = {
        # a package offers names of its modules, which may import one another through it
        name: graph.find_modules_directly_imported_by(name) - packages
        for name in graph.modules - packages
    }
    assert len(imports) > 250
    assert sum(map(len, imports.values())) > 1_000
    try:
        order(imports)
    except CycleError as error:
        pytest.fail(" → ".join(error.args[1]))


def test_a_circle_would_be_found() -> None:
    with pytest.raises(CycleError):
        order({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": set()})
