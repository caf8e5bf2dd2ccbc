"""Real servers from the registries, called for real. Each runs in an environment of its own."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import anyio
import pytest

from mcp_governor.call.cases import CallSettings, Purpose
from mcp_governor.call.plan import plan_calls
from mcp_governor.call.run import run_calls
from mcp_governor.call.sandbox import Sandbox
from mcp_governor.checking.run import check
from mcp_governor.config import CallConfig, Config
from mcp_governor.config.servers import Launch
from mcp_governor.rules import LintSettings, select
from mcp_governor.surface import build_surface
from mcp_governor.wire import StdioEndpoint, connect
from mcp_governor.wire.recording import read_recording
from tests.support import everything, missing, on_loopback, uv_tool

pytestmark = pytest.mark.live

SCHEMABRAIN = "schemabrain==0.6.0"
# The address that the demo's store was built for; nothing listens there, and only metric rows would need it.
DEMO_URL = "postgresql+psycopg://postgres:local@localhost:5433/postgres"
OFFLINE = {"HF_HUB_OFFLINE": "1"}


def call(endpoint, packs, configured=(), **settings):
    limits = CallSettings(**{"timeout": 30.0, **settings})

    async def main(sandbox):
        async with connect(endpoint) as session:
            surface = build_surface((await read_recording(session)).raw)
            return await run_calls(
                session,
                surface,
                plan_calls(surface, configured, settings=limits, sandbox=sandbox),
                settings=limits,
                selection=select(LintSettings(select=packs)),
                reconnect=lambda: connect(endpoint),
            )

    with Sandbox() as sandbox:
        return anyio.run(main, sandbox)


@pytest.fixture(scope="module")
def schemabrain(tmp_path_factory):
    command = uv_tool(SCHEMABRAIN, "schemabrain")
    folder = tmp_path_factory.mktemp("schemabrain")
    made = subprocess.run(
        [*command, "demo", "--showcase", "--store-path", "demo.db"],
        cwd=folder,
        env={**os.environ, **OFFLINE},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if not (folder / "demo.db").exists():
        missing(f"schemabrain builds no demo: {made.stderr[-300:]}")
    serve = (*command, "serve", "--url-env", "DATABASE_URL", "--store-path", "demo.db", "--no-events")
    return StdioEndpoint(serve, env={"DATABASE_URL": DEMO_URL, **OFFLINE}, cwd=str(folder))


# What the recordings of the same release show and needs no database (tests/call/test_recorded.py).
CONFIGURED = [
    CallConfig("list_entities", {}, "success"),
    CallConfig("list_metrics", {}, "success"),
    CallConfig("list_joins", {}, "success"),
    CallConfig("describe_entity", {"name": "user"}, "success"),
    CallConfig("describe_entity", {"name": "usr"}, "error", "unknown_name"),
    CallConfig("describe_table", {"qualified_name": "public.users"}, "success"),
    CallConfig("describe_column", {"qualified_name": "public.users.password_hash"}, "refused", "pii_blocked"),
    CallConfig("suggest_joins", {"tables": ["public.users", "public.users"]}, "error", "malformed_name"),
    CallConfig("resolve_join", {"entity_a": "workspace", "entity_b": "user"}, "success"),
    CallConfig("get_example_queries", {"qualified_name": "public.users"}, "empty"),
    CallConfig("get_metric", {"name": "revenu"}, "error", "unknown_metric"),
    CallConfig(
        "get_metric", {"name": "total_revenue_real", "time_grain": "month"}, "error", "ambiguous_time_dimension"
    ),
    CallConfig("get_metric", {"name": "user_count", "group_by": ["user.nope"]}, "error", "unknown_group_by_column"),
    CallConfig("get_metric", {"name": "user_count", "group_by": ["user.email"]}, "refused", "pii_blocked"),
]


def test_the_reference_server_of_the_charter_breaks_what_it_is_known_to_break(schemabrain):
    report = call(schemabrain, ("call/*", "envelope/*"), CONFIGURED, follow=True)
    assert report.skipped == ()
    assert report.restarts == 0
    found = Counter((finding.rule, finding.tool) for finding in report.findings)
    tools = {case.tool for case in report.cases if case.purpose is not Purpose.UNKNOWN_TOOL}
    assert len(tools) == 12
    # Recovery that cannot be carried out.
    assert found["envelope/recovery-required", "get_metric"] == 1
    assert found["envelope/recovery-args", "get_metric"] == 1
    for tool in ("describe_table", "describe_column", "get_example_queries", "suggest_joins"):
        assert not found["envelope/recovery-args", tool]
    assert found["envelope/recovery-args-absent", "suggest_joins"] >= 1
    # Messages of more than one sentence, and raw validator text for wrong arguments of every tool that has any.
    assert found["envelope/message-sentence", "describe_entity"] >= 1
    assert found["envelope/message-sentence", "get_metric"] >= 1
    with_arguments = tools - {"list_entities", "list_metrics", "list_joins"}
    assert {tool for rule, tool in found if rule == "call/error-leak"} == with_arguments
    # Searching needs a model and rows need a database; neither is here, which is a bug by the server's own word.
    bugs = {tool for rule, tool in found if rule == "envelope/internal-error"}
    assert bugs == {"find_relevant_tables", "find_relevant_entities", "get_metric"}
    # And nothing else: no drift, no broken envelope, no wrong channel, every expectation met.
    assert {rule for rule, _ in found} == {
        "call/error-leak",
        "envelope/internal-error",
        "envelope/message-sentence",
        "envelope/recovery-args",
        "envelope/recovery-args-absent",
        "envelope/recovery-required",
    }


def test_one_check_without_configured_calls_finds_the_defects_of_the_reference_server(schemabrain):
    config = Config(
        root=Path(schemabrain.cwd), isolated=True, profile=("charter",), launch=Launch(env=dict(schemabrain.env))
    )
    with contextlib.chdir(schemabrain.cwd):
        report = check(config=config, command=schemabrain.command)
    assert report.calls is not None
    assert (report.calls.mode, report.calls.count, report.calls.unseen) == ("safe", 12, ())
    found = {(finding.rule, finding.tool) for finding in report.findings}
    with_arguments = set(report.tools) - {"list_entities", "list_metrics", "list_joins"}
    assert {tool for rule, tool in found if rule == "call/error-leak"} == with_arguments
    # Recovery that cannot be carried out, messages of several sentences, and what needs a database or a model.
    assert {("envelope/recovery-args-absent", tool) for tool in ("describe_table", "suggest_joins")} <= found
    assert ("envelope/message-sentence", "describe_entity") in found
    assert {tool for rule, tool in found if rule == "envelope/internal-error"} == {
        "find_relevant_tables",
        "find_relevant_entities",
        "get_metric",
    }
    assert report.verdict == "pass"
    assert not any(finding.severity.value == "error" for finding in report.findings)


def test_git_on_a_throw_away_repository(tmp_path):
    git = shutil.which("git") or missing("git is not installed")
    subprocess.run([git, "init", "--quiet", str(tmp_path)], check=True)
    identity = ["-c", "user.name=n", "-c", "user.email=n@example.com"]
    subprocess.run([git, "-C", str(tmp_path), *identity, "commit", "-q", "--allow-empty", "-m", "first"], check=True)
    endpoint = StdioEndpoint((*uv_tool("mcp-server-git", "mcp-server-git"), "--repository", str(tmp_path)))
    status = CallConfig("git_status", {"repo_path": str(tmp_path)}, "success")
    report = call(endpoint, ("call/*",), [status])
    assert {skipped.tool for skipped in report.skipped} >= {"git_commit", "git_add", "git_reset"}
    assert next(result for result in report.results if result.case.status).outcome.status == "success"
    assert {finding.rule for finding in report.findings} == {"call/error-leak"}
    log = subprocess.run([git, "-C", str(tmp_path), "log", "--oneline"], capture_output=True, text=True, check=True)
    assert len(log.stdout.splitlines()) == 1, "nothing was committed"


@pytest.mark.parametrize(
    ("requirement", "script", "least", "settings"),
    [
        ("mcp-server-time", "mcp-server-time", 2, {}),
        ("mcp-server-git", "mcp-server-git", 7, {}),
        ("excel-mcp-server", "excel-mcp-server stdio", 20, {"allow_writes": True}),
    ],
)
def test_good_calls_of_real_servers_succeed(tmp_path, requirement, script, least, settings):
    if "git" in requirement and shutil.which("git") is None:
        missing("git is not installed")
    name, *arguments = script.split()
    endpoint = StdioEndpoint((*uv_tool(requirement, name), *arguments), cwd=str(tmp_path))

    async def main(sandbox):
        async with connect(endpoint) as session:
            surface = build_surface((await read_recording(session)).raw)
            limits = CallSettings(unhappy=False, destructive=frozenset(surface.by_name), **settings)
            plan = plan_calls(surface, settings=limits, sandbox=sandbox)
            return await run_calls(session, surface, plan, settings=limits, reconnect=lambda: connect(endpoint))

    with Sandbox(tmp_path) as sandbox:
        counts = anyio.run(main, sandbox).good_calls
    assert counts.tools - len(counts.without) >= least
    assert list(tmp_path.iterdir()) == [], "everything was written into the sandbox"


def test_everything_has_no_drift():
    endpoint = StdioEndpoint(tuple(everything("stdio")), env={"NODE_OPTIONS": on_loopback()})
    quick = tuple(f"{start}*" for start in ("echo", "get-a", "get-r", "get-s", "get-t"))
    report = call(endpoint, ("call/*",), tools=quick)
    assert {finding.rule for finding in report.findings} == set()
    good = [result for result in report.results if result.case.purpose in (Purpose.REQUIRED, Purpose.FULL)]
    assert {result.outcome.status for result in good} == {"success", "error"}
    # Asked for a message of the type "error", it returns the text of one.
    assert {result.case.tool for result in good if result.outcome.status == "error"} == {"get-annotated-message"}
    refused = [result for result in report.results if not result.case.valid and not result.case.open]
    assert refused
    assert all(result.outcome.refused_arguments for result in refused)
