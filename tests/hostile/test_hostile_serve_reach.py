"""An agent that talks to `serve` wants a file, a command, an address or a secret that is not its own."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
import threading
from pathlib import Path

import pytest
from attack import MEGABYTE, PEAK
from governed_project import OUTSIDE, lives, say
from test_hostile_serve import resident
from traps import Trap, put, surface

from mcp_governor.server import project as project_module
from mcp_governor.server.project import ROOT, OutsideError, read_inside

POSIX = pytest.mark.skipif(os.name != "posix", reason="symbolic links and FIFOs")


def paths_out(outside: Path) -> list[str]:
    """Ways to spell a file that is next to the root."""
    name = outside.name
    return [
        f"../{name}",
        f"./../{name}",
        f"a/../../{name}",
        f"..//{name}",
        f"..\\{name}",
        str(outside),
        f"/{outside}",
        f"file://{outside}",
        f"%2e%2e/{name}",
        f"..%2f{name}",
        f"..%00/{name}",
        f"..\0/{name}",
        f"mcp-surface.json\0/../../{name}",
        f"\uff0e\uff0e/{name}",
        "../" * 100 + str(outside)[1:],
        f"~/{name}",
        f"$PWD/../{name}",
        f"/proc/self/root{outside}",
        f"/proc/self/cwd/../{name}",
        f"/dev/fd/../..{outside}",
        f"link/{name}",
        "linked.json",
        "chain.json",
        f"mcp-surface.json/../../{name}",
        "x" * 400 + f"/../../{name}",
    ]


@POSIX
def test_no_path_leads_out_of_the_project(opened, root):
    outside = root.parent / "outside.json"
    (root / "link").symlink_to(root.parent)
    (root / "linked.json").symlink_to(outside)
    (root / "chain.json").symlink_to("linked.json")
    session = opened()
    for path in paths_out(outside):
        for arguments in ({"old_uri": path, "new_tools": []}, {"old_tools": [], "new_uri": path}):
            reported = json.dumps(say(session, "compare_surfaces", arguments))
            assert "outside_canary" not in reported, path
            assert str(root.parent) not in reported, path
            assert '"status": "success"' not in reported, path
    # The guard, and not the file, is what refuses them.
    inside = put(root, {"inside.json": outside.read_text()})
    found = say(session, "compare_surfaces", {"old_uri": "inside.json", "new_tools": []})
    assert "outside_canary" in json.dumps(found), inside


@POSIX
@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_link_that_comes_after_the_look_is_not_followed(root, monkeypatch, what):
    (root / "sub").mkdir()
    (root / "sub" / "one.json").write_text(surface())
    (root.parent / "one.json").write_text(surface(OUTSIDE))
    judged = project_module.inside
    monkeypatch.setenv(ROOT, str(root))
    assert read_inside("sub/one.json") == surface().encode()

    def swapped(path: str) -> Path:
        found = judged(path)
        if what == "file":
            found.unlink()
            found.symlink_to(root.parent / "one.json")
        else:
            (root / "sub").rename(root / "gone")
            (root / "sub").symlink_to(root.parent)
        return found

    monkeypatch.setattr(project_module, "inside", swapped)
    with pytest.raises(OSError, match=r"symbolic links|Not a directory"):
        read_inside("sub/one.json")
    monkeypatch.setattr(project_module, "inside", judged)
    with pytest.raises(OutsideError):
        read_inside("sub/one.json")


@POSIX
def test_what_is_no_file_is_not_read_and_what_is_large_is_not_kept(opened, root):
    os.mkfifo(root / "fifo")
    (root / "zero").symlink_to("/dev/zero")
    (root / "folder").mkdir()
    with (root / "huge").open("wb") as huge:
        huge.truncate(60 * MEGABYTE)
    with (root / "large").open("wb") as large:
        large.write(b'{"tools":[' + b"[]," * (10 * MEGABYTE) + b"[]]}")
    done = threading.Event()

    def grow() -> None:
        with (root / "growing").open("wb") as growing:
            growing.write(b'{"tools":[')
            while not done.is_set() and growing.tell() < 200 * MEGABYTE:
                growing.write(b"0," * 100_000)
                growing.flush()

    writer = threading.Thread(target=grow)
    writer.start()
    session = opened()
    try:
        for path in ("fifo", "zero", "folder", "huge", "large", "growing", "."):
            answer = say(session, "compare_surfaces", {"old_uri": path, "new_tools": []})
            assert answer["result"]["structuredContent"]["status"] in ("error", "refused"), path
            assert not sys.platform.startswith("linux") or resident(session.leash.mark) < PEAK
    finally:
        done.set()
        writer.join()
    lives(session)


def injected(trap: Trap, url: str) -> list[str]:
    """Texts that somebody could run, import, open or fetch."""
    shell = trap.shell()
    return [
        f"; {shell}",
        f"$({shell})",
        f"`{shell}`",
        f"| {shell}",
        f"&& {shell}",
        f"x\n{shell}\n",
        f"' ; {shell}",
        f'" ; {shell}',
        f"-- sh -c '{shell}'",
        f"--config={trap.folder}/x.toml",
        f"sh -c '{shell}'",
        f"python:os:system('{shell}')",
        f"__import__('os').system('{shell}')",
        f"{{{{7*7}}}}{{0.__class__}}%s{shell}",
        url,
        f"{url}/mcp",
        f"stdio:{shell}",
        "npm:left-pad",
        "pypi:attrs",
        "live.json",
        "client.json#evil",
        "../project/live.json",
        "-rf",
        "",
        "\0",
        "stock\0x",
        "Stock",
        "stock ",
    ]


class Ear:
    """A port that notes who connects."""

    def __init__(self) -> None:
        self.heard: list[object] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                line, who = self._socket.accept()
                self.heard.append(who)
                line.close()

    def close(self) -> None:
        self._socket.close()


def test_no_argument_is_run_imported_or_fetched(opened, root):
    trap, ear = Trap(root.parent / "trap"), Ear()
    (root / "client.json").write_text(json.dumps({"mcpServers": {"evil": trap.server()}}))
    session = opened()
    assert say(session, "check_server", {})["result"]["structuredContent"]["status"] == "success"
    for text in injected(trap, ear.url):
        tool = {"name": text, "description": text, "inputSchema": {"$ref": ear.url, "$id": ear.url, "pattern": text}}
        named = {"server": text[:200]}
        for name, arguments in (
            ("list_findings", {**named, "rule": text[:100], "tool": text[:200]}),
            ("explain_finding", {**named, "finding_id": text or "x"}),
            ("explain_finding", {"finding_id": text or "x"}),
            ("compare_surfaces", {"old_tools": [tool], "new_uri": text}),
            ("compare_surfaces", {"old_tools": [tool], "new_tools": [{**tool, "inputSchema": {}}]}),
            ("lint_description", {"name": text[:128] or "x", "description": text, "other_tools": [text]}),
            ("validate_response", {"result": {"content": [{"type": "resource_link", "uri": text}]}, "tool": tool}),
            ("list_rules", {"pack": text[:64]}),
        ):
            assert "result" in say(session, name, arguments), (name, text)
    # These start a process each; a shell sees all of the texts in one.
    every = " ".join(injected(trap, ear.url)).replace("\0", "")[:200]
    for text in (every, ear.url, "client.json#evil", f"$({trap.shell()})"[:200], "live.json", "-rf"):
        for name in ("check_server", "draft_changelog"):
            refused = say(session, name, {"server": text})["result"]["structuredContent"]
            assert refused["error"]["kind"] == "unknown_name", text
            assert refused["error"]["recovery"]["suggested_args"] == {"server": "stock"}
    for version in (f"$({trap.shell()})"[:100], "../../../x", "1.0.0\n## [9.9.9]", "--help"):
        assert "result" in say(session, "draft_changelog", {"version": version})
    for uri in (f"mcp-governor://rules/../{ear.url}", "file:///etc/passwd", ear.url, "mcp-governor://rules/%2e%2e/x"):
        session.send({"jsonrpc": "2.0", "id": uri, "method": "resources/read", "params": {"uri": uri}})
        assert "error" in session.answer(uri), uri
    lives(session)
    assert trap.sprung == []
    assert ear.heard == []
    ear.close()
    assert sorted(path.name for path in root.iterdir()) == sorted(
        ["CHANGELOG.md", "client.json", "live.json", "mcp-governor.toml", "mcp-surface.json"]
    ), "a tool wrote something"
