"""The comment on a pull request, one for each server, and the approval of breaks, which the comment remembers.

It is written when something changed and kept up to date. The label counts for the breaks that were shown when it was
set.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.ci.job import GITHUB
from mcp_governor.ci.pull_request import ApiError, PullRequest
from mcp_governor.lazy import lazy_pattern

if TYPE_CHECKING:
    from mcp_governor.ci.job import Job


MAX_COMMENT = 65_536
"""Characters of a comment; GitHub refuses a longer one."""

MAX_SUMMARY = 1_000_000
"""Bytes of a job summary; GitHub drops one above 1 MiB as a whole."""

_ROOM = 400
"""Characters that are kept free for what closes a document that was cut."""

_CUT = "\n\n*The rest is left out here: {where}.*\n"
_OPEN, _CLOSE = "<details>", "</details>"
_FENCE = lazy_pattern(r"`{3,}")


def marker(name: str) -> str:
    """The first line of our comment about a server or its folder; GitHub does not show it. Each name has another."""
    written = re.sub("[^A-Za-z0-9._/]+", "-", name)[:100].strip("-") or "."
    if written != name:
        # 64 bits: nobody can find a name that takes over the comment of another server.
        written = f"{written} {hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
    return f"<!-- mcp-governor {written} -->"


class Memory(Struct, frozen=True):
    """What our comment knows about the approval of breaks, in its second line; GitHub does not show it.

    Attributes:
        asked: keys (:func:`mcp_governor.checking.against.base_branch.approval_key`) of the breaks that it shows as not
            approved.
        approved: keys of those that somebody approved.
        commit: the head of the pull request that ``asked`` is about; empty if it is unknown.
        written: when it was last written, as GitHub says it (ISO 8601, UTC); it is not in the line.
    """

    asked: tuple[str, ...] = ()
    approved: tuple[str, ...] = ()
    commit: str = ""
    written: str = ""

    def line(self) -> str:
        """The line."""
        asked, approved = ",".join(self.asked), ",".join(self.approved)
        return f"<!-- mcp-governor approval commit={self.commit} asked={asked} approved={approved} -->"


NOTHING = Memory()

MAX_KEYS = 500
"""Keys of each kind in a comment: 14 kB of its 65. Where more breaks wait, one key stands for all of them."""

KEY = lazy_pattern("[a-z2-7]{26}")
"""What :func:`mcp_governor.checking.against.base_branch.approval_key` makes."""

_MEMORY = lazy_pattern(r"<!-- mcp-governor approval commit=([0-9a-f]*) asked=([a-z2-7,]*) approved=([a-z2-7,]*) -->\r?")


def remembered(job: Job, name: str) -> Memory | None:
    """What our comment about a server knows; ``None`` if we wrote none. An ApiError says that it cannot be read."""
    found = _ours(PullRequest(job), job, marker(name))
    if found is None:
        return None
    _, text, written = found
    rows = text.split("\n", 2)
    line = _MEMORY.fullmatch(rows[1]) if len(rows) > 1 else None
    if line is None:
        return NOTHING
    asked, approved = (tuple(filter(KEY.fullmatch, part.split(",")[:MAX_KEYS])) for part in line.groups()[1:])
    return Memory(asked, approved, line[1], written)


def fitted(text: str, limit: int, where: str, *, size: Any = len) -> str:
    """A Markdown document within a limit: cut between two lines, with whatever is open there closed.

    ``where`` says where the rest can be read; ``size`` measures a string, in the unit of the limit.
    """
    if size(text) <= limit:
        return text
    kept: list[str] = []
    used, fence, folded = 0, "", 0
    for row in text.split("\n"):
        used += size(row) + 1
        if used > limit - _ROOM:
            break
        kept.append(row)
        if found := _FENCE.match(row):
            fence = "" if fence and row == fence else fence or found.group()
        elif not fence:
            folded += row.startswith(_OPEN) - (row == _CLOSE)
    ends = [fence] * bool(fence) + ["", _CLOSE] * folded
    return "\n".join([*kept, *ends]) + _CUT.format(where=where)


def post_comment(job: Job, name: str, body: str, *, changed: bool, memory: Memory = NOTHING) -> str:
    """Write the comment, or bring the one that is there up to date. Never fails the job.

    Nothing new is written if the pull request has not ``changed`` the surface. What comes back is a remark for the log,
    empty if all went well.
    """
    if not (job.of_pull_request and job.repository):
        return ""
    if not job.token:
        return "No comment was written: there is no token; see github-token."
    first = marker(name)
    # The line is always there, so that no report can take its place.
    new = fitted(f"{first}\n{memory.line()}\n{body}", MAX_COMMENT, "see the summary of the job")
    pull = PullRequest(job)
    try:
        ours = _ours(pull, job, first)
        if ours is None:
            if changed:
                pull.post(new)
        elif ours[1].replace("\r\n", "\n").strip() != new.strip():
            pull.rewrite(ours[0], new)
    except ApiError as error:
        if error.forbidden:
            why = "a pull request from a fork has a token that cannot write" if job.fork else "the token cannot write"
            return f"No comment was written: {why} ({error}); the report is in the summary of the job."
        return f"No comment was written: GitHub did not take it ({error}); the report is in the summary of the job."
    return ""


def _ours(pull: PullRequest, job: Job, first: str) -> tuple[int, str, str] | None:
    """Number and text of our comment, and when it was written.

    A comment with our marker from anybody else, other bots too, stays theirs: it could say that a break is approved.
    """
    logins = {_JOB} if job.token.startswith("ghs_") else set()
    asked = False
    for comment in pull.comments():
        text, number, user = comment.get("body"), comment.get("id"), comment.get("user")
        if not (
            isinstance(text, str) and text.startswith(first) and isinstance(number, int) and isinstance(user, dict)
        ):
            continue
        if user.get("login") not in logins and not asked:
            # The token belongs to a user, or to another app than that of the jobs.
            asked, login = True, pull.login()
            logins |= {login, f"{login}[bot]"} if login else set()
        if user.get("login") in logins:
            return number, text, str(comment.get("updated_at") or "")
    return None


_JOB = "github-actions[bot]"
"""Who writes with the token of a job."""


class Approval(Struct, frozen=True):
    """What is approved before the check has run.

    Attributes:
        everything: the label was set for what this run is about to show.
        keys: of the breaks that are approved besides (:func:`mcp_governor.checking.against.base_branch.approval_key`).
        labelled: the pull request has the label.
        remark: what could not be found out, for the log; empty if all is known.
    """

    everything: bool = False
    keys: tuple[str, ...] = ()
    labelled: bool = False
    remark: str = ""


def find_approval(job: Job, label: str, name: str) -> Approval:
    """Find out what the labels of a pull request approve.

    The label approves what our comment shows as not approved when it is set, about the commit of this run. Without a
    comment it approves what this run shows, if it was set after the push that the run is about.
    ``LABEL:KEY`` approves exactly the breaks that have this key, whenever it was set.
    """
    labels, live, remark = _labels(job)
    prefix = f"{label}:"
    keys = tuple(one.removeprefix(prefix) for one in labels if one.startswith(prefix))
    keys = tuple(key for key in keys if KEY.fullmatch(key))
    labelled = label in labels
    if not labelled:
        lost = job.rerun and not live and label in job.labels
        text = f'The label "{label}" does not count when a job is run again: it may have been removed, and {remark}.'
        return Approval(keys=keys, remark=text if lost else "")
    if job.system != GITHUB:
        text = f'The label "{label}" does not say which breaks it approves: use the one that the report names.'
        return Approval(keys=keys, labelled=True, remark=text)
    memory: Memory | None = None
    if live:
        try:
            memory = remembered(job, name)
        except ApiError as error:
            # The comment may show less than this run does: nothing is approved unseen.
            return Approval(
                keys=keys, labelled=True, remark=f"The comment with what is approved cannot be read ({error})."
            )
    set_now = job.action == "labeled" and job.label in (label, "")
    if memory is not None:
        # What the comment shows now may be of a later push, and what it showed after the label was set nobody saw.
        shown = set_now and not job.rerun and memory.commit == job.head and "" < memory.written <= job.happened
        return Approval(keys=(*keys, *memory.approved, *(memory.asked if shown else ())), labelled=True)
    # The event has the labels of the push: one that is there now and was not there then was set after it. And a pull
    # request gets into the queue with a check that passed.
    everything = set_now or job.in_queue or (live and label not in job.labels)
    return Approval(everything, keys, True, "" if live else f"The labels of the event count: {remark}.")


def _labels(job: Job) -> tuple[tuple[str, ...], bool, str]:
    """The labels; if they are those of now, and otherwise why not. An old event approves nothing."""
    of_event = () if job.rerun else job.labels
    if job.system != GITHUB or not (job.token and job.repository):
        return of_event, False, "there is no token to read the labels"
    try:
        return PullRequest(job).labels(), True, ""
    except ApiError as error:
        why = f"the labels cannot be read ({error}); the job needs the permission pull-requests: read"
        return of_event, False, why
