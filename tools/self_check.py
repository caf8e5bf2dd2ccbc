"""Check our own MCP server as any other, over stdio and HTTP, in both protocol eras: ``make self-check``.

    python tools/self_check.py [RUN…]

The configuration is that of the repository: profile ``charter``, and the rules of ``SCHEMA.md`` that do not contradict
it. A run passes with no finding of any severity, nothing accepted or suppressed, no change since the recorded surface,
and a response of every tool. Exit status: 0, all four runs pass; 1, one does not, or fewer were made; 3, the server
does not start.
"""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from mcp_governor import check
from mcp_governor.config import load_config
from mcp_governor.config.servers import ServerConfig
from mcp_governor.report.json_report import render

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mcp_governor.config import Config

ROOT = Path(__file__).resolve().parent.parent
COMMAND = (sys.executable, "-m", "mcp_governor", "serve")

PROTOCOLS = {"modern": "2026-07-28", "legacy": "2025-11-25"}
RUNS = tuple(f"{transport} {era}" for transport in ("stdio", "http") for era in PROTOCOLS)

WITHOUT_SKILL = {
    *("skills-undecided", "policy/bump-too-small", "changelog/missing-entry", "changelog/fingerprint-stale"),
}
"""What a legacy run has to say, all of it: the SDK declares extensions in the modern era only, so it is unknown what
became of our skill, and the fingerprint of the changelog covers it."""

START = 60.0
"""Seconds for the server to listen: as long as ``check`` waits for the start of a server by default."""

END = 10.0
"""Seconds for the server to end by itself; a call that still runs takes one (``server.http.GRACE``)."""


def main(chosen: Sequence[str] = RUNS, command: Sequence[str] = COMMAND) -> int:
    """Make the runs, print what each found, and return the exit status.

    Args:
        chosen: of :data:`RUNS`; one that is left out is reported as not made.
        command: starts the server; ``--http HOST:PORT`` is added for HTTP.
    """
    config = load_config(start=ROOT)
    failed = suppressed(config)
    made = {}
    try:
        for run, report in reports(config, chosen, command):
            made[run] = found = complaints(report, PROTOCOLS[run.split()[1]], tools_of(config))
            counts = report["summary"]
            print(
                f"{run}: {report['server']['protocol']}, {report['calls']['seen']} of {counts['tools']} tools, "
                f"{counts['calls']} calls, {counts['rules']} rules: {len(found) or 'nothing'} to complain about"
            )
            failed += [f"{run}: {one}" for one in found]
    except NoServerError as error:
        print(error, file=sys.stderr)
        return 3
    failed += [f"{run}: not run" for run in RUNS if run not in made]
    for one in failed:
        print(one, file=sys.stderr)
    return 1 if failed else 0


class NoServerError(Exception):
    """The server does not listen; ``str()`` says what it wrote."""


def suppressed(config: Config) -> list[str]:
    """What the configuration would keep from being reported. Rules that are off have their reason there."""
    lint = config.lint
    kept = {
        "accept": config.accept,
        "lint.per-tool-ignores": lint.per_tool_ignores,
        "lint.baseline": lint.baseline,
        "lint.severity": lint.severity,
        "lint.options": lint.options,
        "lint.ignore without a reason": [one for one in lint.ignore if isinstance(one, str) or not one.reason],
    }
    return [f"the configuration sets {key}" for key, value in kept.items() if value]


def tools_of(config: Config) -> int:
    """How many tools the recorded surface has."""
    surface = json.loads(config.resolve(config.baseline).read_text(encoding="utf-8"))
    return len(surface["tools"])


def reports(config: Config, chosen: Iterable[str], command: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The JSON report of each run.

    Raises:
        NoServerError: the server does not start over HTTP.
        GovernorError: it cannot be read.
    """
    wanted = set(chosen)
    for era in PROTOCOLS:
        if f"stdio {era}" in wanted:
            yield f"stdio {era}", report_of(config, ServerConfig("stdio", command=tuple(command), era=era))
    over_http = [era for era in PROTOCOLS if f"http {era}" in wanted]
    if over_http:
        with serving(command) as url:
            for era in over_http:
                yield f"http {era}", report_of(config, ServerConfig("http", url=url, transport="http", era=era))


def report_of(config: Config, server: ServerConfig) -> dict[str, Any]:
    """The JSON report of a check of our server, reached as a server table says."""
    servers = {**config.servers, server.name: server}
    report: dict[str, Any] = json.loads(render(check(replace(config, target=server.name, servers=servers))))
    return report


def complaints(report: Mapping[str, Any], protocol: str, tools: int) -> list[str]:
    """What a report has that it must not have.

    Args:
        report: in the format ``mcp-governor/report-1``.
        protocol: the version in which the server must have been read.
        tools: how many it must have.
    """
    summary, calls = report["summary"], report["calls"]
    found = [f"{one['rule']}: {one['tool']}: {one['message']}" for one in report["findings"]]
    found += [f"{one['kind']}: {one['tool']}: {one['message']}" for one in report["changes"]]
    if protocol == PROTOCOLS["legacy"] and {line.partition(":")[0] for line in found} == WITHOUT_SKILL:
        found = []
    elif report["verdict"] != "pass":
        found.append("the verdict is not pass")
    if summary["accepted"]:
        found.append(f"{summary['accepted']} findings are accepted")
    if report["server"]["protocol"] != protocol:
        found.append(f"it was read in protocol {report['server']['protocol']}, not in {protocol}")
    if not summary["tools"] == calls["seen"] == tools:
        found.append(f"of {tools} tools {calls['seen']} were called; not called: {calls['unseen']}")
    if summary["good_calls"]["tools_without_success"]:
        found.append(f"no good call succeeded: {summary['good_calls']['tools_without_success']}")
    if report["baseline"] is None:
        found.append("it was compared with no recorded surface")
    return found


@contextlib.contextmanager
def serving(command: Sequence[str]) -> Iterator[str]:
    """The URL of the server over HTTP, which is ended with the block, whatever happens in it.

    Raises:
        NoServerError: it does not listen.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"127.0.0.1:{port}"
    process = subprocess.Popen(
        [*command, "--http", address], cwd=ROOT, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    try:
        deadline = time.monotonic() + START
        while not listens(f"http://{address}/health"):
            if process.poll() is not None or time.monotonic() > deadline:
                process.kill()
                said = process.communicate()[1]
                raise NoServerError(f"the server does not listen on {address}: {said.strip() or 'it says nothing'}")
            time.sleep(0.1)
        yield f"http://{address}/mcp"
    finally:
        process.terminate()
        try:
            process.wait(END)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stderr is not None:
            process.stderr.close()


def listens(url: str) -> bool:
    """True if a GET is answered."""
    with contextlib.suppress(urllib.error.URLError, OSError), urllib.request.urlopen(url, timeout=5) as answer:
        return bool(answer.status == 200)
    return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or RUNS))
