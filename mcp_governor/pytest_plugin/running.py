"""The one check of a process: made when it is first asked for, and shared by the items and the fixtures.

Under pytest-xdist the controller makes it and hands the outcome to its workers, so that the server is read and called
once. A worker of a controller that has no outcome reads the server itself.
"""

from __future__ import annotations

import base64
import json
import pickle
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pytest

from mcp_governor.checking.reading import changes_between, read_surface, refuse_empty, with_schema_version
from mcp_governor.errors import GovernorError
from mcp_governor.findings import Verdict
from mcp_governor.pytest_plugin import ITEMS
from mcp_governor.pytest_plugin.arguments import charter_left_out, config_of, not_configured, target_of
from mcp_governor.report.finding_groups import named_tools
from mcp_governor.surface import build_surface, dump_surface, load_surface
from mcp_governor.target.resolve import baseline_file
from mcp_governor.text import printable, visible
from mcp_governor.writing import write_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, MutableMapping

    from mcp_governor.checking.run import Checked
    from mcp_governor.config import Config
    from mcp_governor.pytest_plugin.outcomes import Families
    from mcp_governor.surface import Surface
    from mcp_governor.testing import McpSession


_KEY = pytest.StashKey["Run"]()
_INPUT = "mcp_governor"
"""The key of ``workerinput`` with what a worker gets."""
UNREAD = "target"
"""Stands for the name of a tool where the server could not be read."""


def run_of(config: pytest.Config) -> Run:
    """The check of this process."""
    if _KEY not in config.stash:
        config.stash[_KEY] = Run(config)
    return config.stash[_KEY]


class Run:
    """The check of one process.

    Attributes:
        notes: what the check has to say apart from its report, in lines that are safe to print.
        read: true if items were made from a surface.
    """

    def __init__(self, options: pytest.Config) -> None:
        self.options = options
        self.notes: tuple[str, ...] = ()
        self.read = True
        self._error: GovernorError | None = None
        self._families: Families | None = None
        self.made: Checked | None = None
        handed = getattr(options, "workerinput", {}).get(_INPUT, "")
        # The same user runs the controller. A worker on another machine may have another version.
        with suppress(pickle.UnpicklingError, AttributeError, ImportError, TypeError):
            if handed:
                self._families, self.read, self.made = pickle.loads(base64.b64decode(handed))  # noqa: S301

    @cached_property
    def config(self) -> Config:
        """The configuration of the check."""
        return config_of(self.options)

    def checked(self) -> Checked:
        """The report and the surfaces.

        Raises:
            GovernorError: the check could not be made; the same error every time.
        """
        if self._error is not None:
            raise self._error
        if self.made is None:
            try:
                self.made = self._check()
            except GovernorError as error:
                self._error = error
                raise
        return self.made

    def families(self) -> Families:
        """What every item comes to; one item that says why, if the check could not be made."""
        from mcp_governor.pytest_plugin.outcomes import Outcome, families_of
        from mcp_governor.text import printable

        if self._families is not None:
            return self._families
        why = not_configured(self.options)
        if why:
            self.notes, self.read = (f"nothing was checked: {why}",), False
            self._families = {UNREAD: {"read": Outcome(unseen=why)}}
            return self._families
        try:
            self._families = self._quietly(lambda: families_of(self.checked().report, self.config))
        except GovernorError as error:
            self.read = False
            self._families = {UNREAD: {"read": Outcome(tuple(printable(_words(error)).splitlines()))}}
        return self._families

    def hand_over(self, workerinput: MutableMapping[str, Any]) -> None:
        """Give a worker what this process found."""
        workerinput[_INPUT] = base64.b64encode(pickle.dumps((self.families(), self.read, self.made))).decode()

    def given(self, what: str) -> Any:
        """The value of a fixture; ends the test if there is none.

        Args:
            what: ``surface``, ``baseline`` or ``report``.
        """
        __tracebackhide__ = True
        return self._for_test(lambda: self._value(what))

    def session(self) -> McpSession:
        """A session with the server; ends the test if there is none."""
        __tracebackhide__ = True

        def opened() -> McpSession:
            from mcp_governor.target import LiveSource, resolve
            from mcp_governor.testing import McpSession

            source = resolve(target_of(self.options), self.config)
            if not isinstance(source, LiveSource):
                pytest.skip(f"{source.shown} is a recording, which cannot be called.")
            return McpSession(source)

        session: McpSession = self._for_test(opened)
        return session

    def _value(self, what: str) -> Any:
        # The server is not checked for its surface alone.
        if what == "surface" and self.made is None and not self.options.pluginmanager.hasplugin(ITEMS):
            return self._surface
        checked = self.checked()
        if what == "report":
            return checked.report
        if what == "surface":
            return checked.surface
        if checked.baseline is None:
            pytest.skip(
                "There is no baseline: no release and no recorded surface.\n  Record one: mcp-governor snapshot"
            )
        return checked.baseline.surface

    @cached_property
    def _surface(self) -> Any:
        from mcp_governor.checking.reading import read_surface

        return self._quietly(lambda: read_surface(target_of(self.options), config=self.config))

    def _for_test(self, work: Callable[[], Any]) -> Any:
        """A value for a test: skip it if nothing is configured, fail it without a traceback if that is wrong."""
        __tracebackhide__ = True
        from mcp_governor.text import printable

        if why := not_configured(self.options):
            pytest.skip(why)
        try:
            return work()
        except GovernorError as error:
            wrong = error
        # Outside of the handler: what is raised there is shown with the error that it replaces.
        return pytest.fail(printable(_words(wrong)), pytrace=False)

    def _check(self) -> Checked:
        from mcp_governor.checking.model import Asked
        from mcp_governor.checking.run import checked

        def work() -> Checked:
            if self.options.option.mcp_update and not self.options.option.collectonly:
                self.notes += tuple(update(self.options.option.mcp_update, target_of(self.options), self.config))
            return checked(Asked(target=target_of(self.options)), self.config)

        made: Checked = self._quietly(work)
        if how := charter_left_out(self.options, self.config):
            self.notes += (how,)
        return made

    def _quietly(self, work: Callable[[], Any]) -> Any:
        """Do something without the warnings of a server in this process, and keep what is noted."""
        import warnings

        from mcp_governor.rule_names import noting
        from mcp_governor.text import printable

        # A project that turns warnings into errors means those of its tests, not of what serves the surface.
        with warnings.catch_warnings(), noting() as notes:
            warnings.simplefilter("ignore")
            done = work()
        said = (printable(f"note: {note}") for note in notes)
        self.notes = tuple(dict.fromkeys([*self.notes, *said]))
        return done


