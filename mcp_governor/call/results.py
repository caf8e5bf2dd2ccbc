"""Check a ``tools/call`` result against the protocol and the other contracts.

Each contract is a function that yields breaches. The profile chooses which of their rules run (docs/rules/README.md);
severities come from the catalogue.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from mcp_governor.call.outcome import (
    INPUT_REQUIRED,
    INVALID_PARAMS,
    RESULT_TYPES,
    Response,
    failure_message,
    leading_json,
)
from mcp_governor.charter.breach import Breach
from mcp_governor.charter.failure import leak, strings_of
from mcp_governor.containment.validators import compiled
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.surface.messages import mismatches
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Set

    from mcp_governor.surface.model import Surface, Tool

_MAX_FLAWS = 5
"""Most violations of one output schema that are reported; the others usually have the same cause."""

_MAX_MEMBERS = 10
"""Most members of the wrong type that are reported of one result."""


def protocol_breaches(response: Response, tool: Tool | None, protocol: str | None = None) -> Iterator[Breach]:
    """Checks of every profile: the shape, the type, the structured content and the error message.

    Args:
        response: the response.
        tool: the tool that answered, if known.
        protocol: the negotiated version, if known.
    """
    yield from _shape(response, protocol)
    if response.result is not None and response.result_type == INPUT_REQUIRED:
        yield Breach("call/input-requested", "/resultType", INPUT_REQUIRED, "result")
        return
    if response.result is not None and tool is not None:
        yield from _structured(response, tool)
    text = response.failure_text
    shows = leak(text) if text else None
    if shows is not None and text is not None:
        path = "/message" if response.error is not None else "/content"
        # The identity is what leaks and not the whole message, because one validator may leak in every wrong call.
        yield Breach.of("call/error-leak", path, shows.partition(" (")[0], shown=shows, text=text)


def _shape(response: Response, protocol: str | None) -> Iterator[Breach]:
    if response.error is not None:
        yield from _members(response.error, "Error", protocol)
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
        yield from _members(result, "CallToolResult", protocol)


def _members(value: Mapping[str, Any], kind: str, protocol: str | None) -> Iterator[Breach]:
    """Members of a result or an error of the wrong type; ``resultType`` has a rule of its own."""
    for mismatch in islice(mismatches(dict(value), kind, protocol, apart_from=("resultType",)), _MAX_MEMBERS):
        path = join_pointer("", *mismatch.path)
        error = f"{path.lstrip('/')} is {mismatch.shown}" + ("" if mismatch.missing else f", not {mismatch.wanted}")
        yield _bad(path, "member", mismatch.found, error=error)


def _structured(response: Response, tool: Tool) -> Iterator[Breach]:
    if tool.output_schema is None:
        return
    structured = response.structured
    if response.is_error:
        if structured is not None and (flaw := next(schema_breaches(structured, tool.output_schema), None)) is not None:
            yield Breach("call/error-structure", flaw.path, flaw.value, facts=flaw.facts)
        return
    if structured is None:
        yield Breach("call/structured-missing", "/structuredContent")
        return
    yield from schema_breaches(structured, tool.output_schema)


def schema_breaches(structured: Any, schema: Any) -> Iterator[Breach]:
    """Violations of an output schema by structured content; none if the schema does not compile."""
    validator = compiled(schema)
    if validator is None:
        return
    try:
        for flaw in validator.flaws(structured)[:_MAX_FLAWS]:
            pointer = join_pointer("/structuredContent", *flaw.instance_path)
            yield Breach.of("call/output-schema", pointer, [pointer, flaw.keyword], error=flaw.message)
    except (ValueError, RecursionError, OverflowError) as error:
        yield _bad("/structuredContent", "unreadable", error=str(error))


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


def schema_version_breaches(response: Response, surface: Surface | None) -> Iterator[Breach]:
    """Surface governance, "Schema versioning rules": every response has the server's ``schema_version``."""
    structured = response.structured
    rule, path = "surface/schema-version", "/structuredContent/schema_version"
    if not isinstance(structured, dict):
        # Other checks report an error without structured content.
        if response.result is None or response.is_error or not isinstance(response.result.get("content"), list):
            return
        structured, path = _written(response), "/content"
    said = structured.get("schema_version")
    if not isinstance(said, str):
        yield Breach(rule, path, said, "missing")
    elif surface is not None and surface.version is not None and said != surface.version:
        yield Breach.of(rule, path, [said, surface.version], says="differs", said=said, version=surface.version)


