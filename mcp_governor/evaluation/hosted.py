"""Runners for the models of Anthropic, OpenAI and Google, and of every endpoint that speaks like OpenAI.

pydantic-ai's ``direct`` requests are the layer below. By default it adapts schemas to each provider; :mod:`.layer`
switches that off, and :mod:`.sending` compares each request with the offer before it leaves. Nothing is retried here:
what failed, and how long the provider asks to wait, is in the answer.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any

import anyio
from msgspec.structs import replace

from mcp_governor.errors import GovernorError
from mcp_governor.evaluation.model import Answer, Choice, Estimate, Failure, Offer, Query, RunnerInfo, Usage
from mcp_governor.evaluation.offering import SentTool, as_sent
from mcp_governor.evaluation.providers import DEFAULT_OPTIONS, Access, Options, access
from mcp_governor.evaluation.sending import ChangedRequestError, Exchange, exchanging
from mcp_governor.parsing import read_json
from mcp_governor.secrets import redact, redact_json
from mcp_governor.surface.tokens import BYTES_PER_TOKEN, json_bytes
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp_governor.evaluation.layer import Layer, Reply
    from mcp_governor.evaluation.providers import Price

MAX_TEXT = 2_000
"""Characters that are kept of what a model says besides its calls: a page, to see why it called nothing."""

_MAX_RAW = 500
"""Characters that are kept of arguments that are not a JSON object: enough to see what is wrong."""

_MAX_CHOICES = 64
"""Calls of one answer that are kept. Models ask for a handful; the evaluation judges the first ones."""

_DETAIL = 300
"""Characters that are shown of what a provider says: some lines of a terminal."""

_EXPECTED_OUTPUT = 200
"""Output tokens of a usual answer, for estimates: one call with its arguments takes 30 to 150, reasoning a multiple."""

_OVERHEAD = 400
"""Input tokens that are added to each request with tools, for estimates. Anthropic documents 264 to 804 for its prompt
about tools, by model; the others do not say."""

_MOST_INPUT = 1.5
"""How much more input an estimate at most takes. Two public tokenizers have 3.7 to 4.8 bytes per token on the lists of
43 real servers, where four are assumed; newer ones that are not public take up to a third more."""


def hosted_runner(name: str, environment: Mapping[str, str], options: Options = DEFAULT_OPTIONS) -> HostedRunner:
    """A runner for a hosted or local model.

    Args:
        name: ``anthropic:MODEL``, ``openai:MODEL`` or ``google:MODEL``.
        environment: the variables of the process, which have the key.
        options: how the model is asked.

    Raises:
        UsageError: the name or the address cannot be used, or the key is missing.
        MissingDependencyError: the extra ``eval`` is not installed.
    """
    found = access(name, environment, base_url=options.base_url, key_variable=options.key_variable, sends=options.sends)
    from mcp_governor.evaluation.layer import open_layer

    return HostedRunner(name, found, options, open_layer(found, options))


class HostedRunner:
    """A model behind an API. Several queries may be asked at once.

    Attributes:
        price: what the model costs; ``None`` if nobody knows.
    """

    price: Price | None

    def __init__(self, name: str, found: Access, options: Options, layer: Layer) -> None:
        from mcp_governor.evaluation.providers import listed_price, stated_price

        self._access = found
        self._options = options
        self._layer = layer
        self._temperature = options.temperature if layer.takes_temperature else None
        if options.price is not None:
            self.price = stated_price(*options.price)
        else:
            self.price = listed_price(found.family, found.model, found.shown)
        self._info = RunnerInfo(
            name=name,
            family=found.family,
            model=found.model,
            is_proxy=False,
            temperature=self._temperature,
            version=layer.version,
            endpoint=found.shown,
            system=options.system,
        )

    @property
    def info(self) -> RunnerInfo:
        """Who answers."""
        return self._info

    def sent(self, offer: Offer) -> tuple[SentTool, ...]:
        """The tools as they are sent, with what a host had to change, for reports."""
        return as_sent(self._access.family, offer.tools)

    def estimate(self, query: Query, offer: Offer) -> Estimate:
        """What a request takes, without sending it.

        Tokens are estimated from the size of the JSON, at four bytes per token, and may be wrong by a quarter;
        reasoning is not foreseen. ``most_dollars`` assumes half as much input again, and every output token that is
        allowed.
        """
        shown = [[tool.name, tool.description, tool.schema] for tool in self.sent(offer)]
        tokens = json_bytes([shown, query.text, self._options.system]) // BYTES_PER_TOKEN + _OVERHEAD
        most_output = self._options.max_output
        if self.price is None:
            return Estimate(tokens, most_output)
        return Estimate(
            tokens,
            most_output,
            self.price.dollars(tokens, min(_EXPECTED_OUTPUT, most_output)),
            self.price.dollars(int(tokens * _MOST_INPUT), most_output),
        )

    async def answer(self, query: Query, offer: Offer) -> Answer:
        """Ask for the tools of one query, with one request.

        Raises:
            GovernorError: a library was about to send something else than the offer; nothing was sent.
        """
        tools = self.sent(offer)
        exchange = Exchange(tools, query.text, self._options.system, self._temperature)
        begun = time.monotonic()
        try:
            with exchanging(exchange), anyio.fail_after(self._options.timeout):
                reply = await self._layer.ask(exchange)
            answer = self._answered(query, reply, tools)
        except TimeoutError:
            # Whatever was received is worth nothing; the connection is closed.
            answer = Answer(query.id, (), failure=Failure.TIMEOUT, detail=f"after {self._options.timeout:g} s")
        except Exception as error:  # noqa: BLE001 - whatever a response makes the libraries raise is a failed request
            answer = self._failed(query, error, exchange, tools)
        usage = replace(answer.usage, seconds=time.monotonic() - begun, requests=exchange.requests)
        return replace(answer, usage=usage)

    async def aclose(self) -> None:
        """Close connections."""
        await self._layer.aclose()

    def _answered(self, query: Query, reply: Reply, tools: Sequence[SentTool]) -> Answer:
        usage = Usage(reply.input_tokens, reply.output_tokens, reply.cached_tokens, self._dollars(reply))
        answer = Answer(query.id, (), usage=usage, served=one_line(reply.model, 120), detail=self._shown(reply.said))
        if reply.refused:
            return replace(answer, refused=True, text=_cut(reply.text, MAX_TEXT))
        if reply.failure is not None:
            return replace(answer, failure=reply.failure)
        published = {tool.name: tool.published for tool in tools}
        choices = tuple(_choice(published.get(name, name), arguments) for name, arguments in reply.calls[:_MAX_CHOICES])
        return replace(answer, choices=choices, text=_cut(reply.text, MAX_TEXT), detail="")

    def _dollars(self, reply: Reply) -> float | None:
        if self.price is None or not (reply.input_tokens or reply.output_tokens):
            return None
        return self.price.dollars(reply.input_tokens, reply.output_tokens, reply.cached_tokens)

    def _failed(self, query: Query, error: Exception, exchange: Exchange, tools: Sequence[SentTool]) -> Answer:
        if exchange.changed or isinstance(error, ChangedRequestError):
            raise GovernorError(
                f"{self._layer.version} would not send {one_line(exchange.changed, 120)} as it was published; nothing"
                " was sent.",
                "Install the versions that mcp-governor was tested with, and report this.",
            ) from None
        if exchange.failure is not None:
            return Answer(query.id, (), failure=exchange.failure)
        trouble = self._layer.trouble(error, exchange)
        if trouble.failure == Failure.AUTH:
            # Some providers quote parts of the key.
            said = f"the key in {self._access.variable or 'the request'} was refused"
        else:
            said = self._shown(_with_tool(trouble.said, tools))
        wait = trouble.retry_after
        return Answer(query.id, (), refused=trouble.refused, failure=trouble.failure, detail=said, retry_after=wait)

    def _shown(self, text: str) -> str:
        return one_line(text, _DETAIL)


def _choice(tool: str, arguments: Any) -> Choice:
    """A call with its arguments, which OpenAI sends as text. Hosts take empty text as no arguments, and so do we."""
    tool = _cut(tool, _MAX_RAW)
    if arguments is None or arguments == "":
        return Choice(tool, {})
    value = arguments
    if isinstance(arguments, str):
        try:
            value = read_json(arguments)
        except (ValueError, RecursionError):
            return Choice(tool, None, _cut(arguments, _MAX_RAW))
    return (
        Choice(tool, redact_json(value))
        if isinstance(value, dict)
        else Choice(tool, None, _cut(str(arguments), _MAX_RAW))
    )


def _cut(text: str, limit: int) -> str:
    return redact(text)[:limit]


_NUMBERED = re.compile(r"\btools?[.\[](\d{1,4})\b")


def _with_tool(said: str, tools: Sequence[SentTool]) -> str:
    """What a provider says of ``tools.3``, with the name of that tool."""
    found = _NUMBERED.search(said[: _DETAIL * 2])
    number = int(found[1]) if found is not None else len(tools)
    return f"{tools[number].published}: {said}" if number < len(tools) else said
