"""Where a report goes: places that cannot be written, readers that leave, and what else is on the streams."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from commandline import PYTHON, SECONDS, governor, governor_here
from support import SERVERS

from mcp_governor.demo.server import RELEASES
from mcp_governor.surface import build_surface, dump_surface


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, release in (("old", 1), ("new", 2)):
        (tmp_path / f"{name}.json").write_text(dump_surface(build_surface(RELEASES[release])))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_one_place_that_cannot_be_written_costs_no_other_report(folder: Path, capsys) -> None:
    places = ("html=gone/a.html", "json=report.json", "sarif=gone/b.sarif", "junit=report.xml")
    done = governor_here("check", "new.json", *(f"--report={place}" for place in places), capsys=capsys)
    assert done.code == 2
    assert re.findall(r"^error: (\S+) cannot be written: No such file or directory", done.err, re.M) == [
        "gone/a.html",
        "gone/b.sarif",
    ]
    # What could be written is whole, and the report on standard output came as well.
    assert json.loads((folder / "report.json").read_text())["verdict"] == "fail"
    assert (folder / "report.xml").read_text().endswith("</testsuites>\n")
    assert done.out.rstrip().endswith("FAIL")
    assert governor_here("check", "new.json", "-o", "gone/x", "--report=json=b.json", capsys=capsys).code == 2
    assert (folder / "b.json").is_file()


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("sarrif=a", "sarrif is not a report format (text, json, sarif"),
        ("sarrif=a", 'Did you mean "sarif"?'),
        ("sarif", "'sarif' is not FORMAT=FILE, for example sarif=report.sarif."),
        ("=a", " is not a report format"),
        ("json=", "'json=' is not FORMAT=FILE"),
    ],
)
def test_a_report_that_is_mistyped(folder: Path, capsys, typed: str, sentence: str) -> None:
    done = governor_here("check", "new.json", "--report", typed, capsys=capsys)
    assert (done.code, done.out) == (2, "")
    assert sentence in done.err


LONG = [
    ("rules",),
    ("check", "new.json", "--against", "old.json", "--format", "json"),
    ("diff", "old.json", "new.json", "--format", "html"),
    ("changelog", "--help"),
]


@pytest.mark.skipif(os.name == "nt", reason="pipes of Windows are others")
@pytest.mark.parametrize("arguments", LONG, ids=" ".join)
def test_a_reader_that_takes_one_line_sees_no_traceback(folder: Path, arguments: tuple) -> None:
    """``mcp-governor … | head -1``, where the pipe is closed while much is still to be written."""
    whole = subprocess.run(
        [PYTHON, "-m", "mcp_governor", *arguments], capture_output=True, check=False, timeout=SECONDS
    )
    with subprocess.Popen(
        [PYTHON, "-m", "mcp_governor", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == whole.stdout.splitlines(keepends=True)[0]
        process.stdout.close()
        said = process.stderr.read()
    assert (process.returncode, said) == (whole.returncode, whole.stderr)


def test_json_is_all_that_is_on_standard_output(folder: Path) -> None:
    """A server that is loud, a rule under its former name, a file that cannot be written: all of it is elsewhere."""
    loud = "import runpy, sys; sys.stderr.write('loud\\n'); runpy.run_path(sys.argv.pop(1), run_name='__main__')"
    server = ("--", sys.executable, "-c", loud, str(SERVERS / "plain.py"))
    for command in ("check", "lint"):
        done = governor(command, "--isolated", "--format", "json", "--report=html=gone/x", *server, cwd=folder)
        assert done.code == 2
        assert done.report["server"]["name"] == "plain"
        assert "gone/x cannot be written" in done.err
        # Nobody watches a pipe: no line of progress.
        assert "reading" not in done.err
        assert not done.unsafe()
