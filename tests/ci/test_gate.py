"""The gate of a pull request: what is compared, and with what, comes from the base branch."""

from __future__ import annotations

import json
import shutil

import pytest
from projects import committed, git, governor, repository, surface_text, tool, write

from mcp_governor import fingerprint, load_surface
from mcp_governor.surface import build_surface, dump_surface

GET, DELETE, ADD = tool("get_item"), tool("delete_item"), tool("add_item")
BOTH, ONE = surface_text(GET, DELETE), surface_text(GET)
SURFACE, CONFIG, CHANGELOG = "mcp-surface.json", "mcp-governor.toml", "docs/mcp-schema-changelog.md"
RULE = "policy/comparison-changed"
ONLY = ("--only", "breaking")


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """A repository with a recorded surface, copied for each test."""
    return repository(tmp_path_factory.mktemp("gate") / "shop", {SURFACE: BOTH, CONFIG: ""})


@pytest.fixture
def shop(begun, tmp_path):
    return shutil.copytree(begun, tmp_path / "shop")


def branch(root, files, base=None):
    """The files of the base on main, those of a pull request on a branch that is checked out."""
    if base:
        write(root, base)
        committed(root, "base")
    git(root, "checkout", "-q", "-b", "topic")
    changed(root, files)
    return root


def changed(root, files):
    for name in [name for name, text in files.items() if text is None]:
        (root / name).unlink()
    write(root, {name: text for name, text in files.items() if text is not None})
    committed(root, "change")


def check(root, *arguments, folder=".", approval="required"):
    """Exit code and report of a check against main."""
    words = ("check", "--offline", "--base", "main", "--approval", approval, "--format", "json", *arguments)
    done = governor(root / folder, *words)
    return done.returncode, json.loads(done.stdout) if done.stdout else done.stderr


def said(report):
    """The sentences about a changed comparison."""
    return [one["message"] for one in report["findings"] if one["rule"] == RULE]


