"""CPU seconds for the validation of 10,000 results: ``python tools/bench_responses.py [--count N]``.

The results are the recordings next to the repository if present, else envelopes of our own. Each round parses the
results from text, so that nothing is cached between two rounds.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp_governor.call.validate import validate_response
from mcp_governor.charter import ToolResponse
from mcp_governor.surface import build_surface

if TYPE_CHECKING:
    from mcp_governor.surface import Surface

UPSTREAM = Path(__file__).resolve().parents[2] / "shared" / "upstream" / "schemabrain"


def recorded() -> tuple[Surface, list[tuple[str, Any]]]:
    """The recorded surface, and (tool, response) of every recorded call."""
    listed = json.loads((UPSTREAM / "tools_list.json").read_text(encoding="utf-8"))
    surface = build_surface(listed["response"]["result"])
    calls = [json.loads(file.read_text(encoding="utf-8")) for file in sorted(UPSTREAM.glob("c*.json"))]
    return surface, [(call["request"]["params"]["name"], call["response"]) for call in calls]


def made() -> tuple[Surface, list[tuple[str, Any]]]:
    """A surface with one tool, and a success and an error of that tool."""
    model = ToolResponse[list[dict[str, str]]]
    schema = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
    surface = build_surface({"tools": [{"name": "find", "inputSchema": schema, "outputSchema": model.output_schema()}]})
    success = model.success([{"name": f"table {index}"} for index in range(50)], follow_up_hints=["find"])
    error = model.fail("unknown_name", "No table is called user.", suggested_tool="find", suggested_args={"q": "a"})
    return surface, [("find", success.to_result()), ("find", error.to_result())]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    surface, calls = recorded() if UPSTREAM.exists() else made()
    seconds = []
    for _ in range(options.rounds):
        results = [(name, json.loads(json.dumps(value))) for name, value in calls]
        begun = time.process_time()
        for index in range(options.count):
            name, value = results[index % len(results)]
            validate_response(value, tool=name, surface=surface)
        seconds.append(time.process_time() - begun)
    size = statistics.mean(len(json.dumps(value)) for _, value in calls)
    source = "recorded" if UPSTREAM.exists() else "made"
    print(f"{options.count:,} results ({source}, {size:,.0f} bytes on average), profile charter")
    print(f"CPU s: median {statistics.median(seconds):.2f}, best {min(seconds):.2f}, budget 2.00")


if __name__ == "__main__":
    main()
