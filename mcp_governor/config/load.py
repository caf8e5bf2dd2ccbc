"""Finds and reads the configuration: the nearest ``mcp-governor.toml`` or ``pyproject.toml`` in the folder and its
parents."""

from __future__ import annotations

import json
import os
from dataclasses import fields
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from mcp_governor.config.former import with_current_names
from mcp_governor.config.model import (
    AcceptConfig,
    CallConfig,
    ChangelogConfig,
    Config,
    EvaluationConfig,
    LintConfig,
    LoadConfig,
    PolicyConfig,
    SchemaAllowance,
    SchemasConfig,
    ServerConfig,
    Windows,
)
from mcp_governor.config.trust import KEY as TRUST_KEY
from mcp_governor.config.trust import VARIABLE as TRUST_VARIABLE
from mcp_governor.config.trust import rules_trusted, user_config
from mcp_governor.errors import ConfigError
from mcp_governor.files import MAX_TEXT_BYTES, read_bytes
from mcp_governor.parsing import BadValueError, check_values, read_toml
from mcp_governor.secret_detection import learn_addresses, learn_anywhere, learn_table
from mcp_governor.text import did_you_mean, one_line, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

OWN_FILE = "mcp-governor.toml"
DEFAULT_CHANGELOG = "docs/mcp-schema-changelog.md"
DEFAULT_MANIFEST = "server.json"
_TABLE = "tool.mcp-governor"

_T = TypeVar("_T")


def find_config(start: Path) -> Path | None:
    """The nearest configuration in ``start`` and its parents: our own file, else a pyproject.toml with our table."""
    for folder in (start, *start.parents):
        own = folder / OWN_FILE
        if own.is_file():
            return own
        project = folder / "pyproject.toml"
        if project.is_file() and _table_of(project) is not None:
            return project
    return None


def load_config(path: Path | None = None, *, start: Path | None = None) -> Config:
    """The configuration in ``path``, or in the nearest file in ``start`` and its parents, or the defaults.

    Raises:
        ConfigError: the file is missing, is not TOML, or has an unknown key or an invalid value; the message names the
            file, the key and, for an unknown one, the nearest known key.
    """
    here = (start or Path.cwd()).resolve()
    if path is None:
        found = find_config(here)
        if found is None:
            return with_found_files(Config(root=here, trust_rules=rules_trusted(here), searched=True))
        path = found
    table = _table_of(path, required=True)
    assert table is not None
    _learn_secrets(table)
    _validate(table, path)
    # A symbolic link is not resolved: paths are relative to the folder of the link, not to that of a stranger's file.
    named = with_current_names(table, visible(path.name))
    return with_found_files(_build(named, path.parent.resolve() / path.name))


def with_found_files(config: Config) -> Config:
    """The configuration with the changelog and the manifest at their usual places, if it names none."""
    from dataclasses import replace

    changes: dict[str, str] = {}
    if not config.changelog and (config.root / DEFAULT_CHANGELOG).is_file():
        changes["changelog"] = DEFAULT_CHANGELOG
    if not config.server_json and (config.root / DEFAULT_MANIFEST).is_file():
        changes["server_json"] = DEFAULT_MANIFEST
    return replace(config, **changes) if changes else config  # type: ignore[arg-type]


def _table_of(path: Path, *, required: bool = False) -> dict[str, Any] | None:
    try:
        data = read_bytes(path, limit=MAX_TEXT_BYTES)
    except FileNotFoundError:
        raise ConfigError(f"{visible(str(path))} does not exist.", "Create one with: mcp-governor init") from None
    except OSError as error:
        raise ConfigError(f"{visible(str(path))} cannot be read: {error.strerror}.", "Check the file.") from None
    if path.name == "pyproject.toml" and b"mcp-governor" not in data and not required:
        return None
    return _parsed(data, path, required=required)


def _parsed(data: bytes, path: Path, *, required: bool) -> dict[str, Any] | None:
    shown = visible(path.name)
    try:
        document = read_toml(data.decode("utf-8-sig"))
        table = _table_in(document, path, required)
        check_values(table)
    except UnicodeDecodeError as error:
        raise ConfigError(f"{shown} is not UTF-8 (byte {error.start}).", "Save it as UTF-8.") from None
    except BadValueError as error:
        raise ConfigError(
            f"{shown} contains a value that cannot be used: {one_line(str(error))}.", "Correct the value."
        ) from None
    except ValueError as error:
        raise ConfigError(f"{shown} is not TOML: {one_line(str(error))}.", "Correct the line.") from None
    return table


