"""The gate of a pull request: what is compared, and with what, comes from the base branch."""

from __future__ import annotations

import json
from datetime import date, timedelta

import pytest
from gating import (
    ADD,
    BOTH,
    CHANGELOG,
    CONFIG,
    DELETE,
    GET,
    ONE,
    ONLY,
    RULE,
    SURFACE,
    branch,
    changed,
    check,
    removed,
    said,
)
from projects import committed, git, governor, repository, surface_text, tool, write

from mcp_governor import fingerprint, load_surface
from mcp_governor.checking.against import pull_request
from mcp_governor.checking.against.base_branch import Base, key_of_all
from mcp_governor.checking.model import Asked
from mcp_governor.config import AcceptConfig, CallConfig, Config, LintConfig, ServerConfig
from mcp_governor.config.model import IgnoredRule
from mcp_governor.surface import build_surface, dump_surface

DAY = date(2027, 1, 1)


class TestWhatThePullRequestSays:
    """Each removes a tool and turns something of the comparison; without the turn the check fails as well."""

    @pytest.mark.parametrize(
        ("base", "turned", "settings"),
        [
            (None, 'baseline = "now.json"', "baseline"),
            (None, 'level = "strict"', "level"),
            (None, '[tiers]\ninternal = ["delete_*"]', "tiers"),
            (None, '[policy]\nzero-policy = "anything-goes"', "policy"),
            (None, 'fail-on = "never"', "fail-on"),
            ('profile = "charter"', "", "profile, lint"),
            (None, 'schema-version = "9.0.0"', "schema-version"),
            (None, '[changelog-options]\nsurfaces = "elsewhere"', "changelog-options"),
        ],
    )
    def test_a_setting_is_named_and_the_worse_comparison_counts(self, gated, base, turned, settings):
        branch(gated, {SURFACE: ONE, "now.json": ONE, CONFIG: turned}, base and {CONFIG: base})
        code, report = check(gated, *ONLY)
        assert code == 1
        (sentence,) = said(report)
        assert sentence.startswith(f"This pull request changes what is checked: {settings}.")
        assert removed(report) == ["delete_item"]
        assert report["findings"][0]["rule"] == "policy/comparison-changed"
        assert len(report["base"]["asks"]) == 2, "the break and the setting"

    def test_the_configuration_in_git_counts_besides_the_one_in_the_work_tree(self, gated):
        """An encoding in .gitattributes can make two texts of one file; the next base is what git has."""
        branch(gated, {CONFIG: 'fail-on = "never"'})
        write(gated, {CONFIG: ""})
        assert said(check(gated, *ONLY)[1])[0].endswith(": fail-on.")

    def test_a_base_without_a_configuration_compares_what_the_workflow_names(self, tmp_path):
        root = repository(tmp_path / "shop", {"old.json": BOTH})
        branch(root, {"old.json": ONE, CONFIG: 'level = "strict"'})
        words = ("old.json", *ONLY, "--against", "git:main:old.json")
        assert said(check(root, *words)[1])[0].startswith("This pull request changes what is checked: level.")

    def test_the_ref_of_a_baseline_is_not_of_the_pull_request(self, gated):
        branch(gated, {SURFACE: ONE, CONFIG: 'baseline = "git:HEAD"'})
        code, report = check(gated, *ONLY)
        assert code == 1
        assert removed(report) == ["delete_item"]

    @pytest.mark.parametrize("ref", ["git:HEAD", "git:topic", "git:v9.0.0"])
    def test_nor_is_one_that_the_workflow_names(self, gated, ref):
        branch(gated, {SURFACE: ONE})
        git(gated, "tag", "v9.0.0")
        code, message = check(gated, *ONLY, "--against", f"{ref}:{SURFACE}")
        assert code == 2
        assert "cannot be the baseline of a pull request, which itself chooses what that is" in message
        assert check(gated, *ONLY, "--against", f"git:main:{SURFACE}")[0] == 1
        assert check(gated, *ONLY, "--against", f"git:HEAD^:{SURFACE}")[0] == 1

    def test_a_release_tag_on_the_branch_is_no_release(self, gated):
        branch(gated, {SURFACE: ONE})
        git(gated, "tag", "v9.0.0")
        code, report = check(gated, *ONLY)
        assert (code, removed(report)) == (1, ["delete_item"])

    def test_a_file_of_the_work_tree_is_read_at_the_base(self, gated):
        branch(gated, {SURFACE: ONE, "old.json": ONE}, {"old.json": BOTH})
        code, report = check(gated, *ONLY, "--against", "old.json")
        assert (code, removed(report)) == (1, ["delete_item"])
        changed(gated, {"new.json": ONE})
        code, message = check(gated, *ONLY, "--against", "new.json")
        assert code == 2
        assert "the base branch does not have it" in message
        write(gated, {"downloaded.json": BOTH})  # by the job, and tracked by nobody
        assert removed(check(gated, *ONLY, "--against", "downloaded.json")[1]) == ["delete_item"]

    @pytest.mark.parametrize("folder", ["a", "a/b"])
    def test_a_nearer_configuration_is_a_changed_place(self, gated, folder):
        write(gated, {"a/b/c": ""})
        nearer = {f"{folder}/{CONFIG}": 'target = "../now.json"', f"{folder}/{SURFACE}": ONE}
        branch(gated, {SURFACE: ONE, **nearer}, {"a/b/c": ""})
        code, report = check(gated, *ONLY, folder="a/b")
        assert code == 1
        assert "place of the configuration" in said(report)[0]
        assert removed(report) == ["delete_item"]

    def test_a_file_that_wins_over_the_one_of_the_base(self, gated):
        (gated / CONFIG).unlink()
        project = '[tool.mcp-governor]\nlevel = "strict"\n'
        branch(gated, {CONFIG: 'level = "declared"'}, {"pyproject.toml": project})
        code, report = check(gated, *ONLY)
        assert code == 1
        assert "level" in said(report)[0]

    def test_a_base_that_cannot_be_read_approves_nothing(self, gated):
        branch(gated, {CONFIG: ""}, {CONFIG: "level ="})
        code, report = check(gated)
        assert code == 1
        assert "is not TOML" in said(report)[0]

    def test_what_it_accepts_itself_is_not_accepted(self, gated):
        branch(gated, {SURFACE: ONE})
        (change,) = check(gated, *ONLY)[1]["changes"]
        entry = f'[[accept]]\nfinding = "{change["id"]}"\nreason = "trust me"\n'
        changed(gated, {CONFIG: entry})
        code, report = check(gated, *ONLY)
        assert code == 1
        assert said(report)[0].startswith("This pull request changes what is checked: accept.")
        assert report["base"]["asks"][0]["id"].startswith(RULE)

    def test_a_changelog_states_no_other_release(self, gated):
        """The last release is the one that the base's changelog states, not the one of the pull request."""
        gate = '[policy]\ngate = "release"\n'
        text = "# Changelog\n\n## 1.0.0 (current)\n\nFingerprint: `{}`\n\n**Added**\n\n- `get_item`\n- `delete_item`\n"
        branch(
            gated, {SURFACE: ONE}, {CONFIG: gate, CHANGELOG: text.format(fingerprint(load_surface(gated / SURFACE)))}
        )
        mine = text.format(fingerprint(load_surface(gated / SURFACE)))
        changed(gated, {CHANGELOG: mine.replace("- `delete_item`\n", "")})
        code, report = check(gated, *ONLY)
        assert (code, removed(report)) == (1, ["delete_item"])

    def test_the_recording_of_a_release_is_read_at_the_base(self, gated):
        """Its fingerprint covers the tools alone, so the pull request could take a prompt out of it."""

        def recorded(*tools, **more):
            info = {"serverInfo": {"name": "stock", "version": "1.0.0"}}
            return dump_surface(build_surface({**info, "tools": list(tools), **more}))

        prompts = {"prompts": [{"name": "ask"}]}
        text = f"# Changelog\n\n## 1.0.0 (current)\n\nFingerprint: `{fingerprint(load_surface(gated / SURFACE))}`\n"
        release = "docs/mcp-surface/1.0.0.json"
        base = {release: recorded(GET, DELETE, **prompts), SURFACE: recorded(GET, DELETE, ADD, **prompts)}
        base |= {CONFIG: '[policy]\ngate = "release"\n', CHANGELOG: text}
        branch(gated, {release: recorded(GET, DELETE), SURFACE: recorded(GET, DELETE, ADD)}, base)
        code, report = check(gated)
        assert code == 1
        assert report["baseline"]["source"] == release
        assert "prompt-removed" in [change["kind"] for change in report["changes"]]

    def test_a_link_in_the_place_of_the_baseline_leads_nowhere(self, gated):
        branch(gated, {SURFACE: ONE, "one.json": ONE}, {"one.json": ONE})
        (gated / SURFACE).unlink()
        (gated / SURFACE).symlink_to("one.json")
        committed(gated, "link")
        code, report = check(gated, *ONLY, "--against", SURFACE)
        assert (code, removed(report)) == (1, ["delete_item"])


