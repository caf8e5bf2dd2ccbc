"""Which release of a registry a baseline is: asked of the real uv and npm, with registries of our own."""

from __future__ import annotations

import json
import shutil
import sys
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from mcp_governor.checking.against.baseline import baseline_of
from mcp_governor.checking.run import check
from mcp_governor.config import Config, load_config
from mcp_governor.errors import GovernorError, TargetError, UnreachableError, UsageError
from mcp_governor.surface import Surface, build_surface, fingerprint
from mcp_governor.target import FileSource, published
from mcp_governor.target.packages import is_open, package_parts
from mcp_governor.target.published import newest_release

ROOT = Path(__file__).parents[2]
SERVER = (ROOT / "mcp_governor/demo/server.py").read_text()
RELEASES = {"0.9.0": "", "1.0.0": "", "1.1.0": "", "1.1.1": ' data-yanked="broken"', "1.2.0rc1": "", "2.0.0": ""}


def wheel(folder: Path, version: str) -> str:
    """A wheel of the example server; from 1.1.0 on it is the example's second release."""
    name = f"shelf-{version}-py3-none-any.whl"
    code = SERVER if version < "1.1" else SERVER.replace("default=1)", "default=2)")
    info = f"shelf-{version}.dist-info"
    files = {
        "shelf.py": code,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: shelf\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": "[console_scripts]\nshelf = shelf:main\n",
    }
    record = "".join(f"{path},,\n" for path in (*files, f"{info}/RECORD"))
    with zipfile.ZipFile(folder / name, "w") as made:
        for path, text in (files | {f"{info}/RECORD": record}).items():
            made.writestr(path, text)
    return name


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An index of one package, in a folder; uv reads it as it reads any other."""
    folder = tmp_path / "index" / "shelf"
    folder.mkdir(parents=True)
    links = [f'<a href="{wheel(folder, version)}"{attribute}>x</a>' for version, attribute in RELEASES.items()]
    (folder / "index.html").write_text("<!DOCTYPE html><html><body>" + "<br>".join(links) + "</body></html>")
    for name in ("UV_INDEX_URL", "UV_EXTRA_INDEX_URL", "UV_INDEX", "UV_FIND_LINKS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("UV_DEFAULT_INDEX", folder.parent.as_uri())
    monkeypatch.setenv("UV_NO_CONFIG", "1")
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("UV_PYTHON", sys.executable)
    return folder


@pytest.mark.parametrize(
    ("ours", "below", "expected"),
    [
        ("1.1.5", False, "1.1.0"),  # 1.1.1 was yanked
        ("1.1.0", False, "1.1.0"),
        ("1.1.0", True, "1.0.0"),
        ("1.2.0", False, "1.1.0"),  # and 1.2.0rc1 is a pre-release
        ("1.2.0rc2", False, "1.1.0"),
        ("v2.0.0", False, "2.0.0"),
        ("3", True, "2.0.0"),
        (None, False, "2.0.0"),
        ("2026-08-01", False, "2.0.0"),  # PyPI counts no such versions
    ],
)
def test_the_newest_release_that_is_not_newer_than_ours(
    index: Path, ours: str | None, below: bool, expected: str
) -> None:
    assert newest_release("pypi:shelf", ours, below=below) == f"pypi:shelf=={expected}"


def test_a_version_that_is_named_stays() -> None:
    assert newest_release("pypi:shelf==7.0", "1.0") == "pypi:shelf==7.0"
    assert newest_release("npm:shelf@latest", "1.0") == "npm:shelf@latest"
    assert [is_open(text) for text in ("pypi:a", "npm:@b/a:c", "pypi:a==1", "npm:a@1", "git:a", None)] == [
        True,
        True,
        False,
        False,
        False,
        False,
    ]
    assert package_parts("pypi:a[b,c]:d").pinned("1") == "pypi:a[b,c]==1:d"
    assert package_parts("npm:@x/a:d").pinned("1") == "npm:@x/a@1:d"


@pytest.mark.parametrize(
    ("target", "ours", "message"),
    [
        ("pypi:shelf", "0.1", "pypi:shelf has no release up to 0.1 to compare with: "),
        ("pypi:absent", None, "pypi:absent has no release to compare with: absent was not found"),
    ],
)
def test_a_package_without_such_a_release(index: Path, target: str, ours: str | None, message: str) -> None:
    with pytest.raises(TargetError) as caught:
        newest_release(target, ours)
    assert caught.value.message.startswith(message)
    assert caught.value.hint == f"Name a release: {target}==VERSION"


def test_a_registry_that_does_not_answer(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UV_OFFLINE", "1")
    monkeypatch.setenv("UV_DEFAULT_INDEX", "http://127.0.0.1:9/simple")
    with pytest.raises(UnreachableError, match="The registry did not list the releases of pypi:shelf") as caught:
        newest_release("pypi:shelf")
    assert "mcp-governor snapshot" in caught.value.hint


def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """A client of our own instead of uv."""
    program = tmp_path / "uv"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setattr(published, "in_our_environment", lambda name: str(program))


@pytest.mark.parametrize(
    ("script", "error", "message"),
    [
        ("sleep 60 & sleep 60", UnreachableError, "did not list the releases of pypi:shelf within 1 s."),
        ("yes", UnreachableError, "is larger than 1 MiB"),
        ("head -c 100 /dev/urandom; exit 2", UnreachableError, "did not list the releases of"),
        ("exit 0", UnreachableError, "did not list the releases of"),
        ("echo 'shelf==1; rm -rf /'", None, "pypi:shelf==1"),
        ("echo 'shelf==--upgrade'", GovernorError, "is not pypi:NAME"),
    ],
)
def test_a_client_that_misbehaves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, error: type[Exception] | None, message: str
) -> None:
    client(tmp_path, monkeypatch, script)
    monkeypatch.setattr(published, "SECONDS", 1.0)
    if error is None:
        assert newest_release("pypi:shelf", "2") == message
        return
    with pytest.raises(error, match=message):
        baseline_of(reporting("2"), Config(root=tmp_path), "pypi:shelf")


def reporting(version: str) -> Surface:
    return build_surface({"tools": [], "serverInfo": {"name": "shelf", "version": version}})


PACKUMENT = {
    "name": "shelf",
    "dist-tags": {"latest": "2.0.0"},
    "versions": {
        version: {
            "name": "shelf",
            "version": version,
            "dist": {"tarball": "http://127.0.0.1/x.tgz", "shasum": "0" * 40},
        }
        | ({"deprecated": "broken"} if version == "1.10.1" else {})
        for version in ("1.9.0", "1.10.0", "1.10.1", "1.11.0-rc.1", "2.0.0")
    },
}


class Registry(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        known = self.path == "/shelf"
        data = json.dumps(PACKUMENT if known else {"error": "Not found"}).encode()
        self.send_response(200 if known else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A registry of npm with one package."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Registry)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("npm_config_registry", f"http://127.0.0.1:{server.server_port}/")
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "npm"))
    yield
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("ours", "below", "expected"),
    [
        ("1.10.5", False, "1.10.0"),  # 1.10.1 is deprecated
        ("1.10.0", True, "1.9.0"),
        ("1.10", False, "1.10.0"),
        ("1.11.0-rc.2", False, "1.10.0"),
        (None, False, "2.0.0"),
        ("rolling", False, "2.0.0"),
    ],
)
def test_the_newest_release_of_npm(npm: None, ours: str | None, below: bool, expected: str) -> None:
    assert newest_release("npm:shelf:bin", ours, below=below) == f"npm:shelf@{expected}:bin"


@pytest.mark.parametrize(("target", "ours"), [("npm:shelf", "1.0.0"), ("npm:absent", None)])
def test_a_package_of_npm_without_such_a_release(npm: None, target: str, ours: str | None) -> None:
    with pytest.raises(TargetError, match=f"{target} has no release"):
        newest_release(target, ours)


def test_the_release_is_started_and_is_the_baseline(index: Path, tmp_path: Path) -> None:
    found = baseline_of(reporting("1.0.5"), Config(root=tmp_path), "pypi:shelf")
    assert (found.source, found.surface.version) == ("pypi:shelf==1.0.0", "1.0.0")
    newer = baseline_of(reporting("1.1.0"), Config(root=tmp_path), "pypi:shelf")
    assert (newer.source, newer.surface.release) == ("pypi:shelf==1.1.0", "1.1.0")
    assert fingerprint(newer.surface) != fingerprint(found.surface)


def test_nothing_is_asked_for_a_run_over_a_recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The configuration of a stranger cannot make it fetch."""
    monkeypatch.setattr(published, "_ask", lambda *_, **__: pytest.fail("the registry was asked"))
    recording = FileSource("now.json", tmp_path / "now.json")
    with pytest.raises(UsageError, match="is a server. It is started only to check a configured server"):
        baseline_of(reporting("1.0.0"), Config(root=tmp_path, baseline="pypi:shelf"), source=recording)


