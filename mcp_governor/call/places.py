"""Recognise parameters that take a path, and choose a file, folder or repository of the sandbox for them."""

from __future__ import annotations

import functools
import re
from enum import Enum, auto
from typing import TYPE_CHECKING

from mcp_governor.call.words import LISTING, singular, word_set, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcp_governor.call.sandbox import Sandbox

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


class Meaning(Enum):
    """What a path points to."""

    FILE = auto()
    FOLDER = auto()
    REPOSITORY = auto()


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
    if meaning is Meaning.REPOSITORY:
        yield sandbox.repository
        yield sandbox.root
    elif meaning is Meaning.FOLDER:
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
        return Meaning.REPOSITORY
    if "git" in does and not any(singular(word) in ("file", "filename", "filepath") for word in said):
        return Meaning.REPOSITORY
    if not _FOLDERS.isdisjoint(map(singular, said)):
        return Meaning.FOLDER
    if singular(said[-1]) != "path" or "file" in said:
        return Meaning.FILE
    described = text.lower()
    if "directory" in described or "folder" in described:
        return Meaning.FILE if "file" in described.split("directory")[0] else Meaning.FOLDER
    plain = not _SEARCHING.isdisjoint(does) and does.isdisjoint({"file", "files"})
    searches = not does.isdisjoint({"search", "find", "grep", "glob", "list"})
    return Meaning.FOLDER if (plain or searches) and not described.startswith("file") else Meaning.FILE


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
