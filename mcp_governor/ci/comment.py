"""The comment on a pull request: one for each server, written when something changed and kept up to date."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp_governor.ci.api import ApiError, PullRequest
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
    """The first line of our comment about a server; GitHub does not show it.

    Args:
        name: of the server or its folder; anything.
    """
    return f"<!-- mcp-governor {re.sub('[^A-Za-z0-9._/]+', '-', name)[:100].strip('-') or '.'} -->"


def fitted(text: str, limit: int, where: str, *, size: Any = len) -> str:
    """A Markdown document within a limit: cut between two lines, with whatever is open there closed.

    Args:
        text: the document.
        limit: its largest size.
        where: where the rest can be read.
        size: measures a string, in the unit of the limit.
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


def post_comment(job: Job, name: str, body: str, *, changed: bool) -> str:
    """Write the comment, or bring the one that is there up to date. Never fails the job.

    Args:
        job: names the pull request.
        name: of the server or its folder.
        body: the report as Markdown.
        changed: true if the pull request changes the surface; otherwise nothing new is written.

    Returns:
        A remark for the log; empty if all went well.
    """
    if not (job.of_pull_request and job.repository):
        return ""
    if not job.token:
        return "No comment was written: there is no token; see github-token."
    first = marker(name)
    new = fitted(f"{first}\n{body}", MAX_COMMENT, "see the summary of the job")
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


def _ours(pull: PullRequest, job: Job, first: str) -> tuple[int, str] | None:
    """Number and text of our comment. A comment with our marker from somebody else stays theirs."""
    login: str | None = None
    for comment in pull.comments():
        text, number, user = comment.get("body"), comment.get("id"), comment.get("user")
        if not (isinstance(text, str) and text.startswith(first) and isinstance(number, int)):
            continue
        author = user if isinstance(user, dict) else {}
        if job.token.startswith("ghs_") or author.get("type") == "Bot":
            if author.get("type") == "Bot":
                return number, text
            continue
        login = pull.login() if login is None else login
        if login and author.get("login") == login:
            return number, text
    return None
