"""Queries, the answers of a runner or why there are none, and a run: the values that an evaluation shares."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - msgspec reads the types
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct, field

from mcp_governor.documents import Count  # noqa: TC001

if TYPE_CHECKING:
    from collections.abc import Sequence


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


def may_pass(failure: str) -> bool:
    """True if the same request may succeed later, so that sending it again makes sense."""
    if failure.startswith("http-"):
        status = int(failure.removeprefix("http-"))
        return status >= 500 or status in _MAY_PASS_STATUS
    return failure in _MAY_PASS


def ends_run(failure: str) -> bool:
    """True if every further request to this model will fail in the same way."""
    return failure in _ENDS_RUN


NOT_MADE = "not-made"
"""Status of a call that was not made; its kind says why."""

WRONG, INVALID = "wrong-choice", "invalid-arguments"
"""Kinds of calls that were not made because the model failed already: another choice is right, or the input schema
refuses the arguments."""

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


class Kind(StrEnum):
    """What a query is for: ``positive``, one tool clearly fits; ``sibling``, a neighbour is easily taken for it;
    ``abstain``, no tool of this server fits."""

    POSITIVE = "positive"
    SIBLING = "sibling"
    ABSTAIN = "abstain"


class Query(Struct, frozen=True):
    """One line of a query set.

    Attributes:
        id: unique in the set.
        text: what the user says.
        gold: names of the tools of which any is right; empty for ``abstain``.
        kind: what the query is for.
        arguments: argument → matcher (:mod:`mcp_governor.evaluation.queries`); arguments that are not named may be
            anything.
        forbidden: names of tools that must not be called, whatever else is.
        split: ``dev`` to look at while descriptions are edited, ``test`` to judge them.
        draft: written by ``eval init`` and not edited yet.
        line: line in the file, from 1.
        tools_file: the recorded surface that the query is about, relative to the set; empty for the one under test.
        note: for people.
        meta: whatever else a set keeps with a query; never looked at.
    """

    id: str
    text: str
    gold: tuple[str, ...]
    kind: Kind = Kind.POSITIVE
    arguments: Mapping[str, Any] = field(default_factory=dict)
    forbidden: tuple[str, ...] = ()
    split: str = "test"
    draft: bool = False
    line: int = 0
    tools_file: str = ""
    note: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict)


class QuerySet(Struct, frozen=True):
    """A query set that was read and validated.

    Attributes:
        name: file name, for reports.
        queries: in the order of the file.
        digest: ``sha256:`` and hex over the canonical form of the queries; comments and order do not move it.
    """

    name: str
    queries: tuple[Query, ...]
    digest: str


class Choice(Struct, frozen=True, omit_defaults=True):
    """One call that a model asked for.

    Attributes:
        tool: the name as the model wrote it; it may not exist.
        arguments: the arguments; ``None`` if they are not a JSON object.
        raw: the text of arguments that are not a JSON object, cut.
    """

    tool: str
    arguments: Mapping[str, Any] | None = None
    raw: str = ""


class Usage(Struct, frozen=True):
    """What answers took, in tokens as the provider counts them.

    Attributes:
        dollars: From the price list; null if the model is not on it.
        requests: Requests that were sent, with retries.
    """

    input_tokens: Count = 0
    output_tokens: Count = 0
    cached_tokens: Count = 0
    dollars: float | None = None
    requests: Count = 1

    @classmethod
    def of(cls, parts: Sequence[Usage]) -> Usage:
        """Several together; of dollars, a sum of which a part is not known would pass for the whole."""
        known = [part.dollars for part in parts if part.dollars is not None]
        return cls(
            sum(part.input_tokens for part in parts),
            sum(part.output_tokens for part in parts),
            sum(part.cached_tokens for part in parts),
            sum(known) if len(known) == len(parts) else None,
            sum(part.requests for part in parts),
        )


class Answer(Struct, frozen=True, omit_defaults=True):
    """What a runner answered to one query.

    Attributes:
        query: id of the query.
        choices: the calls, in order; for a proxy the tools by rank, the best first, without arguments.
        text: what the model said besides its calls, cut.
        refused: the provider says that the model refused.
        failure: kind of failure if there is no answer (:class:`~mcp_governor.evaluation.model.Failure`, or
            ``http-500``); such a query is not counted as a wrong choice.
        detail: what the provider says of the failure or refusal, in one line, cut, safe to show and without secrets.
        served: the model id that the provider says has answered, which may be a dated version of the one asked for.
        scores: for a proxy, the score of each choice.
        usage: tokens, cost and time.
        retry_after: seconds that the provider asks to wait before the next request, with a failure that may pass.
        outcome: what came of the first call on the live server; ``None`` if that was not tried.
    """

    query: str
    choices: tuple[Choice, ...] = field(name="calls")
    text: str = ""
    refused: bool = False
    failure: str | None = None
    detail: str = ""
    served: str = ""
    scores: tuple[float, ...] = ()
    usage: Usage = field(default_factory=Usage)
    retry_after: float | None = None
    outcome: Executed | None = None


class Offer(Struct, frozen=True):
    """What a runner is shown: the tools as a host would offer them.

    Attributes:
        tools: ``name``, ``description`` and ``inputSchema`` of each tool as published, in the order shown.
        seed: seed of the order.
    """

    tools: Sequence[Mapping[str, Any]]
    seed: int


class Estimate(Struct, frozen=True):
    """What one request takes, before it is sent.

    Attributes:
        input_tokens: of the tools and the query.
        output_tokens: the most that the request lets the model write.
        dollars: what is expected; ``None`` if the model is not on the price list.
        most_dollars: what it can cost at most, with every output token and nothing cached; ``None`` as above.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    dollars: float | None = None
    most_dollars: float | None = None


class RunnerInfo(Struct, frozen=True):
    """Who answers.

    Attributes:
        name: as on the command line: ``bm25``, ``minilm``, ``anthropic:MODEL``, ``openai:MODEL``, ``google:MODEL``.
        family: ``anthropic``, ``openai``, ``google``, ``local`` or ``proxy``.
        model: the model id that is sent; for a proxy its own name.
        is_proxy: true for rankings by words: never model agreement.
        temperature: as sent; ``None`` if the model takes none.
        version: version of what ranks or speaks (library, weights), which belongs to the cache key.
        endpoint: address of the API without credentials, if it is not the provider's own; belongs to the cache key too.
    """

    name: str
    family: str
    model: str
    is_proxy: bool = field(name="proxy")
    temperature: float | None = None
    version: str = ""
    endpoint: str = ""


class Runner(Protocol):
    """Answers queries, one at a time; several may be asked concurrently."""

    @property
    def info(self) -> RunnerInfo:
        """Who answers."""

    def estimate(self, query: Query, offer: Offer) -> Estimate | None:
        """What a request takes, without sending it; ``None`` if it costs nothing."""

    async def answer(self, query: Query, offer: Offer) -> Answer:
        """Ask for the tools of one query.

        Only the query's text and the offer are shown: neither its gold nor its kind. Failures of the provider come back
        as :attr:`Answer.failure`; nothing is retried here.
        """

    async def aclose(self) -> None:
        """Close connections."""


class Run(Struct, frozen=True):
    """One runner's answers to a query set.

    Attributes:
        runner: who answered.
        answers: by the order of the queries; fewer if the run ended early.
        started: day and time in UTC, ISO 8601.
        ended: why it ended early; ``None`` if it did not.
    """

    runner: RunnerInfo
    answers: tuple[Answer, ...] = ()
    started: str = ""
    ended: str | None = None
