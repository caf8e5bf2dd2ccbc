"""Locust's workers as the engine of a sweep (``--engine locust``)."""

from __future__ import annotations

import base64
import dataclasses
import ipaddress
from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcp_governor.errors import UsageError
from mcp_governor.load.benches import first_response
from mcp_governor.load.locust_engine import Cluster, LocustEngine, check_locust
from mcp_governor.load.recipe import DIGITS, http_job
from mcp_governor.programs.helper import START, Helper
from mcp_governor.wire import HttpEndpoint

if TYPE_CHECKING:
    from mcp_governor.load.benches import FirstResponse
    from mcp_governor.load.locust_engine import Announce
    from mcp_governor.load.model import Engine, SweepPlan
    from mcp_governor.load.opened import Opened
    from mcp_governor.load.recipe import HttpJob
    from mcp_governor.load.sweep import Options

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
