"""The same sweep on the distributed workers of Locust (``--engine locust``), for servers that one machine cannot load.

Locust runs in processes of its own: gevent changes the standard library of the process that it is in, and anyio
does not work there.
"""

from __future__ import annotations

import base64
import dataclasses
import ipaddress
import json
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.errors import MissingDependencyError, ServerError, UsageError
from mcp_governor.installation import install_extra
from mcp_governor.load.benches import first_response
from mcp_governor.load.model import Sample
from mcp_governor.load.recipe import DIGITS, http_job
from mcp_governor.programs import our_python
from mcp_governor.programs.child import Child
from mcp_governor.programs.environment import our_environment
from mcp_governor.programs.helper import START, Helper, HelperError
from mcp_governor.text import one_line
from mcp_governor.wire import HttpEndpoint
from mcp_governor.wire.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from mcp_governor.load.benches import FirstResponse
    from mcp_governor.load.model import Engine, SweepPlan
    from mcp_governor.load.opened import Opened
    from mcp_governor.load.recipe import HttpJob
    from mcp_governor.load.sweep import Options

HEADERS_VARIABLE, URL_VARIABLE = "MCP_LOAD_HEADERS", "MCP_LOAD_URL"
"""Variables with what must not be written down: headers as a JSON object, and an address with a query or a password."""

SCRIPTS = Path(__file__).parent / "scripts"
"""The scripts that Locust runs. The folder is not a package: gevent changes whatever process imports them."""

MARK = "SETTINGS: dict[str, Any] = {}"
"""The line of the locustfile that its settings replace."""

JOIN_SECONDS = 75.0
"""Seconds to wait for the master's first line: a quarter more than it waits for its workers itself."""

GRACE_SECONDS = 90.0
"""Seconds beyond those of a point until its sample must be there: start of its users, handshakes, and late reports."""

END_SECONDS = 5.0
"""Seconds for the processes to end by themselves, before they are killed: Locust needs one."""

MAX_WORKERS = 64
"""Most workers that one command starts: each takes 60 MB and a core."""


Announce = Callable[[str], None]
"""Gets a command that the user is to run."""


class Cluster(Struct, frozen=True):
    """Where the workers are.

    Attributes:
        workers: number of workers to wait for.
        host, port: address of the master; port 0 is a free one.
        starts_workers: start the workers on this machine; otherwise they are started by hand, wherever they run.
    """

    workers: int = 4
    host: str = "127.0.0.1"
    port: int = 0
    starts_workers: bool = True


def locustfile(job: HttpJob, timeout: float, tools: list[Any] | None = None) -> str:
    """The source of a locustfile that sends the requests of a job; it contains no secret.

    Args:
        job: what to send.
        timeout: seconds for one response.
        tools: those of the first list, with which later ones are compared; ``None`` if they are not.
    """
    settings = {
        "url": job.shown,
        **{name: getattr(job, name) for name in ("headers", "handshake", "request", "request_headers")},
        "timeout": timeout,
        "max_bytes": DEFAULT_LIMITS.message_bytes,
        "tools": tools,
    }
    source = (SCRIPTS / "locustfile.py").read_text(encoding="utf-8")
    literal = json.dumps(settings, ensure_ascii=True, indent=2)
    return source.replace(MARK, f"SETTINGS: dict[str, Any] = json.loads({_text_literal(literal)})", 1)


def _text_literal(document: str) -> str:
    """A literal of Python, readable if it can be: a JSON document has no line break within its strings."""
    if "\\" not in document and "'''" not in document:
        return f"'''\n{document}\n'''"
    return repr(document)


def check_locust() -> None:
    """Check that Locust is there, without loading it.

    Raises:
        MissingDependencyError: it is not installed next to us.
    """
    from importlib.util import find_spec

    if find_spec("locust") is None:
        raise MissingDependencyError("--engine locust needs Locust, which is not installed.", install_extra("locust"))


