"""``pytest --mcp-charter``: one test item per tool and rule family, on the same engine and config as ``check``.

The profile ``charter`` is added to the configured ones, with its response contract; ``--mcp-profile`` chooses others.

Items are named ``mcp::TOOL::FAMILY``; a family is a pack of rules (``charter``, ``envelope``, ``spec``, …), or
``changes`` for what could not be decided against the baseline. Under ``mcp::surface`` stands what concerns no single
tool, ``policy`` and ``changelog`` among it. An item fails with the place and the fix of each finding, without a
traceback, and is skipped where no response of its tool was seen; where the run could not be made there is one item,
``mcp::target::read``. Without the flag this module imports nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcp_governor.checking.model import Report
    from mcp_governor.config import Config
    from mcp_governor.report.lines import Line

    Families = dict[str, dict[str, "Outcome"]]

SURFACE = "surface"
_CHANGES = "changes"
_NOTES = pytest.StashKey[tuple[str, ...]]()
CHARTER = "charter"
CONFIGURED = "configured"
"""What ``--mcp-profile`` takes in the place of a name, for the profiles of the configuration alone."""
_OF_TOOLS = frozenset({"tool", "schema", "input", "output"})


def pytest_addoption(parser: pytest.Parser) -> None:
    """Register the flags; everything else waits for them."""
    group = parser.getgroup("mcp-charter", "MCP server governance")
    group.addoption("--mcp-charter", action="store_true", default=False, help="Check the MCP server of this project.")
    group.addoption(
        "--mcp-target", metavar="TARGET", default=None, help="Check this server instead of the configured one."
    )
    group.addoption(
        "--mcp-profile",
        metavar="NAME",
        action="append",
        default=[],
        help="Check this profile; repeatable. Default: charter, in addition to the configured profile. "
        "configured: only the configured profile.",
    )
    group.addoption("--mcp-no-calls", action="store_true", default=False, help="Call no tool of the server.")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add our items before ``-k``, ``-m`` and ``--deselect`` choose among all of them."""
    if config.getoption("--mcp-charter"):
        root = McpCollector.from_parent(session, name="mcp", nodeid="mcp", path=config.rootpath)
        # Through the session, so that what counts and lists items sees ours, too.
        items.extend(session.genitems(root))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print what fails nothing: how far responses were checked, and notes about former names of rules."""
    for note in config.stash.get(_NOTES, ()):
        terminalreporter.write_line(note)


class FailedRuleError(Exception):
    """Says that an item fails; what it has to report is shown instead of it."""


class Outcome(NamedTuple):
    """What an item comes to: it fails with ``lines``, else it is skipped for ``unseen``, else it passes."""

    lines: tuple[str, ...] = ()
    unseen: str = ""


class McpCollector(pytest.Collector):
    """The node ``mcp``: reads the server once and knows the outcome of every item."""

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """One node per tool, and one for the surface; a single failing item where the run could not be made."""
        for tool, families in self._families().items():
            yield ToolCollector.from_parent(self, name=tool, families=families)

    def _families(self) -> Families:
        import warnings

        from mcp_governor.checking.run import check
        from mcp_governor.errors import GovernorError
        from mcp_governor.report.responses import response_lines
        from mcp_governor.rule_names import noting
        from mcp_governor.text import printable

        try:
            # A project that turns warnings into errors means those of its tests, not of what serves the surface.
            with warnings.catch_warnings(), noting() as notes:
                warnings.simplefilter("ignore")
                config = _config(self.config)
                report = check(self.config.getoption("--mcp-target"), config=config)
                families = _families(report, config)
            said = (f"note: {note.message}" for note in notes)
            self.config.stash[_NOTES] = tuple(map(printable, [*response_lines(report), *said]))
            return families
        except GovernorError as error:
            message = f"{error.message}\n  {error.hint}" if error.hint else error.message
            return {"target": {"read": Outcome(tuple(printable(message).splitlines()))}}


class ToolCollector(pytest.Collector):
    """The node ``mcp::TOOL``."""

    def __init__(self, *, families: dict[str, Outcome], **more: Any) -> None:
        super().__init__(**more)
        self.families = families

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """One item per family of rules."""
        for family, outcome in self.families.items():
            yield RuleItem.from_parent(self, name=family, outcome=outcome)


class RuleItem(pytest.Item):
    """One family of rules over one tool."""

    def __init__(self, *, outcome: Outcome, **more: Any) -> None:
        super().__init__(**more)
        self.outcome = outcome

    def runtest(self) -> None:
        """Fail where there is something to report; do not pass where nothing was looked at."""
        if self.outcome.lines:
            raise FailedRuleError
        if self.outcome.unseen:
            pytest.skip(self.outcome.unseen)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The findings, each with place and fix; no traceback, the code under test is not here."""
        if isinstance(excinfo.value, FailedRuleError):
            return "\n".join(self.outcome.lines)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """What the heading of a failure says."""
        return self.path, None, self.nodeid


