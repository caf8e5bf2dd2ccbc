"""A temporary folder with files for parameters that take a path, and which of them a parameter gets.

It is created on first use and removed at the end. A run does not read or write files outside of it. Messages and
recordings write its files as ``{sandbox}/notes.txt`` and the day as ``{today}``, so that output is reproducible.
Configured and recorded calls may use these placeholders too.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import tempfile
from contextlib import suppress
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from mcp_governor.call.words import LISTING, singular, words
from mcp_governor.errors import UsageError
from mcp_governor.programs import find_program
from mcp_governor.prose.words import word_set
from mcp_governor.text import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import TracebackType

ROOT = "{sandbox}"
"""Placeholder for the sandbox in recordings, messages and configured calls."""

_DAY = re.compile(r"\{today(?::([%A-Za-z0-9./ -]{1,20}))?\}")
DAY_FORMATS = ("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%Y%m%d", "%Y-%m")
"""Date formats; the unambiguous one comes first."""


def samples_in(folder: Path) -> dict[str, Path]:
    """The files of a folder by name. pip compiles the sample of Python, into a folder of its own."""
    return {file.name: file for file in sorted(folder.iterdir()) if file.is_file()}


SAMPLES = samples_in(Path(__file__).parent / "samples")
"""The sample files by name: small and valid; those with text contain the word "example"."""

_GIT_SECONDS = 10
"""Timeout for one git command, in seconds: generous, in a repository of two files they take milliseconds. After a
timeout, the folder stays as it is."""
_MAX_PRINTED = 65_536
"""Most output of one git command, in bytes; all of them are quiet."""
_MAX_SEEN = 500
"""Most entries of the sandbox that are read; a server may create any number."""


class Sandbox:
    """The files of one run.

    Args:
        parent: an existing folder in which to create it; by default, the system's folder for temporary files.
        today: today's date in arguments.
    """

    def __init__(self, parent: Path | None = None, today: date | None = None) -> None:
        self._parent = parent
        self._made: Path | None = None
        self.today = today or date.today()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def made(self) -> bool:
        """True if the folder exists."""
        return self._made is not None

    @property
    def root(self) -> str:
        """The absolute path of the folder, with symbolic links resolved.

        Raises:
            UsageError: it cannot be created.
        """
        if self._made is None:
            try:
                made = tempfile.mkdtemp(prefix="mcp-governor-", dir=self._parent)
            except OSError as error:
                where = visible(str(self._parent or tempfile.gettempdir()))
                raise UsageError(
                    f"No folder for sample files can be created in {where}: {error.strerror}.", "Check the path."
                ) from None
            self._made = Path(made).resolve()
            self.restore()
        return str(self._made)

    def restore(self) -> None:
        """Write missing sample files again, because a tool may have moved or deleted them."""
        if self._made is not None and not self._made.is_symlink():
            for name, file in SAMPLES.items():
                _write(self._made / name, file)

    def file(self, ending: str) -> str:
        """A file with an extension such as ``txt``: a sample, or else a file that a tool has written.

        If there is neither, the path of a file that does not exist.
        """
        sample = next((name for name in SAMPLES if name.endswith(f".{ending}")), None)
        if sample is not None:
            return f"{self.root}/{sample}"
        return next(iter(self.written(ending)), self.fresh(ending)[0])

    def written(self, ending: str) -> list[str]:
        """Files with an extension at the top of the sandbox that are not samples, sorted."""
        try:
            with os.scandir(self.root) as entries:
                names = [entry.name for entry, _ in zip(entries, range(_MAX_SEEN), strict=False)]
        except OSError:
            return []
        return [f"{self.root}/{name}" for name in sorted(names) if name.endswith(f".{ending}") and name not in SAMPLES]

    def fresh(self, ending: str = "", count: int = 4) -> list[str]:
        """Unused paths, for tools that create something; without ``ending``, for folders."""
        dot = f".{ending}" if ending else ""
        names = (f"created{number if number > 1 else ''}{dot}" for number in range(1, _MAX_SEEN))
        free = (f"{self.root}/{name}" for name in names if not os.path.lexists(f"{self.root}/{name}"))
        return [path for path, _ in zip(free, range(count), strict=False)]

    @cached_property
    def repository(self) -> str:
        """A git repository with two commits, a staged and an unstaged change; without git, an empty folder."""
        folder = Path(self.root) / "repository"
        with suppress(OSError):
            folder.mkdir()
        git = find_program("git")
        if git is not None:
            _fill(folder, git)
        return str(folder)

    def portable(self, value: Any) -> Any:
        """The value with placeholders for what differs from run to run: this folder and today's date."""
        return _each(value, self._portable)

    def _portable(self, text: str) -> str:
        if self._made is not None:
            text = text.replace(str(self._made), ROOT)
        text = text.replace(self.today.isoformat(), "{today}")
        other = next((form for form in DAY_FORMATS[1:] if text == self.today.strftime(form)), None)
        return f"{{today:{other}}}" if other is not None else text

    def filled(self, value: Any) -> Any:
        """The value with its placeholders replaced; the reverse of :meth:`portable`."""
        return _each(value, self._filled)

    def _filled(self, text: str) -> str:
        if ROOT in text:
            if "repository" in text:
                assert self.repository  # created on first use
            text = text.replace(ROOT, self.root)
        return _DAY.sub(lambda found: self.today.strftime(found[1] or DAY_FORMATS[0]), text)

    def close(self) -> None:
        """Remove the folder with everything that servers wrote into it; links are removed and not followed."""
        if self._made is None:
            return
        shutil.rmtree(self._made, ignore_errors=True)
        if os.path.lexists(self._made) and not self._made.is_symlink():
            for folder, _, _ in os.walk(self._made):
                with suppress(OSError):
                    Path(folder).chmod(0o700)
            shutil.rmtree(self._made, ignore_errors=True)


