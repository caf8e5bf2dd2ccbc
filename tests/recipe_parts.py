"""What the recipes of ARCHITECTURE.md write, file by file."""

from __future__ import annotations

from typing import NamedTuple


class Line(NamedTuple):
    """A line for a table: it goes after the first line that ends like this."""

    after: str
    text: str


RULE = """
id = "{id}"
summary = "No zzyzx in prose."
why = "Nobody knows what it means."
source = "House rules, 1."
severity = "warning"
since = "0.1.0"
on = "prose"
{how}
message = "The text at {{path}} says zzyzx."
fix = "Say what it is."

[[pass]]
tool = '{{"name": "a", "description": "Adds.", "inputSchema": {{"type": "object"}}}}'

[[fail]]
at = ["/description"]
tool = '{{"name": "a", "description": "A zzyzx.", "inputSchema": {{"type": "object"}}}}'
"""

CHECK = '''
"""A check of made-up words."""

from mcp_governor.subjects.context import hit


def zzyzx(text, _context):
    """No text says zzyzx."""
    if "zzyzx" in text.value:
        yield hit(text.pointer, text.value)
'''

SURFACE_KIND = """
    patch(
        "recipe-size-changed",
        "Answers have another size.",
        {"sizeHint": 1},
        {"sizeHint": 2},
        "{what} <is new: {new}|is gone, was {old}|changed from {old} to {new}|changed>",
        "{tool} [gives|give] answers of another size.",
    ),
"""

NOTE_KINDS = """
NOTE_KINDS = (
    *NOTE_KINDS,
    *(
        kind
        for step, back, old, new in (
            ("added", "removed", {}, {"x-unit": "km"}),
            ("removed", "added", {"x-unit": "km"}, {}),
            ("changed", "changed", {"x-unit": "m"}, {"x-unit": "km"}),
        )
        for kind in both_sides(
            f"recipe-unit-{step}",
            f"output-recipe-unit-{step}",
            ("Callers send the number in another unit.", "Clients read the number in another unit."),
            (_BREAKING, _BREAKING),
            value({"type": "number", **old}, {"type": "number", **new}),
            reverse=f"recipe-unit-{back}",
            messages=(KEYWORD, KEYWORD),
            entries=(
                "{tool} [takes|take] {field} in another unit.",
                "{tool} [gives|give] {field} in another unit.",
            ),
            event={"added": Event.EXTENDED}.get(step, Event.CHANGED),
        )
    ),
)
"""

FORMAT = '''
"""A report in one line."""


def render(report):
    """The verdict, and the rules that found something."""
    return f"{report.verdict}: {', '.join(sorted({found.rule for found in report.findings}))}\\n"
'''

TRANSPORT = '''
"""MCP over a plain TCP connection, one message a line."""

import json
from contextlib import asynccontextmanager

from msgspec import Struct

from mcp_governor.errors import UnreachableError
from mcp_governor.wire.transport import ConnectionLostError


class TcpEndpoint(Struct, frozen=True):
    """A server behind a port.

    Attributes:
        host, port: where it listens.
    """

    host: str
    port: int
    runs_code = False
    only_era = None

    @property
    def shown(self):
        """Host and port."""
        return f"{self.host}:{self.port}"

    @asynccontextmanager
    async def open(self, limits, inbox):
        """Connect."""
        import anyio
        from anyio.streams.buffered import BufferedByteReceiveStream

        from mcp_governor.wire.duplex import Duplex, background

        try:
            stream = await anyio.connect_tcp(self.host, self.port)
        except OSError:
            raise UnreachableError("nothing listens there.", "Start the server.") from None

        async def send(message):
            await stream.send(json.dumps(message).encode() + b"\\n")

        duplex = Duplex(send, inbox)

        async def receive():
            lines = BufferedByteReceiveStream(stream)
            try:
                while True:
                    await duplex.feed(await lines.receive_until(b"\\n", limits.message_bytes))
            except (anyio.IncompleteRead, anyio.DelimiterNotFound, anyio.BrokenResourceError):
                duplex.fail(ConnectionLostError("it closed the connection.", "See why."))

        async with stream, background() as tasks:
            tasks.start_soon(receive)
            yield duplex
'''

