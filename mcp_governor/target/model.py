"""Sources: servers to reach and recordings to load."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from mcp_governor.wire.endpoint import Endpoint


class LiveSource(Struct, frozen=True):
    """A server to reach.

    Attributes:
        shown: name of the target in messages, without secrets.
        endpoint: the endpoint for the wire.
        list_params: extra ``tools/list`` parameters, each for one more listing.
        timeout: timeout for one response, in seconds.
        start_timeout: timeout for the start and the handshake, in seconds.
        configured: true if the configuration defines it, and not the command line alone.
        call_first: names and arguments of calls after which the tools are listed again.
    """

    shown: str
    endpoint: Endpoint
    list_params: tuple[Mapping[str, Any], ...] = ()
    timeout: float = 30.0
    start_timeout: float = 60.0
    configured: bool = False
    call_first: tuple[tuple[str, Mapping[str, Any]], ...] = ()


class FileSource(Struct, frozen=True):
    """A recording on disk."""

    shown: str
    path: Path


class GitSource(Struct, frozen=True):
    """A recording at a git ref.

    Attributes:
        ref: commit, branch or tag.
        path: path of the file, relative to ``folder``.
        folder: a folder inside the work tree.
    """

    shown: str
    ref: str
    path: str
    folder: Path


Source = LiveSource | FileSource | GitSource
"""The result of resolving a TARGET."""
