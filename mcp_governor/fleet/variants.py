"""Variants of a server: the configurations in which it publishes other lists, and what differs between them."""

from __future__ import annotations

import os
import shlex
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from mcp_governor import documents
from mcp_governor.config.servers import VariantTable
from mcp_governor.errors import ConfigError
from mcp_governor.files import MEBIBYTE
from mcp_governor.fleet.model import Difference
from mcp_governor.parsing import exceeds_depth, read_json
from mcp_governor.programs.child import output_of
from mcp_governor.secret_detection import learn_table
from mcp_governor.text import beginning, one_line, visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp_governor.config import Config, ServerConfig
    from mcp_governor.fleet.model import Row

MAX_VARIANTS = 200
"""Most variants of one server; the largest known matrix has some ten."""

_SECONDS = 60.0
"""Most seconds for a command that prints variants."""

_MAX_PRINTED = MEBIBYTE
"""Most bytes that it prints."""

_MAX_DIFFERENCES = 2_000
"""Most differences that are listed."""


def variants_of(server: ServerConfig, config: Config) -> dict[str, dict[str, Any]]:
    """The variants of a server, by name, as JSON; empty if it has none.

    Raises:
        ConfigError: the command that prints them fails, or a variant cannot be applied to the server.
    """
    found: dict[str, dict[str, Any]] = {name: _as_json(variant) for name, variant in server.variants.items()}
    where = f"servers.{visible(server.name)}.variants"
    if server.variants_command:
        found |= _printed(server.variants_command, config, f"{config.shown}: {where}-command")
    if len(found) > MAX_VARIANTS:
        raise ConfigError(f"{config.shown}: {where} has more than {MAX_VARIANTS} variants.", "Leave some out.")
    for name, variant in found.items():
        if variant.get("args") and not _takes_arguments(server, variant):
            raise ConfigError(
                f"{config.shown}: {where}.{visible(name)} has args, but the server is reached without a command.",
                "Set command or package for the server, or headers instead of args.",
            )
    return found


def _as_json(variant: VariantTable) -> dict[str, Any]:
    values: dict[str, Any] = msgspec.to_builtins(variant)
    return {key: value for key, value in values.items() if value not in ("", None, (), [], {})}


def _takes_arguments(server: ServerConfig, variant: Mapping[str, Any]) -> bool:
    if "url" in variant:
        return False
    return bool(variant.get("command") or server.command or server.package)


def with_variant(server: ServerConfig, settings: Mapping[str, Any]) -> ServerConfig:
    """A server with the settings of a variant over its own.

    Args:
        server: from the configuration.
        settings: of the variant, as JSON.
    """
    if not settings:
        return server
    variant = msgspec.convert(settings, VariantTable)
    changes: dict[str, Any] = {
        "env": {**server.env, **variant.env},
        "headers": {**server.headers, **variant.headers},
        "bearer_token": variant.bearer_token or server.bearer_token,
        "transport": variant.transport or server.transport,
    }
    if variant.command or variant.url:
        changes |= {"command": variant.command, "url": variant.url, "object": "", "file": "", "package": "", "args": ()}
        changes |= {"with_": ()}
    changed = replace(server, **changes)
    if changed.package:
        return replace(changed, args=(*changed.args, *variant.args), with_=(*changed.with_, *variant.with_))
    return replace(changed, command=(*changed.command, *variant.args))


