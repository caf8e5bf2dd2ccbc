"""Rules as data, and every decision about a finding that depends on its rule alone.

Rules and their files, the catalogue of rules and profiles, the selection among them (settings, selection), the only
constructor of findings from rules, what a team decides about findings (suppressions, severities, the baseline), and the
linter, which runs the rules that read a surface. Their checks are in ``packs``.

Names are loaded on first use: a run without a baseline needs none of its functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_names

if TYPE_CHECKING:
    from mcp_governor.rules.catalogue import Catalogue, Profile, load_catalogue
    from mcp_governor.rules.governing import dump_baseline, load_baseline, parse_baseline
    from mcp_governor.rules.rule import Example, Limit, Option, Rule, Stance, Verified
    from mcp_governor.rules.rule_schema import RULE_SCHEMA
    from mcp_governor.rules.run import lint, run_rules
    from mcp_governor.rules.selection import DEFAULT_SETTINGS, ActiveRule, LintSettings, Selection, Suppression, select

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
    "Selection",
    "Stance",
    "Suppression",
    "Verified",
    "dump_baseline",
    "lint",
    "load_baseline",
    "load_catalogue",
    "parse_baseline",
    "run_rules",
    "select",
]


__getattr__ = lazy_names(
    __name__,
    {
        "catalogue": ("Catalogue", "Profile", "load_catalogue"),
        "governing": ("dump_baseline", "load_baseline", "parse_baseline"),
        "rule": ("Example", "Limit", "Option", "Rule", "Stance", "Verified"),
        "rule_schema": ("RULE_SCHEMA",),
        "run": ("lint", "run_rules"),
        "selection": ("DEFAULT_SETTINGS", "ActiveRule", "LintSettings", "Selection", "Suppression", "select"),
    },
)