def _config(options: pytest.Config) -> Config:
    """The project's configuration as the command line changes it."""
    from dataclasses import replace

    from mcp_governor.config import load_config

    # The tests of the repository run its code; so may its rules.
    config = replace(load_config(start=options.rootpath), trust_rules=True)
    if options.getoption("--mcp-no-calls"):
        config = replace(config, calls_mode="none")
    named = options.getoption("--mcp-profile")
    if not named:
        return _with_charter(config)
    profiles = (one for name in named for one in (config.profile if name == CONFIGURED else (name,)))
    return replace(config, profile=tuple(dict.fromkeys(profiles)))


def _with_charter(config: Config) -> Config:
    """The configuration with the charter added to what it selects.

    Raises:
        ConfigError: they contradict each other.
    """
    from dataclasses import replace

    from mcp_governor.checking.settings import selection_of
    from mcp_governor.errors import ConfigError

    if CHARTER in config.profile:
        return config
    lint = config.lint
    if lint.select:
        # What is selected rule by rule takes the place of all profiles.
        lint = replace(lint, extend_select=(*lint.extend_select, "call/*", "charter/*", "envelope/*"))
    selection_of(config)
    added = replace(config, profile=(*config.profile, CHARTER), lint=lint)
    try:
        selection_of(added)
    except ConfigError as error:
        raise ConfigError(
            f"The charter cannot be added to the profile {', '.join(config.profile)}. {error.message}",
            "Check the configured profile alone: pytest --mcp-charter --mcp-profile configured",
        ) from None
    return added


def _families(report: Report, config: Config) -> Families:
    """Tool → family → what it comes to. The same items are there if they pass and if they fail."""
    from textwrap import dedent

    from mcp_governor.report.lines import plain_text
    from mcp_governor.report.text import change_lines, finding_lines

    expected = _expected(report, config)
    by_tool: dict[str, dict[str, list[Line]]] = {tool: {name: [] for name in names} for tool, names in expected.items()}

    def add(tool: str | None, family: str, lines: Iterator[Line]) -> None:
        by_tool.setdefault(_shown(tool), {}).setdefault(family, []).extend(lines)

    for finding in report.failing_findings:
        add(finding.tool, finding.rule.partition("/")[0], finding_lines(finding))
    for change in report.failing_changes:
        add(change.tool, _CHANGES, change_lines(change))
    return {
        tool: {
            family: Outcome(tuple(dedent(plain_text(lines)).splitlines()), expected.get(tool, {}).get(family, ""))
            for family, lines in sorted(families.items())
        }
        for tool, families in by_tool.items()
    }


def _expected(report: Report, config: Config) -> dict[str, dict[str, str]]:
    """The families that are looked at, for each tool and for the surface as a whole; and why one was not, after all."""
    from mcp_governor.checking.settings import selection_of

    linted = [active.rule for active in selection_of(config).linted]
    packs = {rule.pack for rule in linted}
    compared = [_CHANGES] if report.baseline is not None else []
    unseen, of_responses = _of_responses(report)
    out = {
        tool: {
            **dict.fromkeys([*packs, *compared], ""),
            # Where the same pack reads the surface, too, that much was looked at.
            **{family: unseen.get(tool, "") for family in of_responses - packs},
        }
        for tool in sorted(map(_shown, report.tools))
    }
    on_paper = ["policy", *(["changelog"] if config.changelog else [])]
    whole = {rule.pack for rule in linted if rule.on not in _OF_TOOLS}
    out[SURFACE] = dict.fromkeys([*whole, *compared, *on_paper], "")
    return out


def _of_responses(report: Report) -> tuple[dict[str, str], set[str]]:
    """Why no response of a tool was seen, and the families that look at responses; none of a recording."""
    from mcp_governor.checking.seen import RECORDING
    from mcp_governor.report.responses import reason_words

    seen = report.calls
    if seen is None or any(part.why == RECORDING for part in seen.unseen):
        return {}, set()
    unseen = {_shown(tool): reason_words(part) for part in seen.unseen for tool in part.tools}
    return unseen, {"call", *seen.contracts}


def _shown(tool: str | None) -> str:
    from mcp_governor.text import printable, visible

    # pytest prints the ids of items itself: what applies to our lines applies to them.
    return SURFACE if tool is None else printable(visible(tool))