def parse_config(data: bytes, path: Path) -> Config | None:
    """The configuration in a file at ``path`` with this content; ``None`` if it has none.

    Does not look for files next to it.

    Raises:
        ConfigError: as in :func:`load_config`.
    """
    table = _parsed(data, path, required=False)
    if table is None:
        return None
    _learn_secrets(table)
    _validate(table, path)
    return _build(with_current_names(table, None), path)


def _table_in(document: dict[str, Any], path: Path, required: bool) -> dict[str, Any] | None:
    """Our table in a file, or all of our own file."""
    if path.name != "pyproject.toml":
        return document
    tools = document.get("tool")
    table = tools.get("mcp-governor") if isinstance(tools, dict) else None
    if table is None and required:
        raise ConfigError(f"{visible(path.name)} has no [{_TABLE}] table.", "Create one with: mcp-governor init")
    return table if isinstance(table, dict) or table is None else {}


def _learn_secrets(table: Mapping[str, Any]) -> None:
    """Registers secrets before any message about the file, which could quote the invalid part."""
    servers = table.get("servers")
    for entry in servers.values() if isinstance(servers, dict) else ():
        if isinstance(entry, dict):
            learn_table(entry, os.environ)
    learn_addresses(value for key in ("target", "baseline") if isinstance(value := table.get(key), str))


def _validate(table: dict[str, Any], path: Path) -> None:
    import jsonschema_rs

    from mcp_governor.config.schema import config_schema

    schema = config_schema()
    plain = _without_dates(table)
    try:
        # Only the first error: the engine creates all of them at once, with 2 KB for each.
        jsonschema_rs.validator_for(schema).validate(plain)
    except jsonschema_rs.ValidationError as error:
        # The message quotes the invalid part, which may be anywhere.
        learn_anywhere(table)
        raise _explain(error, schema, path) from None


