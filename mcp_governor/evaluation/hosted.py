"""Runners for the models of Anthropic, OpenAI and Google, and of every endpoint that speaks like OpenAI.

pydantic-ai's ``direct`` requests are the layer below. By default it adapts schemas to each provider; :mod:`.layer`
switches that off, and :mod:`.sending` compares each request with the offer before it leaves. Nothing is retried here:
what failed, and how long the provider asks to wait, is in the answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
from msgspec.structs import replace

from mcp_governor.errors import GovernorError
from mcp_governor.evaluation.layer import MAX_OUTPUT, Layer, answer_of, failure_of
from mcp_governor.evaluation.model import Answer, Estimate, Failure, Offer, Query, RunnerInfo
from mcp_governor.evaluation.offering import as_sent
from mcp_governor.evaluation.providers import DEFAULT_OPTIONS, Options, access
from mcp_governor.evaluation.sending import Exchange, exchanging
from mcp_governor.surface.tokens import BYTES_PER_TOKEN, json_bytes
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

TIMEOUT = 120.0
"""Seconds for a whole request: reasoning models take up to a minute for a hard choice."""

_EXPECTED_OUTPUT = 200
"""Output tokens of a usual answer, for estimates: one call with its arguments takes 30 to 150, reasoning a multiple."""

_OVERHEAD = 400
"""Input tokens that are added to each request with tools, for estimates. Anthropic documents 264 to 804 for its prompt
about tools, by model; the others do not say."""

_MOST_INPUT = 1.5
"""How much more input an estimate at most takes. Two public tokenizers have 3.7 to 4.8 bytes per token on the lists of
43 real servers, where four are assumed; newer ones that are not public take up to a third more."""


class HostedRunner:
    """A model behind an API. Several queries may be asked at once.

    Args:
        name: ``anthropic:MODEL``, ``openai:MODEL`` or ``google:MODEL``.
        environment: the variables of the process, which have the key.
        options: how the model is asked.

    Attributes:
        info: who answers.

    Raises:
        UsageError: the name or the address cannot be used, or the key is missing.
        MissingDependencyError: the extra ``eval`` is not installed.
    """

    def __init__(self, name: str, environment: Mapping[str, str], options: Options = DEFAULT_OPTIONS) -> None:
        self._access = found = access(name, environment, options)
        self._layer = Layer(found, TIMEOUT)
        temperature = options.temperature if self._layer.takes_temperature else None
        self.info = RunnerInfo(
            name, found.family, found.model, False, temperature, self._layer.version, endpoint=found.shown
        )

    def estimate(self, query: Query, offer: Offer) -> Estimate:
        """What a request takes, without sending it.

        Tokens are estimated from the size of the JSON, at four bytes per token, and may be wrong by a quarter;
        reasoning is not foreseen. ``most_dollars`` assumes half as much input again, and every output token that is
        allowed.
        """
        shown = [[tool.name, tool.description, tool.schema] for tool in as_sent(self._access.family, offer.tools)]
        tokens = json_bytes([shown, query.text]) // BYTES_PER_TOKEN + _OVERHEAD
        expected = self._access.dollars(tokens, _EXPECTED_OUTPUT)
        return Estimate(tokens, MAX_OUTPUT, expected, self._access.dollars(int(tokens * _MOST_INPUT), MAX_OUTPUT))

    async def answer(self, query: Query, offer: Offer) -> Answer:
        """Ask for the tools of one query, with one request.

        Raises:
            GovernorError: a library was about to send something else than the offer; nothing was sent.
        """
        exchange = Exchange(query, as_sent(self._access.family, offer.tools), self.info.temperature)
        try:
            with exchanging(exchange), anyio.fail_after(TIMEOUT):
                answer = answer_of(await self._layer.ask(exchange), exchange)
        except TimeoutError:
            # Whatever was received is worth nothing; the connection is closed.
            answer = Answer(query.id, (), failure=Failure.TIMEOUT, detail=f"after {TIMEOUT:g} s")
        except Exception as error:  # noqa: BLE001 - whatever a response makes the libraries raise is a failed request
            if exchange.changed:
                raise GovernorError(
                    f"{self._layer.version} would not send {one_line(exchange.changed, 120)} as it was published; "
                    "nothing was sent.",
                    "Install the versions that mcp-governor was tested with, and report this.",
                ) from None
            answer = failure_of(error, exchange, self._access.variable)
        used = answer.usage
        tokens = (used.input_tokens, used.output_tokens, used.cached_tokens)
        dollars = self._access.dollars(*tokens) if any(tokens) else None
        return replace(answer, usage=replace(used, dollars=dollars, requests=exchange.requests))

    async def aclose(self) -> None:
        """Close connections."""
        await self._layer.aclose()
