"""The official conformance suite against our own server over HTTP, in every revision of each scenario."""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING, Any

import pytest
from support import conformance, free_port, listening

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.live

GENERIC = {
    "server-initialize": ("2025-06-18", "2025-11-25"),
    "server-session-lifecycle": ("2025-03-26", "2025-06-18", "2025-11-25"),
    "ping": ("2025-06-18", "2025-11-25"),
    "tools-list": ("2025-06-18", "2025-11-25", "2026-07-28"),
    "prompts-list": ("2025-06-18", "2025-11-25", "2026-07-28"),
    "resources-list": ("2025-06-18", "2025-11-25", "2026-07-28"),
    "caching": ("2026-07-28",),
    "http-header-validation": ("2026-07-28",),
    "dns-rebinding-protection": ("2025-11-25", "2026-07-28"),
    "sep-2164-resource-not-found": ("2026-07-28",),
    "server-sse-multiple-streams": ("2025-11-25", "2026-07-28"),
    "input-required-result-unsupported-methods": ("2026-07-28",),
}

NOT_TESTABLE = {
    # Each of these four checks calls a tool of the suite's own example server, and says "Not testable" without it.
    "sep-2575-server-rejects-undeclared-capability",
    "sep-2575-missing-capability-http-400",
    "sep-2575-http-server-no-independent-requests-on-stream",
    "sep-2575-server-no-log-without-loglevel",
}
"""The checks of ``server-stateless`` that our server cannot be asked; the scenario's other checks pass."""

NO_SUBSCRIPTIONS = [
    "sep-2575-server-honors-notification-filter",
    "sep-2575-server-sends-prompts-list-changed-on-subscription",
    "sep-2575-server-sends-subscription-ack",
    "sep-2575-server-sends-tools-list-changed-on-subscription",
    "sep-2575-server-tags-subscription-id",
]
"""Its checks of subscriptions, skipped because our server declares none: what it publishes does not change."""

OTHERS = {
    r"tools-call-.*|json-schema-2020-12|completion-complete": "calls tools or completions of the example server",
    r"resources-(read|templates|subscribe|unsubscribe).*|prompts-get-.*": "reads items of the example server",
    r"elicitation-.*|input-required-.*|tasks-.*": "wants a server that asks back or runs tasks; ours does neither",
    r"logging-set-level": "wants the capability logging, which is deprecated and which our server does not declare",
    r"server-sse-polling": "wants a tool of the example server that closes its stream",
    r"http-custom-header-server-validation": "wants tools with x-mcp-header; ours have none",
    r"sep-2640-.*": "wants skills, an extension",
}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    port = free_port()
    command = [sys.executable, "-m", "mcp_governor", "serve", "--http", f"127.0.0.1:{port}"]
    with listening(command, port):
        yield f"http://127.0.0.1:{port}/mcp"


@pytest.fixture(scope="module")
def checks(url: str, tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """The checks of each scenario in each revision. A revision is one run, which takes as long as two scenarios."""
    found = {}
    for revision in sorted({one for revisions in GENERIC.values() for one in revisions}):
        folder = tmp_path_factory.mktemp(revision)
        conformance("server", "--url", url, "--suite", "all", "--spec-version", revision, "--output-dir", str(folder))
        for file in folder.glob("server-*/checks.json"):
            scenario = re.sub(r"^server-(.+)-\d{4}-\d\d-\d\dT.*$", r"\1", file.parent.name)
            found[scenario, revision] = json.loads(file.read_text("utf-8"))
    return found


def test_every_scenario_is_run_or_left_out_for_a_reason() -> None:
    listed = conformance("list", "--server").stdout
    offered = {name: tuple(versions.split(",")) for name, versions in re.findall(r"- (\S+) \[([^\]]*)\]", listed)}
    assert len(offered) > 60
    for name, versions in offered.items():
        if name in GENERIC:
            assert versions == GENERIC[name]
        elif name != "server-stateless":
            assert [rule for rule in OTHERS if re.fullmatch(rule, name)], name
    assert {"server-stateless", *GENERIC} <= set(offered)


@pytest.mark.parametrize(
    ("scenario", "revision"), [(scenario, one) for scenario, revisions in GENERIC.items() for one in revisions]
)
def test_scenario(checks: dict[tuple[str, str], list[dict[str, Any]]], scenario: str, revision: str) -> None:
    statuses = {check["status"] for check in checks[scenario, revision]}
    assert "SUCCESS" in statuses
    assert not statuses & {"FAILURE", "WARNING"}, checks[scenario, revision]


def test_of_the_stateless_protocol_only_what_needs_the_example_server_is_not_tested(
    checks: dict[tuple[str, str], list[dict[str, Any]]],
) -> None:
    made = checks["server-stateless", "2026-07-28"]
    failed = {check["id"]: check["errorMessage"] for check in made if check["status"] == "FAILURE"}
    assert failed.keys() == NOT_TESTABLE
    reason = "Not testable: server does not list the diagnostic tool"
    assert all(message.startswith(reason) for message in failed.values())
    assert sorted(check["id"] for check in made if check["status"] == "SKIPPED") == NO_SUBSCRIPTIONS
    assert "WARNING" not in {check["status"] for check in made}
    assert len({check["id"] for check in made}) >= 28