class TestPlaces:
    @pytest.fixture
    def two(self, gated):
        files = {f"servers/{name}/{file}": text for name in "ab" for file, text in ((SURFACE, BOTH), (CONFIG, ""))}
        return committed(write(gated, files), "two")

    @pytest.mark.parametrize("to", ["b", "c"])
    def test_a_link_in_the_place_of_a_folder_is_a_changed_comparison(self, two, to):
        git(two, "checkout", "-q", "-b", "topic")
        git(two, "mv", "servers/a", "servers/c")
        (two / "servers/a").symlink_to(to)
        committed(write(two, {f"servers/c/{SURFACE}": ONE}), "moved")
        code, report = check(two, *ONLY, folder="servers/a")
        assert code == 1
        assert "the folder servers/a" in said(report)[0]

    def test_the_first_configuration_beside_a_recording_is_not_the_beginning(self, tmp_path):
        root = repository(tmp_path / "shop", {SURFACE: BOTH})
        lenient = '[policy]\nargument-removed = "compatible"\nzero-policy = "anything-goes"\n'
        branch(root, {SURFACE: None, f"docs/{SURFACE}": ONE, CONFIG: f'baseline = "docs/{SURFACE}"\n{lenient}'})
        code, report = check(root, *ONLY)
        assert (code, removed(report)) == (1, ["delete_item"])
        assert "cannot be made any more" in said(report)[0]

    def test_nor_is_one_in_a_new_folder_of_a_governed_repository(self, two):
        branch(two, {f"servers/n/{SURFACE}": ONE, f"servers/n/{CONFIG}": ""})
        code, report = check(two, folder="servers/n")
        assert code == 1
        assert "place of the configuration" in said(report)[0]

    def test_a_server_of_a_clients_file_is_the_one_of_the_base(self, gated):
        entry = '{{"mcpServers": {{"s": {{"command": "{}"}}}}}}'
        base = {CONFIG: 'baseline = ".mcp.json#s"', ".mcp.json": entry.format("false")}
        branch(gated, {".mcp.json": entry.format("true")}, base)
        code, report = check(gated, SURFACE, "--only", "breaking", "--against", f"git:main:{SURFACE}", offline=False)
        assert (code, said(report)) == (0, []), "it takes no part"
        code, report = check(gated, SURFACE, "--only", "breaking", "--against", ".mcp.json#s", offline=False)
        assert code == 3


