"""No test of the wire may hang: a server that makes us wait for ever is what these tests are about."""

from __future__ import annotations

import signal

import pytest
from support import Leash


@pytest.fixture(autouse=True)
def _hangs_fail(request: pytest.FixtureRequest):
    seconds = 300 if request.node.get_closest_marker("live") else 40

    def late(number: int, frame: object) -> None:
        raise AssertionError(f"still waiting after {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def leash():
    held = Leash()
    yield held
    assert held.left_behind() == []
