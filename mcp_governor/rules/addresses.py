"""Where the pages of rules are published, for links in reports."""

from __future__ import annotations

from urllib.parse import quote

from mcp_governor import installation
from mcp_governor.rules.catalogue import load_catalogue


def page_of_rule(name: str) -> str:
    """The address of the page of one of our rules; empty if there is no documentation to link to, or no such rule.

    Args:
        name: ``pack/rule``; anything else may be a rule of somebody else, which has no page.
    """
    base = installation.documentation()
    pack, _, rule = name.partition("/")
    return f"{base}/rules/{quote(pack)}/#{quote(rule)}" if base and name in load_catalogue().rules else ""