class TestOrdinaryLife:
    def test_nothing_is_said_if_nothing_changes(self, gated):
        branch(gated, {SURFACE: surface_text(GET, DELETE, ADD), CONFIG: "# a comment\n"})
        code, report = check(gated, *ONLY)
        assert (code, said(report), report["base"]["asks"]) == (0, [], [])

    def test_a_tier_for_a_new_tool_is_no_change(self, gated):
        branch(gated, {SURFACE: surface_text(GET, DELETE, ADD), CONFIG: '[tiers]\nadvanced = ["add_*"]'})
        assert said(check(gated, *ONLY)[1]) == []

    def test_what_is_typed_is_compared_and_not_what_the_configurations_say(self, gated):
        branch(gated, {CONFIG: 'level = "strict"\nbaseline = "other.json"', "other.json": BOTH})
        done = governor(gated, "check", SURFACE, "--only", "breaking", "--base", "main", "--approval", "required",
                        "--level", "declared", "--against", f"git:main:{SURFACE}", "--format", "json")  # fmt: skip
        report = json.loads(done.stdout)
        assert [sentence.partition(": ")[2] for sentence in said(report)] == ["level."]

    def test_the_first_configuration_needs_no_approval(self, tmp_path):
        root = repository(tmp_path / "shop", {"README.md": "a"})
        branch(root, {CONFIG: f'target = "{SURFACE}"', SURFACE: BOTH})
        done = governor(root, "check", "--base", "main", "--approval", "required", "--format", "json")
        report = json.loads(done.stdout)
        assert (done.returncode, said(report), report["base"]["asks"]) == (0, [], [])

    def test_a_moved_configuration_passes_once_it_is_approved(self, gated, tmp_path):
        """A monorepo: the server gets a folder of its own, and the comparison of the base cannot be made any more."""
        moved = {f"one/{SURFACE}": BOTH, f"one/{CONFIG}": "", SURFACE: None, CONFIG: None}
        branch(gated, moved, {"one/README.md": ""})
        code, report = check(gated, *ONLY, folder="one")
        assert code == 1
        assert "cannot be made any more: There is no recorded surface" in said(report)[0]
        assert report["changes"] == []
        (asked,) = report["base"]["asks"]
        approved = tmp_path / "approved"
        approved.write_text(f"{asked['key']}\n")
        code, report = check(gated, *ONLY, "--approved", str(approved), folder="one")
        assert (code, report["base"]["approved"]) == (0, [asked])
        assert check(gated, folder="one", approval="given")[0] == 0
        changed(gated, {f"one/{SURFACE}": ONE})
        code, report = check(gated, *ONLY, "--approved", str(approved), folder="one")
        assert (code, removed(report)) == (1, ["delete_item"]), "a move hides no break"

    def test_without_an_approval_to_give_the_line_is_a_warning(self, gated):
        branch(gated, {CONFIG: 'level = "strict"'})
        done = governor(gated, "check", "--offline", "--base", "main", "--format", "json")
        report = json.loads(done.stdout)
        assert done.returncode == 0
        assert [one["severity"] for one in report["findings"] if one["rule"] == RULE] == ["warning"]


