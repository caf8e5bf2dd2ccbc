"""Runs that start warm are judged as those of a new interpreter are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import commandline
import pytest
import warm

pytestmark = pytest.mark.skipif(not warm.AVAILABLE, reason="runs start warm on Linux only")
WAITS = ("check", "--", sys.executable, "-c", "import time; time.sleep(100)")


def test_a_run_that_hangs_fails_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commandline, "SECONDS", 1)
    with pytest.raises(subprocess.TimeoutExpired):
        commandline.governor(*WAITS, cwd=tmp_path)


@pytest.mark.parametrize("cold", [False, True])
def test_a_run_has_its_own_folder_streams_and_code(tmp_path: Path, cold: bool) -> None:
    outcome = commandline.governor("check", "gone.json", cwd=tmp_path, cold=cold)
    assert (outcome.code, outcome.out, outcome.left) == (2, "", [])
    assert outcome.err.startswith("error: gone.json does not exist.")


@pytest.mark.parametrize(
    ("env", "warmly"),
    [
        ({}, True),
        ({"LANG": "de_DE.UTF-8"}, True),
        ({"LC_ALL": "de_DE.ISO-8859-1"}, False),
        ({"PYTHONUTF8": "0"}, False),
    ],
)
def test_what_an_interpreter_reads_at_its_start_needs_a_new_one(env: dict[str, str], warmly: bool) -> None:
    assert warm.takes({**warm._environment(), **env}) is warmly
