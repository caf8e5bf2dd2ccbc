"""The only way to run git. A repository may be crafted to run programs; this module prevents that.

Only commands that read objects and refs are run; they do not use the index, the work tree, hooks or filters. Everything
else that could run a program is switched off: programs in the configuration of a repository, all transports (a missing
object would be fetched by a program that the repository chooses), and folders that only look like a repository.

A job of CI also fetches what its shallow clone lacks (:func:`ask_remote`), and names it (:func:`name_commit`).
"""

from __future__ import annotations

import contextlib
import os
import re
from contextvars import ContextVar
from typing import TYPE_CHECKING, NamedTuple

from mcp_governor.errors import MissingDependencyError, TargetError, UsageError
from mcp_governor.files import MEBIBYTE, read_bytes
from mcp_governor.lazy import lazy_pattern
from mcp_governor.programs import find_program
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

SECONDS = 20.0
"""Timeout for one call, in seconds. Listing 30,000 tags takes a third of a second. A timeout ends the run with an
error."""

MAX_ANSWER = 8 * MEBIBYTE
"""Largest output other than a file, in bytes: 20,000 tags with names of 100 characters have 3 MB. More is an error."""

MEMORY = 256 * MEBIBYTE
"""Limit on git's own memory, in bytes, if the system supports it: a small stored object can have any size when it is
read."""

# These take precedence over all configuration files.
_SETTINGS = {
    "safe.bareRepository": "explicit",  # a folder in the work tree that looks like a repository is not one
    "protocol.allow": "never",
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.pager": "cat",
    "core.sshCommand": "false",
    "core.gitProxy": "false",
    "core.askPass": "false",
    "core.alternateRefsCommand": "false",
    "core.bigFileThreshold": "1m",  # larger objects are streamed, not held in memory
    "core.packedGitWindowSize": "16m",
    "core.packedGitLimit": "128m",
    "credential.helper": "",
    "diff.external": "",
    "fetch.recurseSubmodules": "false",
    "gc.auto": "0",
    "gpg.program": "false",
    "maintenance.auto": "false",
    "submodule.recurse": "false",
}

_VARIABLES = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_PAGER": "cat",
    "GIT_ASKPASS": "false",
    "SSH_ASKPASS": "false",
    "GIT_SSH_COMMAND": "false",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_ALLOC_LIMIT": f"{MEMORY // MEBIBYTE}m",
    "LC_ALL": "C",
}

