"""The members of a fleet: servers of the configuration, of a client's file or of a registry, or a folder of recordings.

Members are names and TARGETs only. Their values are read, and their secrets known, in the worker that reaches them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping  # noqa: TC003
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from msgspec import Struct, field
from msgspec.structs import replace

from mcp_governor.config import Config, load_config
from mcp_governor.errors import NothingCheckedError, TargetError, UsageError
from mcp_governor.files import list_files
from mcp_governor.fleet.model import MAX_MEMBERS, Member
from mcp_governor.target.clients import client_servers, is_disabled, servers_in
from mcp_governor.target.packages import is_package
from mcp_governor.text import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SURFACES = "surfaces"
"""The folder of recordings next to a configuration, one ``NAME.json`` for each server."""

_CLIENTS = {".cursor": "cursor", ".vscode": "copilot"}
"""Folder of a client's file → the client, by its name among the limits of clients."""

_LONGEST = 120
"""Characters of the name of a file, without its ending; file systems take 255 bytes."""


class Members(Struct, frozen=True):
    """The members, and what is common to them.

    Attributes:
        named: the list, as the user named it, safe to print.
        listed: the members, in the order of their list.
        config: the configuration that applies.
        folder: the folder next to which recordings are kept.
        together: one client uses all of them at a time.
        left_out: names that are not read, and why.
    """

    named: str
    listed: tuple[Member, ...]
    config: Config
    folder: Path
    together: bool = True
    left_out: Mapping[str, str] = field(default_factory=dict)

    def with_each(self, requirements: Sequence[str]) -> Members:
        """Each member once for each of several packages that are installed with it."""
        listed = tuple(
            replace(
                member,
                name=f"{member.name}@{requirement}",
                server=member.server or member.name,
                label=f"{member.label} {requirement}".strip(),
                with_=requirement,
            )
            for member in self.listed
            for requirement in dict.fromkeys(requirements)
        )
        return replace(self, listed=listed)

    def shard(self, number: int, count: int) -> Members:
        """Every ``count``-th member, from the one with this number, which counts from 1."""
        return replace(self, listed=self.listed[number - 1 :: count])


def members_of(
    fleet: str | None,
    config: Config,
    *,
    adapted: Callable[[Config], Config] = lambda config: config,
    packages: bool = False,
) -> Members:
    """The members of a fleet.

    Args:
        fleet: a TOML file with ``[servers.NAME]``, the file of a client, the URL of a registry, or a folder of
            recordings; ``None`` for the servers of the configuration.
        config: the configuration of the run.
        adapted: what the command line says, over the configuration of a TOML file that takes its place.
        packages: packages that a registry lists are installed and started, too.

    Raises:
        UsageError: it is none of these, or cannot be read.
        NothingCheckedError: it lists no server.
    """
    if fleet is None:
        found = _configured(config, config.shown)
    elif is_package(fleet) or fleet in config.servers:
        # One server, for --with-each.
        target = fleet if is_package(fleet) else ""
        found = Members(one_line(fleet, 200), (Member(fleet, target),), config, config.root)
    elif fleet.startswith(("https://", "http://")):
        from mcp_governor.fleet.registry import registry_members

        named, listed = registry_members(fleet, packages=packages)
        found = Members(named, listed, config, Path.cwd(), together=False)
    else:
        found = _on_disk(fleet, config, adapted)
    refuse_same(found.listed, found.named)
    if not found.listed:
        raise NothingCheckedError(f"{found.named} lists no servers to read.", _WAYS)
    if len(found.listed) > MAX_MEMBERS:
        raise UsageError(
            f"{found.named} lists {len(found.listed):,} servers, more than {MAX_MEMBERS:,}.", "Name a shorter list."
        )
    return found


_WAYS = (
    "Name a TOML file with [servers.NAME], a client's file such as .mcp.json, the URL of a registry, or a folder of "
    "recordings."
)


def _configured(config: Config, named: str) -> Members:
    if not config.servers:
        said = "There is no configuration that names servers." if config.path is None else ""
        raise UsageError(said or f"{visible(named)} names no servers.", _WAYS)
    from mcp_governor.fleet.variants import variants_of

    listed: list[Member] = []
    for name, server in config.servers.items():
        variants = variants_of(server, config)
        listed += [
            Member(f"{name}@{label}", server=name, label=label, variant=settings)
            for label, settings in variants.items()
        ] or [Member(name)]
    return Members(visible(named), tuple(listed), config, config.root)


def _on_disk(fleet: str, config: Config, adapted: Callable[[Config], Config]) -> Members:
    path, shown = Path(fleet), one_line(fleet, 200)
    if path.is_dir():
        return _recordings(path, shown, config)
    if not path.is_file():
        raise TargetError(f"{shown} does not exist.", _WAYS)
    if path.suffix == ".toml" and not servers_in(path):
        return _configured(adapted(load_config(path)), shown)
    entries = client_servers(path)
    left_out = {name: "disabled" for name, entry in entries.items() if is_disabled(entry)}
    where = str(path.resolve())
    listed = tuple(Member(name, f"{where}#{name}") for name in entries if name not in left_out)
    client = _CLIENTS.get(path.resolve().parent.name)
    if client is not None and not config.clients:
        config = replace(config, clients=(client,))
    return Members(shown, listed, config, path.resolve().parent, left_out=left_out)


def _recordings(folder: Path, shown: str, config: Config) -> Members:
    try:
        files = list_files(folder, ".json", most=MAX_MEMBERS)
    except OSError as error:
        raise TargetError(f"{shown} cannot be read: {error.strerror}.", "Check the folder.") from None
    listed = tuple(Member(file.stem, str(file.resolve())) for file in files)
    return Members(shown, listed, config, folder, together=False)


def file_name(name: str) -> str:
    """The name of the file about a server, without its ending: one name for each server, and no path."""
    quoted = quote(name, safe=" @+,=()[]", encoding="utf-8", errors="surrogatepass")
    if quoted[:1] in (".", "-", ""):
        # No hidden file, no option, and no empty name.
        quoted = f"%{ord(quoted[0]):02X}{quoted[1:]}" if quoted else "%"
    if len(quoted) <= _LONGEST:
        return quoted
    return f"{quoted[:_LONGEST]}-{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


def refuse_same(members: Sequence[Member], named: str) -> None:
    """Refuse a list that names two servers alike, because each has one row and one recording.

    Raises:
        UsageError: it does.
    """
    seen: set[str] = set()
    for member in members:
        if member.name in seen:
            raise UsageError(
                f'{named} lists "{one_line(member.name, 80)}" twice.', "Give each server a name of its own."
            )
        seen.add(member.name)
