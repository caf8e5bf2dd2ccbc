"""The nodes and items of a run that checks the server, and what the run says about them at its end."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import pytest

from mcp_governor.pytest_plugin.arguments import ROOT, command_to_repeat, refuse_unknown
from mcp_governor.pytest_plugin.running import UNREAD, run_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcp_governor.pytest_plugin.arguments import Asked
    from mcp_governor.pytest_plugin.outcomes import Families, Outcome


class Items:
    """The hooks of a run in which the check is on."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Under pytest-xdist, read the server before there are workers, which get the result."""
        if session.config.pluginmanager.hasplugin("dsession"):
            self._families(session.config)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Hand the result to a worker of pytest-xdist."""
        run_of(node.config).hand_over(node.workerinput)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(
        self, session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Add our items before ``-k``, ``-m`` and ``--deselect`` choose among all of them."""
        root = McpCollector.from_parent(session, name=ROOT, nodeid=ROOT, path=config.rootpath)
        root.partial = self.asked.partial
        for tool, families in self._families(config).items():
            # The reason why nothing could be read is shown whatever was asked for.
            taken = {
                name: outcome
                for name, outcome in families.items()
                if tool == UNREAD or self.asked.takes(f"{ROOT}::{tool}::{name}")
            }
            if taken:
                root.families[tool] = taken
        # Through the session, so that what counts and lists items sees ours, too.
        items.extend(session.genitems(root))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
        """Print what fails nothing: warnings, how far responses were checked, and what was written."""
        from mcp_governor.pytest_plugin.outcomes import summary_lines

        stats = terminalreporter.stats
        # Under pytest-xdist, the controller knows from the reports alone which items ran.
        ids = {getattr(one, "nodeid", "") for kind, reports in stats.items() if kind != "deselected" for one in reports}
        run, full = run_of(config), terminalreporter.verbosity > 0
        said = summary_lines(run.made.report, ids, full=full, stale=not self.asked.partial) if run.made else ()
        lines = [*said, *run.notes]
        if lines:
            terminalreporter.write_sep("=", "MCP server")
        for line in lines:
            terminalreporter.write_line(line)

    def _families(self, config: pytest.Config) -> Families:
        run = run_of(config)
        with _captured(config):
            families = run.families()
        if run.read:
            refuse_unknown(self.asked, (f"{ROOT}::{tool}::{name}" for tool in families for name in families[tool]))
        return families


@contextlib.contextmanager
def _captured(config: pytest.Config) -> Iterator[None]:
    """Keep what a server in this process logs off the terminal, as pytest does for tests; ``-s`` shows it."""
    capture = config.pluginmanager.getplugin("capturemanager")
    if capture is None or config.option.capture == "no":
        yield
        return
    capture.resume_global_capture()
    try:
        yield
    finally:
        capture.suspend_global_capture()
        capture.read_global_capture()


class FailedRuleError(Exception):
    """Says that an item fails; what it has to report is shown instead of it."""


class McpCollector(pytest.Collector):
    """The node ``mcp``, above one item for each tool and family of rules: ``mcp::TOOL::FAMILY``."""

    def __init__(self, **more: Any) -> None:
        super().__init__(**more)
        self.families: Families = {}
        self.partial = False

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """The items that are asked for."""
        for tool, families in self.families.items():
            for name, outcome in families.items():
                yield RuleItem.from_parent(self, name=f"{tool}::{name}", outcome=outcome, partial=self.partial)


class RuleItem(pytest.Item):
    """One family of rules over one tool."""

    def __init__(self, *, outcome: Outcome, partial: bool, **more: Any) -> None:
        super().__init__(**more)
        self.outcome = outcome
        self.lines = outcome.lines if partial else (*outcome.lines, *outcome.stale)

    def runtest(self) -> None:
        """Fail where there is something to report; do not pass where nothing was looked at."""
        if self.lines:
            raise FailedRuleError
        if self.outcome.unseen:
            pytest.skip(self.outcome.unseen)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The findings, each with place and fix; no traceback, the code under test is not here."""
        if isinstance(excinfo.value, FailedRuleError):
            # Unused entries are reported by a whole run alone.
            item = self.nodeid if self.outcome.lines else ""
            return "\n".join([*self.lines, f"reproduce: {command_to_repeat(self.config, item)}"])
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """What the heading of a failure says."""
        return self.path, None, self.nodeid
