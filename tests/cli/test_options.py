"""Options live on the commands that obey them: what would do nothing is refused, and a format needs one line."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from commandline import governor_here

from mcp_governor.cli import COMMANDS, app
from mcp_governor.cli.common import Seconds
from mcp_governor.cli.groups import subcommands

SHARED = {"format", "output", "fail-on", "config", "isolated", "trust", "quiet", "verbose", "timeout"}
REPORTS = {"format", "output", "fail-on", "config", "isolated", "quiet", "verbose"}
OBEYED = {
    "check": REPORTS | {"trust", "timeout"},
    "lint": REPORTS | {"trust", "timeout"},
    "call": REPORTS | {"trust", "timeout"},
    "diff": REPORTS | {"timeout"},
    "changelog check": REPORTS - {"isolated"} | {"timeout"},
    "changelog release": REPORTS - {"isolated"} | {"trust", "timeout"},
    "changelog draft": {"config", "timeout"},
    "changelog diff": {"config", "output"},
    "changelog show": {"config", "output"},
    "load probe": REPORTS | {"trust", "timeout"},
    "eval init": {"config", "isolated", "quiet", "timeout"},
    "eval check": {"config", "isolated", "format", "output", "fail-on", "timeout", "verbose"},
    "eval export": {"config", "output"},
    "eval import": {"config", "output"},
    "eval search": {"config", "isolated", "format", "output", "timeout", "verbose"},
    "eval run": {"config", "isolated", "format", "output", "trust", "timeout"},
    "eval report": {"config", "isolated", "format", "output"},
    "load locustfile": {"config", "isolated", "trust", "quiet", "timeout"},
    "load sweep": {"config", "isolated", "format", "output", "trust", "quiet", "timeout"},
    "schemas export": {"config", "isolated", "quiet", "timeout"},
    "schemas check": REPORTS | {"timeout"},
    "fleet check": REPORTS - {"report"} | {"trust", "timeout"},
    "fleet export": {"quiet"},
    "fleet report": {"output", "config", "isolated", "trust", "quiet", "verbose", "format"},
    "fleet worker": {"trust", "quiet"},
    "snapshot": {"config", "isolated", "output", "quiet", "timeout"},
    "fingerprint": {"config", "isolated", "format", "output", "timeout"},
    "rules": {"config", "isolated", "format", "output", "trust"},
    "rule": {"config", "isolated", "format", "output", "trust", "verbose"},
    "init": {"isolated", "timeout"},
    "accept": {"config", "trust", "quiet", "timeout"},
    "schema-version": {"config"},
    "serve": {"config"},
    "login": {"output"},
    "logout": set(),
    "demo": set(),
    "schema": set(),
    "ci": {"fail-on", "config"},
    "completion": set(),
}


def _commands() -> dict[str, click.Command]:
    context = click.Context(app)
    found: dict[str, click.Command] = {}
    for name in COMMANDS:
        command = app.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            found |= {f"{name} {sub}": child for sub, child in subcommands(command).items()}
        else:
            found[name] = command
    return found


@pytest.mark.parametrize("name", OBEYED)
def test_a_command_offers_the_shared_options_that_it_obeys(name: str) -> None:
    offered = {text.removeprefix("--") for param in _commands()[name].params for text in param.opts}
    assert offered & SHARED == OBEYED[name]
    assert "color" in offered


def test_every_command_is_looked_at() -> None:
    assert set(OBEYED) == set(_commands())


NO_DEFAULT = {
    *("--until", "--report", "--record", "--new", "--pack", "--only", "--from", "--reason", "--against"),
    *("--base", "--approval", "--approved", "--target", "--args", "--sarif"),
    *("--base-url", "--log-file", "--json-out"),
    *("--json-out", "--markdown-out", "--html-out", "--report-dir"),
    *("--store", "--run", "--shard", "--idle"),
}
"""Options that add something; without them there is nothing of the kind."""


@pytest.mark.parametrize("name", OBEYED)
def test_help_says_defaults_and_units(name: str) -> None:
    command = _commands()[name]
    context = click.Context(command)
    for param in command.params:
        if not isinstance(param, click.Option):
            continue
        reported = " ".join((param.get_help_record(context) or ("", ""))[1].split())
        assert reported, param.opts
        takes_one = not param.is_flag and not param.multiple and not param.count and not param.required
        if takes_one and NO_DEFAULT.isdisjoint(param.opts):
            assert "default" in reported.lower(), param.opts
        if isinstance(param.type, Seconds):
            assert "in seconds" in reported, param.opts
            assert param.make_metavar(context) == "SECONDS"
        if "--output" in param.opts:
            assert "-o" in param.opts


TOOL = {"name": "find", "description": "Finds.", "inputSchema": {"type": "object"}}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("old", "new"):
        (tmp_path / f"{name}.json").write_text(json.dumps({"tools": [TOOL]}, indent=1))
    (tmp_path / "rules").mkdir()
    (tmp_path / "mcp-governor.toml").write_text(
        'baseline = "old.json"\nchangelog = "log.md"\nschema-version = "1.0.0"\n'
    )
    (tmp_path / "log.md").write_text("# Changelog\n\n## 1.0.0 (current)\n\n### Added\n\n- `find`\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("diff old.json new.json --stat --format json", "--stat has no effect with --format json."),
        ("lint new.json --statistics --format markdown", "--statistics has no effect with --format markdown."),
        ("lint --show-settings --format json", "--format json has no effect with --show-settings."),
        ("lint --show-settings --write-baseline", "--write-baseline has no effect with --show-settings."),
        ("lint new.json --write-baseline --output x", "--output has no effect with --write-baseline."),
        ("rules --test --pack charter", "--pack has no effect with --test."),
        ("rules --docs --format json", "--format json has no effect with --docs."),
        ("rule acme/x --new rules --output x", "--output has no effect with --new."),
        ("call --destructive drop -- true", "--destructive has no effect without --allow-writes."),
        ("serve --port 1234", "--port has no effect without --http."),
        ("check --offline --env A=b", "--env has no effect with --offline, which starts no server."),
        ("check new.json --isolated --new-only", "--new-only has no effect with --isolated, which knows no baseline."),
        ("check new.json --env A=b", "--env names a variable for a server, but no server is started."),
        ("schemas check old.json --models a --with mcp", "--with has no effect with --models, which installs nothing."),
        ("schemas check d old.json --models a", "TARGET has no effect with --models, which starts no server."),
        ("lint new.json --with mcp", "--with works only with pypi: and npm: targets."),
        ("diff old.json new.json --with mcp", "--with works only with pypi: and npm: targets."),
    ],
)
def test_an_option_that_would_do_nothing_is_refused(folder: Path, capsys, line: str, said: str) -> None:
    before = sorted(folder.rglob("*"))
    done = governor_here(*line.split(), capsys=capsys)
    assert done.code == 2
    assert said in done.err
    assert sorted(folder.rglob("*")) == before
