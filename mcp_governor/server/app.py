"""The server object: tools, resources and a prompt. What they do runs in other processes, each within a limit."""

from __future__ import annotations

import functools
import json
import logging
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from mcp_governor.charter import add_tool
from mcp_governor.charter.v1_2 import ToolResponse
from mcp_governor.parsing import exceeds_depth
from mcp_governor.server.pool import BusyError, CrashError, Jobs, Pool, SpentError
from mcp_governor.server.quoting import NOTE
from mcp_governor.server.resources import add_resources, check_prompt
from mcp_governor.server.service import Kind, Service
from mcp_governor.server.tools import TOOLS, strict
from mcp_governor.surface.deprecations import META_PREFIX
from mcp_governor.surface.file import MAX_DEPTH

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from mcp.server.mcpserver import MCPServer

    from mcp_governor.server.project import Project
    from mcp_governor.server.tools import Tool

SCHEMA_VERSION = "0.5.0"
"""Version of our own MCP surface, which is independent of the package's version."""

VERSION_KEY = f"{META_PREFIX}schema_version"
"""The key of ``_meta`` in which each response says the version (surface governance). The envelope has no room for it:
the charter defines its eight keys."""

_SPENT = {
    "seconds": "The call took longer than the {seconds:g} seconds that it may take",
    "memory": "The call needed more memory than it may use",
    "result": "The result is larger than an answer may be",
}


class RefusedError(Exception):
    """A call that never reaches its tool; ``str()`` is what the client gets."""


def refusal(tool: str, error: ValidationError) -> str:
    """The error for arguments that the input schema refuses. It names the argument and does not quote the validator.

    Such a call never reaches the tool, so no envelope answers it (structured recovery, "MCP dispatch").
    """
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = next(iter(first["loc"]), "arguments")
    wrong = "is missing" if first["type"] == "missing" else "does not fit"
    return f"{tool} refuses the call: {where} {wrong}; see its input schema."


def build_server(pool: Pool | None = None, project: Project | None = None) -> MCPServer[Any]:
    """The server, ready to run.

    Args:
        pool: does the work; a pool of its own by default, which ends with the session (or with the process).
        project: whose servers can be checked, and whose files can be read; none by default.

    Raises:
        MissingDependencyError: the SDK is not installed.
    """
    try:
        from mcp.server.mcpserver import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
    except ImportError:
        from mcp_governor.errors import MissingDependencyError
        from mcp_governor.installation import install_extra

        raise MissingDependencyError(
            "serve needs the MCP SDK, which is not installed.", install_extra("serve")
        ) from None

    from mcp_governor.server.skill import SkillExtension

    class EnvelopeServer(MCPServer[Any]):
        """Publishes strict schemas, reports errors of calls with our own messages, turns crashes into envelopes."""

        async def list_tools(self) -> list[Any]:
            tools = await super().list_tools()
            sides = ("input_schema", "output_schema")
            return [tool.model_copy(update={side: strict(getattr(tool, side)) for side in sides}) for tool in tools]

        async def get_prompt(self, name: str, arguments: dict[str, Any] | None = None, context: Any = None) -> Any:
            check_prompt(name, arguments or {})
            return await super().get_prompt(name, arguments, context)

        async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
            if unknown := _named(name).unknown(arguments):
                return _refused(unknown)
            try:
                return await super().call_tool(name, arguments, context)
            except UnexpectedToolError as error:
                if isinstance(error.__cause__, RefusedError):
                    return _refused(str(error.__cause__))
                logging.getLogger(__name__).exception("tool %s failed", name)
                return _failed()
            except ToolError as error:
                if isinstance(error.__cause__, ValidationError):
                    return _refused(refusal(name, error.__cause__))
                raise

    calls = pool or Pool(project)
    jobs = Jobs()
    service = Service(project, calls, jobs)

    @asynccontextmanager
    async def session(_: Any) -> AsyncIterator[dict[str, Any]]:
        try:
            yield {}
        finally:
            calls.close()
            jobs.close()

    server = EnvelopeServer(
        "mcp-governor",
        version=SCHEMA_VERSION,
        instructions="Governs the MCP servers of one project: checks them against their last release, explains "
        "findings, drafts the schema changelog, and judges descriptions and responses. Start with check_server. "
        "Servers, files and addresses that the project's configuration does not name are out of reach.",
        lifespan=session,
        extensions=[SkillExtension()],
        # What we publish does not change while we run, so there is nothing to subscribe to.
        subscriptions=False,
        # A line of log for each request, and a client that does not read our stderr, would stop us in the end.
        log_level="WARNING",
    )
    for tool in TOOLS.values():
        add_tool(server, _carried(tool, calls, service), tool.metadata)
    add_resources(server, service)
    return server


