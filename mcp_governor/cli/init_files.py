"""What ``init`` writes for a repository in addition to its configuration: a CI workflow and a pre-commit hook.

Nothing that is there is overwritten. An existing ``.pre-commit-config.yaml`` gets the hook appended where its list of
repositories ends the file; whatever cannot be written safely is handed back as text to paste.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, NamedTuple

from mcp_governor.config import OWN_FILE
from mcp_governor.files import MAX_TEXT_BYTES, read_bytes, repository_of
from mcp_governor.installation import REQUIRED, VARIABLE

if TYPE_CHECKING:
    from mcp_governor.wire import Endpoint

WORKFLOWS = ".github/workflows"
GITLAB = ".gitlab-ci.yml"
HOOKS = ".pre-commit-config.yaml"
HOOK_FILES = (
    r"(^|/)(mcp-surface\.json|mcp-schema-changelog\.md|mcp-lint-baseline\.json|mcp-governor\.toml|pyproject\.toml"
    r"|package\.json|server\.json)$"
)
"""Files whose change the hook looks at; the same as in our ``.pre-commit-hooks.yaml``."""


_SOURCE_FILES = r"\.(py|pyi|js|mjs|cjs|jsx|ts|mts|cts|tsx|go|rs|java|kt|cs|rb|php|swift|ex)$"
"""Sources of any server; our ``.pre-commit-hooks.yaml`` names them with what decides about dependencies."""


class Offer(NamedTuple):
    """One file for the repository.

    Attributes:
        path: where it belongs.
        text: its new content; ``None`` if it is not safe to write.
        what: what it is for; where ``text`` is ``None``, what to do with ``paste``.
        paste: the part that a person can paste.
    """

    path: Path
    text: str | None
    what: str
    paste: str = ""


def ci_offers(folder: Path, endpoint: Endpoint, secrets: tuple[str, ...] = (), *, force: bool = False) -> list[Offer]:
    """The workflow for GitHub, unless only GitLab is used here; for GitLab a job to paste."""
    top = repository_of(folder)
    needs = _needs(folder, top, endpoint)
    asks = VARIABLE in _ours()
    offers = []
    gitlab = top / GITLAB
    if not gitlab.exists() or (top / ".github").exists():
        path = top / WORKFLOWS / f"{_job_name(folder, top)}.yml"
        text = None if path.exists() and not force else _workflow(folder, top, needs, secrets)
        what = "checks pull requests, the main branch and tags; a label approves a break"
        offers.append(Offer(path, text, f"{what}; {_SET_IT}" if asks else what))
    if gitlab.exists():
        what = f"add this job; {_SET_IT}" if asks else "add this job"
        offers.append(Offer(gitlab, None, what, _gitlab_job(folder, top, needs)))
    return offers


def hook_offer(folder: Path) -> Offer:
    """The pre-commit hook: a new configuration, or the existing one with the hook at its end."""
    top = repository_of(folder)
    path = top / HOOKS
    config = (folder.relative_to(top) / OWN_FILE).as_posix()
    here = folder == top
    item = _hook_item(folder, top, "" if here else f" --config {_shell_word(config)}")
    what = "checks commits that change the recording; enable it: pre-commit install"
    if not path.exists():
        return Offer(path, f"repos:\n{indent(item, '  ')}", what)
    try:
        old = read_bytes(path, limit=MAX_TEXT_BYTES).decode()
    except (OSError, UnicodeDecodeError):
        return Offer(path, None, "add this to its `repos`", item)
    if ("id: mcp-governor" if here else config) in old:
        return Offer(path, None, "already has the hook")
    margin = _margin_of_last_list(old)
    if margin is None:
        return Offer(path, None, "add this to its `repos`", item)
    ended = old if old.endswith("\n") else f"{old}\n"
    return Offer(path, ended + indent(item, margin), f"gets one more hook: {what}")


class _Needs(NamedTuple):
    """What a machine needs before it can start the server: shell commands, if Node.js is among it, and if all of it is
    known."""

    commands: tuple[str, ...]
    node: bool = False
    found: bool = True


def _needs(folder: Path, top: Path, endpoint: Endpoint) -> _Needs:
    from mcp_governor.target.discover.python_projects import PythonProject
    from mcp_governor.target.packages import RUNNERS
    from mcp_governor.wire import StdioEndpoint

    program = Path(endpoint.command[0]).name if isinstance(endpoint, StdioEndpoint) else ""
    if program in ("node", "npx", "npm"):
        return _Needs(_node_steps(folder, top), node=True)
    if program in _LOCKING:
        return _Needs((f"pip install {program}", _LOCKING[program]))
    # A server object brings the SDK that it runs on, and may pin it: our extras cannot decide that.
    local = bool(program) and program not in RUNNERS
    if (local or program == "uv") and (locked := _locked(folder, top)) is not None:
        tool, install = locked
        return _Needs((f"pip install {_shell_word(tool)}", install))
    if program in ("uv", "uvx"):
        return _Needs((f"pip install {_shell_word(REQUIRED['run'])}",))
    theirs = PythonProject(folder, top).source if local else ""
    return _Needs(
        (f"python -m venv .venv && .venv/bin/pip install {theirs}",) if theirs else (), found=not local or bool(theirs)
    )


def _ours() -> str:
    """From what CI installs us, as a word for a shell: a requirement, or a variable where only this machine has us."""
    from mcp_governor.installation import NAME, Origin, git_address, origin, requirement
    from mcp_governor.target.git import remote_of

    where = origin()
    if where.folder is not None and where.folder.is_dir():
        remote, commit = remote_of(where.folder)
        address = git_address(remote)
        where = Origin(address, commit) if address else where
    wanted = requirement(where)
    return _shell_word(wanted) if wanted else f'"${{{VARIABLE}:?set it to what pip installs {NAME} from}}"'


_LOCKING = {"poetry": "poetry install", "pdm": "pdm install", "pipenv": "pipenv sync"}
"""Programs that start a server in the environment that its lock file describes; ``uv run`` makes it by itself."""

_LOCKS = {
    "uv.lock": (REQUIRED["run"], "uv sync --locked"),
    "poetry.lock": ("poetry", "POETRY_VIRTUALENVS_IN_PROJECT=true poetry install"),
    "pdm.lock": ("pdm", "pdm sync"),
}
"""Lock file → what installs it, as a requirement, and the command. Each makes the environment ``.venv``, in which
mcp-governor finds the programs and objects of a project."""


def _locked(folder: Path, top: Path) -> tuple[str, str] | None:
    """How a project is installed from its lock file; ``None`` if it has none."""
    folders = (folder, top)
    return next((_LOCKS[name] for name in _LOCKS for place in folders if (place / name).is_file()), None)


_BUILD = "npm run build --if-present"


def _node_steps(folder: Path, top: Path) -> tuple[str, ...]:
    """How a checkout gets its packages and its build, by the lock file that is there."""
    from mcp_governor.target.discover.node import has_build, install_command

    if not (folder / "package.json").is_file():
        return ()
    install = install_command(folder, top)
    manager = install.partition(" ")[0]
    if manager == "npm":
        return (install, _BUILD)
    # corepack is pnpm and yarn in the version that packageManager names. Node.js 25 and later come without it;
    # --force is for older images, which have a yarn of their own.
    bring = "npm install --global " + ("bun" if manager == "bun" else "--force corepack")
    return (bring, install, *((f"{manager} run build",) if has_build(folder) else ()))


_SET_IT = (
    f"first set the variable {VARIABLE} of your CI to a requirement for pip (git+https://..., or the URL of a wheel)"
)

_MISSING = "# Also install what the server needs, Python packages into .venv (python -m venv .venv).\n"


def _workflow(folder: Path, top: Path, needs: _Needs, secrets: tuple[str, ...]) -> str:
    place, name = folder.relative_to(top).as_posix(), _job_name(folder, top)
    inside = paths = ""
    if folder != top:
        inside = f"    defaults:\n      run:\n        working-directory: {json.dumps(place)}\n"
        paths = f"    paths: {json.dumps([f'{place}/**', f'{WORKFLOWS}/{name}.yml'])}\n"
    node = "      - uses: actions/setup-node@v5\n        with:\n          node-version: lts/*\n" if needs.node else ""
    ours = _ours()
    asked = f"        env:\n          {VARIABLE}: ${{{{ vars.{VARIABLE} }}}}\n" if VARIABLE in ours else ""
    missing = "" if needs.found else indent(_MISSING, " " * 6)
    install = "".join(f"      - run: {command}\n" for command in needs.commands)
    given = "".join(f"          {name}: ${{{{ secrets.{name} }}}}\n" for name in secrets)
    given = f"        env:\n{given}" if given else ""
    program = '"$RUNNER_TEMP"/governor/bin/mcp-governor'
    for_api = "        env:\n          MCP_GOVERNOR_GITHUB_TOKEN: ${{ github.token }}\n"
    return f"""\
