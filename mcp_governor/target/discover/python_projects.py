"""Python projects: their scripts, their ``__main__``, and how to start them on any machine."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp_governor.files import MAX_TEXT_BYTES, is_regular, read_bytes, repository_of
from mcp_governor.parsing import read_toml
from mcp_governor.programs import find_program
from mcp_governor.target.discover.model import MODULES, OBJECTS, SCRIPTS, Candidate, Way
from mcp_governor.target.discover.python_source import find_objects, module_of, python_files, runs_server
from mcp_governor.target.environments import project_program
from mcp_governor.target.packages import in_our_environment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

_MAX_SCRIPTS = 4
"""Most scripts of one project that are tried: servers have one or two, perhaps in two spellings."""

_SCRIPT_WORDS = re.compile(r"mcp|server|serve\b|stdio", re.IGNORECASE)
_REQUIREMENTS = "requirements.txt"


class PythonProject:
    """A folder with Python code, and how to start its programs.

    Args:
        folder: folder of the project.
        top: the folder in which init runs; it or the top of the repository may have a workspace's lock file.
    """

    def __init__(self, folder: Path, top: Path) -> None:
        self.folder = folder
        self.table = read_table(folder / "pyproject.toml")
        self.scripts = _scripts(self.table)
        self._locks = _locks(folder, top)

    @property
    def name(self) -> str:
        """Name of the project; empty if unknown."""
        named = _sub(self.table, "project").get("name") or _sub(self.table, "tool", "poetry").get("name")
        return named if isinstance(named, str) else ""

    def ways(self, *words: str) -> tuple[Way, ...]:
        """Ways to start a script (``NAME``) or Python with arguments; the one closest to the project's setup comes
        first.

        Args:
            words: the command as it is written in the project's active environment.
        """
        found: list[Way] = []
        plain = {"command": list(words)}
        runner = next((runner for lock, runner in _RUNNERS if lock in self._locks and _is_there(runner)), "")
        installed = project_program(words[0], self.folder) is not None
        ours = words[0] != "python" and in_our_environment(words[0]) is not None
        if runner:
            command = [runner, "run", *words]
            found.append(Way({"command": command}, prepare=_SYNC[runner], installs=runner == "uv"))
        elif installed or ours:
            found.append(Way(plain, prepare=self.install if installed else ""))
        if _is_there("uv") and self.source:
            # Editable, so that each run uses the current source; isolated, so that nothing is written into the
            # project.
            source = ["--with-editable", "."] if self.source == "." else ["--with-requirements", _REQUIREMENTS]
            command = ["uv", "run", "--no-project", "--isolated", *source, *words]
            found.append(Way({"command": command}, installs=True))
        elif not (runner or installed or ours):
            found.append(Way(plain, prepare=self.install))
        return tuple(found)

    @property
    def install(self) -> str:
        """The command that installs the project into our environment."""
        if "uv.lock" in self._locks:
            return _SYNC["uv"]
        return f"pip install {self.source}" if self.source.startswith("-r") else "pip install -e ."

    @property
    def setup(self) -> str:
        """The command that installs the project as its lock file says, otherwise :attr:`install`."""
        return next((_SYNC[runner] for lock, runner in _RUNNERS if lock in self._locks), self.install)

    @property
    def source(self) -> str:
        """What pip installs of the project: ``.``, ``-r requirements.txt``, or nothing."""
        if {"project", "build-system"} & self.table.keys() or is_regular(self.folder / "setup.py"):
            return "."
        return f"-r {_REQUIREMENTS}" if is_regular(self.folder / _REQUIREMENTS) else ""

    @property
    def speaks_mcp(self) -> bool:
        """True if the project's metadata mentions MCP."""
        for file in ("pyproject.toml", _REQUIREMENTS, "setup.cfg", "setup.py"):
            try:
                if b"mcp" in read_bytes(self.folder / file, limit=MAX_TEXT_BYTES).lower():
                    return True
            except OSError:
                continue
        return False


_RUNNERS = (("uv.lock", "uv"), ("poetry.lock", "poetry"), ("pdm.lock", "pdm"), ("Pipfile.lock", "pipenv"))
_SYNC = {"uv": "uv sync", "poetry": "poetry install", "pdm": "pdm install", "pipenv": "pipenv install"}


