"""``mcp-governor init``."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Any

import click

from mcp_governor.cli import out
from mcp_governor.cli.common import Run, TargetCommand, run_options, server_command, target_argument
from mcp_governor.cli.init_files import HOOKS, Offer, ci_offers, hook_offer
from mcp_governor.config import DEFAULT_CHANGELOG, OWN_FILE, Config, ServerConfig, with_found_files
from mcp_governor.errors import UsageError
from mcp_governor.frozen import frozen
from mcp_governor.given import learn_command
from mcp_governor.secrets import redact
from mcp_governor.target import SURFACE_FILE, FileSource, LiveSource, parse_target, refuse_client_config, resolve
from mcp_governor.target.resolve import TOKEN_VARIABLE, forms
from mcp_governor.text import command_line, escape_toml, see_unicode, visible
from mcp_governor.wire.endpoint import HttpEndpoint
from mcp_governor.writing import NewFile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_governor.config import Launch
    from mcp_governor.surface import Surface
    from mcp_governor.target import Source
    from mcp_governor.wire import Endpoint

_FIRST_VERSION = "0.1.0"


@frozen
class _Plan:
    """What will be governed: the server's table in the configuration, and how to reach it now."""

    name: str
    keys: Mapping[str, Any]
    target: str
    found_in: str


@click.command(cls=TargetCommand)
@target_argument
@click.option("--ci/--no-ci", default=True, help="Write a workflow for GitHub; for GitLab show a job. Default: yes.")
@click.option("--hook/--no-hook", default=True, help="Write the pre-commit hook. Default: yes.")
@run_options("isolated")
def init(run: Run, target: str | None, ci: bool, hook: bool) -> None:
    """Write config, baseline, changelog, CI and hook so that the next check passes. Never overwrites a file.

    Without a TARGET the server of this repository is looked for: in Python source, package.json, and the
    configuration files of MCP clients.
    """
    root = Path.cwd()
    if run.config.path is not None and run.config.path.parent == root:
        raise UsageError(
            f"This folder is configured already, in {run.config.shown}.",
            "Edit that file; record a new baseline with: mcp-governor snapshot",
        )
    found = _plan(target, root)
    plan = replace(found, keys={**found.keys, **_launched(run.config.launch, found)})
    _see_words(plan.keys)
    # no file says them yet
    config = replace(_config(plan, root), timeout=run.config.timeout, start_timeout=run.config.start_timeout)
    source = resolve(None, config)
    surface = _read(source, config)
    from mcp_governor.report.groups import count_of
    from mcp_governor.writing import write_files

    files, written = _files(plan, surface, root)

    offers = [
        *(ci_offers(root, _endpoint(source), _secrets(plan)) if ci else ()),
        *([hook_offer(root)] if hook else ()),
    ]
    shown = [(visible(os.path.relpath(offer.path, root)), offer) for offer in offers]
    for name, offer in shown:
        if offer.text is not None:
            files.append(NewFile(offer.path, offer.text, root, name))
        if not offer.paste:
            written.append((name, _placed(offer)))
    write_files(*files)
    width = max(len(name) for name, _ in written)
    tools = count_of(len(surface.tools), "tool")
    out.echo(f"Found the server {visible(plan.name)} in {visible(plan.found_in)}: {tools}.")
    for name, what in written:
        out.echo(f"  {name:<{width}}  {what}")
    for name, offer in shown:
        if offer.paste:
            out.echo(f"\n{name} was left as it was; {offer.what}:\n\n{indent(offer.paste, '    ')}")
    out.echo("Commit these files. From now on: mcp-governor check")


def _endpoint(source: Source) -> Endpoint:
    assert isinstance(source, LiveSource)
    return source.endpoint


def _secrets(plan: _Plan) -> tuple[str, ...]:
    """Environment variables that the written configuration refers to."""
    return (*plan.keys.get("env", ()), *((TOKEN_VARIABLE,) if "bearer-token" in plan.keys else ()))


def _launched(launch: Launch, plan: _Plan) -> dict[str, Any]:
    """What the command line says about the start of the server, as keys of its table; never a variable's value."""
    if (launch.args or launch.with_) and "package" not in plan.keys:
        raise UsageError("--with is for a pypi: or npm: target, and the server is none.", "Leave it out.")
    if launch.env and not plan.keys.keys() & {"package", "command"}:
        raise UsageError("--env names a variable of a server that is started, and none is.", "Leave it out.")
    keys = {"args": list(launch.args), "with": list(launch.with_), "env": {name: f"${name}" for name in launch.env}}
    return {key: value for key, value in keys.items() if value}


