"""Read everything that a server publishes, unchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio
from msgspec import Struct, field

from mcp_governor.errors import GovernorError, ProtocolError, UnreachableError
from mcp_governor.secrets import redact_json
from mcp_governor.surface.skills import declares_skills
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
        with session.within(seconds):
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
        from mcp_governor.wire.skills import read_skills

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
    from mcp_governor.wire.loop import run

    return run(_read, endpoint, limits, era, list_params, call_first)


def read_both(*asked: tuple[Endpoint, Limits, Sequence[Mapping[str, Any]], FirstCalls]) -> list[Recording]:
    """:func:`read` for servers that start at the same time: to install a package takes most of a comparison.

    Raises:
        ServerError: that of the first server, in this order, that cannot be read.
    """
    from mcp_governor.wire.loop import run

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
