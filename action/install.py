"""Installs mcp-governor for action.yml, apart from the environment of the server, and says where the program is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path


def main() -> str:
    """Install what VERSION names, and write the path of the program to GITHUB_OUTPUT.

    Returns:
        What went wrong, as a workflow command; empty if nothing did.
    """
    version = os.environ.get("VERSION", "").strip()
    if version == "installed":
        # What PATH says of the current folder, the checkout, is left out.
        program = shutil.which("mcp-governor", path=os.pathsep.join(filter(os.path.isabs, os.get_exec_path())))
        if program is None:
            return "::error::mcp-governor is not on PATH. Install it in an earlier step, or leave out version."
    else:
        temporary = Path(os.environ["RUNNER_TEMP"]).resolve()
        folder = temporary / "mcp-governor-venv"
        scripts = folder / ("Scripts" if os.name == "nt" else "bin")
        wanted = requirement(version, Path(__file__).resolve().parent.parent)
        # The current folder is the checkout of a pull request: -I and another folder keep its venv.py, pip.py or
        # logging.py from being imported in place of the real ones.
        steps = (
            [sys.executable, "-I", "-m", "venv", str(folder)],
            [str(scripts / "python"), "-I", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wanted],
        )
        for step in steps:
            if subprocess.run(step, check=False, cwd=temporary).returncode != 0:
                return "::error::mcp-governor could not be installed; see the lines above."
        program = str(scripts / "mcp-governor")
    with Path(os.environ["GITHUB_OUTPUT"]).open("a", encoding="utf-8") as file:
        file.write(f"program={Path(program).as_posix()}\n")
    return ""


def requirement(version: str, own: Path) -> str:
    """What pip installs: this action's own source, a version, or a requirement as it is.

    Args:
        version: the input; empty for the source.
        own: folder of the action.
    """
    if not version:
        return str(own)
    return f"mcp-governor=={version}" if version[0].isdigit() else version


if __name__ == "__main__":
    problem = main()
    sys.stdout.write(f"{problem}\n" if problem else "")
    sys.exit(1 if problem else 0)
