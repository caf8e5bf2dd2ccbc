"""Fetches the history that a check needs into a shallow clone: the base of a pull request, and the last release."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from mcp_governor.errors import UsageError
from mcp_governor.lazy import lazy_pattern
from mcp_governor.target.git import is_cut_off, is_shallow, shared_commits
from mcp_governor.target.git_door import ask_git, ask_remote, name_commit
from mcp_governor.target.git_releases import version_of_tag

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mcp_governor.ci.job import Job

_DEPTHS = (50, 500, 5_000)
"""Commits to which the history of HEAD is deepened, one after the other, until it has what is missing."""

_MAX_TAGS = 100
"""Most release tags that are fetched, the highest versions first; a check needs one, or a few."""

BASE = "refs/remotes/origin/"
"""Under this prefix the base is kept, so that reports name it as people do: ``origin/main``."""


class Clone:
    """The clone in which the job runs; the job has the token for fetching, if the checkout left none behind.

    Raises:
        UsageError: the folder is in a submodule.
    """

    def __init__(self, root: Path, job: Job) -> None:
        self.root = root
        self._job = job
        self.problem = ""
        if self.text("rev-parse", "--show-superproject-working-tree"):
            # A pull request can make one of any folder, with an origin, a history and a base of its author.
            raise UsageError(
                "The working directory is in a submodule, whose history is not that of the pull request.",
                "Run mcp-governor ci in the repository itself.",
            )

    def text(self, *arguments: str) -> str:
        """The output of git as text; empty if it fails."""
        answer = ask_git(self.root, *arguments)
        return answer.out.decode(errors="replace").strip() if answer.code == 0 else ""

    def is_shallow(self) -> bool:
        """True if the history was cut off when the repository was cloned."""
        return is_shallow(self.root)

    def fetch(self, *refs: str, depth: int = 0) -> bool:
        """Fetch commits or refs from ``origin``; false if that fails, and then ``problem`` says why."""
        options = ("--no-tags", "--no-recurse-submodules", "--quiet", *([f"--depth={depth}"] if depth else []))
        return self.remote("fetch", options, refs) is not None

    def remote(self, command: str, options: Sequence[str], refs: Sequence[str]) -> list[str] | None:
        """The lines of a command that asks ``origin``; ``None`` if it fails."""
        address = self.text("config", "--get", "remote.origin.url")
        if not _ADDRESS.match(address):
            self.problem = "the remote origin has no https address"
            return None
        answer = ask_remote(self.root, command, *options, "origin", *refs, header=self._header(address))
        self.problem = answer.problem or f"git {command} failed"
        return answer.lines if answer.code == 0 else None

    def _header(self, address: str) -> tuple[str, str] | None:
        """The header with the token, if ``origin`` is GitHub: no other host gets it. A checkout may have left its own
        token in the configuration; git would send both, and be refused."""
        web, origin = urlsplit(self._job.web), urlsplit(address)
        if not self._job.token or web.scheme != "https" or (origin.scheme, origin.netloc) != (web.scheme, web.netloc):
            return None
        site = f"{web.scheme}://{web.netloc}"
        if self.text("config", "--get-all", f"http.{site}/.extraheader"):
            return None
        token = base64.b64encode(f"x-access-token:{self._job.token}".encode()).decode()
        return site, f"AUTHORIZATION: basic {token}"


_ADDRESS = lazy_pattern(r"(https?|file)://|/|[A-Za-z]:[\\/]")
"""Addresses that git fetches without a program of its own: not ssh, git, or another command."""


def fetch_base(clone: Clone, job: Job) -> str:
    """Make sure that the clone has the base of a pull request, and return its ref or commit; empty without one.

    It is what the pull request is merged into: the first parent of the merge that GitHub checks out, or the last
    commit that both branches have."""
    if not job.base_commit:
        if job.of_pull_request:
            raise UsageError("The base of the pull request is unknown.", "Run mcp-governor ci on: pull_request.")
        return ""
    merged_into = _merged_into(clone, job)
    commit = merged_into or job.base_commit
    has = ask_git(clone.root, "cat-file", "-e", f"{commit}^{{commit}}").code == 0
    if not has and not clone.fetch(commit, depth=1):
        raise _not_fetched(clone, job)
    if not merged_into and not job.is_base:
        commit = _merge_base(clone, commit)
        if not commit:
            raise _not_fetched(clone, job)
    name = f"{BASE}{job.base_branch}"
    return name if job.base_branch and name_commit(clone.root, name, commit) else commit


def _not_fetched(clone: Clone, job: Job) -> UsageError:
    where = f" ({clone.problem})" if clone.problem else ""
    return UsageError(
        f"The base commit {job.base_commit[:12]} cannot be fetched{where}.",
        "Check out the whole history: with: fetch-depth: 0 of actions/checkout, or GIT_DEPTH: 0 on GitLab.",
    )


def _merged_into(clone: Clone, job: Job) -> str:
    """The first parent of HEAD, if HEAD is the merge that GitHub made for the pull request; empty if it is not.

    A merge that somebody pushed to the branch ("Update branch") has the pull request itself as its first parent.
    """
    if not job.on_merge:
        return ""
    # As the commit states them: git itself hides parents that a shallow clone lacks.
    head = clone.text("cat-file", "commit", "HEAD").partition("\n\n")[0]
    parents = re.findall(r"^parent ([0-9a-f]{40,64})$", head, re.M)
    made = len(parents) == 2 and (clone.text("rev-parse", "HEAD") == job.commit or parents[0] == job.base_commit)
    return parents[0] if made else ""


def _merge_base(clone: Clone, base: str) -> str:
    head = clone.text("rev-parse", "HEAD")
    for depth in (0, *_DEPTHS):
        if depth and not (clone.is_shallow() and clone.fetch(base, head, depth=depth)):
            return ""
        found = shared_commits(clone.root, base, head)
        if len(found) > 1:
            raise UsageError(
                "The pull request and its base branch have several last common commits, so it is unknown what is new.",
                "Merge the base branch into the pull request, or check out the merge that GitHub makes, as "
                "actions/checkout does by default.",
            )
        if found and not is_cut_off(clone.root, base, head, without=found[0]):
            return found[0]
    clone.problem = f"the branches have no common commit within {_DEPTHS[-1]:,} commits"
    return ""


def fetch_release(clone: Clone) -> str:
    """Make sure that a shallow clone has the release tags before HEAD, and the history up to the nearest of them.

    Returns:
        What could not be had and what to do, as one sentence; empty if nothing is missing.
    """
    if not clone.is_shallow():
        return ""
    tags = _release_tags(clone)
    head = clone.text("rev-parse", "HEAD")
    for depth in (0, *_DEPTHS):
        if depth and not clone.fetch(head, depth=depth):
            return _incomplete(clone.problem)
        commits = set(clone.text("rev-list", f"--max-count={_DEPTHS[-1]}", "HEAD").split())
        reached = [tag for tag, commit in tags if commit in commits][:_MAX_TAGS]
        if reached:
            fetched = clone.fetch(*(f"+refs/tags/{tag}:refs/tags/{tag}" for tag in reached))
            return "" if fetched else _incomplete(clone.problem)
        if not clone.is_shallow():
            return ""
    return _incomplete(f"no release tag within {_DEPTHS[-1]:,} commits") if tags else ""


def _incomplete(problem: str) -> str:
    return f"The last release could not be fetched into this shallow clone ({problem}); check out with fetch-depth: 0."


_SAFE_TAG = lazy_pattern(r"[\w][\w./+@-]{0,199}", re.A)


def _release_tags(clone: Clone) -> list[tuple[str, str]]:
    """Release tags of ``origin`` and their commits, highest versions first."""
    commits: dict[str, str] = {}
    for row in clone.remote("ls-remote", ("--tags",), ()) or ():
        commit, _, name = row.partition("\t")
        # The commit of an annotated tag is in a second row, which ends in ^{}.
        tag = name.removeprefix("refs/tags/").removesuffix("^{}")
        if _SAFE_TAG.fullmatch(tag) and (name.endswith("^{}") or tag not in commits):
            commits[tag] = commit
    versions = {tag: version for tag in commits if (version := version_of_tag(tag)) is not None}
    return [(tag, commits[tag]) for tag in sorted(versions, key=lambda tag: versions[tag], reverse=True)]