class TestSettings:
    """What :func:`pull_request._changed` and its like say of two configurations, without a repository."""

    @pytest.mark.parametrize(
        ("then", "now", "more"),
        [
            ({}, {"finding": "tool-removed:a:/:0"}, True),
            ({}, {"finding": "policy/bump-too-small:-:x:0"}, True),
            ({}, {"finding": "call/expectation:a:/:0"}, True),
            ({}, {"finding": "clarity/purpose:a:/description:0"}, False),
            ({"finding": "a:b:/:0"}, {"finding": "a:b:/:0"}, False),
            ({"finding": "a:b:/:0", "released": "0.9.0"}, {"finding": "a:b:/:0", "released": "0.9.0"}, False),
            ({"finding": "a:b:/:0", "released": "0.9.0"}, {"finding": "a:b:/:0"}, True),
            ({"finding": "a:b:/:0", "released": "0.9.0"}, {"finding": "a:b:/:0", "released": "9.0.0"}, True),
            ({"finding": "a:b:/:0"}, {"finding": "a:b:/:0", "released": "1.0.0"}, False),
            (
                {"finding": "a:b:/:0", "until": DAY},
                {"finding": "a:b:/:0", "until": DAY + timedelta(1)},
                True,
            ),
            ({"finding": "a:b:/:0", "until": DAY}, {"finding": "a:b:/:0"}, True),
            ({"finding": "a:b:/:0"}, {"finding": "a:b:/:0", "until": DAY}, False),
            ({"finding": "a:b:/:0"}, {}, False),
        ],
    )
    def test_acceptances_that_only_the_pull_request_has(self, then, now, more):
        configs = [Config(accept=(AcceptConfig(**{"reason": "r", **one}),) if one else ()) for one in (then, now)]
        assert bool(pull_request._accepted_more(*configs)) is more

    @pytest.mark.parametrize(
        ("old", "new", "asks"),
        [(["a", "b"], ["a"], ["b"]), (["a"], ["a", "b"], None), (["a"], [], ["a"]), ([], ["a"], None)],
    )
    def test_calls_that_the_pull_request_drops(self, old, new, asks):
        then, now = (Config(calls=tuple(CallConfig(name) for name in names)) for names in (old, new))
        found = pull_request._changed(then, now, Asked(base="main"), Base("main")).get("calls")
        assert found == (asks and [repr(CallConfig(name)) for name in asks]), "each by all of it, not by its tool"

    @pytest.mark.parametrize(
        ("then", "now", "name"),
        [
            ({"read_only_tools": ("a",)}, {}, "read-only-tools"),
            ({}, {"calls_budget": 0.1}, "calls-budget"),
            ({}, {"calls_dir": "other"}, "calls-dir"),
            ({}, {"lint": LintConfig(ignore=("call/*",))}, "lint"),
            ({}, {"lint": LintConfig(select=("clarity/*",))}, "lint"),
            ({}, {"lint": LintConfig(extend_select=("clarity/length",))}, None),
            (
                {"lint": LintConfig(per_tool_ignores={"a": ("call/expectation",)})},
                {"lint": LintConfig(per_tool_ignores={"*": ("call/expectation",)})},
                "lint",
            ),
            ({}, {"lint": LintConfig(ignore=(IgnoredRule("call/expectation", "r"),))}, "lint"),
            ({}, {"lint": LintConfig(severity={"call/expectation": "warning"})}, "lint"),
            ({}, {"lint": LintConfig(per_tool_ignores={"a": ("*",)})}, "lint"),
            ({}, {"lint": LintConfig(ignore=("clarity/length",))}, None),
            ({}, {"read_only_tools": ("a",)}, None),
        ],
    )
    def test_settings_under_which_calls_say_less(self, then, now, name):
        found = pull_request._changed(Config(**then), Config(**now), Asked(base="main"), Base("main"))
        assert list(found) == ([name] if name else [])

    def test_a_server_differs_by_its_environment_which_is_not_shown(self):
        servers = (ServerConfig("s", command=("run",), env={"KEY": value}) for value in ("a1b2c3", "d4e5f6"))
        then, now = (Config(servers={"s": server}) for server in servers)
        found = pull_request._changed(then, now, Asked(base="main"), Base("main"))
        assert list(found) == ["servers.s"]
        assert "d4e5f6" not in json.dumps(found)
        assert pull_request._changed(then, now, Asked(base="main", command=("other",)), Base("main")) == {}


