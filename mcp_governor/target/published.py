"""Which releases a registry has, asked through the ordinary clients: uv for ``pypi:``, npm for ``npm:``.

They know the index, the mirrors and the certificates of the user, and they leave out pre-releases and releases that
were taken back. Nothing is installed here; what is found is started later, as any other package.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
from typing import TYPE_CHECKING

from mcp_governor.errors import MissingDependencyError, TargetError, UnreachableError
from mcp_governor.files import MEBIBYTE
from mcp_governor.programs import find_program
from mcp_governor.target.packages import beside_us, neutral_folder, package_parts, runner_environment
from mcp_governor.text import one_line
from mcp_governor.versions import Numbered, is_semver

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Sequence

SECONDS = 60.0
"""Seconds that a client may take to say which releases there are; it takes one or two. Beyond it the run ends with an
error."""

MAX_ANSWER = 1 * MEBIBYTE
"""Bytes of an answer: npm lists a release in some sixty, so this is a package of 15,000. More is an error."""

_PEP_440 = re.compile(
    r"v?(?:\d+!)?\d+(?:\.\d+)*(?:[-_.]?(?:alpha|a|beta|b|preview|pre|c|rc)[-_.]?\d*)?(?:-\d+|[-_.]?(?:post|rev|r)[-_.]?\d*)?"
    r"(?:[-_.]?dev[-_.]?\d*)?",
    re.ASCII | re.IGNORECASE,
)
_ANSWER = re.compile(r"^[A-Za-z0-9._-]+(?:\[[^\]\n]*\])?==(?P<version>[^\s;]+)", re.MULTILINE)
_ABSENT = re.compile(r"No solution found|not found in the package registry|E404", re.IGNORECASE)
_OFFLINE = re.compile(r"not found in the cache|network was disabled", re.IGNORECASE)
_CONCLUSION = re.compile(r",? and you require .*", re.DOTALL)


def newest_release(target: str, ours: str | None = None, *, below: bool = False) -> str:
    """A package with the release that a baseline is: the newest one that is not newer than ours.

    Args:
        target: ``pypi:NAME`` or ``npm:NAME``; one that names a version is returned as it is.
        ours: the version that is governed; ``None``, or one that the registry does not count, for the newest release.
        below: leave out ours itself, for a run that judges the very release.

    Returns:
        The target with its version: ``pypi:NAME==1.2.0``.

    Raises:
        TargetError: the package has no such release, or its name is not understood.
        UnreachableError: the registry did not answer.
        MissingDependencyError: uv or npm is not installed.
    """
    parts = package_parts(target)
    if parts.version:
        return target
    bound = _bound(parts.scheme, ours, below=below)
    version = _pypi(parts.name, bound) if parts.scheme == "pypi" else _npm(parts.name, bound)
    return parts.pinned(version)


def _bound(scheme: str, ours: str | None, *, below: bool) -> str:
    """The part of a requirement that leaves out later releases; empty where ours cannot be compared with them."""
    if ours is None:
        return ""
    parsed = Numbered.parse(ours)
    sign = "<" if below else "<="
    if scheme == "pypi":
        return f"{sign}{ours}" if _PEP_440.fullmatch(ours) else ""
    if parsed is None:
        return ""
    return f"{sign}{parsed.text if is_semver(parsed.text) else parsed.semver}"


def _pypi(name: str, bound: str) -> str:
    uv = beside_us("uv") or find_program("uv")
    if uv is None:
        raise MissingDependencyError(
            "The releases of a pypi: package are looked up through uv, which is not installed.",
            "Install uv: https://docs.astral.sh/uv/getting-started/installation/",
        )
    words = ("pip", "compile", "--no-deps", "--no-header", "--no-annotate", "--no-progress", "--color", "never")
    said = _ask((uv, *words, "--prerelease", "disallow", "--quiet", "-"), f"{name}{bound}\n", f"pypi:{name}")
    match = _ANSWER.search(said)
    if match is None:
        raise _nothing(f"pypi:{name}", bound, said, "==")
    return match["version"]


def _npm(name: str, bound: str) -> str:
    npm = find_program("npm")
    if npm is None:
        raise MissingDependencyError(
            "The releases of an npm: package are looked up through npm, which is not installed.",
            "Install Node.js, which brings npm: https://nodejs.org/en/download",
        )
    # One try more: by default npm waits for a minute before it says that nobody answers.
    patience = ("--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000")
    spec = f"{name}@{bound or '>=0.0.0'}"
    # With a third field npm lists objects; of two it leaves one out where the other is missing.
    fields = ("name", "version", "deprecated")
    said = _ask((npm, "view", spec, *fields, "--json", *patience), "", f"npm:{name}", errors=False)
    try:
        document = json.loads(said)
    except (ValueError, RecursionError):
        document = None
    listed = document if isinstance(document, list) else [document]
    found = [version for item in listed if (version := _release(item)) is not None and not version.prerelease]
    if found:
        return max(found).text
    error = document.get("error") if isinstance(document, dict) else None
    if isinstance(error, dict):
        raise _nothing(f"npm:{name}", bound, f"error: {error.get('summary')}\n{error.get('code')}", "@")
    # All that npm lists is a pre-release or was taken back; what it says of a range without any release is an error.
    raise _nothing(f"npm:{name}", bound, "E404" if document is not None else "", "@")


def _release(item: object) -> Numbered | None:
    """A version that npm lists, ``None`` for one that its author has taken back (``npm deprecate``)."""
    if isinstance(item, dict):
        version = item.get("version")
        return Numbered.parse(version) if isinstance(version, str) and not item.get("deprecated") else None
    return Numbered.parse(item) if isinstance(item, str) else None


def _nothing(package: str, bound: str, said: str, pin: str) -> TargetError | UnreachableError:
    """What is said of a package without a release that fits, or of a registry that does not answer."""
    cause = _cause(said)
    told = f": {cause}" if cause else ""
    if _ABSENT.search(said) is None or _OFFLINE.search(said) is not None:
        return UnreachableError(
            f"The registry did not list the releases of {package}{told}.",
            "Check the network, or record the surface and name the file instead: mcp-governor snapshot",
        )
    sign = "<=" if bound.startswith("<=") else "<"
    which = f" {'up to' if sign == '<=' else 'before'} {bound.removeprefix(sign)}" if bound else ""
    return TargetError(f"{package} has no release{which} to compare with{told}.", f"Name one: {package}{pin}VERSION")


def _cause(said: str) -> str:
    """The line of a client's answer that says what is wrong."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    for mark in ("cause:", "Caused by:", "error:"):
        for line in lines:
            if line.startswith(mark):
                reason = _CONCLUSION.sub("", line.removeprefix(mark).strip()).removeprefix("Because ")
                return one_line(reason, 160).rstrip(".")
    return ""


