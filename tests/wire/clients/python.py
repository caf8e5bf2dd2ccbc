"""The official Python client as a referee; see ``typescript.mjs`` for the conversation."""

from __future__ import annotations

import json
import sys
from typing import Any

import anyio
import mcp_types as types
from mcp import ClientSession
from mcp.shared.message import SessionMessage


async def _serve(answers: dict[str, str], asked: Any, reply: Any) -> None:
    async for item in asked:
        message = item.message
        number = getattr(message, "id", None)
        if number is None:
            continue
        result = answers.get(message.method)
        rest = '"error":{"code":-32601,"message":"Method not found"}' if result is None else f'"result":{result}'
        text = f'{{"jsonrpc":"2.0","id":{json.dumps(number)},{rest}}}'
        try:
            read = types.jsonrpc_message_adapter.validate_json(text, by_name=False)
        except ValueError:
            await reply.aclose()
            return
        await reply.send(SessionMessage(read))


async def judged(protocol: str, answers: dict[str, str]) -> dict[str, Any]:
    modern = protocol >= "2026-07-28"
    to_server, asked = anyio.create_memory_object_stream[Any](8)
    reply, from_server = anyio.create_memory_object_stream[Any](8)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_serve, answers, asked, reply)
        async with ClientSession(from_server, to_server, read_timeout_seconds=5) as session:
            steps = {
                "server/discover": session.discover,
                "initialize": session.initialize,
                "tools/list": session.list_tools,
                "prompts/list": session.list_prompts,
                "resources/list": session.list_resources,
                "resources/templates/list": session.list_resource_templates,
                "tools/call": lambda: session.call_tool("find", {}),
            }
            verdict = {"failed": None, "why": ""}
            for method, step in steps.items():
                if method not in answers or method == ("initialize" if modern else "server/discover"):
                    continue
                try:
                    await step()
                except Exception as error:
                    verdict = {"failed": method, "why": str(error)[:300]}
                    break
        tasks.cancel_scope.cancel()
    return verdict


async def main() -> None:
    for line in sys.stdin:
        spoken = json.loads(line)
        print(json.dumps(await judged(spoken["protocol"], spoken["answers"])), flush=True)


anyio.run(main)