name: {name}
# Runs once per commit: a branch is checked as a pull request and in the merge queue, a tag as a release.
on:
  push:
    branches: [{_branches(top)}]
    tags: ["**"]
{paths}  pull_request:
    # A label approves breaking changes, so the check runs again when labels change.
    types: [opened, synchronize, reopened, labeled, unlabeled]
{paths}  merge_group:
permissions:
  contents: read
  pull-requests: write # to read labels and to comment
concurrency:
  group: ${{{{ github.workflow }}}}-${{{{ github.ref }}}}
  cancel-in-progress: ${{{{ github.event_name == 'pull_request' }}}}
jobs:
  check:
    runs-on: ubuntu-latest
    timeout-minutes: 20
{inside}    steps:
      - uses: actions/checkout@v5
        with:
          # The baseline is the surface at the latest release tag.
          fetch-depth: 0
          # Keeps the token out of .git/config, where the server could read it.
          persist-credentials: false
      - uses: actions/setup-python@v6
        with:
          python-version: {_python_version()}
{node}      # Outside of the checkout, in which a file may be named like a module of Python.
      - run: cd "$RUNNER_TEMP" && python -m venv governor && governor/bin/pip install {ours}
{asked}      # Only the first and the last phase have the token; no code of the repository has run before the first.
      - run: '{program} ci --phase prepare'
{for_api}{missing}{install}      - id: check
        run: '{program} ci --phase check'
{given}      - if: always() && steps.check.outputs.verdict != ''
        run: '{program} ci --phase comment'
{for_api}"""


_BRANCH = re.compile(r"ref: refs/remotes/origin/([\w][\w./-]{0,99})\s*")


def _branches(top: Path) -> str:
    """The branch that the repository is released from, as its clone knows it; else the two usual names."""
    try:
        head = read_bytes(top / ".git" / "refs" / "remotes" / "origin" / "HEAD", limit=1024).decode()
    except (OSError, ValueError):
        head = ""
    found = _BRANCH.fullmatch(head)
    return json.dumps(found[1]) if found else "main, master"


def _gitlab_job(folder: Path, top: Path, needs: _Needs) -> str:
    check = "mcp-governor ci -- --report gitlab=gl-code-quality.json --report junit=governor.xml"
    commands = [f"pip install {_ours()}", *needs.commands, check]
    if folder != top:
        commands.insert(0, f"cd {_shell_word(folder.relative_to(top).as_posix())}")
    script = "".join(f"    - {command}\n" for command in commands)
    image = "" if needs.node else f"  image: python:{sys.version_info.major}.{sys.version_info.minor}\n"
    missing = "" if needs.found else indent(_MISSING, " " * 4)
    if needs.node:
        missing += "    # The image must have Node.js and Python 3.11 or newer.\n"
    place = "" if folder == top else f"{folder.relative_to(top).as_posix()}/"
    changes = f"      changes: [{json.dumps(f'{place}**/*')}]\n" if place else ""
    return f"""\
{_job_name(folder, top)}:
{image}  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
{changes}    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
{changes}    - if: $CI_COMMIT_TAG
  variables:
    GIT_DEPTH: "0" # release tags: the baseline is the surface at the latest one
  script:
{missing}{script}  artifacts:
    when: always
    reports:
      codequality: {json.dumps(f"{place}gl-code-quality.json")}
      junit: {json.dumps(f"{place}governor.xml")}
