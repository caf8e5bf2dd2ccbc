"""What a row says of one server, what a table says of all, and with which exit code the run ends."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from replacing import replace

from mcp_governor.checking.reading import selection_of
from mcp_governor.config import Config
from mcp_governor.findings import Severity
from mcp_governor.fleet import run
from mcp_governor.fleet.kept import fact_of, stored
from mcp_governor.fleet.members import members_of
from mcp_governor.fleet.model import Fleet, FleetDocument, Job, Leaving, Row, RowChange, fleet_schema
from mcp_governor.fleet.page import render_index
from mcp_governor.fleet.plural import plural_findings
from mcp_governor.fleet.words import fleet_lines, leaving_words
from mcp_governor.fleet.worker import work_on
from mcp_governor.report.lines import plain_text


def tool(name: str, description: str = "Finds things by name.", **properties: Any) -> dict[str, Any]:
    return {"name": name, "description": description, "inputSchema": {"type": "object", "properties": properties}}


@pytest.fixture
def done(tmp_path: Path) -> Callable[..., Row]:
    """Work on a recording of ``now``, compared with one of ``before``."""

    def work(now: Any, before: Any = None, **more: Any) -> Row:
        (tmp_path / "now").mkdir(exist_ok=True)
        (tmp_path / "now" / "s.json").write_text(now if isinstance(now, str) else json.dumps(now))
        if before is not None:
            (tmp_path / "s.json").write_text(before if isinstance(before, str) else json.dumps(before))
        job = Job("s", "check", target=str(tmp_path / "now" / "s.json"), root=str(tmp_path), today="2026-01-10")
        row, _, alone = work_on(replace(job, surface=str(tmp_path / "s.json"), **more))
        assert not alone
        return row

    return work


def surface(*tools: dict[str, Any], version: str = "2.0.0") -> dict[str, Any]:
    return {"serverInfo": {"name": "s", "version": version}, "tools": list(tools)}


OLD = surface(tool("find_a"), tool("find_b", q={"type": "string"}), version="1.0.0")


@pytest.mark.parametrize(
    ("now", "outcome", "counts"),
    [
        (OLD, "same", {}),
        (surface(tool("find_a"), tool("find_b", q={"type": "string"}), tool("zoom")), "changed", {"compatible": 1}),
        (surface(tool("find_b", q={"type": "string"})), "drifted", {"breaking": 1}),
        (surface(tool("find_a"), tool("find_b", q={"type": "integer"})), "drifted", {"breaking": 1}),
    ],
)
def test_a_server_is_compared_with_its_recording(done, now, outcome: str, counts: dict[str, int]) -> None:
    row = done(now, OLD)
    assert (row.outcome, row.counts, row.since) == (outcome, counts, "1.0.0")
    assert row.version == now["serverInfo"]["version"]


def test_without_a_recording_a_server_is_new_and_no_failure(done) -> None:
    row = done(OLD)
    assert (row.outcome, row.since, row.tools) == ("new", None, ("find_a", "find_b"))
    assert Fleet("list", "check", (row,)).exit_code == 0


def test_an_accepted_change_is_no_drift(done, tmp_path: Path) -> None:
    change = done(surface(tool("find_a")), OLD).changes[0]
    config = tmp_path / "mcp-governor.toml"
    config.write_text(f'[[accept]]\nfinding = "{change.id}"\nreason = "nobody used it"\n')
    row = done(surface(tool("find_a")), OLD, config=str(config))
    assert (row.outcome, row.counts) == ("changed", {})
    assert [one.accepted for one in row.changes] == ["nobody used it"]


@pytest.mark.parametrize(
    ("now", "why"),
    [
        ("{", "cut off at line 1"),
        ("{}", "is not a surface"),
        ("[" * 5000, "nest"),
        ({"tools": []}, "publishes no tools"),
        ({"format": "mcp-governor/surface-99", "tools": []}, "newer than"),
    ],
)
def test_a_recording_that_cannot_be_read_costs_only_itself(done, now, why: str) -> None:
    row = done(now)
    assert row.outcome == "unreachable"
    assert why in (row.why or "")
    assert not row.reached


def test_a_broken_baseline_is_said_and_no_pass(done) -> None:
    row = done(OLD, "{")
    assert (row.outcome, row.reached) == ("unreachable", False)


def test_deprecations_have_days_left(done) -> None:
    def old(name: str, **meta: str) -> dict[str, Any]:
        return {**tool(name), "_meta": {"dev.mcp-governor/deprecated": {"since": "1.0.0", **meta}}}

    row = done(surface(tool("a_b"), old("c_d", sunset="2026-01-22"), old("e_f", sunset="3.0.0"), old("g_h")))
    assert row.deprecations == (Leaving("c_d", "2026-01-22", 12), Leaving("e_f", "3.0.0"), Leaving("g_h"))
    assert leaving_words(row) == "3, 12 days left"
    over = replace(row, deprecations=(Leaving("c_d", "2026-01-09", -1),))
    assert leaving_words(over) == "1, 1 day overdue"


def test_findings_fail_only_where_they_are_asked_about(done) -> None:
    bad = surface({"name": "x", "inputSchema": {"type": "array"}})
    assert done(bad).failing == 0
    assert done(bad, settings={"fail_on": "error"}).failing > 0
    assert done(bad, work="lint").failing > 0
    assert done(bad, work="lint", settings={"fail_on": "never"}).failing == 0


def test_a_recording_is_not_compared_with_itself_and_an_sdk_not_with_another(tmp_path: Path, monkeypatch) -> None:
    jobs: list[Job] = []

    def work_off(given: list[Job], **_: Any) -> tuple[Row, ...]:
        jobs[:] = given
        return tuple(Row(name=job.name, target="", outcome="new") for job in given)

    monkeypatch.setattr(run, "work_off", work_off)
    for name in ("a", "b"):
        (tmp_path / f"{name}.json").touch()
    found = members_of(str(tmp_path), Config(root=tmp_path))
    run.run_fleet(found, run.Wanted(surfaces=tmp_path))
    assert [job.surface for job in jobs] == ["", ""]
    run.run_fleet(found, run.Wanted(surfaces=tmp_path / "old"))
    assert [job.surface for job in jobs] == [str(tmp_path / "old" / f"{name}.json") for name in ("a", "b")]
    run.run_fleet(found.with_each(("mcp==1", "mcp==2")), run.Wanted(surfaces=tmp_path / "old", shard=(1, 4)))
    assert [(job.name, job.with_, job.surface) for job in jobs] == [
        ("a@mcp==1", "mcp==1", str(tmp_path / "old" / "a.json"))
    ]


def row(name: str, *tools: str, **more: Any) -> Row:
    return Row(name=name, target="t", outcome=more.pop("outcome", "same"), tools=tools, **more)


def found(*rows: Row, together: bool = True, **config: Any) -> dict[str, str]:
    chosen = selection_of(Config(**config))
    return {one.rule: one.message for one in plural_findings(rows, chosen, together=together)}


PLURAL: list[tuple[str, list[Row], dict[str, Any], str | None]] = [
    (
        "same-name",
        [row("a", "search", "get"), row("b", "search"), row("c", "put")],
        {},
        "1 tool of the same name in a, b",
    ),
    ("same-name", [row("a", "x", "y"), row("b", "x", "y")], {}, "2 tools of the same name in a, b: x, y."),
    ("same-name", [row("a", "search", "search"), row("b", "find")], {}, None),
    ("foreign-tool", [row("a", "x", words={"get_it": "x"}), row("b", "get_it")], {}, "The description of x (a) names"),
    ("foreign-tool", [row("a", "x", words={"get_it": "x"}), row("b", "put_it")], {}, None),
    ("foreign-tool", [row("a", "get_it", "x", words={"get_it": "x"}), row("b", "y")], {}, None),
    ("same-name", [row("s@a", "x", server="s"), row("s@b", "x", server="s")], {}, None),
    ("same-name", [row("s@a", "x", server="s"), row("s@b", "x", server="s"), row("c", "x")], {}, "in s@a, c: x."),
    ("tool-count", [row("a", *map(str, range(65))), row("b", *map(str, range(70, 134)))], {}, "129 tools together"),
    ("tool-count", [row("a", *map(str, range(65))), row("b", *map(str, range(70, 133)))], {}, None),
    ("tool-count", [row("a", *map(str, range(129)))], {"clients": ("copilot",)}, "copilot takes 128. Most: a (129)."),
    ("tokens", [row("a", tokens=20_000), row("b", tokens=5_001)], {}, "25,001 tokens; 25,000 are the limit"),
    ("tokens", [row("a", tokens=20_000), row("b", tokens=5_000)], {}, None),
    ("unpinned", [row("a", package="npm:x"), row("b", package="npm:y", pinned="1.0.0")], {}, "a (npm:x)"),
    ("unpinned", [row("a", package="npm:y", pinned="1.0.0"), row("b")], {}, None),
    (
        "package-versions",
        [row("a", package="npm:x", pinned="1.0.0"), row("b", package="npm:x", pinned="2.0.0")],
        {},
        "npm:x is used in 2 versions: 1.0.0 (a), 2.0.0 (b).",
    ),
    (
        "package-versions",
        [row("a", package="npm:x", pinned="1.0.0"), row("b", package="npm:x", version="1.0.0")],
        {},
        None,
    ),
]


@pytest.mark.parametrize(("rule", "rows", "config", "message"), PLURAL)
def test_what_is_only_found_in_several_servers(rule, rows, config, message) -> None:
    said = found(*rows, **config).get(f"fleet/{rule}")
    assert (message in said) if message and said else said == message


def test_servers_that_no_client_joins_share_only_packages() -> None:
    rows = (row("a", "x", package="npm:p", tokens=90_000), row("b", "x", words={"x": "x"}))
    assert set(found(*rows, together=False)) == {"fleet/unpinned"}


def test_the_configuration_decides_about_findings_of_fleets() -> None:
    from mcp_governor.config.model import LintConfig

    rows = (row("a", "x", package="npm:p"), row("b", "x"))
    assert set(found(*rows, lint=LintConfig(ignore=("fleet/unpinned",)))) == {"fleet/same-name"}


def test_words_that_may_be_tools_are_no_parameters_and_no_verbs(done) -> None:
    text = "Use `lookup` or get_user, then read the user_id. Not find_me. Search first, then openFile."
    words = done(surface(tool("find_me", text, user_id={"type": "string"}))).words
    assert words == {"lookup": "find_me", "get_user": "find_me", "openFile": "find_me"}


DRIFT = RowChange("id", "tool-removed", "breaking", "Tool `x` is gone.", "x")
GONE = row("c", outcome="unreachable", why="it exited.")
EXITS: list[tuple[list[Row], dict[str, Any], int]] = [
    ([row("a"), row("b", outcome="changed")], {}, 0),
    ([row("a"), row("b", outcome="drifted", changes=(DRIFT,))], {}, 1),
    ([row("a"), GONE], {}, 3),
    ([row("a", outcome="drifted"), GONE], {}, 1),
    ([row("a"), GONE], {"least": 50.0}, 0),
    ([row("a"), GONE], {"least": 50.1}, 3),
    ([GONE], {"least": 0.0}, 3),
    ([row("a", failing=1)], {}, 1),
]


@pytest.mark.parametrize(("rows", "more", "code"), EXITS)
def test_exit_codes_tell_drifted_unreachable_and_clean_apart(rows, more, code: int) -> None:
    fleet = Fleet("list", "check", tuple(rows), **more)
    assert fleet.exit_code == code
    last = plain_text(fleet_lines(fleet)).splitlines()[-1]
    assert last == ("FAIL" if code else "PASS")


def test_findings_about_several_fail_from_the_severity_that_is_asked_for() -> None:
    both = plural_findings((row("a", "x"), row("b", "x")), selection_of(Config()), together=True)
    fleet = Fleet("list", "check", (row("a"),), both, fail_on=None)
    assert (fleet.exit_code, replace(fleet, fail_on=Severity.ERROR).exit_code) == (0, 0)
    assert replace(fleet, fail_on=Severity.WARNING).exit_code == 1


HOSTILE = "a\x1b[31m\u202e<script>alert(1)</script>\n::error::x"


def test_what_servers_say_is_inert_in_every_form() -> None:
    rows = tuple(replace(one, name=HOSTILE, why=HOSTILE, version=HOSTILE, tools=(HOSTILE,)) for one in (GONE, row("a")))
    fleet = Fleet("list", "check", (*rows, row("b", HOSTILE, words={HOSTILE: HOSTILE})))
    text = plain_text(fleet_lines(fleet))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert not any(line.startswith("::") for line in text.splitlines())
    html = render_index(fleet, "servers", {})
    assert "<script>alert" not in html
    assert "\u202e" not in html


def test_the_document_is_what_its_schema_says() -> None:
    import jsonschema_rs

    both = plural_findings((row("a", "x"), row("b", "x")), selection_of(Config()), together=True)
    full = row("f", "x", outcome="drifted", changes=(DRIFT,), deprecations=(Leaving("x", "2026-01-01", 3),), since="1")
    document = msgspec.to_builtins(Fleet("list", "check", (row("a"), GONE, full), both).document())
    jsonschema_rs.validator_for(fleet_schema()).validate(document)
    assert msgspec.convert(document, FleetDocument).servers[2] == full
    assert document["verdict"] == "drifted"
    assert document["coverage"] == 66.7


def test_a_row_comes_out_of_a_store_as_it_went_in() -> None:
    """The order of its severities is what a person reads: a resumed run has the report of one in one go."""
    one = replace(row("a", "find"), findings={"warning": 1, "info": 5}, counts={"compatible": 2, "breaking": 1})
    again = stored(fact_of("a", one).row, Row)
    assert again == one
    assert (list(again.findings), list(again.counts)) == (["warning", "info"], ["compatible", "breaking"])
