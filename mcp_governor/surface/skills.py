"""Skills that a server publishes: instructions for models, each a ``SKILL.md`` with its supporting files.

Source: extension ``io.modelcontextprotocol/skills`` (SEP-2640, Final since 2026-09-13), the stable specification of
modelcontextprotocol/ext-skills; the format of a skill is the Agent Skills specification (agentskills.io).
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

EXTENSION = "io.modelcontextprotocol/skills"
MANIFEST = "SKILL.md"
MAX_FILES = 512
"""Files of one skill that every host accepts (Limits)."""
MAX_BYTES = 16 * 1024 * 1024
"""Total size of a skill that every host accepts, in bytes (Limits)."""


class Skill(Struct, frozen=True, dict=True):
    """One entry of ``skills/list``.

    Attributes:
        raw: the object as the server sent it.
        index: its place in the list, from 0.
        read: URI → what was read of the skill's files, see :attr:`Surface.skill_files`.
        again: place in the list → another entry with the same URI; clients differ in which one they keep.
    """

    raw: Mapping[str, Any]
    index: int = 0
    read: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    again: dict[int, Mapping[str, Any]] = field(default_factory=dict)

    @cached_property
    def uri(self) -> str:
        return str(self.raw["uri"])

    @property
    def frontmatter(self) -> Mapping[str, Any]:
        """As published; empty if it is not an object."""
        value = self.raw.get("frontmatter")
        return value if isinstance(value, dict) else {}

    @cached_property
    def name(self) -> str:
        """``name`` of the frontmatter, else the last segment of the skill's path."""
        name = self.frontmatter.get("name")
        return name if isinstance(name, str) and name else self.segment

    @cached_property
    def segment(self) -> str:
        """The last segment of the skill's path, which has to be its name (Resource Mapping)."""
        return self.root.rpartition("/")[2]

    @cached_property
    def root(self) -> str:
        """The URI of the skill's directory, without a slash at the end."""
        return self.uri.removesuffix(f"/{MANIFEST}")

    @cached_property
    def allowed_tools(self) -> tuple[str, ...]:
        """``allowed-tools``: the tools that may run without a question; a string or a list, in its order."""
        return allowed_tools(self.frontmatter.get("allowed-tools"))

    @property
    def dynamic(self) -> bool:
        """True if the server publishes no digests, since the content is generated."""
        return self.raw.get("resources") == "dynamic"

    @cached_property
    def files(self) -> Mapping[str, Mapping[str, Any]]:
        """URI → published digest and size of a file; the first one if a URI repeats."""
        listed = self.raw.get("resources")
        out: dict[str, Mapping[str, Any]] = {}
        for item in listed if isinstance(listed, list) else ():
            if isinstance(item, dict) and isinstance(item.get("uri"), str):
                out.setdefault(item["uri"], item)
        return out

    @property
    def text(self) -> str | None:
        """The text of ``SKILL.md``; ``None`` if it was not read, or not kept."""
        text = self.read.get(self.uri, {}).get("text")
        return text if isinstance(text, str) else None

    @cached_property
    def unread(self) -> frozenset[str]:
        """The files that could not be read or verified, by their paths from the skill's folder."""
        unread = [uri for uri in (self.uri, *self.files) if not {"error", "unread"}.isdisjoint(self.read.get(uri, ()))]
        return frozenset(uri.removeprefix(self.root) for uri in unread)

    @property
    def contract(self) -> dict[str, Any]:
        """The part that the fingerprint covers: its URI, its frontmatter but the description, and if its digests are
        published."""
        frontmatter = {key: value for key, value in self.frontmatter.items() if key != "description"}
        if "allowed-tools" in frontmatter:
            frontmatter["allowed-tools"] = sorted(self.allowed_tools)  # a string or a list, in any order
        return {"uri": self.uri, "frontmatter": frontmatter, "dynamic": self.dynamic}

    @property
    def words(self) -> dict[str, Any]:
        """The rest: its description and the digests of its files."""
        uris = sorted({self.uri, *self.files})
        return {
            "uri": self.uri,
            "description": self.frontmatter.get("description"),
            "files": {uri: self.digest(uri) for uri in uris},
        }

    def departure(self, uri: str) -> str:
        """How a file that was read differs from its entry: a clause, empty if it does not, or nothing is known."""
        promised, read = self.files.get(uri), self.read.get(uri)
        if promised is None or read is None or "digest" not in read:
            return ""
        if read.get("size") != promised.get("size") and isinstance(promised.get("size"), int):
            return f"it has {read.get('size')} bytes, and the entry promises {promised['size']}"
        if read.get("digest") != promised.get("digest"):
            return "its content has another digest than the entry promises"
        return ""

    def digest(self, uri: str) -> str | None:
        """The digest of a file: of what was read, else the published one; ``None`` if neither is known."""
        for known in (self.read.get(uri, {}), self.files.get(uri, {})):
            digest = known.get("digest")
            if isinstance(digest, str):
                return digest
        return None


def allowed_tools(value: Any) -> tuple[str, ...]:
    """The entries of ``allowed-tools``, which are separated by blanks or commas outside parentheses, or are a list."""
    if isinstance(value, list):
        return tuple(dict.fromkeys(item.strip() for item in value if isinstance(item, str) and item.strip()))
    if not isinstance(value, str):
        return ()
    found, current, depth = [], "", 0
    for char in value:
        depth += (char == "(") - (char == ")" and depth > 0)
        if depth == 0 and (char.isspace() or char == ","):
            found.append(current)
            current = ""
        else:
            current += char
    return tuple(dict.fromkeys(name for name in (*found, current) if name))


def usable_skills(entries: Iterable[Any], files: Mapping[str, Mapping[str, Any]]) -> tuple[Skill, ...]:
    """The entries that are objects with a URI; the first one if a URI repeats."""
    out: dict[str, Skill] = {}
    for index, entry in enumerate(entries):
        if isinstance(entry, dict) and isinstance(entry.get("uri"), str) and entry["uri"]:
            first = out.setdefault(entry["uri"], Skill(entry, index, files))
            if first.index != index:
                first.again[index] = entry
    return tuple(out.values())


def declares_skills(capabilities: Mapping[str, Any]) -> bool:
    """True if a server says that it serves skills (Capability Negotiation)."""
    extensions = capabilities.get("extensions")
    return isinstance(extensions, dict) and EXTENSION in extensions
