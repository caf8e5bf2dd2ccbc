"""The types of members of a server's messages, in one table for all protocol versions, and what does not match it.

Written from the official schemas (modelcontextprotocol, ``schema/VERSION/schema.json``). Where these refuse a value
that all official clients accept, the table accepts it too: ``tests/wire/test_messages.py`` compares the table with the
schemas, and with the verdicts of the TypeScript clients 1.x and 2.x and of the Python client.
"""

from __future__ import annotations

import functools
import json
from datetime import date
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.lazy import lazy_pattern
from mcp_governor.surface.model import MODERN_PROTOCOL
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

_TABLE = """
InitializeResult
  protocolVersion    string              required  2024-11-05
  capabilities       ServerCapabilities  required  2024-11-05
  serverInfo         Implementation      required  2024-11-05
  instructions       string              optional  2024-11-05
  _meta              object              optional  2024-11-05
DiscoverResult
  supportedVersions  [string]            required  2026-07-28
  capabilities       ServerCapabilities  required  2026-07-28
  instructions       string              optional  2026-07-28
  resultType         string              required  2026-07-28
  ttlMs              integer             required  2026-07-28
  cacheScope         private|public      required  2026-07-28
  _meta              object              optional  2026-07-28
Implementation
  name               string              required  2024-11-05
  version            string              required  2024-11-05
  title              string              optional  2025-06-18
  description        string              optional  2025-11-25
  websiteUrl         string              optional  2025-11-25
  icons              [Icon]              optional  2025-11-25
ServerCapabilities
  experimental       {object}            optional  2024-11-05
  logging            object              optional  2024-11-05
  prompts            PromptsCapability   optional  2024-11-05
  resources          ResourcesCapability optional  2024-11-05
  tools              ToolsCapability     optional  2024-11-05
  completions        object              optional  2025-03-26
  tasks              TasksCapability     optional  2025-11-25 2025-11-25
  extensions         {object}            optional  2026-07-28
PromptsCapability
  listChanged        boolean             optional  2024-11-05
ResourcesCapability
  listChanged        boolean             optional  2024-11-05
  subscribe          boolean             optional  2024-11-05
ToolsCapability
  listChanged        boolean             optional  2024-11-05
TasksCapability
  list               object              optional  2025-11-25 2025-11-25
  cancel             object              optional  2025-11-25 2025-11-25
  requests           TaskRequests        optional  2025-11-25 2025-11-25
TaskRequests
  tools              ToolTaskRequests    optional  2025-11-25 2025-11-25
ToolTaskRequests
  call               object              optional  2025-11-25 2025-11-25
Icon
  src                string              required  2025-11-25
  mimeType           string              optional  2025-11-25
  sizes              [string]            optional  2025-11-25
  theme              dark|light          optional  2025-11-25
ListResult
  nextCursor         string              optional  2024-11-05
  resultType         string              required  2026-07-28
  ttlMs              integer             required  2026-07-28
  cacheScope         private|public      required  2026-07-28
  _meta              object              optional  2024-11-05
ListToolsResult < ListResult
  tools              [Tool]              required  2024-11-05
ListPromptsResult < ListResult
  prompts            [Prompt]            required  2024-11-05
ListResourcesResult < ListResult
  resources          [Resource]          required  2024-11-05
ListResourceTemplatesResult < ListResult
  resourceTemplates  [ResourceTemplate]  required  2024-11-05
Tool
  name               string              required  2024-11-05
  inputSchema        InputSchema         required  2024-11-05
  description        string              optional  2024-11-05
  annotations        ToolAnnotations     optional  2025-03-26
  title              string              optional  2025-06-18
  outputSchema       OutputSchema        optional  2025-06-18
  _meta              object              optional  2025-06-18
  icons              [Icon]              optional  2025-11-25
  execution          ToolExecution       optional  2025-11-25 2025-11-25
InputSchema
  $schema            string              optional  2025-11-25
  type               object-type         required  2024-11-05
  properties         {object}            optional  2024-11-05 2025-11-25
  required           [string]            optional  2024-11-05 2025-11-25
OutputSchema
  $schema            string              optional  2025-11-25
  type               object-type         required  2025-06-18 2025-11-25
  properties         {object}            optional  2025-06-18 2025-11-25
  required           [string]            optional  2025-06-18 2025-11-25
ToolAnnotations
  title              string              optional  2025-03-26
  readOnlyHint       boolean             optional  2025-03-26
  destructiveHint    boolean             optional  2025-03-26
  idempotentHint     boolean             optional  2025-03-26
  openWorldHint      boolean             optional  2025-03-26
ToolExecution
  taskSupport        forbidden|optional|required  optional  2025-11-25 2025-11-25
Prompt
  name               name                required  2024-11-05
  description        string              optional  2024-11-05
  arguments          [PromptArgument]    optional  2024-11-05
  title              string              optional  2025-06-18
  _meta              object              optional  2025-06-18
  icons              [Icon]              optional  2025-11-25
PromptArgument
  name               name                required  2024-11-05
  description        string              optional  2024-11-05
  required           boolean             optional  2024-11-05
  title              string              nullable  2025-06-18
ReadableThing
  name               name                required  2024-11-05
  description        string              optional  2024-11-05
  mimeType           string              optional  2024-11-05
  annotations        Annotations         optional  2024-11-05
  title              string              optional  2025-06-18
  _meta              object              optional  2025-06-18
  icons              [Icon]              optional  2025-11-25
Resource < ReadableThing
  uri                uri                 required  2024-11-05
  size               integer             optional  2024-11-05
ResourceTemplate < ReadableThing
  uriTemplate        uri-template        required  2024-11-05
Annotations
  audience           [assistant|user]    optional  2024-11-05
  priority           fraction            optional  2024-11-05
  lastModified       date-time           optional  2025-06-18
CallToolResult
  content            [ContentBlock]      required  2024-11-05
  isError            boolean             optional  2024-11-05
  structuredContent  object              optional  2025-06-18 2025-11-25
  resultType         string              required  2026-07-28
  _meta              object              optional  2024-11-05
TextContent
  type               string              required  2024-11-05
  text               string              required  2024-11-05
  annotations        Annotations         optional  2024-11-05
  _meta              object              optional  2025-06-18
ImageContent
  type               string              required  2024-11-05
  data               base64              required  2024-11-05
  mimeType           string              required  2024-11-05
  annotations        Annotations         optional  2024-11-05
  _meta              object              optional  2025-06-18
AudioContent
  type               string              required  2025-03-26
  data               base64              required  2025-03-26
  mimeType           string              required  2025-03-26
  annotations        Annotations         optional  2025-03-26
  _meta              object              optional  2025-06-18
ResourceLink
  type               string              required  2025-06-18
  uri                string              required  2025-06-18
  name               string              required  2025-06-18
  description        string              optional  2025-06-18
  mimeType           string              optional  2025-06-18
  size               integer             optional  2025-06-18
  annotations        Annotations         optional  2025-06-18
  title              string              optional  2025-06-18
  _meta              object              optional  2025-06-18
  icons              [Icon]              optional  2025-11-25
EmbeddedResource
  type               string              required  2024-11-05
  resource           ResourceContents    required  2024-11-05
  annotations        Annotations         optional  2024-11-05
  _meta              object              optional  2025-06-18
TextResourceContents
  uri                string              required  2024-11-05
  text               string              required  2024-11-05
  mimeType           string              optional  2024-11-05
  _meta              object              optional  2025-06-18
BlobResourceContents
  uri                string              required  2024-11-05
  blob               base64              required  2024-11-05
  mimeType           string              optional  2024-11-05
  _meta              object              optional  2025-06-18
Error
  code               integer             required  2024-11-05
  message            string              required  2024-11-05
"""
"""Member, type, may it be left out or null, since which version, and the last version that has it; ``A < B`` has the
members of B as well.

A type is a JSON type, a form of a string or number (``_FORMS``), words separated by bars, another entry of the table,
or one of ``_UNIONS``; ``[T]`` is an array and ``{T}`` an object with any keys. A member that came later is checked in
older versions as well, because the clients read all versions with one set of types; it is only not required there.
"""

