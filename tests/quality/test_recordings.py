"""Recording the servers of two sets of labels, on servers that are started here."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import TYPE_CHECKING, Any

import record_servers
from quality_corpus import release
from quality_labels import RECALL, RECORDED_SPLITS, labelled_servers

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

PAGED = """
import json, os, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    cursor = int((asked.get("params") or {}).get("cursor") or 0)
    if asked["method"] == "initialize":
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                  "serverInfo": {"name": os.environ["CALLED"], "version": "9"}, "instructions": "Ask first."}
    elif asked["method"] == "tools/list":
        result = {"tools": [{"name": f"tool{cursor}", "inputSchema": {"type": "object"}}]}
        if cursor < LAST:
            result["nextCursor"] = str(cursor + 1)
    else:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32601, "message": "no"}}), flush=True)
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


def listed(folder: Path, last: str) -> dict[str, Any]:
    script = folder / "server.py"
    script.write_text(PAGED.replace("LAST", last), "utf-8")
    return {
        "server": "paged",
        "registry": "pypi",
        "package": "paged-server",
        "version": "1.2",
        "command": [sys.executable, str(script)],
        "env": {"CALLED": "paged"},
    }


def test_a_recording_holds_every_page_in_the_layout_of_the_corpus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    away = {**listed(tmp_path, "2"), "server": "away", "command": [sys.executable, "-c", "raise SystemExit(3)"]}
    entries = tmp_path / "recordings.json"
    entries.write_text(json.dumps([away, listed(tmp_path, "2")]), "utf-8")
    monkeypatch.setattr(record_servers, "LISTED", entries)
    monkeypatch.setattr(sys, "argv", ["record_servers.py", "--out", str(tmp_path / "out")])
    assert record_servers.main() == 1
    said = capsys.readouterr().out
    assert "away: not recorded: " in said
    assert "paged 1.2: 3 tools" in said
    found = release("pypi", "paged", "1.2", tmp_path / "out")
    assert found is not None
    assert [tool["name"] for tool in found.raw["tools"]] == ["tool0", "tool1", "tool2"]
    assert (found.raw["serverInfo"]["name"], found.raw["instructions"]) == ("paged", "Ask first.")
    assert found.raw["package"] == "paged-server"


def test_a_list_without_an_end_is_cut(tmp_path: Path) -> None:
    surface = asyncio.run(record_servers.recorded(listed(tmp_path, "10**9"), tmp_path))
    assert len(surface["tools"]) == record_servers.MOST_PAGES


def test_each_labelled_server_that_is_not_in_the_corpus_can_be_recorded() -> None:
    listed = {
        (entry["server"], entry["registry"], entry["version"])
        for entry in json.loads((RECALL / "recordings.json").read_text("utf-8"))
    }
    labelled = [server for split in RECORDED_SPLITS for server in labelled_servers(split)]
    assert listed == {(server.server, server.registry, server.version) for server in labelled}
