"""Real servers as their maintainers have them: sources from a registry, in a git repository, with what they need.

The registries' own clients fetch the sources once per checkout (``.cache/journeys``); a registry that does not answer
skips the tests and fails them in CI (:func:`support.missing`).
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

from support import REPO, missing, uv

from tests.integration.projects import GIT

CACHE = REPO / ".cache" / "journeys"
SECONDS = 120
"""More than any command of a journey may take: a server of a package runner has that long to start."""
# What a machine of CI sets, or an active environment: it would make another run of what a maintainer types.
_FOREIGN = re.compile(r"CI|CI_\w+|GITHUB_\w+|GITLAB_\w+|VIRTUAL_ENV|PYTHONPATH|UV_\w*PYTHON\w*|FORCE_COLOR|NO_COLOR")


@dataclass(frozen=True)
class Package:
    """One release on a registry.

    Attributes:
        registry: ``pypi`` or ``npm``.
        name: Its name there.
        version: Its version.
        sha256: Digest of the source archive; registries never change one.
        pins: Requirements that the sources leave open, at the version that the journey is about.
        left_out: Folders of the sources that the journey does without.
    """

    registry: str
    name: str
    version: str
    sha256: str
    pins: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    def archive(self) -> Path:
        """The source archive, fetched where it is not here yet."""
        kept = CACHE / f"{self.registry}-{self.name.replace('/', '-').lstrip('@')}-{self.version}.tar.gz"
        if not kept.exists():
            CACHE.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=CACHE) as folder:
                _run_or_miss(self._download(), Path(folder), f"{self.name} {self.version} cannot be fetched")
                (fetched,) = Path(folder).iterdir()
                fetched.replace(kept)
        digest = hashlib.sha256(kept.read_bytes()).hexdigest()
        assert digest == self.sha256, f"{kept} is not what {self.name} {self.version} was: {digest}"
        return kept

    def _download(self) -> list[str]:
        if self.registry == "npm":
            return [_npm(), "pack", "--silent", f"{self.name}@{self.version}"]
        only_sources = ("--no-deps", "--no-binary", ":all:")
        return [sys.executable, "-m", "pip", "download", "--quiet", *only_sources, f"{self.name}=={self.version}"]

    def unpack(self, root: Path) -> None:
        """Put the sources into a folder, as the repository of the server has them."""
        with tarfile.open(self.archive()) as archive:
            archive.extractall(root, filter="data")
        (top,) = root.iterdir()
        for inside in list(top.iterdir()):
            inside.replace(root / inside.name)
        top.rmdir()
        # Made by the registry's client; and the Python of the tests will do.
        for made in ("PKG-INFO", ".python-version"):
            (root / made).unlink(missing_ok=True)
        for folder in self.left_out:
            shutil.rmtree(root / folder)

    def install(self, root: Path) -> None:
        """Install what the server needs, as its maintainer does after a clone."""
        if self.registry == "npm":
            install = [_npm(), "install", "--silent", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"]
            _run_or_miss(install, root, f"npm cannot install {self.name}")
            return
        for pin in self.pins:
            _run_or_miss([uv(), "lock", "--quiet", "--upgrade-package", pin], root, f"uv cannot lock {pin}")
        _run_or_miss([uv(), "sync", "--quiet"], root, f"uv cannot install {self.name}")


def _npm() -> str:
    return shutil.which("npm") or missing("npm is not installed")


def _run_or_miss(command: list[str], folder: Path, reason: str) -> None:
    done = subprocess.run(
        command, cwd=folder, env=environment({}), capture_output=True, text=True, timeout=300, check=False
    )
    if done.returncode:
        missing(f"{reason}: {done.stderr.strip()[-300:]}")


def environment(more: dict[str, str]) -> dict[str, str]:
    """Our variables without those of a CI machine; programs of this environment come first."""
    ours = {name: value for name, value in os.environ.items() if not _FOREIGN.fullmatch(name)}
    path = os.pathsep.join((str(Path(uv()).parent), str(Path(sys.executable).parent), ours.get("PATH", "")))
    return {**ours, **GIT, "PATH": path, "UV_PYTHON": sys.executable, **more}


def checkout(root: Path, package: Package) -> Path:
    """A repository with a release of a server, tagged, and installed."""
    root.mkdir(parents=True)
    package.unpack(root)
    ignored = root / ".gitignore"
    kept = ignored.read_text("utf-8") if ignored.exists() else ""
    ignored.write_text(f"{kept}\nnode_modules/\n.venv/\n", "utf-8")
    package.install(root)
    for words in (
        ("init", "-q", "-b", "main"),
        ("add", "-A"),
        ("commit", "-q", "--no-verify", "-m", "begin"),
        ("tag", f"v{package.version}"),
    ):
        subprocess.run(["git", *words], cwd=root, env=environment({}), capture_output=True, check=True)
    return root


SERVERS = {
    # A low-level server of the Python SDK: serverInfo reports the version of the installed SDK.
    "sdk": Package(
        "pypi",
        "mcp-server-git",
        "0.6.2",
        "45fecea22dea292245afda91d86108723384a9812d1398e6706bf1eaaefdeae0",
        # The SDK that its lock file pins never answers `server/discover`, which costs each run 12 s.
        pins=("mcp==1.12.4",),
    ),
    # FastMCP without ``version=``: serverInfo reports the version of FastMCP.
    "fastmcp": Package(
        "pypi",
        "mcp-server-codetree",
        "0.2.0",
        "0a640661352dc0202ae9d111cc15ef5f973a059224765562a887c46cd85eae9f",
        pins=("fastmcp==4.1.2",),
        # Its first start in a checkout reads every source file there, which takes ten seconds with these.
        left_out=("tests",),
    ),
    # serverInfo is a literal that nobody has changed since the first day.
    "typescript": Package(
        "npm",
        "@modelcontextprotocol/server-memory",
        "0.6.2",
        "e4921b490d0c4096f29adef240c532e74b3d8476c60d922eeb32037251e07f5c",
    ),
    # Versions are dates, and serverInfo is a literal.
    "calver": Package(
        "npm",
        "@modelcontextprotocol/server-filesystem",
        "2026.8.31",
        "a239da270c403c42eb03e1ca7cca07c858085819797b74856ddbb91b50491b1a",
    ),
    # FastMCP 2 on an SDK whose version it reports; without two variables it does not start.
    "variable": Package(
        "pypi",
        "mcp-neo4j-aura-manager",
        "0.4.8",
        "ea67061e4c9c59a9173e779109092303b102e168c03635c8821d3ee4f792c7f7",
    ),
}
