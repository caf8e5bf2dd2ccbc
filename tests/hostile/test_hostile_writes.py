"""Nothing is written elsewhere, half, or over somebody else's work; nothing is left behind."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from attack import attack
from commandline import plain
from support import SERVERS, reported
from traps import TOOL, put, surface

from mcp_governor import writing
from mcp_governor.errors import FileFormatError, UsageError
from mcp_governor.writing import NewFile, checked_place, locked, write_file, write_files

PLAIN = str(SERVERS / "plain.py")
CHANGELOG = "# Changelog\n\n## 1.0.0 (current)\n\n### Added\n\n- `find`\n"
FINDING = "clarity/length:find:/description:0123abcd"


def tree(folder: Path) -> dict[str, bytes | str]:
    """Everything below a folder, links as links."""
    return {
        str(path.relative_to(folder)): str(path.readlink()) if path.is_symlink() else path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """What lies beside the checkout, and must stay as it is."""
    return put(tmp_path / "outside", {"file": "precious", "folder/file": "precious"})


@pytest.fixture
def checkout(tmp_path: Path, outside: Path) -> Path:
    folder = put(tmp_path / "checkout", {"good.json": surface(), "mcp-governor.toml": ""})
    subprocess.run(("git", "init", "-q", str(folder)), check=True, timeout=60)
    (folder / "link").symlink_to(outside / "file")
    (folder / "away").symlink_to(outside / "folder")
    return folder


# What the configuration says, and the command that writes there.
WRITES = {
    "snapshot": ('baseline = "{}.json"', "snapshot good.json"),
    "changelog": ('changelog = "{}.md"', "changelog draft good.json"),
    "known": ('[lint]\nbaseline = "{}.json"', "lint good.json --write-baseline"),
    "pages": ('[lint]\nrules = ["{}"]', "rules --docs"),
}
PLACES = ["../outside/new", "ABSOLUTE/new", "away/new", "away/../../outside/new", "linked", ".git/new"]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("writer", ["snapshot", "changelog", "known"])
def test_a_configured_path_stays_in_the_repository(checkout: Path, outside: Path, writer: str, place: str) -> None:
    config, line = WRITES[writer]
    put(checkout, {"mcp-governor.toml": config.format(place.replace("ABSOLUTE", str(outside)))})
    for suffix in (".json", ".md"):
        (checkout / f"linked{suffix}").symlink_to(outside / f"new{suffix}")
    before = tree(checkout.parent)
    done = attack(*line.split(), cwd=checkout).held(2)
    assert "nothing was written" in done.err
    assert tree(checkout.parent) == before


def test_what_the_user_types_is_written(checkout: Path, outside: Path) -> None:
    attack("snapshot", "good.json", "-o", outside / "new.json", cwd=checkout).held(0)
    attack("snapshot", "good.json", "-o", "link", cwd=checkout).held(0)
    assert (
        json.loads((outside / "file").read_text())["format"] == json.loads((outside / "new.json").read_text())["format"]
    )
    assert (checkout / "link").is_symlink()
    # A device of our own: as root, a writer that replaces what it writes to would take the machine's /dev/null away.
    reader, terminal = os.openpty()
    try:
        attack("fingerprint", "good.json", "--output", os.ttyname(terminal), cwd=checkout).held(0)
        assert b"v1:sha256:" in os.read(reader, 1000)
        assert Path(os.ttyname(terminal)).is_char_device()
    finally:
        os.close(reader)
        os.close(terminal)
    os.mkfifo(checkout / "fifo")
    done = attack("lint", "good.json", "--output", "fifo", cwd=checkout, seconds=10).held(2)
    assert "fifo cannot be written" in done.err


@pytest.mark.parametrize(
    "name", ["mcp-surface.json", "mcp-governor.toml", "docs", ".pre-commit-config.yaml", ".github"]
)
def test_init_follows_no_link(checkout: Path, outside: Path, name: str) -> None:
    (checkout / "mcp-governor.toml").unlink()
    (checkout / name).symlink_to(outside / ("gone" if "." in name[1:] else "folder"))
    before = tree(checkout.parent)
    done = attack("init", *plain(), cwd=checkout).held(0, 2)
    assert tree(outside) == {"file": b"precious", "folder/file": b"precious"}
    if done.code == 0:
        assert any(line.split(maxsplit=1) == [name, "exists, not changed"] for line in done.out.splitlines())
    else:
        assert "leads through a symbolic link; nothing was written" in done.err
        assert tree(checkout.parent) == before


def test_accept_writes_a_linked_configuration_only_where_it_was_typed(checkout: Path, outside: Path) -> None:
    (outside / "shared.toml").write_text("# shared\n")
    (checkout / "mcp-governor.toml").unlink()
    (checkout / "mcp-governor.toml").symlink_to(outside / "shared.toml")
    words = ("accept", FINDING, "--reason", "r", "--report", reported(checkout, FINDING))
    attack(*words, cwd=checkout).held(2)
    assert (outside / "shared.toml").read_text() == "# shared\n"
    attack(*words, "--config", "mcp-governor.toml", cwd=checkout).held(0)
    assert FINDING in (outside / "shared.toml").read_text()


def test_links_in_a_folder_that_the_user_types_are_not_followed(checkout: Path, outside: Path) -> None:
    """A checkout can hold a link under every name that a run would write there."""
    record = ("call", "--allow-writes", "--destructive", "add", "--record", "calls", "--", sys.executable, PLAIN)
    attack(*record, cwd=checkout).held()
    recorded = list((checkout / "calls").iterdir())
    assert recorded
    for file in recorded:
        file.unlink()
        file.symlink_to(outside / "file")
    assert "leads through a symbolic link" in attack(*record, cwd=checkout).held(2).err
    (checkout / "rules").mkdir()
    (checkout / "rules/acme").symlink_to(outside / "folder")
    (checkout / "rules/other.md").symlink_to(outside / "file")
    for rule in ("acme/new", "other/new"):
        assert "leads through a symbolic link" in attack("rule", rule, "--new", "rules", cwd=checkout).held(2).err
    assert tree(outside) == {"file": b"precious", "folder/file": b"precious"}


def test_the_repository_is_the_border_not_the_folder_of_the_configuration(tmp_path: Path) -> None:
    put(tmp_path, {".git/HEAD": "", "packages/a/x": ""})
    folder = tmp_path / "packages" / "a"
    assert checked_place(folder / "../../docs/log.md", folder, "x") == tmp_path / "docs" / "log.md"
    for path in ("../../../log.md", "../../.git/hooks/pre-commit", "../../.GIT/x", "b/.git/config"):
        with pytest.raises(UsageError, match="nothing was written"):
            checked_place(folder / path, folder, path)


def test_thirty_acceptances_at_once(checkout: Path) -> None:
    ids = [f"clarity/length:find:/description:{number:08x}" for number in range(30)]

    report = reported(checkout.parent, *ids)

    def accept(finding: str) -> int:
        return attack("accept", finding, "--reason", "r", "-q", "--report", report, cwd=checkout, seconds=120).code

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(accept, ids)) == [0] * 30
    text = (checkout / "mcp-governor.toml").read_text()
    assert [finding for finding in ids if finding not in text] == []
    assert sorted(path.name for path in checkout.iterdir()) == [
        ".git",
        "away",
        "good.json",
        "link",
        "mcp-governor.toml",
    ]


def test_a_lock_that_nobody_gives_back_is_waited_for_and_named(tmp_path: Path) -> None:
    again = locked(tmp_path, seconds=0.2)
    with locked(tmp_path), pytest.raises(UsageError, match="Another mcp-governor has been writing"):
        again.__enter__()
    with locked(tmp_path, seconds=0):
        assert list(tmp_path.iterdir()) == []


def test_a_file_that_an_author_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "log.md").write_text("mine")
    for expected in (b"old", None):
        with pytest.raises(UsageError, match="was changed by somebody else meanwhile; nothing was written"):
            write_files(NewFile(tmp_path / "log.md", "new", tmp_path, expected=expected))
    assert tree(tmp_path) == {"log.md": b"mine"}


# A shell that runs tests in the background has SIGINT ignored, nohup SIGHUP, and their children inherit that.
WRITER = """
import signal, sys, mcp_governor.writing as w
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
files = [w.NewFile(Path(name), str(index) * 300_000) for index, name in enumerate(sys.argv[1:])]
print("ready", flush=True)
while True:
    w.write_files(*files)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_run_that_is_interrupted_leaves_whole_files_and_nothing_else(tmp_path: Path, number: signal.Signals) -> None:
    for turn in range(12):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, "a.json", "b.md"],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert writer.stdout is not None
        try:
            writer.stdout.readline()
            time.sleep(0.005 * turn)
            writer.send_signal(number)
            assert writer.wait(60) == -number
        finally:
            writer.kill()
            writer.wait()
            writer.stdout.close()
        left = tree(tmp_path)
        # SIGKILL leaves what has a temporary name.
        extra = [name for name in left if name not in ("a.json", "b.md")]
        assert extra == [] or (number == signal.SIGKILL and len(extra) <= 2)
        for name, digit in (("a.json", b"0"), ("b.md", b"1")):
            assert left.get(name, digit * 300_000) == digit * 300_000
        for name in extra:
            (tmp_path / name).unlink()


