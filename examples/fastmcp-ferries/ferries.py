"""Ferries between three islands: a FastMCP server whose responses follow the MCP Charter."""

from difflib import get_close_matches
from typing import Annotated, Any

from fastmcp import FastMCP
from fastmcp.exceptions import ToolError, ValidationError
from fastmcp.server.middleware import Middleware
from pydantic import BaseModel, Field

from mcp_governor.charter import CostHint, ToolMetadata, ToolResponse, add_tool

TIMETABLE = {
    ("Ardmore", "Brae"): ["07:10", "12:40", "18:05"],
    ("Brae", "Ardmore"): ["08:00", "13:30", "19:00"],
    ("Brae", "Corran"): ["09:15", "16:45"],
    ("Corran", "Brae"): ["10:20", "17:50"],
}
PORTS = sorted({port for line in TIMETABLE for port in line})
PortName = Annotated[str, Field(description="A port as list_ports returns it, for example Brae")]
Clock = Annotated[str, Field(description="Time of day as HH:MM, for example 12:40", pattern=r"^\d\d:\d\d$")]


class Port(BaseModel):
    name: str
    destinations: list[str]


class Departure(BaseModel):
    origin: str
    destination: str
    time: str


Departures = ToolResponse[list[Departure]]


class Polite(Middleware):
    """Refuses wrong arguments in one sentence, and does not offer `logging`, which MCP 2026-07-28 deprecates."""

    async def on_call_tool(self, context: Any, call_next: Any) -> Any:
        try:
            return await call_next(context)
        except ValidationError as error:
            cause: Any = error.__cause__
            wrong = cause.errors()[0]["loc"][0]
            raise ToolError(f"{context.message.name}: {wrong} does not fit the input schema.") from None

    async def on_discover(self, context: Any, call_next: Any) -> Any:
        found = await call_next(context)
        return found.model_copy(update={"capabilities": found.capabilities.model_copy(update={"logging": None})})


def list_ports() -> ToolResponse[list[Port]]:
    """Use this when a port is unknown or misspelled. Returns all ports and where their ferries go. Don't use when both
    ports are known. Common composition: `list_ports`, then `find_departures`."""
    ports = [Port(name=port, destinations=[end for start, end in TIMETABLE if start == port]) for port in PORTS]
    return ToolResponse[list[Port]].success(ports, follow_up_hints=["find_departures"])


def find_departures(origin: PortName, destination: PortName, after: Clock = "00:00") -> Departures:
    """Use this when somebody wants to travel between two ports. Returns the departures of a day in order. Use
    `list_ports` instead when a port is unknown. Common composition: `list_ports`, then `find_departures`."""
    for port in (origin, destination):
        if port not in PORTS:
            recovery = {"fuzzy_matches": get_close_matches(port, PORTS) or PORTS, "suggested_tool": "list_ports"}
            return Departures.fail("unknown_name", f"There is no port {port!r}.", **recovery)
    times = [time for time in TIMETABLE.get((origin, destination), []) if time >= after]
    found = [Departure(origin=origin, destination=destination, time=time) for time in times]
    return Departures.success(found) if found else Departures.empty([], follow_up_hints=["list_ports"])


def next_ferry(origin: PortName, destination: PortName) -> Departures:
    """Use this when only the first ferry of a day is asked for. Don't use when a later one would do. Deprecated: use
    `find_departures` instead."""
    found = find_departures(origin, destination)
    return found.model_copy(update={"data": found.data and found.data[:1]})


def publish(function: Any, tokens: int) -> None:
    """Add a tool with the metadata that the charter asks for."""
    metadata = ToolMetadata(
        name=function.__name__,
        description=" ".join(function.__doc__.split()),
        cost_hint=CostHint(tokens_estimate=tokens),
        latency_hint="fast",
        idempotent=True,
        side_effects="read",
    )
    add_tool(mcp, function, metadata)


mcp = FastMCP("ferries", version="1.2.0", middleware=[Polite()])
publish(list_ports, tokens=120)
publish(find_departures, tokens=110)
publish(next_ferry, tokens=80)

if __name__ == "__main__":
    mcp.run(show_banner=False)
