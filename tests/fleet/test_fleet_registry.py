"""The servers of a registry: its published form, and the registries of strangers."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from replacing import replace

from mcp_governor.config import Config
from mcp_governor.errors import ServerError
from mcp_governor.fleet import registry
from mcp_governor.fleet.members import members_of
from mcp_governor.fleet.registry import registry_members
from mcp_governor.fleet.run import Wanted, run_fleet

OFFICIAL = "io.modelcontextprotocol.registry/official"


def entry(name: str, *, latest: bool = True, status: str = "active", **server: Any) -> dict[str, Any]:
    """An entry as the API of the registry describes it (openapi.yaml, ServerResponse)."""
    return {
        "server": {"name": name, "description": "An example.", "version": "1.0.2", **server},
        "_meta": {OFFICIAL: {"status": status, "publishedAt": "2023-12-01T10:30:00Z", "isLatest": latest}},
    }


NPM = {
    "registryType": "npm",
    "identifier": "@modelcontextprotocol/server-brave-search",
    "version": "1.0.2",
    "transport": {"type": "stdio"},
}


@pytest.fixture
def stub() -> Iterator[Callable[[Callable[[dict[str, list[str]]], Any]], str]]:
    """A registry: give it a function from the query to a page, bytes or a status; returns its address."""
    servers = []

    def start(page: Callable[[dict[str, list[str]]], Any]) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                parts = urlsplit(self.path)
                found = page(parse_qs(parts.query)) if parts.path == "/v0.1/servers" else 404
                data = found if isinstance(found, bytes) else json.dumps(found).encode()
                self.send_response(found if isinstance(found, int) else 200)
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None: ...

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def test_pages_are_read_to_the_end_and_the_latest_version_counts(stub) -> None:
    remote = {"type": "streamable-http", "url": "https://mcp.example.com/mcp"}
    pages = {
        "": {
            "servers": [
                entry("io.example/old", latest=False, remotes=[remote]),
                entry("io.example/remote", remotes=[{"type": "sse", "url": "https://{tenant}.example.com"}, remote]),
                entry("io.example/sse", remotes=[{"type": "sse", "url": "https://mcp.example.com/sse"}]),
            ],
            "metadata": {"nextCursor": "io.example/sse:1.0.2", "count": 3},
        },
        "io.example/sse:1.0.2": {
            "servers": [
                entry("io.example/gone", status="deleted", remotes=[remote]),
                entry("io.example/npm", packages=[NPM]),
                entry("io.example/oci", packages=[{"registryType": "oci", "identifier": "docker.io/x:1"}]),
                entry("io.example/evil", packages=[{"registryType": "npm", "identifier": "../x", "version": "1"}]),
                entry("io.example/nothing"),
                "no entry",
                {"server": {"name": 3}},
            ],
            "metadata": {"count": 5},
        },
    }
    asked: list[dict[str, list[str]]] = []

    def page(query: dict[str, list[str]]) -> Any:
        asked.append(query)
        return pages[query.get("cursor", [""])[0]]

    shown, found = registry_members(f"{stub(page)}/?search=example", packages=True)
    assert shown.startswith("http://127.0.0.1:")
    assert [query["search"] for query in asked] == [["example"], ["example"]]
    assert asked[0]["version"] == ["latest"]
    assert {member.name: member.target or member.refused for member in found} == {
        "io.example/remote": "https://mcp.example.com/mcp",
        "io.example/sse": "sse+https://mcp.example.com/sse",
        "io.example/npm": "npm:@modelcontextprotocol/server-brave-search@1.0.2",
        "io.example/oci": "it is a package of oci",
        "io.example/evil": "it is a package of npm",
        "io.example/nothing": "the registry has neither an address without variables nor a package",
    }


def test_packages_of_strangers_are_not_started_unless_asked(stub) -> None:
    (member,) = registry_members(stub(lambda _: {"servers": [entry("a", packages=[NPM])]}), packages=False)[1]
    assert member.target == ""
    assert "only started with --packages" in member.refused


@pytest.mark.parametrize(
    ("page", "error"),
    [
        (lambda query: {"servers": [entry("a")], "metadata": {"nextCursor": "again"}}, "a cursor came twice"),
        (
            lambda query: {"servers": [], "metadata": {"nextCursor": query.get("cursor", ["x"])[0] + "x"}},
            "20 pages in a row listed nothing new",
        ),
        (
            lambda query: {
                "servers": [entry(query.get("cursor", ["x"])[0], latest=False)],
                "metadata": {"nextCursor": query.get("cursor", ["x"])[0] + "x"},
            },
            "more than 30 pages",
        ),
        (lambda query: {"servers": [], "metadata": {"nextCursor": 7}}, "or is not a string"),
        (lambda query: {"servers": {"a": 1}}, 'a list of "servers"'),
        (lambda query: [], 'a list of "servers"'),
        (lambda query: b"<html>", "did not answer with JSON"),
        (lambda query: b"[" * 100_000, "did not answer with JSON"),
        (lambda query: 500, "answered with status 500"),
        (lambda query: 302, "answered with status 302"),
        (lambda query: b"x" * 300_000, "is larger than"),
        (lambda query: {"servers": [entry(str(n)) for n in range(9)]}, "lists more than 5 servers"),
    ],
)
def test_a_registry_that_misbehaves_gets_one_sentence(stub, monkeypatch, page, error: str) -> None:
    monkeypatch.setattr(registry, "MAX_PAGES", 30)
    monkeypatch.setattr(registry, "MAX_PAGE_BYTES", 200_000)
    monkeypatch.setattr(registry, "MAX_MEMBERS", 5)
    with pytest.raises(ServerError) as caught:
        registry_members(stub(page), packages=False)
    assert error in caught.value.message
    assert caught.value.exit_code == 3


@pytest.mark.parametrize(
    ("url", "reached"),
    [
        ("https://mcp.example.com/mcp", True),
        ("http://10.1.2.3/mcp", True),
        ("http://169.254.169.254/latest", False),
        ("http://127.0.0.1:8080/mcp", False),
        ("http://[::1]/mcp", False),
        ("https://localhost/mcp", False),
        ("https://a.localhost/mcp", False),
        ("http://0.0.0.0/mcp", False),
        ("http://[fe80::1]/mcp", False),
        ("http://[x/mcp", True),
    ],
)
def test_a_registry_elsewhere_names_no_address_of_this_machine(stub, monkeypatch, url: str, reached: bool) -> None:
    remote = [{"type": "streamable-http", "url": url}]
    address = stub(lambda _: {"servers": [entry("a", remotes=remote)]})
    (member,) = registry_members(address, packages=False)[1]
    assert member.target == url  # A registry of this machine may.
    monkeypatch.setattr(registry, "_is_here", lambda one: one != address and IS_HERE(one))
    (member,) = registry_members(address, packages=False)[1]
    assert (member.target == url) is reached
    assert bool(member.refused) is not reached


IS_HERE = registry._is_here


def test_servers_of_a_registry_get_no_token(stub, monkeypatch, tmp_path) -> None:
    """What a registry lists is chosen by whoever publishes there; the token is for servers that the user names."""
    sent: list[str | None] = []

    class Sink(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sent.append(self.headers.get("Authorization"))
            self.send_response(404)
            self.end_headers()

        do_GET = do_POST

        def log_message(self, *_: object) -> None: ...

    monkeypatch.setenv("MCP_GOVERNOR_BEARER_TOKEN", "of-the-user")
    with ThreadingHTTPServer(("127.0.0.1", 0), Sink) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/mcp"
        found = members_of(stub(lambda _: {"servers": [entry("a", remotes=[{"url": url}])]}), Config(root=tmp_path))
        run_fleet(found, Wanted(seconds=5))
        assert sent
        assert set(sent) == {None}
        (named,) = found.listed
        run_fleet(replace(found, listed=(replace(named, stranger=False),)), Wanted(seconds=5))
        server.shutdown()
    assert "Bearer of-the-user" in sent


def test_nobody_answers_there() -> None:
    with pytest.raises(ServerError, match="cannot be reached"):
        registry_members("http://127.0.0.1:9", packages=False)
