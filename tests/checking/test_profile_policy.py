"""What a profile makes of the comparison, and who has the last word."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_governor.checking.reading import changes_between
from mcp_governor.config import Config, PolicyConfig
from mcp_governor.surface import build_surface


def _tool(schema: dict[str, Any]) -> Any:
    return build_surface({"tools": [{"name": "loop", "inputSchema": schema}]})


FLAG: dict[str, Any] = {"type": "object", "properties": {"open": {"type": "boolean"}}}
CLOSED = {**FLAG, "additionalProperties": False}
FLIPPED = {"type": "object", "properties": {"open": {"type": "boolean", "default": True}}}


@pytest.mark.parametrize(
    ("profile", "options", "new", "verdict"),
    [
        (("recommended",), {}, CLOSED, "compatible"),
        (("surface",), {}, CLOSED, "breaking"),
        (("recommended", "surface"), {}, CLOSED, "breaking"),
        (("surface",), {"input-closed": "compatible"}, CLOSED, "compatible"),
        (("recommended",), {}, FLIPPED, "compatible"),
        (("surface",), {}, FLIPPED, "breaking"),
        (("surface",), {"default-presence": "compatible"}, FLIPPED, "compatible"),
    ],
)
def test_the_policy_of_a_profile(profile: tuple[str, ...], options: Any, new: Any, verdict: str) -> None:
    config = Config(profile=profile, policy=PolicyConfig(options=options))
    [change] = changes_between(_tool(FLAG), _tool(new), config)
    assert change.verdict == verdict


PROMISED: dict[str, Any] = {"type": "object", "properties": {"n": {"type": "integer"}}, "additionalProperties": False}
GREW = {**PROMISED, "properties": {**PROMISED["properties"], "m": {"type": "integer"}}}


@pytest.mark.parametrize(
    ("profile", "options", "verdict"),
    [
        (("recommended",), {}, "compatible"),
        (("surface",), {}, "compatible"),
        (("charter",), {}, "compatible"),
        (("schema-md",), {}, "breaking"),
        (("omni",), {}, "breaking"),
        (("schema-md",), {"closed-output": "compatible"}, "compatible"),
    ],
)
def test_a_new_field_breaks_where_the_source_closes_outputs(
    profile: tuple[str, ...], options: Any, verdict: str
) -> None:
    old, new = (
        build_surface({"tools": [{"name": "loop", "inputSchema": {"type": "object"}, "outputSchema": output}]})
        for output in (PROMISED, GREW)
    )
    config = Config(profile=profile, policy=PolicyConfig(options=options))
    assert [change.verdict for change in changes_between(old, new, config)] == [verdict]
