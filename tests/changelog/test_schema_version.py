"""The schema version from the server, the configuration, or a constant that is read and never run."""

from __future__ import annotations

from pathlib import Path

import pytest
from replacing import replace

from mcp_governor.changelog import SchemaVersion, baseline_version, parse, schema_version
from mcp_governor.errors import ConfigError
from mcp_governor.surface import Surface, build_surface, fingerprint

BOMB = "raise SystemExit('this module was executed')\n"


def write(root: Path, path: str, text: str) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def test_from_the_server(tmp_path: Path) -> None:
    surface = build_surface({"serverInfo": {"version": "1.2.3"}})
    assert schema_version("serverInfo", surface, tmp_path).text == "1.2.3"
    assert schema_version("serverInfo", build_surface({}), tmp_path).text is None
    assert schema_version("serverInfo", None, tmp_path).text is None


@pytest.mark.parametrize(
    ("files", "spec", "source"),
    [
        ({"pkg/mod.py": 'SCHEMA = "1.0.0"'}, "pkg.mod:SCHEMA", "pkg.mod:SCHEMA (pkg/mod.py:2)"),
        ({"src/pkg/mod.py": 'SCHEMA: str = "1.0.0"'}, "pkg.mod:SCHEMA", "pkg.mod:SCHEMA (src/pkg/mod.py:2)"),
        ({"pkg/__init__.py": 'SCHEMA = "0.9"\nSCHEMA = "1.0." "0"'}, "pkg:SCHEMA", "pkg:SCHEMA (pkg/__init__.py:3)"),
        ({"m.py": 'BASE = "1.0.0"\nSCHEMA = BASE'}, "m:SCHEMA", "m:SCHEMA (m.py:2)"),
        ({"m.py": 'class Server:\n    SCHEMA = "1.0.0"'}, "m:Server.SCHEMA", "m:Server.SCHEMA (m.py:3)"),
        ({"m.py": 'try:\n    SCHEMA = "1.0.0"\nexcept: pass'}, "m:SCHEMA", "m:SCHEMA (m.py:3)"),
        ({"p/a.py": "from p.b import V as SCHEMA", "p/b.py": 'V = "1.0.0"'}, "p.a:SCHEMA", "p.a:SCHEMA (p/b.py:2)"),
        ({"p/a.py": "from .b import SCHEMA", "p/b.py": 'SCHEMA = "1.0.0"'}, "p.a:SCHEMA", "p.a:SCHEMA (p/b.py:2)"),
        (
            {
                "p/__init__.py": "from .q.c import SCHEMA",
                "p/q/c.py": "from ..d import SCHEMA",
                "p/d.py": 'SCHEMA = "1.0.0"',
            },
            "p:SCHEMA",
            "p:SCHEMA (p/d.py:2)",
        ),
    ],
)
def test_a_constant_is_read_without_importing(tmp_path: Path, files: dict[str, str], spec: str, source: str) -> None:
    for path, text in files.items():
        write(tmp_path, path, BOMB + text + "\n")
    found = schema_version(spec, None, tmp_path)
    assert (found.text, found.source) == ("1.0.0", source)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SCHEMAS = '1'\n", r'm\.py has no constant "SCHEMA". Did you mean "SCHEMAS"\?'),
        ("SCHEMA = make()\n", r"m\.py:1: SCHEMA is not a string literal"),
        ("SCHEMA = f'{x}'\n", r"m\.py:1: SCHEMA is not a string literal"),
        ("x = 1\nSCHEMA = (\n", r"m\.py:2 is not Python"),
        ("SCHEMA = SCHEMA\n", r"is not a string literal"),
    ],
)
def test_what_cannot_be_read_says_where(tmp_path: Path, text: str, message: str) -> None:
    write(tmp_path, "m.py", text)
    with pytest.raises(ConfigError, match=message):
        schema_version("m:SCHEMA", None, tmp_path)


def test_a_module_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match='module "nowhere.mod" was not found'):
        schema_version("nowhere.mod:X", None, tmp_path)


def test_source_that_nests_forever(tmp_path: Path) -> None:
    write(tmp_path, "m.py", "SCHEMA = " + "(" * 5000 + ")" * 5000 + "\n")
    with pytest.raises(ConfigError, match=r"m\.py:1 is not Python"):
        schema_version("m:SCHEMA", None, tmp_path)


def released(version: str, surface: Surface) -> str:
    return f"## {version}\n\nFingerprint: `{fingerprint(surface)}`\n\n"


OLD, NEW = (build_surface({"tools": [{"name": name}], "serverInfo": {"version": "9.9.9"}}) for name in "ab")


@pytest.mark.parametrize(
    ("spec", "log", "expected"),
    [
        ("serverInfo", released("1.1.0", OLD), "9.9.9"),
        ("1.2.0", released("1.2.0", NEW) + released("1.1.0", OLD) + released("1.0.0", OLD), "1.1.0"),
        ("1.2.0", released("1.2.0", NEW) + "## 1.1.0\n\n## 1.0.0\n", "1.1.0"),
        ("1.2.0", released("1.2.0", OLD), "1.2.0"),
        ("1.2.0", "# Nothing yet\n", "1.2.0"),
    ],
)
def test_the_version_of_a_baseline(spec: str, log: str, expected: str) -> None:
    now = SchemaVersion("1.2.0", "x")
    assert baseline_version(spec, OLD, parse(log, "log.md"), now) == expected


PROJECT = SchemaVersion("1.2.0", "pyproject.toml:3", spec="pyproject.toml", reported="9.9.9")


@pytest.mark.parametrize(
    ("baseline", "log", "now", "expected"),
    [
        # The server's number of then says nothing about the project's.
        (OLD, None, PROJECT, None),
        (OLD, None, replace(PROJECT, reported="1.2.0"), "9.9.9"),
        (replace(OLD, stated=("1.1.0", "pyproject.toml")), None, PROJECT, "1.1.0"),
        (replace(OLD, stated=("1.1.0", "package.json")), None, PROJECT, None),
        (replace(OLD, stated=("1.1.0", "configuration")), None, SchemaVersion("1.2.0", "x", spec="1.2.0"), "1.1.0"),
        (replace(OLD, release="1.1.0"), None, PROJECT, "1.1.0"),
        (replace(OLD, release="1.1.0"), None, SchemaVersion("1.2.0", "m:V", spec="m:V", reported="9.9.9"), None),
        (replace(OLD, source="git:v1.1.0"), None, PROJECT, "1.1.0"),
        (replace(OLD, source="git:main"), None, PROJECT, None),
        # A section that was numbered by the server does not make the project go backwards ...
        (OLD, released("9.9.9", OLD), PROJECT, "1.2.0"),
        (replace(OLD, source="git:v1.1.0"), released("9.9.9", OLD), PROJECT, "1.1.0"),
        (replace(OLD, stated=("7.0.0", "m:V")), released("7.0.0", OLD), PROJECT, "1.2.0"),
        # ... and one that is the project's own may.
        (OLD, released("7.0.0", OLD), PROJECT, "7.0.0"),
        (replace(OLD, stated=("7.0.0", "pyproject.toml")), released("7.0.0", OLD), PROJECT, "7.0.0"),
    ],
)
def test_the_version_of_a_baseline_by_another_source_than_the_server(
    baseline: Surface, log: str | None, now: SchemaVersion, expected: str | None
) -> None:
    book = parse(log, "log.md") if log is not None else None
    assert baseline_version(now.spec, baseline, book, now) == expected
