"""Schema files: their names, their content, and their manifest.

A file is the published schema with an explicit ``$schema``: sorted, indented, and without anything that depends on the
run, so that the same surface gives the same bytes on every machine.

A tool's name of letters, digits, ``_``, ``-`` and ``.`` is the name of its file. Everything else is escaped as in URLs
(``%2F`` for a slash), and so is what one of the systems that check out the repository could not keep apart or store:

- the first character of ``.hidden`` and of the names that Windows reserves (``con``, ``nul``, ``com1`` …);
- the last dot of ``x.output``, because ``x.output.json`` is the output schema of ``x``;
- capitals, where two tools differ in nothing else.
"""

from __future__ import annotations

import hashlib
import json
import re
import string
from collections.abc import Mapping  # noqa: TC003 - msgspec reads the types
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes

import msgspec
from msgspec import Struct, field

from mcp_governor.documents import Wrong, read
from mcp_governor.errors import UsageError
from mcp_governor.parsing import exceeds_depth
from mcp_governor.schemas.dialects import DIALECT_2020_12, LATEST, dialect_of
from mcp_governor.schemas.references import Document
from mcp_governor.surface.file import MAX_DEPTH, dump_json
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcp_governor.surface import Surface, Tool


SUFFIX = ".json"
OUTPUT = ".output"
"""The part before the suffix that marks the output schema."""

MAX_STEM = 240
"""Longest name without its endings, in bytes: file systems take 255, and ``.output.json`` needs 12."""

_SAFE = frozenset(string.ascii_letters + string.digits + "_-.")
_RESERVED = frozenset(
    {"con", "prn", "aux", "nul", *(f"com{number}" for number in range(10)), *(f"lpt{number}" for number in range(10))}
)
"""Names of devices on Windows, with any ending."""
_ESCAPED = re.compile(r"(?:[A-Za-z0-9_.-]|%[0-9A-F]{2})+")


def input_file(stem: str) -> str:
    """The file of an input schema."""
    return stem + SUFFIX


def output_file(stem: str) -> str:
    """The file of an output schema."""
    return stem + OUTPUT + SUFFIX


def stems(names: Iterable[str]) -> dict[str, str]:
    """Each name of a tool with that of its files, without their endings.

    Raises:
        UsageError: a name is too long for a file.
    """
    listed = list(names)
    folded: dict[str, int] = {}
    for name in listed:
        folded[name.lower()] = folded.get(name.lower(), 0) + 1
    return {name: _stem(name, capitals=folded[name.lower()] > 1) for name in listed}


def _stem(name: str, *, capitals: bool) -> str:
    unsafe = string.ascii_uppercase if capitals else ""
    stem = "".join(char if char in _SAFE and char not in unsafe else _escape(char) for char in name)
    if stem.startswith(".") or stem.partition(".")[0].lower() in _RESERVED:
        stem = _escape(stem[0]) + stem[1:]
    if stem.lower().endswith(OUTPUT):
        cut = len(stem) - len(OUTPUT)
        stem = stem[:cut] + _escape(".") + stem[cut + 1 :]
    if len(stem) > MAX_STEM:
        raise UsageError(
            f"The name of tool {one_line(name, 60)} is too long for a file ({len(stem):,} characters of "
            f"{MAX_STEM}); nothing was written.",
            "Shorten it; the protocol allows 128 characters.",
        )
    return stem


def _escape(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "surrogatepass"))


def tool_of(file: str) -> tuple[str, bool] | None:
    """The tool of a schema file, and true if it is the output schema; ``None`` if it is not named after a tool."""
    if not file.endswith(SUFFIX):
        return None
    stem = file.removesuffix(SUFFIX)
    is_output = stem.endswith(OUTPUT)
    stem = stem.removesuffix(OUTPUT)
    if not _ESCAPED.fullmatch(stem):
        return None
    try:
        return unquote_to_bytes(stem).decode("utf-8", "surrogatepass"), is_output
    except UnicodeDecodeError:
        return None


MANIFEST = ".mcp-governor-schemas.json"
"""The list of the files that an export wrote. No tool has a file of this name, because a leading dot is escaped."""