BLOCKS = {
    "text": "TextContent",
    "image": "ImageContent",
    "audio": "AudioContent",
    "resource_link": "ResourceLink",
    "resource": "EmbeddedResource",
}
"""``type`` of a content block → entry of the table."""


class Member(Struct, frozen=True):
    """One row of the table.

    Attributes:
        kind: the type, as the table spells it.
        required: it may not be left out.
        nullable: it may be null.
        since, last: the versions that have it; an empty ``last`` means that the newest one has it.
    """

    kind: str
    required: bool
    nullable: bool
    since: str
    last: str


class Mismatch(Struct, frozen=True):
    """One place in a message that the table does not permit.

    Attributes:
        path: keys and indices from the message to the member.
        found: the value; ``None`` if it is missing.
        wanted: what the table requires, in words: ``a string``.
        missing: the member is missing.
    """

    path: tuple[str | int, ...]
    found: Any
    wanted: str
    missing: bool = False

    @property
    def shown(self) -> str:
        """What was found, in words; a long value only by its type, since it may be a secret."""
        if self.missing:
            return "missing"
        value = self.found
        if isinstance(value, str):
            return json.dumps(one_line(value, 40), ensure_ascii=False) if len(value) <= _SHOWN else "a string"
        if isinstance(value, dict | list):
            return "an object" if isinstance(value, dict) else "an array"
        return one_line(json.dumps(value), 40)


