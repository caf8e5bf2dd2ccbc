"""Charter 1.0: five statuses, seven error kinds, plain provenance."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Generic, Literal

from pydantic import Field
from typing_extensions import TypeVar

from mcp_governor.charter.base import NULL_AS_EMPTY, CharterModel, DataT, Envelope, Inlined
from mcp_governor.charter.facts import Confidence, ErrorKind10, Source, Status10

__all__ = ["Provenance", "Recovery", "ToolError", "ToolResponse"]

KindT = TypeVar("KindT", bound=str, default=ErrorKind10)


class Recovery(CharterModel):
    """What to try next (principle 3); at least one field is set.

    Attributes:
        suggested_tool: name of the tool to call next, published by the same server.
        suggested_args: complete arguments, valid against the suggested tool's input schema.
        fuzzy_matches: plausible alternatives to a name that was not found.
    """

    suggested_tool: str | None = None
    suggested_args: dict[str, Any] | None = None
    fuzzy_matches: Annotated[list[str], NULL_AS_EMPTY] = Field(default_factory=list)


class Provenance(CharterModel):
    """The source of generated or inferred content (principle 4).

    Attributes:
        source: ``schema``, ``llm`` or ``inferred``.
        model: name and version of the model, if the source is ``llm``.
        observed_in: count, first and last time seen, if the source is ``inferred``.
    """

    source: Source
    model: str | None = None
    observed_in: dict[str, Any] | None = None


class ToolError(Inlined, Generic[KindT]):
    """What failed, why, and what to try next (principle 3).

    Attributes:
        kind: a registered error kind.
        message: one sentence for a reader, without stack traces, exception names or library jargon.
        recovery: what to try next.
    """

    kind: KindT
    message: str
    recovery: Recovery


class ToolResponse(Envelope[DataT, KindT], Generic[DataT, KindT]):
    """The response envelope of charter 1.0 ("Response envelope").

    ``DataT`` is the tool's payload; ``KindT`` its error kinds, for a server with kinds of its own:
    ``ToolResponse[Hit, Literal[ErrorKind10, "quota_spent"]]``.

    Invariants: an error exactly if the status is ``error``, and then no data; data if the status is ``success``; one to
    three follow-up hints or none at all.

    Attributes:
        status: how the call went (principle 1).
        data: the payload; ``None`` on an error.
        error: the error; ``None`` otherwise.
        confidence: how far to trust the data (principle 4); ``None`` if that does not apply.
        provenance: where the data comes from (principle 4).
        follow_up_hints: names of one to three tools to call next (principle 5).
        charter_version: the version of the contract, ``major.minor``.
    """

    version: ClassVar[str] = "1.0"

    status: Status10
    data: DataT | None = None
    error: ToolError[KindT] | None = None
    confidence: Confidence | None = None
    provenance: Provenance | None = None
    follow_up_hints: list[str] | None = None
    charter_version: Literal["1.0"] = "1.0"