class LocustEngine:
    """Measures points on a cluster that lives as long as the engine."""

    name = "locust"

    def __init__(
        self,
        job: HttpJob,
        plan: SweepPlan,
        cluster: Cluster | None = None,
        announce: Announce | None = None,
        *,
        tools: list[Any] | None = None,
    ) -> None:
        """Start the master and the workers.

        Args:
            job: what to send.
            plan: the plan, for its timeout.
            cluster: where the workers are; by default four on this machine.
            announce: gets the command that starts a worker by hand.
            tools: those of the first list, with which later ones are compared; ``None`` if they are not.

        Raises:
            MissingDependencyError: Locust is not installed.
            ServerError: the cluster did not start.
        """
        self._tools = tools
        check_locust()
        self._cluster = cluster or Cluster()
        if not 1 <= self._cluster.workers <= MAX_WORKERS:
            raise UsageError(f"{self._cluster.workers:,} Locust workers are too many.", f"Use 1 to {MAX_WORKERS}.")
        self._folder = Path(tempfile.mkdtemp(prefix="mcp-governor-locust-"))
        self._master: Helper | None = None
        self._workers: list[Child] = []
        try:
            self._start(job, plan, announce)
        except BaseException:
            self.close()
            raise

    def _start(self, job: HttpJob, plan: SweepPlan, announce: Announce | None) -> None:
        file = self._folder / "locustfile.py"
        file.write_text(locustfile(job, plan.timeout, self._tools), encoding="utf-8")
        cluster = self._cluster
        port = cluster.port or _free_port(cluster.host)
        command = [str(SCRIPTS / "locust_master.py"), cluster.host, str(port), str(cluster.workers)]
        # Ctrl-C is for us alone: the cluster ends when the master's stdin does, after its last sample.
        with self._log("master") as log:
            self._master = Helper(*command, stderr=log, cwd=self._folder)
        if cluster.starts_workers:
            secrets = {HEADERS_VARIABLE: json.dumps(dict(job.secret_headers)), URL_VARIABLE: job.url}
            paced = {"MCP_LOAD_PACED": "1", **secrets}
            worker = ["-m", "locust", "-f", str(file), "--worker", "--master-host", cluster.host]
            worker += ["--master-port", str(port), "--loglevel", "ERROR"]
            for number in range(cluster.workers):
                with self._log(f"worker{number}") as log:
                    environment = our_environment(**paced)
                    self._workers.append(Child(our_python(*worker), stderr=log, env=environment, cwd=self._folder))
        elif announce is not None:
            announce(worker_command(cluster.host, port))
        there = self._answer(JOIN_SECONDS).get("ready", 0)
        if there < cluster.workers:
            raise ServerError(
                f"only {there} of {cluster.workers} Locust workers joined the master at {cluster.host}:{port}.",
                "Start them in time, or ask for fewer with --workers.",
            )

    def _log(self, name: str) -> BinaryIO:
        return (self._folder / f"{name}.log").open("wb")

    def _answer(self, seconds: float, point: dict[str, Any] | None = None) -> dict[str, Any]:
        """The next line of the master; ``point`` is sent first, if there is one."""
        assert self._master is not None
        try:
            if point is not None:
                self._master.send(point)
            answer: dict[str, Any] = self._master.hear(seconds)
        except HelperError as error:
            raise ServerError(f"the Locust master {error.what}.", self._advice()) from None
        return answer

    def _advice(self) -> str:
        """The end of what the processes wrote to stderr."""
        for log in sorted(self._folder.glob("*.log")):
            lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
            if lines:
                return f'Its log ends with: "{one_line(lines[-1], 200)}".'
        return "Try again with fewer workers."

    def measure(self, plan: SweepPlan, concurrency: int, *, seconds: float) -> Sample:
        """See :class:`~mcp_governor.load.model.Engine`.

        Raises:
            ServerError: the master ended or does not respond.
        """
        point = {
            "concurrency": concurrency,
            "total": plan.total,
            "warm_up": plan.warm_up,
            "rate": plan.rate,
            "seconds": seconds,
        }
        found = self._answer(seconds + GRACE_SECONDS, point)
        return Sample(
            found["latencies"],
            found["errors"],
            found["seconds"],
            found["stopped"],
            # Without users there are neither.
            expired_ms=found.get("expired", ()),
            retry_after_s=found.get("retry_after"),
        )

    def close(self) -> None:
        """End the master, which ends its workers; what is left then is killed."""
        end = time.monotonic() + END_SECONDS
        if self._master is not None:
            self._master.close(END_SECONDS)
        for worker in self._workers:
            worker.wait(max(0.0, end - time.monotonic()))
            worker.kill()
        shutil.rmtree(self._folder, ignore_errors=True)