def _ask(command: Sequence[str], asked: str, package: str, *, errors: bool = True) -> str:
    """What a client says within the limits, with what it says on standard error where ``errors``.

    Raises:
        UnreachableError: it took longer than :data:`SECONDS`, said more than ``MAX_ANSWER``, or could not be started.
    """
    import subprocess
    import tempfile
    import threading

    from mcp_governor.wire import StdioEndpoint
    from mcp_governor.wire.child import child_environment

    endpoint = StdioEndpoint(tuple(command), env=runner_environment())
    hint = f"Check the network, or record the surface instead: mcp-governor snapshot {package}"
    with tempfile.TemporaryFile() as question:
        question.write(asked.encode())
        question.seek(0)
        try:
            process = subprocess.Popen(
                command,
                stdin=question,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT if errors else subprocess.DEVNULL,
                cwd=neutral_folder(),
                env=child_environment(endpoint),
                start_new_session=True,
            )
        except OSError as error:
            raise UnreachableError(f"{one_line(command[0], 80)} cannot be started: {error.strerror}.", hint) from None
        late = threading.Event()
        watch = threading.Timer(SECONDS, _end, (process, late))
        watch.start()
        try:
            assert process.stdout is not None
            said = process.stdout.read(MAX_ANSWER + 1)
        finally:
            watch.cancel()
            _end(process)
            process.wait()
            assert process.stdout is not None
            process.stdout.close()
    if late.is_set():
        raise UnreachableError(f"The registry did not answer for {package} within {SECONDS:.0f} seconds.", hint)
    if len(said) > MAX_ANSWER:
        raise UnreachableError(f"The registry answered more than 1 MiB for {package}.", hint)
    return said.decode("utf-8", "replace")


def _end(process: subprocess.Popen[bytes], late: object = None) -> None:
    """End a client and whatever it started; it has a process group of its own. Say so in ``late``."""
    if late is not None:
        late.set()  # type: ignore[attr-defined]
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
