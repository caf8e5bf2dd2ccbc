"""Files of a stranger's checkout that never end, are not files, are too large, or make a reader work without end."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from attack import MEGABYTE, Attacked, attack
from support import report_text
from test_hostile_targets import DECLARED
from traps import TOOL, put, surface

from mcp_governor.changelog import ChangelogSettings, check, parse
from mcp_governor.surface import build_surface
from mcp_governor.target.clients import servers_in

# Each reader: where its file is, what configuration makes it read that, and the command that reads.
READERS = {
    "surface": ("mcp-surface.json", "", "check --offline"),
    "target": ("x.json", "", "lint x.json"),
    "baseline": ("x.json", 'baseline = "x.json"', "check good.json"),
    "client": ("x.json", "", "lint x.json#a"),
    "config": ("mcp-governor.toml", None, "lint good.json --config mcp-governor.toml"),
    "found-config": ("pyproject.toml", None, "lint good.json"),
    "changelog": ("log.md", 'changelog = "log.md"', "check good.json"),
    "release": ("docs/mcp-surface/0.9.0.json", "", "changelog diff 0.9.0 1.0.0"),
    "known": ("known.json", '[lint]\nbaseline = "known.json"', "lint good.json"),
    "rule": ("rules/x.toml", '[lint]\nrules = ["rules"]', "lint good.json"),
    "manifest": ("server.json", 'server-json = "server.json"', "check good.json"),
    "contract": ("doc.md", 'contract-doc = "doc.md"\nbaseline = "old.json"', "check good.json"),
    "version": ("version.py", 'schema-version = "version:V"', "check good.json"),
    "project": ("a/pyproject.toml", 'schema-version = "a/pyproject.toml"', "check good.json"),
    "package": ("package.json", 'schema-version = "package.json"', "check good.json"),
}
TOML = ("config", "found-config", "rule")


def checkout(folder: Path, reader: str) -> Path:
    """A checkout where the file of one reader is still to come."""
    _, config, _ = READERS[reader]
    changelog = "# C\n\n## 1.0.0 (current)\n\n**Added**\n- `find`\n\n## 0.9.0\n\n**Added**\n- `find`\n"
    put(folder, {"good.json": surface(), "old.json": surface({"name": "other", "inputSchema": {"type": "object"}})})
    put(folder, {"docs/mcp-schema-changelog.md": changelog})
    if config is not None:
        put(folder, {"mcp-governor.toml": config})
    (folder / READERS[reader][0]).parent.mkdir(parents=True, exist_ok=True)
    return folder


def read(folder: Path, reader: str, **limits: float) -> Attacked:
    return attack(*READERS[reader][2].split(), cwd=folder, **limits).held()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("reader", "what"),
    [
        *((reader, what) for reader in READERS for what in ("fifo", "sparse")),
        *((reader, what) for reader in ("surface", "config", "rule") for what in ("device", "folder")),
    ],
)
def test_what_is_not_a_file_or_too_large(tmp_path: Path, reader: str, what: str) -> None:
    file = checkout(tmp_path, reader) / READERS[reader][0]
    if what == "fifo":
        os.mkfifo(file)
    elif what == "device":
        file.symlink_to("/dev/zero")
    elif what == "folder":
        file.mkdir()
    else:
        with file.open("wb") as stream:
            stream.truncate(4096 * MEGABYTE)
    done = read(tmp_path, reader, seconds=15)
    # What is only looked for may count as not there; what is named, or is a file, is an error.
    assert done.code == 2 or (what != "sparse" and reader in ("found-config", "release", "rule")), done.reported
    if what == "sparse":
        assert "larger than" in done.err or "is not" in done.err


@pytest.mark.parametrize("folder", ["/", "/proc", "/dev"])
def test_a_folder_of_rules_has_an_end(tmp_path: Path, folder: str) -> None:
    put(tmp_path, {"good.json": surface(), "mcp-governor.toml": f'[lint]\nrules = ["{folder}"]\n'})
    done = attack("lint", "good.json", cwd=tmp_path, seconds=15).held(2)
    assert "cannot be read:" in done.err or "holds no rule files" in done.err


def test_a_folder_of_rules_that_leads_into_itself(tmp_path: Path) -> None:
    put(tmp_path, {"good.json": surface(), "rules/no-book.toml": DECLARED})
    put(tmp_path, {"mcp-governor.toml": '[lint]\nrules = ["rules"]\nselect = ["acme/*"]\n'})
    (tmp_path / "rules" / "again").symlink_to(tmp_path / "rules")
    assert "acme/no-book" in attack("lint", "good.json", cwd=tmp_path).held(0).out
    for number in range(1001):
        put(tmp_path, {f"rules/more/{number}.toml": DECLARED})
    assert "holds more than 1000 .toml files" in attack("lint", "good.json", cwd=tmp_path).held(2).err


SIZE = 200_000
RUNS = " ".join("`" * (1 + number) for number in range(620))
UNITS = [
    *("`", "` ", "\\`", "[", "![", "[a](", "*", "**a", "_", "#", "# ", "##\n", "## 1.0.0\n", ">", "> ", ">\n", "- "),
    *("- a\n", "<", "<!--", "<!--\n", "|", "|a|\n|-|\n", "[a]: b\n", "[a\n", "```\n", "a\n===\n", " ", "\n"),
    *(
        "sha256:",
        "Fingerprint: `",
        "**Added**\n",
        "- removed ",
        "- renamed `a` to `",
        "(",
        "\\",
        "<div>\n",
        "    a\n\n",
    ),
]


def test_a_changelog_is_read_in_linear_time(tmp_path: Path) -> None:
    """Each unit over and over; a reader that is quadratic in one takes minutes for it."""
    documents = ["# C\n\n## 1.0.0 (current)\n\n**Added**\n- " + RUNS]
    for unit in UNITS:
        documents.append("# C\n\n## 1.0.0 (current)\n\n**Added**\n\n" + unit * (SIZE // len(unit) // 16))
    for document in documents:
        check(parse(document, "log.md"), build_surface({"tools": []}), [], settings=ChangelogSettings())
    longest = max(documents, key=len)
    put(tmp_path, {"good.json": surface(), "docs/mcp-schema-changelog.md": longest})
    attack("check", "good.json", cwd=tmp_path, seconds=20).held(0, 1)


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("##\n", "has more than 50000 lines"),
        ("a" * 39 + "\n", "has more than 50000 lines"),
        ("a" * 49 + "\n", ""),
        ("a" * 99 + " \n", "is larger than 2 MiB"),
    ],
)
def test_a_changelog_of_many_lines(tmp_path: Path, text: str, reported: str) -> None:
    size = 2 * MEGABYTE + (0 if len(text) <= 50 else len(text))
    put(tmp_path, {"good.json": surface(), "docs/mcp-schema-changelog.md": text * (size // len(text))})
    done = attack("check", "good.json", cwd=tmp_path, seconds=20).held(2 if reported else 1, peak=200 * MEGABYTE)
    assert reported in done.err


LINES = 49_990
MANY = {
    "unreleased": "## Unreleased\n" * LINES,
    "releases": "".join(f"## 9.{LINES - number}.0\n" for number in range(LINES)),
    "deprecations": "".join(
        f"## 9.{LINES - number}.0\n**Deprecated**\n- `find` `{number}`\n**Fixed**\n- `find` is no longer deprecated\n"
        for number in range(LINES // 5)
    ),
    "breaks": "".join(f"## 9.{LINES - number}.0\n**Breaking**\n- `find`\n" for number in range(LINES // 3)),
    "names": "**Added**\n" + "".join(f"- `q{number}`\n" for number in range(LINES)),
    "one line": "**Removed**\n- " + ", ".join(f"`a{number}`" for number in range(90_000)),
    "dotted": "**Added**\n- " + " ".join(f"`a{number}.b.c.d.e.f.g.h`" for number in range(40_000)),
    "bullets": "**Added**\n" + "* a\n" * LINES,
}


@pytest.mark.parametrize("name", MANY)
def test_a_changelog_of_many_things(tmp_path: Path, name: str) -> None:
    """Up to the limit of lines or to 900 KB; each of them took the square of its length, or 400 MB."""
    changelog = f"# C\n\n## 1.0.0 (current)\n\n{MANY[name]}"
    put(tmp_path, {"good.json": surface(), "docs/mcp-schema-changelog.md": changelog})
    done = attack("check", "good.json", cwd=tmp_path, seconds=20).held(0, 1, peak=200 * MEGABYTE)
    assert len(done.out) < MEGABYTE
    if name == "breaks":
        attack("changelog", "diff", "1.0.0", f"9.{LINES}.0", cwd=tmp_path, seconds=20).held(0, peak=200 * MEGABYTE)


@pytest.mark.parametrize("unit", ['"\\', '"\\"', "/*"])
def test_client_configurations_with_comments_are_read_in_linear_time(tmp_path: Path, unit: str) -> None:
    put(tmp_path, {"x.json": unit * (SIZE // len(unit))})
    attack("lint", "x.json#a", cwd=tmp_path, seconds=10).held(2)
    for other in ('"', '"\n', "//", ", ", "\\", "[", '{"a":', '"\\\n', "/* ", "*/"):
        assert servers_in(put(tmp_path, {"x.json": other * (SIZE // len(other))}) / "x.json") == []


DEEP = {
    "dotted": "a" + ".a" * 100_000 + " = 1\n",
    "tables": "".join(f"[{'.'.join('a' * (number % 60 + 1))}.b{number}]\n" for number in range(9000)),
    "arrays": "a = " + "[" * 100_000,
    "many": "a = [" + "1," * 120_000 + "]\n",
    "digits": "a = " + "1" * 100_000 + "\n",
    "quotes": 'a = "' + "\\" * 100_001,
    "accept": "[[accept]]\n" * 60_000,
}


@pytest.mark.parametrize(
    ("reader", "name"),
    [*(("config", name) for name in DEEP), *((reader, name) for reader in TOML[1:] for name in ("dotted", "digits"))],
)
def test_toml_that_is_deep_or_wide(tmp_path: Path, reader: str, name: str) -> None:
    head = "[tool.mcp-governor]\n" if reader == "found-config" else ""
    put(checkout(tmp_path, reader), {READERS[reader][0]: head + DEEP[name]})
    read(tmp_path, reader, seconds=15)


@pytest.mark.parametrize(
    "text",
    [
        '{"tools":[' + "[]," * 20_000_000 + "[]]}",
        '{"tools":[' + "{}," * 20_000_000 + "{}]}",
        '{"tools":["' + "\U0001f600" * 14_000_000 + '"]}',
        '{"tools":[{"name":"a","inputSchema":{"x":[' + '{"":1},' * 220_000 + "1]}}]}",
    ],
    ids=["lists", "objects", "astral", "schema"],
)
def test_json_that_is_larger_in_memory_than_on_disk(tmp_path: Path, text: str) -> None:
    put(tmp_path, {"x.json": text})
    line = "lint --isolated x.json" if "inputSchema" in text else "diff --isolated x.json x.json"
    attack(*line.split(), cwd=tmp_path, seconds=25).held()


def test_a_module_that_is_read_and_not_run(tmp_path: Path) -> None:
    put(checkout(tmp_path, "version"), {"version.py": "V = " + "(" * 90_000 + ")" * 90_000})
    assert read(tmp_path, "version").code == 2
    put(tmp_path, {"version.py": "V = '1.0.0'\nraise SystemExit(70)\n"})
    assert json.loads(attack(*["check", "good.json", "--format", "json"], cwd=tmp_path).held(0, 1).out)["changes"] == []


ENTRIES = "\n\n**Added**\n\n- `find` is new.\n"
NAMED = 'target = "s.json"\nbaseline = "b.json"\nchangelog = "log.md"\nschema-version = "3.0.0"\n'
LONG_RUNS = {
    "heading": ("changelog draft", {"log.md": "##" + " " * 1_000_000 + "2.0.0 (current)" + ENTRIES}, (0,)),
    "fingerprint": (
        "changelog draft",
        {"log.md": f"## Unreleased\n\nFingerprint{' ' * 200_000}sha256:{'0' * 64} yes{ENTRIES}"},
        (0,),
    ),
    "blank lines": (
        "changelog show 2.0.0",
        {"log.md": "## 2.0.0 (current)" + ENTRIES + "\n" * 45_000 + "- x :: y\n"},
        (0,),
    ),
    "rule": ("lint", {"rules/a.toml": 'id = "a/b"\nbogus = 3\nwhy = """\n[' + " " * 200_000 + '\n"""\n'}, (2,)),
    "accept": (
        "accept a/b:x:/y:01234567 --reason z --report report.json",
        {
            "mcp-governor.toml": 'target = """\n[' + " " * 200_000 + 'x\n"""\n',
            "report.json": report_text("a/b:x:/y:01234567"),
        },
        (0,),
    ),
}


@pytest.mark.parametrize("name", LONG_RUNS)
def test_long_runs_of_one_character_cost_no_square(tmp_path: Path, name: str) -> None:
    line, files, codes = LONG_RUNS[name]
    put(tmp_path, {"mcp-governor.toml": f'{NAMED}[lint]\nrules = ["rules"]\n', "rules/none": ""})
    put(tmp_path, {"s.json": surface(), "b.json": surface({**TOOL, "name": "gone"}), **files})
    attack(*line.split(), cwd=tmp_path, seconds=20).held(*codes)
