"""Fetches the history that a check needs into a shallow clone: the base of a pull request, and the last release."""

from __future__ import annotations

import base64
import os
import re
import subprocess
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from mcp_governor.errors import MissingDependencyError, UsageError
from mcp_governor.files import MEBIBYTE
from mcp_governor.lazy import lazy_pattern
from mcp_governor.programs import find_program
from mcp_governor.target.tag_names import version_of_tag
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mcp_governor.ci.job import Job

_SECONDS = 120.0
"""Timeout of one fetch, in seconds: 5,000 commits of a large repository take about a minute."""

_DEPTHS = (50, 500, 5_000)
"""Commits to which the history of HEAD is deepened, one after the other, until it has what is missing."""

_MAX_OUTPUT = 8 * MEBIBYTE
"""Most output of git that is read, in bytes: 50,000 tags with their commits."""

_MAX_TAGS = 100
"""Most release tags that are fetched, the highest versions first; a check needs one, or a few."""

BASE = "refs/remotes/origin/"
"""Under this prefix the base is kept, so that reports name it as people do: ``origin/main``."""

_SETTINGS = (
    *("core.hooksPath", os.devnull),
    *("core.fsmonitor", "false"),
    *("gc.auto", "0"),
    *("maintenance.auto", "false"),
    *("fetch.recurseSubmodules", "false"),
    *("protocol.ext.allow", "never"),
)


