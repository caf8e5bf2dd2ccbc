"""Children that we start and end: what they print, how long they may take, and what they leave behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mcp_governor.programs.child import Helper, HelperError, Output, output_of


def printed(code: str, asked: bytes = b"", *, seconds: float = 60, most: int = 1000, **more) -> Output:
    return output_of([sys.executable, "-I", "-S", "-c", code], asked, seconds=seconds, most=most, **more)


@pytest.mark.parametrize(
    ("code", "limits", "expected"),
    [
        ("print('a')", {}, (0, b"a\n", b"", False)),
        ("import sys; sys.exit(7)", {}, (7, b"", b"", False)),
        ("import sys; print(sys.stdin.read()[::-1])", {"asked": b"ab"}, (0, b"ba\n", b"", False)),
        # It reads nothing of more than a pipe holds, which is no error of ours.
        ("print('a')", {"asked": b"x" * 300_000}, (0, b"a\n", b"", False)),
        ("print('a' * 999)", {}, (0, b"a" * 999 + b"\n", b"", False)),
        ("import sys; sys.stderr.write('e')", {"stderr": subprocess.PIPE}, (0, b"", b"e", False)),
        (
            "import sys; sys.stderr.write('e' * 9000 + 'z')",
            {"stderr": subprocess.PIPE},
            (0, b"", b"e" * 4095 + b"z", False),
        ),
        ("import sys; sys.stderr.write('e')", {"stderr": subprocess.STDOUT}, (0, b"e", b"", False)),
        ("import sys; sys.stderr.write('e')", {}, (0, b"", b"", False)),
    ],
)
def test_what_a_program_printed(code, limits, expected):
    assert printed(code, **limits) == expected


def test_more_than_was_asked_for_is_no_output():
    assert printed("print('a' * 1000)").out is None
    endless = printed("while True: print('a' * 1000)")
    assert (endless.out, endless.late) == (None, False)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no process groups")
@pytest.mark.parametrize("parent", ["time.sleep(600)", "pass"], ids=["waits", "exits"])
def test_a_late_program_is_ended_with_what_holds_its_output(parent):
    code = f"""import subprocess, sys, time
subprocess.Popen([sys.executable, "-I", "-S", "-c", "import time; time.sleep(600)"])
{parent}"""
    assert printed(code, seconds=0.5).late


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is set on Linux")
def test_the_memory_of_a_program_is_limited():
    assert printed("print(len(bytearray(200 << 20)))").code == 0
    assert printed("print(len(bytearray(200 << 20)))", memory=100 << 20).code == 1


HELPER = """import json, sys
for line in sys.stdin:
    word = json.loads(line)
    if word == "end":
        sys.exit()
    if word != "nothing":
        print(json.dumps([word]), flush=True)
"""


@pytest.fixture
def helper(tmp_path: Path):
    script = tmp_path / "helper.py"
    script.write_text(HELPER)
    made = Helper(str(script))
    yield made
    made.close(0)


def test_a_helper_answers_lines_with_lines(helper: Helper):
    assert helper.ask("é\ud800\n") == ["é\ud800\n"]
    helper.send(1)
    helper.send("nothing")
    assert helper.hear(60) == [1]
    with pytest.raises(HelperError, match="did not respond within 0 s"):
        helper.hear(0)
    helper.send("end")
    with pytest.raises(HelperError, match="ended"):
        helper.hear(60)
    helper.child.wait()
    with pytest.raises(HelperError, match="ended"):
        helper.send(1)


def test_a_helper_ends_with_its_stdin(helper: Helper):
    helper.close(60)
    assert helper.child.wait(0) == 0
