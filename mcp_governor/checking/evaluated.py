"""At a release: were models asked about these words? (``policy.evaluation``)

MCP Charter 1.2, Enforcement and "How to propose changes": level 3 runs at the boundary of a phase, not for each commit,
and a change of descriptions or of the response shape needs a run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.errors import GovernorError
from mcp_governor.rules.finding import finding
from mcp_governor.surface import fingerprint
from mcp_governor.text import short_digests, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.config import Config
    from mcp_governor.findings import Finding
    from mcp_governor.stage import Stage
    from mcp_governor.surface import Surface

_RULE = "evaluation/run-missing"


def check_evaluated(surface: Surface, config: Config, stage: Stage) -> Iterator[Finding]:
    """A finding if the recorded evaluation is about other words, or there is none.

    With ``policy.gate = "change"``, every change is treated as a release, but only a tag and ``--release`` are the end
    of a phase.
    """
    file = config.evaluation_record
    at_release = stage.tag is not None or stage.asked or (stage.at_release and stage.gate == "release")
    if config.policy.evaluation == "none" or file is None or not at_release:
        return
    from mcp_governor.evaluation.record import read_record

    shown = visible(file.relative_to(config.root).as_posix() if file.is_relative_to(config.root) else str(file))
    if not file.exists():
        yield finding(_RULE, shown, says="none", value="", facts={"file": shown})
        return
    try:
        recorded = read_record(file)
    except GovernorError as error:
        yield finding(_RULE, shown, says="unreadable", value="", facts={"reason": error.message.rstrip(".")})
        return
    if not recorded.models:
        yield finding(_RULE, shown, says="proxies", value="", facts={"file": shown})
        return
    from mcp_governor.surface.fingerprint import wording_fingerprint

    digests = [("wording", recorded.wording, wording_fingerprint(surface))]
    if config.policy.evaluation == "descriptions-and-schemas":
        digests.append(("contract", recorded.fingerprint, fingerprint(surface)))
    for what, then, now in digests:
        if then != now:
            facts = {"file": shown, "what": what, "then": short_digests(then), "now": short_digests(now)}
            yield finding(_RULE, shown, value=[what, now], facts=facts)
            return
