"""Locust users that send one MCP request again and again; written by "mcp-governor load locustfile".

This file needs locust and nothing else. On its own, the users send as fast as the server responds:

    locust -f locustfile.py --headless --users 40 --spawn-rate 40 --run-time 60s

Secrets are not in this file. On each machine that runs workers, headers come from the variable MCP_LOAD_HEADERS, a JSON
object, and an address with a query or a password from MCP_LOAD_URL. With MCP_LOAD_PACED=1 the users wait for the points
of "mcp-governor load sweep --engine locust", which says the command for workers.
"""

import json
import os
import time
from typing import Any

import gevent
from gevent.event import Event
from locust import FastHttpUser, constant, events, task
from locust.runners import WorkerRunner

from mcp_governor.load.judge import events_of, failure_of_result

SETTINGS: dict[str, Any] = {}
"""url, headers of every message, handshake (the initialize request and the notification after it, or null), request,
request_headers (after the handshake), timeout (seconds) and max_bytes of a response, and tools: those of the list that
came alone (or null), with which lists are compared."""

URL = os.environ.get("MCP_LOAD_URL") or SETTINGS.get("url", "")
HEADERS = {**SETTINGS.get("headers", {}), **json.loads(os.environ.get("MCP_LOAD_HEADERS") or "{}")}
SESSION = "mcp-session-id"
LOOK = 0.005
"""Seconds between two looks at the end of a point: a worker reports at most that much late."""


class Pace:
    """Decides when the next request of this worker is due.

    Attributes:
        paced: wait for points of a sweep; otherwise every user sends at once.
    """

    def __init__(self) -> None:
        self.paced = os.environ.get("MCP_LOAD_PACED") == "1"
        self.runner: Any = None
        self.connected = 0
        self._wake = Event()
        self._left = 0
        self._taken = 0
        self._rate: float | None = None
        self._began = 0.0
        self._open: dict[str, Any] | None = None

    def prepare(self, message: Any) -> None:
        """Wait for the users of this worker, then say so to the master; ``data`` is ``{"number", "seconds"}``."""
        end = time.perf_counter() + message.data["seconds"]
        while self.connected < self.runner.user_count and time.perf_counter() < end:
            gevent.sleep(0.01)
        self.runner.send_message("mcp_ready", {"number": message.data["number"]})

    def begin(self, message: Any) -> None:
        """Send the requests of one point: ``{"number", "quota", "rate", "seconds"}``, the rate for this worker."""
        self._left = message.data["quota"]
        self._taken = 0
        self._rate = message.data["rate"]
        self._open = point = {"number": message.data["number"], "latencies": [], "errors": {}, "left": self._left}
        point |= {"expired": [], "retry_after": None}
        self._began = time.perf_counter()
        self._wake.set()
        end = self._began + message.data["seconds"]
        while point["left"] and time.perf_counter() < end:
            gevent.sleep(LOOK)
        self._left = 0
        self._open = None
        self._wake.clear()
        self.runner.send_message("mcp_done", point)

    def due(self) -> tuple[float, dict[str, Any] | None]:
        """When the next request is due, and the point that it belongs to; waits for both."""
        if not self.paced:
            return time.perf_counter(), None
        while True:
            self._wake.wait()
            # Greenlets take turns only where they wait, so no other user comes in between.
            if self._left:
                self._left -= 1
                number, point = self._taken, self._open
                self._taken += 1
                break
            self._wake.clear()
        if self._rate is None:
            return time.perf_counter(), point
        at = self._began + number / self._rate
        gevent.sleep(max(0.0, at - time.perf_counter()))
        return at, point


PACE = Pace()


@events.init.add_listener
def on_init(environment: Any, **_: Any) -> None:
    """Listen to the master of a sweep."""
    PACE.runner = environment.runner
    if isinstance(environment.runner, WorkerRunner):
        environment.runner.register_message("mcp_prepare", lambda msg, **_: PACE.prepare(msg), concurrent=True)
        environment.runner.register_message("mcp_begin", lambda msg, **_: PACE.begin(msg), concurrent=True)


