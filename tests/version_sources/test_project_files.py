"""The version that a project's own files state, in the ways that build tools write it; nothing is run."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcp_governor.errors import ConfigError
from mcp_governor.version_sources import schema_version

BOMB = "raise SystemExit('this module was executed')\n"


def write(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


PROJECT = '[project]\nname = "one"\ndynamic = ["version"]\n'
HATCH = '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'
SETUPTOOLS = '[build-system]\nrequires = ["setuptools>=61"]\n'


@pytest.mark.parametrize(
    ("files", "spec", "place"),
    [
        ({"pyproject.toml": '[project]\nname = "one"\nversion = "1.2.3"\n'}, "pyproject.toml", "pyproject.toml line 3"),
        (
            # The version of something else stands above, below and in a comment.
            {
                "pyproject.toml": '# version = "1.2.3"\n[tool.a]\nversion = "1.2.3"\n[project]\n'
                'version = "1.2.3" # the one\n[tool.b]\nversion = "1.2.3"\n'
            },
            "pyproject.toml",
            "pyproject.toml line 5",
        ),
        ({"pyproject.toml": '\nproject.version = "1.2.3"\r\n'}, "pyproject.toml", "pyproject.toml line 2"),
        ({"a/b/pyproject.toml": '[project]\nversion = "1.2.3"\n'}, "a/b/pyproject.toml", "a/b/pyproject.toml line 2"),
        ({"pyproject.toml": '[tool.poetry]\nversion = "1.2.3"\n'}, "pyproject.toml", "pyproject.toml line 2"),
        (
            {
                "pyproject.toml": PROJECT + HATCH + '[tool.hatch.version]\npath = "src/one/_v.py"\n',
                "src/one/_v.py": BOMB + '__version__: str = "1.2.3"\n',
            },
            "pyproject.toml",
            "src/one/_v.py line 2",
        ),
        (
            {
                "pyproject.toml": PROJECT
                + SETUPTOOLS
                + '[tool.setuptools.dynamic]\nversion = {attr = "one.__version__"}\n',
                "src/one/__init__.py": BOMB + '__version__ = "1.2.3"\n',
            },
            "pyproject.toml",
            "src/one/__init__.py line 2",
        ),
        (
            {
                "pyproject.toml": PROJECT + SETUPTOOLS + '[tool.setuptools.dynamic]\nversion = {file = ["VERSION"]}\n',
                "VERSION": "1.2.3\n",
            },
            "pyproject.toml",
            "VERSION line 1",
        ),
        (
            {
                "sub/pyproject.toml": PROJECT + '[tool.pdm.version]\nsource = "file"\npath = "one.py"\n',
                "sub/one.py": "VERSION = 'v1.2.3'\n",
            },
            "sub/pyproject.toml",
            "sub/one.py line 1",
        ),
        (
            {
                "pyproject.toml": PROJECT + '[build-system]\nbuild-backend = "flit_core.buildapi"\n',
                "one/__init__.py": BOMB + '__version__ = "1.2.3"\n',
            },
            "pyproject.toml",
            "one/__init__.py line 2",
        ),
        (
            {"package.json": '{\n  "engines": {"version": "1.2.3"},\n  "version": "1.2.3"\n}'},
            "package.json",
            "package.json line 3",
        ),
        ({"p/a/package.json": '{"version":"1.2.3"}'}, "p/a/package.json", "p/a/package.json line 1"),
        (
            {"server.json": '{\n"packages": [{"version": "1.2.3"}],\n"version": "1.2.3"}'},
            "server.json",
            "server.json line 3",
        ),
    ],
)
def test_the_version_and_its_line(tmp_path: Path, files: dict[str, str], spec: str, place: str) -> None:
    write(tmp_path, files)
    found = schema_version(spec, None, tmp_path)
    assert (found.text, str(found.written), found.spec) == ("1.2.3", place, spec)
    assert found.source == place.replace(" line ", ":")
    assert found.place == found.written


def test_a_string_that_is_written_with_escapes_has_no_line(tmp_path: Path) -> None:
    write(tmp_path, {"package.json": '{"version": "1\\u002e2.3"}'})
    found = schema_version("package.json", None, tmp_path)
    assert (found.text, found.written, found.source) == ("1.2.3", None, "package.json")


@pytest.mark.parametrize(
    ("files", "message", "hint"),
    [
        ({}, "pyproject.toml does not exist", "Correct the path"),
        ({"pyproject.toml": "[project\n"}, "pyproject.toml is not TOML: .*line 1", "Correct the line"),
        (
            {"pyproject.toml": "[project]\nversion = 1.2\n"},
            "project.version in pyproject.toml is not a string",
            '"1.0.0"',
        ),
        ({"pyproject.toml": "[project]\nversion = ''\n"}, 'is "", which is not a version', '"1.0.0"'),
        ({"pyproject.toml": f"[project]\nversion = '{'1' * 300}'\n"}, "is not a version", '"1.0.0"'),
        ({"pyproject.toml": "[project]\nversion = '1.0\\u001b'\n".replace("'", '"')}, r"1.0\\x1b", '"1.0.0"'),
        ({"pyproject.toml": PROJECT}, "does not state a version that can be read without running", "distribution:NAME"),
        (
            {"pyproject.toml": PROJECT + '[build-system]\nrequires = ["setuptools", "setuptools-scm>=8"]\n'},
            "does not state a version: setuptools-scm takes it from git tags",
            'Write schema-version = "git-tag" instead',
        ),
        (
            {"pyproject.toml": PROJECT + '[tool.hatch.version]\nsource = "vcs"\n'},
            "hatch-vcs takes it from git tags",
            "git-tag",
        ),
        ({"pyproject.toml": PROJECT + '[tool.pdm.version]\nsource = "scm"\n'}, "PDM takes it from git tags", "git-tag"),
        (
            {"pyproject.toml": '[tool.poetry]\nversion = "0.0.0"\n[tool.poetry-dynamic-versioning]\nenable = true\n'},
            "poetry-dynamic-versioning takes it from git tags",
            "git-tag",
        ),
        (
            {"pyproject.toml": PROJECT + '[tool.hatch.version]\npath = "one.py"\n', "one.py": "version = 1\n"},
            "one.py, which tool.hatch.version.path in pyproject.toml names, assigns no __version__",
            "__version__ =",
        ),
        (
            {"pyproject.toml": PROJECT + '[tool.hatch.version]\npath = "one.py"\npattern = "(a+)+$"\n'},
            "with a pattern of its own",
            "package.module:NAME",
        ),
        (
            {"pyproject.toml": PROJECT + '[tool.setuptools.dynamic]\nversion = {attr = "one:x"}\n'},
            "attr in pyproject.toml is not a dotted name",
            "Correct the file",
        ),
        (
            {
                "pyproject.toml": PROJECT + '[tool.setuptools.dynamic]\nversion = {attr = "one.make"}\n',
                "one.py": "make = f()\n",
            },
            "make is not a string literal",
            "Assign a literal",
        ),
        (
            {"pyproject.toml": PROJECT + '[tool.setuptools.dynamic]\nversion = {file = ["A", "B"]}\n'},
            "does not name one file",
            "Name one",
        ),
        (
            {"pyproject.toml": PROJECT + '[tool.setuptools.dynamic]\nversion = {file = "V"}\n', "V": "one two\n"},
            'its content in V is "one two", which is not a version',
            '"1.0.0"',
        ),
        ({"pyproject.toml": "a = 1e999\n"}, "pyproject.toml contains a value that cannot be used", "Correct the value"),
    ],
)
def test_what_cannot_be_read_says_what_to_write(tmp_path: Path, files: dict[str, str], message: str, hint: str) -> None:
    write(tmp_path, files)
    with pytest.raises(ConfigError, match=message) as caught:
        schema_version("pyproject.toml", None, tmp_path)
    assert caught.value.message.startswith("schema-version: ")
    assert hint in caught.value.hint


@pytest.mark.parametrize("name", ["package.json", "server.json"])
@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"[]", "is not a JSON object"),
        (b"{", "is cut off at line 1"),
        (b'{"name": "one"}', "does not state a version"),
        (b'{"version": 1}', "version in .* is not a string"),
        (b'{"version": "\xff"}', "is not UTF-8"),
        (b"[" * 500, "is cut off|nested deeper"),
        (b'{"version": "1.0.0", "x": "' + b"y" * 2**20 + b'"}', "is larger than 1 MiB"),
    ],
)
def test_a_json_file_of_another_shape(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(ConfigError, match=message):
        schema_version(name, None, tmp_path)


def test_a_file_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "package.json").mkdir()
    with pytest.raises(ConfigError, match=r"package\.json cannot be read: Is a directory"):
        schema_version("package.json", None, tmp_path)
