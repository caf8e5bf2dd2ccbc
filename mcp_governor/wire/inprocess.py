"""Run a server object in this process, over streams in memory.

The object runs as it would behind stdio, with the SDK that it was written for. We replace only the client side, so its
messages are the same as over a real transport.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import inspect
import sys
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

import anyio

from mcp_governor.errors import MissingDependencyError, ProtocolError, TargetError, UnreachableError
from mcp_governor.parsing import exceeds_depth
from mcp_governor.text import one_line
from mcp_governor.wire.duplex import Duplex, background, quiet
from mcp_governor.wire.hosted import is_server, lifespan_of, low_level
from mcp_governor.wire.transport import ConnectionLostError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from mcp_governor.wire.limits import Limits
    from mcp_governor.wire.rpc import Message
    from mcp_governor.wire.transport import Inbox


@asynccontextmanager
async def open_object(target: object, shown: str, limits: Limits, inbox: Inbox) -> AsyncIterator[Duplex]:
    """Run a server object and connect to it; it is ended with the block.

    Args:
        target: the object, or a function that makes it.
        shown: its name for messages.
        limits: limits for all messages.
        inbox: receives messages that are not responses.

    Raises:
        MissingDependencyError: the SDK is not installed.
        TargetError: the object cannot be made, or is not a server.
        UnreachableError: the server fails at its start.
    """
    parse, wrap = _sdk()
    server = await _made(target, shown)
    low = low_level(server)
    if low is None:
        raise TargetError(
            f"{shown} is not an MCP server but {one_line(type(server).__name__, 60)}.",
            "Name a FastMCP server, an MCPServer, a low-level Server, or a function that returns one.",
        )
    async with AsyncExitStack() as stack:
        # SDK 1.x writes a line to stderr for each request.
        stack.enter_context(quiet("mcp"))
        lifespan = lifespan_of(server)
        if lifespan is not None:
            try:
                await stack.enter_async_context(lifespan)
            except Exception as error:  # noqa: BLE001  (code of the governed server)
                raise _failed("its lifespan fails", error) from None
        yield await stack.enter_async_context(_running(low, parse, wrap, limits, inbox))


@asynccontextmanager
async def _running(
    low: Any, parse: Callable[[Message], Any], wrap: Callable[[Any], Any], limits: Limits, inbox: Inbox
) -> AsyncIterator[Duplex]:
    to_server, server_reads = anyio.create_memory_object_stream[Any](8)
    server_writes, from_server = anyio.create_memory_object_stream[Any](8)

    async def send(message: Message) -> None:
        await to_server.send(wrap(parse(message)))

    duplex = Duplex(send, inbox, limits)
    ended = anyio.Event()

    async def serve() -> None:
        try:
            await low.run(server_reads, server_writes, low.create_initialization_options())
            duplex.fail(ConnectionLostError("it stopped serving.", "Check why its run() returns."))
        except Exception as error:  # noqa: BLE001  (code of the governed server)
            duplex.fail(_failed("it fails", _innermost(error)))
        finally:
            ended.set()

    async def receive() -> None:
        with contextlib.suppress(anyio.EndOfStream, anyio.ClosedResourceError):
            async for item in from_server:
                try:
                    message = _plain(item, limits)
                    inbox.meter.made(message)
                    await duplex.take(message)
                except ProtocolError as error:
                    duplex.fail(error)

    with to_server, server_reads, server_writes, from_server:
        async with background() as tasks:
            tasks.start_soon(serve)
            tasks.start_soon(receive)
            try:
                yield duplex
            finally:
                # At the end of its input, the server can exit by itself. Do not wait, because its clean-up may hang.
                to_server.close()
                with anyio.move_on_after(limits.close_timeout, shield=True):
                    await ended.wait()


def _plain(item: Any, limits: Limits) -> Message:
    message = getattr(item, "message", item)
    try:
        plain: Message = message.model_dump(by_alias=True, mode="json", exclude_unset=True)
    except ValueError as error:
        raise ProtocolError(
            f"it made a message that cannot be sent as JSON: {one_line(str(error), 80)}.",
            "Find the schema that nests too deeply or refers to itself.",
        ) from None
    if exceeds_depth(plain, limits.depth):
        raise ProtocolError(
            f"it sent a message nested deeper than {limits.depth} levels.", "Flatten the schema that nests this deeply."
        )
    return plain


def _sdk() -> tuple[Callable[[Message], Any], Callable[[Any], Any]]:
    """Functions of the installed SDK that parse a message, and that wrap one for a stream."""
    try:
        shared = importlib.import_module("mcp.shared.message")
    except ImportError:
        from mcp_governor.installation import install_extra

        raise MissingDependencyError(
            "The MCP SDK is not installed, and a server object runs on it.",
            install_extra("inprocess"),
        ) from None
    try:
        parse = importlib.import_module("mcp_types").jsonrpc_message_adapter.validate_python
    except ImportError:  # SDK 1.x
        parse = importlib.import_module("mcp.types").JSONRPCMessage.model_validate
    return parse, shared.SessionMessage


def knows_discover() -> bool:
    """True if the installed SDK supports 2026-07-28; older ones (1.x) log a traceback for its probe."""
    return importlib.util.find_spec("mcp_types") is not None


async def _made(target: object, shown: str) -> Any:
    """A server object; a function without parameters is called to get it.

    Raises:
        TargetError: the function fails.
    """
    found: Any = target
    if is_server(found) or not callable(found):
        return found
    try:
        with contextlib.redirect_stdout(sys.stderr):
            made = found()
            return await made if inspect.isawaitable(made) else made
    except (Exception, SystemExit) as error:  # noqa: BLE001  (code of the governed server)
        raise TargetError(
            f"{shown} cannot be called to make a server: {_described(error)}.",
            "Name a server object, or a function without parameters that returns one.",
        ) from None


def _failed(what: str, error: BaseException) -> UnreachableError:
    return UnreachableError(f"{what}: {_described(error)}.", "Start it by hand to see why.")


def _described(error: BaseException) -> str:
    text = one_line(str(error), 120)
    return f"{type(error).__name__}: {text}".rstrip(".") if text else type(error).__name__


def _innermost(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
