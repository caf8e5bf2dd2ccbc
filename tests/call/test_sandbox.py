"""The temporary folder: made when asked for, valid samples, nothing outside of it, gone at the end."""

from __future__ import annotations

import compileall
import csv
import json
import os
import shutil
import subprocess
import tomllib
import zipfile
from datetime import date
from pathlib import Path
from xml.etree import ElementTree

import pytest

from mcp_governor.call.sandbox import Sandbox, samples_in
from mcp_governor.errors import UsageError

DAY = date(2026, 11, 23)


def test_nothing_is_made_that_nobody_asks_for(tmp_path):
    with Sandbox(tmp_path) as sandbox:
        assert sandbox.filled({"a": "plain"}) == {"a": "plain"}
        assert not sandbox.made
    assert list(tmp_path.iterdir()) == []


def test_it_is_gone_afterwards_with_all_that_was_written_into_it(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept.txt").write_text("kept")
    with Sandbox(tmp_path) as sandbox:
        root = Path(sandbox.root)
        assert root.parent == tmp_path
        (root / "link").symlink_to(outside)
        (root / "locked").mkdir()
        (root / "locked" / "file").write_text("x")
        (root / "locked").chmod(0o500)
        assert sandbox.repository
    assert not root.exists()
    assert (outside / "kept.txt").read_text() == "kept"


def test_what_an_installer_compiles_is_no_sample(tmp_path):
    (tmp_path / "script.py").write_text("")
    assert compileall.compile_dir(tmp_path, quiet=1)
    assert (tmp_path / "__pycache__").is_dir()
    assert samples_in(tmp_path) == {"script.py": tmp_path / "script.py"}


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path):
    with pytest.raises(UsageError, match="No folder for sample files can be created in"):
        _ = Sandbox(tmp_path / "absent").root


def test_samples_are_what_their_names_say(tmp_path):
    with Sandbox(tmp_path) as sandbox:
        root = Path(sandbox.root)
        assert json.loads((root / "data.json").read_text())["name"] == "example"
        assert tomllib.loads((root / "settings.toml").read_text())["name"] == "example"
        assert list(csv.reader((root / "table.csv").open()))[1] == ["example", "1"]
        ElementTree.parse(root / "feed.xml")
        assert (root / "image.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
        pdf = (root / "paper.pdf").read_bytes()
        start = int(pdf.rsplit(b"startxref\n", 1)[1].split()[0])
        assert pdf[start:].startswith(b"xref")
        for name, part in (("workbook.xlsx", "xl/worksheets/sheet1.xml"), ("document.docx", "word/document.xml")):
            with zipfile.ZipFile(root / name) as archive:
                assert archive.testzip() is None
                for inner in archive.namelist():
                    ElementTree.fromstring(archive.read(inner))
                assert b"example" in archive.read(part)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_the_repository_is_the_same_everywhere_and_has_changes(tmp_path, monkeypatch):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / ".gitconfig").write_text(
        "[core]\n\thooksPath = /nonexistent\n[init]\n\tdefaultBranch = other\n"
    )
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    heads = []
    for _ in range(2):
        with Sandbox(tmp_path) as sandbox:
            monkeypatch.delenv("GIT_DIR", raising=False)

            def git(*arguments, folder=sandbox.repository):
                reported = subprocess.run(["git", "-C", folder, *arguments], capture_output=True, text=True, check=True)
                return reported.stdout

            heads.append(git("rev-parse", "main"))
            assert len(git("log", "--format=%H").split()) == 2
            assert git("status", "--porcelain").splitlines() == [" M notes.txt", "A  staged.txt"]
    assert heads[0] == heads[1]
    assert not (tmp_path / "elsewhere").exists()


def test_fresh_and_written_files(tmp_path):
    with Sandbox(tmp_path) as sandbox:
        first = sandbox.fresh("xlsx")[0]
        assert first == f"{sandbox.root}/created.xlsx"
        Path(first).write_text("x", encoding="utf-8")
        assert sandbox.fresh("xlsx")[0] == f"{sandbox.root}/created2.xlsx"
        assert sandbox.written("xlsx") == [first]
        assert sandbox.file("txt") == f"{sandbox.root}/notes.txt"
        assert sandbox.file("pptx") == f"{sandbox.root}/created.pptx"


def test_missing_samples_come_back_and_links_are_not_followed(tmp_path):
    target = tmp_path / "target.txt"
    with Sandbox(tmp_path) as sandbox:
        root = Path(sandbox.root)
        (root / "data.json").unlink()
        (root / "notes.txt").unlink()
        (root / "notes.txt").symlink_to(target)
        sandbox.restore()
        assert (root / "data.json").exists()
        assert os.path.lexists(root / "notes.txt")
    assert not target.exists(), "a link of the server's led out of the sandbox"


def test_placeholders_go_and_come_back(tmp_path):
    with Sandbox(tmp_path, DAY) as sandbox:
        sent = {
            "path": f"{sandbox.root}/notes.txt",
            "uri": f"file://{sandbox.root}/a",
            "n": [1, None, True],
            "day": "2026-11-23",
            "at": "2026-11-23T12:00:00Z",
            "other": "23.11.2026",
            "free": "on 23.11.2026",
        }
        portable = sandbox.portable(sent)
        assert portable == {"path": "{sandbox}/notes.txt", "uri": "file://{sandbox}/a", "n": [1, None, True],
                            "day": "{today}", "at": "{today}T12:00:00Z", "other": "{today:%d.%m.%Y}",
                            "free": "on 23.11.2026"}  # fmt: skip
        assert sandbox.filled(portable) == sent
