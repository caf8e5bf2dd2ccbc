"""Tiers, version steps, deprecation windows, acceptances: whether a release may go out as it is."""

from mcp_governor.policy.acceptance import Acceptance, Accepted, add_acceptance, apply_acceptances
from mcp_governor.policy.contract_doc import check_contract_doc
from mcp_governor.policy.evaluate import evaluate, next_version, required_step
from mcp_governor.policy.manifest import check_manifest, compare_manifests, manifest_names, parse_manifest
from mcp_governor.policy.model import PolicyResult
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
    "next_version",
    "parse_manifest",
    "required_step",
]