def released(folder: Path) -> Path:
    """A repository where 1.1.0 could be released."""
    more = {**TOOL, "name": "lend"}
    put(folder, {"mcp-surface.json": surface(), "new.json": surface(TOOL, more)})
    (folder / "new.json").write_text((folder / "new.json").read_text().replace('"1.0.0"', '"1.1.0"'))
    put(folder, {"mcp-governor.toml": "", "docs/mcp-schema-changelog.md": CHANGELOG})
    attack("changelog", "draft", "new.json", "--for", "1.1.0", cwd=folder).held(0)
    log = folder / "docs" / "mcp-schema-changelog.md"
    log.write_text(log.read_text().replace("## 1.1.0 (current)", "## 1.1.0"))
    return folder


RELEASE = ("changelog", "release", "1.1.0", "new.json", "--fail-on", "never")


def test_a_release_is_one_transaction(tmp_path: Path) -> None:
    folder = released(tmp_path)
    before = tree(folder)
    # A disk that is full for the second file: what a limit on the size of files looks like to the writer.
    largest = max(len(content) for content in before.values())
    failed = attack(*RELEASE, cwd=folder, file_size=largest // 2).held(2)
    assert "cannot be written: File too large. Nothing was written." in failed.err
    assert tree(folder) == before
    attack(*RELEASE, cwd=folder).held(0)
    after = tree(folder)
    assert {name for name in after if after[name] != before.get(name)} == {
        "docs/mcp-surface/1.1.0.json",
        "docs/mcp-schema-changelog.md",
        "mcp-surface.json",
    }


@pytest.mark.parametrize("fails_at", [0, 1, 2])
def test_what_was_placed_is_put_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails_at: int) -> None:
    put(tmp_path, {"b": b"old \xff"})
    files = [NewFile(tmp_path / name, f"new {name}", tmp_path, name) for name in ("made/a", "b", "c")]
    place = writing._Staged.place

    def failing(self: writing._Staged) -> None:
        if self.file is files[fails_at]:
            raise OSError(errno.EIO, "Input/output error")
        place(self)

    monkeypatch.setattr(writing._Staged, "place", failing)
    with pytest.raises(FileFormatError, match=r"cannot be written: Input/output error\. Nothing was written\."):
        write_files(*files)
    assert tree(tmp_path) == {"b": b"old \xff"}
    assert not (tmp_path / "made").exists()


def test_a_written_file_keeps_its_mode(tmp_path: Path) -> None:
    file = put(tmp_path, {"a": "old"}) / "a"
    file.chmod(0o640)
    write_file(file, "new")
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("new", 0o640)
    old = os.umask(0o027)
    try:
        write_file(tmp_path / "b", "new")
    finally:
        os.umask(old)
    assert (tmp_path / "b").stat().st_mode & 0o777 == 0o640


def test_a_temporary_file_is_gone_afterwards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_file(tmp_path / "a", "new")
    write_file(tmp_path / "a", "newer")
    assert tree(tmp_path) == {"a": b"newer"}
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(errno.ENOSPC, "No space left on device")))
    with pytest.raises(FileFormatError, match="No space left"):
        write_file(tmp_path / "a", "newest")
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        write_file(tmp_path / "a", "newest")
    assert tree(tmp_path) == {"a": b"newer"}
