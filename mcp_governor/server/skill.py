"""Our own skill, as the Skills extension serves skills (SEP-2640): how to change a server without breaking clients."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from mcp.server.extension import Extension, MethodBinding, ResourceBinding
from mcp.server.mcpserver.resources import TextResource
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, PaginatedRequestParams, RequestParams

from mcp_governor.surface.skills import EXTENSION, MANIFEST

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NAME = "govern-mcp-server"
URI = f"skill://{NAME}/{MANIFEST}"
FILES = (MANIFEST, "references/verdicts.md")


@cache
def contents() -> Mapping[str, str]:
    """URI → text of each file of the skill."""
    folder = files("mcp_governor.server") / "skills" / NAME
    return {f"skill://{NAME}/{name}": (folder / name).read_text("utf-8") for name in FILES}


@cache
def entry() -> dict[str, Any]:
    """The entry of ``skills/list``; its frontmatter is that of the file, whose values are plain text."""
    lines = contents()[URI].split("---\n")[1].splitlines()
    return {
        "uri": URI,
        "frontmatter": dict(line.split(": ", 1) for line in lines),
        "resources": [
            {"uri": uri, "digest": f"sha256:{hashlib.sha256(data).hexdigest()}", "size": len(data)}
            for uri, data in ((uri, text.encode()) for uri, text in contents().items())
        ],
    }


class GetSkillParams(RequestParams):
    """The parameters of ``skills/get``."""

    uri: str


class SkillExtension(Extension):
    """Serves the skill and its files."""

    identifier = EXTENSION

    def resources(self) -> Sequence[ResourceBinding]:
        """Each file, as a resource."""
        described = entry()["frontmatter"]["description"]
        return [
            ResourceBinding(
                TextResource(
                    uri=uri,
                    name=NAME if uri == URI else uri.rpartition("/")[2],
                    description=described if uri == URI else f"Supporting file of the skill {NAME}.",
                    mime_type="text/markdown",
                    text=text,
                )
            )
            for uri, text in contents().items()
        ]

    def methods(self) -> Sequence[MethodBinding]:
        """``skills/list`` and ``skills/get``."""
        return [
            MethodBinding(method="skills/list", params_type=PaginatedRequestParams, handler=_list),
            MethodBinding(method="skills/get", params_type=GetSkillParams, handler=_get),
        ]


async def _list(_context: Any, _params: PaginatedRequestParams) -> dict[str, Any]:
    # The text changes with the package only.
    return {"resultType": "complete", "skills": [entry()], "ttlMs": 3_600_000, "cacheScope": "public"}


async def _get(_context: Any, params: GetSkillParams) -> dict[str, Any]:
    if params.uri != URI:
        raise MCPError(INVALID_PARAMS, "There is no skill of that URI; skills/list has them.")
    return {"resultType": "complete", "skill": entry()}