_VERSION_IN_TEXT = re.compile(r"\bschema_version\W{1,5}v?(\d[\w.+-]*\w)")


def _written(response: Response) -> dict[str, Any]:
    """The schema_version of a response that is text alone: a member of its JSON, or words."""
    text = "\n".join(response.text_blocks)[:_MAX_READ]
    found = _VERSION_IN_TEXT.search(text)
    return {} if found is None else {"schema_version": found[1]}


def deprecation_breaches(response: Response, tool: Tool | None, surface: Surface | None) -> Iterator[Breach]:
    """Surface governance, "Deprecation policy": a deprecated tool warns in its structured content, by name."""
    structured = response.structured
    if tool is None or tool.deprecation is None or response.result is None:
        return
    if not isinstance(structured, dict):
        if response.is_error:
            return  # other checks report an error without structured content
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


def works_breaches(response: Response, tool: Tool | None, *, trusted: bool) -> Iterator[Breach]:
    """Surface governance, "Deprecation policy", 3: a deprecated tool works until it is removed, and only warns.

    Args:
        response: the response to a call.
        tool: the tool that responded.
        trusted: true if the call is known to be valid, so that any failure counts. Otherwise, only failures that name
            the deprecation as their reason count.
    """
    if tool is None or tool.deprecation is None:
        return
    structured = response.structured if isinstance(response.structured, dict) else {}
    failed = response.error is not None or response.is_error or structured.get("status") in ("error", "refused")
    if not failed:
        return
    warns = any(structured.get(key) for key in ("warning", "warnings"))
    if response.is_error and warns and not any(structured.get(key) for key in _ERROR_MEMBERS):
        yield Breach("surface/warning-flag", "/isError")
        return
    stated = strings_of([structured.get(key) for key in _ERROR_MEMBERS])
    message = f"{stated}\n{failure_message(response)}".strip()[:_MAX_READ]
    if trusted or _WITHDRAWN.search(message):
        path = (
            "/error" if response.error is not None else "/isError" if response.is_error else "/structuredContent/error"
        )
        yield Breach("surface/deprecated-works", path, one_line(message, 100))


_MAX_READ = 100_000
"""Most text that is searched for a word, in characters: responses to models are shorter. What follows is not read."""
_ERROR_MEMBERS = ("error", "errors", "error_code", "code", "kind", "message", "reason")
"""Members by which a structured error says what went wrong."""
_WITHDRAWN = re.compile(
    r"\bdeprecat|\b(?:has been|was|is) (?:removed|retired|withdrawn|discontinued|disabled|sunset)"
    r"|\bno longer (?:available|supported|works|exists|maintained)|\bend[- ]of[- ]life\b",
    re.IGNORECASE,
)


def _names(text: str, name: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) is not None


def rpc_only_breaches(response: Response, rule: str) -> Iterator[Breach]:
    """SCHEMA.md, section 5.2, and the tool schema guide, section 0: a failure is a JSON-RPC error, never a result."""
    if response.is_error:
        yield Breach(rule, "/isError", one_line("\n".join(response.text_blocks), 100))


def server_info_breaches(document: Any) -> Iterator[Breach]:
    """Tool schema guide, section 0a (server_info, version 1): the response to GET on the endpoint."""
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


def _bad(path: str, says: str, value: Any = None, /, **facts: Any) -> Breach:
    return Breach("call/result-shape", path, value, says, facts)


_CAP = re.compile(r"\b(?:\w+_)?CAP_EXCEEDED\b")
_CODES = ("code", "kind", "reason", "type", "name", "error", "status")
"""Members of an error's data that name the kind of error."""


