"""The model that everything reads: what one server publishes, as raw JSON plus a typed view.

The typed view never rewrites the raw JSON. A list entry that is not an object, or has no name, stays in
:attr:`Surface.entries` for the rules that report it, and is omitted from :attr:`Surface.tools`.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from mcp_governor.findings import Tier

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_governor.surface.skills import Skill

REQUIRED_CAPABILITIES = "io.modelcontextprotocol/requiredCapabilities"
"""Key of a tool's ``_meta`` with the capabilities that a client must have to call it, in the form of
``ClientCapabilities`` (draft SEP "Required Capabilities for Tools", modelcontextprotocol/transports-wg#31)."""
AUDIENCES = frozenset({"app", "model"})
"""Who gets a tool that does not say it: ``_meta.ui.visibility`` of the MCP Apps extension (SEP-1865, 2026-01-26)."""
_MOST_CAPABILITIES = 100
"""Most capabilities of a tool that are read; the protocol defines ten."""
MODERN_PROTOCOL = "2026-07-28"
"""The first revision without a handshake. Revisions are ordered by date."""

Json = Any
"""A value as ``json.loads`` returns it."""

Pages = tuple["Mapping[str, Any]", ...]
"""The metadata of each result of one listing."""


class Hints(Struct, frozen=True):
    """Behaviour hints of a tool, resolved to the defaults of the specification (ToolAnnotations)."""

    read_only: bool = False
    destructive: bool = True
    idempotent: bool = False
    open_world: bool = True

    def as_json(self) -> dict[str, bool]:
        """The hints by their names in the protocol."""
        return {
            "readOnlyHint": self.read_only,
            "destructiveHint": self.destructive,
            "idempotentHint": self.idempotent,
            "openWorldHint": self.open_world,
        }


class Deprecation(Struct, frozen=True):
    """The announced end of a tool.

    Attributes:
        since: version of the announcement, if stated.
        replacement: name of the tool to use instead, if stated.
        sunset: version or date of the removal, if stated.
        reason: why, if stated.
        source: where it is announced: ``_meta``, ``tags``, ``tool``, ``annotations``, ``inputSchema``, ``title`` or
            ``description``.
        nothing: true if the announcement says that there is no replacement.
    """

    since: str | None = None
    replacement: str | None = None
    sunset: str | None = None
    reason: str | None = None
    source: str = "_meta"
    nothing: bool = False


class Tool(Struct, frozen=True, dict=True):
    """One published tool.

    Attributes:
        raw: the object as the server sent it.
        index: its place in the list, from 0.
        tier: resolved tier.
        tier_source: ``config``, ``recorded`` (in a surface file), ``_meta``, ``tags``, ``list`` or ``default``.
        category: as published in ``_meta``, else ``None``.
        deprecation: as published, else ``None``.
        opt_in: the ``tools/list`` parameters with which it is returned, if the default list omits it; ``None`` if every
            client gets it.
        list_tier: the tier whose list returned it; ``None`` if no list was requested by tier.
    """

    raw: Mapping[str, Json]
    index: int = 0
    tier: Tier = Tier.STANDARD
    tier_source: str = "default"
    category: str | None = None
    deprecation: Deprecation | None = None
    opt_in: Mapping[str, Json] | None = None
    list_tier: Tier | None = None

    @cached_property
    def name(self) -> str:
        return str(self.raw["name"])

    @property
    def title(self) -> str | None:
        """``title``, else ``annotations.title``."""
        title = self.raw.get("title")
        if not isinstance(title, str):
            title = self.annotations.get("title")
        return title if isinstance(title, str) else None

    @cached_property
    def description(self) -> str:
        """The description, or an empty string if there is none."""
        text = self.raw.get("description")
        return text if isinstance(text, str) else ""

    @cached_property
    def input_schema(self) -> Json:
        """``inputSchema`` as sent (any JSON value); ``None`` if absent."""
        return self.raw.get("inputSchema")

    @property
    def output_schema(self) -> Json:
        """``outputSchema`` as sent (any JSON value); ``None`` if absent."""
        return self.raw.get("outputSchema")

    @property
    def annotations(self) -> Mapping[str, Json]:
        value = self.raw.get("annotations")
        return value if isinstance(value, dict) else {}

    @property
    def meta(self) -> Mapping[str, Json]:
        value = self.raw.get("_meta")
        return value if isinstance(value, dict) else {}

    @property
    def visibility(self) -> frozenset[str]:
        """Who gets the tool: the ``model``, the ``app`` of the server, or both."""
        ui = self.meta.get("ui")
        said = ui.get("visibility") if isinstance(ui, dict) else None
        return frozenset(one for one in AUDIENCES if one in said) if isinstance(said, list) else AUDIENCES

    @property
    def task_support(self) -> str:
        """``execution.taskSupport`` of protocol 2025-11-25: absent means forbidden."""
        execution = self.raw.get("execution")
        value = execution.get("taskSupport") if isinstance(execution, dict) else None
        return value if value in ("optional", "required") else "forbidden"

    @cached_property
    def required_capabilities(self) -> frozenset[str]:
        """What a client must be able to do, as paths: ``sampling``, ``elicitation.url``, ``extensions.NAME``."""
        found: set[str] = set()
        given = self.meta.get(REQUIRED_CAPABILITIES)
        stack = [("", given)] if isinstance(given, dict) else []
        while stack and len(found) < _MOST_CAPABILITIES:
            place, part = stack.pop()
            for name, value in part.items():
                path = f"{place}.{name}" if place else name
                if value is not False:
                    found.add(path)
                # The settings of an extension are its own.
                if isinstance(value, dict) and path.count(".") < 1:
                    stack.append((path, value))
        return frozenset(found)

    @cached_property
    def hints(self) -> Hints:
        """Behaviour hints; a value that is not a boolean counts as absent."""
        given = self.annotations

        def flag(name: str, default: bool) -> bool:
            value = given.get(name)
            return value if isinstance(value, bool) else default

        read_only = flag("readOnlyHint", False)
        return Hints(
            read_only=read_only,
            # The specification defines destructiveHint and idempotentHint only for tools that write.
            destructive=False if read_only else flag("destructiveHint", True),
            idempotent=True if read_only else flag("idempotentHint", False),
            open_world=flag("openWorldHint", True),
        )


class Surface(Struct, frozen=True, dict=True):
    """Everything that a server publishes at one moment.

    Attributes:
        entries: every item of ``tools/list``, in the server's order, whatever its form.
        tools: the usable ones: objects with a non-empty string name (the first one if a name repeats).
        prompts, resources, templates: items of the sibling lists, whatever their form.
        server: ``{"name": …, "version": …}`` as reported; empty if the server reports nothing.
        protocol: negotiated protocol version; ``None`` for recorded lists.
        capabilities, instructions: as reported.
        source: what the user named, safe to print.
        listings: the metadata of results (``resultType``, ``ttlMs``, ``cacheScope``, and a ``nextCursor`` that ends a
            list), by list (``tools``, ``prompts``, …, and ``discover``), one object for all pages with the same
            metadata; empty if it was not recorded.
        conversation: problems while the lists were read, empty if there were none: ``noise`` (first lines of stdout
            that were not MCP), ``requests`` (methods of requests from the server), ``failedLists`` (method → code and
            message of the error for a declared list), ``mismatches`` (members of results of the wrong type), ``pages``
            (method → items on each page, of lists with several), ``publishedSecrets`` (origins of the secrets that were
            redacted). Not part of a surface file.
        release: the version of the package that was started, if the target pins one; the server may report the version
            of its framework instead.
        stated: the version that the configuration's ``schema-version`` had when the surface was recorded, and its
            source; ``None`` if the source is the server itself, or nothing was recorded.
        manifest: the repository's ``server.json`` (the registry manifest); ``None`` if there is none.
        skill_entries: every item of ``skills/list``, whatever its form; ``None`` if skills were not read.
        skill_files: URI of a skill's file → what was read of it: ``digest`` (``sha256:<hex>``) and ``size`` (in bytes)
            of its content, and ``text`` if it is text within bounds.
    """

    entries: tuple[Json, ...] = ()
    tools: tuple[Tool, ...] = ()
    prompts: tuple[Json, ...] = ()
    resources: tuple[Json, ...] = ()
    templates: tuple[Json, ...] = ()
    server: Mapping[str, Json] = field(default_factory=dict)
    protocol: str | None = None
    capabilities: Mapping[str, Json] = field(default_factory=dict)
    instructions: str | None = None
    source: str = ""
    listings: Mapping[str, Pages] = field(default_factory=dict)
    conversation: Mapping[str, Json] = field(default_factory=dict)
    manifest: Mapping[str, Json] | None = None
    release: str | None = None
    stated: tuple[str, str] | None = None
    skill_entries: tuple[Json, ...] | None = None
    skill_files: Mapping[str, Mapping[str, Json]] = field(default_factory=dict)

    @property
    def modern(self) -> bool:
        """True if the negotiated protocol is 2026-07-28 or newer."""
        return self.protocol is not None and self.protocol >= MODERN_PROTOCOL

    def same_era(self, other: Surface) -> bool:
        """True if both were read in one protocol era: differences between eras are not changes of the server.

        Recordings without a protocol belong together.
        """
        return self.modern == other.modern and (self.protocol is None) == (other.protocol is None)

    @cached_property
    def by_name(self) -> Mapping[str, Tool]:
        """Tools by name."""
        return {tool.name: tool for tool in self.tools}

    @cached_property
    def skills(self) -> tuple[Skill, ...]:
        """The usable skills."""
        if not self.skill_entries:
            return ()
        from mcp_governor.surface.skills import usable_skills

        return usable_skills(self.skill_entries, self.skill_files)

    @property
    def skills_recorded(self) -> bool:
        """False if nobody knows which skills there are: they were not read, or an earlier version recorded the
        surface."""
        if self.skill_entries is not None:
            return True
        from mcp_governor.surface.skills import declares_skills

        return bool(self.capabilities) and not declares_skills(self.capabilities)

    @property
    def version(self) -> str | None:
        """The version of the release that the target pins, else the one that the server reports, else ``None``."""
        if self.release is not None:
            return self.release
        version = self.server.get("version")
        return version if isinstance(version, str) and version else None

    @property
    def name(self) -> str | None:
        """The name that the server reports."""
        name = self.server.get("name")
        return name if isinstance(name, str) and name else None
