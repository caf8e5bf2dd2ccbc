"""Chromium and Playwright for tests that open a page as a reader does."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from support import in_ci, missing


def browser() -> str:
    """The path of Chromium; CI installs it from Debian, and elsewhere its absence is a skip with the reason."""

    def found() -> str | None:
        return next((path for name in ("chromium", "google-chrome") if (path := shutil.which(name))), None)

    if found() is None and in_ci() and shutil.which("apt-get") is not None:
        for words in (("update", "-qq"), ("install", "-y", "-qq", "--no-install-recommends", "chromium")):
            done = subprocess.run(("apt-get", *words), check=False, capture_output=True, text=True, timeout=600)
            print(done.stdout, done.stderr)
    path = found()
    if path is None or shutil.which("npm") is None:
        missing("the page is opened in a browser, which needs Chromium (Debian: apt-get install chromium) and npm")
    return path


def driven(script: Path, *arguments: str, folder: Path, packages: tuple[str, ...] = ("playwright-core@1",)) -> Any:
    """What a script for node prints about Chromium, as JSON; its first argument is Chromium."""
    chromium = browser()
    install = ["npm", "install", "--silent", "--no-save", *packages]
    subprocess.run(install, cwd=folder, check=True, timeout=300)
    command = ["node", str(script), chromium, *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
