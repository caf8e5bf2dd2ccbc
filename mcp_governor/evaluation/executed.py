"""What came of one chosen call: a value that answers, records and reports share."""

from __future__ import annotations

from msgspec import Struct

NOT_MADE = "not-made"
"""Status of a call that was not made; its kind says why."""

WRONG, INVALID = "wrong-choice", "invalid-arguments"
"""Kinds of calls that were not made because the model failed already: another choice is right, or the input schema
refuses the arguments."""

UNKNOWN_TOOL, MALFORMED = "unknown-tool", "malformed"
"""Kinds of calls that cannot be made: the server has no such tool, or the arguments are not a JSON object."""

WRITES, GUARDED, UNDECIDED, LIMIT = "writes", "guarded", "undecided", "limit"
"""Kinds of calls that were not made although they may be right: the tool is not certain to read only, an argument may
not be sent, no validator could judge the arguments, or the run had no more calls or time."""

FAILED = frozenset({WRONG, INVALID})
"""Kinds with which the task failed; with every other kind nobody knows."""


class Executed(Struct, frozen=True):
    """What came of one chosen call.

    Attributes:
        status: of the envelope (``success``, ``empty``, ``partial``, ``degraded``, ``error``, ``refused``); without an
            envelope ``success``, ``error`` or ``asked-back``; ``timeout``, ``died``, ``protocol`` or ``too-large`` if
            there was no response; :data:`NOT_MADE`.
        kind: error kind of an envelope, code of another error, or why the call was not made; empty on success.
        said: one line about it, safe to show.
    """

    status: str
    kind: str = ""
    said: str = ""

    @property
    def made(self) -> bool:
        """True if the server was asked."""
        return self.status != NOT_MADE

    @property
    def succeeded(self) -> bool:
        """True if the call reached its end. An empty, partial or degraded result is not a failure."""
        from mcp_governor.call.outcome import Channel, Outcome

        return self.made and not Outcome(Channel.RESULT, self.status).failed

    @property
    def task(self) -> bool | None:
        """True if the task succeeded, false if it failed, ``None`` if nobody knows because no call was made."""
        if self.made:
            return self.succeeded
        return False if self.kind in FAILED else None

    @property
    def ended_session(self) -> bool:
        """True if the session may be of no use any more, so that another one has to be opened for the next call."""
        return self.status in ("died", "timeout", "protocol", "too-large")
