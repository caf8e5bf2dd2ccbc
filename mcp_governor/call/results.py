"""Checks of a ``tools/call`` result, whatever it carries: the protocol's, and those of the other contracts.

Each contract is one function that gives breaches; the profile chooses which of their rules run
(docs/rules/README.md), and severities come from the catalogue.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mcp_governor.call.response import INPUT_REQUIRED, INVALID_PARAMS, RESULT_TYPES, Response, leading_json
from mcp_governor.charter.breach import Breach
from mcp_governor.charter.message import leak
from mcp_governor.containment.validators import compiled
from mcp_governor.schemas.pointers import join_pointer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.surface.model import Surface, Tool

_MOST = 5
"""How many disagreements with one output schema are told; more say the same."""

_BLOCKS: Mapping[str, tuple[str, ...]] = {
    "text": ("text",),
    "image": ("data", "mimeType"),
    "audio": ("data", "mimeType"),
    "resource_link": ("uri", "name"),
}
"""Content block types and their required strings (protocol, ContentBlock); ``resource`` holds an object."""


def protocol_breaches(response: Response, tool: Tool | None) -> Iterator[Breach]:
    """What every profile asks of an answer: its shape, its type, its structured content, its words."""
    yield from _shape(response)
    if response.result is not None and response.result_type == INPUT_REQUIRED:
        yield Breach("call/input-requested", "/resultType", INPUT_REQUIRED, "result")
        return
    if response.result is not None and tool is not None:
        yield from _structured(response, tool)
    text = response.failure_text
    shows = leak(text) if text else None
    if shows is not None and text is not None:
        path = "/message" if response.error is not None else "/content"
        # What is shown, not the words around it: one careless validator answers every wrong call of a tool.
        yield Breach.of("call/error-leak", path, shows.partition(" (")[0], shown=shows, text=text)


def _shape(response: Response) -> Iterator[Breach]:
    if response.error is not None:
        yield from _error_shape(response.error)
        return
    if response.is_bare_envelope:
        return
    result = response.result
    if result is None:
        yield _bad("", "answer", found=response.raw)
        return
    if not response.is_json:
        yield _bad("/structuredContent", "no-json")
    kind = response.result_type
    if not isinstance(kind, str) or kind not in RESULT_TYPES:
        yield Breach("call/result-type", "/resultType", kind)
    elif kind != INPUT_REQUIRED:
        yield from _content(result)
    if "isError" in result and not isinstance(result["isError"], bool):
        yield _bad("/isError", "flag", result["isError"])


def _error_shape(error: Mapping[str, Any]) -> Iterator[Breach]:
    code, message = error.get("code"), error.get("message")
    if not isinstance(code, int) or isinstance(code, bool):
        yield _bad("/code", "code", code)
    if not isinstance(message, str):
        yield _bad("/message", "message", message)


def _content(result: Mapping[str, Any]) -> Iterator[Breach]:
    content = result.get("content")
    if not isinstance(content, list):
        yield _bad("/content", "content", content)
        return
    for index, block in enumerate(content):
        path = f"/content/{index}"
        if not isinstance(block, dict):
            yield _bad(path, "block", block)
            continue
        kind = block.get("type")
        if kind == "resource":
            if not isinstance(block.get("resource"), dict):
                yield _bad(f"{path}/resource", "resource", kind)
        elif not isinstance(kind, str) or kind not in _BLOCKS:
            yield _bad(f"{path}/type", "block-type", kind)
        else:
            for key in _BLOCKS[kind]:
                if not isinstance(block.get(key), str):
                    yield _bad(f"{path}/{key}", "block-member", [kind, key], kind=kind, member=key)


def _structured(response: Response, tool: Tool) -> Iterator[Breach]:
    if tool.output_schema is None or response.is_error:
        return
    structured = response.structured
    if structured is None:
        yield Breach("call/structured-missing", "/structuredContent")
        return
    yield from schema_breaches(structured, tool.output_schema)


def schema_breaches(structured: Any, schema: Any) -> Iterator[Breach]:
    """Where structured content disagrees with an output schema; nothing for a schema that does not compile."""
    validator = compiled(schema)
    if validator is None:
        return
    try:
        for flaw in validator.flaws(structured)[:_MOST]:
            pointer = join_pointer("/structuredContent", *flaw.instance_path)
            yield Breach.of("call/output-schema", pointer, [pointer, flaw.keyword], error=flaw.message)
    except (ValueError, RecursionError, OverflowError) as error:
        yield _bad("/structuredContent", "unreadable", error=str(error))


def mirror_breaches(response: Response) -> Iterator[Breach]:
    """Charter, "Transport integration": the first text block is a JSON mirror of the structured content."""
    if response.result is None or response.structured is None:
        return
    rule = "envelope/text-mirror"
    problem = response.mirror_problem
    if problem is not None:
        path = "/content/0/text" if response.texts else "/content"
        yield Breach(rule, path, problem)


def text_only_breaches(response: Response) -> Iterator[Breach]:
    """Tool schema guide, section 0 (tool_result, version 1): content and isError, text only, nothing else."""
    result = response.result
    if result is None:
        return
    rule = "omni/tool-result"
    for key in sorted(result.keys() - {"content", "isError", "_meta", "resultType"}):
        yield Breach(rule, join_pointer("", key), key, "member")
    if "isError" not in result:
        yield Breach(rule, "/isError", None, "flag")
    content = result.get("content")
    if isinstance(content, list):
        if not content:
            yield Breach(rule, "/content", None, "empty")
        for index, block in enumerate(content):
            extra = sorted(block.keys() - {"type", "text"}) if isinstance(block, dict) else []
            if not isinstance(block, dict) or block.get("type") != "text" or extra:
                yield Breach(rule, f"/content/{index}", extra, "block")


def summary_breaches(response: Response) -> Iterator[Breach]:
    """SCHEMA.md, section 6.1: content is a short summary and does not repeat the structured payload."""
    structured = response.structured
    if not isinstance(structured, dict | list) or not structured:
        return
    for index, text in enumerate(response.texts):
        if _tells(text, structured):
            yield Breach("schema-md/content-summary", f"/content/{index}/text")


def code_breaches(response: Response, label: str) -> Iterator[Breach]:
    """SCHEMA.md, section 5.2: what a schema refuses is INVALID_PARAMS; CAP_EXCEEDED is for runtime caps.

    Args:
        response: the answer to a wrong call; other channels than a JSON-RPC error have no code.
        label: what is wrong with the call, safe to show.
    """
    if response.error is None:
        return
    code, data = response.error.get("code"), response.error.get("data")
    if code != INVALID_PARAMS:
        yield Breach.of("schema-md/error-code", "/error/code", code, says="code", call=label)
        return
    told = data.get("code") if isinstance(data, Mapping) else None
    if isinstance(told, str) and told.endswith("CAP_EXCEEDED"):
        yield Breach.of("schema-md/error-code", "/error/data/code", told, says="cap", call=label)


def schema_version_breaches(response: Response, surface: Surface | None) -> Iterator[Breach]:
    """Surface governance, "Schema versioning rules": every response says the server's ``schema_version``."""
    structured = response.structured
    if not isinstance(structured, dict):
        return
    rule, path = "surface/schema-version", "/structuredContent/schema_version"
    said = structured.get("schema_version")
    if not isinstance(said, str):
        yield Breach(rule, path, said, "missing")
    elif surface is not None and surface.version is not None and said != surface.version:
        yield Breach.of(rule, path, [said, surface.version], says="differs", said=said, version=surface.version)