class TestApproved:
    """An approval is of what was seen: each by its key, or all that are left by one key."""

    def asked(self, root):
        return [one["key"] for one in check(root, *ONLY)[1]["base"]["asks"]]

    def approve(self, root, *keys):
        file = root.parent / "approved"
        file.write_text("\n".join(keys))
        code, report = check(root, *ONLY, "--approved", str(file))
        return code, *([one["key"] for one in report["base"][part]] for part in ("asks", "approved"))

    def test_each_and_all(self, gated):
        branch(gated, {SURFACE: surface_text(ADD), CONFIG: 'level = "strict"'})
        asked = self.asked(gated)
        assert len(asked) == 3
        assert self.approve(gated, "x") == (1, asked, [])
        assert self.approve(gated, *asked) == (0, [], asked)
        assert self.approve(gated, key_of_all(asked)) == (0, [], asked)
        assert self.approve(gated, asked[1], key_of_all([asked[2], asked[0]])) == (0, [], asked)
        assert self.approve(gated, asked[1]) == (1, [asked[0], asked[2]], [asked[1]])
        assert self.approve(gated, key_of_all(asked[:2])) == (1, asked, [])

    def test_another_break_with_the_id_of_an_approved_one(self, gated):
        """A change that could not be decided has no values in its id, and others have 32 bits of them."""

        def undecided(kind):
            one = tool("get_item")
            one["inputSchema"]["properties"]["query"] = {"$ref": f"https://example.org/{kind}.json"}
            return surface_text(one, DELETE)

        branch(gated, {SURFACE: undecided("a")})
        (first,) = self.asked(gated)
        changed(gated, {SURFACE: undecided("b")})
        assert self.approve(gated, first)[0] == 1

    def test_another_server_with_the_same_break(self, gated):
        files = {f"{name}/{file}": text for name in "ab" for file, text in ((SURFACE, BOTH), (CONFIG, ""))}
        branch(gated, {"a/mcp-surface.json": ONE, "b/mcp-surface.json": ONE}, files)
        keys = {check(gated, *ONLY, folder=name)[1]["base"]["asks"][0]["key"] for name in "ab"}
        assert len(keys) == 2

    def test_another_value_of_a_setting_is_another_one(self, gated):
        branch(gated, {CONFIG: 'level = "strict"'})
        (first,) = self.asked(gated)
        changed(gated, {CONFIG: 'level = "strict"\nfail-on = "never"'})
        assert self.approve(gated, first)[0] == 1