def _is_there(program: str) -> bool:
    return find_program(program) is not None or in_our_environment(program) is not None


def _locks(folder: Path, top: Path) -> set[str]:
    """The lock files of a project or of its workspace."""
    places = {folder, top, repository_of(folder)}
    return {lock for lock, _ in _RUNNERS for place in places if is_regular(place / lock)}


def python_candidates(folder: Path, top: Path) -> tuple[list[Candidate], list[Way]]:
    """The probable servers of a Python project, and other possible commands that are not tried.

    Args:
        folder: folder of the project.
        top: top folder of the repository.
    """
    project = PythonProject(folder, top)
    found: list[Candidate] = []
    others: list[str] = []
    found_in = (folder / "pyproject.toml").relative_to(top).as_posix()
    if project.speaks_mcp:
        chosen, others = _chosen(project)
        found += [
            Candidate(project.name or script, folder, found_in, project.ways(script), SCRIPTS) for script in chosen
        ]
    found += _modules(project, top)
    found += _objects(project, top)
    return found, [project.ways(script)[0] for script in others]


def _chosen(project: PythonProject) -> tuple[list[str], list[str]]:
    """The scripts to try, likeliest first, and the others, because running ``NAME-deploy`` may do harm."""
    seen: dict[str, str] = {}
    for script, entry in project.scripts.items():
        seen.setdefault(entry, script)
    scripts = {script: entry for entry, script in seen.items()}
    if len(scripts) == 1:
        return list(scripts), []
    own = _plain(project.name)
    likely = [s for s, entry in scripts.items() if _plain(s) == own or _SCRIPT_WORDS.search(f"{s} {entry}")]
    likely.sort(key=lambda script: (_plain(script) != own, "mcp" not in script, "server" not in script))
    tried = likely[:_MAX_SCRIPTS]
    return tried, [script for script in scripts if script not in tried]


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _scripts(table: Mapping[str, Any]) -> dict[str, str]:
    """Name of each program that the project installs → its entry point."""
    found: dict[str, str] = {}
    for scripts in (_sub(table, "project", "scripts"), _sub(table, "tool", "poetry", "scripts")):
        for name, entry in scripts.items():
            entry = entry.get("reference", entry.get("callable")) if isinstance(entry, dict) else entry
            if isinstance(entry, str) and re.fullmatch(r"[A-Za-z0-9_][\w.-]{0,99}", name):
                found[name] = entry
    return found


def _modules(project: PythonProject, top: Path) -> Iterator[Candidate]:
    """Packages with a ``__main__``, and files that start a server when run."""
    for path, text in python_files(project.folder):
        packaged = (path.parent / "__init__.py").is_file()
        if path.name == "__main__.py" and packaged:
            speaks = "mcp" in text.lower() or project.speaks_mcp
            words: Sequence[str] = ("python", "-m", module_of(path.parent / "__init__.py", project.folder))
        elif path.name != "__init__.py" and runs_server(text):
            module = module_of(path, project.folder)
            speaks, words = (
                True,
                ("python", "-m", module) if packaged else ("python", path.relative_to(project.folder).as_posix()),
            )
        else:
            continue
        if speaks:
            name = project.name or (path.parent.name if path.name == "__main__.py" else path.stem)
            ways = project.ways(*words)
            if "# /// script" in text and _is_there("uv"):
                ways = (Way({"command": ["uv", "run", words[-1]]}, installs=True),)
            yield Candidate(name, project.folder, path.relative_to(top).as_posix(), ways, MODULES)


def _objects(project: PythonProject, top: Path) -> Iterator[Candidate]:
    for path, reference in find_objects(project.folder):
        name = project.name or reference.partition(":")[0].rpartition(".")[2]
        way = Way({"object": reference}, prepare=project.install if project.table else "")
        yield Candidate(name, project.folder, path.relative_to(top).as_posix(), (way,), OBJECTS)


def read_table(path: Path) -> Mapping[str, Any]:
    """The table in a TOML file; empty if there is none."""
    try:
        return read_toml(read_bytes(path, limit=MAX_TEXT_BYTES).decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return {}


def _sub(table: Mapping[str, Any], *path: str) -> Mapping[str, Any]:
    for key in path:
        value = table.get(key)
        if not isinstance(value, dict):
            return {}
        table = value
    return table
