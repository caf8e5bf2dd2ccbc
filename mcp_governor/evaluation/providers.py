"""Which provider a runner's name means, how a model is asked, and what its tokens cost.

Prices are from ``genai-prices``, which carries its list and needs no network. The list is kept by the authors of
pydantic-ai, with the page of each provider as its source. A model that it does not have has an unknown price, never a
guessed one.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from msgspec import Struct

from mcp_governor.errors import UsageError
from mcp_governor.secret_detection import learn_url
from mcp_governor.secrets import keep
from mcp_governor.text import did_you_mean, one_line

if TYPE_CHECKING:
    from collections.abc import Mapping


class Options(Struct, frozen=True):
    """How a model is asked.

    Attributes:
        base_url: another address of the API; by default that of the provider's variable, else its own.
        key_variable: environment variable that has the key; by default that of the provider. An address that is only
            given here gets no key without it, so that the key of a provider never goes to somebody else by accident.
        temperature: sent to models that take one.
        sends: requests will be sent, so the key has to be there; an estimate needs none.
    """

    base_url: str | None = None
    key_variable: str | None = None
    temperature: float = 0.0
    sends: bool = True


DEFAULT_OPTIONS = Options()


class Provider(Struct, frozen=True):
    """One provider.

    Attributes:
        name: before the colon of a runner's name.
        address: of its API.
        keys: environment variables that may have its key, the first that is set.
        base: environment variable that names another address, as its own SDK reads it.
    """

    name: str
    address: str
    keys: tuple[str, ...]
    base: str


PROVIDERS: Mapping[str, Provider] = {
    provider.name: provider
    for provider in (
        Provider("anthropic", "https://api.anthropic.com", ("ANTHROPIC_API_KEY",), "ANTHROPIC_BASE_URL"),
        Provider("openai", "https://api.openai.com/v1", ("OPENAI_API_KEY",), "OPENAI_BASE_URL"),
        Provider(
            "google",
            "https://generativelanguage.googleapis.com",
            ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
            "GOOGLE_GEMINI_BASE_URL",
        ),
    )
}

_MAX_MODEL = 200
"""Longest model id in characters. Those of gateways, with vendor and version, have some 60."""


@dataclass(frozen=True)
class Access:
    """How to reach a model.

    Attributes:
        provider: whose wire format is spoken.
        model: the model id that is sent.
        address: of the API, with credentials if it has some.
        own: true if that is the provider's own address.
        key: the secret; empty if none is sent.
        variable: where the key is from, for messages.
    """

    provider: Provider
    model: str
    address: str = field(repr=False)
    own: bool
    key: str = field(repr=False)
    variable: str

    @property
    def family(self) -> str:
        """``local`` for what imitates OpenAI, else the name of the provider."""
        return self.provider.name if self.own or self.provider.name != "openai" else "local"

    @property
    def shown(self) -> str:
        """The address without credentials and query; empty for the provider's own."""
        parts = urlsplit(self.address)
        return "" if self.own else f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}".rstrip("/")

    def dollars(self, input_tokens: int, output_tokens: int, cached_tokens: int = 0) -> float | None:
        """What a request costs; ``None`` if the list has no such model at this address.

        Args:
            input_tokens: all of them, cached ones as well.
            output_tokens: with those of reasoning.
            cached_tokens: the input tokens that were read from the provider's cache.
        """
        from genai_prices import Usage, calc_price

        usage = Usage(input_tokens=input_tokens, output_tokens=output_tokens, cache_read_tokens=cached_tokens)
        where = {"provider_api_url": self.shown} if self.shown else {"provider_id": self.provider.name}
        try:
            return float(calc_price(usage, self.model, **where).total_price)
        except (LookupError, ValueError):
            return None


def access(name: str, environment: Mapping[str, str], options: Options = DEFAULT_OPTIONS) -> Access:
    """Find the provider, its address and its key.

    Args:
        name: ``PROVIDER:MODEL``.
        environment: the variables of the process; keys are read from there only.
        options: how the model is asked.

    Raises:
        UsageError: the name or the address cannot be used, or the key is missing.
    """
    given, _, model = name.partition(":")
    provider = PROVIDERS.get(given)
    if provider is None:
        raise UsageError(
            f'Runner "{one_line(name, 60)}" has an unknown provider.{did_you_mean(given, PROVIDERS)}',
            f"Write PROVIDER:MODEL with one of {', '.join(PROVIDERS)}.",
        )
    if not model.strip() or len(model) > _MAX_MODEL or not model.isprintable() or any(map(str.isspace, model)):
        raise UsageError(f'Runner "{one_line(name, 60)}" names no model.', f"Write {given}:MODEL.")
    base_url, key_variable = options.base_url, options.key_variable
    address = (base_url or environment.get(provider.base, "").strip() or provider.address).rstrip("/")
    own = address == provider.address
    _check_address(address, f"the option base-url of {given}" if base_url else provider.base)
    variables = (key_variable,) if key_variable else () if base_url and not own else provider.keys
    variable = next((each for each in variables if environment.get(each, "").strip()), "")
    key = environment.get(variable, "").strip()
    if options.sends and not key and (own or key_variable or provider.name != "openai"):
        wanted = " or ".join(variables) or f"{provider.keys[0]} as its key-variable"
        raise UsageError(f"{one_line(name, 60)} needs a key.", f"Set the environment variable {wanted}.")
    if key:
        keep(key, f"the environment variable {variable}")
        _check_key(key, variable, address)
    learn_url(address)
    # The client of an API is not made without a key; nothing is sent with this one.
    return Access(provider, model, address, own, key if options.sends else "none", variable)


def _check_address(address: str, origin: str) -> None:
    try:
        parts = urlsplit(address)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and not (parts.query or parts.fragment)
        _ = parts.port
    except ValueError:
        usable = False
    if not usable:
        raise UsageError(
            f"The address in {origin} is not that of an API.", "Write it like https://HOST/v1, without a query."
        )


def _check_key(key: str, variable: str, address: str) -> None:
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise UsageError(f"The environment variable {variable} has a character that no key has.", "Copy the key again.")
    parts = urlsplit(address)
    if parts.scheme == "http" and not _is_near(parts.hostname or ""):
        raise UsageError(
            f"{variable} would be sent to {one_line(parts.hostname or '', 80)} unencrypted.",
            "Use an https address, or unset the variable if the server needs no key.",
        )


def _is_near(host: str) -> bool:
    """True for this machine and for private networks."""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return "." not in host or host.endswith((".localhost", ".local", ".internal"))
