"""The rules that read a surface: engine, selection, catalogue.

Names are loaded on first use: a run without a baseline needs none of its functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_names

if TYPE_CHECKING:
    from mcp_governor.linting.baseline import dump_baseline, gone, load_baseline, new_findings
    from mcp_governor.linting.catalogue import Catalogue, Profile, load_catalogue
    from mcp_governor.linting.counts import RuleCount, statistics
    from mcp_governor.linting.rule import Example, Limit, Option, Rule, Stance
    from mcp_governor.linting.rule_schema import RULE_SCHEMA
    from mcp_governor.linting.run import lint, run_rules
    from mcp_governor.linting.selection import ActiveRule, Selection, select
    from mcp_governor.linting.settings import DEFAULT_SETTINGS, LintSettings, Suppression

__all__ = [
    "DEFAULT_SETTINGS",
    "RULE_SCHEMA",
    "ActiveRule",
    "Catalogue",
    "Example",
    "Limit",
    "LintSettings",
    "Option",
    "Profile",
    "Rule",
    "RuleCount",
    "Selection",
    "Stance",
    "Suppression",
    "dump_baseline",
    "gone",
    "lint",
    "load_baseline",
    "load_catalogue",
    "new_findings",
    "run_rules",
    "select",
    "statistics",
]


__getattr__ = lazy_names(
    __name__,
    {
        "baseline": ("dump_baseline", "gone", "load_baseline", "new_findings"),
        "catalogue": ("Catalogue", "Profile", "load_catalogue"),
        "rule": ("Example", "Limit", "Option", "Rule", "Stance"),
        "rule_schema": ("RULE_SCHEMA",),
        "run": ("lint", "run_rules"),
        "selection": ("ActiveRule", "Selection", "select"),
        "settings": ("DEFAULT_SETTINGS", "LintSettings", "Suppression"),
        "counts": ("RuleCount", "statistics"),
    },
)