# Variables for the user's own configuration are kept, because it may set safe.directory. Variables that point git to
# another repository are not: git sets them for hooks, and we pass the folder ourselves.
_KEPT = ("GIT_CONFIG", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_EXEC_PATH")


FETCH_SECONDS = 120.0
"""Timeout for one call that talks to a remote, in seconds: 5,000 commits of a large repository take about a minute."""

_REMOTE_SETTINGS = {key: value for key, value in _SETTINGS.items() if key != "protocol.allow"}
_REMOTE_VARIABLES = {
    **{name: value for name, value in _VARIABLES.items() if name != "GIT_ALLOC_LIMIT"},
    # ssh, git and ext run programs that a configuration names.
    "GIT_ALLOW_PROTOCOL": "https:http:file",
}

_HARMLESS = lazy_pattern(
    r"core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol"
    r"|safecrlf|longpaths|sparsecheckout\w*|untrackedcache|protecthfs|protectntfs|sharedrepository|abbrev|quotepath)"
    r"|remote\..+\.(url|pushurl|fetch|tagopt|prune|promisor|partialclonefilter|gh-resolved)"
    r"|http\..+\.(extraheader|sslcainfo)|include\.path|includeif\..+\.path|extensions\.\w+"
    r"|fetch\.(prune|prunetags|parallel|recursesubmodules)"
    # These sections are not read by a command that fetches.
    r"|(advice|alias|author|branch|color|commit|committer|diff|filter|gc|init|lfs|log|maintenance|merge|pack|pull|push"
    r"|rebase|status|submodule|user)\..+",
    re.DOTALL,
)
"""Keys of a repository's configuration with which git fetches as it does without them. All others may run a program or
send the request, and the token with it, elsewhere: ``remote.NAME.uploadpack``, ``credential.URL.helper``,
``url.NAME.insteadOf``, ``http.proxy`` (git-config(1), git 2.52)."""


class Answer(NamedTuple):
    """The output of git.

    Attributes:
        code: its exit status.
        out: standard output.
        problem: the last line of standard error, if a remote was asked; otherwise it is not read.
    """

    code: int
    out: bytes
    problem: str = ""

    @property
    def lines(self) -> list[str]:
        """The output as lines of text."""
        return self.out.decode(errors="replace").splitlines()


_MAX_KEPT = 32 * MEBIBYTE
"""Most output that is cached, in bytes: twice the largest surface file, plus lists. Beyond that, git is run again."""

_LOOK: ContextVar[dict[tuple[str, ...], Answer] | None] = ContextVar("look", default=None)


@contextlib.contextmanager
def one_look() -> Iterator[None]:
    """Cache the output of git inside the block, so that a run sees one state of the repository and starts few
    processes.

    Use it for one run only, because the next run must see new commits and tags.
    """
    if _LOOK.get() is not None:
        yield
        return
    token = _LOOK.set({})
    try:
        yield
    finally:
        _LOOK.reset(token)


def ask_git(folder: Path, *arguments: str, asked: bytes = b"", most: int = MAX_ANSWER) -> Answer:
    """Run a git command that only reads, or return its cached output (:func:`one_look`).

    Args:
        folder: a folder of the work tree.
        arguments: a plumbing command (``rev-parse``, ``cat-file``, ``for-each-ref``) and its arguments.
        asked: its standard input.
        most: maximum size of its output, in bytes.

    Returns:
        The output. If ``folder`` is not in a repository that git may read, git is not run, and the status is 128.

    Raises:
        MissingDependencyError: git is not installed.
        TargetError: git took longer than :data:`SECONDS`, or its output is larger than ``most``.
    """
    kept = _LOOK.get()
    question = (str(folder), *arguments, asked.decode("latin-1"))
    if kept is not None and question in kept:
        return kept[question]
    answer = _ask(folder, arguments, asked, most)
    if kept is not None and sum(len(known.out) for known in kept.values()) + len(answer.out) <= _MAX_KEPT:
        kept[question] = answer
    return answer


def name_commit(folder: Path, ref: str, commit: str) -> bool:
    """Let a ref stand for a commit; false if git refuses.

    Args:
        folder: a folder of the work tree.
        ref: its full name, ``refs/…``.
        commit: its id.
    """
    return _ask(folder, ("update-ref", "--no-deref", ref, commit), b"", MAX_ANSWER).code == 0


def ask_remote(folder: Path, *arguments: str, header: tuple[str, str] | None = None) -> Answer:
    """Run ``fetch`` or ``ls-remote`` for a remote that is reached by https, http, or a path.

    Nothing but the transport runs: no helper, hook or other program, and nothing that the repository configures.

    Args:
        folder: a folder of the work tree.
        arguments: the command, its options, the remote, and what to fetch.
        header: an address, and the HTTP header that its requests get; not on the command line, which others can read.

    Raises:
        MissingDependencyError: git is not installed.
        UsageError: the repository configures how to fetch.
        TargetError: git took longer than :data:`FETCH_SECONDS`, or its output is larger than :data:`MAX_ANSWER`.
    """
    _refuse_configured(folder)
    count = int(os.environ.get("GIT_CONFIG_COUNT") or 0) if header is not None else 0
    more = (
        {}
        if header is None
        else {
            "GIT_CONFIG_COUNT": str(count + 1),
            f"GIT_CONFIG_KEY_{count}": f"http.{header[0]}/.extraheader",
            f"GIT_CONFIG_VALUE_{count}": header[1],
        }
    )
    command, *words = arguments
    return _ask(folder, (command, "--upload-pack=git-upload-pack", *words), b"", MAX_ANSWER, remote=more)


def _refuse_configured(folder: Path) -> None:
    """Refuse a repository whose own configuration says how to fetch; that of the user and the system is trusted."""
    listed = ask_git(folder, "config", "--list", "--show-scope", "--name-only")
    if listed.code != 0:
        raise UsageError("git cannot list the configuration of this repository.", "Use git 2.26 or newer.")
    overridden = {key.lower() for key in _SETTINGS}
    for line in listed.lines:
        scope, _, key = line.partition("\t")
        if scope in ("local", "worktree") and key not in overridden and _HARMLESS.fullmatch(key) is None:
            raise UsageError(
                f"Nothing is fetched: the configuration of this clone has {one_line(key, 80)}, which could run a "
                "program or redirect the request.",
                "Remove it from the configuration, or check out the whole history (fetch-depth: 0).",
            )


def _ask(
    folder: Path,
    arguments: tuple[str, ...],
    asked: bytes,
    most: int,
    remote: Mapping[str, str] | None = None,
) -> Answer:
    """Run git. ``remote``: variables for a command that talks to a remote; ``None`` for all others."""
    import subprocess

    from mcp_governor.programs.child import output_of

    if not in_repository(folder):
        return Answer(128, b"")
    program = find_program("git")
    if program is None:
        raise MissingDependencyError("git is not installed.", "Install git, or name a surface file.")
    chosen, seconds = (_SETTINGS, SECONDS) if remote is None else (_REMOTE_SETTINGS, FETCH_SECONDS)
    settings = [word for key, value in chosen.items() for word in ("-c", f"{key}={value}")]
    output = output_of(
        (program, "-C", str(folder), "--no-pager", "--no-optional-locks", *settings, *arguments),
        asked,
        seconds=seconds,
        most=most,
        stderr=subprocess.DEVNULL if remote is None else subprocess.PIPE,
        env=_environment(_VARIABLES if remote is None else {**_REMOTE_VARIABLES, **remote}),
        memory=MEMORY if remote is None else None,
    )
    if output.late:
        raise TargetError(f"git did not answer within {seconds:.0f} seconds.", "Try again.")
    if output.out is None:
        raise TargetError(f"git answered more than {most // MEBIBYTE} MiB.", "Name a surface file instead.")
    lines = output.said.decode(errors="replace").strip().splitlines()
    return Answer(output.code, output.out, one_line(lines[-1], 300) if lines else "")


def _environment(variables: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name.startswith(_KEPT)}
    return {**kept, **variables}


def in_repository(folder: Path) -> bool:
    """True if the nearest repository at or above a folder has a work tree, judged by its files.

    git before 2.38 does not support ``safe.bareRepository`` and accepts any folder that looks like a repository. So we
    check ourselves if ``.git`` comes first.
    """
    try:
        here = folder.resolve()
    except (OSError, RuntimeError):
        return False
    for place in (here, *here.parents):
        if _is_git(place / ".git"):
            return True
        if _looks_bare(place):
            return False
    return False


def _is_git(path: Path) -> bool:
    """True if git would accept ``.git`` as a repository, or as a file with its location."""
    if path.is_dir():
        return _looks_bare(path) or (path / "HEAD").is_file()
    try:
        return read_bytes(path, limit=65_536).startswith(b"gitdir: ")
    except OSError:
        return False


def _looks_bare(folder: Path) -> bool:
    return (folder / "HEAD").exists() and (folder / "objects").exists() and (folder / "refs").exists()
