"""Runners for the models of Anthropic, OpenAI and Google, and of every endpoint that speaks like OpenAI.

pydantic-ai's ``direct`` requests are the layer below. By default it adapts schemas to each provider; :data:`_UNCHANGED`
switches that off, and :mod:`.offering` compares each request with the offer before it leaves. Nothing is retried here:
what failed, and how long the provider asks to wait, is in the answer. Everything of the extra ``eval`` is imported when
a runner is made, which takes seconds.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import anyio
from msgspec.structs import replace

from mcp_governor.errors import GovernorError, MissingDependencyError
from mcp_governor.evaluation.model import Answer, Choice, Estimate, Failure, Offer, Query, RunnerInfo, Usage
from mcp_governor.evaluation.offering import Exchange, as_sent, client, exchanging
from mcp_governor.evaluation.providers import DEFAULT_OPTIONS, Options, access
from mcp_governor.parsing import read_json
from mcp_governor.secrets import redact, redact_json
from mcp_governor.surface.tokens import BYTES_PER_TOKEN, json_bytes
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_governor.evaluation.providers import Access


MAX_OUTPUT = 8_192
"""Most output tokens of an answer. Reasoning counts: choosing a tool takes up to some 4,000 at the default effort."""

MAX_TEXT = 2_000
"""Characters that are kept of what a model says besides its calls: a page, to see why it called nothing."""

_MAX_RAW = 500
"""Characters that are kept of arguments that are not a JSON object: enough to see what is wrong."""

_MAX_CHOICES = 64
"""Calls of one answer that are kept. Models ask for a handful; the evaluation judges the first ones."""

_DETAIL = 300
"""Characters that are shown of what a provider says: some lines of a terminal."""

_MAX_WAIT = 3600.0
"""Longest wait in seconds that is passed on. A provider that asks for more has ended the run for today."""

_SDKS = {"anthropic": "anthropic", "openai": "openai", "google": "google-genai"}

# Tool definitions go out as they came: no transformer, and below `strict=False` for each tool. Queries as well: for
# endpoints of unknown servers, joiners would be put into what looks like the special tokens of a chat template.
_UNCHANGED = {"json_schema_transformer": None, "may_tokenize_special_tokens_in_content": False}

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
    """A model behind an API. Several queries may be asked at once, and nothing is sent when it is made.

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
        from importlib.metadata import version

        self._access = found = access(name, environment, options)
        self._settings: dict[str, Any] = {"max_tokens": MAX_OUTPUT, "max_retries": 0, "tool_choice": "auto"}
        try:
            self._http = client(TIMEOUT)
            self._model = self._open(found)
        except ImportError:
            from mcp_governor.installation import install_extra

            raise MissingDependencyError(
                f"{found.provider.name}:{found.model} needs pydantic-ai with its providers, which is not installed.",
                install_extra("eval"),
            ) from None
        profile = self._model.profile
        # OpenAI's models take none while they reason.
        reasons = profile.get("thinking_always_enabled", False) or profile.get("thinking_enabled_by_default", False)
        takes_none = profile.get("anthropic_disallows_sampling_settings", False) or (
            profile.get("openai_supports_reasoning", False) and reasons
        )
        self.info = RunnerInfo(
            name,
            found.family,
            found.model,
            False,
            None if takes_none else options.temperature,
            ", ".join(f"{sdk} {version(sdk)}" for sdk in ("pydantic-ai-slim", _SDKS[found.provider.name])),
            endpoint=found.shown,
        )

    def _open(self, access: Access) -> Any:
        name = access.model
        settings = {"api_key": access.key, "base_url": access.address, "http_client": self._http}
        if access.provider.name == "anthropic":
            from pydantic_ai.models.anthropic import AnthropicModel
            from pydantic_ai.providers.anthropic import AnthropicProvider

            return AnthropicModel(name, provider=AnthropicProvider(**settings), profile=_UNCHANGED)
        if access.provider.name == "google":
            from pydantic_ai.models.google import GoogleModel
            from pydantic_ai.providers.google import GoogleProvider

            return GoogleModel(name, provider=GoogleProvider(**settings), profile=_UNCHANGED)
        from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
        from pydantic_ai.providers.openai import OpenAIProvider
        from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

        if access.own:
            # OpenAI's models that reason take tools in this dialect only. It stores answers unless one says no.
            self._settings["openai_store"] = False
            return OpenAIResponsesModel(name, provider=OpenAIProvider(**settings), profile=_UNCHANGED)
        # Other servers know the older name of the limit, and some ignore the newer one.
        profile = {**_UNCHANGED, "openai_chat_supports_max_completion_tokens": False}
        return OpenAIChatModel(name, provider=OpenAICompatibleProvider("endpoint", **settings), profile=profile)

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
                answer = _answer_of(await self._ask(exchange), exchange)
        except TimeoutError:
            # Whatever was received is worth nothing; the connection is closed.
            answer = Answer(query.id, (), failure=Failure.TIMEOUT, detail=f"after {TIMEOUT:g} s")
        except Exception as error:  # noqa: BLE001 - whatever a response makes the libraries raise is a failed request
            if exchange.changed:
                raise GovernorError(
                    f"{self.info.version} would not send {one_line(exchange.changed, 120)} as it was published; "
                    "nothing was sent.",
                    "Install the versions that mcp-governor was tested with, and report this.",
                ) from None
            answer = _failure_of(error, exchange, self._access.variable)
        used = answer.usage
        tokens = (used.input_tokens, used.output_tokens, used.cached_tokens)
        dollars = self._access.dollars(*tokens) if any(tokens) else None
        return replace(answer, usage=replace(used, dollars=dollars, requests=exchange.requests))

    async def aclose(self) -> None:
        """Close connections."""
        await self._http.aclose()

    async def _ask(self, exchange: Exchange) -> Any:
        """Send one request; what came back, for :func:`_answer_of`."""
        from pydantic_ai.direct import model_request
        from pydantic_ai.messages import ModelRequest, UserPromptPart
        from pydantic_ai.models import ModelRequestParameters
        from pydantic_ai.tools import ToolDefinition

        settings = dict(self._settings)
        if exchange.temperature is not None:
            settings["temperature"] = exchange.temperature
        tools = [
            ToolDefinition(
                name=tool.name, description=tool.description, parameters_json_schema=dict(tool.schema), strict=False
            )
            for tool in exchange.tools
        ]
        return await model_request(
            self._model,
            [ModelRequest(parts=[UserPromptPart(exchange.query.text)])],
            model_settings=settings,
            model_request_parameters=ModelRequestParameters(function_tools=tools),
            instrument=False,
        )


