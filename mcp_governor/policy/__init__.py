"""Tiers, version steps, deprecation windows, acceptances: whether a release may go out as it is.

Each name is loaded on first use: a check needs neither the drafting nor the accepting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_names

if TYPE_CHECKING:
    from mcp_governor.policy.acceptance import Acceptance, Accepted, apply_acceptances
    from mcp_governor.policy.accepting import add_acceptance
    from mcp_governor.policy.contract_doc import check_contract_doc
    from mcp_governor.policy.evaluation import evaluate
    from mcp_governor.policy.manifest import check_manifest, compare_manifests, manifest_names, parse_manifest
    from mcp_governor.policy.model import PolicyResult, required_step
    from mcp_governor.policy.windows import WINDOWS

__all__ = [
    "WINDOWS",
    "Acceptance",
    "Accepted",
    "PolicyResult",
    "add_acceptance",
    "apply_acceptances",
    "check_contract_doc",
    "check_manifest",
    "compare_manifests",
    "evaluate",
    "manifest_names",
    "parse_manifest",
    "required_step",
]


__getattr__ = lazy_names(
    __name__,
    {
        "acceptance": ("Acceptance", "Accepted", "apply_acceptances"),
        "accepting": ("add_acceptance",),
        "contract_doc": ("check_contract_doc",),
        "evaluation": ("evaluate",),
        "manifest": ("check_manifest", "compare_manifests", "manifest_names", "parse_manifest"),
        "model": ("PolicyResult", "required_step"),
        "windows": ("WINDOWS",),
    },
)
