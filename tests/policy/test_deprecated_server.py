"""A server that its registry manifest announces to go: its tools may go with it, after the same window."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_governor.change import compare
from mcp_governor.changelog import parse
from mcp_governor.policy.evaluation import evaluate
from mcp_governor.surface import build_surface

OFFICIAL = "io.modelcontextprotocol.registry/official"
SAID = "\n\n**Deprecated**\n\n- The `status` in the manifest says that the server is deprecated."
LOG = f"## 2.0.0 (current)\n\n## 1.3.0\n\n## 1.2.0{SAID}\n\n## 1.1.0\n"


def judged(manifest: dict[str, Any] | None, log: str, before: str = "1.3.0") -> list[str]:
    raw = {"tools": [{"name": "old", "inputSchema": {"type": "object"}}], "manifest": manifest}
    old, new = build_surface(raw), build_surface({**raw, "tools": []})
    result = evaluate(
        compare(old, new), old, new, old_version=before, new_version="2.0.0", changelog=parse(log, "log.md")
    )
    return [found.rule for found in result.findings]


@pytest.mark.parametrize(
    "manifest", [{"status": "deprecated"}, {"status": "deleted"}, {"_meta": {OFFICIAL: {"status": "deprecated"}}}]
)
def test_a_deprecated_server_may_take_its_tools_with_it(manifest: dict[str, Any]) -> None:
    assert judged(manifest, LOG) == []
    assert judged(manifest, LOG.replace(SAID, "").replace("## 1.3.0", f"## 1.3.0{SAID}")) == ["policy/removed-early"]
    # told by the manifest of the baseline alone
    assert judged(manifest, LOG.replace(SAID, "")) == ["policy/removed-early"]


@pytest.mark.parametrize("manifest", [None, {"status": "active"}, {"status": "?"}, {"_meta": {OFFICIAL: "deprecated"}}])
def test_one_that_stays_may_not(manifest: dict[str, Any] | None) -> None:
    assert judged(manifest, LOG) == ["policy/removed-undeprecated"]
