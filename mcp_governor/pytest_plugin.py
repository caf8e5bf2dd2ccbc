"""``pytest --mcp-charter``: one test item per tool and rule family, on the same engine and config as ``check``.

Items are named ``mcp::TOOL::FAMILY``; a family is a pack of rules (``charter``, ``spec``, …), or ``changes`` for what
could not be decided against the baseline. Under ``mcp::surface`` stands what concerns no single tool, ``policy`` and
``changelog`` among it. An item fails with the place and the fix of each finding, without a traceback; where the run
could not be made there is one item, ``mcp::target::read``. Without the flag this module imports nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcp_governor.checking.model import Report
    from mcp_governor.config import Config
    from mcp_governor.report.lines import Line

    Families = dict[str, dict[str, tuple[str, ...]]]

SURFACE = "surface"
_CHANGES = "changes"
_NOTES = pytest.StashKey[tuple[str, ...]]()
_OF_TOOLS = frozenset({"tool", "schema", "input", "output"})


def pytest_addoption(parser: pytest.Parser) -> None:
    """Register the flags; everything else waits for them."""
    group = parser.getgroup("mcp-charter", "MCP server governance")
    group.addoption("--mcp-charter", action="store_true", default=False, help="Check the MCP server of this project.")
    group.addoption(
        "--mcp-target", metavar="TARGET", default=None, help="Check this server instead of the configured one."
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add our items before ``-k``, ``-m`` and ``--deselect`` choose among all of them."""
    if config.getoption("--mcp-charter"):
        root = McpCollector.from_parent(session, name="mcp", nodeid="mcp", path=config.rootpath)
        # Through the session, so that what counts and lists items sees ours, too.
        items.extend(session.genitems(root))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the notes about former names of rules; they fail nothing."""
    for note in config.stash.get(_NOTES, ()):
        terminalreporter.write_line(f"note: {note}")


class FailedRuleError(Exception):
    """Says that an item fails; what it has to report is shown instead of it."""


class McpCollector(pytest.Collector):
    """The node ``mcp``: reads the server once and knows the outcome of every item."""

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """One node per tool, and one for the surface; a single failing item where the run could not be made."""
        for tool, families in self._families().items():
            yield ToolCollector.from_parent(self, name=tool, families=families)

    def _families(self) -> Families:
        import warnings
        from dataclasses import replace

        from mcp_governor.checking.run import check
        from mcp_governor.config import load_config
        from mcp_governor.errors import GovernorError
        from mcp_governor.rule_names import noting
        from mcp_governor.text import printable

        try:
            # A project that turns warnings into errors means those of its tests, not of what serves the surface.
            with warnings.catch_warnings(), noting() as notes:
                warnings.simplefilter("ignore")
                # The tests of the repository run its code; so may its rules.
                config = replace(load_config(start=self.config.rootpath), trust_rules=True)
                report = check(self.config.getoption("--mcp-target"), config=config)
                families = _families(report, config)
            self.config.stash[_NOTES] = tuple(printable(note.message) for note in notes)
            return families
        except GovernorError as error:
            message = f"{error.message}\n  {error.hint}" if error.hint else error.message
            return {"target": {"read": tuple(printable(message).splitlines())}}


class ToolCollector(pytest.Collector):
    """The node ``mcp::TOOL``."""

    def __init__(self, *, families: dict[str, tuple[str, ...]], **more: Any) -> None:
        super().__init__(**more)
        self.families = families

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """One item per family of rules."""
        for family, lines in self.families.items():
            yield RuleItem.from_parent(self, name=family, lines=lines)


class RuleItem(pytest.Item):
    """One family of rules over one tool."""

    def __init__(self, *, lines: tuple[str, ...], **more: Any) -> None:
        super().__init__(**more)
        self.lines = lines

    def runtest(self) -> None:
        """Fail where there is something to report."""
        if self.lines:
            raise FailedRuleError

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The findings, each with place and fix; no traceback, the code under test is not here."""
        if isinstance(excinfo.value, FailedRuleError):
            return "\n".join(self.lines)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """What the heading of a failure says."""
        return self.path, None, self.nodeid


def _families(report: Report, config: Config) -> Families:
    """Tool → family → lines to show, none where it passes. The same items are there in both cases."""
    from textwrap import dedent

    from mcp_governor.report.lines import plain_text
    from mcp_governor.report.text import change_lines, finding_lines

    by_tool: dict[str, dict[str, list[Line]]] = {}
    for tool, families in _expected(report, config):
        by_tool.setdefault(tool, {}).update({family: [] for family in families})

    def add(tool: str | None, family: str, lines: Iterator[Line]) -> None:
        by_tool.setdefault(_shown(tool), {}).setdefault(family, []).extend(lines)

    for finding in report.failing_findings:
        add(finding.tool, finding.rule.partition("/")[0], finding_lines(finding))
    for change in report.failing_changes:
        add(change.tool, _CHANGES, change_lines(change))
    return {
        tool: {family: tuple(dedent(plain_text(lines)).splitlines()) for family, lines in sorted(families.items())}
        for tool, families in by_tool.items()
    }


def _expected(report: Report, config: Config) -> Iterator[tuple[str, list[str]]]:
    """The families that are looked at, for each tool and for the surface as a whole."""
    from mcp_governor.catalogue import select
    from mcp_governor.checking.settings import lint_settings

    linted = [active.rule for active in select(lint_settings(config)).linted]
    packs = sorted({rule.pack for rule in linted})
    compared = [_CHANGES] if report.baseline is not None else []
    for tool in sorted(map(_shown, report.tools)):
        yield tool, [*packs, *compared]
    on_paper = ["policy", *(["changelog"] if config.changelog else [])]
    yield SURFACE, [*sorted({rule.pack for rule in linted if rule.on not in _OF_TOOLS}), *compared, *on_paper]


def _shown(tool: str | None) -> str:
    from mcp_governor.text import printable, visible

    # pytest prints the ids of items itself: what applies to our lines applies to them.
    return SURFACE if tool is None else printable(visible(tool))
