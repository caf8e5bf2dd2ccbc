"""A signal to us ends what we started, at whatever moment it comes."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support import Leash, plain_server

from mcp_governor.errors import UnreachableError
from mcp_governor.wire import StdioEndpoint, read

# A shell that runs tests in the background has SIGINT ignored, and its children inherit that.
SLEEPER = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.path.insert(0, {tests!r})
from support import Leash
from mcp_governor.wire import read
print("ready", flush=True)
read(Leash({mark!r}).hostile("stubborn" if {stubborn} else "silent"))
"""


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, None), (signal.SIGTERM, -signal.SIGTERM)])
def test_a_signal_ends_the_child_too(leash: Leash, number: int, status: int | None) -> None:
    code = SLEEPER.format(tests=str(Path(__file__).parent.parent), mark=leash.mark, stubborn=False)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as ours:
        assert ours.stdout.readline() == b"ready\n"
        deadline = time.monotonic() + 60
        while not leash.running() and time.monotonic() < deadline:
            time.sleep(0.02)
        assert leash.running()
        ours.send_signal(number)
        ended = ours.wait(60)
    assert ended != 0
    assert status is None or ended == status


INTERRUPTED = """
import os, signal, subprocess, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.path.insert(0, {tests!r})
from support import Leash
from mcp_governor.wire import read

real = subprocess.Popen.__init__
def interrupted(self, *arguments, **more):
    real(self, *arguments, **more)
    # The child runs, and nobody but this frame knows of it.
    if "hostile.py" in str(arguments):
        signal.raise_signal({number})
subprocess.Popen.__init__ = interrupted
endpoint = Leash({mark!r}).hostile("deaf")

try:
    read(endpoint)
except BaseException as error:
    print(type(error).__name__, flush=True)
    # No atexit: what is not ended by now stays.
    os._exit(9)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_right_after_the_fork_leaves_no_child(leash: Leash, number: int) -> None:
    tests = str(Path(__file__).parent.parent)
    code = INTERRUPTED.format(tests=tests, mark=leash.mark, number=int(number))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    if number == signal.SIGTERM:
        assert done.returncode == -signal.SIGTERM, done.stderr
    else:
        assert (done.returncode, done.stdout) == (9, "KeyboardInterrupt\n"), done.stderr


def test_signals_are_handled_as_before_once_a_child_is_started() -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    read(plain_server())
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before
    with pytest.raises(UnreachableError):
        read(StdioEndpoint(("no-such-command-x",)))
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


SHIELDED = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
import anyio
from mcp_governor.wire.duplex import run

async def work():
    with anyio.CancelScope(shield=True):
        signal.raise_signal({number})
        await anyio.sleep(0.1)
        print("to its end", file=sys.__stdout__, flush=True)
    await anyio.sleep(60)

try:
    run(work)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.parametrize(
    ("number", "status", "written"),
    [(signal.SIGINT, 0, "to its end\ninterrupted\n"), (signal.SIGTERM, -signal.SIGTERM, "to its end\n")],
)
def test_a_signal_waits_for_what_must_not_be_interrupted(number: int, status: int, written: str) -> None:
    """As the start of a child is: asyncio's own cancellation goes through every shield, and then waits for ever."""
    code = SHIELDED.format(number=int(number))
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (status, written)