CONFIGURATION = """
target = "shelf"
baseline = "pypi:shelf"
schema-version = "pyproject.toml"

[servers.shelf]
command = ["{python}", "{server}", "--release", "2"]
"""


@pytest.fixture
def project(tmp_path: Path, index: Path) -> Path:
    """A project whose server is the second release of the example, which reports 1.1.0 whatever its project says."""
    root = tmp_path / "project"
    root.mkdir()
    (root / "server.py").write_text(SERVER)
    text = CONFIGURATION.format(python=Path(sys.executable).as_posix(), server=(root / "server.py").as_posix())
    (root / "mcp-governor.toml").write_text(text)
    return root


@pytest.mark.parametrize(
    ("version", "baseline", "step", "rules"),
    [
        ("1.0.1", "pypi:shelf==1.0.0", ("1.0.0", "1.0.1"), ["policy/bump-too-small"]),
        ("1.0.0", "pypi:shelf==1.0.0", ("1.0.0", "1.0.0"), ["policy/bump-too-small"]),
        ("1.2.0", "pypi:shelf==1.1.0", ("1.1.0", "1.2.0"), []),
        ("2.0.0", "pypi:shelf==2.0.0", ("2.0.0", "2.0.0"), []),
    ],
)
def test_a_run_compares_with_the_release_before_its_own_version(
    project: Path, version: str, baseline: str, step: tuple[str, str], rules: list[str]
) -> None:
    (project / "pyproject.toml").write_text(f'[project]\nname = "shelf"\nversion = "{version}"\n')
    report = check(load_config(project / "mcp-governor.toml"))
    assert (report.baseline.source, report.declared_versions) == (baseline, step)
    assert sorted({found.rule for found in report.findings if found.rule.startswith("policy/")}) == rules


def test_a_typed_server_does_not_start_what_the_configuration_names(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is refused before anything is started or fetched."""
    monkeypatch.setattr(published, "_ask", lambda *_, **__: pytest.fail("the registry was asked"))
    started = project / "started"
    config = load_config(project / "mcp-governor.toml")
    with pytest.raises(UsageError, match="not a recording or a target from the command line"):
        check(config=config, command=("touch", str(started)))
    assert not started.exists()