def _printed(command: Sequence[str], config: Config, where: str) -> dict[str, dict[str, Any]]:
    """The variants that a command prints."""
    from mcp_governor.target.forms import runnable

    try:
        said = output_of(runnable(tuple(command)), seconds=_SECONDS, most=_MAX_PRINTED, cwd=config.root)
    except OSError as error:
        raise ConfigError(f"{where} cannot be started: {error.strerror}.", "Check its path.") from None
    if said.late or said.out is None or said.code:
        why = (
            f"took more than {_SECONDS:.0f} s"
            if said.late
            else f"printed more than {_MAX_PRINTED // MEBIBYTE} MiB"
            if said.out is None
            else f"exited with status {said.code}"
        )
        raise ConfigError(f"{where} {why}.", "Run it by hand; it must print the variants as JSON.")
    try:
        document = read_json(said.out)
    except (ValueError, RecursionError):
        raise ConfigError(
            f'{where} did not print JSON, but "{beginning(said.out, 60)}".', "Print an object from name to variant."
        ) from None
    if exceeds_depth(document, 16):
        raise ConfigError(f"{where} printed JSON that nests too deeply.", "Print an object from name to variant.")
    if isinstance(document, dict) and isinstance(document.get("targets"), list):
        # A file for `mcp-server-diff --config`.
        document = [*filter(None, [document.get("base")]), *document["targets"]]
    if isinstance(document, list):
        document = dict(_of_server_diff(one, where) for one in document[: MAX_VARIANTS + 1])
    if not isinstance(document, dict):
        raise ConfigError(f"{where} did not print an object.", "Print an object from name to variant.")
    return {name: _read(name, settings, where) for name, settings in document.items()}


def _read(name: str, settings: Any, where: str) -> dict[str, Any]:
    if isinstance(settings, dict):
        # Before any message, which could quote it.
        learn_table(settings, os.environ)
    found = documents.read(VariantTable, settings)
    if isinstance(found, documents.Wrong):
        raise ConfigError(f"{where} printed the variant {one_line(name, 60)}: {found.sentence}", found.hint)
    return _as_json(found)


def _of_server_diff(entry: Any, where: str) -> tuple[str, dict[str, Any]]:
    """A configuration of mcp-server-diff: its name, and our keys for it."""
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        raise ConfigError(f"{where} printed a configuration without a name.", 'Each has a "name".')
    out: dict[str, Any] = {}
    try:
        if entry.get("start_command"):
            out["command"] = shlex.split(str(entry["start_command"]))
        if entry.get("args"):
            out["args"] = shlex.split(entry["args"]) if isinstance(entry["args"], str) else entry["args"]
    except ValueError as error:
        raise ConfigError(f"{where} printed a command that cannot be read: {error}.", "Close its quotes.") from None
    if entry.get("transport") == "streamable-http" and entry.get("server_url"):
        # The command of an HTTP server is not run here.
        out = {"url": entry["server_url"]}
    if entry.get("headers"):
        out["headers"] = _headers_in(entry["headers"], where)
    if entry.get("env_vars"):
        given = entry["env_vars"]
        lines = [line.partition("=") for line in given.splitlines()] if isinstance(given, str) else ()
        out["env"] = {name.strip(): value for name, sign, value in lines if sign} if lines else given
    return entry["name"], out


def _headers_in(value: Any, where: str) -> Any:
    """Headers that are JSON in a string, as inputs of a GitHub action are."""
    if not isinstance(value, str):
        return value
    try:
        return read_json(value)
    except (ValueError, RecursionError):
        raise ConfigError(f"{where} printed headers that are not JSON.", "Print an object of strings.") from None


def differences_of(rows: Sequence[Row]) -> tuple[Difference, ...]:
    """Tools that the variants of a server publish differently; a variant that was not reached says nothing."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row.server is not None and row.reached:
            groups[row.server].append(row)
    found: list[Difference] = []
    for server, variants in groups.items():
        tools = dict.fromkeys(tool for row in variants for tool in row.definitions)
        for tool in tools:
            numbers: dict[str, int] = {}
            of_variant = {}
            for row in variants:
                digest = row.definitions.get(tool)
                of_variant[row.label or ""] = numbers.setdefault(digest, len(numbers) + 1) if digest else 0
            if len(set(of_variant.values())) > 1:
                found.append(Difference(server, tool, of_variant))
    return tuple(found[:_MAX_DIFFERENCES])