def payload_breaches(response: Response, reported: Set[str], most: int) -> Iterator[Breach]:
    """SCHEMA.md, sections 5.2 and 6.1: a success has structured content, a failure is a JSON-RPC error.

    Args:
        response: the response to any call.
        reported: ids of rules that already reported findings about it, so that nothing is reported twice.
        most: most characters of text that it may have.
    """
    if response.result is None:
        return
    if response.is_error:
        yield from rpc_only_breaches(response, "schema-md/error-channel")
        return
    structured = response.structured
    if structured is None and not reported & {"call/structured-missing", "call/result-shape"}:
        yield Breach("schema-md/structured-content", "/structuredContent", None, "missing")
    elif structured is not None and not isinstance(structured, dict):
        yield Breach("schema-md/structured-content", "/structuredContent", structured, "object")
    if "call/result-shape" not in reported:
        yield from _summary(response, most)


def _summary(response: Response, most: int) -> Iterator[Breach]:
    """Section 6.1: content is a minimal text summary; it is not empty and does not repeat the payload."""
    rule, structured, blocks = "schema-md/content-summary", response.structured, response.text_blocks
    if not any(text.strip() for text in blocks):
        yield Breach(rule, "/content", None, "missing")
        return
    copies = [index for index, text in enumerate(blocks) if _repeats(text, structured)]
    for index in copies:
        yield Breach(rule, f"/content/{index}/text", None, "copy")
    length = sum(map(len, blocks))
    if not copies and length > most:
        yield Breach.of(rule, "/content", length, says="long", length=f"{length:,}", most=f"{most:,}")


def _repeats(text: str, structured: Any) -> bool:
    """True if text repeats the structured content, with or without other text around it."""
    if not isinstance(structured, dict | list) or not structured:
        return False
    starts = [index for index in (text.find("{"), text.find("[")) if index >= 0]
    try:
        return any(leading_json(text[index:]) == structured for index in starts)
    except RecursionError:
        return False


def summary_breaches(response: Response, most: int) -> Iterator[Breach]:
    """SCHEMA.md, section 6.2: a summary in the structured content is short and does not contain credentials.

    Args:
        response: the response to any call.
        most: most characters that it may have.
    """
    from mcp_governor.prose.credentials import credential_in, outline

    summary = response.structured.get("summary") if isinstance(response.structured, dict) else None
    if not isinstance(summary, str):
        return
    rule, path = "schema-md/summary-text", "/structuredContent/summary"
    if len(summary) > most:
        yield Breach.of(rule, path, None, says="long", length=f"{len(summary):,}", most=f"{most:,}")
    found = credential_in(summary)
    if found is not None:
        yield Breach.of(rule, path, None, says="secret", found=outline(found))


def code_breaches(response: Response, label: str) -> Iterator[Breach]:
    """SCHEMA.md, section 5.2: arguments that a schema refuses are INVALID_PARAMS; CAP_EXCEEDED is for runtime caps.

    Args:
        response: the response to a wrong call; only JSON-RPC errors have a code.
        label: the call and what is wrong with it, safe to show.
    """
    if response.error is None:
        return
    rule, code = "schema-md/error-code", response.error.get("code")
    if code != INVALID_PARAMS:
        yield Breach.of(rule, "/error/code", code, says="code", call=label)
        return
    path = _cap_at(response.error)
    if path:
        yield Breach.of(rule, f"/error{path}", "CAP_EXCEEDED", says="cap", call=label)


def _cap_at(error: Mapping[str, Any]) -> str:
    """The path at which an error is called CAP_EXCEEDED, in its data or message; empty if it is not."""
    data = error.get("data")
    inner = data.get("error") if isinstance(data, Mapping) else None
    for base, place in (("/data", data), ("/data/error", inner)):
        if isinstance(place, Mapping):
            for name in _CODES:
                value = place.get(name)
                if isinstance(value, str) and _CAP.search(value):
                    return join_pointer(base, name)
    message = error.get("message")
    if isinstance(data, str) and _CAP.search(data):
        return "/data"
    return "/message" if isinstance(message, str) and _CAP.search(message) else ""
