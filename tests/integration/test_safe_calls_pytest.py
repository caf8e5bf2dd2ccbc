"""``pytest --mcp-charter`` calls what ``check`` calls."""

from __future__ import annotations

import re

import pytest
from projects import python, write
from wikis import LIST, READ, Wiki, tool


@pytest.fixture
def wiki(tmp_path):
    return Wiki(tmp_path)


class TestInPytest:
    """``pytest --mcp-charter`` on the same servers."""

    def run(self, wiki, *options: str):
        write(wiki.root, {"test_own.py": "def test_own(): pass\n"})
        done = python(
            wiki.root,
            "-m",
            "pytest",
            "-pno:cacheprovider",
            "-pno:hypothesispytest",
            "-v",
            "-rs",
            "--mcp-charter",
            *options,
        )
        return done, dict(re.findall(r"^(mcp::\S+|test_own\S+) (PASSED|FAILED|SKIPPED)", done.stdout, re.M))

    def test_the_flag_means_the_charter(self, wiki):
        done, items = self.run(wiki.serve(LIST, READ, tool("write_page", idempotentHint=True), read_page="done"))
        assert done.returncode == 1, done.stdout + done.stderr
        assert items["mcp::read_page::envelope"] == "FAILED"
        assert items["mcp::list_pages::envelope"] == items["mcp::list_pages::charter"] == "PASSED"
        assert items["mcp::write_page::envelope"] == items["mcp::write_page::call"] == "SKIPPED"
        assert "not called: tool without readOnlyHint" in done.stdout
        assert "envelope: 2 of 3 tools seen\n" in done.stdout

    def test_the_server_is_started_once(self, wiki):
        wiki.serve()
        self.run(wiki)
        # a second start would call again
        assert sorted(wiki.called) == ["list_pages", "list_pages", "read_page", "read_page", "read_page"]

    def test_the_configured_profile_alone(self, wiki):
        done, items = self.run(wiki.serve(read_page="done"), "--mcp-profile", "configured")
        assert done.returncode == 0, done.stdout
        assert wiki.calls == []
        assert not any(one.endswith(("::charter", "::envelope")) for one in items)
        assert "seen" not in done.stdout

    def test_another_profile(self, wiki):
        _, items = self.run(wiki.serve(), "--mcp-profile", "surface", "--mcp-profile", "configured")
        assert "mcp::read_page::surface" in items
        assert "mcp::read_page::clarity" in items
        assert "mcp::read_page::charter" not in items

    def test_what_is_configured_is_checked_as_well(self, wiki):
        _, items = self.run(wiki.serve())
        assert {"mcp::read_page::clarity", "mcp::read_page::charter", "mcp::read_page::spec"} <= set(items)

    def test_rules_that_are_selected_one_by_one_keep_the_charter(self, wiki):
        _, items = self.run(wiki.serve(config='[lint]\nselect = ["spec/*"]\n', read_page="done"))
        assert items["mcp::read_page::envelope"] == "FAILED"
        assert "mcp::read_page::clarity" not in items

    def test_no_calls(self, wiki):
        done, items = self.run(wiki.serve(read_page="done"), "--mcp-no-calls")
        assert done.returncode == 0, done.stdout
        assert wiki.calls == []
        assert items["mcp::read_page::envelope"] == "SKIPPED"
        assert "envelope: 0 of 2 tools seen\n" in done.stdout

    def test_a_profile_that_the_charter_contradicts_is_said_with_the_way_out(self, wiki):
        done, items = self.run(wiki.serve(top='profile = "omni"'))
        assert items == {"mcp::target::read": "FAILED", "test_own.py::test_own": "PASSED"}
        assert "The charter cannot be added to the profile omni." in done.stdout
        assert "pytest --mcp-charter --mcp-profile configured" in done.stdout
        done, items = self.run(wiki, "--mcp-profile", "configured")
        assert "mcp::read_page::omni" in items
