"""The history of a server as a value, for formats that draw it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Mapping


class Release(Struct, frozen=True):
    """One column of the picture.

    Attributes:
        tag: the release tag, as git has it; empty for the checked surface.
        version: the version in the tag, or that of the checked surface.
        tiers: tier → number of tools.
        tokens: estimated cost of the definitions to a model.
        changes: verdict → number of changes since the release before; ``None`` if they were not compared.
    """

    tag: str
    version: str
    tiers: Mapping[str, int]
    tokens: int
    changes: Mapping[str, int] | None = None


class History(Struct, frozen=True):
    """The releases of a server, oldest first, and what is missing among them.

    Attributes:
        releases: the latest releases with a recorded surface, and the checked surface if it is another one.
        older: number of older releases that were not read.
        unread: tags whose recording is not a surface, or too large to be read with the others.
        late: tags whose recording was not read because time was up.
        problem: why there are no releases, one sentence that is safe to print; empty if there are.
    """

    releases: tuple[Release, ...] = ()
    older: int = 0
    unread: tuple[str, ...] = ()
    late: tuple[str, ...] = ()
    problem: str = ""
