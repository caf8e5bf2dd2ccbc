"""The file of figures with which budgets are compared, ``mcp-load.json``: written by a probe, reviewed in git.

What only depends on the server is kept apart from what was timed. Of times there is only the ratio to a server that
does nothing: milliseconds of one machine say nothing about another.
"""

from __future__ import annotations

import json
from collections.abc import Mapping  # noqa: TC003 - msgspec reads the types
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta, Struct, field

from mcp_governor.documents import Count, Wrong, read
from mcp_governor.errors import FileFormatError
from mcp_governor.files import MAX_BYTES, read_bytes
from mcp_governor.load.probe import is_remote
from mcp_governor.parsing import exceeds_depth, read_json
from mcp_governor.text import escape_json, one_line, visible

if TYPE_CHECKING:
    from pathlib import Path

    from mcp_governor.load.probe import Probe
    from mcp_governor.target import LiveSource

_STEADY = 1.25
"""Factor within which a new time leaves the recorded one as it is, so that a record does not change with every run."""

_MAX_DEPTH = 8
"""Deepest nesting of a record, in containers: ours has three."""


class RecordedList(Struct, frozen=True):
    """What depends on the server alone.

    Attributes:
        bytes: Bytes of the result of tools/list, as compact JSON.
        tokens: Tokens of all tools, estimated.
        tools: Tokens by tool.
    """

    bytes: Count
    tokens: Count
    tools: Mapping[str, Count]


class RecordedTime(Struct, frozen=True):
    """What was timed.

    Attributes:
        over: Transport and era: stdio modern.
        ratio: Time of a list, as a multiple of a server that only answers.
    """

    over: str
    ratio: Annotated[float, Meta(gt=0)]


class LoadRecord(Struct, frozen=True, omit_defaults=True, tag_field="format", tag="mcp-governor/load-1"):
    """Figures of an earlier run."""

    listed: RecordedList = field(name="list")
    time: RecordedTime | None = None

    def text(self) -> str:
        """The file."""
        return escape_json(json.dumps(msgspec.to_builtins(self), indent=2, ensure_ascii=False)) + "\n"


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
    tools = {size.name: size.tokens for size in sizes.tools}
    listed = RecordedList(sizes.bytes, sizes.tokens, dict(sorted(tools.items())))
    if stick is None or is_remote(source):
        return LoadRecord(listed)
    time = RecordedTime(over_of(probe), float(f"{stick.ratio:.2g}"))
    known = before.time if before is not None else None
    if known is not None and known.over == time.over and known.ratio / _STEADY <= time.ratio <= known.ratio * _STEADY:
        time = known
    return LoadRecord(listed, time)


def load_record(path: Path, *, shown: str) -> LoadRecord | None:
    """Read a record; ``None`` if there is no such file.

    Raises:
        FileFormatError: it cannot be read, or is not a record.
    """
    hint = "Write it again: mcp-governor load probe --record"
    try:
        document = read_json(read_bytes(path, limit=MAX_BYTES))
        if exceeds_depth(document, _MAX_DEPTH):
            raise ValueError("it is nested too deep")
        record = read(LoadRecord, document)
        if isinstance(record, Wrong):
            raise ValueError(record.problem)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FileFormatError(f"{visible(shown)} cannot be read: {error.strerror}.", hint) from None
    except (ValueError, RecursionError) as error:
        reason = one_line(str(error), 160)
        raise FileFormatError(f"{visible(shown)} is not a record of load probe: {reason}.", hint) from None
    return record
