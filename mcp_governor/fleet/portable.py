"""A job without the machine that it comes from: what a store keeps of it, and what travels to a worker.

It has names only. Paths are relative to a folder that every worker has; with each file that is read goes a digest of
its content, so that a worker with other files says so instead of giving another result. The settings of a variant and
the command of a server are in the configuration, which the worker reads itself.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from packaging.requirements import InvalidRequirement, Requirement

from mcp_governor.errors import GovernorError, UsageError
from mcp_governor.files import read_bytes
from mcp_governor.fleet.member import Job  # noqa: TC001 - msgspec reads the types
from mcp_governor.target.packages import is_package
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.fleet.model import Work

_PATHS = ("config", "root", "surface", "page")


class Portable(Struct, frozen=True, forbid_unknown_fields=True):
    """A job, and what it depends on.

    Attributes:
        job: the job, with paths relative to the folder, and without the date and the settings of a variant.
        files: path of each file that it reads → digest of its content; empty for one that is not there.
        variant: digest of the settings of the variant.
    """

    job: Job
    files: dict[str, str]
    variant: str = ""


class OtherFilesError(UsageError):
    """A worker has other files than the run was started with."""


class Digests:
    """The digests of files, each read once."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def of(self, path: str) -> str:
        """SHA-256 of the content; empty if it cannot be read."""
        if path not in self._known:
            self._known[path] = ""
            with suppress(OSError):
                self._known[path] = hashlib.sha256(read_bytes(path)).hexdigest()
        return self._known[path]


def portable(job: Job, folder: Path, digests: Digests) -> Portable:
    """What a store keeps of a job.

    Args:
        job: with absolute paths.
        folder: to which paths are relative; a path outside of it stays absolute.
        digests: of files that were read before.
    """
    read = {path: digests.of(path) for path in _files_of(job)}
    moved = {name: relative(getattr(job, name), folder) for name in _PATHS}
    variant = _digest(job.variant) if job.variant else ""
    bare = replace(job, **moved, target=_moved(job.target, folder), variant={}, today="", trust=False)
    return Portable(bare, {relative(path, folder): digest for path, digest in read.items()}, variant)


def as_text(value: Struct, *, sort_keys: bool = True) -> str:
    """A value as JSON that every database takes: ASCII, so without NUL and lone surrogates."""
    return json.dumps(msgspec.to_builtins(value), sort_keys=sort_keys)


def local(text: str, folder: Path, today: str, digests: Digests, *, trust: bool) -> Job:
    """The job on this machine.

    Args:
        text: a :class:`Portable` as JSON, from a store.
        folder: to which its paths are relative.
        today: the date of the run.
        digests: of files that were read before.
        trust: rules in Python run.

    Raises:
        UsageError: it is not one that a fleet may have.
        OtherFilesError: a file here is another one.
    """
    try:
        found = msgspec.convert(json.loads(text), Portable)
    except (ValueError, RecursionError):
        raise UsageError("the store has no job for it") from None
    job = found.job
    refuse_foreign(found)
    moved = {name: str(folder / value) if (value := getattr(job, name)) else "" for name in _PATHS}
    target = _moved(job.target, folder, back=True)
    here = replace(job, **moved, target=target, today=today, trust=trust)
    if job.label and not job.target:
        here = replace(here, variant=_variant(here))
        if found.variant != (_digest(here.variant) if here.variant else ""):
            raise OtherFilesError("the settings of the variant are others on a worker")
    for path, digest in found.files.items():
        if digests.of(str(folder / path)) != digest:
            raise OtherFilesError(f"{one_line(path, 100)} of a worker is not the file that the run was started with")
    return here


def refuse_foreign(found: Portable) -> None:
    """Refuse a job that names more than packages, addresses, and files of the folder.

    Raises:
        UsageError: it does.
    """
    job = found.job
    file = _file_in(job.target)
    paths = [*(getattr(job, name) for name in _PATHS), *found.files, *([file] if file else [])]
    if outside := [path for path in paths if PurePath(path).is_absolute() or ".." in PurePath(path).parts]:
        raise UsageError(f"{one_line(outside[0], 100)} is outside of the folder that all workers have")
    if job.target and not file and not is_package(job.target) and not _is_url(job.target):
        raise UsageError("it is neither a package, an address nor a file")
    if job.with_:
        try:
            named = Requirement(job.with_)
        except InvalidRequirement:
            raise UsageError(f"{one_line(job.with_, 60)} is not a requirement") from None
        if named.url:
            raise UsageError(f"{one_line(named.name, 60)} is installed from an address")
    if job.variant or job.trust:
        raise UsageError("it brings settings that only the configuration has")


def _variant(job: Job) -> dict[str, object]:
    """The settings of a variant, from the configuration on this machine."""
    from mcp_governor.config import load_config
    from mcp_governor.fleet.variants import variants_of

    label = job.label.removesuffix(job.with_).strip() if job.with_ else job.label
    if not label:
        return {}
    try:
        config = load_config(Path(job.config))
        return variants_of(config.servers[job.server], config)[label]
    except KeyError:
        raise OtherFilesError("the configuration of a worker does not have the variant") from None
    except GovernorError as error:
        raise OtherFilesError(error.message) from None


def _files_of(job: Job) -> Iterator[str]:
    """The files on which the row depends; a recording that is written is none of them."""
    work: Work = job.work
    file = _file_in(job.target)
    yield from (path for path in (job.config, file, job.surface if work == "check" else "") if path)


def _file_in(target: str) -> str:
    """The file of a TARGET: a recording, or the file of a client; empty for a package or an address."""
    if not target or is_package(target) or _is_url(target):
        return ""
    file, mark, _ = target.rpartition("#")
    if mark and file.endswith((".json", ".toml")):
        return file
    return target if target.endswith(".json") else ""


def _is_url(target: str) -> bool:
    return target.startswith(("https://", "http://", "sse+https://", "sse+http://"))


def _moved(target: str, folder: Path, *, back: bool = False) -> str:
    """A TARGET with the path of its file relative to the folder, or back."""
    file = _file_in(target)
    if not file:
        return target
    return f"{folder / file if back else relative(file, folder)}{target[len(file) :]}"


def relative(path: str, folder: Path) -> str:
    """A path below a folder, relative to it; any other is as it was."""
    if not path:
        return ""
    try:
        return PurePath(path).relative_to(folder).as_posix()
    except ValueError:
        return path


def _digest(settings: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()