def _placed(offer: Offer) -> str:
    """What to say of an offered file."""
    return offer.what if offer.text is not None or offer.path.name == HOOKS else "left as it was"


def _plan(target: str | None, root: Path) -> _Plan:
    command = server_command()
    if command:
        name = _name_of(_script(command), root)
        return _Plan(name, {"command": list(command)}, name, "the command line")
    if target:
        keys = _keys_of(target, root)
        name = _name_of(target, root)
        return _Plan(name, keys, name if keys else target, "the command line")
    from mcp_governor.target.discover import discover

    candidates = discover(root)
    if not candidates:
        raise UsageError(
            "No MCP server was found in this folder.",
            "Name it: mcp-governor init -- COMMAND, or mcp-governor init python:package.module:attribute",
        )
    if len(candidates) > 1:
        shown = "; ".join(f"{visible(c.name)} in {visible(c.found_in)}" for c in candidates[:8])
        raise UsageError(
            f"{len(candidates)} servers were found: {shown}.",
            f"Name one: mcp-governor init {visible(candidates[0].target)}",
        )
    only = candidates[0]
    return _Plan(only.name, only.keys, only.name if only.keys else only.target, only.found_in)


def _see_words(keys: Mapping[str, Any]) -> None:
    """See whether a command line can be written into a file, one that is committed.

    Raises:
        UsageError: it holds a secret, or is not UTF-8.
    """
    command = (*(keys.get("command") or ("",)), *keys.get("args", ()))
    for word in command:
        see_unicode(word, "the command")
    learn_command(command)
    if any(redact(word) != word for word in command):
        raise UsageError(
            f"The command {command_line(command, 120)} holds a secret, and init would write it into a file.",
            f'Let the server read it from its environment: env = {{ NAME = "$NAME" }} in {OWN_FILE}.',
        )


_SUBCOMMANDS = ("run", "tool", "exec", "dlx", "x")
"""Words of ``uv run``, ``npm exec``, ``pnpm dlx`` and the like, which name no server."""


def _script(command: tuple[str, ...]) -> str:
    """The word of a command that names the server: the module after -m, else the first path or package."""
    if "-m" in command[:-1]:
        return command[command.index("-m") + 1]
    words = [word for word in command[1:] if not word.startswith("-") and word not in _SUBCOMMANDS]
    return words[0] if words else command[0]


def _keys_of(target: str, root: Path) -> dict[str, Any]:
    """The server's table for a TARGET; empty where the configuration names the target itself.

    Raises:
        UsageError: it is no live server, or its address holds what must not be written into a file.
    """
    scheme = target.partition(":")[0]
    if scheme == "python":
        return {"object": target.removeprefix("python:")}
    if scheme in ("pypi", "npm"):
        return {"package": target}
    source = parse_target(target, Config(root=root), base=root)
    if not isinstance(source, LiveSource):
        if isinstance(source, FileSource):
            refuse_client_config(source)
        raise UsageError(
            f'init takes a live server, and "{visible(target)}" is none.',
            f"Name it as {forms('remote')}, or as what runs code here: {forms('code')}.",
        )
    if "://" in target:
        _see_address(target, source.endpoint)
    if not isinstance(source.endpoint, HttpEndpoint) or ".json" in target:
        return {}
    return _url_keys(source.endpoint)


_CREDENTIAL = re.compile(r"[?&][^=&]*(?:key|token|secret|passw|auth|sig)[^=&]*=", re.IGNORECASE)


def _see_address(url: str, endpoint: Endpoint) -> None:
    # What is redacted in every report has no place in a file that is committed either.
    if redact(url) != url or "@" in url.split("/")[2] or _CREDENTIAL.search(url):
        raise UsageError(
            f"The address {visible(endpoint.shown)} holds credentials, and init would write them into a file.",
            f"Leave them out and set {TOKEN_VARIABLE}, or write the server into {OWN_FILE} with headers from $NAME.",
        )


def _url_keys(endpoint: HttpEndpoint) -> dict[str, Any]:
    keys = {"url": endpoint.url}
    if endpoint.transport != "auto":
        keys["transport"] = endpoint.transport
    if os.environ.get(TOKEN_VARIABLE):
        keys["bearer-token"] = f"${TOKEN_VARIABLE}"
    return keys


