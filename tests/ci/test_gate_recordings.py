"""Recordings: what a pull request does to the baseline of the next one."""

from __future__ import annotations

import json

import pytest
from gating import ADD, BOTH, CHANGELOG, CONFIG, DELETE, GET, ONE, ONLY, SURFACE, branch, changed, check, removed, said
from projects import committed, surface_text, tool, write

from mcp_governor import fingerprint, load_surface

KNOWN = '{{"format": "mcp-governor/lint-baseline-1", "findings": ["{}"]}}'


class TestRecordings:
    """A recording is the baseline of a later pull request: it cannot get worse unseen. The target is another file."""

    LIVE = 'target = "live.json"\n'

    def test_a_target_of_the_pull_request_is_compared_with_that_of_the_base(self, gated):
        base = {CONFIG: self.LIVE, "live.json": BOTH}
        branch(gated, {"live.json": ONE, "old.json": BOTH, CONFIG: 'target = "old.json"\n'}, base)
        code, report = check(gated, *ONLY, offline=False)
        assert code == 1
        assert said(report)[0].endswith("about the comparison that main configures, which is the worse one.")
        assert removed(report) == ["delete_item"]

    @pytest.mark.parametrize(
        ("gate", "name", "text"),
        [
            ("change", SURFACE, ONE),
            ("change", SURFACE, surface_text(GET, tool("delete_item", "query"))),
            ("change", SURFACE, json.dumps({**json.loads(BOTH), "tiers": {"delete_item": "internal"}})),
            ("change", SURFACE, "[]"),
            ("change", SURFACE, None),
            ("release", SURFACE, None),
            ("release", "docs/mcp-surface/1.1.0.json", ONE),
            ("release", "docs/mcp-surface/0.9.0.json", None),
        ],
    )
    def test_one_that_gets_worse_alone_asks(self, gated, gate, name, text):
        config = f'{self.LIVE}[policy]\ngate = "{gate}"\n'
        branch(gated, {name: text}, {CONFIG: config, "live.json": BOTH, "docs/mcp-surface/0.9.0.json": ONE})
        code, report = check(gated, offline=False)
        assert code == 1
        assert said(report)[0].startswith(f"This pull request changes what is checked: the file {name}.")

    def test_one_that_is_kept_up_with_the_server_asks_for_nothing_more(self, gated):
        branch(gated, {"live.json": ONE, SURFACE: ONE}, {CONFIG: self.LIVE, "live.json": BOTH})
        code, report = check(gated, *ONLY, offline=False)
        assert (code, said(report), removed(report)) == (1, [], ["delete_item"])
        more = surface_text(GET, DELETE, ADD)
        changed(gated, {"live.json": more, SURFACE: more, "docs/mcp-surface/1.1.0.json": more})
        assert check(gated, *ONLY, offline=False)[0] == 0

    @pytest.mark.parametrize("turn", ["removed", "folder", "link"])
    def test_that_it_is_there_is_for_the_base_to_say(self, gated, turn):
        config = f'{self.LIVE}[policy]\ngate = "release"\n'
        branch(gated, {"live.json": ONE, SURFACE: None}, {CONFIG: config, "live.json": BOTH})
        if turn == "folder":
            changed(gated, {f"{SURFACE}/x": ""})
        if turn == "link":
            (gated / SURFACE).symlink_to("nowhere")
        code, report = check(gated, offline=False)
        assert (code, removed(report)) == (1, ["delete_item"])

    def test_one_that_was_merged_is_no_excuse_for_another_at_its_place(self, gated):
        config = f'{self.LIVE}[policy]\ngate = "release"\n'

        def limited(most):
            one = tool("get_item")
            one["inputSchema"]["properties"]["query"]["maxLength"] = most
            return surface_text(one, DELETE)

        text = f"# Changelog\n\n## 1.0.0 (current)\n\nFingerprint: `{fingerprint(load_surface(gated / SURFACE))}`\n"
        base = {CONFIG: config, CHANGELOG: text, "docs/mcp-surface/1.0.0.json": BOTH}
        branch(gated, {SURFACE: limited(1)}, {**base, "live.json": limited(50), SURFACE: limited(50)})
        code, report = check(gated, offline=False)
        assert code == 1
        assert said(report) == [f"This pull request changes what is checked: the file {SURFACE}."]

    def test_what_was_never_released_can_be_taken_back(self, gated):
        config = f'{self.LIVE}[policy]\ngate = "release"\n'
        text = f"# Changelog\n\n## 1.0.0 (current)\n\nFingerprint: `{fingerprint(load_surface(gated / SURFACE))}`\n"
        more = surface_text(GET, DELETE, ADD)
        base = {CONFIG: config, CHANGELOG: text, "docs/mcp-surface/1.0.0.json": BOTH}
        branch(gated, {"live.json": BOTH, SURFACE: BOTH}, {**base, "live.json": more, SURFACE: more})
        assert check(gated, offline=False)[1]["base"]["asks"] == []

    @pytest.mark.parametrize("name", ["README.md", "draft.json"])
    def test_other_files_beside_the_recordings_are_none(self, gated, name):
        branch(gated, {f"docs/mcp-surface/{name}": "a"}, {f"docs/mcp-surface/{name}": "b"})
        assert said(check(gated, *ONLY)[1]) == []

    @pytest.mark.parametrize("name", [SURFACE, "docs/mcp-surface/1.1.0.json"])
    def test_git_and_the_work_tree_are_both_looked_at(self, gated, name):
        """The text of a link is JSON without a tool; where it leads is as before, or nothing."""
        branch(gated, {"README.md": "a"}, {CONFIG: self.LIVE, "live.json": BOTH})
        place = gated / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
        place.symlink_to(json.dumps({"tools": [GET]}, separators=(",", ":"))[:200])
        committed(gated, "link")
        assert name in said(check(gated, *ONLY, offline=False)[1])[0]

    @pytest.mark.parametrize("baseline", ["git:main:old.json", "./old.json", "old"])
    def test_the_file_of_any_baseline_is_a_recording(self, gated, baseline):
        file = baseline.rpartition(":")[2]
        base = {CONFIG: f'{self.LIVE}baseline = "{baseline}"\n', "live.json": BOTH, file: BOTH}
        branch(gated, {file: ONE}, base)
        code, report = check(gated, *ONLY, offline=False)
        assert code == 1
        assert file.removeprefix("./") in said(report)[0]

    def test_a_manifest_that_it_loses_is_worse(self, gated):
        manifest = {"manifest": {"name": "io.example/stock", "version": "1.0.0"}}
        had = json.dumps({**json.loads(BOTH), **manifest})
        branch(gated, {SURFACE: BOTH}, {CONFIG: self.LIVE, "live.json": BOTH, SURFACE: had})
        assert said(check(gated, *ONLY, offline=False)[1]) == [
            f"This pull request changes what is checked: the file {SURFACE}."
        ]

    @pytest.mark.parametrize(
        ("name", "asks"), [("calls/a.json", True), ("real/b.json", True), ("calls/README.md", False)]
    )
    def test_what_a_recorded_call_expects_is_for_the_base_to_say(self, gated, name, asks):
        files = {"calls/a.json": "[]", "real/b.json": "[]", "calls/README.md": "a", CONFIG: 'calls-dir = "calls"\n'}
        write(gated, files)
        (gated / "calls/b.json").symlink_to("../real/b.json")
        committed(gated, "base")
        branch(gated, {name: "[1]", "calls/new.json": "[]"})
        sentences = said(check(gated, *ONLY)[1])
        assert sentences == [f"This pull request changes what is checked: the file {name}."] * asks

    def test_a_lint_baseline_hides_no_call(self, gated):
        base = {CONFIG: '[lint]\nbaseline = "known.json"\n', "known.json": KNOWN.format("clarity/purpose:a:/:0")}
        branch(gated, {"known.json": KNOWN.format("call/expectation:a:/:0")}, base)
        assert said(check(gated, *ONLY)[1]) == ["This pull request changes what is checked: lint-baseline."]
