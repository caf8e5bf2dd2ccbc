"""``check --offline`` governs the recorded surface, and ``--isolated`` no file that was not named."""

from __future__ import annotations

import json

import pytest
from projects import committed, git, governor, repository, surface_text, tool, write

BOOK = tool("find_stock")
BROKEN = tool("find_stock", "warehouse")
NO_SERVER = 'target = "gone"\nbaseline = "api/stock.json"\n[servers.gone]\ncommand = ["/no/such/server"]\n'


def report(root, *arguments):
    done = governor(root, "check", "--offline", "--format", "json", *arguments)
    return json.loads(done.stdout) if done.stdout else done


def test_the_recorded_surface_is_governed_without_a_server(tmp_path):
    write(tmp_path, {"mcp-governor.toml": NO_SERVER, "api/stock.json": surface_text(BOOK)})
    reported = report(tmp_path)
    assert reported["verdict"] == "pass"
    assert reported["target"] == "api/stock.json"
    assert reported["baseline"] is None
    assert reported["summary"]["tools"] == 1


def test_without_a_recording_the_command_that_makes_one_is_named(tmp_path):
    done = governor(tmp_path, "check", "--offline")
    assert done.returncode == 2
    assert "mcp-surface.json does not exist" in done.stderr
    assert "mcp-governor snapshot" in done.stderr


def test_it_is_compared_with_head_where_nothing_was_released(tmp_path):
    root = repository(tmp_path, {"mcp-governor.toml": NO_SERVER, "api/stock.json": surface_text(BOOK)})
    assert report(root)["baseline"]["source"] == "git:HEAD"
    write(root, {"api/stock.json": surface_text(BROKEN)})
    reported = report(root)
    assert [change["kind"] for change in reported["changes"]] == ["required-argument-added"]
    assert reported["required_bump"] == "major"
    assert reported["verdict"] == "fail"


def test_a_release_tag_comes_before_head(tmp_path):
    root = repository(tmp_path, {"mcp-surface.json": surface_text(BOOK)})
    git(root, "tag", "v1.0.0")
    write(root, {"mcp-surface.json": surface_text(BROKEN, version="2.0.0")})
    committed(root, "break")
    reported = report(root)
    assert reported["baseline"]["source"] == "git:v1.0.0"
    assert reported["required_bump"] == reported["declared_bump"] == "major"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["https://example.org/mcp"], "does not start servers"),
        (["--against", "pypi:mcp-server-time"], "does not start servers"),
        (["gone"], "does not start servers"),
        (["--", "python", "-m", "server"], "-- COMMAND has no effect"),
    ],
)
def test_a_live_server_is_refused(tmp_path, arguments, words):
    write(tmp_path, {"mcp-governor.toml": NO_SERVER, "api/stock.json": surface_text(BOOK)})
    done = governor(tmp_path, "check", "--offline", *arguments)
    assert done.returncode == 2
    assert words in done.stderr


class TestIsolated:
    """The files of the repository are there, and do not count."""

    @pytest.fixture
    def root(self, tmp_path):
        return write(
            tmp_path,
            {
                "mcp-governor.toml": 'fail-on = "never"\nbaseline = "old.json"\n',
                "old.json": surface_text(BROKEN),
                "mcp-surface.json": surface_text(tool("other")),
                "now.json": surface_text(BOOK),
                "docs/mcp-schema-changelog.md": "nothing\n",
                "server.json": "not JSON",
            },
        )

    def test_no_file_of_the_repository_counts(self, root):
        done = governor(root, "check", "--isolated", "now.json", "--format", "json")
        reported = json.loads(done.stdout)
        assert done.returncode == 0
        assert reported["baseline"] is None
        assert reported["changes"] == []
        # A rule that reads now.json; no other looks at files of the repository.
        assert [one["rule"] for one in reported["findings"]] == ["clarity/hints-declared"]

    def test_a_baseline_that_is_named_counts(self, root):
        done = governor(root, "check", "--isolated", "old.json", "--against", "now.json", "--format", "json")
        reported = json.loads(done.stdout)
        assert done.returncode == 1
        assert [change["kind"] for change in reported["changes"]] == ["required-argument-added"]

    def test_a_broken_configuration_is_not_read(self, root):
        write(root, {"mcp-governor.toml": "= ="})
        assert governor(root, "check", "now.json").returncode == 2
        assert governor(root, "check", "--isolated", "now.json").returncode == 0
