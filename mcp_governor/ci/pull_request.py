"""The pull request of a job, on GitHub: its labels and comments, what they approve, and the comment of a check.

There is one comment for each server, written when something changed and kept up to date. The label counts for the
breaks that were shown when it was set.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor._version import __version__
from mcp_governor.ci.job import GITHUB, names_of_labels
from mcp_governor.files import MEBIBYTE
from mcp_governor.lazy import lazy_pattern
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.ci.job import Job


_SECONDS = 20.0
"""Timeout of one request, in seconds; GitHub answers or gives up within ten."""

_RETRY = 1.0
"""Pause before a request is made for the second and last time, in seconds."""

_MAX_BYTES = 16 * MEBIBYTE
"""Largest response in bytes: a page of 100 comments of 65,536 characters has up to 7 MB, four times that in Unicode."""

_PAGE, _MAX_PAGES = 100, 20
"""Items of a page, the most that GitHub gives, and pages that are read: 2,000 comments."""


class ApiError(Exception):
    """A request failed.

    Attributes:
        status: of the response; 0 if there was none.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status

    @property
    def forbidden(self) -> bool:
        """True if the token may not do this; GitHub answers 404 where it may not even see the thing."""
        return self.status in (401, 403, 404)


class PullRequest:
    """One pull request, seen through the API by a job that has the token; a request that fails is an ApiError."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._issues = f"/repos/{job.repository}/issues"

    def labels(self) -> tuple[str, ...]:
        """The names of its labels now."""
        return names_of_labels(list(self._listed("labels")))

    def comments(self) -> Iterator[dict[str, Any]]:
        """Its comments, oldest first."""
        yield from (item for item in self._listed("comments") if isinstance(item, dict))

    def login(self) -> str:
        """The user of the token, or the bot of its app; empty if GitHub does not say."""
        try:
            found = self._ask("GET", "/user")
        except ApiError:
            try:  # the REST API has no answer for an app
                found = self._ask("POST", self._job.graphql, {"query": "{viewer{login}}"})
                found = found["data"]["viewer"]
            except (ApiError, LookupError, TypeError):
                return ""
        return str(found.get("login") or "") if isinstance(found, dict) else ""

    def post(self, body: str) -> None:
        """Write a comment."""
        self._ask("POST", f"{self._issues}/{self._job.number}/comments", {"body": body})

    def rewrite(self, comment: int, body: str) -> None:
        """Replace the text of a comment."""
        self._ask("PATCH", f"{self._issues}/comments/{comment}", {"body": body})

    def _listed(self, what: str) -> Iterator[Any]:
        for page in range(1, _MAX_PAGES + 1):
            items = self._ask("GET", f"{self._issues}/{self._job.number}/{what}?per_page={_PAGE}&page={page}")
            if not isinstance(items, list):
                raise ApiError(0, "the response is not a list")
            yield from items
            if len(items) < _PAGE:
                return

    def _ask(self, method: str, path: str, body: dict[str, str] | None = None) -> Any:
        try:
            return self._once(method, path, body)
        except ApiError as error:
            # A comment may have been written although the response was lost: it is not posted twice.
            if method == "POST" or 0 < error.status < 500:
                raise
        time.sleep(_RETRY)
        return self._once(method, path, body)

    def _once(self, method: str, path: str, body: dict[str, str] | None) -> Any:
        import httpx2

        headers = {
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {self._job.token}",
            "User-Agent": f"mcp-governor/{__version__}",
            "X-GitHub-Api-Version": "2022-11-28",
        }
        address = f"{self._job.api}{path}" if path.startswith("/") else path
        data = bytearray()
        deadline = time.monotonic() + 2 * _SECONDS
        try:
            with (
                httpx2.Client(timeout=_SECONDS, follow_redirects=False) as client,
                client.stream(method, address, headers=headers, json=body) as answer,
            ):
                for piece in answer.iter_bytes():
                    data += piece
                    if len(data) > _MAX_BYTES or time.monotonic() > deadline:
                        raise ApiError(0, "the response is too large or too slow")
                status = answer.status_code
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise ApiError(0, f"{type(error).__name__}: {one_line(str(error))}") from None
        try:
            found = json.loads(bytes(data)) if data else None
        except (ValueError, RecursionError):
            found = None
        if not 200 <= status < 300:
            said = found.get("message") if isinstance(found, dict) else ""
            raise ApiError(status, f"{status} {one_line(str(said or ''), 200)}".strip())
        return found


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