def deprecation_breaches(response: Response, tool: Tool | None, surface: Surface | None) -> Iterator[Breach]:
    """Surface governance, "Deprecation policy": a deprecated tool warns in its structured content, by name."""
    structured = response.structured
    if tool is None or tool.deprecation is None or response.result is None:
        return
    if not isinstance(structured, dict):
        if response.is_error:
            return  # it has no structure at all, which is told
        structured = {}
    rule, path = "surface/deprecation-warning", "/structuredContent/warning"
    warning = structured.get("warning", structured.get("warnings"))
    text = " ".join(map(str, warning)) if isinstance(warning, list) else warning
    if not isinstance(text, str) or not text:
        yield Breach(rule, path, None, "missing")
        return
    replacement = tool.deprecation.replacement
    if tool.deprecation.nothing:
        return
    named = (
        [replacement] if replacement else [name for name in (surface.by_name if surface else ()) if name != tool.name]
    )
    if named and not any(_names(text, name) for name in named):
        yield Breach.of(rule, path, text, says="other" if replacement else "unnamed", replacement=replacement)


def _names(text: str, name: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) is not None


def server_info_breaches(document: Any) -> Iterator[Breach]:
    """Tool schema guide, section 0a (server_info, version 1): what GET on the endpoint answers."""
    rule = "omni/server-info"
    if not isinstance(document, dict):
        yield Breach.of(rule, "", says="shape", found=document)
        return
    for key in ("name", "version", "protocolVersion", "message"):
        value = document.get(key)
        if not isinstance(value, str) and not (key == "message" and key not in document):
            yield Breach.of(rule, f"/{key}", value, says="string", member=key)
    for key in sorted(document.keys() - {"name", "version", "protocolVersion", "message"}):
        yield Breach(rule, join_pointer("", key), key, "member")


def _tells(text: str, structured: Any) -> bool:
    """Whether a text holds the structured content over again, with or without words around it."""
    starts = [index for index in (text.find("{"), text.find("[")) if index >= 0]
    try:
        return any(leading_json(text[index:]) == structured for index in starts)
    except RecursionError:
        return False


def _bad(path: str, says: str, value: Any = None, /, **facts: Any) -> Breach:
    return Breach("call/result-shape", path, value, says, facts)