"""


def _python_version() -> str:
    """The version under which ``init`` has just read the server."""
    return f'"{sys.version_info.major}.{sys.version_info.minor}"'


def _hook_item(folder: Path, top: Path, options: str) -> str:
    entry, recording = (f"mcp-governor {one}{options}" for one in ("check --offline --new-only", "snapshot --check"))
    files, sources = HOOK_FILES, _SOURCE_FILES
    if options:
        place = f"^{re.escape(folder.relative_to(top).as_posix())}/"
        files = json.dumps(HOOK_FILES.replace("(^|/)", f"{place}(.*/)?"))
        sources = json.dumps(f"{place}.*{_SOURCE_FILES}")
    return f"""\
- repo: local
  hooks:
    - id: mcp-governor
      name: mcp-governor
      # Does not start the server, and does not run when only sources change; mcp-governor is looked up in PATH.
      entry: {json.dumps(entry) if options else entry}
      language: system
      pass_filenames: false
      files: {files}
    # Remove the # to check on each change of sources, too, that the recording is what the server publishes: starts it.
    #- id: mcp-governor-snapshot
    #  name: mcp-governor-snapshot
    #  entry: {json.dumps(recording) if options else recording}
    #  language: system
    #  pass_filenames: false
    #  files: {sources}
"""


_REPOS = re.compile(r"^repos:[ \t]*(?:#.*)?$", re.M)


def _margin_of_last_list(text: str) -> str | None:
    """The indentation of the items of ``repos``, where that list is in block style and ends the file."""
    found = list(_REPOS.finditer(text))
    if len(found) != 1 or "\t" in text or "\r" in text:
        return None
    margin: str | None = None
    for line in text[found[0].end() :].splitlines():
        bare = line.lstrip(" ")
        if not bare or bare.startswith("#"):
            continue
        if margin is None:
            if not bare.startswith("- "):
                return None
            margin = line[: len(line) - len(bare)]
        depth = len(line) - len(bare)
        # A key, a document marker or anything else at the level of the list or above it ends the list.
        if depth < len(margin) or (depth == len(margin) and not bare.startswith("- ")):
            return None
    return margin


def _job_name(folder: Path, top: Path) -> str:
    """The name of what runs in CI, one for each project: jobs of one name replace or cancel each other."""
    place = re.sub(r"[^A-Za-z0-9]+", "-", f"mcp-governor {folder.relative_to(top).as_posix()}")
    return place.strip("-")


def _shell_word(text: str) -> str:
    import shlex

    return shlex.quote(text)
