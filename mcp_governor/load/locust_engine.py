"""The same sweep on the distributed workers of Locust (``--engine locust``), for servers that one machine cannot load.

Locust runs in processes of its own: gevent changes the standard library of the process that it is in, and anyio
does not work there.
"""

from __future__ import annotations

import dataclasses
import inspect
import ipaddress
import json
import shutil
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from msgspec import Struct
from msgspec.structs import replace

from mcp_governor.errors import ServerError, UsageError
from mcp_governor.load.engines import check_installed, start_responder
from mcp_governor.load.judge import drift, events_of, failure_of_result
from mcp_governor.load.model import Sample
from mcp_governor.load.recipe import DIGITS, http_job
from mcp_governor.load.sweep import Bench, http_engine
from mcp_governor.programs import our_python
from mcp_governor.programs.child import Child, Helper, HelperError, our_environment
from mcp_governor.text import one_line
from mcp_governor.wire import HttpEndpoint
from mcp_governor.wire.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from mcp_governor.load.model import SweepPlan
    from mcp_governor.load.opened import Opened
    from mcp_governor.load.recipe import HttpJob, Recipe

HEADERS_VARIABLE, URL_VARIABLE = "MCP_LOAD_HEADERS", "MCP_LOAD_URL"
"""Variables with what must not be written down: headers as a JSON object, and an address with a query or a password."""

SCRIPTS = Path(__file__).parent / "scripts"
"""The scripts that Locust runs. The folder is not a package: gevent changes whatever process imports them."""

MARK = "SETTINGS: dict[str, Any] = {}"
"""The line of the locustfile that its settings replace."""

IMPORT = "from mcp_governor.load.judge import events_of, failure_of_result\n"
"""The line of the locustfile that the functions replace: on another machine there is no mcp-governor."""

JOIN_SECONDS = 75.0
"""Seconds to wait for the master's first line: a quarter more than it waits for its workers itself."""

GRACE_SECONDS = 90.0
"""Seconds beyond those of a point until its sample must be there: start of its users, handshakes, and late reports."""

END_SECONDS = 5.0
"""Seconds for the processes to end by themselves, before they are killed: Locust needs one."""


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
    copies = "\n\n".join(inspect.getsource(each) for each in (drift, events_of, failure_of_result))
    source = (SCRIPTS / "locustfile.py").read_text(encoding="utf-8").replace(IMPORT, f"\n\n{copies}\n")
    literal = json.dumps(settings, ensure_ascii=True, indent=2)
    # A JSON document has no line break within its strings, so it is readable as it is, unless it has quotes in quotes.
    text = repr(literal) if "\\" in literal or "'''" in literal else f"'''\n{literal}\n'''"
    return source.replace(MARK, f"SETTINGS: dict[str, Any] = json.loads({text})", 1)