def _answer_of(response: Any, exchange: Exchange) -> Answer:
    """What a model answered, of any provider."""
    from pydantic_ai.messages import TextPart, ToolCallPart

    details = response.provider_details or {}
    keys = ("refusal", "finish_message", "finish_reason", "block_reason")
    said = next((details[key] for key in keys if details.get(key)), "")
    answer = Answer(
        exchange.query.id,
        (),
        text=_cut("\n".join(part.content for part in response.parts if isinstance(part, TextPart)), MAX_TEXT),
        detail=one_line(str(said), _DETAIL),
        served=one_line(str(response.model_name or ""), 120),
        usage=Usage(response.usage.input_tokens, response.usage.output_tokens, response.usage.cache_read_tokens),
    )
    if response.finish_reason == "content_filter":
        return replace(answer, refused=True)
    if response.finish_reason == "length":
        return replace(answer, failure=Failure.TRUNCATED)
    if response.finish_reason == "error" or (response.finish_reason is None and not response.parts):
        # Nothing at all is not the same as no call: it would count as right where no tool fits.
        return replace(answer, failure=Failure.MALFORMED)
    published = {tool.name: tool.published for tool in exchange.tools}
    calls = [part for part in response.parts if isinstance(part, ToolCallPart)][:_MAX_CHOICES]
    choices = tuple(_choice(published.get(call.tool_name, call.tool_name), call.args) for call in calls)
    return replace(answer, choices=choices, detail="")


