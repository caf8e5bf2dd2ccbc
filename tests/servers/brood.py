"""A server with children: ``brood.py HOW FOLDER``. Each process that it starts leaves its id in a file of the folder.

HOW is ``group`` (a child that ignores SIGTERM), ``session`` (in a session of its own), ``orphan`` (a double fork, in a
session of its own, without the environment by which tests find processes), ``wide`` (twenty orphans) or ``killer`` (it
kills its parent and goes on). With ``then-exit`` behind it the server starts them and exits before it answers.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent


def sleeper(folder: Path) -> None:
    """This process from now on: it ignores what it may, and sleeps."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    for number in (0, 1, 2):
        os.close(number)
    (folder / str(os.getpid())).touch()
    time.sleep(600)
    os._exit(0)


def started(folder: Path, *, session: bool = False, orphan: bool = False) -> None:
    if os.fork() == 0:
        if session or orphan:
            os.setsid()
        if orphan and os.fork():
            os._exit(0)
        sleeper(folder)


def main() -> None:
    how, folder = sys.argv[1], Path(sys.argv[2])
    for _ in range(20 if how == "wide" else 1):
        started(folder, session=how == "session", orphan=how in ("orphan", "wide", "killer"))
    if how == "killer":
        os.kill(os.getppid(), signal.SIGKILL)
    wanted = 20 if how == "wide" else 1
    while len(list(folder.iterdir())) < wanted:
        time.sleep(0.01)
    (folder / str(os.getpid())).touch()
    if "then-exit" in sys.argv:
        sys.exit(3)
    if "then-wait" in sys.argv:
        time.sleep(600)
    os.execv(sys.executable, [sys.executable, str(HERE / "plain.py")])


if __name__ == "__main__":
    main()
