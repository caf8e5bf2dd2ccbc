"""The program ends at once when its work is done, and leaves nothing undone."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from mcp_governor import __main__ as program

BEFORE = """
import atexit, os, sys
at_once = os._exit
os._exit = lambda code: (print("at once", flush=True), at_once(code))
atexit.register(print, "exit function")
"""
AFTER = "from mcp_governor.__main__ import main; main()"


def _ends(more: str = "", *flags: str, arguments: tuple[str, ...] = ("--version",)) -> tuple[int, list[str], str]:
    code = "\n".join([BEFORE, more, AFTER])
    done = subprocess.run(
        [sys.executable, *flags, "-c", code, *arguments], capture_output=True, text=True, timeout=60, check=False
    )
    return done.returncode, done.stdout.splitlines()[1:], done.stderr


def test_the_process_ends_at_once_when_exit_functions_have_run() -> None:
    assert _ends() == (0, ["exit function", "at once"], "")


@pytest.mark.parametrize(("arguments", "code"), [(("rule", "spec/tool-name"), 0), (("rule", "no/such"), 2)])
def test_the_exit_code_is_that_of_the_command(arguments: tuple[str, ...], code: int) -> None:
    assert _ends(arguments=arguments)[0] == code


@pytest.mark.parametrize(
    ("more", "flags"),
    [
        ("sys.settrace(lambda *_: None)", ()),
        ("sys.setprofile(lambda *_: None)", ()),
        ("", ("-X", "dev")),
        pytest.param(
            "sys.monitoring.use_tool_id(3, 'tool')",
            (),
            marks=pytest.mark.skipif(not hasattr(sys, "monitoring"), reason="Python 3.12 and newer"),
        ),
    ],
)
def test_somebody_who_watches_sees_the_usual_end(more: str, flags: tuple[str, ...]) -> None:
    code, lines, _ = _ends(more, *flags)
    assert (code, lines) == (0, ["exit function"])


def test_a_thread_comes_to_its_end() -> None:
    thread = (
        "import threading, time\nthreading.Thread(target=lambda: (time.sleep(1), print('thread', flush=True))).start()"
    )
    assert _ends(thread)[1] == ["thread", "exit function"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a system without /dev/full")  # noqa: PTH110
def test_an_output_that_cannot_be_written_is_an_error() -> None:
    """Whatever is still in the buffer; what the command itself writes is looked after by ``cli.out``."""
    code = f"import sys; sys.stdout = open('/dev/full', 'w'); sys.stdout.write('x')\n{AFTER}"
    done = subprocess.run(
        [sys.executable, "-c", code, "--no-such-option"], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode not in (0, 1)


def test_a_code_that_is_no_number_is_left_to_python() -> None:
    program._leave("a sentence")
    program._leave(None)


def test_what_is_still_in_a_buffer_is_written() -> None:
    code = f"import atexit, sys; atexit.register(sys.stdout.write, 'late'); {AFTER}"
    buffered = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
    done = subprocess.run(
        [sys.executable, "-c", code, "--version"], env=buffered, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.endswith("late")
