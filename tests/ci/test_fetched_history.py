"""The history that a job fetches, and what it takes for the base of a pull request."""

from __future__ import annotations

import pytest
from projects import committed, git, repository, write
from replacing import replace

from mcp_governor.ci import history
from mcp_governor.ci.history import Clone, fetch_base, fetch_release
from mcp_governor.ci.job import Job
from mcp_governor.errors import UsageError
from mcp_governor.target.git_door import Answer

SHA = "a" * 40


class TestHistory:
    @pytest.fixture
    def origin(self, tmp_path):
        root = repository(tmp_path / "origin", {"a": "0"})
        git(root, "config", "uploadpack.allowAnySHA1InWant", "true")
        return root

    def commits(self, root, count, file="a"):
        for number in range(count):
            git(root, "commit", "-q", "--allow-empty", "--no-verify", "-m", f"{file} {number}")

    def clone(self, origin, tmp_path, ref="HEAD"):
        work = tmp_path / "work"
        work.mkdir()
        git(work, "init", "-q")
        git(work, "remote", "add", "origin", origin.as_uri())
        assert git(work, "fetch", "-q", "--no-tags", "--depth=1", "origin", ref).returncode == 0
        git(work, "checkout", "-q", "--detach", "FETCH_HEAD")
        return work

    def rev(self, root, name="HEAD"):
        return git(root, "rev-parse", name).stdout.strip()

    def test_the_nearest_release_is_fetched_with_the_history_up_to_it(self, origin, tmp_path):
        git(origin, "tag", "v1.0.0")
        self.commits(origin, 60)
        git(origin, "tag", "-a", "-m", "x", "v1.1.0")
        git(origin, "checkout", "-q", "-b", "next")
        self.commits(origin, 1, "b")
        git(origin, "tag", "v2.0.0")
        git(origin, "tag", "latest")
        git(origin, "checkout", "-q", "main")
        self.commits(origin, 5)
        work = self.clone(origin, tmp_path)
        assert fetch_release(Clone(work, Job())) == ""
        assert git(work, "tag", "--merged=HEAD").stdout.split() == ["v1.1.0"]
        assert git(work, "tag").stdout.split() == ["v1.1.0"], "not those of other branches"
        assert git(work, "rev-list", "--count", "HEAD").stdout.strip() == "50"

    def test_a_repository_without_releases_is_fetched_whole(self, origin, tmp_path):
        self.commits(origin, 60)
        work = self.clone(origin, tmp_path)
        clone = Clone(work, Job())
        assert fetch_release(clone) == ""
        assert not clone.is_shallow()

    def test_an_origin_that_is_gone_is_said(self, origin, tmp_path):
        self.commits(origin, 2)
        work = self.clone(origin, tmp_path)
        git(work, "remote", "set-url", "origin", (tmp_path / "nowhere").as_uri())
        clone = Clone(work, Job())
        assert fetch_release(clone).startswith("The last release could not be fetched into this shallow clone (")
        with pytest.raises(UsageError, match="The base commit aaaaaaaaaaaa cannot be fetched") as raised:
            fetch_base(clone, Job("github", "pull_request", 7, "main", SHA))
        assert "fetch-depth: 0" in raised.value.hint

    def test_the_base_of_a_branch_is_where_it_began(self, origin, tmp_path):
        begun = self.rev(origin)
        git(origin, "checkout", "-q", "-b", "topic")
        self.commits(origin, 55, "b")
        git(origin, "checkout", "-q", "main")
        write(origin, {"c": "c"})
        committed(origin, "later")
        work = self.clone(origin, tmp_path, "refs/heads/topic")
        job = Job("github", "pull_request", 7, "main", self.rev(origin, "main"))
        assert fetch_base(Clone(work, job), job) == "refs/remotes/origin/main"
        assert self.rev(work, "origin/main") == begun

    def test_branches_without_a_common_commit_are_refused(self, origin, tmp_path):
        git(origin, "checkout", "-q", "--orphan", "topic")
        committed(origin, "other")
        work = self.clone(origin, tmp_path, "refs/heads/topic")
        job = Job("github", "pull_request", 7, "main", self.rev(origin, "main"))
        with pytest.raises(UsageError, match="cannot be fetched"):
            fetch_base(Clone(work, job), job)

    def test_the_token_goes_to_github_alone_and_never_on_the_command_line(self, origin, monkeypatch):
        seen = []
        monkeypatch.setattr(
            history, "ask_remote", lambda *words, header: seen.append((words, header)) or Answer(1, b"")
        )

        def header(address):
            git(origin, "config", "remote.origin.url", address)
            clone = Clone(origin, Job(web="https://github.com", token="ghs_0123456789"))
            assert not clone.fetch(SHA)
            words, given = seen.pop()
            assert "ghs_" not in str(words)
            return given

        where, value = header("https://github.com/us/shop")
        assert (where, value.split()[:2]) == ("https://github.com", ["AUTHORIZATION:", "basic"])
        for other in ("https://github.com.example/us/shop", "http://github.com/us/shop"):
            assert header(other) is None
        git(origin, "config", "http.https://github.com/.extraheader", "AUTHORIZATION: basic x")
        assert header("https://github.com/us/shop") is None, "the checkout left its own"

    @pytest.mark.parametrize(
        "address", ["git@github.com:us/shop", "ssh://github.com/us/shop", "ext::sh -c x", "git://h/x"]
    )
    def test_an_address_that_needs_a_program_is_not_asked(self, origin, address):
        git(origin, "config", "remote.origin.url", address)
        clone = Clone(origin, Job())
        assert not clone.fetch(SHA)
        assert clone.problem == "the remote origin has no https address"

    def test_only_the_merge_that_github_made_has_the_base_as_its_parent(self, origin, tmp_path):
        """ "Update branch" makes a merge whose first parent is the pull request itself."""
        git(origin, "checkout", "-q", "-b", "topic")
        self.commits(origin, 1, "b")
        topic = self.rev(origin)
        git(origin, "checkout", "-q", "main")
        write(origin, {"c": "c"})
        committed(origin, "later")
        main = self.rev(origin)
        git(origin, "checkout", "-q", "topic")
        assert git(origin, "merge", "-q", "--no-ff", "-m", "update", "main").returncode == 0
        job = Job("github", "pull_request", 7, "", main, commit=SHA, on_merge=True)
        assert fetch_base(Clone(origin, job), job) == main
        git(origin, "checkout", "-q", "--detach", main)
        assert git(origin, "merge", "-q", "--no-ff", "-m", "merge", topic).returncode == 0
        # the event may know an older base than the one that GitHub merged into
        job = replace(job, base_commit=self.rev(origin, "main^"), commit=self.rev(origin))
        assert fetch_base(Clone(origin, job), job) == main

    def test_several_last_common_commits_are_refused(self, origin):
        """git would name the one with the later date, which the author of the pull request chooses."""
        git(origin, "checkout", "-q", "-b", "topic")
        self.commits(origin, 1, "b")
        topic = self.rev(origin)
        git(origin, "checkout", "-q", "main")
        self.commits(origin, 1, "c")
        main = self.rev(origin)
        assert git(origin, "merge", "-q", "--no-ff", "-m", "first", topic).returncode == 0
        git(origin, "checkout", "-q", "topic")
        assert git(origin, "merge", "-q", "--no-ff", "-m", "second", main).returncode == 0
        job = Job("github", "pull_request", 7, "", self.rev(origin, "main"))
        with pytest.raises(UsageError, match="several last common commits"):
            fetch_base(Clone(origin, job), job)

    def test_an_older_common_commit_within_a_shallow_history_is_not_the_last(self, origin, tmp_path):
        old = self.rev(origin)
        self.commits(origin, 3)
        last = self.rev(origin)
        git(origin, "checkout", "-q", "-b", "topic")
        self.commits(origin, 60, "b")
        tree = self.rev(origin, "HEAD^{tree}")
        head = git(origin, "commit-tree", tree, "-p", "HEAD", "-p", old, "-m", "both").stdout.strip()
        git(origin, "update-ref", "refs/heads/topic", head)
        git(origin, "checkout", "-q", "main")
        self.commits(origin, 1)
        work = self.clone(origin, tmp_path, "refs/heads/topic")
        job = Job("github", "pull_request", 7, "", self.rev(origin, "main"))
        assert fetch_base(Clone(work, job), job) == last

    def test_a_submodule_is_not_the_repository(self, origin, tmp_path):
        own = repository(tmp_path / "own", {"a": "1"})
        added = git(own, "-c", "protocol.file.allow=always", "submodule", "add", "-q", origin.as_uri(), "server")
        assert added.returncode == 0, added.stderr
        assert Clone(own, Job())
        with pytest.raises(UsageError, match="The working directory is in a submodule"):
            Clone(own / "server", Job())
