"""The response contract of the charter: models for server authors, facts for everybody, checks for responses.

This package defines envelopes and tool metadata, and never talks to a server, so that servers can depend on it.
``call`` makes the calls and decides which rules apply to the responses.

``ToolResponse`` and its parts belong to the latest version; ``v1_0``, ``v1_1`` and ``v1_2`` contain one each. Importing
this package does not load Pydantic: the models are loaded on first use, and the facts are in
:mod:`mcp_governor.charter.facts`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.charter.facts import (
    LATEST,
    VERSIONS,
    Confidence,
    DegradationReason,
    ErrorKind,
    InferenceMethod,
    PiiCategory,
    Status,
    ValidationState,
    bucket,
    canonical_hints,
    derive_confidence,
    worst_confidence,
)
from mcp_governor.lazy import lazy_names

if TYPE_CHECKING:
    from mcp_governor.charter import v1_0, v1_1, v1_2
    from mcp_governor.charter.metadata import CostHint, ToolMetadata, add_tool
    from mcp_governor.charter.v1_2 import (
        Provenance,
        Recovery,
        SuggestedRewrite,
        ToolError,
        ToolResponse,
        WideningHint,
    )

__all__ = [
    "LATEST",
    "VERSIONS",
    "Confidence",
    "CostHint",
    "DegradationReason",
    "ErrorKind",
    "InferenceMethod",
    "PiiCategory",
    "Provenance",
    "Recovery",
    "Status",
    "SuggestedRewrite",
    "ToolError",
    "ToolMetadata",
    "ToolResponse",
    "ValidationState",
    "WideningHint",
    "add_tool",
    "bucket",
    "canonical_hints",
    "derive_confidence",
    "v1_0",
    "v1_1",
    "v1_2",
    "worst_confidence",
]


__getattr__ = lazy_names(
    __name__,
    {
        "metadata": ("CostHint", "ToolMetadata", "add_tool"),
        "v1_0": (),
        "v1_1": (),
        "v1_2": ("Provenance", "Recovery", "SuggestedRewrite", "ToolError", "ToolResponse", "WideningHint"),
    },
)
