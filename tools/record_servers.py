"""Records what the labelled servers publish that are not in the corpus, for ``make recall SPLIT=fresh`` and others.

    python tools/record_servers.py [--only WORD] [--out DIR]

``fixtures/quality/recall/recordings.json`` names each server with its pinned version, command and environment. The
packages come from the registries, so the command needs a network; the servers get placeholder credentials and are only
asked for their lists. A recording is written to ``../recorded/REGISTRY/SERVER.json.gz``, in the layout of the corpus,
and not committed: what they publish belongs to their authors.

A dependency that was released since can change what a server publishes. ``make recall`` compares digests and says so.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import PaginatedRequestParams
from quality_corpus import RECORDED
from quality_labels import RECALL

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pydantic import BaseModel

LISTED = RECALL / "recordings.json"
START_SECONDS = 240
"""For one server; the first start downloads its packages, which took up to two minutes."""
MOST_PAGES = 50
"""Of one list; the largest recorded list has one page, and a server that always names a next page has to end."""


def main() -> int:
    """Record each server; the exit code is 1 if one did not answer."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="only servers whose name holds this word")
    parser.add_argument("--out", type=Path, default=RECORDED, help="recordings go here")
    asked = parser.parse_args()
    failed = 0
    for entry in json.loads(LISTED.read_text("utf-8")):
        if asked.only not in entry["server"]:
            continue
        try:
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # npm may still write to it
                surface = asyncio.run(asyncio.wait_for(recorded(entry, Path(folder)), START_SECONDS))
        except Exception as error:  # a foreign process can fail in any way; the next one is not concerned
            failed += 1
            print(f"{entry['server']}: not recorded: {_cause(error)}", flush=True)
            continue
        write(asked.out / entry["registry"] / f"{entry['server']}.json.gz", {entry["version"]: surface})
        print(f"{entry['server']} {entry['version']}: {len(surface['tools'])} tools", flush=True)
    return 1 if failed else 0


def _cause(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"[:200]


def write(file: Path, releases: dict[str, Any]) -> None:
    """Write a recording; the same recording is the same bytes."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(gzip.compress(json.dumps(releases, sort_keys=True, ensure_ascii=False).encode(), mtime=0))


async def recorded(entry: dict[str, Any], folder: Path) -> dict[str, Any]:
    """What a server publishes, as the corpus holds it.

    Args:
        entry: of ``recordings.json``: ``package``, ``registry``, ``version``, ``command`` and ``env``.
        folder: its home and working folder; what it says on stderr is lost.

    Raises:
        OSError, mcp.MCPError: the server did not start, or refused a request.
    """
    program, *arguments = entry["command"]
    place = Path(sys.executable).parent / program
    asked = StdioServerParameters(
        command=str(place) if place.exists() else program,
        args=arguments,
        env={**os.environ, **entry["env"], "HOME": str(folder)},
        cwd=folder,
    )
    streams = stdio_client(asked, errlog=subprocess.DEVNULL)
    async with streams as (read, write), ClientSession(read, write) as session:
        said = _plain(await session.initialize())
        offers = said["capabilities"]
        return {
            "package": entry["package"],
            "registry": entry["registry"],
            "version": entry["version"],
            "serverInfo": said["serverInfo"],
            "protocolVersion": said["protocolVersion"],
            "capabilities": offers,
            "instructions": said.get("instructions"),
            "tools": await _every(session.list_tools, "tools"),
            "prompts": await _every(session.list_prompts, "prompts") if "prompts" in offers else [],
            "resources": await _known(session.list_resources, "resources") if "resources" in offers else [],
            "resourceTemplates": await _known(session.list_resource_templates, "resourceTemplates")
            if "resources" in offers
            else [],
        }


async def _known(page: Callable[..., Awaitable[BaseModel]], key: str) -> list[Any]:
    """A list; none where the server offers resources and does not know the request."""
    try:
        return await _every(page, key)
    except Exception:  # the SDK raises its own class, whose name changed between its versions
        return []


async def _every(page: Callable[..., Awaitable[BaseModel]], key: str) -> list[Any]:
    """A list, page by page."""
    items: list[Any] = []
    cursor = None
    for _ in range(MOST_PAGES):
        said = _plain(await page(params=PaginatedRequestParams(cursor=cursor)))
        items += said[key]
        cursor = said.get("nextCursor")
        if not cursor:
            break
    return items


def _plain(said: BaseModel) -> dict[str, Any]:
    return said.model_dump(mode="json", by_alias=True, exclude_none=True)


if __name__ == "__main__":
    sys.exit(main())
