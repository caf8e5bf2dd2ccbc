"""Charter 1.1: adds refusals, twelve error kinds, and suggestions on a refusal."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Generic, Literal, Self

from pydantic import Field
from typing_extensions import TypeVar

from mcp_governor.charter import v1_0
from mcp_governor.charter.base import NULL_AS_EMPTY, CharterModel, DataT, Envelope, error_fields
from mcp_governor.charter.facts import Confidence, ErrorKind11, PiiCategory, Status
from mcp_governor.charter.v1_0 import Provenance

__all__ = ["Provenance", "Recovery", "SuggestedRewrite", "ToolError", "ToolResponse", "WideningHint"]

KindT = TypeVar("KindT", bound=str, default=ErrorKind11)


class SuggestedRewrite(CharterModel):
    """A safe version of the request, on a refusal.

    Attributes:
        rewritten: the query to send instead.
        reason: why it is safe.
    """

    rewritten: str = Field(min_length=1)
    reason: str = Field(min_length=1)


class WideningHint(CharterModel):
    """The scope that would unblock a call, on a refusal.

    Attributes:
        scope_requested: the scope that the call needs.
        would_unblock: true if that scope is enough.
        reason: why it is needed.
    """

    scope_requested: str = Field(min_length=1)
    would_unblock: bool
    reason: str = Field(min_length=1)


class Recovery(v1_0.Recovery):
    """What to try next (principle 3); at least one field is set.

    Attributes:
        suggested_rewrite: a safe version of the request; refusals only.
        widening_hint: the scope that would unblock the call; refusals only.
    """

    suggested_rewrite: SuggestedRewrite | None = None
    widening_hint: WideningHint | None = None


class ToolError(v1_0.ToolError[KindT], Generic[KindT]):
    """What failed, why, and what to try next (principle 3).

    Attributes:
        pii_categories: the categories that a refusal is about; refusals only.
    """

    recovery: Recovery
    pii_categories: Annotated[list[PiiCategory], NULL_AS_EMPTY] = Field(default_factory=list)


class Refusing(Envelope[DataT, KindT], Generic[DataT, KindT]):
    """Adds the refusal to an envelope (from charter 1.1 on)."""

    @classmethod
    def refuse(
        cls,
        kind: Literal["pii_blocked", "policy_blocked", "allowlist_violation"],
        message: str,
        *,
        pii_categories: list[PiiCategory] | None = None,
        **recovery: Any,
    ) -> Self:
        """The tool ran cleanly and chose to refuse (principle 1, ``refused``).

        Args:
            kind: one of the three refusal kinds.
            message: one sentence that says what is refused and why.
            pii_categories: categories of the refused data.
            recovery: fields of ``Recovery`` with what to try next; at least one of them. From charter 1.2 on also
                ``anchor_entity``, which is a field of the error.
        """
        error = error_fields(kind, message, recovery, pii_categories=pii_categories or [])
        return cls.model_validate({"status": "refused", "error": error})


class ToolResponse(Refusing[DataT, KindT], Generic[DataT, KindT]):
    """The response envelope of charter 1.1; see :class:`mcp_governor.charter.v1_0.ToolResponse`.

    Adds the status ``refused``, which requires one of the three refusal kinds, and which they require.
    """

    version: ClassVar[str] = "1.1"

    status: Status
    data: DataT | None = None
    error: ToolError[KindT] | None = None
    confidence: Confidence | None = None
    provenance: Provenance | None = None
    follow_up_hints: list[str] | None = None
    charter_version: Literal["1.1"] = "1.1"