class McpUser(FastHttpUser):
    """One client with a connection and, before 2026-07-28, a session of its own."""

    host = URL
    wait_time = constant(0)
    network_timeout = connection_timeout = SETTINGS.get("timeout", 30.0)
    max_redirects = 0
    max_retries = 0
    insecure = False
    concurrency = 1

    def on_start(self) -> None:
        """Connect; a failed handshake is tried again before each request, and counted."""
        self.session_headers: dict[str, str] = {}
        self.retry_after: float | None = None
        self.is_open = SETTINGS["handshake"] is None
        self._open_session()
        PACE.connected += 1

    def on_stop(self) -> None:
        """The user is gone."""
        PACE.connected -= 1

    @task
    def send(self) -> None:
        """Send one request and record how long it took from the moment when it was due."""
        due, point = PACE.due()
        failure = self._open_session() or self._send(SETTINGS["request"])
        milliseconds = (time.perf_counter() - due) * 1000
        if point is None:
            return
        if failure is None:
            point["latencies"].append(milliseconds)
        else:
            point["errors"][failure] = point["errors"].get(failure, 0) + 1
            if failure == "timeout":
                point["expired"].append(milliseconds)
            elif self.retry_after is not None:
                point["retry_after"] = max(point["retry_after"] or 0.0, self.retry_after)
        point["left"] -= 1

    def _open_session(self) -> str | None:
        if self.is_open:
            return None
        initialize, initialized = SETTINGS["handshake"]
        failure = self._send(initialize, "initialize") or self._send(initialized, "notifications/initialized")
        self.is_open = failure is None
        return failure

    def _send(self, message: Any, name: str = "") -> str | None:
        """Send a message; returns the kind of failure, ``None`` if there is none."""
        headers = {**HEADERS, **self.session_headers, **({} if name == "initialize" else SETTINGS["request_headers"])}
        name = name or message["method"]
        self.retry_after = None
        try:
            with self.client.post(
                URL,
                data=json.dumps(message, separators=(",", ":")),
                headers=headers,
                name=name,
                catch_response=True,
                stream=True,
                allow_redirects=False,
            ) as response:
                failure = self._failure(response, message)
                wait = (response.headers or {}).get("retry-after") or ""
                if wait.isascii() and wait.isdigit():
                    self.retry_after = min(float(wait[:12]), 86_400.0)
                if failure is None:
                    response.success()
                    session = (response.headers or {}).get(SESSION)
                    if session:
                        self.session_headers[SESSION] = session
                else:
                    response.failure(failure)
        except Exception as error:  # noqa: BLE001  # any failure of the client is a kind of error of this request
            return kind_of(error)
        return failure

    def _failure(self, response: Any, message: Any) -> str | None:
        error = getattr(response, "error", None)
        if error is not None and not response.status_code:
            return kind_of(error)
        body = read(response)
        if not 200 <= response.status_code < 300:
            return f"http-{response.status_code}"
        if "id" not in message:
            return None
        if body is None:
            return "too-large"
        return failure_in(body, response.headers.get("content-type") or "", message["id"], message["method"])


def read(response: Any) -> bytes | None:
    """The body; ``None`` beyond the maximum."""
    parts: list[bytes] = []
    size = 0
    for part in response.iter_content(65_536, decode_content=False):
        size += len(part)
        if size > SETTINGS["max_bytes"]:
            return None
        parts.append(part)
    return b"".join(parts)


def failure_in(body: bytes, content_type: str, number: Any, method: str) -> str | None:
    """What is wrong with the response to a request; ``None`` if it is a result."""
    is_stream = content_type.lower().startswith("text/event-stream")
    try:
        for text in filter(None, events_of(body) if is_stream else [body]):
            message = json.loads(text)
            if isinstance(message, dict) and message.get("id") == number and "method" not in message:
                if "error" in message:
                    return f"rpc{message['error']['code']}"
                return failure_of_result(message["result"], method, SETTINGS.get("tools"))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return "malformed"
    return "malformed"


def kind_of(error: Any) -> str:
    """The kind of a failure of the connection."""
    text = f"{type(error).__name__} {error}".lower()
    if "timed out" in text or "timeout" in text:
        return "timeout"
    if "refused" in text:
        return "refused"
    return "reset" if "reset" in text or "closed" in text or "broken" in text else "connection"
