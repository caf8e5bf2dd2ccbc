"""Why a request to a model gave no answer, and what that means for the rest of a run."""

from __future__ import annotations

from enum import StrEnum


class Failure(StrEnum):
    """Kinds of failures, as :attr:`~mcp_governor.evaluation.model.Answer.failure` names them. ``http-NNN`` is a failure
    with a status that none of these stands for."""

    TIMEOUT = "timeout"
    """No whole response within the time limit."""
    UNREACHABLE = "unreachable"
    """No connection."""
    CUT = "cut"
    """The connection ended inside the response."""
    RATE_LIMITED = "rate-limited"
    """Too many requests or tokens at this moment."""
    QUOTA = "quota"
    """The account has no credit left, or its limit of the day or month is reached."""
    AUTH = "auth"
    """The key is wrong, or may not use this model."""
    UNKNOWN_MODEL = "unknown-model"
    """The provider has no model of this name."""
    TRUNCATED = "truncated"
    """The model reached the most output tokens that the request allows."""
    TOO_LARGE = "too-large"
    """The response is larger than is read."""
    MALFORMED = "malformed"
    """The response is not what the API documents, or the provider could not read what its model wrote."""


_MAY_PASS = frozenset((Failure.TIMEOUT, Failure.UNREACHABLE, Failure.CUT, Failure.RATE_LIMITED, Failure.MALFORMED))
_ENDS_RUN = frozenset((Failure.QUOTA, Failure.AUTH, Failure.UNKNOWN_MODEL))

_MAY_PASS_STATUS = frozenset((408, 409, 425))
"""Statuses below 500 that the official SDKs send again: request timeout, conflict, too early."""


def http_failure(status: int) -> str:
    """The kind of failure for an HTTP status that none of :class:`Failure` names: ``http-503``."""
    return f"http-{status}"


def may_pass(failure: str) -> bool:
    """True if the same request may succeed later, so that sending it again makes sense."""
    if failure.startswith("http-"):
        status = int(failure.removeprefix("http-"))
        return status >= 500 or status in _MAY_PASS_STATUS
    return failure in _MAY_PASS


def ends_run(failure: str) -> bool:
    """True if every further request to this model will fail in the same way."""
    return failure in _ENDS_RUN
