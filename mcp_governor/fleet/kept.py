"""A run over a fleet in a store: which rows it has, what is common to them, and each job without its machine.

A job that is kept, or travels to a worker, has names only. Paths are relative to a folder that every worker has; with
each file that is read goes a digest of its content, so that a worker with other files says so instead of giving another
result. The settings of a variant and the command of a server are in the configuration, which the worker reads itself.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from packaging.requirements import InvalidRequirement, Requirement

from mcp_governor._version import __version__
from mcp_governor.errors import FileFormatError, GovernorError, UsageError
from mcp_governor.files import read_bytes
from mcp_governor.fleet.members import file_name
from mcp_governor.fleet.model import Head, Job, Row
from mcp_governor.store.model import Fact, Planned
from mcp_governor.target.packages import is_package
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mcp_governor.fleet.model import Work
    from mcp_governor.store.store import Store


T = TypeVar("T", Head, Row)
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


class Kept:
    """One run in a store.

    Args:
        store: the store.
        head: what is common to its servers.
        jobs: all jobs of the run, in the order of the list.
        name: of the run; empty for none.

    Attributes:
        store: the store.
        run: what the store knew of it before.
        jobs: what the store has of each job, by the name of its server.
        rows: rows that are there already, by the name of their server.

    Raises:
        UsageError: the run of this name is another one, or the store cannot be written.
    """

    def __init__(self, store: Store, head: Head, jobs: Sequence[Job], name: str = "") -> None:
        self.store = store
        digests, here = Digests(), Path.cwd().resolve()
        self._members = {self.member(job.name): job.name for job in jobs}
        self.jobs: dict[str, Portable] = {job.name: portable(job, here, digests) for job in jobs}
        planned = [
            Planned(member, one_line(job.name, 100), as_text(self.jobs[job.name]))
            for member, job in zip(self._members, jobs, strict=True)
        ]
        self.run = store.begin(_key(head), as_text(head), planned, name=name)
        self.rows: dict[str, Row] = {}
        for name, row in self.fresh():
            self.rows[name] = row

    @staticmethod
    def member(name: str) -> str:
        """The key of a server in the store."""
        return file_name(name)

    def fresh(self) -> Iterator[tuple[str, Row]]:
        """The rows in the store that are not among :attr:`rows`."""
        for planned, fact in self.store.facts(self.run.id):
            name = self._members.get(planned.member)
            if fact is not None and name is not None and name not in self.rows:
                yield name, stored(fact.row, Row)

    def keep(self, name: str, row: Row, text: str | None) -> None:
        """Write one row.

        Args:
            name: of the server in the list.
            row: about it.
            text: of its surface.

        Raises:
            UsageError: the store takes no more.
        """
        self.store.keep(self.run.id, fact_of(self.member(name), row), text)

    def keep_twin(self, name: str, row: Row, twin: str) -> None:
        """Write the row of a recording that is the same as another one's."""
        self.store.keep(self.run.id, fact_of(self.member(name), row), None, same_as=self.member(twin))

    def complete(self) -> None:
        """Say that the run is over, if it is."""
        self.store.end(self.run.id)

    @property
    def words(self) -> str:
        """One line for people about a run that goes on; empty for one that begins."""
        if not self.run.done:
            return ""
        begun = self.run.begun[:16].replace("T", " ")
        return f"goes on with the run of {begun} UTC: {self.run.done:,} of {self.run.total:,} servers are read already"


def fact_of(member: str, row: Row) -> Fact:
    """What a store keeps of a row."""
    return Fact(
        member=member,
        name=row.name,
        server=row.server,
        label=row.label,
        version=row.version,
        target=row.target,
        outcome=row.outcome,
        why=row.why,
        fingerprint=row.fingerprint,
        tools=len(row.tools),
        tokens=row.tokens,
        # In its order, because the report does not depend on where its rows come from.
        row=as_text(row, sort_keys=False),
    )


def stored(text: str, kind: type[T]) -> T:
    """A row, or the head of a run, from a store.

    Raises:
        FileFormatError: it is none.
    """
    try:
        return msgspec.convert(json.loads(text), kind)
    except (ValueError, RecursionError):
        what = "row" if kind is Row else "run"
        hint = "It was made by another version of mcp-governor, or by another program."
        raise FileFormatError(f"The store has a {what} that cannot be read.", hint) from None


def _key(head: Head) -> str:
    """What makes two runs one: this version, the list and the settings, not the date and what only the report shows."""
    plain = replace(head, today="", left_out={}, least=0.0, differences=False)
    return hashlib.sha256(__version__.encode() + as_text(plain).encode()).hexdigest()
