"""Tiers, version steps, deprecation windows, acceptances: whether a release may go out as it is.

Each name is loaded on first use: a check needs neither the drafting nor the accepting.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcp_governor.policy.acceptance import Acceptance, Accepted, apply_acceptances
    from mcp_governor.policy.accepting import add_acceptance
    from mcp_governor.policy.contract_doc import check_contract_doc
    from mcp_governor.policy.evaluation import evaluate
    from mcp_governor.policy.manifest import check_manifest, compare_manifests, manifest_names, parse_manifest
    from mcp_governor.policy.model import PolicyResult
    from mcp_governor.policy.steps import required_step
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

_HOMES = {
    "acceptance": (
        "Acceptance",
        "Accepted",
        "apply_acceptances",
    ),
    "accepting": ("add_acceptance",),
    "contract_doc": ("check_contract_doc",),
    "evaluation": ("evaluate",),
    "manifest": (
        "check_manifest",
        "compare_manifests",
        "manifest_names",
        "parse_manifest",
    ),
    "model": ("PolicyResult",),
    "steps": ("required_step",),
    "windows": ("WINDOWS",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value