def _named(name: str) -> Tool:
    """The tool of a name; the protocol asks for an error where there is none, and the SDK would send a result."""
    from mcp.shared.exceptions import MCPError
    from mcp_types import INVALID_PARAMS

    if name not in TOOLS:
        raise MCPError(INVALID_PARAMS, "There is no tool of that name; tools/list has them.")
    return TOOLS[name]


def _carried(tool: Tool, calls: Pool, service: Service) -> Callable[..., Any]:
    """A function that looks like the tool's to the SDK, and has another process do the work."""
    name = tool.metadata.name
    work = tool.work if tool.in_worker else getattr(service, name)

    @functools.wraps(work)
    async def call(**arguments: Any) -> Any:
        given = _encoded(tool, arguments)
        try:
            if not tool.in_worker:
                return _result((await work(**arguments)).to_wire(), note=NOTE)
            return _result(await calls.call(name, given, tool.seconds), note=NOTE if tool.repeats else "")
        except BusyError:
            raise RefusedError(
                f"{name} was not run: too many calls are pending; wait for a response, then call again."
            ) from None
        except SpentError as error:
            return _spent(tool, error.what)
        except (CrashError, ValidationError) as error:
            # Arguments were validated before; what does not fit here is our own answer.
            logging.getLogger(__name__).error("tool %s failed: %s", name, error)
            return _failed()

    return call


def _encoded(tool: Tool, arguments: dict[str, Any]) -> bytes:
    """The arguments as JSON.

    They are checked again because the SDK reads JSON out of strings where a list is expected, and because a server
    over HTTP, or in a process of its own, has none of our checks in front of it.

    Raises:
        RefusedError: they are too large, too deep, or not to be written as JSON.
    """
    refuses = f"{tool.metadata.name} refuses the call:"
    try:
        if exceeds_depth(arguments, MAX_DEPTH):
            raise RecursionError
        given = json.dumps(arguments, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except RecursionError:
        raise RefusedError(f"{refuses} its arguments nest deeper than {MAX_DEPTH} levels.") from None
    except UnicodeEncodeError:
        raise RefusedError(f"{refuses} a string contains an unpaired surrogate.") from None
    except ValueError:
        raise RefusedError(f"{refuses} a number is not finite, or has too many digits.") from None
    most = tool.argument_bytes
    if len(given) > most:
        why = f"its arguments take {len(given):,} bytes, and {most:,} are allowed; send less at a time."
        raise RefusedError(f"{refuses} {why}")
    return given


def _result(envelope: dict[str, Any], *, note: str = "") -> Any:
    """The SDK's result for an envelope; it is validated there, against the tool's output schema.

    The note is a block of text of its own: the envelope has no room for it, and the first block mirrors it.
    """
    text = json.dumps(envelope, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _sent(*filter(None, (text, note)), structuredContent=envelope, isError=False)


def _refused(why: str) -> Any:
    """The result of a call that never reached its tool: text alone (structured recovery, "MCP dispatch")."""
    return _sent(why, isError=True)


def _sent(*blocks: str, **fields: Any) -> Any:
    from mcp_types import CallToolResult

    content = [{"type": "text", "text": text} for text in blocks]
    return CallToolResult.model_validate({"content": content, "_meta": {VERSION_KEY: SCHEMA_VERSION}, **fields})


def _failed(kind: Kind = "internal_error", message: str = "The call failed inside the server.") -> Any:
    recovery: dict[str, Any] = {"suggested_tool": "list_rules", "suggested_args": {}}
    return _result(ToolResponse[None, Kind].fail(kind, message, **recovery).to_wire())


def _spent(tool: Tool, what: str) -> Any:
    why = _SPENT[what].format(seconds=tool.seconds)
    advice = "make the arguments smaller" if tool.in_worker else "check it at a terminal"
    return _failed("cost_cap_exceeded", f"{why}; {advice}.")