def worker_command(host: str, port: int) -> str:
    """The command that starts a worker on another machine, next to the locustfile."""
    return f"MCP_LOAD_PACED=1 locust -f locustfile.py --worker --master-host {host} --master-port {port}"


def _free_port(host: str) -> int:
    import socket

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.bind((host, 0))
        port: int = probe.getsockname()[1]
        return port


LOCAL_NAME = "localhost"
"""The one name that every resolver leads to loopback (RFC 6761, 6.3)."""


class LocustBench:
    """Locust's workers for a server over streamable HTTP.

    Attributes:
        engine, response_bytes, workers, notes: see :class:`~mcp_governor.load.sweep.Bench`.
    """

    def __init__(self, opened: Opened, plan: SweepPlan, cluster: Cluster, announce: Announce | None = None) -> None:
        assert isinstance(opened.endpoint, HttpEndpoint)
        check_locust()
        self._cluster = cluster
        self._plan = plan
        self._job = http_job(opened.endpoint, opened.era, opened.protocol, plan, opened.tools)
        self._first = first_response(opened, plan)
        self.response_bytes: int | None = len(self._first.body)
        self.workers = cluster.workers
        self.engine: Engine = LocustEngine(self._job, plan, cluster, announce, tools=self._first.tools)
        elsewhere = "The ceiling of the client was not measured: Locust's workers are started elsewhere."
        self.notes: tuple[str, ...] = () if cluster.starts_workers else (elsewhere,)

    def null(self) -> Engine | None:
        """See :class:`~mcp_governor.load.sweep.Bench`."""
        return NullLocust(self._job, self._plan, self._cluster, self._first) if self._cluster.starts_workers else None


class NullLocust(LocustEngine):
    """Measures a null responder on loopback with as many workers: the ceiling of Locust on this machine.

    Args:
        job: what the workers send to the server; no secret of it is sent here.
        plan: the plan of the sweep.
        cluster: the cluster of the sweep.
        first: the response that the responder gives.
    """

    def __init__(self, job: HttpJob, plan: SweepPlan, cluster: Cluster, first: FirstResponse) -> None:
        before, after = first.parts
        self._responder = Helper("-m", "mcp_governor.load.responder")
        try:
            port = self._responder.ask(
                {
                    "kind": first.kind,
                    "before": base64.b64encode(before).decode("ascii"),
                    "after": base64.b64encode(after).decode("ascii"),
                },
                START,
            )["port"]
            url = f"http://127.0.0.1:{port}/"
            # The responder finds the id by its number of digits.
            request = {**job.request, "id": 10 ** (DIGITS - 1)}
            alone = dataclasses.replace(job, url=url, shown=url, secret_headers={}, handshake=None, request=request)
            super().__init__(alone, plan, replace(cluster, port=0))
        except BaseException:
            self._responder.close()
            raise

    def close(self) -> None:
        """End all processes."""
        super().close()
        self._responder.close()


def locust_bench(
    opened: Opened,
    plan: SweepPlan,
    options: Options,
    *,
    listen: tuple[str, int] | None = None,
    announce: Announce | None = None,
) -> LocustBench:
    """Start a cluster for a server.

    Args:
        opened: the server.
        plan: what to measure.
        options: how; its workers are those to wait for.
        listen: address and port of the master, if the workers are started by hand on other machines.
        announce: gets the command that starts one of those.

    Raises:
        UsageError: the server is not reached over HTTP, or by a name that Locust would resolve again.
        MissingDependencyError: Locust is not installed.
        ServerError: the cluster did not start.
    """
    if opened.address is None or not isinstance(opened.endpoint, HttpEndpoint):
        raise UsageError(
            f"{opened.shown} is reached over stdio, and Locust's workers send HTTP.",
            "Remove --engine locust, or name the address of the server.",
        )
    if not options.permissions.own_host and not _is_fixed(opened.address.host):
        raise UsageError(
            f"{opened.shown}: Locust resolves the name of the host itself, after it was judged.",
            f"Name the address instead: {opened.address.ip}",
        )
    cluster = Cluster() if options.workers is None else Cluster(workers=options.workers)
    if listen is not None:
        cluster = replace(cluster, host=listen[0], port=listen[1], starts_workers=False)
    return LocustBench(opened, plan, cluster, announce)


def _is_fixed(host: str) -> bool:
    """True for an address, and for the name that always leads to loopback."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return host.lower().rstrip(".") == LOCAL_NAME
    return True
