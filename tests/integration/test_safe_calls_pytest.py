"""``pytest --mcp-charter`` calls what ``check`` calls."""

from __future__ import annotations

import re

import pytest
from projects import python, write
from wikis import LIST, READ, Wiki, tool


@pytest.fixture
def wiki(tmp_path):
    return Wiki(tmp_path)


WITH_CHARTER = ("--mcp-profile", "configured", "--mcp-profile", "charter")


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

    def test_a_first_run_follows_the_configured_profile_and_says_how_to_add_the_charter(self, wiki):
        done, items = self.run(wiki.serve(read_page="done"))
        assert done.returncode == 0, done.stdout
        assert not any(one.endswith(("::charter", "::envelope")) for one in items)
        how = "pytest --mcp-charter --mcp-profile configured --mcp-profile charter"
        assert done.stdout.count(how) == 1
        done, items = self.run(wiki, *WITH_CHARTER)
        assert items["mcp::read_page::envelope"] == "FAILED"
        assert "house style" not in done.stdout
        assert self.run(wiki, "mcp::read_page::envelope")[1] == {"mcp::read_page::envelope": "FAILED"}

    def test_the_charter_calls_what_only_reads(self, wiki):
        write_page = tool("write_page", idempotentHint=True)
        done, items = self.run(wiki.serve(LIST, READ, write_page, read_page="done"), *WITH_CHARTER)
        assert done.returncode == 1, done.stdout + done.stderr
        assert items["mcp::read_page::envelope"] == "FAILED"
        assert items["mcp::list_pages::envelope"] == items["mcp::list_pages::charter"] == "PASSED"
        assert items["mcp::write_page::envelope"] == items["mcp::write_page::call"] == "SKIPPED"
        assert "not called: tool without readOnlyHint" in done.stdout
        assert "envelope: 2 of 3 tools seen\n" in done.stdout
        # What is configured is checked as well.
        assert {"mcp::read_page::clarity", "mcp::read_page::charter", "mcp::read_page::spec"} <= set(items)

    def test_no_calls(self, wiki):
        done, items = self.run(wiki.serve(read_page="done"), *WITH_CHARTER, "--mcp-no-calls")
        assert done.returncode == 0, done.stdout
        assert wiki.calls == []
        assert items["mcp::read_page::envelope"] == "SKIPPED"
        assert "envelope: 0 of 2 tools seen\n" in done.stdout

    def test_a_profile_that_the_charter_contradicts_is_said(self, wiki):
        _, items = self.run(wiki.serve(top='profile = "omni"'), *WITH_CHARTER)
        assert items == {"mcp::target::read": "FAILED", "test_own.py::test_own": "PASSED"}
        _, items = self.run(wiki, "--mcp-profile", "configured")
        assert "mcp::read_page::omni" in items
