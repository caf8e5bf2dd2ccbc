"""The file of figures with which budgets are compared, ``mcp-load.json``: written by a probe, reviewed in git.

What only depends on the server is kept apart from what was timed. Of times there is only the ratio to a server that
does nothing: milliseconds of one machine say nothing about another.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from mcp_governor.errors import FileFormatError
from mcp_governor.files import MAX_BYTES, read_bytes
from mcp_governor.load.probe import is_remote
from mcp_governor.parsing import exceeds_depth, read_json
from mcp_governor.schemas.dialects import DIALECT_2020_12
from mcp_governor.text import escape_json, one_line, visible

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from mcp_governor.load.probe import Probe
    from mcp_governor.target import LiveSource

FORMAT = "mcp-governor/load-1"

_STEADY = 1.25
"""Factor within which a new time leaves the recorded one as it is, so that a record does not change with every run."""

_MAX_DEPTH = 8
"""Deepest nesting of a record, in containers: ours has three."""


class LoadRecord(Struct, frozen=True):
    """Figures of an earlier run.

    Attributes:
        bytes: bytes of the list.
        tokens: tokens of all tools.
        tools: name → tokens.
        over: transport and era of the time, ``stdio modern``; empty if no time was recorded.
        ratio: time of a list, as a multiple of a server that only answers; ``None`` if it was not recorded.
    """

    bytes: int
    tokens: int
    tools: Mapping[str, int] = field(default_factory=dict)
    over: str = ""
    ratio: float | None = None

    def as_json(self) -> dict[str, Any]:
        """The document."""
        out: dict[str, Any] = {
            "format": FORMAT,
            "list": {"bytes": self.bytes, "tokens": self.tokens, "tools": dict(sorted(self.tools.items()))},
        }
        if self.ratio is not None:
            out["time"] = {"over": self.over, "ratio": self.ratio}
        return out

    def text(self) -> str:
        """The file."""
        return escape_json(json.dumps(self.as_json(), indent=2, ensure_ascii=False)) + "\n"


def over_of(probe: Probe) -> str:
    """Transport and era of a probe's times."""
    return f"{probe.transport} {probe.listing.main.era}"


def record_of(probe: Probe, source: LiveSource, before: LoadRecord | None = None) -> LoadRecord:
    """The figures of a probe.

    Args:
        probe: what was measured.
        source: the server; of one on another machine no time is kept, because it would be that of the network.
        before: the record so far; its time stays if the new one hardly differs.
    """
    sizes, stick = probe.listing.payload, probe.listing.yardstick
    ratio = None if stick is None or is_remote(source) else float(f"{stick.ratio:.2g}")
    over = over_of(probe) if ratio is not None else ""
    if ratio is not None and before is not None and before.ratio is not None and before.over == over:
        ratio = before.ratio if before.ratio / _STEADY <= ratio <= before.ratio * _STEADY else ratio
    return LoadRecord(sizes.bytes, sizes.tokens, {size.name: size.tokens for size in sizes.tools}, over, ratio)


def load_record(path: Path, *, shown: str) -> LoadRecord | None:
    """Read a record; ``None`` if there is no such file.

    Raises:
        FileFormatError: it cannot be read, or is not a record.
    """
    import jsonschema_rs

    hint = "Write it again: mcp-governor load probe --record"
    try:
        document = read_json(read_bytes(path, limit=MAX_BYTES))
        if exceeds_depth(document, _MAX_DEPTH):
            raise ValueError("it is nested too deep")
        jsonschema_rs.validator_for(record_schema()).validate(document)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FileFormatError(f"{visible(shown)} cannot be read: {error.strerror}.", hint) from None
    except (ValueError, RecursionError) as error:
        reason = one_line(getattr(error, "message", str(error)), 160)
        raise FileFormatError(f"{visible(shown)} is not a record of load probe: {reason}.", hint) from None
    held, timed = document["list"], document.get("time", {})
    return LoadRecord(held["bytes"], held["tokens"], held["tools"], timed.get("over", ""), timed.get("ratio"))


def record_schema() -> dict[str, Any]:
    """The JSON Schema of the file."""
    count = {"type": "integer", "minimum": 0}
    return {
        "$schema": DIALECT_2020_12,
        "title": FORMAT,
        "type": "object",
        "required": ["format", "list"],
        "properties": {
            "format": {"const": FORMAT},
            "list": {
                "type": "object",
                "description": "What depends on the server alone.",
                "required": ["bytes", "tokens", "tools"],
                "properties": {
                    "bytes": {**count, "description": "Bytes of the result of tools/list, as compact JSON."},
                    "tokens": {**count, "description": "Tokens of all tools, estimated."},
                    "tools": {
                        "type": "object",
                        "additionalProperties": count,
                        "description": "Tokens by tool.",
                    },
                },
            },
            "time": {
                "type": "object",
                "description": "What was timed.",
                "required": ["over", "ratio"],
                "properties": {
                    "over": {"type": "string", "description": "Transport and era: stdio modern."},
                    "ratio": {
                        "type": "number",
                        "exclusiveMinimum": 0,
                        "description": "Time of a list, as a multiple of a server that only answers.",
                    },
                },
            },
        },
    }
