"""Whether the version that a server reports is its own, its library's, or one that its project left behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcp_governor.surface import Surface, build_surface
from mcp_governor.version_sources import suggest_source, suggesting

PYPROJECT = '[project]\nname = "codetree"\nversion = "0.2.0"\n'
LOCK = (
    '[[package]]\nname = "anyio"\nversion = "4.1.2"\n\n[[package]]\nname = "fastmcp"\nversion = "4.1.2"\nsource = {}\n'
)


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No library of the environment that runs the tests."""
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    monkeypatch.delenv("UV_PROJECT_ENVIRONMENT", raising=False)
    monkeypatch.setattr(suggesting, "own_environment", lambda: ())


def server(version: str | None, **more: str) -> Surface:
    return build_surface({"serverInfo": {"name": "x"} | ({"version": version} if version else {}), **more})


def write(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


@pytest.mark.parametrize(
    ("reported", "files"),
    [
        ("0.2.0", {"pyproject.toml": PYPROJECT}),
        ("0.2.0", {"pyproject.toml": PYPROJECT, "uv.lock": LOCK.replace("4.1.2", "0.2.0")}),  # a coincidence
        ("1.0.0", {}),
        ("1.0.0", {"package.json": '{"version": "0.0.0-development"}'}),
        ("1.0.0", {"pyproject.toml": "[project\n", "package.json": "[]"}),
        # One of two projects in a folder is the server's.
        ("1.0.0", {"pyproject.toml": PYPROJECT, "package.json": '{"version": "1.0.0"}'}),
        ("1.0.0", {"s.py": 'FastMCP("x", version="1.0.0")\n'}),
        ("1.0.0", {"s.py": 'FastMCP("x", version=own())\n'}),
    ],
)
def test_the_server_is_believed(tmp_path: Path, reported: str, files: dict[str, str]) -> None:
    write(tmp_path, files)
    found = suggest_source(server(reported), tmp_path)
    assert (found.spec, found.reason, found.version.text, found.library) == ("serverInfo", "", reported, "")


@pytest.mark.parametrize(
    ("reported", "files", "spec", "version", "reason"),
    [
        (
            "4.1.2",
            {"pyproject.toml": PYPROJECT, "uv.lock": LOCK, "src/codetree/s.py": "\nmcp = FastMCP('codetree')\n"},
            "pyproject.toml",
            "0.2.0",
            "The server reports 4.1.2, the version of FastMCP: FastMCP(…) in src/codetree/s.py line 2 sets no version.",
        ),
        (
            "1.27.0",
            {"pyproject.toml": PYPROJECT, ".venv/lib/python3.13/site-packages/mcp-1.27.0.dist-info/METADATA": ""},
            "pyproject.toml",
            "0.2.0",
            "The server reports 1.27.0, the version of the MCP SDK.",
        ),
        (
            "1.27.0",
            {"pyproject.toml": PYPROJECT, "s.py": "app = Server[object]('x')\n"},
            "pyproject.toml",
            "0.2.0",
            "The server reports 1.27.0, the version of its library: Server(…) in s.py line 1 sets no version.",
        ),
        (
            "0.2.0",
            {"package.json": '{\n"version": "2026.8.31"}'},
            "package.json",
            "2026.8.31",
            "The server reports 0.2.0, and package.json line 2 says 2026.8.31.",
        ),
        (
            None,
            {"pyproject.toml": PYPROJECT},
            "pyproject.toml",
            "0.2.0",
            "The server reports no version, and pyproject.toml line 3 says 0.2.0.",
        ),
        (
            "9.0.0",
            {
                "pyproject.toml": '[project]\nname = "x-y"\ndynamic = ["version"]\n[tool.setuptools_scm]\n',
                ".venv/lib/python3.13/site-packages/x_y-1.4.0.dist-info/METADATA": "Version: 1.4.0\n",
            },
            "distribution:x-y",
            "1.4.0",
            "The server reports 9.0.0, and distribution:x-y "
            "(.venv/lib/python3.13/site-packages/x_y-1.4.0.dist-info) says 1.4.0.",
        ),
        (
            "4.1.2",
            {"uv.lock": LOCK},
            "0.1.0",
            "0.1.0",
            "The server reports 4.1.2, the version of FastMCP.",
        ),
        ("rolling", {}, "0.1.0", "0.1.0", "The server reports rolling, which is not a numeric version."),
        (None, {}, "0.1.0", "0.1.0", "The server reports no version."),
    ],
)
def test_another_source_is_suggested(
    tmp_path: Path, reported: str | None, files: dict[str, str], spec: str, version: str, reason: str
) -> None:
    write(tmp_path, files)
    found = suggest_source(server(reported), tmp_path)
    assert (found.spec, found.version.text, found.reason) == (spec, version, reason)
    assert found.version.spec == spec


def test_a_release_that_the_target_pins_is_the_version(tmp_path: Path) -> None:
    write(tmp_path, {"pyproject.toml": PYPROJECT})
    found = suggest_source(server("4.1.2", release="0.1.9"), tmp_path)
    assert (found.spec, found.version.text) == ("serverInfo", "0.1.9")


def test_a_huge_lock_is_passed_over(tmp_path: Path) -> None:
    write(tmp_path, {"pyproject.toml": PYPROJECT, "uv.lock": LOCK + "#" * 2**23})
    assert suggest_source(server("4.1.2"), tmp_path).reason == (
        "The server reports 4.1.2, and pyproject.toml line 3 says 0.2.0."
    )
