"""Findings of the stations changelog and policy, worded by their rule files."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from mcp_governor.findings import Finding
from mcp_governor.text import visible

if TYPE_CHECKING:
    from mcp_governor.catalogue.rule import Rule


@functools.cache
def rule(rule_id: str) -> Rule:
    """The rule of that id, read from its own file: a run with one finding need not read the catalogue."""
    from mcp_governor.catalogue.catalogue import rules_folder
    from mcp_governor.catalogue.rule_file import read_own_rule

    return read_own_rule(str(rules_folder() / f"{rule_id}.toml"))


def finding(rule_id: str, path: str, *, tool: str | None = None, value: Any = None, **named: str) -> Finding:
    """A finding of a rule.

    Args:
        rule_id: ``pack/kebab-name``.
        path: ``FILE:LINE``, or a JSON pointer.
        tool: the tool in question, if there is one.
        value: what an acceptance is tied to.
        named: values of the rule's message and fix templates; made safe to show here.
    """
    found = rule(rule_id)
    safe = {key: visible(text, keep_newlines=True) for key, text in {"tool": tool or "", **named}.items()}
    return Finding(
        rule=rule_id,
        severity=found.severity,
        message=found.message.format_map(safe),
        tool=tool,
        path=path,
        fix=found.fix.format_map(safe),
        value=value,
    )
