"""The pull request of a job, on GitHub: its labels and comments."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from mcp_governor._version import __version__
from mcp_governor.ci.job import names_of_labels
from mcp_governor.files import MEBIBYTE
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
