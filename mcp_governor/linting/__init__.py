"""The rules that read a surface: engine, selection, catalogue."""

from mcp_governor.linting.baseline import dump_baseline, gone, load_baseline, new_findings
from mcp_governor.linting.catalogue import Catalogue, Profile, load_catalogue
from mcp_governor.linting.rule import Example, Limit, Option, Rule, Stance
from mcp_governor.linting.rule_schema import RULE_SCHEMA
from mcp_governor.linting.run import lint, run_rules
from mcp_governor.linting.selection import ActiveRule, Selection, select
from mcp_governor.linting.settings import DEFAULT_SETTINGS, LintSettings, Suppression
from mcp_governor.linting.statistics import RuleCount, statistics

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
