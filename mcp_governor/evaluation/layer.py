"""pydantic-ai with its adaptations switched off: the one module that knows it.

Everything of the extra ``eval`` is imported by :func:`open_layer`, which takes seconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct

from mcp_governor.errors import MissingDependencyError
from mcp_governor.evaluation.model import Failure, http_failure
from mcp_governor.evaluation.sending import client

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_governor.evaluation.providers import Access, Options
    from mcp_governor.evaluation.sending import Exchange


class Reply(Struct, frozen=True):
    """What a model answered, as the provider states it.

    Attributes:
        calls: name and arguments of each call: an object, or the text that should be one.
        text: what it says besides.
        refused: the provider says that the model refused, or took its answer away.
        failure: why there is no answer.
        said: what the provider says of a refusal or failure.
        model: the model id that the provider states.
        input_tokens, output_tokens, cached_tokens: as the provider counts them.
    """

    calls: Sequence[tuple[str, Any]]
    text: str = ""
    refused: bool = False
    failure: str | None = None
    said: str = ""
    model: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0


class Trouble(Struct, frozen=True):
    """Why a request failed.

    Attributes:
        failure: its kind; ``None`` for a refusal.
        said: what the provider says; may contain anything.
        refused: true if the provider refused the query itself.
        retry_after: seconds that it asks to wait.
    """

    failure: str | None
    said: str = ""
    refused: bool = False
    retry_after: float | None = None


class Layer(Protocol):
    """What is below a runner."""

    @property
    def version(self) -> str:
        """Names and versions of the libraries."""

    @property
    def takes_temperature(self) -> bool:
        """True if the model takes a temperature."""

    async def ask(self, exchange: Exchange) -> Reply:
        """Send one request."""

    def trouble(self, error: Exception, exchange: Exchange) -> Trouble:
        """Say what an exception of :meth:`ask` means."""

    async def aclose(self) -> None:
        """Close connections."""


def open_layer(access: Access, options: Options) -> Layer:
    """Load the libraries and prepare the connection; nothing is sent.

    Raises:
        MissingDependencyError: the extra ``eval`` is not installed.
    """
    try:
        return _PydanticAI(access, options)
    except ImportError:
        from mcp_governor.installation import install_extra

        raise MissingDependencyError(
            f"{access.provider.name}:{access.model} needs pydantic-ai with its providers, which is not installed.",
            install_extra("eval"),
        ) from None


_SDKS = {"anthropic": "anthropic", "openai": "openai", "google": "google-genai"}

# Tool definitions go out as they came: no transformer, and below `strict=False` for each tool. Queries as well: for
# endpoints of unknown servers, joiners would be put into what looks like the special tokens of a chat template.
_UNCHANGED = {"json_schema_transformer": None, "may_tokenize_special_tokens_in_content": False}


class _PydanticAI:
    def __init__(self, access: Access, options: Options) -> None:
        from importlib.metadata import version

        from pydantic_ai.direct import model_request

        self._request = model_request
        self._http = client(options.timeout)
        self._settings: dict[str, Any] = {"max_tokens": options.max_output, "max_retries": 0, "tool_choice": "auto"}
        self._model = self._open(access, options)
        sdk = _SDKS[access.provider.name]
        self._version = f"pydantic-ai-slim {version('pydantic-ai-slim')}, {sdk} {version(sdk)}"
        profile = self._model.profile
        self._takes_temperature = not (
            profile.get("anthropic_disallows_sampling_settings", False)
            # OpenAI's models take none while they reason.
            or (
                profile.get("openai_supports_reasoning", False)
                and (profile.get("thinking_always_enabled", False) or profile.get("thinking_enabled_by_default", False))
            )
        )

    def _open(self, access: Access, options: Options) -> Any:
        name, key, url = access.model, access.key, access.address
        if access.provider.name == "anthropic":
            from pydantic_ai.models.anthropic import AnthropicModel
            from pydantic_ai.providers.anthropic import AnthropicProvider

            anthropic = AnthropicProvider(api_key=key, base_url=url, http_client=self._http)
            return AnthropicModel(name, provider=anthropic, profile=_UNCHANGED)
        if access.provider.name == "google":
            from pydantic_ai.models.google import GoogleModel
            from pydantic_ai.providers.google import GoogleProvider

            google = GoogleProvider(api_key=key, base_url=url, http_client=self._http)
            return GoogleModel(name, provider=google, profile=_UNCHANGED)
        from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
        from pydantic_ai.providers.openai import OpenAIProvider
        from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

        if options.dialect == "responses" or (access.own and options.dialect != "chat"):
            # OpenAI's models that reason take tools in this dialect only. It stores answers unless one says no.
            self._settings["openai_store"] = False
            openai = OpenAIProvider(api_key=key, base_url=url, http_client=self._http)
            return OpenAIResponsesModel(name, provider=openai, profile=_UNCHANGED)
        other = OpenAICompatibleProvider("endpoint", api_key=key, base_url=url, http_client=self._http)
        # Other servers know the older name of the limit, and some ignore the newer one.
        profile = {**_UNCHANGED, "openai_chat_supports_max_completion_tokens": False}
        return OpenAIChatModel(name, provider=other, profile=profile)

    @property
    def version(self) -> str:
        return self._version

    @property
    def takes_temperature(self) -> bool:
        return self._takes_temperature

    async def ask(self, exchange: Exchange) -> Reply:
        from pydantic_ai.messages import ModelRequest, SystemPromptPart, UserPromptPart
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
        parts: list[Any] = [SystemPromptPart(exchange.system)] if exchange.system else []
        response = await self._request(
            self._model,
            [ModelRequest(parts=[*parts, UserPromptPart(exchange.text)])],
            model_settings=settings,
            model_request_parameters=ModelRequestParameters(function_tools=tools),
            instrument=False,
        )
        return _read(response)

    def trouble(self, error: Exception, exchange: Exchange) -> Trouble:
        return _trouble(error, exchange)

    async def aclose(self) -> None:
        await self._http.aclose()


def _read(response: Any) -> Reply:
    """What an answer says, of any provider."""
    from pydantic_ai.messages import TextPart, ToolCallPart

    details = response.provider_details or {}
    stop = details.get("finish_reason") or details.get("block_reason") or ""
    failure: str | None = None
    if response.finish_reason == "length":
        failure = Failure.TRUNCATED
    elif response.finish_reason == "error" or (response.finish_reason is None and not response.parts):
        # Nothing at all is not the same as no call: it would count as right where no tool fits.
        failure = Failure.MALFORMED
    return Reply(
        calls=[(part.tool_name, part.args) for part in response.parts if isinstance(part, ToolCallPart)],
        text="\n".join(part.content for part in response.parts if isinstance(part, TextPart)),
        refused=response.finish_reason == "content_filter",
        failure=failure,
        said=str(details.get("refusal") or details.get("finish_message") or stop),
        model=str(response.model_name or ""),
        input_tokens=response.usage.input_tokens,
        output_tokens=response.usage.output_tokens,
        cached_tokens=response.usage.cache_read_tokens,
    )


# Codes with which OpenAI, Azure and gateways refuse a query before a model sees it.
_REFUSAL_CODES = frozenset(
    ("content_filter", "content_policy_violation", "invalid_prompt", "ResponsibleAIPolicyViolation")
)

_MAX_WAIT = 3600.0
"""Longest wait in seconds that is passed on. A provider that asks for more has ended the run for today."""


def _trouble(error: Exception, exchange: Exchange) -> Trouble:
    from pydantic_ai import exceptions as known

    if isinstance(error, known.ModelTimeoutError | known.ModelRequestTimeout):
        return Trouble(Failure.TIMEOUT)
    if isinstance(error, known.ModelConnectionError):
        return Trouble(Failure.CUT if exchange.status else Failure.UNREACHABLE, _cause(error))
    if not isinstance(error, known.ModelAPIError):
        return Trouble(Failure.MALFORMED, f"the response could not be read ({type(error).__name__})")
    said = _message(error) or str(error.provider_error_type or "")
    if error.provider_error_code in _REFUSAL_CODES:
        return Trouble(None, said, refused=True)
    wait = error.retry_after
    wait = wait if wait is not None and 0 <= wait <= _MAX_WAIT else None
    # The status that was seen: a library may report another one for an error without a code of its own.
    status = exchange.status or getattr(error, "status_code", 0)
    kinds: tuple[tuple[Any, str], ...] = (
        (known.ModelRateLimitError, Failure.RATE_LIMITED),
        (known.ModelQuotaExceededError, Failure.QUOTA),
        (known.ModelAuthenticationError, Failure.AUTH),
        (known.ModelNotFoundError, Failure.UNKNOWN_MODEL),
    )
    failure = next((kind for category, kind in kinds if isinstance(error, category)), _BY_STATUS.get(status, ""))
    if not failure and status < 300:
        return Trouble(Failure.MALFORMED, said or "the response is not JSON")
    return Trouble(failure or http_failure(status), said, retry_after=wait)


# What the statuses mean where a provider adds no code of its own.
_BY_STATUS = {401: Failure.AUTH, 402: Failure.QUOTA, 403: Failure.AUTH, 404: Failure.UNKNOWN_MODEL}
_BY_STATUS |= {429: Failure.RATE_LIMITED}


def _message(error: Any) -> str:
    """What the provider says of an error, wherever it has put that."""
    body = error.body
    for _ in range(2):
        if isinstance(body, dict):
            if isinstance(body.get("message"), str):
                return str(body["message"])
            body = body.get("error")
    return body if isinstance(body, str) else ""


def _cause(error: BaseException) -> str:
    """The class of the innermost exception; its words may have addresses in them."""
    seen = 0
    # A cause may lead back to an earlier one; real chains have three or four.
    while (inner := error.__cause__ or error.__context__) is not None and seen < 10:
        error, seen = inner, seen + 1
    return type(error).__name__
