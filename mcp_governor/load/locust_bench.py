"""Locust's workers as the engine of a sweep (``--engine locust``)."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING

from mcp_governor.errors import UsageError
from mcp_governor.load.locust_engine import Cluster, LocustEngine
from mcp_governor.load.request import http_job

if TYPE_CHECKING:
    from mcp_governor.load.model import Engine, SweepPlan
    from mcp_governor.load.opened import Opened
    from mcp_governor.load.sweep import Options

LOCAL_NAME = "localhost"
"""The one name that every resolver leads to loopback (RFC 6761, 6.3)."""


class LocustBench:
    """Locust's workers for a server over streamable HTTP.

    Attributes:
        engine, response_bytes, workers, notes: see :class:`~mcp_governor.load.sweep.Bench`.
    """

    def __init__(self, engine: LocustEngine, workers: int) -> None:
        self.engine: Engine = engine
        self.response_bytes: int | None = None
        self.workers = workers
        self.notes: tuple[str, ...] = (
            "The ceiling of the client was not measured: Locust's workers may be elsewhere.",
        )

    def null(self) -> Engine | None:
        """See :class:`~mcp_governor.load.sweep.Bench`."""
        return None


def locust_bench(opened: Opened, plan: SweepPlan, options: Options) -> LocustBench:
    """Start a cluster for a server.

    Raises:
        UsageError: the server is not reached over HTTP, or by a name that Locust would resolve again.
        MissingDependencyError: Locust is not installed.
        ServerError: the cluster did not start.
    """
    from mcp_governor.wire import HttpEndpoint

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
    job = http_job(opened.endpoint, opened.era, opened.protocol, plan, opened.tools)
    return LocustBench(LocustEngine(job, plan, cluster), cluster.workers)


def _is_fixed(host: str) -> bool:
    """True for an address, and for the name that always leads to loopback."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return host.lower().rstrip(".") == LOCAL_NAME
    return True