TARGET_FORM = """
def _tcp(text, rest, config, base):
    from mcp_governor.wire.tcp import TcpEndpoint

    host, _, port = rest.rpartition(":")
    return LiveSource(shown=visible(text), endpoint=TcpEndpoint(host, int(port)), timeout=config.timeout)


"""

COMMAND = '''
"""``mcp-governor hello``."""

import click

from mcp_governor.cli.common import configured, target_argument, write_text, TargetCommand


@click.command(cls=TargetCommand)
@target_argument
@configured("output")
def hello(run, target):
    """Greet a server."""
    write_text(f"Hello {run.source(target).shown}\\n", run.output)
'''

PROFILE = """

[recipe-calm]
summary = "For calm servers."
select = ["lint/*", "spec/*", "recipe/*"]
"""

RECIPES: dict[str, dict[str, list[str | Line]]] = {
    "rule": {
        "rules/hygiene/recipe-words.toml": [RULE.format(id="hygiene/recipe-words", how='forbid = "zzyzx"')],
    },
    "rule in a new pack": {
        "rules/recipe/words.toml": [RULE.format(id="recipe/words", how='forbid = "zzyzx"')],
        "rules/packs.toml": ['recipe = "Made-up words"\n'],
    },
    "rule with a check in Python": {
        "rules/clarity/recipe-check.toml": [
            RULE.format(id="clarity/recipe-check", how='check = "clarity.recipe.zzyzx"')
        ],
        "mcp_governor/packs/clarity/recipe.py": [CHECK],
    },
    "profile": {"rules/profiles.toml": [PROFILE]},
    "change kind": {
        "mcp_governor/change/surface_kinds.py": [Line("_TOOLS = [", SURFACE_KIND)],
        "mcp_governor/change/tools.py": [
            Line(
                "    wordings = (",
                '        ("recipe-size-changed", "/sizeHint", _given(old.raw.get("sizeHint")), '
                '_given(new.raw.get("sizeHint"))),\n',
            )
        ],
    },
    "change kind of an annotation": {
        "mcp_governor/change/note_kinds.py": [
            Line("NOTE_FAMILIES: Mapping[str, str] = {", '    "x-unit": "recipe-unit",\n'),
            NOTE_KINDS,
        ],
    },
    "output format": {
        "mcp_governor/report/recipe.py": [FORMAT],
        "mcp_governor/report/__init__.py": [Line("FORMATS = {", '    "recipe": "mcp_governor.report.recipe",\n')],
        "tests/report/test_hostile_words.py": [Line("JUDGES = {", '    "recipe": judge_text,\n')],
        "docs/reports.md": [Line("| --- | --- | --- |", "| `recipe` | this test | a verdict |\n")],
    },
    "transport": {
        "mcp_governor/wire/tcp.py": [TRANSPORT],
        "mcp_governor/target/forms.py": [
            Line("FORMS = (", '    Form("remote", "tcp:HOST:PORT", "`tcp:HOST:PORT`", "a server behind a port"),\n'),
            Line("_SCHEMES = {", '    "tcp": lambda *given: _tcp(*given),\n'),
            TARGET_FORM,
        ],
    },
    "command": {
        "mcp_governor/cli/hello_command.py": [COMMAND],
        "mcp_governor/cli/__init__.py": [Line("COMMANDS = {", '    "hello": ("hello", "Greet a server."),\n')],
    },
    "key of the configuration": {
        "mcp_governor/config/model.py": [
            Line("        accept: Accepted findings.", "        greeting: What hello says.\n"),
            Line("    accept: tuple[AcceptConfig, ...] = ()", '    greeting: NonEmpty = ""\n'),
        ],
    },
}
"""Recipe → file → what is written there: lines for tables, and text for the end of the file."""
