"""What ``init`` may start unasked: commands that lead to a file or a script of the repository.

A client configuration, a start script or a Dockerfile may say anything. A command passes only if a form below describes
all of it: an interpreter or runner that we know, options that load nothing, and then a file or module of the
repository, or a script that it declares. Everything else is listed, and the user may start it.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp_governor.files import MAX_TEXT_BYTES, MEBIBYTE, is_regular, read_bytes
from mcp_governor.programs import find_program, our_interpreter
from mcp_governor.target.discover.node import node_file, read_json
from mcp_governor.target.discover.python_projects import PythonProject, read_table
from mcp_governor.target.discover.python_source import SOURCE_ROOTS, source_paths
from mcp_governor.target.environments import project_program, python_of
from mcp_governor.target.packages import in_our_environment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp_governor.target.discover.model import Way

_NPM = ("npm", "npx", "pnpm", "yarn", "bun")
_TASK = ("run TASK", "run TASK -- *")
_FORMS: dict[str, tuple[str, ...]] = {
    "python": ("-m MODULE *", "FILE *"),
    **dict.fromkeys(("node", "tsx", "ts-node"), ("SCRIPT *",)),
    **dict.fromkeys(("ruby", "php"), ("FILE *",)),
    "java": ("-jar FILE *",),
    "go": ("run IN_GO *",),
    "cargo": ("run", "run -- *"),
    "dotnet": ("run --project INSIDE", "run --project INSIDE -- *"),
    "deno": ("run FILE *",),
    "bun": ("SCRIPT *", "run SCRIPT *", *_TASK),
    "pnpm": ("exec tsx SCRIPT *", *_TASK),
    **dict.fromkeys(("npm", "yarn"), _TASK),
    "npx": ("tsx SCRIPT *", "ts-node SCRIPT *", "OURS *"),
    "uv": ("run -m MODULE *", "run PYTHON *", "run COMMAND", "tool run --from FOLDER DECLARED *", "tool run OURS *"),
    "uvx": ("--from FOLDER DECLARED *", "OURS *"),
    "pipx": ("run --spec FOLDER DECLARED *", "run OURS *"),
    **dict.fromkeys(("poetry", "pdm", "pipenv"), ("run COMMAND",)),
    **dict.fromkeys(("mcp", "fastmcp"), ("run PYTHON",)),
}
"""Runner → what may follow it: words as they are, ``*`` for any rest, and in capitals what :meth:`Repository._is`
judges."""

_QUIET = dict.fromkeys(("-q", "--quiet", "-s", "--silent"), "")
_OPTIONS: dict[str, dict[str, str]] = {
    "python": dict.fromkeys(("-u", "-B", "-E", "-O"), ""),
    "node": dict.fromkeys(("--enable-source-maps", "--no-warnings", "--experimental-strip-types"), ""),
    "cargo": {**_QUIET, "-r": "", "--release": "", "--locked": "", "--bin": "NAME", "-p": "NAME", "--package": "NAME"},
    "dotnet": {"-c": "NAME", "--configuration": "NAME", "--no-build": ""},
    "deno": {"-A": "", **{f"--allow-{what}": "" for what in ("all", "env", "net", "read", "run", "sys", "write")}},
    "bun": {**_QUIET, "--cwd": "FOLDER"},
    "pnpm": {**_QUIET, "--dir": "FOLDER", "-C": "FOLDER"},
    "npm": {**_QUIET, "--prefix": "FOLDER"},
    "yarn": {**_QUIET, "--cwd": "FOLDER"},
    "npx": {**_QUIET, "-y": "", "--yes": "", "--no-install": ""},
    "uv": {
        **_QUIET,
        **dict.fromkeys(("--isolated", "--no-project", "--locked", "--frozen", "--no-sync", "--no-dev"), ""),
        **dict.fromkeys(("--project", "--with-editable", "--with-requirements"), "INSIDE"),
        **dict.fromkeys(("--extra", "--group"), "NAME"),
        "--directory": "FOLDER",
        "--python": "VERSION",
        "--with": "SDK",
    },
    "uvx": {**_QUIET, "--python": "VERSION"},
    "mcp": {"-t": "NAME", "--transport": "NAME"},
    "fastmcp": {"-t": "NAME", "--transport": "NAME"},
}
"""Runner → its options that load no code from elsewhere, and what their value has to be; empty: they have none."""

_WORDS = {
    "NAME": re.compile(r"\w[\w.-]*"),
    "VERSION": re.compile(r"[\d.]+"),
    "SDK": re.compile(r"(?:mcp|fastmcp)(?:\[cli\])?(?:[=<>~]=[\d.]+)?"),
}
_MODULE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_PLAIN = re.compile(r"[\w ./:=@,+-]+", re.ASCII)
"""A command that a shell reads as the words that we see."""

_ELSEWHERE = frozenset((".git", ".venv", "venv", "node_modules", "site-packages"))
"""Folders inside a repository whose files are not its own."""

_MAX_WORDS, _MAX_PARTS, _MAX_TASKS = 64, 5, 3
"""Most words of a command, commands of an npm script, and scripts that start one another: people write fewer."""

_LOADERS = re.compile(
    r"(?:LD|DYLD|NODE|NPM|YARN|PNPM|TSX|TS_NODE|BUN|DENO|UV|PIPX?|POETRY|PDM|PIPENV|CONDA|CGO|CARGO|RUSTUP|JAVA|JDK|GEM"
    r"|BUNDLE|PHP|DOTNET|COR|CORECLR|COMPLUS|NUGET|ASPNETCORE_HOSTING\w*|OPENSSL|SSL|XDG|GIT|PKG_CONFIG)_.*"
    r"|(?:PYTHON|RUBY|RUSTC|PERL|MSBUILD|BASH|GCONV|_JAVA).*|GO[A-Z0-9]+|CLASSPATH|VIRTUAL_ENV|PHPRC|PATH|PATHEXT|SHELL"
    r"|COMSPEC|HOME|USERPROFILE|APPDATA|LOCALAPPDATA|ZDOTDIR|CC|CXX|AR|LD|IFS|LOCPATH|GLIBC_TUNABLES"
)
"""Variables with which loaders, interpreters, runners and package managers find code or settings."""

_HARMLESS = frozenset(
    ("NODE_ENV", "PYTHONUNBUFFERED", "PYTHONIOENCODING", "PYTHONUTF8", "PYTHONDONTWRITEBYTECODE", "DOTNET_ENVIRONMENT")
)


class Repository:
    """Judges commands by where they lead.

    Args:
        top: top folder of the repository.
    """

    def __init__(self, top: Path) -> None:
        self._top = top.resolve()

    def may_start(self, way: Way, folder: Path) -> bool:
        """True if a way to start the server of ``folder`` leads to code of the repository, or starts nothing."""
        if way.missing:
            return True
        if "object" not in way.keys:
            return self.leads_here(way.keys["command"], folder)
        folder = folder.resolve()
        python = python_of(folder)
        known = not Path(python).is_relative_to(self._top) or self._runner(python, folder) == "python"
        return known and self._module(way.keys["object"].partition(":")[0], folder, "__init__.py")

    def leads_here(self, command: Sequence[str], folder: Path, env: Mapping[str, str] | None = None) -> bool:
        """True if a command leads to a file or a script of the repository.

        Args:
            command: program and arguments.
            folder: in which it is started.
            env: variables that it is given.
        """
        return (
            self._inside(folder)
            and all(self._harmless(name.upper(), value, folder) for name, value in (env or {}).items())
            and self._command(command, folder.resolve())
        )

    def _harmless(self, name: str, value: str, folder: Path) -> bool:
        if name == "PYTHONPATH":
            return all(self._inside(folder / part) for part in value.split(os.pathsep))
        return name in _HARMLESS or _LOADERS.fullmatch(name) is None

    def _inside(self, path: Path) -> bool:
        """True if a path exists and leads to the source of the repository, also through links."""
        try:
            return _ELSEWHERE.isdisjoint(path.resolve(strict=True).relative_to(self._top).parts)
        except (OSError, ValueError, RuntimeError):
            return False

    def _command(self, command: Sequence[str], folder: Path, tasks: frozenset[str] = frozenset()) -> bool:
        """Judge a command; ``tasks`` are the npm scripts that led to it."""
        if not 0 < len(command) <= _MAX_WORDS:
            return False
        program, *rest = command
        if (_has_folder(program) and self._is("FILE", program, folder)) or self._is("DECLARED", program, folder):
            return True
        runner = self._runner(program, folder)
        if (
            (runner == "cargo" and not self._is("FILE", "Cargo.toml", folder))
            or (runner in ("pdm", "pipenv") and _has_tasks(folder))
            or (runner in _NPM and _has_settings(folder))
        ):
            return False
        if runner in _NPM and rest[:1] == ["start"]:
            rest.insert(0, "run")
        return any(self._fits(form.split(), rest, folder, runner, tasks) for form in _FORMS.get(runner, ()))

    def _fits(self, form: list[str], words: list[str], folder: Path, runner: str, tasks: frozenset[str]) -> bool:
        """True if the words are those of a form, with options of its runner before, between and behind them."""
        for expected in form:
            if expected == "*":
                return True
            if not words or words[0] != expected:
                words, folder = self._after_options(words, folder, runner)
            if expected == "COMMAND":
                return self._command(words, folder, tasks)
            if not words:
                return False
            word, *words = words
            if expected == "TASK":
                known = self._task(word, folder, tasks)
            else:
                known = self._is(expected, word, folder) if expected.isupper() else word == expected
            if not known:
                return False
            if expected == "FOLDER":
                folder = folder / word
        return not self._after_options(words, folder, runner)[0]

    def _after_options(self, words: list[str], folder: Path, runner: str) -> tuple[list[str], Path]:
        """The words after the harmless options at their beginning, and the folder that these change to."""
        known = _OPTIONS.get(runner, {})
        while words:
            option, equals, value = words[0].partition("=")
            kind = known.get(option)
            if kind is None:
                break
            rest = words[1:]
            if kind and not equals:
                value, rest = (rest or [""])[0], rest[1:]
            if kind and not self._is(kind, value, folder):
                break
            words, folder = rest, folder / value if kind == "FOLDER" else folder
        return words, folder

    def _is(self, kind: str, word: str, folder: Path) -> bool:
        """True if a word is of the kind that a form or an option has there."""
        if word.startswith("-"):
            return False
        path = folder / word
        if kind == "FILE":
            return is_regular(path) and self._inside(path)
        if kind == "SCRIPT":
            # A word without a suffix may be a command of the runner ("inspect", "watch"), whatever files are there.
            found = node_file(path) if _has_folder(word) or "." in word else None
            return found is not None and self._inside(found)
        if kind == "PYTHON":
            file = word.partition(":")[0]
            return file.endswith(".py") and self._is("FILE", file, folder)
        if kind in ("INSIDE", "FOLDER"):
            return self._inside(path) and (kind == "INSIDE" or path.is_dir())
        if kind == "IN_GO":
            return (word.startswith(".") or word.endswith(".go")) and self._inside(path)
        if kind == "MODULE":
            return self._module(word, folder, "__main__.py")
        if kind == "OURS":
            names = {PythonProject(folder, folder).name, str(read_json(folder / "package.json").get("name", ""))}
            return (word[:1] + word[1:].partition("@")[0]) in names - {""}
        if kind == "DECLARED":
            return self._declared(word, folder)
        return _WORDS[kind].fullmatch(word) is not None

    def _runner(self, program: str, folder: Path) -> str:
        """The name of a runner that we know, wherever the system or a virtual environment has it; else empty."""
        name = _called(program)
        if name not in _FORMS:
            return ""
        if _has_folder(program):
            places = [folder / program]
        else:
            nearby = (project_program(program, folder), str(folder / "node_modules" / ".bin" / program))
            places = [Path(place) for place in nearby if place and os.path.lexists(place)]
        return name if all(self._is_runner(place, name) for place in places) else ""

    def _is_runner(self, place: Path, name: str) -> bool:
        try:
            real = place.resolve(strict=True)
        except (OSError, ValueError, RuntimeError):
            return False
        if Path(os.path.normpath(place)).is_relative_to(self._top):
            return real.is_relative_to(self._top) or _called(real.name) == name
        return real in {Path(known).resolve() for known in (find_program(place.name), our_interpreter()) if known}

    def _module(self, name: str, folder: Path, inner: str) -> bool:
        """True if a module is a file of the project, or a package with the file ``inner``."""
        if _MODULE.fullmatch(name) is None:
            return False
        parts = name.split(".")
        for root in ("", *SOURCE_ROOTS):
            path = (folder / root).joinpath(*parts)
            # The current folder comes first, but the other folders come after the standard library.
            ours = not root or parts[0] not in (*sys.stdlib_module_names, "pip")
            if ours and (self._is("FILE", str(path / inner), folder) or self._is("FILE", f"{path}.py", folder)):
                return True
        return False

    def _declared(self, program: str, folder: Path) -> bool:
        """True if a program is a script that the project declares."""
        name = Path(program).name
        entry = PythonProject(folder, folder).scripts.get(name)
        if entry is None:
            return False
        installed = project_program(name, folder)
        if _has_folder(program) and str(folder / program) != installed:
            return False
        # "rm" may be declared as well: what has this name on the machine has to be made from the entry point.
        module = entry.partition(":")[0].strip()
        return all(
            Path(found).resolve().is_relative_to(self._top)
            or (_imports(found, module) and self._has_source(module, folder))
            for found in (installed, in_our_environment(name), find_program(name))
            if found
        )

    def _has_source(self, module: str, folder: Path) -> bool:
        end = tuple(module.split("."))
        paths = (path.parent if path.name == "__init__.py" else path for path in source_paths(folder, (".py",)))
        return any(path.with_suffix("").parts[-len(end) :] == end and self._inside(path) for path in paths)

    def _task(self, name: str, folder: Path, tasks: frozenset[str]) -> bool:
        """True if an npm script, and what npm runs before and after it, leads to files of the repository."""
        scripts = read_json(folder / "package.json").get("scripts")
        if not isinstance(scripts, dict) or name not in scripts or name in tasks or len(tasks) == _MAX_TASKS:
            return False
        parts: list[Any] = []
        for key in (f"pre{name}", name, f"post{name}"):
            text = scripts.get(key, "")
            parts += text.split("&&") if isinstance(text, str) and text else [text] * (key in scripts)
        return len(parts) <= _MAX_PARTS and all(
            isinstance(part, str) and _PLAIN.fullmatch(part) and self._command(part.split(), folder, tasks | {name})
            for part in parts
        )


def _has_folder(program: str) -> bool:
    return "/" in program or "\\" in program


def _called(program: str) -> str:
    """What a program is called, without its folder, its version and the ending that Windows adds: ``python``."""
    return re.sub(r"[\d.]*(?:\.(?:exe|cmd|bat))?$", "", re.split(r"[/\\]", program)[-1].lower())


def _imports(script: str, module: str) -> bool:
    """True if an installed program is the script of an entry point in this module."""
    try:
        text = read_bytes(script, limit=MEBIBYTE)
    except OSError:
        return False
    return f"from {module} import ".encode() in text


def _has_tasks(folder: Path) -> bool:
    """True if a project has commands of its own for ``pdm run`` or ``pipenv run``, which go before its scripts."""
    tool = read_table(folder / "pyproject.toml").get("tool")
    pdm = tool.get("pdm") if isinstance(tool, dict) else None
    return "scripts" in read_table(folder / "Pipfile") or (isinstance(pdm, dict) and "scripts" in pdm)


def _has_settings(folder: Path) -> bool:
    """True if the settings of npm name another shell, or code for Node.js to load."""
    try:
        text = read_bytes(folder / ".npmrc", limit=MAX_TEXT_BYTES)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return re.search(rb"(?:script.shell|node.options)", text, re.IGNORECASE) is not None