class LocustEngine:
    """Measures points on a cluster that lives as long as the engine.

    Args:
        job: what to send.
        plan: the plan, for its timeout.
        cluster: where the workers are.
        tools: those of the first list, with which later ones are compared; ``None`` if they are not.
        announce: gets the command that starts a worker by hand.

    Raises:
        MissingDependencyError: Locust is not installed.
        ServerError: the cluster did not start.
    """

    name = "locust"

    def __init__(
        self,
        job: HttpJob,
        plan: SweepPlan,
        cluster: Cluster,
        tools: list[Any] | None = None,
        announce: Announce | None = None,
    ) -> None:
        check_installed("locust", "--engine locust", "locust")
        self._folder = Path(tempfile.mkdtemp(prefix="mcp-governor-locust-"))
        self._master: Helper | None = None
        self._workers: list[Child] = []
        try:
            (self._folder / "locustfile.py").write_text(locustfile(job, plan.timeout, tools), encoding="utf-8")
            self._start(job, cluster, announce)
        except BaseException:
            self.close()
            raise

    def _start(self, job: HttpJob, cluster: Cluster, announce: Announce | None) -> None:
        port = cluster.port or _free_port(cluster.host)
        command = [str(SCRIPTS / "locust_master.py"), cluster.host, str(port), str(cluster.workers)]
        # Ctrl-C is for us alone: the cluster ends when the master's stdin does, after its last sample.
        with self._log("master") as log:
            self._master = Helper(*command, stderr=log, cwd=self._folder)
        if cluster.starts_workers:
            secrets = {HEADERS_VARIABLE: json.dumps(dict(job.secret_headers)), URL_VARIABLE: job.url}
            environment = our_environment(MCP_LOAD_PACED="1", **secrets)
            worker = ["-m", "locust", "-f", "locustfile.py", "--worker", "--master-host", cluster.host]
            worker += ["--master-port", str(port), "--loglevel", "ERROR"]
            for number in range(cluster.workers):
                with self._log(f"worker{number}") as log:
                    self._workers.append(Child(our_python(*worker), stderr=log, env=environment, cwd=self._folder))
        elif announce is not None:
            announce(
                f"MCP_LOAD_PACED=1 locust -f locustfile.py --worker --master-host {cluster.host} --master-port {port}"
            )
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
        point = {name: getattr(plan, name) for name in ("total", "warm_up", "rate")}
        found = self._answer(seconds + GRACE_SECONDS, {**point, "concurrency": concurrency, "seconds": seconds})
        return Sample(**found)

    def close(self) -> None:
        """End the master, which ends its workers; what is left then is killed."""
        end = time.monotonic() + END_SECONDS
        if self._master is not None:
            self._master.close(END_SECONDS)
        for worker in self._workers:
            worker.wait(max(0.0, end - time.monotonic()))
            worker.kill()
        shutil.rmtree(self._folder, ignore_errors=True)


def _free_port(host: str) -> int:
    import socket

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.bind((host, 0))
        port: int = probe.getsockname()[1]
        return port


class NullLocust(LocustEngine):
    """Measures a null responder on loopback with as many workers: the ceiling of Locust on this machine.

    Args:
        job: what the workers send to the server; no secret of it is sent here.
        plan: the plan of the sweep.
        cluster: the cluster of the sweep.
        recipe: has the response that the responder gives.
    """

    def __init__(self, job: HttpJob, plan: SweepPlan, cluster: Cluster, recipe: Recipe) -> None:
        self._responder, port = start_responder(recipe)
        url = f"http://127.0.0.1:{port}/"
        # The responder finds the id by its number of digits.
        request = {**job.request, "id": 10 ** (DIGITS - 1)}
        alone = dataclasses.replace(job, url=url, shown=url, secret_headers={}, handshake=None, request=request)
        try:
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
    workers: int | None,
    *,
    listen: tuple[str, int] | None = None,
    announce: Announce | None = None,
    owned: bool = False,
) -> Bench:
    """Start a cluster for a server.

    Args:
        opened: the server.
        plan: what to measure.
        workers: the workers to wait for; ``None`` for four.
        listen: address and port of the master, if the workers are started by hand on other machines.
        announce: gets the command that starts one of those.
        owned: the user says that the host is theirs.

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
    if not owned and not _is_fixed(opened.address.host):
        raise UsageError(
            f"{opened.shown}: Locust resolves the name of the host itself, after it was judged.",
            f"Name the address instead: {opened.address.ip}",
        )
    cluster = Cluster() if workers is None else Cluster(workers=workers)
    if listen is not None:
        cluster = replace(cluster, host=listen[0], port=listen[1], starts_workers=False)
    check_installed("locust", "--engine locust", "locust")
    job = http_job(opened.endpoint, opened.era, opened.protocol, plan, opened.tools)
    asked, recipe = http_engine(opened, plan, 1)
    asked.close()
    engine = LocustEngine(job, plan, cluster, recipe.tools, announce)
    if not cluster.starts_workers:
        elsewhere = "The ceiling of the client was not measured: Locust's workers are started elsewhere."
        return Bench(engine, lambda: None, recipe.response_bytes, cluster.workers, (elsewhere,))
    null = partial(NullLocust, job, plan, cluster, recipe)
    return Bench(engine, null, recipe.response_bytes, cluster.workers)


def _is_fixed(host: str) -> bool:
    """True for an address, and for the one name that every resolver leads to loopback (RFC 6761, 6.3)."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return host.lower().rstrip(".") == "localhost"
    return True
