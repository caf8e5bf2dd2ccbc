"""Charter 1.2, the latest: adds the two trust axes, degradation reasons, and seven error kinds."""

from __future__ import annotations

from typing import Any, ClassVar, Generic, Literal, Self

from typing_extensions import TypeVar

from mcp_governor.charter import v1_0, v1_1
from mcp_governor.charter.base import DataT
from mcp_governor.charter.facts import (
    Confidence,
    DegradationReason,
    ErrorKind,
    InferenceMethod,
    Status,
    ValidationState,
)
from mcp_governor.charter.v1_1 import Recovery, Refusing, SuggestedRewrite, WideningHint

__all__ = ["Provenance", "Recovery", "SuggestedRewrite", "ToolError", "ToolResponse", "WideningHint"]

KindT = TypeVar("KindT", bound=str, default=ErrorKind)
ReasonT = TypeVar("ReasonT", bound=str, default=DegradationReason)


class Provenance(v1_0.Provenance):
    """The source of content, and how far it was validated (principle 4; version history, 1.2).

    Attributes:
        inference_method: how the fact was obtained.
        validation_state: how far it was validated.
    """

    inference_method: InferenceMethod | None = None
    validation_state: ValidationState | None = None


class ToolError(v1_1.ToolError[KindT], Generic[KindT]):
    """What failed, why, and what to try next (principle 3).

    Attributes:
        anchor_entity: the entity that the failed call was about, if there is one.
    """

    anchor_entity: str | None = None


class ToolResponse(Refusing[DataT, KindT], Generic[DataT, KindT, ReasonT]):
    """The response envelope of charter 1.2 (structured recovery, "The envelope").

    ``DataT`` is the tool's payload; ``KindT`` and ``ReasonT`` its error kinds and degradation reasons, for a server
    with its own: ``ToolResponse[Hit, Literal[ErrorKind, "quota_spent"], Literal[DegradationReason, "index_stale"]]``.

    Invariants, each a rule of the catalogue (``envelope/…``): an error exactly if the status is ``error`` or
    ``refused``, and then no data; data if the status is ``success``; the three refusal kinds exactly with ``refused``;
    a reason exactly if the status is ``degraded``; one to three follow-up hints or none at all; a recovery block that
    is not empty; a message of one sentence; a confidence that agrees with the provenance.

    Attributes:
        status: how the call went (principle 1).
        data: the payload; ``None`` on an error or a refusal.
        error: the error; ``None`` otherwise.
        confidence: how far to trust the data (principle 4); derived if the provenance has both axes.
        provenance: where the data comes from (principle 4).
        follow_up_hints: names of one to three tools to call next (principle 5).
        degradation_reason: why a fallback was used.
        charter_version: the version of the contract, ``major.minor``.
    """

    version: ClassVar[str] = "1.2"

    status: Status
    data: DataT | None = None
    error: ToolError[KindT] | None = None
    confidence: Confidence | None = None
    provenance: Provenance | None = None
    follow_up_hints: list[str] | None = None
    degradation_reason: ReasonT | None = None
    charter_version: Literal["1.2"] = "1.2"

    @classmethod
    def degraded(cls, data: DataT | None, reason: ReasonT, **fields: Any) -> Self:
        """The tool ran with a fallback; ``reason`` says which (structured recovery, "The degraded path")."""
        return cls.model_validate({"status": "degraded", "data": data, "degradation_reason": reason, **fields})