_PACKAGE = re.compile(r"(?:pypi|npm):(?:@[^/]*/)?([^@=:\[]+).*")


def _name_of(text: str, root: Path) -> str:
    """A table name from what was typed (package, module, file, or name in a client's configuration), else from the
    folder."""
    words = [root.name, "server"]
    package = _PACKAGE.fullmatch(text)
    if package is not None:
        words.insert(0, package[1])
    elif text.startswith("python:"):
        words.insert(0, text.split(":")[1].rpartition(".")[2])
    elif "://" not in text:
        words.insert(0, Path(text.partition("#")[2] or text).stem.rpartition(".")[2])
    for word in words:
        name = re.sub(r"[^a-z0-9]+", "-", word.lower()).strip("-")
        if name and not name.isdecimal():
            return name
    return words[-1]


def _config(plan: _Plan, root: Path) -> Config:
    keys: dict[str, Any] = {
        {"with": "with_"}.get(key, key.replace("-", "_")): tuple(value) if isinstance(value, list) else value
        for key, value in plan.keys.items()
    }
    servers = {plan.name: ServerConfig(name=plan.name, **keys)} if keys else {}
    return with_found_files(Config(root=root, target=plan.target, servers=servers))


def _read(source: Source, config: Config) -> Surface:
    from mcp_governor.checking.reading import read_governed
    from mcp_governor.errors import NothingCheckedError

    surface = read_governed(source, config)
    if not surface.entries:
        raise NothingCheckedError(
            f"The server {visible(config.target)} publishes no tools; nothing was written.",
            "Register its tools before it starts, then try again.",
        )
    return surface


def _files(plan: _Plan, surface: Surface, root: Path) -> tuple[list[NewFile], list[tuple[str, str]]]:
    """What is missing and will be written; and what to say of each file, written or left alone."""
    from mcp_governor.changelog.first import first_changelog
    from mcp_governor.surface import dump_surface
    from mcp_governor.versions import Numbered

    version = surface.version
    literal = "" if version and Numbered.parse(version) else _FIRST_VERSION
    told = literal or str(version)
    known = _known_findings(surface, _config(plan, root))
    files = {
        OWN_FILE: (_config_text(plan, literal, bool(known)), "what is governed, and how"),
        SURFACE_FILE: (dump_surface(surface), "the baseline: the surface as it is now"),
        DEFAULT_CHANGELOG: (first_changelog(surface, told), f"the schema changelog, starting at {visible(told)}"),
    }
    if known:
        files[_KNOWN_FILE] = (known, "findings of today, which do not fail")
    missing = {name for name in files if not os.path.lexists(root / name)}
    new = [NewFile(root / name, text, root, name) for name, (text, _) in files.items() if name in missing]
    return new, [(name, what if name in missing else "left as it was") for name, (_, what) in files.items()]


_KNOWN_FILE = "mcp-lint-baseline.json"


def _known_findings(surface: Surface, config: Config) -> str:
    """The lint baseline, where today's surface has findings that would fail; empty where it has none."""
    from mcp_governor.catalogue import dump_baseline
    from mcp_governor.checking.settings import lint_settings
    from mcp_governor.findings import Severity
    from mcp_governor.linting import lint

    failing = [found for found in lint(surface, lint_settings(config)) if found.severity is Severity.ERROR]
    return dump_baseline(failing) if failing else ""


def _config_text(plan: _Plan, literal: str, known: bool) -> str:
    """The configuration: only what differs from the defaults."""
    lines = ["# mcp-governor: see all keys with `mcp-governor schema config`.", f"target = {_toml(plan.target)}"]
    lines.append(f"# The baseline is {SURFACE_FILE} at the latest release tag; before there is one, the file as it is.")
    if literal:
        lines += ["# The server reports no version that counts in numbers; this one is held to the changelog instead."]
        lines += [f"schema-version = {_toml(literal)}"]
    if plan.keys:
        lines += ["", f"[servers.{_key(plan.name)}]", *(f"{key} = {_toml(value)}" for key, value in plan.keys.items())]
    if known:
        lines += ["", "[lint]", f"baseline = {_toml(_KNOWN_FILE)}"]
    return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _toml(name)


def _toml(value: Any) -> str:
    import json

    if isinstance(value, list):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(name)} = {_toml(item)}" for name, item in value.items()) + " }"
    # A TOML basic string is a JSON string, but for what JSON does not have to escape.
    return escape_toml(json.dumps(str(value), ensure_ascii=False))
