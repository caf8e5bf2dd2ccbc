"""One member of a fleet."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - msgspec reads the types
from typing import Any

from msgspec import Struct, field

MAX_MEMBERS = 20_000
"""Most servers of a fleet, twice the public registry of today; a longer list is refused."""


class Member(Struct, frozen=True):
    """One server of a fleet.

    Attributes:
        name: its name in the list, unique there.
        target: a TARGET, absolute; empty for a server of the configuration.
        refused: why it is not read, if it cannot be.
        server: of which server it is a variant; empty for none.
        label: name of the variant.
        variant: settings of the variant, as JSON.
        with_: package that is installed with it.
    """

    name: str
    target: str = ""
    refused: str = ""
    server: str = ""
    label: str = ""
    variant: Mapping[str, Any] = field(default_factory=dict)
    with_: str = ""
