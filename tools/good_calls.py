"""Number of tools of real servers that answer a good call: ``python tools/good_calls.py [NAME…]``.

Each server runs in a separate environment and in an empty folder. Every tool is called, including those that write and
destroy: never add a server here that accesses anything outside its folder. "before" takes arguments from the schemas
alone, "after" from all sources of ``mcp-governor call``. The servers come from the registries, which is slow the first
time.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import anyio

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from mcp_governor.call.cases import CallSettings  # noqa: E402
from mcp_governor.call.outcome import first_words, read_response  # noqa: E402
from mcp_governor.call.plan import plan_calls  # noqa: E402
from mcp_governor.call.run import run_calls  # noqa: E402
from mcp_governor.call.sandbox import Sandbox  # noqa: E402
from mcp_governor.errors import GovernorError  # noqa: E402
from mcp_governor.surface import build_surface  # noqa: E402
from mcp_governor.text import one_line  # noqa: E402
from mcp_governor.wire import StdioEndpoint, connect  # noqa: E402
from mcp_governor.wire.recording import read_recording  # noqa: E402

if TYPE_CHECKING:
    from mcp_governor.call.cases import CallReport

UV = "uv tool run --quiet --from"
SERVERS = {
    "time": f"{UV} mcp-server-time mcp-server-time",
    "git": f"{UV} mcp-server-git mcp-server-git",
    "fetch": f"{UV} mcp-server-fetch mcp-server-fetch",
    "excel": f"{UV} excel-mcp-server excel-mcp-server stdio",
    "everything": "npx -y @modelcontextprotocol/server-everything stdio",
    "filesystem": "npx -y @modelcontextprotocol/server-filesystem {folder}",
    "memory": "npx -y @modelcontextprotocol/server-memory",
    "sequential-thinking": "npx -y @modelcontextprotocol/server-sequential-thinking",
    "word": f"{UV} office-word-mcp-server word_mcp_server",
    "powerpoint": "uv tool run --quiet --with mcp<2 --from office-powerpoint-mcp-server ppt_mcp_server",
    "neo4j-data-modeling": f"{UV} mcp-neo4j-data-modeling mcp-neo4j-data-modeling",
    "codetree": f"{UV} mcp-server-codetree codetree --root {{folder}}",
}
"""Commands by name; ``{folder}`` is the empty folder in which the server runs."""


def measure(command: str, *, supplied: bool, timeout: float) -> CallReport:
    """Call every tool of a server once, good calls only."""
    with tempfile.TemporaryDirectory(prefix="good-calls-") as folder:
        # Installed programs are found where pip puts them, whatever PATH contains.
        words = command.format(folder=folder).split()
        installed = Path(sys.executable).parent / words[0]
        words[0] = str(installed) if installed.exists() else words[0]
        memory = {"MEMORY_FILE_PATH": f"{folder}/memory.json"}
        endpoint = StdioEndpoint(tuple(words), cwd=folder, env=memory)

        async def main() -> CallReport:
            async with connect(endpoint) as session:
                surface = build_surface((await read_recording(session)).raw)
                settings = CallSettings(
                    allow_writes=True,
                    destructive=frozenset(surface.by_name),
                    unhappy=False,
                    timeout=timeout,
                    budget=240,
                )
                with Sandbox(Path(folder)) as sandbox:
                    plan = plan_calls(surface, settings=settings, sandbox=sandbox if supplied else None)
                    return await run_calls(
                        session, surface, plan, settings=settings, reconnect=lambda: connect(endpoint)
                    )

        return anyio.run(main)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(SERVERS)}; default is all")
    parser.add_argument("--timeout", type=float, default=15.0, help="seconds for one call")
    parser.add_argument("--failures", action="store_true", help="say what fails, and how")
    chosen = parser.parse_args()
    print("| server | before | after | good calls that succeed |")
    print("| --- | --- | --- | --- |")
    for name in chosen.names or SERVERS:
        try:
            before, after = (
                measure(SERVERS[name], supplied=supplied, timeout=chosen.timeout) for supplied in (False, True)
            )
        except GovernorError as error:
            print(f"| {name} | – | – | not measured: {one_line(error.message)} |")
            continue
        was, now = before.good_calls, after.good_calls
        print(
            f"| {name} | {was.tools - len(was.without)} of {was.tools} | {now.tools - len(now.without)} of {now.tools} "
            f"| {was.succeeded} of {was.succeeded + was.failed} → {now.succeeded} of {now.succeeded + now.failed} |",
            flush=True,
        )
        if chosen.failures:
            for result in after.results:
                if result.case.good and result.outcome.failed:
                    sent = one_line(json.dumps(dict(result.case.portable_arguments)), 200)
                    words = first_words(read_response(result.response)) or result.outcome.status
                    print(f"    {result.case.tool} #{result.case.attempt} {sent} {words}")


if __name__ == "__main__":
    main()