_SHOWN = 40
"""Longest string that a message quotes, in characters."""


@functools.cache
def table() -> Mapping[str, Mapping[str, Member]]:
    """Name of a type → its members by name."""
    out: dict[str, dict[str, Member]] = {}
    members: dict[str, Member] = {}
    for line in _TABLE.strip().split("\n"):
        name, *rest = line.split()
        if line.startswith(" "):
            kind, presence, since, *last = rest
            members[name] = Member(kind, presence == "required", presence == "nullable", since, "".join(last))
        else:
            members = out[name] = dict(out[rest[1]]) if rest else {}
    return out


def mismatches(value: Any, kind: str, protocol: str | None, *, apart_from: Collection[str] = ()) -> Iterator[Mismatch]:
    """The places where a value does not match the table.

    Args:
        value: a message or a part of one, any JSON value.
        kind: the type that it should have, as the table spells it.
        protocol: the negotiated version; ``None`` if it is unknown, which requires only what all versions require.
        apart_from: members of ``value`` that are not looked at.
    """
    return _mismatches(value, kind, protocol, (), apart_from)


def _mismatches(
    value: Any, kind: str, protocol: str | None, path: tuple[str | int, ...], apart_from: Collection[str] = ()
) -> Iterator[Mismatch]:
    if kind[0] in "[{":
        yield from _of_each(value, kind, protocol, path)
        return
    if kind in _UNIONS and isinstance(value, dict):
        chosen = _UNIONS[kind](value)
        if chosen is None:
            tag = value.get("type")
            yield Mismatch((*path, "type"), tag, _one_of(BLOCKS), "type" not in value)
            return
        kind = chosen
    members = table().get(kind)
    if members is None and kind not in _UNIONS:
        wanted, fits = _FORMS.get(kind) or _words(kind)
        if not fits(value):
            yield Mismatch(path, value, wanted)
    elif not isinstance(value, dict):
        yield Mismatch(path, value, "an object")
    else:
        for name, member in (members or {}).items():
            if name in apart_from:
                continue
            yield from _of_member(value, name, member, protocol, path)


def _of_member(
    holder: dict[str, Any], name: str, member: Member, protocol: str | None, path: tuple[str | int, ...]
) -> Iterator[Mismatch]:
    if member.last and (protocol is None or protocol > member.last):
        return
    if name in holder:
        value = holder[name]
        if value is not None or not member.nullable:
            yield from _mismatches(value, member.kind, protocol, (*path, name))
    elif member.required and (member.since < MODERN_PROTOCOL if protocol is None else protocol >= member.since):
        yield Mismatch((*path, name), None, _wanted(member.kind), missing=True)


