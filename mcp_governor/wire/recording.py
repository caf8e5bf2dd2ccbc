"""Read everything that a server publishes, unchanged; of skills also the files, to compare their digests."""

from __future__ import annotations

import base64
import binascii
import contextlib
import hashlib
from typing import TYPE_CHECKING, Any

import anyio
from msgspec import Struct, field

from mcp_governor.errors import GovernorError, ProtocolError, UnreachableError
from mcp_governor.secrets import redact_json
from mcp_governor.surface.skills import declares_skills, usable_skills
from mcp_governor.text import one_line
from mcp_governor.wire.endpoint import Era
from mcp_governor.wire.limits import DEFAULT_LIMITS
from mcp_governor.wire.opening import connect
from mcp_governor.wire.rpc import METHOD_NOT_FOUND, RpcError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp_governor.wire.endpoint import Endpoint
    from mcp_governor.wire.limits import Limits
    from mcp_governor.wire.session import Session

    FirstCalls = Sequence[tuple[str, Mapping[str, Any]]]
    from collections.abc import Iterator, Mapping

    from mcp_governor.surface.skills import Skill


class Recording(Struct, frozen=True, dict=True):
    """The result of one reading.

    Attributes:
        raw: the input of ``mcp_governor.surface.build_surface``: ``tools``, ``prompts``, ``resources``,
            ``resourceTemplates``, ``serverInfo``, ``protocolVersion``, ``capabilities``, ``instructions``,
            ``listings``, ``conversation``, ``optIn``, and ``skills`` with ``skillFiles`` if the server declares them.
        tier_of_list: tool name → tier, from ``tools/list`` parameters that name one.
        era: the era of the handshake.
    """

    raw: Mapping[str, Any]
    tier_of_list: Mapping[str, str] = field(default_factory=dict)
    era: Era = Era.LEGACY


async def read_recording(
    session: Session, *, list_params: Sequence[Mapping[str, Any]] = (), call_first: FirstCalls = ()
) -> Recording:
    """Read all lists of an open session; prompts and resources only if its capabilities include them.

    Args:
        session: an open session.
        list_params: extra ``tools/list`` parameters. Each of these lists is read after the plain list and merged into
            it. With ``"tier"`` or ``"advanced": true`` among the parameters, the tools that a list adds get this tier;
            if the list only narrows the plain one, the tools that it keeps get it.
        call_first: names and arguments of calls that make the server publish more tools: they are made after the plain
            list, then the one that counts is read, and the tools that it adds are opt-in.

    Raises:
        RpcError, ProtocolError, UnreachableError: a list of tools cannot be read, one of the first calls fails, or
            reading takes too long.
    """
    seconds = session.limits.total_timeout
    try:
        with anyio.fail_after(seconds):
            return await _read_recording(session, list_params, call_first)
    except TimeoutError:
        raise session.explained(
            UnreachableError(f"its surface was not read within {seconds:g} s.", "Raise --timeout.")
        ) from None


async def _read_recording(
    session: Session, list_params: Sequence[Mapping[str, Any]], call_first: FirstCalls
) -> Recording:
    tools, tiers, opt_in = await _tools(session, list_params, call_first)
    raw: dict[str, Any] = {
        "serverInfo": session.server_info,
        "protocolVersion": session.protocol,
        "capabilities": session.capabilities,
        "instructions": session.instructions,
        "tools": tools,
    }
    failed: dict[str, Any] = {}
    for capability, method, key in _SIBLINGS:
        if capability in session.capabilities:
            raw[key] = await _sibling(session, method, key, failed)
    if declares_skills(session.capabilities):
        raw |= await read_skills(session, failed)
    raw["listings"] = session.listings
    raw["conversation"] = {
        "noise": list(session.inbox.noise),
        "requests": redact_json(list(dict.fromkeys(session.inbox.refused))),
        "failedLists": failed,
        **({"mismatches": list(session.mismatches)} if session.mismatches else {}),
        **({"pages": dict(session.pages)} if session.pages else {}),
        **({"publishedSecrets": sorted(session.published)} if session.published else {}),
    }
    if opt_in:
        raw["optIn"] = opt_in
    return Recording(raw=raw, tier_of_list=tiers, era=session.era)


_SIBLINGS = (
    ("prompts", "prompts/list", "prompts"),
    ("resources", "resources/list", "resources"),
    ("resources", "resources/templates/list", "resourceTemplates"),
)


async def _sibling(session: Session, method: str, key: str, failed: dict[str, Any]) -> list[Any]:
    try:
        return await session.list_all(method, key)
    except RpcError as error:
        # Templates are an optional part of the capability, so a server may not know the method.
        if method != "resources/templates/list" or error.code != METHOD_NOT_FOUND:
            failed[method] = {"code": error.code, "message": error.text}
        return []


