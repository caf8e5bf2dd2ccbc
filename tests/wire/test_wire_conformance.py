"""The official conformance suite holds our wire client to the protocol, in every revision that it knows."""

from __future__ import annotations

import re
import sys

import pytest
from support import REPO, conformance

pytestmark = pytest.mark.live

SCENARIOS = {
    "initialize": ("2025-06-18", "2025-11-25"),
    "tools_call": ("2025-06-18", "2025-11-25", "2026-07-28"),
    "sse-retry": ("2025-11-25",),
    "request-metadata": ("2026-07-28",),
    "http-standard-headers": ("2026-07-28",),
    "http-custom-headers": ("2026-07-28",),
    "http-invalid-tool-headers": ("2026-07-28",),
    "json-schema-ref-no-deref": ("2026-07-28",),
    "json-schema-2020-12-preservation": ("2025-11-25", "2026-07-28"),
    "sep-2322-client-request-state": ("2026-07-28",),
}

NOT_FOR_A_GOVERNOR = {
    # Wants the client to accept an elicitation and fill in its defaults: nobody is there to consent, so a governor
    # declines (2026-07-28) or refuses (before), and records that it was asked.
    r"elicitation-sep1034-client-defaults": "a governor answers no elicitations",
    # Wants an interactive OAuth client that registers itself and opens a browser. A governor runs unattended, in CI
    # too; it sends the token that the configuration or the environment gives it and gets no new ones.
    r"auth/.*": "a governor brings its token with it",
    # Wants a client that loads and runs skills, an extension outside of the revisions.
    r"sep-2640-.*": "a governor loads no skills",
}


def test_every_scenario_is_run_or_left_out_for_a_reason() -> None:
    listed = conformance("list", "--client").stdout
    offered = {name: versions.split(",") for name, versions in re.findall(r"- (\S+) \[([^\]]*)\]", listed)}
    assert len(offered) > 30
    for name, versions in offered.items():
        if name in SCENARIOS:
            assert tuple(versions) == SCENARIOS[name]
        else:
            assert [rule for rule in NOT_FOR_A_GOVERNOR if re.fullmatch(rule, name)], name
    assert set(SCENARIOS) <= set(offered)


@pytest.mark.parametrize(
    ("scenario", "revision"), [(scenario, one) for scenario, revisions in SCENARIOS.items() for one in revisions]
)
def test_scenario(scenario: str, revision: str) -> None:
    client = f"{sys.executable} {REPO / 'tools' / 'conformance_client.py'}"
    done = conformance("client", "--command", client, "--scenario", scenario, "--spec-version", revision)
    reported = done.stdout + done.stderr
    assert "OVERALL: PASSED" in reported, reported[-3000:]
    assert done.returncode == 0
    assert re.search(r"Passed: [1-9]\d*/\d+, 0 failed, 0 warnings", reported), reported[-3000:]