class Clone:
    """The clone in which the job runs.

    Args:
        root: a folder of the work tree.
        job: has the token for fetching, if the checkout left none behind.
    """

    def __init__(self, root: Path, job: Job) -> None:
        program = find_program("git")
        if program is None:
            raise MissingDependencyError("git is not installed.", "Install git in the image of the job.")
        self._program = program
        self._root = root
        self._job = job
        self.problem = ""

    def run(self, *arguments: str) -> bytes | None:
        """Run git; ``None`` if it fails, and then ``problem`` says why."""
        pairs = zip(_SETTINGS[::2], _SETTINGS[1::2], strict=True)
        settings = [word for key, value in pairs for word in ("-c", f"{key}={value}")]
        try:
            done = subprocess.run(
                (self._program, "-C", str(self._root), *settings, *arguments),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_SECONDS,
                env=self._environment(),
                check=False,
            )
        except subprocess.TimeoutExpired:
            self.problem = f"git {arguments[0]} took longer than {_SECONDS:.0f} s"
            return None
        if done.returncode != 0:
            lines = done.stderr[-4096:].decode(errors="replace").strip().splitlines()
            self.problem = one_line(lines[-1] if lines else f"git {arguments[0]} failed", 300)
            return None
        return done.stdout[:_MAX_OUTPUT]

    def text(self, *arguments: str) -> str:
        """The output of git as text; empty if it fails."""
        return (self.run(*arguments) or b"").decode(errors="replace").strip()

    def has(self, commit: str) -> bool:
        """True if the clone has a commit."""
        return self.run("cat-file", "-e", f"{commit}^{{commit}}") is not None

    def is_shallow(self) -> bool:
        """True if the history was cut off when the repository was cloned."""
        return self.text("rev-parse", "--is-shallow-repository") == "true"

    def fetch(self, *arguments: str) -> bool:
        """Fetch from ``origin``; false if that fails."""
        options = ("--no-tags", "--no-recurse-submodules", "--quiet")
        return self.run("fetch", *options, *arguments) is not None

    def _environment(self) -> dict[str, str]:
        """The environment of git. The token is in it and not on the command line, which other processes can read."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_TRACE")}
        made = {**kept, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
        address = self._address() if self._job.token else ""
        if address and not self._signed_in(address):
            token = base64.b64encode(f"x-access-token:{self._job.token}".encode()).decode()
            made["GIT_CONFIG_COUNT"] = "1"
            made["GIT_CONFIG_KEY_0"] = f"http.{address}/.extraheader"
            made["GIT_CONFIG_VALUE_0"] = f"AUTHORIZATION: basic {token}"
        return made

    def _address(self) -> str:
        """The address of GitHub, if ``origin`` is there: no other host gets the token."""
        web = urlsplit(self._job.web)
        origin = urlsplit(self._plain("config", "--get", "remote.origin.url"))
        alike = web.scheme == "https" and (origin.scheme, origin.netloc) == (web.scheme, web.netloc)
        return f"{web.scheme}://{web.netloc}" if alike else ""

    def _signed_in(self, address: str) -> bool:
        """True if the checkout left its own token in the configuration; git would send both, and be refused."""
        return bool(self._plain("config", "--get-all", f"http.{address}/.extraheader"))

    def _plain(self, *arguments: str) -> str:
        command = (self._program, "-C", str(self._root), *arguments)
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=False)
        return done.stdout.decode(errors="replace").strip()


def fetch_base(clone: Clone, job: Job) -> str:
    """Make sure that the clone has the base of a pull request.

    It is what the pull request is merged into: the first parent of the merge that GitHub checks out, or the last
    commit that both branches have.

    Returns:
        A ref or the id of a commit; empty if the job is not about a pull request.

    Raises:
        UsageError: it cannot be fetched.
    """
    if not job.base_commit:
        if job.of_pull_request:
            raise UsageError("The base of the pull request is unknown.", "Run mcp-governor ci on: pull_request.")
        return ""
    parents = _parents(clone) if job.on_merge else []
    commit = parents[0] if len(parents) == 2 else job.base_commit
    if not clone.has(commit) and not clone.fetch("--depth=1", "origin", commit):
        raise _not_fetched(clone, job)
    if len(parents) != 2 and not job.is_base:
        commit = _merge_base(clone, commit)
        if not commit:
            raise _not_fetched(clone, job)
    name = f"{BASE}{job.base_branch}"
    if job.base_branch and clone.run("update-ref", name, commit) is not None:
        return name
    return commit


def _not_fetched(clone: Clone, job: Job) -> UsageError:
    where = f" ({clone.problem})" if clone.problem else ""
    return UsageError(
        f"The base commit {job.base_commit[:12]} cannot be fetched{where}.",
        "Check out the whole history: with: fetch-depth: 0 of actions/checkout, or GIT_DEPTH: 0 on GitLab.",
    )


def _parents(clone: Clone) -> list[str]:
    """The parents of HEAD as the commit states them: git itself hides those that a shallow clone lacks."""
    head = clone.text("cat-file", "commit", "HEAD").partition("\n\n")[0]
    return re.findall(r"^parent ([0-9a-f]{40,64})$", head, re.M)


def _merge_base(clone: Clone, base: str) -> str:
    head = clone.text("rev-parse", "HEAD")
    for depth in (0, *_DEPTHS):
        if depth and not (clone.is_shallow() and clone.fetch(f"--depth={depth}", "origin", base, head)):
            return ""
        found = clone.text("merge-base", base, head)
        if found:
            return found
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
        if depth and not clone.fetch(f"--depth={depth}", "origin", head):
            return _incomplete(clone.problem)
        commits = set(clone.text("rev-list", f"--max-count={_DEPTHS[-1]}", "HEAD").split())
        reached = [tag for tag, commit in tags if commit in commits][:_MAX_TAGS]
        if reached:
            fetched = clone.fetch("origin", *(f"+refs/tags/{tag}:refs/tags/{tag}" for tag in reached))
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
    for row in clone.text("ls-remote", "--tags", "origin").splitlines():
        commit, _, name = row.partition("\t")
        # The commit of an annotated tag is in a second row, which ends in ^{}.
        tag = name.removeprefix("refs/tags/").removesuffix("^{}")
        if _SAFE_TAG.fullmatch(tag) and (name.endswith("^{}") or tag not in commits):
            commits[tag] = commit
    versions = {tag: version for tag in commits if (version := version_of_tag(tag)) is not None}
    ordered: Sequence[str] = sorted(versions, key=lambda tag: versions[tag], reverse=True)
    return [(tag, commits[tag]) for tag in ordered]