def _choice(tool: str, arguments: Any) -> Choice:
    """A call with its arguments, which OpenAI sends as text. Hosts take empty text as no arguments, and so do we."""
    tool, value = _cut(tool, _MAX_RAW), {} if arguments is None or arguments == "" else arguments
    if isinstance(value, str):
        try:
            value = read_json(value)
        except (ValueError, RecursionError):
            value = None
    if isinstance(value, dict):
        return Choice(tool, redact_json(value))
    return Choice(tool, None, _cut(str(arguments), _MAX_RAW))


def _cut(text: str, limit: int) -> str:
    return redact(text)[:limit]


# Codes with which OpenAI, Azure and gateways refuse a query before a model sees it.
_REFUSAL_CODES = frozenset(
    ("content_filter", "content_policy_violation", "invalid_prompt", "ResponsibleAIPolicyViolation")
)

# What the statuses mean where a provider adds no code of its own.
_BY_STATUS = {401: Failure.AUTH, 402: Failure.QUOTA, 403: Failure.AUTH, 404: Failure.UNKNOWN_MODEL}
_BY_STATUS |= {429: Failure.RATE_LIMITED}


def _failure_of(error: Exception, exchange: Exchange, variable: str) -> Answer:
    """What an exception of :meth:`HostedRunner._ask` means.

    Args:
        error: the exception; its words may be anything.
        exchange: what was sent.
        variable: where the key is from.
    """
    from pydantic_ai import exceptions as known

    def failed(failure: str | None, said: str = "", *, wait: float | None = None) -> Answer:
        detail = one_line(_with_tool(said, exchange), _DETAIL)
        return Answer(exchange.query.id, (), "", failure is None, failure, detail, retry_after=wait)

    if exchange.failure is not None:
        return failed(exchange.failure)
    if isinstance(error, known.ModelTimeoutError | known.ModelRequestTimeout):
        return failed(Failure.TIMEOUT)
    if isinstance(error, known.ModelConnectionError):
        return failed(Failure.CUT if exchange.status else Failure.UNREACHABLE)
    if not isinstance(error, known.ModelAPIError):
        return failed(Failure.MALFORMED, f"the response could not be read ({type(error).__name__})")
    said = _message(error) or str(error.provider_error_type or "")
    if error.provider_error_code in _REFUSAL_CODES:
        return failed(None, said)
    # The status that was seen: a library may report another one for an error without a code of its own.
    status = exchange.status or getattr(error, "status_code", 0)
    kinds: tuple[tuple[Any, str], ...] = (
        (known.ModelRateLimitError, Failure.RATE_LIMITED),
        (known.ModelQuotaExceededError, Failure.QUOTA),
        (known.ModelAuthenticationError, Failure.AUTH),
        (known.ModelNotFoundError, Failure.UNKNOWN_MODEL),
    )
    failure = next((kind for category, kind in kinds if isinstance(error, category)), _BY_STATUS.get(status, ""))
    if failure == Failure.AUTH:
        # Some providers quote parts of the key.
        said = f"the key in {variable or 'the request'} was refused"
    elif not failure and status < 300:
        failure, said = Failure.MALFORMED, said or "the response is not JSON"
    wait = error.retry_after
    wait = wait if wait is not None and 0 <= wait <= _MAX_WAIT else None
    return failed(failure or f"http-{status}", said, wait=wait)


def _message(error: Any) -> str:
    """What the provider says of an error, wherever it has put that."""
    body = error.body
    for _ in range(2):
        if isinstance(body, dict):
            if isinstance(body.get("message"), str):
                return str(body["message"])
            body = body.get("error")
    return body if isinstance(body, str) else ""


_NUMBERED = re.compile(r"\btools?[.\[](\d{1,4})\b")


def _with_tool(said: str, exchange: Exchange) -> str:
    """What a provider says of ``tools.3``, with the name of that tool."""
    found = _NUMBERED.search(said[: _DETAIL * 2])
    number = int(found[1]) if found is not None else len(exchange.tools)
    return f"{exchange.tools[number].published}: {said}" if number < len(exchange.tools) else said
