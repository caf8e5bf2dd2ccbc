"""Small surfaces for the tests of the comparison."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_governor.change import Change, ChangeOptions, Level, Side, compare
from mcp_governor.surface import build_surface


def meaningful(changes: list[Change]) -> list[Change]:
    """The changes without the note that a schema means the same in another spelling."""
    return [change for change in changes if not change.kind.endswith("schema-rewritten")]


class Comparer:
    """Compares two schemas, tools or surfaces."""

    def schemas(
        self,
        old: Any,
        new: Any,
        side: Side = Side.INPUT,
        *,
        level: Level = Level.DECLARED,
        **options: Any,
    ) -> list[Change]:
        """Two schemas of one tool, on one side."""
        key = "inputSchema" if side is Side.INPUT else "outputSchema"
        return self.tools({key: old}, {key: new}, level=level, **options)

    def tools(self, old: Any, new: Any, *, level: Level = Level.DECLARED, **options: Any) -> list[Change]:
        """Two versions of the tool ``t``; keys given here override its usual ones."""
        tool = {"name": "t", "inputSchema": {"type": "object"}}
        return self.surfaces({"tools": [{**tool, **old}]}, {"tools": [{**tool, **new}]}, level=level, **options)

    def surfaces(self, old: Any, new: Any, *, level: Level = Level.DECLARED, **options: Any) -> list[Change]:
        """Two recordings."""
        return compare(build_surface(old), build_surface(new), level=level, options=ChangeOptions(**options))


@pytest.fixture(scope="session")
def comparer() -> Comparer:
    return Comparer()