NO_PARAMETERS: Any = {"type": "object"}
"""The input schema of a tool that publishes none, as the comparison of surfaces reads it."""

_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


class SchemaFile(Struct, frozen=True):
    """One published schema and its file.

    Attributes:
        name: of the file.
        tool: the tool's name.
        is_output: true for ``outputSchema``.
        schema: as published.
    """

    name: str
    tool: str
    is_output: bool
    schema: Any

    @property
    def key(self) -> str:
        """The member of the tool."""
        return "outputSchema" if self.is_output else "inputSchema"

    @property
    def text(self) -> str:
        """The content of the file."""
        return dump_json(with_dialect(self.schema))


def schema_files(surface: Surface) -> list[SchemaFile]:
    """The files of a surface, in the order of its tools.

    Raises:
        UsageError: the name of a tool is too long for a file.
    """
    named = stems(tool.name for tool in surface.tools)
    return [file for tool in surface.tools for file in _files(tool, named[tool.name])]


def _files(tool: Tool, stem: str) -> Iterator[SchemaFile]:
    given = tool.input_schema
    yield SchemaFile(input_file(stem), tool.name, False, NO_PARAMETERS if given is None else given)
    if tool.output_schema is not None:
        yield SchemaFile(output_file(stem), tool.name, True, tool.output_schema)


def with_dialect(schema: Any) -> Any:
    """A schema with an explicit ``$schema``: by default 2020-12, which is that of the protocol."""
    return {"$schema": DIALECT_2020_12, **schema} if isinstance(schema, dict) else schema


def without_added_dialect(written: Any, published: Any) -> Any:
    """The content of a file without the ``$schema`` that :func:`with_dialect` adds to ``published``."""
    added = isinstance(published, dict) and "$schema" not in published
    if added and isinstance(written, dict) and written.get("$schema") == DIALECT_2020_12:
        return {key: value for key, value in written.items() if key != "$schema"}
    return written


def foreign_references(schema: Any) -> list[tuple[str, str]]:
    """References that a schema does not contain the target of, each with its pointer.

    The published meta-schemas, which every validator has, count as contained.
    """
    if exceeds_depth(schema, MAX_DEPTH):
        return []
    document = Document(schema, draft=dialect_of(schema) or LATEST)
    found = []
    for part in document.parts():
        if not isinstance(part.schema, dict):
            continue
        base = document.base_of(part.schema, part.base)
        for keyword in _REFERENCES:
            reference = part.schema.get(keyword)
            if isinstance(reference, str) and document.find(base, reference) is None:
                found.append((f"{part.pointer}/{keyword}", reference))
    return found


class Manifest(Struct, frozen=True, omit_defaults=True, tag_field="format", tag="mcp-governor/schemas-1"):
    """What an export wrote.

    Attributes:
        files: Name of a file → SHA-256 of its content with line feeds.
        sources: Tool → what its schema is generated from (``annotations.schemaSource``), where it says so.
        server: Name of the server.
    """

    files: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict, name="schemaSource")
    server: str = ""

    @property
    def text(self) -> str:
        """The content of the manifest."""
        return dump_json(msgspec.to_builtins(self))


def manifest_of(files: Mapping[str, bytes], surface: Surface) -> Manifest:
    """The manifest for files with this content."""
    digests = {name: digest(data) for name, data in files.items()}
    said = {tool.name: tool.annotations.get("schemaSource") for tool in surface.tools}
    sources = {name: value for name, value in said.items() if isinstance(value, str)}
    return Manifest(digests, sources, surface.name or "")


def digest(data: bytes) -> str:
    """The digest of a file, whatever line endings git checked it out with."""
    return hashlib.sha256(data.replace(b"\r\n", b"\n")).hexdigest()


def read_manifest(data: bytes) -> Manifest:
    """A manifest; an empty one if the document is not a manifest of this format."""
    try:
        made = read(Manifest, json.loads(data))
    except (ValueError, RecursionError):
        return Manifest()
    return Manifest() if isinstance(made, Wrong) else made
