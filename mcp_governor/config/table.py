"""The base of the tables of the configuration, and the values that their keys take."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

MAX_SECONDS = 86_400
"""Maximum time for anything, in seconds: a day. The clocks of the system have limits somewhere above."""

NonEmpty = Annotated[str, Meta(min_length=1)]
Strings = tuple[NonEmpty, ...]
Seconds = Annotated[float, Meta(gt=0, le=MAX_SECONDS)]
Count = Annotated[int, Meta(ge=1)]
Ratio = Annotated[float, Meta(ge=1)]
Importable = Annotated[str, Meta(pattern="^[^:]+:[^:]+$")]


class Table(Struct, frozen=True, rename="kebab", forbid_unknown_fields=True):
    """A table of the configuration: keys have dashes, and one that is not declared is a mistake."""
