"""The rules that read a surface: engine, selection, catalogue."""

from mcp_governor.lint.baseline import dump_baseline, gone, load_baseline, new_findings
from mcp_governor.lint.catalogue import Catalogue, Profile, load_catalogue
from mcp_governor.lint.rule import Example, Limit, Option, Rule, Stance
from mcp_governor.lint.rule_schema import RULE_SCHEMA
from mcp_governor.lint.run import lint, run_rules
from mcp_governor.lint.selection import ActiveRule, Selection, select
from mcp_governor.lint.settings import DEFAULT_SETTINGS, LintSettings, Suppression
from mcp_governor.lint.statistics import RuleCount, statistics

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
