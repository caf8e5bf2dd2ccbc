"""``pytest --mcp-charter``: one test item per tool and rule family, on the same engine and config as ``check``.

Items are named ``mcp::TOOL::FAMILY``; a family is a pack of rules (``charter``, ``spec``, …), ``changes`` for what
could not be decided against the baseline, and for the surface as a whole ``changelog`` and ``policy``. An item fails
with the place and the fix of each finding, without a traceback. Without the flag this module imports nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mcp_governor.checking import Report
    from mcp_governor.report.lines import Line

SURFACE = "surface"
_CHANGES = "changes"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Register the flags; everything else waits for them."""
    group = parser.getgroup("mcp-charter", "MCP server governance")
    group.addoption("--mcp-charter", action="store_true", default=False, help="Check the MCP server of this project.")
    group.addoption(
        "--mcp-target", metavar="TARGET", default=None, help="Check this server instead of the configured one."
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add our items before ``-k`` and ``-m`` choose among all of them."""
    if config.getoption("--mcp-charter"):
        root = McpCollector.from_parent(session, name="mcp", nodeid="mcp", path=config.rootpath)
        items.extend(root.items())


class FailedRuleError(Exception):
    """Carries what an item has to tell; never shown as an exception."""


class McpCollector(pytest.Collector):
    """The node ``mcp``: reads the server once and knows the outcome of every item."""

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """Part of pytest's protocol."""
        return list(self.items())

    def items(self) -> Iterator[pytest.Item]:
        """One item per tool and family; a single failing one where the run could not be made."""
        from mcp_governor.checking import check
        from mcp_governor.config import load_config
        from mcp_governor.errors import GovernorError

        try:
            config = load_config(start=self.config.rootpath)
            report = check(self.config.getoption("--mcp-target"), config=config)
            families = _families(report, config)
        except GovernorError as error:
            yield self._item("target", "read", [error.message, error.hint])
            return
        for tool, family, lines in families:
            yield self._item(tool, family, lines)

    def _item(self, tool: str, family: str, lines: Sequence[str]) -> pytest.Item:
        parent = ToolCollector.from_parent(self, name=tool)
        return RuleItem.from_parent(parent, name=family, lines=tuple(lines))


class ToolCollector(pytest.Collector):
    """The node ``mcp::TOOL``: only a level in the names."""

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """Part of pytest's protocol; items are made by :class:`McpCollector`."""
        return []


class RuleItem(pytest.Item):
    """One family of rules over one tool."""

    def __init__(self, *, lines: tuple[str, ...], **more: Any) -> None:
        super().__init__(**more)
        self.lines = lines

    def runtest(self) -> None:
        """Fail where there is something to tell."""
        if self.lines:
            raise FailedRuleError

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:  # noqa: ARG002
        """The findings, each with place and fix; no traceback, the code under test is not here."""
        return "\n".join(self.lines)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """What the heading of a failure says."""
        return self.path, None, self.nodeid


def _families(report: Report, config: Any) -> list[tuple[str, str, list[str]]]:
    """(tool, family, lines to show) for every item; no lines where it passes."""
    from mcp_governor.checking.settings import lint_settings
    from mcp_governor.lint import select
    from mcp_governor.report.lines import plain_text
    from mcp_governor.report.text import change_lines, finding_lines
    from mcp_governor.text import visible

    packs: dict[str, set[str]] = {}
    for active in select(lint_settings(config)).linted:
        packs.setdefault(active.rule.pack, set()).add(active.rule.on)
    told: dict[tuple[str, str], list[Line]] = {}
    for tool in report.tools:
        for pack, scopes in packs.items():
            if scopes & {"tool", "schema", "input", "output"}:
                told[visible(tool), pack] = []
        if report.baseline is not None:
            told[visible(tool), _CHANGES] = []
    for pack in (*packs, "policy", *(("changelog",) if config.changelog else ())):
        told[SURFACE, pack] = []
    for finding in report.failing_findings:
        place = visible(finding.tool) if finding.tool is not None else SURFACE
        told.setdefault((place, finding.rule.partition("/")[0]), []).extend(finding_lines(finding))
    for change in report.failing_changes:
        place = visible(change.tool) if change.tool is not None else SURFACE
        told.setdefault((place, _CHANGES), []).extend(change_lines(change))
    return [
        (tool, family, plain_text(lines).splitlines())
        for (tool, family), lines in sorted(told.items(), key=lambda item: (item[0][0] == SURFACE, item[0]))
    ]
