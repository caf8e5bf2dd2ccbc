"""What the user named, as a value: a server to reach, or a recording to load."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

from mcp_governor.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from mcp_governor.wire.endpoint import Endpoint


@frozen
class LiveSource:
    """A server to reach.

    Attributes:
        shown: the target as messages name it; holds no secrets.
        endpoint: how the wire reaches it.
        list_params: extra ``tools/list`` parameters, one more listing each.
        timeout: seconds for one answer.
        start_timeout: seconds until it has shaken hands.
        configured: the configuration says how to reach it, not the command line alone.
    """

    shown: str
    endpoint: Endpoint
    list_params: tuple[Mapping[str, Any], ...] = ()
    timeout: float = 30.0
    start_timeout: float = 60.0
    configured: bool = False


@frozen
class FileSource:
    """A recording on disk."""

    shown: str
    path: Path


@frozen
class GitSource:
    """A recording at a git ref.

    Attributes:
        ref: commit, branch or tag.
        path: the file's path; relative to ``folder``.
        folder: a folder inside the work tree.
    """

    shown: str
    ref: str
    path: str
    folder: Path = field(repr=False)


Source = LiveSource | FileSource | GitSource
"""What a TARGET resolves to."""
