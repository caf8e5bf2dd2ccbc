"""Reading a surface takes time linear in its size."""

from __future__ import annotations

import time

from mcp_governor.rules import LintSettings
from mcp_governor.rules.run import lint
from mcp_governor.surface import build_surface


def test_what_descriptions_may_quote_is_collected_once_for_a_tool():
    """It was collected anew for each parameter with a format: 3,000 of them took 13 s."""
    properties = {
        f"site_{number}_ref": {"type": "string", "description": f"Id {number}: must start with 'cus_'"}
        for number in range(3_000)
    }
    tool = {"name": "get_site", "inputSchema": {"type": "object", "properties": properties}}
    surface = build_surface({"tools": [tool]})
    started = time.process_time()
    found = lint(surface, LintSettings(select=("clarity/missing-format",)))
    assert "2,000 more" in found[0].message  # a thousand are written out
    assert time.process_time() - started < 5


def _needy(count: int) -> dict:
    """Each parameter needs the next one, "URL" among them."""
    said = {
        f"field_{number}": f"Name {number} of it. Required if field_{number + 1} is given." for number in range(count)
    }
    said = {**said, "url": "Where it is.", "proxy": "Required if URL is given."}
    properties = {name: {"type": "string", "description": text} for name, text in said.items()}
    return {"name": "a", "inputSchema": {"type": "object", "properties": properties}}


def test_parameters_are_not_sought_in_the_description_of_each_other():
    """Of 5,000 parameters, each was sought in each description, four times: 13 s."""
    surface = build_surface({"tools": [_needy(5_000)]})
    started = time.process_time()
    (found,) = lint(surface, LintSettings(select=("clarity/argument-dependencies",)))
    assert time.process_time() - started < 5
    assert '`field_0`: "Required if field_1 is given."' in found.message
