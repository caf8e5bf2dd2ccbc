"""The job that this process is part of, as the CI system describes it in variables and in the payload of its event."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.errors import UsageError
from mcp_governor.files import MEBIBYTE, read_bytes
from mcp_governor.lazy import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping

GITHUB, GITLAB = "github", "gitlab"

TOKEN = "MCP_GOVERNOR_GITHUB_TOKEN"  # noqa: S105  (the name of the variable)
"""The variable with the token for GitHub. It has a name of its own so that it can be kept from the server, which may
need a GITHUB_TOKEN."""

_MAX_PAYLOAD = 32 * MEBIBYTE
"""Largest payload of an event in bytes; GitHub drops events above 25 MB."""

_COMMIT = lazy_pattern(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REPOSITORY = lazy_pattern(r"[\w.-]{1,100}/[\w.-]{1,100}", re.A)
_MOMENT = lazy_pattern(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_QUEUED = lazy_pattern(r"^refs/heads/gh-readonly-queue/.+/pr-([1-9]\d{0,17})-[0-9a-f]{40}", re.DOTALL)
"""The branch that GitHub makes for a pull request whose turn it is in the merge queue."""
_BRANCH = lazy_pattern(r"[^\0-\x20\x7f~^:?*\[\\]{1,250}")


class Job(Struct, frozen=True):
    """What the CI system says.

    Attributes:
        system: :data:`GITHUB`, :data:`GITLAB`, or empty outside of CI.
        event: ``pull_request``, ``push``, ``merge_group`` and the like; a merge request counts as ``pull_request``.
        number: of the pull request, in the merge queue of the one whose turn it is; 0 without one.
        base_branch: its base branch; empty without one.
        base_commit: a commit of the base branch; empty if it is unknown.
        commit: the commit that the event is about; with ``on_merge`` the merge that GitHub made.
        on_merge: the event is about the merge of the pull request into its base, whose first parent is the base.
        is_base: ``base_commit`` is exactly what the work tree has to be compared with.
        labels: of the pull request, when the event occurred.
        action: what happened to the pull request, such as ``labeled``.
        label: the label that the action is about; empty if it is about none.
        head: the last commit of the pull request when the event occurred.
        happened: when that was (ISO 8601, UTC); empty if it is unknown.
        rerun: the job was started again, so that ``labels`` may be out of date.
        fork: the pull request comes from another repository, whose token cannot write.
        repository: ``OWNER/NAME``; empty if it is unknown.
        api: address of the API, without a slash at the end.
        graphql: address of the GraphQL API.
        web: address of the website.
        token: for the API; empty if there is none.
        summary, output: files for the summary and the outputs of the step; ``None`` outside of GitHub.
    """

    system: str = ""
    event: str = ""
    number: int = 0
    base_branch: str = ""
    base_commit: str = ""
    commit: str = ""
    on_merge: bool = False
    is_base: bool = False
    labels: tuple[str, ...] = ()
    action: str = ""
    label: str = ""
    head: str = ""
    happened: str = ""
    rerun: bool = False
    fork: bool = False
    repository: str = ""
    api: str = ""
    graphql: str = ""
    web: str = ""
    token: str = ""
    summary: Path | None = None
    output: Path | None = None

    @property
    def of_pull_request(self) -> bool:
        """True for a pull request or a merge request."""
        return self.event == "pull_request" and self.number > 0

    @property
    def in_queue(self) -> bool:
        """True in the merge queue of GitHub."""
        return self.event == "merge_group" and self.number > 0


def read_job(environ: Mapping[str, str]) -> Job:
    """The job that the environment describes; ``pull_request_target`` is refused."""
    if environ.get("GITHUB_ACTIONS") == "true":
        return _github(environ)
    if environ.get("GITLAB_CI"):
        return _gitlab(environ)
    return Job()


def _github(environ: Mapping[str, str]) -> Job:
    event = environ.get("GITHUB_EVENT_NAME", "")
    if event == "pull_request_target":
        raise UsageError(
            "mcp-governor does not run on pull_request_target: its job has a token that can write and the secrets of "
            "the repository, and the server of the pull request would run with them.",
            "Trigger the workflow on: pull_request.",
        )
    payload = _payload(environ.get("GITHUB_EVENT_PATH", "")) if event in ("pull_request", "merge_group") else {}
    pull, queue = _table(payload.get("pull_request")), _table(payload.get("merge_group"))
    base = _table(pull.get("base"))
    head_repository = _table(_table(pull.get("head")).get("repo")).get("full_name")
    repository = environ.get("GITHUB_REPOSITORY", "")
    queued = _QUEUED.search(str(queue.get("head_ref") or ""))
    number = int(queued[1]) if queued else pull.get("number")
    branch = base.get("ref") or str(queue.get("base_ref") or "").removeprefix("refs/heads/")
    return Job(
        system=GITHUB,
        event=event,
        number=number if isinstance(number, int) and not isinstance(number, bool) and number > 0 else 0,
        base_branch=_matching(_BRANCH, branch),
        base_commit=_matching(_COMMIT, base.get("sha") or queue.get("base_sha")),
        commit=_matching(_COMMIT, environ.get("GITHUB_SHA")),
        on_merge=event == "pull_request" and environ.get("GITHUB_REF", "").endswith("/merge"),
        is_base=event == "merge_group",
        labels=names_of_labels(pull.get("labels")),
        action=str(payload.get("action") or ""),
        label=str(_table(payload.get("label")).get("name") or ""),
        head=_matching(_COMMIT, _table(pull.get("head")).get("sha")),
        happened=_matching(_MOMENT, pull.get("updated_at")),
        rerun=environ.get("GITHUB_RUN_ATTEMPT", "1") != "1",
        fork=bool(pull) and head_repository != repository,
        repository=_matching(_REPOSITORY, repository),
        api=(environ.get("GITHUB_API_URL") or "https://api.github.com").rstrip("/"),
        graphql=environ.get("GITHUB_GRAPHQL_URL") or "https://api.github.com/graphql",
        web=(environ.get("GITHUB_SERVER_URL") or "https://github.com").rstrip("/"),
        token=environ.get(TOKEN, ""),
        summary=_path(environ.get("GITHUB_STEP_SUMMARY")),
        output=_path(environ.get("GITHUB_OUTPUT")),
    )


def _gitlab(environ: Mapping[str, str]) -> Job:
    number = environ.get("CI_MERGE_REQUEST_IID", "")
    if not number.isdecimal():
        return Job(system=GITLAB, event="push")
    merged = environ.get("CI_MERGE_REQUEST_EVENT_TYPE") in ("merged_result", "merge_train")
    base = environ.get("CI_MERGE_REQUEST_TARGET_BRANCH_SHA" if merged else "CI_MERGE_REQUEST_DIFF_BASE_SHA", "")
    return Job(
        system=GITLAB,
        event="pull_request",
        number=int(number[:18]),
        base_branch=_matching(_BRANCH, environ.get("CI_MERGE_REQUEST_TARGET_BRANCH_NAME")),
        base_commit=_matching(_COMMIT, base),
        is_base=bool(base),
        labels=tuple(label for label in environ.get("CI_MERGE_REQUEST_LABELS", "").split(",") if label),
        fork=environ.get("CI_MERGE_REQUEST_SOURCE_PROJECT_ID") != environ.get("CI_MERGE_REQUEST_PROJECT_ID"),
    )


def _payload(path: str) -> dict[str, Any]:
    try:
        if not path:
            raise OSError(None, "GITHUB_EVENT_PATH is not set")
        found = json.loads(read_bytes(path, limit=_MAX_PAYLOAD))
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or "it is not JSON"
        raise UsageError(
            f"The payload of the event cannot be read: {reason}.",
            "Run mcp-governor ci as a step of a workflow.",
        ) from None
    return _table(found)


def _table(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def names_of_labels(labels: object) -> tuple[str, ...]:
    """The names in a list of labels as GitHub writes it; whatever is not a label is left out."""
    listed = labels if isinstance(labels, list) else []
    names = (_table(label).get("name") for label in listed)
    return tuple(name for name in names if isinstance(name, str))


def _matching(pattern: re.Pattern[str], value: object) -> str:
    return value if isinstance(value, str) and pattern.fullmatch(value) else ""


def _path(value: str | None) -> Path | None:
    return Path(value) if value else None
