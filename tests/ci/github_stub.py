"""GitHub on the loopback: labels and comments of one pull request, and a repository to clone from."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

WRITTEN = "2026-01-02T03:04:05Z"
"""When all comments are written."""


class GitHub:
    """The API of one pull request.

    Attributes:
        labels: names of the labels now.
        comments: as the API lists them.
        viewer: what the GraphQL API says of the token; empty for nothing.
        status: method and last word of the path → the status to answer with instead.
        asked: method, path and Authorization of each request.
    """

    def __init__(self) -> None:
        self.labels: list[str] = []
        self.comments: list[dict[str, Any]] = []
        self.viewer = ""
        self.status: dict[tuple[str, str], int] = {}
        self.asked: list[tuple[str, str, str]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: object) -> None:
                pass

            def _answer(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(length)) if length else {}
                outer.asked.append((self.command, self.path, self.headers.get("Authorization", "")))
                status, value = outer.reply(self.command, self.path, body)
                data = json.dumps(value).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_PATCH = _answer

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> GitHub:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def reply(self, method: str, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        """Status and value of a response."""
        parts = urlsplit(path)
        last = parts.path.rpartition("/")[2]
        key = (method, "comments" if method == "PATCH" else last)
        if key in self.status:
            return self.status[key], {"message": "::error::no\n<b>"}
        query = parse_qs(parts.query)
        size, page = int(query.get("per_page", ["30"])[0]), int(query.get("page", ["1"])[0])
        if last == "labels":
            return 200, [{"name": name} for name in self.labels][size * (page - 1) : size * page]
        if method == "GET" and last == "comments":
            return 200, self.comments[size * (page - 1) : size * page]
        if last == "graphql":
            return 200, {"data": {"viewer": {"login": self.viewer}}} if self.viewer else {"errors": [{}]}
        if method == "POST":
            self.add(body["body"])
            return 201, self.comments[-1]
        if method == "PATCH":
            (comment,) = [one for one in self.comments if str(one["id"]) == last]
            comment["body"] = body["body"]
            comment["updated_at"] = WRITTEN
            return 200, comment
        return 403, {"message": "Resource not accessible by integration"}

    def add(self, body: str, *, login: str = "github-actions[bot]", kind: str = "Bot") -> None:
        """A further comment."""
        number = len(self.comments) + 1
        self.comments.append(
            {"id": number, "body": body, "user": {"login": login, "type": kind}, "updated_at": WRITTEN}
        )
