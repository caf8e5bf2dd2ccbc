"""A scripted server of a wiki that writes down each call, in a folder with a configuration."""

from __future__ import annotations

import json
import sys
from typing import Any

from projects import governor, governor_process, write
from pydantic import BaseModel
from support import SERVERS

from mcp_governor.charter.facts import ENVELOPE_KEYS

ONE = {
    "type": "object",
    "properties": {"name": {"type": "string", "description": "Name of the page."}},
    "required": ["name"],
    "additionalProperties": False,
}
NONE = {"type": "object", "properties": {}, "additionalProperties": False}
READS = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": True}
METADATA = {
    "dev.mcp-governor/charter": {
        "cost_hint": {"tokens_estimate": 50, "dollars_estimate": None},
        "latency_hint": "fast",
        "idempotent": True,
        "side_effects": "read",
        "charter_version": "1.2",
    }
}


def tool(name: str, schema: dict[str, Any] = ONE, other: str = "list_pages", **hints: bool) -> dict[str, Any]:
    """A tool that the linter has nothing to say about, under profile ``charter``."""
    return {
        "name": name,
        "description": f"Use this when the user asks for the pages of one wiki by {name}. Returns what is known of "
        f"them. Use `{other}` instead when the name of the page is not known. Common composition: `{other}`, then "
        f"`{name}`.",
        "inputSchema": schema,
        "annotations": hints or READS,
        "_meta": METADATA,
    }


def envelope(**fields: Any) -> dict[str, Any]:
    nothing = dict.fromkeys(ENVELOPE_KEYS)
    whole = {**nothing, "status": "success", "data": {"name": "start"}, "charter_version": "1.2", **fields}
    return {"content": [{"type": "text", "text": json.dumps(whole)}], "structuredContent": whole, "isError": False}


def failure(message: str = "No page has that name.", kind: str = "unknown_name", **recovery: Any) -> dict[str, Any]:
    block = {"fuzzy_matches": [], **(recovery or {"suggested_tool": "list_pages", "suggested_args": {}})}
    return envelope(status="error", data=None, error={"kind": kind, "message": message, "recovery": block})


LIST = tool("list_pages", NONE, "read_page")
READ = tool("read_page")
ANSWERS: dict[str, Any] = {
    "list_pages": envelope(data={"pages": [{"name": "start"}]}),
    "read_page": [envelope(), failure()],
}


class Page(BaseModel):
    """A page."""

    name: str


class Pages(BaseModel):
    """Pages."""

    pages: list[Page]


class Wiki:
    """A folder with a scripted server in its configuration."""

    def __init__(self, root):
        self.root = root
        self.log = root / "log"

    def serve(self, *tools: dict[str, Any], config: str = "", top: str = "", lax: bool = False, **answers: Any):
        script = {"tools": tools or [LIST, READ], "answers": {**ANSWERS, **answers}, "log": str(self.log), "lax": lax}
        command = json.dumps([sys.executable, str(SERVERS / "scripted.py"), "script.json"])
        table = f'target = "wiki"\n{top}\n[servers.wiki]\ncommand = {command}\n{config}'
        write(self.root, {"script.json": json.dumps(script), "mcp-governor.toml": table})
        return self

    def check(self, *options: str, profile: str = "charter", process: bool = False):
        run = governor_process if process else governor
        return run(self.root, "check", *(["--profile", profile] if profile else []), *options)

    def report(self, *options: str, **more: Any) -> dict[str, Any]:
        return json.loads(self.check("--format", "json", *options, **more).stdout)

    @property
    def calls(self) -> list[list[Any]]:
        """Tool and arguments of every call that the server has seen."""
        return [json.loads(line) for line in self.log.read_text().splitlines()] if self.log.exists() else []

    @property
    def called(self) -> list[str]:
        return [name for name, _ in self.calls]


def rules(report: dict[str, Any]) -> set[str]:
    """What was found in responses."""
    return {rule for finding in report["findings"] if (rule := finding["rule"]).startswith(("call/", "envelope/"))}
