"""False lines about a second sample of drawn servers, each with the nearest server that deserves its line."""

from __future__ import annotations

from typing import Any

STRING = {"type": "string"}


def tool(name: str, said: str = "", **properties: Any) -> dict[str, Any]:
    return {"name": name, "description": said, "inputSchema": {"type": "object", "properties": properties}}


def lists(first: str) -> list[dict[str, Any]]:
    limit = {"type": "integer"}
    paged = [tool(f"list_{name}", limit=limit, **{first: STRING}) for name in ("models", "prompts")]
    return [*paged, tool("list_metrics", limit=limit)]


def search(said: str) -> list[dict[str, Any]]:
    return [tool("search_records", said, where={"type": "string", "description": "WHERE clause."})]
