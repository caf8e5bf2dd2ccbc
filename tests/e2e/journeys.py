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
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from commandline import typed
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


@dataclass(frozen=True)
class Run:
    """What one command came to, and how long it took."""

    command: tuple[str, ...]
    code: int
    text: str
    seconds: float

    def __str__(self) -> str:
        return f"$ {' '.join(self.command)}\n{self.text}(exit code {self.code}, {self.seconds:.1f} s)"

    @property
    def last(self) -> str:
        """The last line."""
        return self.text.rstrip("\n").rpartition("\n")[2]

    def passed(self) -> Run:
        """This run, which passed."""
        assert self.code == 0, str(self)
        return self

    def failed(self, code: int = 1) -> Run:
        """This run, which failed with this exit code."""
        assert self.code == code, str(self)
        return self

    def says(self, *strings: str) -> Run:
        """This run, whose reader finds each of these texts; how lines are broken does not matter."""
        found = " ".join(self.text.split())
        for text in strings:
            assert " ".join(text.split()) in found, f"{text!r} is not in\n{self}"
        return self

    def is_silent_about(self, *strings: str) -> Run:
        """This run, whose reader finds none of these texts."""
        for text in strings:
            assert text not in self.text, f"{text!r} is in\n{self}"
        return self


@dataclass
class Project:
    """A maintainer's checkout, and everything that was typed in it."""

    root: Path
    package: Package
    env: dict[str, str] = field(default_factory=dict)
    typed: list[Run] = field(default_factory=list)

    def governor(self, *arguments: str, **env: str) -> Run:
        """Type ``mcp-governor ARGUMENTS``."""
        began = time.monotonic()
        code, text = typed(*arguments, cwd=self.root, env=environment({**self.env, **env}))
        run = Run(("mcp-governor", *arguments), code, text, time.monotonic() - began)
        self.typed.append(run)
        return run

    def git(self, *arguments: str) -> str:
        """Run git, which succeeds."""
        done = subprocess.run(
            ["git", *arguments], cwd=self.root, env=environment({}), capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def edit(self, file: str, old: str, new: str) -> None:
        """Write ``new`` where ``old`` stands, which is in one place."""
        path = self.root / file
        text = path.read_text("utf-8")
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {file}"
        path.write_text(text.replace(old, new), "utf-8")

    def read(self, file: str) -> str:
        """The text of a file."""
        return (self.root / file).read_text("utf-8")

    def commit(self, message: str, *, tag: str = "") -> None:
        """Commit everything, and tag it."""
        self.git("add", "-A")
        self.git("commit", "-q", "--no-verify", "-m", message)
        if tag:
            self.git("tag", tag)

    def clone(self, tag: str) -> Project:
        """A fresh clone at a tag, with what it needs installed. What is typed there is counted here."""
        root = Path(tempfile.mkdtemp(prefix="clone-", dir=self.root.parent))
        self.git("clone", "-q", "--branch", tag, str(self.root), str(root))
        if (self.root / "node_modules").is_dir():
            # npm would put the same files there, in seconds.
            shutil.copytree(self.root / "node_modules", root / "node_modules", symlinks=True)
        return Project(root, self.package, self.env, self.typed)


def checkout(root: Path, package: Package, *, tag: str, env: dict[str, str] | None = None) -> Project:
    """A repository with a release of a server, tagged, and installed."""
    root.mkdir(parents=True)
    package.unpack(root)
    project = Project(root, package, env or {})
    ignored = root / ".gitignore"
    kept = ignored.read_text("utf-8") if ignored.exists() else ""
    ignored.write_text(f"{kept}\nnode_modules/\n.venv/\n", "utf-8")
    package.install(root)
    project.git("init", "-q", "-b", "main")
    project.commit("begin", tag=tag)
    return project


def figures(typed: list[Run]) -> dict[str, Any]:
    """Number of commands and seconds of what was typed."""
    return {"commands": len(typed), "seconds": round(sum(run.seconds for run in typed), 1)}
