"""Reads the skills of a server, with the content of their files, so that digests can be compared with what is there."""

from __future__ import annotations

import base64
import binascii
import contextlib
import hashlib
from typing import TYPE_CHECKING, Any

from mcp_governor.secrets import redact_json
from mcp_governor.surface.skills import usable_skills
from mcp_governor.wire.rpc import RpcError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.surface.skills import Skill
    from mcp_governor.wire.session import Session

MAX_READ = 500
"""Most files that are read: one request each. Servers publish up to thirty skills with a handful of files."""
MAX_READ_BYTES = 8 * 1024 * 1024
"""Most bytes of files that are read: with base64 and the lists, it stays below ``Limits.reading_bytes``."""
MAX_KEPT = 256 * 1024
"""Longest text of a file that is recorded, in bytes. The Agent Skills specification recommends at most 5,000 tokens for
``SKILL.md``, which are 20 KB."""
MAX_KEPT_BYTES = 2 * 1024 * 1024
"""Most bytes of text in a recording; people review it."""


async def read_skills(session: Session, failed: dict[str, Any]) -> dict[str, Any]:
    """The skills of a server that declares them.

    Args:
        session: an open session.
        failed: method → error, which is added to if the list cannot be read.

    Returns:
        ``{"skills": […], "skillFiles": {…}}``, see ``Surface.skill_entries`` and ``Surface.skill_files``; empty if the
        list cannot be read.

    Raises:
        ProtocolError, UnreachableError: as for ``Session.list_all``.
    """
    try:
        entries = await session.list_all("skills/list", "skills")
    except RpcError as error:
        failed["skills/list"] = {"code": error.code, "message": error.text}
        return {}
    files: dict[str, dict[str, Any]] = {}
    read = kept = 0
    for uri, size in _wanted(usable_skills(entries, {})):
        if uri in files:
            continue
        if len(files) >= MAX_READ or read + size > MAX_READ_BYTES:
            files[uri] = {"unread": True}
            if len(files) >= 2 * MAX_READ:
                break
            continue
        found = await _file(session, uri)
        read += found.get("size", 0)
        text = found.get("text")
        if text is not None:
            kept += found["size"]
            if found["size"] > MAX_KEPT or kept > MAX_KEPT_BYTES:
                del found["text"]
        files[uri] = found
    return {"skills": entries, "skillFiles": files}


def _wanted(skills: tuple[Skill, ...]) -> Iterator[tuple[str, int]]:
    """The files with their published sizes: each ``SKILL.md``, then all others."""
    for skill in skills:
        yield skill.uri, _size(skill.files.get(skill.uri, {}))
    for skill in skills:
        for uri, item in skill.files.items():
            # Nothing else is asked of a server than what it says belongs to the skill.
            if uri.startswith(f"{skill.root}/"):
                yield uri, _size(item)


def _size(item: Mapping[str, Any]) -> int:
    size = item.get("size")
    return size if isinstance(size, int) and size > 0 else 0


async def _file(session: Session, uri: str) -> dict[str, Any]:
    secrets = len(session.published)
    try:
        result = await session.request("resources/read", {"uri": uri})
    except RpcError as error:
        return {"error": f"resources/read answered with an error: {error.text}"}
    contents = result.get("contents")
    items = [item if isinstance(item, dict) else {} for item in contents] if isinstance(contents, list) else []
    own: dict[str, Any] = next((item for item in items if item.get("uri", uri) == uri), {})
    if items and not own:
        return {"error": "resources/read returned another resource than it was asked for"}
    text, blob = own.get("text"), own.get("blob")
    if isinstance(text, str):
        content = text.encode("utf-8", "surrogatepass")
    elif isinstance(blob, str):
        try:
            content = base64.b64decode(blob, validate=True)
        except (binascii.Error, ValueError):
            return {"error": "the blob is not base64"}
        with contextlib.suppress(UnicodeDecodeError):
            text = redact_json(content.decode(), session.published)
    else:
        return {"error": "resources/read returned neither text nor blob"}
    if len(session.published) > secrets:
        return {"error": "it contains a secret that the server was given, which is not recorded"}
    found: dict[str, Any] = {"digest": f"sha256:{hashlib.sha256(content).hexdigest()}", "size": len(content)}
    if isinstance(text, str):
        found["text"] = text
    if len(items) > 1:
        found["error"] = f"resources/read returned {len(items)} items, and clients differ in which of them they load"
    return found
