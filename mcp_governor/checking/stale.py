"""Distinguishes an old recording from a wrong changelog when there is no server to ask.

This is how a hook usually fails: the server was edited, the changelog was written from it, and the recording was
forgotten. Then every finding about the changelog would ask for the opposite of the right fix.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.files import MAX_TEXT_BYTES, read_bytes
from mcp_governor.rules.finding import finding
from mcp_governor.target.git import files_at
from mcp_governor.target.model import FileSource
from mcp_governor.target.resolve import baseline_file
from mcp_governor.text import did_you_mean, visible

if TYPE_CHECKING:
    from mcp_governor.checking.model import Report
    from mcp_governor.config import Config
    from mcp_governor.findings import Finding
    from mcp_governor.target import Source

_EVIDENCE = frozenset({"changelog/fingerprint-stale", "changelog/version-mismatch", "changelog/unknown-name"})
"""Findings about a changelog that was written for a later surface than the recorded one."""


def stale_record(report: Report, source: Source, config: Config) -> Finding | None:
    """A finding if a report about a recording fails because the recording was not updated.

    That is the case if the recording is the same as at the baseline or at HEAD, and the changelog differs and does not
    match it.

    Args:
        report: about the recording.
        source: of the recording.
        config: names the recording and the changelog.

    Returns:
        The one finding to show instead; ``None`` if the recording is not the reason.

    Raises:
        TargetError: git cannot read the files.
    """
    name = baseline_file(config)
    if config.isolated or not config.changelog or not isinstance(source, FileSource):
        return None
    if source.path != config.resolve(name) or not any(_is_evidence(found, report) for found in report.failing_findings):
        return None
    try:
        recorded = read_bytes(source.path).splitlines()
        written = read_bytes(config.resolve(config.changelog), limit=MAX_TEXT_BYTES).splitlines()
    except OSError:
        return None
    refs = [report.baseline.source.removeprefix("git:")] if report.baseline is not None else []
    for ref in (*refs, "HEAD"):
        then = files_at(config.root, ref.partition(":")[0], (name, config.changelog))
        # git may use other line endings in its storage than in the work tree
        if then.get(name, b"").splitlines() == recorded and then.get(config.changelog, b"").splitlines() != written:
            facts = {"file": name, "ref": ref, "changelog": config.changelog}
            return finding("policy/stale-record", visible(name), value=name, facts=facts)
    return None


def _is_evidence(found: Finding, report: Report) -> bool:
    """False for a name close to one of the surface: it is misspelled, and no later surface has it."""
    if found.rule == "changelog/unknown-name":
        return not did_you_mean(str(found.value).split(".")[0], report.tools)
    return found.rule in _EVIDENCE
