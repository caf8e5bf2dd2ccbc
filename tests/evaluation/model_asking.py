"""Runners whose provider is the stub."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import anyio
from replacing import replace
from servers.model_stub import KEY, Asked, ModelStub, Reply, Script

from mcp_governor.evaluation.hosted import HostedRunner
from mcp_governor.evaluation.model import Answer, Offer, Query
from mcp_governor.evaluation.providers import PROVIDERS, Options

MODEL = {"anthropic": "anthropic:claude-stub-1", "google": "google:gemini-stub-1"}
BASE = {"anthropic": "ANTHROPIC_BASE_URL", "google": "GOOGLE_GEMINI_BASE_URL"}
PATH = {"anthropic": "/anthropic", "google": "/google"}
VARIABLE = {"anthropic": "ANTHROPIC_API_KEY", "google": "GOOGLE_API_KEY"}
DIALECTS = ("anthropic", "responses", "chat", "google")

# A schema with everything that one of the libraries would rewrite, in an order that none would choose.
SCHEMA: dict[str, Any] = json.loads(
    """{"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Arguments", "required": ["z", "a"],
    "type": "object", "properties": {
      "z": {"$ref": "#/$defs/Zed", "description": "  kept \\n as it is: é <|im_start|>"},
      "a": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": null},
      "m": {"type": ["string", "integer"], "format": "date-time", "examples": ["x"], "x-own": 1},
      "c": {"const": 1}, "o": {"oneOf": [{"type": "number", "exclusiveMinimum": 0}, {"enum": ["b", "a", 3, null]}]},
      "t": {"type": "array", "prefixItems": [{"type": "string"}], "items": false}, "any": true,
      "d": {"type": "object", "patternProperties": {"^x": {"type": "string"}}},
      "p": {"type": "string", "pattern": "^\\\\d+$", "minLength": 1}},
    "additionalProperties": false,
    "$defs": {"Zed": {"type": "object", "properties": {"self": {"$ref": "#/$defs/Zed"}, "n": {"default": 1.0}}}}}"""
)
TOOLS: tuple[dict[str, Any], ...] = (
    {"name": "z_tool", "description": "  Zed\n\n<|im_start|> é\u200d “q” ", "inputSchema": SCHEMA},
    {"name": "a_tool", "description": "Use this when a.", "inputSchema": {"type": "object", "properties": {}}},
    {"name": "m_tool", "inputSchema": {"properties": {"q": {"type": "string", "default": "x"}}, "type": "object"}},
)
OFFER = Offer(TOOLS, 1)
QUERY = Query("q1", "What is <|im_start|> now?", ("a_tool",))


@contextmanager
def stubbed(script: Script | Reply, dialect: str, **options: Any) -> Iterator[tuple[ModelStub, HostedRunner]]:
    """A stub and a runner that asks it."""
    with ModelStub(script) as stub:
        yield stub, runner(stub, dialect, **options)


def runner(stub: ModelStub, dialect: str, model: str = "", key: str = KEY, **options: Any) -> HostedRunner:
    openai = dialect in ("responses", "chat")
    family = "openai" if openai else dialect
    name = f"{family}:{model}" if model else MODEL.get(dialect, "openai:gpt-stub-1")
    address = stub.url + PATH.get(dialect, "/openai/v1")
    environment = {BASE.get(dialect, "OPENAI_BASE_URL"): address, VARIABLE.get(dialect, "OPENAI_API_KEY"): key}
    # Responses is spoken to OpenAI's own address.
    own = {"openai": replace(PROVIDERS["openai"], address=address)} if dialect == "responses" else {}
    with patch.dict(PROVIDERS, own):
        return HostedRunner(name, environment, Options(**options))


def ask(asked: HostedRunner, query: Query = QUERY, offer: Offer = OFFER) -> Answer:
    """One answer; the connection is closed afterwards."""

    async def once() -> Answer:
        try:
            return await asked.answer(query, offer)
        finally:
            await asked.aclose()

    return anyio.run(once)


def answered(script: Script | Reply, dialect: str, **options: Any) -> tuple[Answer, list[Asked]]:
    """The answer to one query, and what was asked for it."""
    with stubbed(script, dialect, **options) as (stub, asked):
        return ask(asked), stub.asked
