"""``load probe`` and ``check --load`` on the command line: what they print, write and return."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import jsonschema
import pytest
from commandline import governor_here
from support import SERVERS

from mcp_governor.checking.formats import DOCUMENT_FORMATS
from mcp_governor.errors import Exit


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def configure(folder: Path, settings: str = "", **how: object) -> None:
    """A repository with a server of known behaviour, whose list goes stale so soon that a probe hardly waits for it."""
    command = json.dumps([sys.executable, str(SERVERS / "listing.py"), json.dumps({"ttl": 50, **how})])
    (folder / "mcp-governor.toml").write_text(f'target = "s"\n{settings}\n[servers.s]\ncommand = {command}\n')


@pytest.fixture
def check(capsys):
    """Exit code, and id → message of each finding of the pack."""

    def run(*arguments: str) -> tuple[int, dict[str, str]]:
        done = governor_here("check", "--format", "json", *arguments, capsys=capsys)
        assert done.stdout, done.err
        jsonschema.Draft202012Validator(DOCUMENT_FORMATS["report"].schema()).validate(done.report)
        return done.code, {
            found["id"]: found["message"] for found in done.report["findings"] if found["rule"].startswith("load/")
        }

    return run


@pytest.fixture
def probe(capsys):
    def run(*arguments: str):
        return governor_here("load", "probe", "--sequential-only", *arguments, capsys=capsys)

    return run


def test_a_record_is_kept_until_the_list_grows(folder, check, probe):
    configure(folder)
    done = probe("--record")
    assert done.code == Exit.PASS, done.err
    assert "Next: commit mcp-load.json, and run check --load in CI." in done.out
    recorded = (folder / "mcp-load.json").read_bytes()
    assert check("--load") == (Exit.PASS, {})

    configure(folder, size=400)
    code, found = check("--load")
    assert code == Exit.FINDINGS
    assert {name.partition(":")[0] for name in found} == {"load/payload-bytes", "load/tokens"}
    assert (folder / "mcp-load.json").read_bytes() == recorded
    # Without --load nothing is measured.
    assert check() == (Exit.PASS, {})


def test_a_slower_list_fails_by_its_ratio(folder, check, probe):
    configure(folder)
    probe("--record")
    configure(folder, each_ms=20)
    code, found = check("--load")
    assert code == Exit.FINDINGS
    assert [name.partition(":")[0] for name in found] == ["load/list-p95"]


def test_the_limits_of_the_configuration_and_what_a_team_decides(folder, check):
    configure(folder, "[load]\ncheck = true\npayload-bytes = 10\ntool-tokens = 1")
    code, found = check()
    assert code == Exit.FINDINGS
    by_rule = [name.partition(":")[0] for name in found]
    assert by_rule.count("load/payload-bytes") == 1
    assert by_rule.count("load/tokens") == 3  # one for each tool
    assert check("--no-load") == (Exit.PASS, {})

    name = next(name for name in found if name.startswith("load/payload-bytes"))
    limits = "[load]\ncheck = true\npayload-bytes = 10"
    configure(folder, f'{limits}\n[[accept]]\nfinding = "{name}"\nreason = "known"')
    assert check()[0] == Exit.PASS
    # An acceptance of a finding that nobody looked for is not judged.
    assert check("--no-load") == (Exit.PASS, {})
    configure(folder, f'{limits}\n[lint]\nignore = ["load/*"]')
    assert check() == (Exit.PASS, {})
    configure(folder, f'{limits}\n[lint.severity]\n"load/*" = "warning"')
    assert check()[0] == Exit.PASS


def test_a_run_that_judged_no_budget_says_so(folder, check):
    configure(folder)
    code, found = check("--load")
    assert code == Exit.PASS
    assert list(found.values()) == [
        "No budget was judged, because mcp-load.json does not exist and load sets no limits."
    ]
    (folder / "s.json").write_text('{"tools": [{"name": "a", "inputSchema": {"type": "object"}}]}')
    _, found = check("--load", "s.json")
    assert list(found.values()) == ["The budgets of the list were not judged, because the target is a recording."]


def test_a_list_that_fails_while_it_is_measured_fails_the_check(folder, check):
    configure(folder, dies_at=9)
    code, found = check("--load")
    assert code == Exit.FINDINGS
    assert "load/list-failed" in {name.partition(":")[0] for name in found}


def test_a_broken_record_is_an_error_before_anything_runs(folder, capsys):
    configure(folder, dies_at=1)
    (folder / "mcp-load.json").write_text("{}")
    done = governor_here("check", "--load", capsys=capsys)
    assert done.code == Exit.USAGE
    assert "mcp-load.json is not a record of load probe" in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("check", "--load", "--offline"), "--load has no effect with --offline"),
        (("check", "--load", "--only", "breaking"), "--load has no effect with --only breaking"),
        (("load", "probe", "s", "--base-url", "http://127.0.0.1:1/mcp"), "--base-url and TARGET both name the server"),
        (("load", "probe", "--record", "--isolated", "s"), "--record writes a file of the repository"),
        (("load", "probe", "--log-file", "none.log"), "The log none.log cannot be read: No such file or directory"),
        (("load", "probe", "mcp-governor.toml"), "mcp-governor.toml"),
    ],
)
def test_options_that_make_no_sense(folder, capsys, arguments, message):
    configure(folder)
    done = governor_here(*arguments, capsys=capsys)
    assert done.code == Exit.USAGE
    assert message in done.err


def test_a_probe_prints_the_log_first_and_writes_what_it_measured(folder, probe):
    configure(folder, tools=7, order="turning")
    line = "[MCP] tools/list stats requests=10 hit_rate=50 cache_hits=6 cache_misses=4 build_count=4 build_failures=1"
    (folder / "server.log").write_text(f"{line}\n")
    done = probe("--log-file", "server.log", "--json-out", "probe.json")
    assert done.code == Exit.FINDINGS  # builds failed
    lines = done.out.splitlines()
    assert lines[1] == "log: hit rate 50 % (6 of 10 lookups), 1 failed build of 4, 10 requests (1 line read)"
    assert "server/discover" in done.out
    assert "… and 2 more tools; -v lists them" in done.out
    assert lines[-1] == "Next: keep these figures as a budget: mcp-governor load probe --record"
    made = json.loads((folder / "probe.json").read_text())
    jsonschema.Draft202012Validator(DOCUMENT_FORMATS["load-probe"].schema()).validate(made)
    rules = {found["rule"] for found in made["findings"]}
    assert rules == {"load/build-failures", "load/counts-agree", "load/unstable-order"}