def removed(report):
    return [change["tool"] for change in report["changes"] if change["kind"] == "tool-removed"]


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
            ('profile = "charter"', "", "profile"),
            (None, 'schema-version = "9.0.0"', "schema-version"),
            (None, '[changelog-options]\nsurfaces = "elsewhere"', "changelog-options"),
        ],
    )
    def test_a_setting_is_named_and_the_worse_comparison_counts(self, shop, base, turned, settings):
        branch(shop, {SURFACE: ONE, "now.json": ONE, CONFIG: turned}, base and {CONFIG: base})
        code, report = check(shop, *ONLY)
        assert code == 1
        (sentence,) = said(report)
        assert sentence.startswith(f"This pull request changes what is checked: {settings}.")
        assert removed(report) == ["delete_item"]
        assert len(report["base"]["asks"]) == 2, "the break and the setting"

    def test_the_ref_of_a_baseline_is_not_of_the_pull_request(self, shop):
        branch(shop, {SURFACE: ONE, CONFIG: 'baseline = "git:HEAD"'})
        code, report = check(shop, *ONLY)
        assert code == 1
        assert removed(report) == ["delete_item"]

    @pytest.mark.parametrize("ref", ["git:HEAD", "git:topic", "git:v9.0.0"])
    def test_nor_is_one_that_the_workflow_names(self, shop, ref):
        branch(shop, {SURFACE: ONE})
        git(shop, "tag", "v9.0.0")
        code, message = check(shop, *ONLY, "--against", f"{ref}:{SURFACE}")
        assert code == 2
        assert "cannot be the baseline of a pull request, which itself chooses what that is" in message
        assert check(shop, *ONLY, "--against", f"git:main:{SURFACE}")[0] == 1
        assert check(shop, *ONLY, "--against", f"git:HEAD^:{SURFACE}")[0] == 1

    def test_a_release_tag_on_the_branch_is_no_release(self, shop):
        branch(shop, {SURFACE: ONE})
        git(shop, "tag", "v9.0.0")
        code, report = check(shop, *ONLY)
        assert (code, removed(report)) == (1, ["delete_item"])

    def test_a_file_of_the_work_tree_is_read_at_the_base(self, shop):
        branch(shop, {SURFACE: ONE, "old.json": ONE}, {"old.json": BOTH})
        code, report = check(shop, *ONLY, "--against", "old.json")
        assert (code, removed(report)) == (1, ["delete_item"])
        changed(shop, {"new.json": ONE})
        code, message = check(shop, *ONLY, "--against", "new.json")
        assert code == 2
        assert "the base branch does not have it" in message
        write(shop, {"downloaded.json": BOTH})  # by the job, and tracked by nobody
        assert removed(check(shop, *ONLY, "--against", "downloaded.json")[1]) == ["delete_item"]

    @pytest.mark.parametrize("folder", ["a", "a/b"])
    def test_a_nearer_configuration_is_a_changed_place(self, shop, folder):
        write(shop, {"a/b/c": ""})
        nearer = {f"{folder}/{CONFIG}": 'target = "../now.json"', f"{folder}/{SURFACE}": ONE}
        branch(shop, {SURFACE: ONE, **nearer}, {"a/b/c": ""})
        code, report = check(shop, *ONLY, folder="a/b")
        assert code == 1
        assert "place of the configuration" in said(report)[0]
        assert removed(report) == ["delete_item"]

    def test_a_file_that_wins_over_the_one_of_the_base(self, shop):
        (shop / CONFIG).unlink()
        project = '[tool.mcp-governor]\nlevel = "strict"\n'
        branch(shop, {CONFIG: 'level = "declared"'}, {"pyproject.toml": project})
        code, report = check(shop, *ONLY)
        assert code == 1
        assert "level" in said(report)[0]

    def test_a_base_that_cannot_be_read_approves_nothing(self, shop):
        branch(shop, {CONFIG: ""}, {CONFIG: "level ="})
        code, report = check(shop)
        assert code == 1
        assert "is not TOML" in said(report)[0]

    def test_what_it_accepts_itself_is_not_accepted(self, shop):
        branch(shop, {SURFACE: ONE})
        (change,) = check(shop, *ONLY)[1]["changes"]
        entry = f'[[accept]]\nfinding = "{change["id"]}"\nreason = "trust me"\n'
        changed(shop, {CONFIG: entry})
        code, report = check(shop, *ONLY)
        assert code == 1
        assert said(report)[0].startswith("This pull request changes what is checked: accept.")
        assert report["base"]["asks"][0].startswith(RULE)

    def test_a_changelog_states_no_other_release(self, shop):
        """The last release is the one that the base's changelog states, not the one of the pull request."""
        gate = '[policy]\ngate = "release"\n'
        text = "# Changelog\n\n## 1.0.0 (current)\n\nFingerprint: `{}`\n\n**Added**\n\n- `get_item`\n- `delete_item`\n"
        branch(shop, {SURFACE: ONE}, {CONFIG: gate, CHANGELOG: text.format(fingerprint(load_surface(shop / SURFACE)))})
        mine = text.format(fingerprint(load_surface(shop / SURFACE)))
        changed(shop, {CHANGELOG: mine.replace("- `delete_item`\n", "")})
        code, report = check(shop, *ONLY)
        assert (code, removed(report)) == (1, ["delete_item"])

    def test_the_recording_of_a_release_is_read_at_the_base(self, shop):
        """Its fingerprint covers the tools alone, so the pull request could take a prompt out of it."""

        def recorded(*tools, **more):
            info = {"serverInfo": {"name": "stock", "version": "1.0.0"}}
            return dump_surface(build_surface({**info, "tools": list(tools), **more}))

        prompts = {"prompts": [{"name": "ask"}]}
        text = f"# Changelog\n\n## 1.0.0 (current)\n\nFingerprint: `{fingerprint(load_surface(shop / SURFACE))}`\n"
        release = "docs/mcp-surface/1.0.0.json"
        base = {release: recorded(GET, DELETE, **prompts), SURFACE: recorded(GET, DELETE, ADD, **prompts)}
        base |= {CONFIG: '[policy]\ngate = "release"\n', CHANGELOG: text}
        branch(shop, {release: recorded(GET, DELETE), SURFACE: recorded(GET, DELETE, ADD)}, base)
        code, report = check(shop)
        assert code == 1
        assert report["baseline"]["source"] == release
        assert "prompt-removed" in [change["kind"] for change in report["changes"]]

    def test_a_link_in_the_place_of_the_baseline_leads_nowhere(self, shop):
        branch(shop, {SURFACE: ONE, "one.json": ONE}, {"one.json": ONE})
        (shop / SURFACE).unlink()
        (shop / SURFACE).symlink_to("one.json")
        committed(shop, "link")
        code, report = check(shop, *ONLY, "--against", SURFACE)
        assert (code, removed(report)) == (1, ["delete_item"])