def _of_each(value: Any, kind: str, protocol: str | None, path: tuple[str | int, ...]) -> Iterator[Mismatch]:
    """Mismatches of the items of an array, or of the values of an object with any keys."""
    inner = kind[1:-1]
    if kind[0] == "[":
        if isinstance(value, list):
            for index, item in enumerate(value):
                yield from _mismatches(item, inner, protocol, (*path, index))
            return
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _mismatches(item, inner, protocol, (*path, key))
        return
    yield Mismatch(path, value, _wanted(kind))


def _block(value: dict[str, Any]) -> str | None:
    kind = value.get("type")
    return BLOCKS.get(kind) if isinstance(kind, str) else None


def _contents(value: dict[str, Any]) -> str:
    return "BlobResourceContents" if "blob" in value and "text" not in value else "TextResourceContents"


_UNIONS: Mapping[str, Callable[[dict[str, Any]], str | None]] = {"ContentBlock": _block, "ResourceContents": _contents}
"""Union → the entry that describes an object; ``None`` if its tag names none."""


def _wanted(kind: str) -> str:
    if kind[0] in "[{":
        return "an array" if kind[0] == "[" else "an object"
    if kind in table() or kind in _UNIONS:
        return "an object"
    return (_FORMS.get(kind) or _words(kind))[0]


def _one_of(words: Collection[str]) -> str:
    *most, last = (json.dumps(word) for word in words)
    return f"{', '.join(most)} or {last}"


@functools.cache
def _words(kind: str) -> tuple[str, Callable[[Any], bool]]:
    words = kind.split("|")
    return _one_of(words), lambda value: isinstance(value, str) and value in words


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_DATE_TIME = lazy_pattern(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?"
    r"(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
)
"""ISO 8601 with a time zone, as both TypeScript clients read it (zod, ``iso.datetime({offset: true})``)."""

_BASE64 = lazy_pattern(r"[A-Za-z0-9+/]*={0,2}")
_SPACE = lazy_pattern(r"[ \t\n\f\r]+")
_URI = lazy_pattern(r"[A-Za-z][A-Za-z0-9+.-]*:")
_URI_TEMPLATE = lazy_pattern(r"(?:[^{}]|\{[^{}]+\})+")


def _is_date_time(value: Any) -> bool:
    found = _DATE_TIME.fullmatch(value) if isinstance(value, str) else None
    try:
        return found is not None and bool(date.fromisoformat(found[1]))
    except ValueError:
        return False


def _is_base64(value: Any) -> bool:
    """What ``atob`` of a JavaScript engine decodes (WHATWG Infra, forgiving-base64 decode)."""
    if not isinstance(value, str):
        return False
    text = _SPACE.sub("", value)
    if not _BASE64.fullmatch(text):
        return False
    bare = text.rstrip("=")
    return len(text) % 4 == 0 if len(bare) < len(text) else len(text) % 4 != 1


_FORMS: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "string": ("a string", lambda value: isinstance(value, str)),
    "boolean": ("a boolean", lambda value: isinstance(value, bool)),
    "integer": ("an integer", lambda value: _is_number(value) and value == int(value)),
    "object": ("an object", lambda value: isinstance(value, dict)),
    "fraction": ("a number from 0 to 1", lambda value: _is_number(value) and 0 <= value <= 1),
    "object-type": ('"object"', lambda value: value == "object"),
    "date-time": ("a date and time with a time zone (ISO 8601)", _is_date_time),
    "base64": ("a base64 string", _is_base64),
    # The clients take any string for these three.
    "name": ("a string that is not empty", lambda value: isinstance(value, str) and value != ""),
    "uri": ("a URI with a scheme", lambda value: isinstance(value, str) and _URI.match(value) is not None),
    "uri-template": (
        "a URI template",
        lambda value: isinstance(value, str) and _URI_TEMPLATE.fullmatch(value) is not None,
    ),
}
"""Form → in words, and the test for it."""
