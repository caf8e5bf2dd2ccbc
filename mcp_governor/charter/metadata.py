"""The metadata that the charter requires for a tool, and a function that adds a tool with it to a server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_type_hints

from pydantic import BaseModel, ConfigDict, Field

from mcp_governor.charter.base import Envelope
from mcp_governor.charter.facts import (
    LATEST,
    META_KEY,
    METADATA_KEYS,
    CharterVersion,
    LatencyHint,
    SideEffects,
    canonical_hints,
)

if TYPE_CHECKING:
    from collections.abc import Callable


class CostHint(BaseModel):
    """The cost of a typical call.

    Attributes:
        tokens_estimate: size of a typical response, in tokens.
        dollars_estimate: price of a typical call in US dollars; ``None`` if it is free.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    tokens_estimate: int = Field(ge=0)
    dollars_estimate: float | None = Field(default=None, ge=0)


class ToolMetadata(BaseModel):
    """Metadata of one tool, published once in ``tools/list`` instead of in every response ("Per-tool metadata").

    Attributes:
        name: the tool's identifier.
        description: begins with "Use this when…" (principle 2; the linter checks it).
        cost_hint: the cost of a typical call.
        latency_hint: ``fast`` below 100 ms, ``moderate`` below 1 s, ``slow`` above.
        idempotent: repeating the call does not change the outcome.
        side_effects: ``none`` computes, ``read`` touches the store or the source, ``write`` changes the store.
        charter_version: the version of the contract that the tool's responses follow.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    description: str
    cost_hint: CostHint
    latency_hint: LatencyHint
    idempotent: bool
    side_effects: SideEffects
    charter_version: CharterVersion = LATEST

    def annotations(self) -> dict[str, bool]:
        """The protocol's four hints, by the charter's mapping ("Canonical MCP hint mapping")."""
        return canonical_hints(self.side_effects, idempotent=self.idempotent)

    def meta(self) -> dict[str, Any]:
        """The tool's ``_meta``: the charter's own fields under one reverse-DNS key."""
        fields = self.model_dump(mode="json", include=set(METADATA_KEYS))
        return {META_KEY: fields}


def add_tool(server: Any, function: Callable[..., Any], metadata: ToolMetadata) -> None:
    """Add a tool to a server with its description, hints, charter metadata and output schema.

    Args:
        server: an ``MCPServer`` of the SDK (version 2) or a ``FastMCP`` (version 4).
        function: annotated to return a ``ToolResponse[…]``; the server derives the output schema from that, and sends
            the return value as ``structuredContent`` with a mirror as text.
        metadata: the metadata to publish.

    Raises:
        TypeError: the server is neither of the two, or the function has no return annotation with an envelope.
        ValueError: the function returns an envelope of another charter version than the metadata declares.
    """
    _check_return(function, metadata)
    from mcp_types import ToolAnnotations

    common: dict[str, Any] = {
        "name": metadata.name,
        "description": metadata.description,
        "annotations": ToolAnnotations.model_validate(metadata.annotations()),
        "meta": metadata.meta(),
    }
    families = {base.__module__.partition(".")[0] for base in type(server).__mro__}
    if "fastmcp" in families:
        server.tool(function, **common)
    elif "mcp" in families and hasattr(server, "add_tool"):
        server.add_tool(function, structured_output=True, **common)
    else:
        raise TypeError(f"{type(server).__name__} is neither an MCPServer nor a FastMCP server")


def _check_return(function: Callable[..., Any], metadata: ToolMetadata) -> None:
    try:
        returned = get_type_hints(function).get("return")
    except (
        NameError,
        TypeError,
    ):  # names of an enclosing function, objects without annotations: the server reports them
        return
    if not (isinstance(returned, type) and issubclass(returned, Envelope)):
        raise TypeError(
            f"the function of {metadata.name!r} has to be annotated to return a ToolResponse[...]: "
            "the output schema is read from there"
        )
    if returned.version != metadata.charter_version:
        raise ValueError(
            f"{metadata.name!r} returns an envelope of charter {returned.version}, "
            f"and its metadata say charter_version={metadata.charter_version!r}"
        )