async def _tools(
    session: Session, list_params: Sequence[Mapping[str, Any]], call_first: FirstCalls
) -> tuple[list[Any], dict[str, str], dict[str, Mapping[str, Any]]]:
    """All tools, their tiers from parameters, and for tools that are not listed by default, what lists them."""
    try:
        tools = await session.list_all("tools/list", "tools")
    except RpcError as error:
        if error.code != METHOD_NOT_FOUND or "tools" in session.capabilities:
            raise
        return [], {}, {}
    plain = tool_names(tools)
    tiers: dict[str, str] = {}
    opt_in: dict[str, Mapping[str, Any]] = {}

    async def list_again(params: Mapping[str, Any], by: Mapping[str, Any]) -> tuple[set[str], set[str]]:
        """The names that another list has, and those that no list had before."""
        more = await session.list_all("tools/list", "tools", params)
        listed = tool_names(more)
        added = listed - tool_names(tools)
        tools.extend(tool for tool in more if _name(tool) in added or (_name(tool) is None and tool not in tools))
        opt_in.update({name: dict(by) for name in added})
        return listed, added

    if call_first:
        await make_first_calls(session, call_first)
        # Hosts have this list when the model calls a tool: it replaces the first one, whose definitions may be others.
        tools = await session.list_all("tools/list", "tools")
        by = {"callFirst": [name for name, _ in call_first]}
        opt_in.update({name: dict(by) for name in tool_names(tools) - plain})
        plain = tool_names(tools)
    for params in list_params:
        listed, added = await list_again(params, params)
        tier = "advanced" if params.get("advanced") is True else params.get("tier")
        if isinstance(tier, str):
            # A list that narrows the plain one is filtered; one that repeats it completely ignores the parameter.
            narrowed = listed - tiers.keys() if listed < plain else set()
            tiers |= dict.fromkeys(added or narrowed, tier)
    return tools, tiers, opt_in


async def make_first_calls(session: Session, calls: FirstCalls) -> None:
    """Make the calls that switch tools on, in their order.

    Raises:
        ProtocolError: a call gives an error.
        UnreachableError: a call gets no response.
    """
    for name, arguments in calls:
        try:
            result = await session.call_tool(name, arguments)
        except RpcError as error:
            said = error.text
        else:
            if result.get("isError") is not True and result.get("resultType") != "input_required":
                continue
            content = result.get("content")
            blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
            said = next((block["text"] for block in blocks if isinstance(block.get("text"), str)), "")
        raise session.explained(
            ProtocolError(
                f"the call of {one_line(name, 60)} in call-first failed{f': {one_line(said, 120)}' if said else '.'}",
                "Check its name and its arguments in the configuration.",
            )
        )


def _name(tool: Any) -> str | None:
    name = tool.get("name") if isinstance(tool, dict) else None
    return name if isinstance(name, str) else None


def tool_names(tools: Sequence[Any]) -> set[str]:
    """The names in a list of tools as a server sent it; what has no usable name is left out."""
    return {name for name in map(_name, tools) if name is not None}


async def _read(
    endpoint: Endpoint,
    limits: Limits,
    era: Era | None,
    list_params: Sequence[Mapping[str, Any]] = (),
    call_first: FirstCalls = (),
) -> Recording:
    async with connect(endpoint, limits=limits, era=era) as session:
        return await read_recording(session, list_params=list_params, call_first=call_first)


def read(
    endpoint: Endpoint,
    *,
    limits: Limits = DEFAULT_LIMITS,
    era: Era | None = None,
    list_params: Sequence[Mapping[str, Any]] = (),
    call_first: FirstCalls = (),
) -> Recording:
    """Connect, read and close, from synchronous code; see :func:`connect` for errors."""
    from mcp_governor.wire.duplex import run

    return run(_read, endpoint, limits, era, list_params, call_first)


def read_both(*asked: tuple[Endpoint, Limits, Sequence[Mapping[str, Any]], FirstCalls]) -> list[Recording]:
    """:func:`read` for servers that start at the same time: to install a package takes most of a comparison.

    Raises:
        ServerError: that of the first server, in this order, that cannot be read.
    """
    from mcp_governor.wire.duplex import run

    answers: dict[int, Recording | GovernorError] = {}

    async def one(at: int, endpoint: Endpoint, limits: Limits, lists: Any, calls: FirstCalls) -> None:
        try:
            answers[at] = await _read(endpoint, limits, None, lists, calls)
        except GovernorError as error:
            answers[at] = error

    async def every() -> None:
        async with anyio.create_task_group() as group:
            for at, each in enumerate(asked):
                group.start_soon(one, at, *each)

    run(every)
    found = []
    for at in range(len(asked)):
        answer = answers[at]
        if isinstance(answer, GovernorError):
            raise answer
        found.append(answer)
    return found


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