def _words(error: GovernorError) -> str:
    return f"{error.message}\n  {error.hint}" if error.hint else error.message


NEW = "new"
_BY_NAME = ("tools", "prompts", "resources", "resourceTemplates")
"""The lists of a surface file."""


def update(what: str, target: str | None, config: Config) -> Iterator[str]:
    """Write the surface file, and say what has changed in it, in lines that are safe to print.

    ``what`` is ``all``, or ``new`` for only what the file does not have."""
    name = baseline_file(config)
    path = config.resolve(name)
    now = read_surface(target, config=config)
    refuse_empty(now)
    now = with_schema_version(now, config)
    before = load_surface(path, what=name) if path.exists() else None
    after = _added(before, now) if what == NEW and before is not None else now
    text = dump_surface(after)
    if before is not None and text.encode("utf-8", "backslashreplace") == path.read_bytes():
        yield printable(f"{visible(name)}: unchanged")
        return
    write_file(path, text, root=config.root, shown=name)
    yield printable(f"{visible(name)}: {_difference(before, after) if before is not None else 'written'}")
    if before is not None and (broken := _broken(before, after, config)):
        yield printable(f"{visible(name)}: the update contains breaking changes of {named_tools(broken)}")


def _added(before: Surface, now: Surface) -> Surface:
    """A recorded surface with what only the current one has."""
    document, other = (json.loads(dump_surface(surface)) for surface in (before, now))
    for part in _BY_NAME:
        known = {_key(entry) for entry in document.get(part, [])}
        more = [entry for entry in other.get(part, []) if _key(entry) not in known]
        if more:
            document[part] = [*document.get(part, []), *more]
    document["tiers"] = {**other.get("tiers", {}), **document.get("tiers", {})}
    return build_surface(document, source=before.source)


def _key(entry: Any) -> str:
    named = entry if isinstance(entry, dict) else {}
    return str(next((named[key] for key in ("name", "uri", "uriTemplate") if key in named), json.dumps(entry)))


def _broken(before: Surface, after: Surface, config: Config) -> list[str]:
    """The tools that clients of the former surface cannot use as before; ``server`` for the server itself."""
    changes = changes_between(before, after, config)
    return list(dict.fromkeys(one.tool or "server" for one in changes if one.verdict is not Verdict.COMPATIBLE))


def _difference(before: Surface, after: Surface) -> str:
    """What has changed, by tool."""
    old, new = ({tool.name: tool.raw for tool in surface.tools} for surface in (before, after))
    parts = {
        "new": [name for name in new if name not in old],
        "changed": [name for name in new if name in old and new[name] != old[name]],
        "removed": [name for name in old if name not in new],
    }
    said = [f"{kind} {named_tools(names)}" for kind, names in parts.items() if names]
    return f"updated: {'; '.join(said)}" if said else "updated: no tool has changed"
