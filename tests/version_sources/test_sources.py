"""Distributions, tags and the version itself as sources; and what messages say about where a version is set."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from mcp_governor.errors import ConfigError
from mcp_governor.surface import build_surface
from mcp_governor.version_sources import SchemaVersion, Written, schema_version

PYPROJECT = '[project]\nname = "My.Server"\nversion = "0.2.0"\n'


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    monkeypatch.delenv("UV_PROJECT_ENVIRONMENT", raising=False)


def install(environment: Path, folder: str, metadata: str | None = None) -> None:
    made = environment / "lib/python3.12/site-packages" / folder
    made.mkdir(parents=True)
    if metadata is not None:
        (made / "METADATA").write_text(metadata)


def git(folder: Path, *words: str) -> None:
    subprocess.run(
        ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", *words], cwd=folder, check=True, timeout=60
    )


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "server"
    root.mkdir()
    git(root, "init", "-q")
    git(root, "commit", "-q", "--allow-empty", "-m", "one")
    return root


def test_the_project_that_is_the_distribution_states_its_version(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(PYPROJECT)
    install(tmp_path / ".venv", "my_server-0.1.0.dist-info", "Name: my-server\nVersion: 0.1.0\n")
    found = schema_version("distribution:my-server", None, tmp_path)
    assert (found.text, found.source) == ("0.2.0", "pyproject.toml:3")
    assert found.lags("0.3.0") == "pyproject.toml line 3 still says 0.2.0; set it to 0.3.0"


@pytest.mark.parametrize(
    "folder", ["My_Server-0.1.0.dist-info", "my.server-9.dist-info", "my_server-9-py3.12.egg-info"]
)
def test_the_metadata_in_the_environment_of_the_project(tmp_path: Path, folder: str) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "another"\nversion = "7.0.0"\n')
    install(tmp_path / ".venv", "server-5.0.0.dist-info", "Version: 5.0.0\n")
    install(tmp_path / ".venv", folder, "Metadata-Version: 2.3\nName: x\nVersion: 0.1.0\n\nVersion: 4\n")
    found = schema_version("distribution:my-server", None, tmp_path)
    assert found.text == "0.1.0"
    assert found.source == f"distribution:my-server (.venv/lib/python3.12/site-packages/{folder})"
    assert found.advice("0.2.0") == "set it to 0.2.0 in the project, and install the project again"


def test_a_distribution_without_readable_metadata_is_reported_by_its_folder(tmp_path: Path) -> None:
    install(tmp_path / ".venv", "my_server-0.1.0_rc1.dist-info")
    assert schema_version("distribution:my-server", None, tmp_path).text == "0.1.0-rc1"


def test_the_environment_that_runs_us_comes_last(tmp_path: Path) -> None:
    from importlib.metadata import version

    found = schema_version("distribution:pytest", None, tmp_path)
    assert found.text == version("pytest")
    install(tmp_path / ".venv", "pytest-0.0.1.dist-info")
    assert schema_version("distribution:pytest", None, tmp_path).text == "0.0.1"


def test_an_environment_that_the_shell_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "elsewhere", "pytest-0.0.2.dist-info")
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "elsewhere"))
    assert schema_version("distribution:pytest", None, tmp_path / "x").text == "0.0.2"
    install(tmp_path / "x/uv", "pytest-0.0.3.dist-info")
    monkeypatch.setenv("UV_PROJECT_ENVIRONMENT", "uv")
    assert schema_version("distribution:pytest", None, tmp_path / "x").text == "0.0.3"


def test_a_distribution_that_is_not_installed(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no-such is installed neither in the project's environment"):
        schema_version("distribution:no-such", None, tmp_path)
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "no-such"\ndynamic = ["version"]\n[tool.setuptools_scm]\n'
    )
    with pytest.raises(
        ConfigError, match=r"next to mcp-governor\. pyproject\.toml does not state a version: setuptools-scm"
    ):
        schema_version("distribution:no-such", None, tmp_path)


@pytest.mark.parametrize("spec", ["distribution:", "distribution:../x", "distribution:a b", "distribution:-e"])
def test_what_is_not_a_name_of_a_distribution(tmp_path: Path, spec: str) -> None:
    with pytest.raises(ConfigError, match="does not name a distribution"):
        schema_version(spec, None, tmp_path)


def test_the_latest_release_tag(repository: Path) -> None:
    for tag in ("v1.9.0", "v1.10.0", "v2.0.0rc1", "nightly"):
        git(repository, "tag", tag)
        git(repository, "commit", "-q", "--allow-empty", "-m", tag)
    found = schema_version("git-tag", None, repository)
    assert (found.text, found.source, found.tagged) == ("1.10.0", "the git tag v1.10.0", True)
    assert found.for_release("1.11.0").text == "1.11.0"
    assert found.lags("1.11.0") == ("the latest release tag still is 1.10.0; commit the release and tag it 1.11.0")


def test_a_commit_that_is_tagged_has_the_version_of_its_tag(repository: Path) -> None:
    git(repository, "tag", "v1.10.0")
    git(repository, "commit", "-q", "--allow-empty", "-m", "two")
    git(repository, "tag", "-m", "candidate", "v2.0.0rc1")
    assert schema_version("git-tag", None, repository).text == "2.0.0rc1"


def test_tags_of_one_package_of_several(repository: Path) -> None:
    for tag in ("server-1.2.0", "other@3.0.0", "v9.0.0"):
        git(repository, "tag", tag)
        git(repository, "commit", "-q", "--allow-empty", "-m", tag)
    assert schema_version("git-tag", None, repository).text == "1.2.0"  # named after the folder
    assert schema_version("git-tag:other", None, repository).text == "3.0.0"
    with pytest.raises(ConfigError, match="no tag of third reachable from HEAD is a version"):
        schema_version("git-tag:third", None, repository)


def test_without_tags(repository: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no tag reachable from HEAD is a version"):
        schema_version("git-tag", None, repository)
    git(repository, "tag", "v1.0.0")
    git(repository, "commit", "-q", "--allow-empty", "-m", "two")
    git(tmp_path, "clone", "-q", "--depth=1", "--no-tags", f"file://{repository}", "clone")
    with pytest.raises(ConfigError, match="no release tag is in this shallow clone") as caught:
        schema_version("git-tag", None, tmp_path / "clone")
    assert "git fetch" in caught.value.hint


@pytest.mark.parametrize("spec", ["1.0.0", "v2", "2026.08.1", "2026-08-01", "1!2.0rc1"])
def test_the_version_itself(tmp_path: Path, spec: str) -> None:
    config = tmp_path / "mcp-governor.toml"
    config.write_text(f'# schema-version = "{spec}"\nschema-version = "{spec}" # here\n')
    found = schema_version(spec, None, tmp_path)
    assert (found.text, found.source, found.place) == (spec, "the configuration", Written("mcp-governor.toml", 2))
    assert found.lags("3") == f"the configuration still says {spec}; set it to 3 in mcp-governor.toml line 2"
    named = tmp_path / "sub" / "own.toml"
    named.parent.mkdir()
    named.write_text(f'target = "x"\n\n\nschema-version = "{spec}"\n')
    assert schema_version(spec, None, tmp_path, config=named).place == Written("sub/own.toml", 4)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("pyproject.tml", r'Did you mean "pyproject\.toml"\?'),
        ("serverinfo", r'Did you mean "serverInfo"\?'),
        ("git-tags", r'Did you mean "git-tag"\?'),
        ("", "is neither a version nor a source"),
        ("1.0.0 beta", "is neither a version nor a source"),
        ("npm:thing", "was not found"),
        ("a-b:c", "is neither a version nor a source"),
        ("git-tag:a b", "is neither git-tag nor git-tag:NAME"),
    ],
)
def test_what_is_not_a_source(tmp_path: Path, spec: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        schema_version(spec, None, tmp_path)


def reported(root: Path, version: str | None = "0.2.0") -> SchemaVersion:
    server = {"name": "x"} if version is None else {"name": "x", "version": version}
    return schema_version("serverInfo", build_surface({"serverInfo": server}), root)


@pytest.mark.parametrize(
    ("files", "place"),
    [
        ({"pyproject.toml": PYPROJECT}, "pyproject.toml line 3"),
        ({"package.json": '{\n"version": "0.2.0"}'}, "package.json line 2"),
        (
            {"pyproject.toml": PYPROJECT, "src/s.py": 'mcp = FastMCP(\n  "x",\n  version="0.2.0",\n)\n'},
            "src/s.py line 3",
        ),
        (
            {
                "pyproject.toml": PYPROJECT,
                "src/s.py": 'V = "1"\nVERSION = "0.2.0"\nmcp = FastMCP("x", version=VERSION)\n',
            },
            "src/s.py line 2",
        ),
        ({"pyproject.toml": PYPROJECT, "src/s.py": 'mcp = FastMCP("x", version=v())\n'}, "pyproject.toml line 3"),
        ({"pyproject.toml": PYPROJECT, "src/s.py": 'Other(version="0.2.0")\nFastMCP(\n'}, "pyproject.toml line 3"),
        ({"pyproject.toml": PYPROJECT, "tests/s.py": 'FastMCP(version="0.2.0")\n'}, "pyproject.toml line 3"),
        (
            {
                "package.json": '{"version": "9"}',
                "src/i.ts": "const s = new McpServer({\n name: 'x', version: '0.2.0' });\n",
            },
            "src/i.ts line 2",
        ),
        ({"package.json": '{"version": "9"}', "node_modules/i.js": "new Server({version: '0.2.0'})"}, None),
        ({"s.py": 'FastMCP(version="0.2.0")\n'}, None),  # the folder of no project is not searched
        ({"pyproject.toml": '[project]\nversion = "0.3.0"\n'}, None),
        ({"pyproject.toml": "[project\n", "package.json": "{"}, None),
    ],
)
def test_where_the_version_of_a_server_is_written(tmp_path: Path, files: dict[str, str], place: str | None) -> None:
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    found = reported(tmp_path)
    assert found.written is None
    assert (str(found.place) if found.place else None) == place
    where = f"in {place}" if place else "where the server is made"
    assert found.lags("0.3.0") == f"the server still reports 0.2.0; set it to 0.3.0 {where}"


def test_a_server_that_reports_no_version(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(PYPROJECT)
    assert reported(tmp_path, None).lags("0.3.0") == (
        "the server reports no version; set it to 0.3.0 where the server is made"
    )


def test_hostile_source_names_no_place_and_ends(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    (tmp_path / "deep.py").write_text("FastMCP(" * 3000 + ' "0.2.0"')
    (tmp_path / "bad.py").write_bytes(b'FastMCP(version="0.2.0") \xff')
    (tmp_path / "large.py").write_text('FastMCP(version="0.2.0")\n' + "#" * 600_000)
    (tmp_path / "link.py").symlink_to("/dev/zero")
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "server.ts").write_text("new Server(" + "version: '" * 50_000 + "0.2.0")
    assert reported(tmp_path).place is None
