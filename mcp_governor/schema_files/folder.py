"""Folders of schema files: what one holds, and writing one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.errors import FileFormatError, UsageError
from mcp_governor.files import list_files, read_bytes
from mcp_governor.schema_files.documents import (
    MANIFEST,
    SUFFIX,
    Manifest,
    digest,
    foreign_references,
    manifest_of,
    read_manifest,
    schema_files,
)
from mcp_governor.surface.file import parse_json
from mcp_governor.text import one_line, visible
from mcp_governor.writing import NewFile, locked, write_files

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp_governor.surface import Surface

MAX_FILES = 20_000
"""Most schema files of a folder: two for each of 10,000 tools, as a recording may have."""
MAX_SCHEMA_BYTES = 8 * 1024 * 1024
"""Largest schema file, in bytes; the largest schema known has 140 KB."""


class Folder(Struct, frozen=True):
    """A folder of schema files.

    Attributes:
        shown: its name in messages.
        schemas: file → parsed content.
        broken: file → why it cannot be read.
        content: file → its text, for positions.
        sources: tool → what its schema was generated from when it was exported.
        server: name of the server whose schemas were exported; empty if none were.
    """

    shown: str
    schemas: Mapping[str, Any]
    broken: Mapping[str, str]
    content: Mapping[str, str]
    sources: Mapping[str, str]
    server: str

    @property
    def names(self) -> list[str]:
        """All files, sorted."""
        return sorted([*self.schemas, *self.broken])

    def place(self, name: str) -> str:
        """A file as the user would type it."""
        return f"{self.shown}/{visible(name)}"


def read_folder(path: Path) -> Folder:
    """Read the schema files of a folder; folders in it, hidden files and files of other kinds are left alone.

    Raises:
        UsageError: it is missing, not a folder, or too large.
    """
    shown = visible(str(path).rstrip("/\\")) or "."
    if not path.is_dir():
        what = "is not a folder" if os.path.lexists(path) else "does not exist"
        raise UsageError(f"{shown} {what}.", f"Write the schema files with: mcp-governor schemas export {shown}")
    try:
        files = [file for file in list_files(path, SUFFIX, most=MAX_FILES) if not file.name.startswith(".")]
    except OSError as error:
        raise UsageError(f"{shown} cannot be read: {error.strerror}.", "Name the folder of schema files.") from None
    schemas: dict[str, Any] = {}
    broken: dict[str, str] = {}
    content: dict[str, str] = {}
    for file in files:
        name = one_line(file.name, 200)
        try:
            data = read_bytes(file, limit=MAX_SCHEMA_BYTES)
            schemas[file.name] = parse_json(data, name)
            content[file.name] = data.decode("utf-8-sig")
        except OSError as error:
            broken[file.name] = f"cannot be read: {error.strerror}"
        except FileFormatError as error:
            broken[file.name] = error.message.removeprefix(name).strip().rstrip(".")
    manifest = _manifest(path)
    return Folder(shown, schemas, broken, content, manifest.sources, manifest.server)


def _manifest(folder: Path) -> Manifest:
    try:
        return read_manifest(read_bytes(folder / MANIFEST, limit=MAX_SCHEMA_BYTES))
    except OSError:
        return Manifest()


class Exported(Struct, frozen=True):
    """The result of an export.

    Attributes:
        files: names of all schema files.
        changed: of those that are new or have another content.
        removed: of those of former tools, which were deleted.
        kept: of those of former tools that were edited since they were written, and stay.
    """

    files: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    kept: tuple[str, ...]


def export(surface: Surface, path: Path, *, overwrite: bool = False) -> Exported:
    """Write the schema files of a surface and the manifest, all or nothing.

    Files of tools that are gone are deleted if an export wrote them and nobody changed them since.

    Args:
        surface: the published schemas.
        path: the folder; created if it is missing.
        overwrite: also replace files that no export wrote.

    Raises:
        UsageError: a schema refers to something that is not in it, the name of a tool is too long, the folder has a
            file that no export wrote, or a symbolic link leads out of it.
        FileFormatError: a file cannot be written.
    """
    shown = visible(str(path).rstrip("/\\")) or "."
    files = schema_files(surface)
    for file in files:
        _refuse_foreign(file.tool, file.key, file.schema)
    content = {file.name: file.text for file in files}
    if os.path.lexists(path) and not path.is_dir():
        raise UsageError(f"{shown} is not a folder; nothing was written.", "Name a folder.")
    place = Path(os.path.realpath(path))
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileFormatError(
            f"{visible(str(place))} cannot be created: {error.strerror}.", "Check the folder and its permissions."
        ) from None
    with locked(place):
        return _write(surface, place, shown, content, overwrite=overwrite)


def _write(surface: Surface, place: Path, shown: str, content: Mapping[str, str], *, overwrite: bool) -> Exported:
    written = _manifest(place).files
    present = _present(place, [*content, *(name for name in written if _is_plain(name))])
    data = {name: text.encode("utf-8", "backslashreplace") for name, text in content.items()}
    changed = [name for name in content if name not in present or digest(present[name]) != digest(data[name])]
    if not overwrite:
        others = [visible(name) for name in changed if name in present and name not in written]
        if others:
            listed = ", ".join(others[:5]) + (", …" if len(others) > 5 else "")
            raise UsageError(
                f"{shown} has files that no export wrote ({listed}); nothing was written.",
                "Name another folder, or replace them with --overwrite.",
            )
    gone = [name for name in sorted(written) if name in present and name not in content]
    removed = [name for name in gone if digest(present[name]) == written[name]]
    manifest = manifest_of(data, surface).text.encode()
    # macOS and Windows take Foo.json and foo.json for one file, which is deleted first and then written again.
    folded = {name.lower() for name in removed}
    changed = [name for name in content if name in changed or name.lower() in folded]

    def file(name: str, new: bytes | None, expected: bytes | bool = True) -> NewFile:
        return NewFile(place / name, new, shown=f"{shown}/{name}", expected=expected, follow=False)

    new = [file(name, data[name]) for name in changed]
    if _present(place, [MANIFEST]).get(MANIFEST) != manifest:
        new.append(file(MANIFEST, manifest))
    write_files(*(file(name, None, present[name]) for name in removed), *new)
    kept = [name for name in gone if name not in removed]
    return Exported(tuple(content), tuple(changed), tuple(removed), tuple(kept))


def _is_plain(name: str) -> bool:
    """True if a name in a manifest is that of a schema file in the folder itself; a stranger may have written it."""
    return name.endswith(SUFFIX) and not name.startswith(".") and not {"/", "\\", ":", "\0"} & set(name)


def _present(place: Path, names: Sequence[str]) -> dict[str, bytes]:
    found = {}
    for name in names:
        try:
            found[name] = read_bytes(place / name)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise FileFormatError(
                f"{visible(name)} cannot be read: {error.strerror}; nothing was written.", "Move it away."
            ) from None
    return found


def _refuse_foreign(tool: str, key: str, schema: Any) -> None:
    for pointer, reference in foreign_references(schema)[:1]:
        raise UsageError(
            f"{key} of {one_line(tool, 80)} refers to {one_line(reference, 80)} at {one_line(pointer, 120)}, which it "
            "does not contain; nothing was written.",
            "Put the schema that it refers to into its $defs.",
        )
