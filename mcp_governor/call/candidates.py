"""Supply candidates for the parameters of each tool, best first.

Values from the schema itself (``examples``, ``default``, ``const``, ``enum``) come before these candidates, and values
made from bounds and patterns after them. :mod:`mcp_governor.call.arguments` drops candidates that the schema refuses.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Any

from mcp_governor.call.guard import Guard
from mcp_governor.call.prose import MAX_TEXT_LENGTH, marked_examples, parameter_descriptions, quoted_values
from mcp_governor.call.sandbox import makes_place, meaning_of, means_place, sandbox_paths
from mcp_governor.call.server_values import Learned
from mcp_governor.call.well_known_values import is_day, today_like, typical
from mcp_governor.call.words import CREATING, words
from mcp_governor.prose.words import word_set

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.call.sandbox import Sandbox
    from mcp_governor.surface.model import Surface, Tool

_NAME = re.compile(r"[A-Za-z_][\w.-]{2,100}")
_MAX_NAMES = 3_000
"""Most parameters of one tool that are searched for another path: generous, real tools have dozens. Later ones are
ignored."""
_WRITES_CODE = word_set("command cmd code script sql query statement expression shell program")
"""Parameters that a tool executes. If the tool may write, examples from descriptions are not sent for them."""


class Supply:
    """Values for the parameters of a server's tools.

    Args:
        surface: what the server publishes.
        sandbox: files for parameters that take a path, and today's date.
    """

    def __init__(self, surface: Surface, sandbox: Sandbox) -> None:
        self.surface = surface
        self.sandbox = sandbox
        self.learned = Learned.of_surface(surface)
        self._tools: dict[str, ToolSupply] = {}

    def of(self, tool: Tool) -> ToolSupply:
        """Values for one tool."""
        if tool.name not in self._tools:
            self._tools[tool.name] = ToolSupply(self, tool)
        return self._tools[tool.name]

    @cached_property
    def schemes(self) -> frozenset[str]:
        """URI schemes of the resources that the server publishes."""
        items = [*self.surface.resources[:100], *self.surface.templates[:100]]
        uris = [item.get("uri", item.get("uriTemplate")) for item in items if isinstance(item, dict)]
        return frozenset(uri.partition("://")[0].lower() for uri in uris if isinstance(uri, str) and "://" in uri)


class ToolSupply:
    """Values for the parameters of one tool; see :class:`Supply`."""

    def __init__(self, supply: Supply, tool: Tool) -> None:
        self._supply = supply
        self._tool = tool
        self._in_description = parameter_descriptions(tool.description)
        schema = tool.input_schema
        properties = schema.get("properties") if isinstance(schema, dict) else None
        declared = properties if isinstance(properties, dict) else {}
        self._names = tuple(declared)[:_MAX_NAMES]
        described = {name: item.get("description") for name, item in declared.items() if isinstance(item, dict)}
        self._described = {name: text for name, text in described.items() if isinstance(text, str)}

    def allows(self, name: str, text: str, value: Any) -> bool:
        """True if a value from the server's text may be sent for a parameter."""
        if not self._tool.hints.read_only and not _WRITES_CODE.isdisjoint(words(name)):
            return False
        place = self.means_place(name, text)
        return not (place and value == "") and self._guard.allows(value, path=place)

    def means_place(self, name: str, text: str) -> bool:
        """True if a parameter takes a path in a file system."""
        return means_place(name, self._about(name, text), self._tool.description[:MAX_TEXT_LENGTH])

    def invents(self, name: str, text: str) -> bool:
        """True if a made-up value may be sent. A tool that writes may get sandbox paths only."""
        return self._tool.hints.read_only or not self.means_place(name, text)

    def makes(self, name: str) -> bool:
        """True if the tool creates what a parameter names, so that the same call does not succeed twice."""
        if self.means_place(name, ""):
            return not self._tool.hints.read_only and makes_place(name, self._tool.name)
        return self._creates and self._supply.learned.is_about(name, self._tool.name)

    def files(self, name: str, ending: str) -> list[str]:
        """Sandbox files with an extension, for a parameter that takes a path."""
        sandbox = self._supply.sandbox
        return [*sandbox.written(ending), sandbox.file(ending)] if self.means_place(name, "") else []

    def confined(self, arguments: Any) -> bool:
        """True if the arguments do not name a path outside of the sandbox, or if the tool only reads.

        Args:
            arguments: any generated arguments, valid or wrong.
        """
        if self._tool.hints.read_only:
            return True
        if isinstance(arguments, list):
            return all(map(self.confined, arguments))
        if not isinstance(arguments, dict):
            return True
        for name, value in arguments.items():
            items = value if isinstance(value, list) else [value]
            if not self.invents(name, "") and not all(
                self._guard.allows(item, path=True) for item in items if isinstance(item, str)
            ):
                return False
        return all(map(self.confined, arguments.values()))

    def candidates(self, name: str, text: str, kind: str = "") -> Iterator[Any]:
        """Values for one parameter, best first; the caller drops values of the wrong type.

        Args:
            name: name of the parameter; for the items of a list, the name of the list.
            text: description of the parameter.
            kind: ``format`` of its schema.
        """
        text = self._about(name, text)
        if means_place(name, text, self._tool.description[:MAX_TEXT_LENGTH]):
            yield from self._paths(name, text)
            return
        today = self._supply.sandbox.today
        foreign = (value for value in self._foreign(name, text) if self.allows(name, text, value))
        if kind in _MOMENTS:
            yield _MOMENTS[kind].format(today=today.isoformat())
        # Today comes before the dates in examples. Those are in the past, which many tools refuse.
        elif is_day(name, text):
            yield from typical(name, text, today)
        yield from foreign
        yield from typical(name, text, today)
        yield from (value for value in quoted_values(text) if value != name and self.allows(name, text, value))

    @cached_property
    def mentioned(self) -> frozenset[str]:
        """Tools that the descriptions of this tool and its parameters mention."""
        descriptions = [self._tool.description, *list(self._described.values())[:100]]
        return self._tools_in(" ".join(text[:MAX_TEXT_LENGTH] for text in descriptions))

    def _tools_in(self, text: str) -> frozenset[str]:
        known = self._supply.surface.by_name
        found = {name.rstrip(".-") for name in _NAME.findall(text[: MAX_TEXT_LENGTH * 10])}
        # Plain words are ambiguous: "search" in a description need not refer to a tool of that name.
        return frozenset(name for name in found if name in known and name != self._tool.name and not name.isalpha())

    @property
    def _guard(self) -> Guard:
        folders = self._supply.learned.folders if self._tool.hints.read_only else ()
        sandbox = self._supply.sandbox
        roots = (*((sandbox.root,) if sandbox.made else ()), *folders)
        return Guard(self._tool.hints.read_only, roots, self._supply.schemes)

    def _about(self, name: str, text: str) -> str:
        said = (text or self._described.get(name, ""))[:MAX_TEXT_LENGTH]
        return f"{said}\n{self._in_description.get(name, '')}".strip()

    def _foreign(self, name: str, text: str) -> Iterator[Any]:
        """Values from the server's results and descriptions."""
        today = self._supply.sandbox.today
        learned = self._supply.learned
        yield from learned.candidates(name, tool=self._tool.name, mentioned=self._tools_in(text))
        yield from learned.used(name, tool=self._tool.name, creates=self._creates)
        for value in marked_examples(text):
            moved = today_like(value, today) if isinstance(value, str) and is_day(name, text) else None
            yield value if moved is None else moved

    @property
    def _creates(self) -> bool:
        return not self._tool.hints.read_only and not CREATING.isdisjoint(words(self._tool.name))

    def _paths(self, name: str, text: str) -> Iterator[str]:
        """Sandbox paths, and for tools that only read also paths that the server publishes."""
        learned, sandbox, tool = self._supply.learned, self._supply.sandbox, self._tool
        others = [other for other in self._names if other != name]
        about = (tool.description, self._supply.surface.name or "")
        ours = sandbox_paths(
            sandbox, name, text, tool=tool.name, about=about, others=others, read_only=tool.hints.read_only
        )
        if not tool.hints.read_only:
            makes = makes_place(name, tool.name)
            used = () if makes else learned.used(name, tool=tool.name, creates=False)
            # A tool that writes must stay in the sandbox, so paths from other calls must be in it too.
            yield from (str(value) for value in used if self._guard.allows(value, path=True))
            yield from ours
            return
        files, folders = learned.files, learned.folders
        is_folder = meaning_of(name, text, tool.name) != "file"
        theirs = [*folders, *files] if is_folder else [*files, *folders]
        theirs += map(str, learned.used(name, tool=tool.name, creates=False))
        theirs = [path for path in theirs if self._guard.allows(path, path=True)]
        inside = not folders or any(sandbox.root.startswith(f"{place}/") for place in folders)
        # The user configured this value for another tool, so it needs no guard.
        if name in learned.trusted:
            yield str(learned.trusted[name])
        yield from [*ours, *theirs] if inside else [*theirs, *ours]
        yield from (v for v in marked_examples(text) if isinstance(v, str) and self._guard.allows(v, path=True))


_MOMENTS: Mapping[str, str] = {"date": "{today}", "date-time": "{today}T12:00:00Z", "time": "12:00:00Z"}
"""Values for the JSON Schema formats of dates and times, with today's date."""
