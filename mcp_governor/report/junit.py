"""Report → JUnit XML, the schema that Jenkins, GitLab, Azure Pipelines and CircleCI read."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree

from mcp_governor.report.items import Item, items
from mcp_governor.report.response_words import response_lines
from mcp_governor.secrets import redact
from mcp_governor.text import shortened, visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_governor.checking.model import Report

WHOLE_LINES = True
WITH_PLACES = True

_MAX_CASES = 10_000
"""Items that are written, the worst first, as in the JSON report."""
_MAX_LENGTH = 2_000
"""Characters of one item's text."""
_SERVER = "(server)"


def render(report: Report) -> str:
    """One test case for each tool and one for the server: failed, with what failed it, or passed, with its remarks."""
    by_tool: dict[str, list[Item]] = {_SERVER: [], **{visible(name): [] for name in report.tools}}
    for item in items(report)[:_MAX_CASES]:
        by_tool.setdefault(item.tool or _SERVER, []).append(item)
    failed = [finding.id for finding in report.failing_findings] + [change.id for change in report.failing_changes]
    failing = frozenset(map(visible, failed))
    suite = ElementTree.Element("testsuite", name="mcp-governor", errors="0", skipped="0", time="0")
    server = visible(report.server.name or "") if report.server is not None else ""
    of_all = {"classname": server or "mcp-governor", "time": "0"}
    for name, found in by_tool.items():
        _fill(ElementTree.SubElement(suite, "testcase", {"name": name, **of_all}), found, failing, report.reproduce)
    if report.nothing_checked:
        case = ElementTree.SubElement(suite, "testcase", {"name": "(run)", **of_all})
        ElementTree.SubElement(case, "failure", message=visible(report.nothing_checked), type="nothing-checked")
    if lines := list(response_lines(report)):
        ElementTree.SubElement(suite, "system-out").text = "\n".join(map(visible, lines))
    suite.set("tests", str(len(suite.findall("testcase"))))
    suite.set("failures", str(len(suite.findall("testcase/failure"))))
    root = ElementTree.Element("testsuites")
    root.append(suite)
    ElementTree.indent(root)
    return redact('<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n")


def _fill(case: ElementTree.Element, found: Sequence[Item], failing: frozenset[str], command: str) -> None:
    failed = [item for item in found if item.id in failing]
    accepted = [item for item in found if item.accepted is not None]
    remarks = [item for item in found if item.id not in failing and item.accepted is None]
    if failed:
        # The common schema takes one failure in a test case.
        message = failed[0].message if len(failed) == 1 else f"{failed[0].message} … and {len(failed) - 1} more"
        element = ElementTree.SubElement(case, "failure", message=shortened(message, _MAX_LENGTH), type=failed[0].rule)
        again = [f"Reproduce: {command}"] if command else []
        element.text = "\n".join([*map(_line, failed), *again])
    if remarks or accepted:
        shown = [*map(_line, remarks), *(f"accepted: {_line(item)} ({item.accepted})" for item in accepted)]
        ElementTree.SubElement(case, "system-out").text = "\n".join(shown)


def _line(item: Item) -> str:
    where = f"{item.file}:{item.line}: " if item.file and item.line else ""
    return shortened(f"{where}{item.severity.value}: {item.text} [{item.rule}] {item.pointer}".rstrip(), _MAX_LENGTH)