def _each(value: Any, change: Callable[[str], str]) -> Any:
    """A JSON value with each string in it changed, but for the keys."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_each(item, change) for item in value]
    return {key: _each(item, change) for key, item in value.items()} if isinstance(value, dict) else value


def _write(path: Path, sample: Path) -> None:
    # A server may have created a link with this name; O_EXCL does not follow it.
    with suppress(OSError), os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(sample.read_bytes())


def _fill(folder: Path, git: str) -> None:
    """Two commits with fixed dates and authors, so that their hashes are the same everywhere."""
    from mcp_governor.programs.child import output_of

    # Ignore the user's hooks, templates and settings.
    env = {
        "PATH": os.environ.get("PATH", ""),
        "HOME": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CEILING_DIRECTORIES": str(folder.parent),
        **{f"GIT_{who}_NAME": "Example" for who in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{who}_EMAIL": "someone@example.com" for who in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{who}_DATE": "2026-01-15T12:00:00Z" for who in ("AUTHOR", "COMMITTER")},
    }

    def run(*arguments: str) -> None:
        command = [git, "-C", str(folder), "-c", f"core.hooksPath={os.devnull}", "-c", "commit.gpgSign=false"]
        if output_of([*command, *arguments], seconds=_GIT_SECONDS, most=_MAX_PRINTED, env=env).code != 0:
            raise OSError("git did not do it")

    with suppress(OSError):
        run("init", "--quiet", "--template=", "--initial-branch=main")
        run("config", "user.name", "Example")
        run("config", "user.email", "someone@example.com")
        for number, text in enumerate(("example\n", "example\nmore\n"), 1):
            (folder / "notes.txt").write_text(text, "utf-8")
            run("add", "notes.txt")
            run("commit", "--quiet", "--message", f"Example {number}")
        run("branch", "example")
        (folder / "staged.txt").write_text("example\n", "utf-8")
        run("add", "staged.txt")
        (folder / "notes.txt").write_text("example\nmore\nchanged\n", "utf-8")


_PLACES = word_set("path file filename filepath pathname dir directory folder cwd workdir workbook")
_FOLDERS = word_set("dir directory folder cwd workdir root workspace")
_REPOSITORY = word_set("repo repository git")
_MAY_BE = word_set("source destination src dst target input output location root workspace repo repository project")
_ENDS = word_set("source destination src dst dest")
_ABOUT_FILES = re.compile(r"\b(?:files?|director(?:y|ies)|folders?)\b", 2)  # re.IGNORECASE
_READ = 2_000
"""Characters of a description that are read, as in :mod:`mcp_governor.call.prose`: file types are mentioned early."""
_SAID = re.compile(
    r"\b(?:file|folder|directory|absolute|relative|local|output|full) ?path|\bpaths? (?:to|of|where) |\bfile ?name\b"
    r"|\bdirectory (?:to|in|of|where)\b|\bfolder (?:to|in|of|where)\b",
    2,  # re.IGNORECASE
)
_OTHER_PATHS = re.compile(r"json ?path|xpath|url path|api path|endpoint|dot[- ]?(?:path|notation)|api-relative", 2)
_ENDING = re.compile(r"(?<![\w.])\*?\.([a-z]{2,5})\b")
_TARGET = word_set("destination dest dst output out target new to save")
_MAKING = word_set("create new make init generate save export download copy move rename merge convert")
_SEARCHING = LISTING | word_set("directory folder tree grep glob walk scan index")

_ENDINGS = {
    "excel": "xlsx", "xlsx": "xlsx", "workbook": "xlsx", "worksheet": "xlsx", "spreadsheet": "xlsx",
    "word": "docx", "docx": "docx", "powerpoint": "pptx", "pptx": "pptx", "presentation": "pptx", "slide": "pptx",
    "pdf": "pdf", "image": "png", "png": "png", "picture": "png", "photo": "png", "media": "png", "screenshot": "png",
    "csv": "csv", "json": "json", "markdown": "md", "html": "html", "xml": "xml", "yaml": "yaml", "toml": "toml",
    "python": "py", "javascript": "js", "typescript": "ts", "sql": "sql", "log": "log", "sqlite": "db",
    "database": "db", "duckdb": "db",
}  # fmt: skip
"""A word for a kind of file → its extension."""

_KNOWN_ENDINGS = frozenset(_ENDINGS.values()) | {"txt", "db", "js", "ts", "py", "md", "log", "sql", "toml", "yaml"}


Meaning = Literal["file", "folder", "repository"]
"""What a path points to."""


# called several times for each parameter; 2,048 is generous for the parameters of 500 tools
@functools.lru_cache(maxsize=2_048)
def means_place(name: str, text: str, tool: str = "") -> bool:
    """True if a parameter takes a path in a file system.

    Args:
        name: name of the parameter.
        text: description of the parameter.
        tool: description of the tool; if the tool moves files, "source" and "destination" need no description.
    """
    said = words(name)
    if not said or _OTHER_PATHS.search(f"{name} {text}"):
        return False
    last = singular(said[-1])
    if last in _PLACES or " ".join(said[-2:]) in ("file name", "folder name", "directory name", "working directory"):
        return last != "file" or said[0] not in ("is", "has", "max", "include")
    if last in _ENDS and _ABOUT_FILES.search(tool[:_READ]) is not None:
        return True
    return last in _MAY_BE and _SAID.search(text) is not None


def sandbox_paths(
    sandbox: Sandbox, name: str, text: str, *, tool: str, about: Iterable[str], others: Iterable[str], read_only: bool
) -> Iterator[str]:
    """Sandbox paths that fit a parameter, best first.

    Args:
        sandbox: the files of the run.
        name, text: name and description of the parameter.
        tool: name of the tool.
        about: other descriptions that may mention the kind of file, best first.
        others: names of the tool's other parameters.
        read_only: true if the tool only reads.
    """
    meaning = meaning_of(name, text, tool)
    ending = _ending((text, name, tool, *about))
    makes = not read_only and makes_place(name, tool)
    if meaning == "repository":
        yield sandbox.repository
        yield sandbox.root
    elif meaning == "folder":
        yield from [*sandbox.fresh()[:2], sandbox.root] if makes else [sandbox.root]
        yield sandbox.file(ending)
    else:
        inside = any(_is_repository(words(other)) for other in others)
        if makes:
            yield from sandbox.fresh(ending)[:2]
        if inside:
            yield f"{sandbox.repository}/notes.txt"
            if read_only:
                yield "notes.txt"
        # A file that one of the server's own tools wrote is more likely to be accepted than a sample.
        yield from [*sandbox.written(ending)[:2], sandbox.file(ending)]
        if singular(words(name)[-1]) not in ("file", "filename", "filepath", "name"):
            yield sandbox.root


def meaning_of(name: str, text: str, tool: str) -> Meaning:
    """What a path parameter points to; arguments as for :func:`sandbox_paths`."""
    said, does = words(name), {*words(tool)}
    if _is_repository(said):
        return "repository"
    if "git" in does and not any(singular(word) in ("file", "filename", "filepath") for word in said):
        return "repository"
    if not _FOLDERS.isdisjoint(map(singular, said)):
        return "folder"
    if singular(said[-1]) != "path" or "file" in said:
        return "file"
    described = text.lower()
    if "directory" in described or "folder" in described:
        return "file" if "file" in described.split("directory")[0] else "folder"
    plain = not _SEARCHING.isdisjoint(does) and does.isdisjoint({"file", "files"})
    searches = not does.isdisjoint({"search", "find", "grep", "glob", "list"})
    return "folder" if (plain or searches) and not described.startswith("file") else "file"


def _is_repository(said: Iterable[str]) -> bool:
    return not _REPOSITORY.isdisjoint(map(singular, said))


def makes_place(name: str, tool: str) -> bool:
    """True if a tool creates what a path parameter points to, so that nothing should be there yet."""
    said, does = words(name), words(tool)
    if not _TARGET.isdisjoint(said):
        return True
    if "source" in said or "src" in said or "input" in said:
        return False
    if not {"copy", "move", "rename", "convert", "merge"}.isdisjoint(does):
        return False
    made = next((singular(word) for word in reversed(does)), "")
    # "create_workbook" creates the file; "create_worksheet" creates something in an existing file.
    return not _MAKING.isdisjoint(does) and made in _WHOLE


_WHOLE = word_set("workbook document file presentation directory folder database image pdf report spreadsheet")


def endings_in(text: str) -> list[str]:
    """File name extensions that a description mentions, each once."""
    return list(dict.fromkeys(match[1] for match in _ENDING.finditer(text) if match[1] in _KNOWN_ENDINGS))


def _ending(descriptions: Iterable[str]) -> str:
    excerpts = [text[:_READ] for text in descriptions]
    for text in excerpts:
        found = next((match[1] for match in _ENDING.finditer(text) if match[1] in _KNOWN_ENDINGS), None)
        if found is not None:
            return found
        for word in words(text):
            if singular(word) in _ENDINGS:
                return _ENDINGS[singular(word)]
    return "txt"
