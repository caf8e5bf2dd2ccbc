"""Group findings by cause, because a reader corrects a cause once for all its places."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from msgspec import Struct

from mcp_governor.lazy import lazy_pattern
from mcp_governor.report.groups import count_of
from mcp_governor.schemas.pointers import pointer_tokens
from mcp_governor.text import one_line, short_digests, visible

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Sequence

    from mcp_governor.findings import Finding, Severity


NAMES_SHOWN = 3
"""Tools that a sentence names: enough to see which family it is. The JSON report and ``-v`` name all of them."""

PLACES_SHOWN = 5
"""Parameters that a sentence names: two lines of a terminal. The JSON report and ``-v`` name all of them."""

GISTS_SHOWN = 5
"""Findings that one sentence quotes: a paragraph of a terminal, and enough to see what the others are about."""

_PLACEHOLDER = lazy_pattern(r"\{(tools|places|gists)\}")

_NAME = 60
"""Characters of a tool's name: the longest that a client takes has 64."""


class Cause(Struct, frozen=True):
    """Findings of one rule that differ only in tool and place.

    Attributes:
        findings: at least one, in the order of the report.
    """

    findings: tuple[Finding, ...]

    @property
    def rule(self) -> str:
        """The rule that they are of."""
        return self.findings[0].rule

    @property
    def severity(self) -> Severity:
        """The severity that they have."""
        return self.findings[0].severity

    @property
    def tools(self) -> list[str]:
        """The tools in question, each once."""
        return list(dict.fromkeys(finding.tool for finding in self.findings if finding.tool is not None))

    @property
    def subject(self) -> str:
        """The tool that the sentence begins with and does not name, safe to show; empty if it names it."""
        tool = self.findings[0].tool
        return "" if tool is None or tool in self._whole_sentence() else one_line(tool, _NAME)

    @property
    def sentence(self) -> str:
        """The message, safe to show; for several findings, with their number and the first names."""
        return short_digests(self._whole_sentence())

    def _whole_sentence(self) -> str:
        first = self.findings[0]
        if len(self.findings) == 1:
            return visible(first.message)
        tools = self.tools
        if first.cause and (tools or first.gist):
            # In one pass: what a server calls its tools may look like a placeholder.
            return _ended(visible(_PLACEHOLDER.sub(self._named, first.cause)))
        if len(tools) > 1:
            return _ended(f"{visible(first.message)} The same in {named_tools(tools[1:], more=True)}.")
        return f"{visible(first.message)} The same at {count_of(len(self.findings) - 1, 'more place')}."

    def _named(self, placeholder: re.Match[str]) -> str:
        """What stands for a placeholder of the sentence."""
        if placeholder[1] == "tools":
            return named_tools(self.tools)
        return named_places(self.findings) if placeholder[1] == "places" else _gists(self.findings)

    @property
    def fix(self) -> str:
        """The fix where all have the same one; else empty."""
        fixes = {finding.fix for finding in self.findings}
        return fixes.pop() if len(fixes) == 1 else ""


def _ended(text: str) -> str:
    """A sentence that a list with an ellipsis ends needs no full stop."""
    return text.removesuffix(".") if text.endswith("….") else text


def named_tools(names: Sequence[str], *, more: bool = False) -> str:
    """``git_add``, ``2 tools: git_add, git_log`` or ``10 tools: git_add, git_commit, git_diff, …``.

    ``more`` says that others were named before: ``9 more tools: …``.
    """
    shown = ", ".join(one_line(name, _NAME) for name in names[:NAMES_SHOWN])
    if len(names) == 1 and not more:
        return shown
    rest = ", …" if len(names) > NAMES_SHOWN else ""
    return f"{count_of(len(names), 'more tool' if more else 'tool')}: {shown}{rest}"


def named_places(findings: Sequence[Finding]) -> str:
    """``since (list_issues), path (push_files), …``: the parameter of each finding, if it has one, and its tool."""
    names: dict[str, None] = {}
    for finding in findings:
        tool = one_line(finding.tool or "", _NAME)
        named = _named_at(finding.path)
        names[f"{one_line(named, _NAME)} ({tool})" if named else tool] = None
    rest = ", …" if len(names) > PLACES_SHOWN else ""
    return f"{', '.join(list(names)[:PLACES_SHOWN])}{rest}"


def _gists(findings: Sequence[Finding]) -> str:
    """What the first findings say, apart from the names of their tools not twice, and the other tools by name."""
    quoted: dict[str, Finding] = {}
    for finding in findings:
        quoted.setdefault(finding.gist.replace(finding.tool or "", ""), finding)
    first = list(quoted.values())[:GISTS_SHOWN]
    shown = {finding.tool for finding in first}
    rest = list(dict.fromkeys(one.tool for one in findings if one.tool is not None and one.tool not in shown))
    said = "; ".join(finding.gist for finding in first)
    if rest:
        return f"{said}; also in {named_tools(rest, more=len(rest) > 1)}"
    left = len(quoted) - len(first)
    return f"{said}; {left} more" if left else said


def _named_at(path: str) -> str:
    """The parameter whose schema, or a keyword of whose schema, a pointer leads to; empty if it is none."""
    for _ in range(2):
        path, _, last = path.rpartition("/")
        if path.endswith("/properties") and last:
            return pointer_tokens(f"/{last}")[0]
    return ""


def causes(findings: Iterable[Finding]) -> list[Cause]:
    """The findings by cause: the gravest first, then as their rules order them, then the rules with the fewest causes,
    then the widest cause.

    A rule with many causes tends to repeat itself, so rules with few causes come first. A cause names the tools with
    the most to repair first.
    """
    together: dict[tuple[str, str, str, str | None], list[Finding]] = {}
    for finding in sorted(findings, key=lambda one: (-one.weight, one.tool or "", one.path)):
        together.setdefault((finding.rule, finding.severity, _said(finding), finding.accepted), []).append(finding)
    found = [Cause(tuple(members)) for members in together.values()]
    of_rule = Counter((cause.rule, cause.severity) for cause in found)
    return sorted(
        found,
        key=lambda cause: (
            -cause.severity.rank,
            cause.findings[0].order,
            of_rule[cause.rule, cause.severity],
            cause.rule,
            -len(cause.findings),
        ),
    )


def _said(finding: Finding) -> str:
    """The message of a finding without the tool and the place."""
    if finding.cause and (finding.tool is not None or finding.gist):
        return finding.cause
    said = finding.message
    for part in (finding.path, finding.tool):
        if part:
            said = said.replace(part, "\0")
    return said
