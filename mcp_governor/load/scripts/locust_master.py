"""The master of a Locust cluster, as a process of its own: points come in on stdin, samples go out on stdout.

A script, not a module: gevent changes the standard library of its process, so it needs a process of its own.
``python locust_master.py HOST PORT WORKERS``; it prints ``{"ready": N}`` when the workers are there, then one line for
each line that it reads.
"""

from __future__ import annotations

from gevent import monkey

monkey.patch_all()

import json  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402
from typing import Any  # noqa: E402

import gevent  # noqa: E402
from gevent.fileobject import FileObject  # noqa: E402
from locust import User, task  # noqa: E402
from locust.env import Environment  # noqa: E402

JOIN_SECONDS = 60.0
"""Seconds for the workers to join: four of them import Locust on two busy cores in ten, remote ones start by hand."""

SPAWN_SECONDS = 10.0
"""Seconds for the users of a point to start: 200 take less than one. With fewer, the sample says so."""

HANDSHAKE_SECONDS = 30.0
"""Seconds for the users of a point to shake hands; a server that does not respond by then is measured as it is."""

GRACE = 5.0
"""Seconds that a worker may report late, after the time of the point is over: it sends what it has within one."""

LOOK = 0.005
"""Seconds between two looks at the state of the workers: a point takes a second and more."""


class McpUser(User):
    """Stands for the users of the workers: a master starts none itself and knows them by name."""

    @task
    def send(self) -> None:
        """What the users of the workers do."""


class Master:
    """Runs points on the workers, one after the other."""

    def __init__(self, host: str, port: int) -> None:
        self._environment = Environment(user_classes=[McpUser])
        self._runner = self._environment.create_master_runner(master_bind_host=host, master_bind_port=port)
        self._ready: set[str] = set()
        self._done: dict[str, Any] = {}
        self._number = 0
        self._runner.register_message("mcp_ready", self._on_ready)
        self._runner.register_message("mcp_done", self._on_done)

    def joined(self, workers: int) -> int:
        """Wait for the workers; returns how many are there."""
        self._wait(lambda: self._runner.worker_count >= workers, JOIN_SECONDS)
        return int(self._runner.worker_count)

    def measure(self, point: Any) -> dict[str, Any]:
        """Measure one point: ``{"concurrency", "total", "warm_up", "rate", "seconds"}``."""
        self._runner.start(point["concurrency"], spawn_rate=point["concurrency"])
        self._wait(lambda: self._runner.user_count == point["concurrency"], SPAWN_SECONDS)
        users = {client.id: client.user_count for client in self._clients() if client.user_count}
        if not users:
            return merged((), 0, 0.0) | {"stopped": "no worker has users"}
        self._prepare(users)
        if point["warm_up"]:
            first = next(iter(users))
            self._round({first: users[first]}, point["warm_up"], None, HANDSHAKE_SECONDS)
        sample = self._round(users, point["total"], point["rate"], point["seconds"])
        there = sum(users.values())
        if there != point["concurrency"] and sample["stopped"] is None:
            sample["stopped"] = f"only {there} of {point['concurrency']} Locust users started"
        return sample

    def _prepare(self, users: dict[str, int]) -> None:
        self._number += 1
        self._ready = set()
        for client in users:
            self._runner.send_message("mcp_prepare", {"number": self._number, "seconds": HANDSHAKE_SECONDS}, client)
        self._wait(lambda: self._ready >= set(users), HANDSHAKE_SECONDS + GRACE)

    def _round(self, users: dict[str, int], total: int, rate: float | None, seconds: float) -> dict[str, Any]:
        self._number += 1
        self._done = {}
        began = time.perf_counter()
        quotas = {client: quota for client, quota in shares(users, total).items() if quota}
        for client, quota in quotas.items():
            part = None if rate is None else rate * quota / total
            data = {"number": self._number, "quota": quota, "rate": part, "seconds": seconds}
            self._runner.send_message("mcp_begin", data, client)
        self._wait(lambda: len(self._done) == len(quotas) or not self._clients(), seconds + GRACE)
        return merged(self._done.values(), len(quotas), time.perf_counter() - began)

    def quit(self) -> None:
        """End the workers."""
        self._runner.quit()

    def _clients(self) -> list[Any]:
        clients = self._runner.clients
        return [*clients.ready, *clients.spawning, *clients.running]

    def _on_ready(self, msg: Any, **_: Any) -> None:
        if msg.data["number"] == self._number:
            self._ready.add(msg.node_id)

    def _on_done(self, msg: Any, **_: Any) -> None:
        if msg.data["number"] == self._number:
            self._done[msg.node_id] = msg.data

    def _wait(self, is_reached: Any, seconds: float) -> bool:
        end = time.perf_counter() + seconds
        while not is_reached():
            if time.perf_counter() > end:
                return False
            gevent.sleep(LOOK)
        return True


def shares(users: dict[str, int], total: int) -> dict[str, int]:
    """Split a number of requests among workers, in proportion to their users."""
    out, before, users_before, every = {}, 0, 0, sum(users.values())
    for client, number in users.items():
        users_before += number
        upto = total * users_before // every
        out[client], before = upto - before, upto
    return out


def merged(done: Any, workers: int, seconds: float) -> dict[str, Any]:
    """One sample from those of the workers."""
    parts = list(done)
    errors: dict[str, int] = {}
    for part in parts:
        for kind, number in part["errors"].items():
            errors[kind] = errors.get(kind, 0) + number
    stopped = None
    if len(parts) < workers:
        stopped = f"{workers - len(parts)} of {workers} Locust workers did not report"
    elif any(part["left"] for part in parts):
        stopped = "the time was over"
    return {
        "latencies_ms": sorted(value for part in parts for value in part["latencies"]),
        "errors": errors,
        "seconds": seconds,
        "stopped": stopped,
        "expired_ms": sorted(value for part in parts for value in part["expired"]),
        "retry_after_s": max((part["retry_after"] for part in parts if part["retry_after"] is not None), default=None),
    }


def main(host: str, port: str, workers: str) -> None:
    """Serve stdin until it ends."""
    master = Master(host, int(port))
    try:
        say({"ready": master.joined(int(workers))})
        for line in FileObject(sys.stdin.buffer):
            say(master.measure(json.loads(line)))
    finally:
        master.quit()


def say(value: Any) -> None:
    """One line of JSON."""
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
