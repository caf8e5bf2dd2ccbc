"""The engine for streamable HTTP: worker processes, each with its share of the clients."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from mcp_governor.errors import MissingDependencyError
from mcp_governor.installation import install_extra
from mcp_governor.load.model import INTERRUPTED, Sample
from mcp_governor.load.recipe import Address
from mcp_governor.programs.helper import START, Helper, HelperError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_governor.load.model import SweepPlan
    from mcp_governor.load.recipe import Recipe

PREPARING = 45.0
"""Seconds for the workers to prepare a point: three times what they allow themselves, because warm-up comes after."""

GRACE = 10.0
"""Seconds that a worker may report late."""

STOPPING = 5.0
"""Seconds for the workers to report after Ctrl-C."""


class HttpEngine:
    """Measures a server over streamable HTTP.

    Args:
        recipes: server and request, for each worker process.

    Raises:
        MissingDependencyError: the extra ``load`` is not installed.
    """

    name = "asyncio"

    def __init__(self, recipes: Sequence[Recipe]) -> None:
        check_installed("httptools", "Measuring a server over HTTP", "load")
        self._helpers: list[Helper] = []
        self._timeout = 0.0
        try:
            for _ in recipes:
                self._helpers.append(Helper("-m", "mcp_governor.load.worker"))
            self.take(recipes)
        except BaseException:
            self.close()
            raise

    def take(self, recipes: Sequence[Recipe]) -> None:
        """Use other recipes from now on.

        Raises:
            HelperError: a worker does not answer.
        """
        self._timeout = recipes[0].timeout
        for helper, recipe in zip(self._helpers, recipes, strict=True):
            helper.send({"do": "recipe", "recipe": msgspec.to_builtins(recipe)})
        for helper in self._helpers:
            helper.hear(START)

    def trial(self) -> dict[str, Any]:
        """Send one request and return its response: ``failure``, and ``kind``, ``number``, ``session`` and ``body`` (of
        bytes) where one came."""
        found: dict[str, Any] = self._helpers[0].ask({"do": "trial"}, 4 * self._timeout + GRACE)
        if "body" in found:
            found["body"] = found["body"].encode("latin-1")
        return found

    def measure(self, plan: SweepPlan, concurrency: int, *, seconds: float) -> Sample:
        """See :class:`~mcp_governor.load.model.Engine`."""
        count = min(len(self._helpers), concurrency, plan.total)
        busy = self._helpers[:count]
        clients = shares(concurrency, count)
        totals = shares(plan.total, count)
        try:
            for index, (helper, number) in enumerate(zip(busy, clients, strict=True)):
                helper.send({"do": "prepare", "concurrency": number, "warm_up": 0 if index else plan.warm_up})
            for helper in busy:
                helper.hear(PREPARING)
            for helper, number, total in zip(busy, clients, totals, strict=True):
                rate = None if plan.rate is None else plan.rate * total / plan.total
                order = {"do": "measure", "concurrency": number, "total": total, "rate": rate, "seconds": seconds}
                helper.send(order)
            return merged([helper.hear(seconds + GRACE) for helper in busy])
        except HelperError as error:
            return Sample((), {}, 0.0, f"a process that measures {error.what}")
        except KeyboardInterrupt:
            return _interrupted(busy)

    def close(self) -> None:
        """End the sessions and the processes."""
        for helper in self._helpers:
            with suppress(HelperError):
                helper.send({"do": "leave"})
        for helper in self._helpers:
            helper.close()
        self._helpers = []


def _interrupted(busy: Sequence[Helper]) -> Sample:
    """What was measured until Ctrl-C."""
    parts = []
    for helper in busy:
        with suppress(HelperError):
            helper.send({"do": "stop"})
    for helper in busy:
        with suppress(HelperError):
            while "sample" not in (part := helper.hear(STOPPING)):
                pass
            parts.append(part)
    return replace(merged(parts), stopped=INTERRUPTED)


def check_installed(module: str, what: str, extra: str) -> None:
    """Check that a module is there, without loading it.

    Raises:
        MissingDependencyError: the extra that has it is not installed.
    """
    from importlib.util import find_spec

    if find_spec(module) is None:
        raise MissingDependencyError(f"{what} needs the extra {extra}, which is not installed.", install_extra(extra))


def shares(number: int, parts: int) -> list[int]:
    """A number in nearly equal parts, the larger ones first."""
    return [number // parts + (index < number % parts) for index in range(parts)]


def merged(parts: Sequence[dict[str, Any]]) -> Sample:
    """One sample from those of the workers."""
    samples = [msgspec.convert(part["sample"], Sample) for part in parts]
    errors: Counter[str] = Counter()
    for sample in samples:
        errors.update(sample.errors)
    waits = [sample.retry_after_s for sample in samples if sample.retry_after_s is not None]
    # A worker that was interrupted before its round has no time of its own.
    began, ended = (tuple(part[when] for part in parts if part["began"]) for when in ("began", "ended"))
    return Sample(
        sorted(value for sample in samples for value in sample.latencies_ms),
        dict(sorted(errors.items())),
        max(ended, default=0.0) - min(began, default=0.0),
        next((sample.stopped for sample in samples if sample.stopped), None),
        expired_ms=sorted(value for sample in samples for value in sample.expired_ms),
        retry_after_s=max(waits, default=None),
    )


def start_responder(recipe: Recipe) -> tuple[Helper, int]:
    """A null responder that gives the first response of a sweep, and its port on loopback."""
    before, after = (part.decode("latin-1") for part in recipe.first)
    responder = Helper("-m", "mcp_governor.load.responder")
    try:
        return responder, responder.ask({"kind": recipe.kind, "before": before, "after": after})["port"]
    except BaseException:
        responder.close()
        raise


class NullEngine(HttpEngine):
    """Measures null responders on loopback, one for each worker: the ceiling of this engine.

    Args:
        recipe: the recipe of the sweep.
        workers: number of worker processes.
    """

    def __init__(self, recipe: Recipe, workers: int) -> None:
        self._helpers: list[Helper] = []
        self._responders: list[Helper] = []
        recipes = []
        try:
            for _ in range(workers):
                responder, port = start_responder(recipe)
                self._responders.append(responder)
                where = Address(host="127.0.0.1", ip="127.0.0.1", port=port, tls=False)
                recipes.append(replace(recipe, address=where, handshake=(), farewell=b""))
            super().__init__(recipes)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End all processes."""
        super().close()
        for responder in self._responders:
            responder.close()
