"""What tokens cost: from ``genai-prices``, which carries its list and needs no network, or as the user states it.

The list is kept by the authors of pydantic-ai, with the page of each provider as its source. It ages with the installed
version, so a report names that version. A model that it does not have has an unknown price, never a guessed one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Mapping

MILLION = 1_000_000
"""Prices are stated for so many tokens."""


class Price(Struct, frozen=True):
    """What one model costs.

    Attributes:
        source: where the price is from, with the version of the list; for reports.
        stated: dollars per million input and output tokens, as the user states them; ``None``: from the list.
        model: as the list calls the model.
        provider: as the list calls the provider.
    """

    source: str
    stated: tuple[float, float] | None = None
    model: str = ""
    provider: str = ""

    def dollars(self, input_tokens: int, output_tokens: int, cached_tokens: int = 0) -> float | None:
        """What a request costs.

        Args:
            input_tokens: all of them, cached ones as well.
            output_tokens: with those of reasoning.
            cached_tokens: the input tokens that were read from the provider's cache.

        Returns:
            Dollars; ``None`` if the list cannot say.
        """
        if self.stated is not None:
            return (input_tokens * self.stated[0] + output_tokens * self.stated[1]) / MILLION
        from genai_prices import Usage, calc_price

        usage = Usage(input_tokens=input_tokens, output_tokens=output_tokens, cache_read_tokens=cached_tokens)
        try:
            return float(calc_price(usage, self.model, provider_id=self.provider).total_price)
        except (LookupError, ValueError):
            return None


def stated_price(input_dollars: float, output_dollars: float) -> Price:
    """A price that the user states, in dollars per million tokens."""
    return Price("as stated", (input_dollars, output_dollars))


_HOSTS = {"anthropic": "anthropic", "openai": "openai", "google": "google"}


def listed_price(family: str, model: str, endpoint: str = "") -> Price | None:
    """The price of a model from the list.

    Args:
        family: ``anthropic``, ``openai``, ``google`` or ``local``.
        model: the model id.
        endpoint: address of the API, if it is not the provider's own.

    Returns:
        ``None`` if the list has no such model at this endpoint: the price is unknown.
    """
    from genai_prices import Usage, __version__, calc_price

    where: Mapping[str, str] = {"provider_api_url": endpoint} if endpoint else {"provider_id": _HOSTS.get(family, "")}
    try:
        found = calc_price(Usage(input_tokens=1, output_tokens=1), model, **where)
    except (LookupError, ValueError):
        return None
    page = next(iter(found.provider.pricing_urls or ()), "")
    source = f"genai-prices {__version__}" + (f", {page}" if page else "")
    return Price(source, None, found.model.id, found.provider.id)