def _without_dates(value: Any) -> Any:
    """TOML dates as strings, because JSON Schema has none."""
    if isinstance(value, dict):
        return {key: _without_dates(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_dates(item) for item in value]
    return value.isoformat() if hasattr(value, "isoformat") else value


def _explain(error: Any, schema: dict[str, Any], path: Path) -> ConfigError:
    """One sentence for one schema violation."""
    where = ".".join(str(token) for token in error.instance_path)
    file = visible(path.name)
    kind = error.kind
    if kind.name == "additionalProperties":
        unknown = kind.unexpected[0]
        full = f"{where}.{unknown}" if where else unknown
        known = _schema_at(schema, error.schema_path).get("properties", {})
        hint = "List all keys with: mcp-governor schema config"
        if full == TRUST_KEY:
            raise ConfigError(
                f'{file}: "{TRUST_KEY}" has no effect in a repository; only the user can set it.',
                f"Use --trust, or set {TRUST_VARIABLE}=1, or the key in {user_config()}.",
            )
        if full == "tool":
            hint = f"[{_TABLE}] belongs in pyproject.toml only; here the keys have no prefix."
        return ConfigError(f'{file}: unknown key "{visible(full)}".{did_you_mean(unknown, known)}', hint)
    if kind.name in {"oneOfNotValid", "oneOfMultipleValid", "oneOf"} and where.startswith("servers."):
        return ConfigError(
            f'{file}: "{visible(where)}" needs exactly one of command, url, object, file and package.',
            "Keep the one that reaches the server.",
        )
    if "dependentRequired" in error.schema_path and where.startswith("servers."):
        return ConfigError(
            f'{file}: "{visible(where)}" has args or with, but no package.',
            "Use them with package = …; the arguments of a command belong in command itself.",
        )
    if kind.name == "enum":
        known = [str(item) for item in _schema_at(schema, error.schema_path).get("enum", ())]
        return ConfigError(
            f'{file}: "{visible(where)}" cannot be {one_line(json.dumps(error.instance, default=str))}.'
            f"{did_you_mean(str(error.instance), known)}",
            f"Use one of {', '.join(known)}.",
        )
    if kind.name == "anyOf" and where.startswith(("lint.ignore.", "lint.per-tool-ignores.")):
        return ConfigError(
            f'{file}: "{visible(where)}" is not a suppression.',
            'Write a rule id, or { rule = "pack/name", reason = "…" }.',
        )
    return ConfigError(
        f'{file}: "{visible(where)}" is wrong: {one_line(error.message)}.',
        "For the values that it takes, run: mcp-governor schema config",
    )


def _schema_at(schema: Any, path: Iterable[Any]) -> dict[str, Any]:
    """The schema object that contains the failing keyword."""
    here = schema
    for token in list(path)[:-1]:
        here = here[token]
    return here if isinstance(here, dict) else {}


def _build(table: Mapping[str, Any], path: Path) -> Config:
    simple = {
        _snake(key): _frozen(value) for key, value in table.items() if _snake(key) in _SIMPLE_KEYS and key != "profile"
    }
    profile = table.get("profile", "recommended")
    calls = table.get("calls", ())
    if isinstance(calls, str):
        simple["calls_mode"], calls = _mode(calls, simple.get("calls_mode", calls), path), ()
    return Config(
        path=path,
        root=path.parent,
        trust_rules=rules_trusted(path.parent),
        profile=(profile,) if isinstance(profile, str) else tuple(profile),
        servers={name: _section(ServerConfig, value, name=name) for name, value in _sub(table, "servers").items()},
        tiers={name: tuple(globs) for name, globs in _sub(table, "tiers").items()},
        lint=_section(LintConfig, _sub(table, "lint")),
        policy=_policy(_sub(table, "policy")),
        changelog_options=_section(ChangelogConfig, _sub(table, "changelog-options")),
        schemas=_schemas(_sub(table, "schemas")),
        evaluation=_section(EvaluationConfig, _sub(table, "evaluation")),
        load=_section(LoadConfig, _sub(table, "load")),
        calls=tuple(_section(CallConfig, call) for call in calls),
        accept=tuple(_acceptance(item, path) for item in table.get("accept", ())),
        **simple,
    )


def _mode(short: str, long: str, path: Path) -> str:
    """The value of ``calls-mode``, which ``calls`` takes as well where there are no ``[[calls]]``."""
    if short != long:
        raise ConfigError(
            f'{visible(path.name)}: "calls" is {short}, but "calls-mode" is {long}.', "Remove one of the two."
        )
    return short


_SIMPLE_KEYS = frozenset(
    field.name
    for field in fields(Config)
    if field.type in {"str", "float", "float | None", "tuple[str, ...]"} and field.name not in {"path", "root", "base"}
)


def _sub(table: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value: Mapping[str, Any] = table.get(key, {})
    return value


def _snake(key: str) -> str:
    return "with_" if key == "with" else key.replace("-", "_")


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _section(kind: type[_T], table: Mapping[str, Any], **more: Any) -> _T:
    values = {_snake(key): _frozen(value) for key, value in table.items()}
    return kind(**values, **more)


def _policy(table: Mapping[str, Any]) -> PolicyConfig:
    own = set(PolicyConfig.__struct_fields__) - {"options"}
    given = {_snake(key): value for key, value in table.items() if _snake(key) in own}
    if "windows" in given:
        given["windows"] = _section(Windows, given["windows"])
    return PolicyConfig(
        **given,
        options={key: value for key, value in table.items() if _snake(key) not in own},
    )


def _schemas(table: Mapping[str, Any]) -> SchemasConfig:
    allow = tuple(_section(SchemaAllowance, item) for item in table.get("allow", ()))
    return _section(SchemasConfig, {key: value for key, value in table.items() if key != "allow"}, allow=allow)


def _acceptance(table: Mapping[str, Any], path: Path) -> AcceptConfig:
    until = table.get("until")
    if isinstance(until, str):
        try:
            until = date.fromisoformat(until)
        except ValueError:
            until = ""
    if until is not None and type(until) is not date:
        raise ConfigError(
            f'{visible(path.name)}: "accept.until" of {one_line(table["finding"])} is not a date.',
            "Write it as 2027-01-31, without quotes and without a time.",
        )
    return AcceptConfig(table["finding"], table["reason"], until, table.get("released", ""))