class TestOrdinaryLife:
    def test_nothing_is_said_if_nothing_changes(self, shop):
        branch(shop, {SURFACE: surface_text(GET, DELETE, ADD), CONFIG: "# a comment\n"})
        code, report = check(shop, *ONLY)
        assert (code, said(report), report["base"]["asks"]) == (0, [], [])

    def test_another_file_with_the_same_values_is_no_change(self, shop):
        branch(
            shop,
            {CONFIG: None, "pyproject.toml": '[tool.mcp-governor]\nlevel = "strict"\n'},
            {CONFIG: 'level = "strict"'},
        )
        code, report = check(shop, *ONLY)
        assert (code, said(report)) == (0, [])

    def test_a_tier_for_a_new_tool_is_no_change(self, shop):
        branch(shop, {SURFACE: surface_text(GET, DELETE, ADD), CONFIG: '[tiers]\nadvanced = ["add_*"]'})
        assert said(check(shop, *ONLY)[1]) == []

    def test_an_accepted_finding_of_the_linter_is_no_change(self, shop):
        branch(
            shop, {CONFIG: '[[accept]]\nfinding = "clarity/purpose:get_item:/description:00000000"\nreason = "fine"\n'}
        )
        assert said(check(shop)[1]) == []

    def test_what_is_typed_is_compared_and_not_what_the_configurations_say(self, shop):
        branch(shop, {CONFIG: 'level = "strict"\nbaseline = "other.json"', "other.json": BOTH})
        done = governor(shop, "check", SURFACE, "--only", "breaking", "--base", "main", "--approval", "required",
                        "--level", "declared", "--against", f"git:main:{SURFACE}", "--format", "json")  # fmt: skip
        report = json.loads(done.stdout)
        assert [sentence.partition(": ")[2] for sentence in said(report)] == ["level."]

    def test_the_first_configuration_needs_no_approval(self, tmp_path):
        root = repository(tmp_path / "shop", {"README.md": "a"})
        branch(root, {CONFIG: f'target = "{SURFACE}"', SURFACE: BOTH})
        done = governor(root, "check", "--base", "main", "--approval", "required", "--format", "json")
        report = json.loads(done.stdout)
        assert (done.returncode, said(report), report["base"]["asks"]) == (0, [], [])

    def test_a_moved_configuration_passes_once_it_is_approved(self, shop, tmp_path):
        """A monorepo: the server gets a folder of its own, and the comparison of the base cannot be made any more."""
        moved = {f"one/{SURFACE}": BOTH, f"one/{CONFIG}": "", SURFACE: None, CONFIG: None}
        branch(shop, moved, {"one/README.md": ""})
        code, report = check(shop, *ONLY, folder="one")
        assert code == 1
        assert "cannot be made any more: There is no recorded surface" in said(report)[0]
        assert report["changes"] == []
        (asked,) = report["base"]["asks"]
        approved = tmp_path / "approved"
        approved.write_text(f"{asked}\n")
        code, report = check(shop, *ONLY, "--approved", str(approved), folder="one")
        assert (code, report["base"]["approved"]) == (0, [asked])
        assert check(shop, folder="one", approval="given")[0] == 0
        changed(shop, {f"one/{SURFACE}": ONE})
        code, report = check(shop, *ONLY, "--approved", str(approved), folder="one")
        assert (code, removed(report)) == (1, ["delete_item"]), "a move hides no break"

    def test_without_an_approval_to_give_the_line_is_a_warning(self, shop):
        branch(shop, {CONFIG: 'level = "strict"'})
        done = governor(shop, "check", "--offline", "--base", "main", "--format", "json")
        report = json.loads(done.stdout)
        assert done.returncode == 0
        assert [one["severity"] for one in report["findings"] if one["rule"] == RULE] == ["warning"]


class TestApproved:
    """An approval is of what was seen: by its id, by its key, or all that is left by one key."""

    def asked(self, root):
        return check(root, *ONLY)[1]["base"]["asks"]

    def approve(self, root, *names):
        file = root.parent / "approved"
        file.write_text("\n".join(names))
        code, report = check(root, *ONLY, "--approved", str(file))
        return code, report["base"]["asks"], report["base"]["approved"]

    def test_each_and_all(self, shop):
        from mcp_governor.checking.base import approval_key

        branch(shop, {SURFACE: surface_text(ADD), CONFIG: 'level = "strict"'})
        asked = self.asked(shop)
        assert len(asked) == 3
        assert self.approve(shop, "x") == (1, asked, [])
        assert self.approve(shop, *asked) == (0, [], asked)
        assert self.approve(shop, *map(approval_key, asked)) == (0, [], asked)
        assert self.approve(shop, approval_key(*asked)) == (0, [], asked)
        assert self.approve(shop, asked[1], approval_key(asked[0], asked[2])) == (0, [], asked)
        assert self.approve(shop, asked[1]) == (1, [asked[0], asked[2]], [asked[1]])
        assert self.approve(shop, approval_key(*asked[:2])) == (1, asked, [])

    def test_another_value_of_a_setting_is_another_one(self, shop):
        branch(shop, {CONFIG: 'level = "strict"'})
        (first,) = self.asked(shop)
        changed(shop, {CONFIG: 'level = "strict"\nfail-on = "never"'})
        assert self.approve(shop, first)[0] == 1
