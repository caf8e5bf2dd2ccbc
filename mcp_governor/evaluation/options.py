"""How a model is asked, as the user chooses."""

from __future__ import annotations

from msgspec import Struct


class Options(Struct, frozen=True):
    """How a model is asked.

    Attributes:
        base_url: another address of the API (:func:`mcp_governor.evaluation.providers.access`).
        key_variable: environment variable that has the key for it.
        dialect: of ``openai:MODEL``: ``responses`` or ``chat`` (Chat Completions); empty: the former at OpenAI's own
            address, the latter elsewhere.
        temperature: sent to models that take one; ``None``: never sent.
        timeout: seconds for a whole request.
        max_output: most output tokens of an answer, reasoning included.
        system: system prompt; empty: none is sent.
        price: dollars per million input and output tokens; ``None``: from the price list.
        sends: requests will be sent; an estimate needs no key.
    """

    base_url: str | None = None
    key_variable: str | None = None
    dialect: str = ""
    temperature: float | None = 0.0
    # Reasoning models take up to a minute for a hard choice.
    timeout: float = 120.0
    # Reasoning counts as output: choosing a tool takes up to some 4,000 tokens at the default effort.
    max_output: int = 8_192
    system: str = ""
    price: tuple[float, float] | None = None
    sends: bool = True


DEFAULT_OPTIONS = Options()
