"""Finds and reads the configuration: the nearest ``mcp-governor.toml`` or ``pyproject.toml`` in the folder and its
parents; and decides if rules may run Python code.

Rules in TOML are data and always run. A rule whose check is a function, and a package that provides its rules through a
function, are code, which the author of the repository wrote or chose: that is the user's choice, made outside of it.
"""

from __future__ import annotations

import os
import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from mcp_governor import documents
from mcp_governor.config.model import CALLS_MODES, Config, ConfigFile
from mcp_governor.config.policy import ChangeOptions, PolicyConfig, option_schemas
from mcp_governor.config.servers import WAYS, ServerConfig
from mcp_governor.documents import schema_of
from mcp_governor.errors import ConfigError
from mcp_governor.files import MAX_TEXT_BYTES, read_bytes, read_named, repository_of
from mcp_governor.parsing import BadValueError, check_values, read_toml
from mcp_governor.rule_names import current_id, noted_name
from mcp_governor.text import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    Renaming = Callable[[str, str], str]


OWN_FILE = "mcp-governor.toml"
DEFAULT_CHANGELOG = "docs/mcp-schema-changelog.md"
DEFAULT_MANIFEST = "server.json"
_TABLE = "tool.mcp-governor"


def find_config(start: Path) -> Path | None:
    """The nearest configuration in ``start`` and its parents: our own file, else a pyproject.toml with our table."""
    for folder in (start, *start.parents):
        own = folder / OWN_FILE
        if own.is_file():
            return own
        project = folder / "pyproject.toml"
        if project.is_file() and _has_table(project):
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
    data = _read(path)
    table = _parsed(data, path, required=True)
    assert table is not None
    # A symbolic link is not resolved: paths are relative to the folder of the link, not to that of a stranger's file.
    place = path.parent.resolve() / path.name
    return with_found_files(_config(table, data.decode("utf-8-sig"), place, visible(path.name)))


def with_found_files(config: Config) -> Config:
    """The configuration with the changelog and the manifest at their usual places, if it names none."""
    changes: dict[str, str] = {}
    if not config.changelog and (config.root / DEFAULT_CHANGELOG).is_file():
        changes["changelog"] = DEFAULT_CHANGELOG
    if not config.server_json and (config.root / DEFAULT_MANIFEST).is_file():
        changes["server_json"] = DEFAULT_MANIFEST
    return replace(config, **changes) if changes else config


def _has_table(project: Path) -> bool:
    data = _read(project)
    return b"mcp-governor" in data and _parsed(data, project, required=False) is not None


def _read(path: Path) -> bytes:
    try:
        return read_bytes(path, limit=MAX_TEXT_BYTES)
    except FileNotFoundError:
        raise ConfigError(f"{visible(str(path))} does not exist.", "Create one with: mcp-governor init") from None
    except OSError as error:
        raise ConfigError(f"{visible(str(path))} cannot be read: {error.strerror}.", "Check the file.") from None


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
    return _config(table, data.decode("utf-8-sig"), path, None)


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
    from mcp_governor.secret_detection import learn_addresses, learn_table

    servers = table.get("servers")
    for entry in servers.values() if isinstance(servers, dict) else ():
        if isinstance(entry, dict):
            learn_table(entry, os.environ)
            variants = entry.get("variants")
            for variant in variants.values() if isinstance(variants, dict) else ():
                if isinstance(variant, dict):
                    learn_table(variant, os.environ)
    learn_addresses(value for key in ("target", "baseline") if isinstance(value := table.get(key), str))


def _config(table: dict[str, Any], data: str, path: Path, file: str | None) -> Config:
    """The configuration of a table; ``data`` is the text of the file, for the number of a line, and ``file`` its name
    in notes about former names, ``None`` for no notes."""
    _learn_secrets(table)
    given = _spelled_out(table, path)
    wrong = _wrong(given, table)
    if wrong is not None:
        from mcp_governor.secret_detection import learn_anywhere

        # A message quotes the invalid part, which may be anywhere.
        learn_anywhere(table)
        raise _refusal(_in_our_words(wrong, table), path, data)
    # Former names are translated in what is valid.
    return _built(msgspec.convert(with_current_names(given, file), ConfigFile), path)


def _wrong(given: Mapping[str, Any], table: Mapping[str, Any]) -> documents.Wrong | None:
    """The first thing that is wrong with a table, which :func:`_spelled_out` spelled out."""
    for kind, part in ((ConfigFile, lambda: given), (ChangeOptions, lambda: given.get("policy", _NONE)["options"])):
        read: object = documents.read(kind, part(), written=table, schema=_schema)
        if isinstance(read, documents.Wrong):
            # What a server must not combine is said of the server as a whole.
            combined = read.where[:1] == ("servers",) and len(read.where) == 2
            return (_server_refusal(table) if combined else None) or read
    return _server_refusal(table)


_NONE: Mapping[str, Any] = {"options": {}}


def _schema() -> dict[str, Any]:

    return config_schema()


def _refusal(wrong: documents.Wrong, path: Path, text: str) -> ConfigError:
    """The error about a wrong key or value of a file with this text, with its line."""
    table = (*_TABLE.split("."), *wrong.where) if path.name == "pyproject.toml" else wrong.where
    line = documents.toml_line(text, table)
    place = f"{visible(path.name)}:{line}" if line else visible(path.name)
    hint = wrong.hint or (_ALL_KEYS if wrong.keyword == "additionalProperties" else _ALL_VALUES)
    return ConfigError(f"{place}: {wrong.sentence}", hint)


_ALL_KEYS = "List all keys with: mcp-governor schema config"
_ALL_VALUES = "For the values that it takes, run: mcp-governor schema config"


def _spelled_out(table: dict[str, Any], path: Path) -> dict[str, Any]:
    """The table in the one form that its type has: lists for single values, and our options of ``policy`` apart."""
    out = dict(table)
    if isinstance(profile := out.get("profile"), str) and profile:
        out["profile"] = [profile]
    if isinstance(mode := out.get("calls"), str) and mode in CALLS_MODES:
        out["calls-mode"] = _mode(mode, out.get("calls-mode", mode), path)
        del out["calls"]
    if isinstance(policy := out.get("policy"), dict):
        own = {key.replace("_", "-") for key in PolicyConfig.__struct_fields__} - {"options"}
        rest = {key: value for key, value in policy.items() if key not in own}
        out["policy"] = {**{key: value for key, value in policy.items() if key in own}, "options": rest}
    return out


def _server_refusal(table: Mapping[str, Any]) -> documents.Wrong | None:
    """The first server that is reached in no way or in several, or has arguments for none."""
    for name, server in (table.get("servers") or {}).items():
        if not isinstance(server, dict):
            continue
        where = ("servers", name)
        if sum(way in server for way in WAYS) != 1:
            problem = f'"{documents.shown_path(where)}" needs exactly one of {", ".join(WAYS[:-1])} and {WAYS[-1]}'
            return documents.Wrong(where, "oneOf", problem, hint="Keep the one that reaches the server.")
        if ("args" in server or "with" in server) and "package" not in server:
            return documents.Wrong(
                where,
                "dependentRequired",
                f'"{documents.shown_path(where)}" has args or with, but no package',
                hint="Use them with package = …; the arguments of a command belong in command itself.",
            )
    return None


def _in_our_words(wrong: documents.Wrong, table: Mapping[str, Any]) -> documents.Wrong:
    """What only this document has to say of a wrong key or value."""
    where = wrong.where
    if wrong.keyword == "additionalProperties" and where == (TRUST_KEY,):
        return wrong._replace(
            problem=f'"{TRUST_KEY}" has no effect in a repository; only the user can set it',
            guess="",
            hint=f"Use --trust, or set {TRUST_VARIABLE}=1, or the key in {user_config()}.",
        )
    if wrong.keyword == "additionalProperties" and where == ("tool",):
        return wrong._replace(hint=f"[{_TABLE}] belongs in pyproject.toml only; here the keys have no prefix.")
    if wrong.keyword == "anyOf" and where[:2] in {("lint", "ignore"), ("lint", "per-tool-ignores")}:
        return wrong._replace(
            problem=f'"{documents.shown_path(where)}" is not a suppression',
            hint='Write a rule id, or { rule = "pack/name", reason = "…" }.',
        )
    for number, entry in enumerate(table.get("accept", ()) if not wrong.keyword else ()):
        if "until" in entry and type(entry["until"]) is not date:
            return documents.Wrong(
                ("accept", number, "until"),
                "",
                f'"accept.until" of {one_line(entry["finding"])} is not a date',
                hint="Write it as 2027-01-31, without quotes and without a time.",
            )
    return wrong


def _built(file: ConfigFile, path: Path) -> Config:
    said: dict[str, Any] = {name: getattr(file, name) for name in file.__struct_fields__}
    servers = {name: ServerConfig(name, **_fields(server)) for name, server in file.servers.items()}
    tiers = {tier: globs for tier, globs in _fields(file.tiers).items() if globs}
    return Config(
        **{**said, "servers": servers, "tiers": tiers},
        path=path,
        root=path.parent,
        trust_rules=rules_trusted(path.parent),
    )


def _fields(value: msgspec.Struct) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__struct_fields__}


def _mode(short: str, long: str, path: Path) -> str:
    """The value of ``calls-mode``, which ``calls`` takes as well where there are no ``[[calls]]``."""
    if short != long:
        raise ConfigError(
            f'{visible(path.name)}: "calls" is {short}, but "calls-mode" is {long}.', "Remove one of the two."
        )
    return short


def with_current_names(table: Mapping[str, Any], file: str | None) -> dict[str, Any]:
    """A valid configuration table with current names in place of former ones.

    ``file`` is its name in notes; ``None`` for a file of an earlier commit, which nobody can change."""

    def renamed(name: str, key: str) -> str:
        return current_id(name) if file is None else noted_name(name, file, key)

    out = dict(table)
    if "lint" in table:
        out["lint"] = _lint(table["lint"], renamed)
    if "accept" in table:
        out["accept"] = [_acceptance(item, renamed) for item in table["accept"]]
    return out


def _lint(table: Mapping[str, Any], renamed: Renaming) -> dict[str, Any]:
    out = dict(table)
    for key in ("select", "extend-select", "ignore"):
        if key in table:
            out[key] = _listed(table[key], f"lint.{key}", renamed)
    for key in ("severity", "options"):
        if key in table:
            out[key] = _keyed(table[key], f"lint.{key}", renamed)
    if "per-tool-ignores" in table:
        globs = table["per-tool-ignores"].items()
        out["per-tool-ignores"] = {
            glob: _listed(items, f'lint.per-tool-ignores."{one_line(glob, 60)}"', renamed) for glob, items in globs
        }
    return out


def _listed(items: Iterable[str | Mapping[str, str]], key: str, renamed: Renaming) -> list[Any]:
    """Rules in a list: ids, or tables of rule and reason."""
    return [
        renamed(item, key) if isinstance(item, str) else {**item, "rule": renamed(item["rule"], key)} for item in items
    ]


def _keyed(values: Mapping[str, Any], key: str, renamed: Renaming) -> dict[str, Any]:
    """Values by rule; if a file has both names of a rule, the value under the current name counts."""
    former = {new: value for name, value in values.items() if (new := renamed(name, key)) != name}
    current = {name: value for name, value in values.items() if current_id(name) == name}
    return former | current


def _acceptance(item: Mapping[str, Any], renamed: Renaming) -> dict[str, Any]:
    # An acceptance that was released is a record: it still matches, and needs no edit.
    finding = current_id(item["finding"]) if "released" in item else renamed(item["finding"], "accept")
    return {**item, "finding": finding}


FORMAT = "mcp-governor/config-1"


def config_schema(profiles: tuple[str, ...] = ()) -> dict[str, Any]:
    """The JSON Schema (2020-12) of ``[tool.mcp-governor]``.

    Args:
        profiles: the known profiles, which the caller passes because the rules are on a floor above this one; empty for
            any name.
    """
    schema = schema_of(ConfigFile, FORMAT)
    policy, profile = (schema["properties"][name] for name in ("policy", "profile"))
    del policy["properties"]["options"]
    policy["properties"] |= option_schemas()
    if profiles:
        name = {"enum": list(profiles)}
        profile["anyOf"] = [name, {"type": "array", "items": name}]
        del profile["type"], profile["items"]
    return schema


def config_table(path: Path) -> tuple[str, ...]:
    """The table of the configuration in its file."""
    return ("tool", "mcp-governor") if path.name == "pyproject.toml" else ()


def config_text(path: Path) -> str:
    """A configuration file with its own line ends.

    Raises:
        ConfigError: it cannot be read.
    """
    shown = visible(path.name)
    data = read_named(path, shown, limit=MAX_TEXT_BYTES, error=ConfigError, hint="Check the file.")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise ConfigError(f"{shown} cannot be read: it is not UTF-8.", "Check the file.") from None


TRUST_KEY = "trust-rules"
TRUST_VARIABLE = "MCP_GOVERNOR_TRUST_RULES"
_YES = frozenset({"1", "true", "yes", "on"})
_NO = frozenset({"", "0", "false", "no", "off"})


def rules_trusted(root: Path) -> bool:
    """True if the user trusts the rules of a repository: in the environment, else in their own configuration.

    Args:
        root: the folder of the repository's configuration. A user configuration inside its repository is ignored: the
            repository may have created it.

    Raises:
        ConfigError: the variable is neither yes nor no, or the user configuration is invalid.
    """
    said = os.environ.get(TRUST_VARIABLE)
    if said is not None:
        if said.strip().lower() not in _YES | _NO:
            raise ConfigError(
                f"{TRUST_VARIABLE} is {one_line(said, 40)!r}; it must be 1 or 0.", f"Set it: export {TRUST_VARIABLE}=1"
            )
        return said.strip().lower() in _YES
    file = user_config()
    if file is None:
        return False
    here = Path(os.path.realpath(root))
    if Path(os.path.realpath(file)).is_relative_to(repository_of(here)):
        return False
    trusted = _trusted_in(file)
    return trusted if isinstance(trusted, bool) else any(here.is_relative_to(folder) for folder in trusted)


def trusted_by_variable() -> bool:
    """True if the environment says that rules are trusted; a user configuration is not asked."""
    return os.environ.get(TRUST_VARIABLE, "").strip().lower() in _YES


def user_config() -> Path | None:
    """The path of a user's own configuration, even if it does not exist; ``None`` for a user without a home."""
    variable = "APPDATA" if sys.platform == "win32" else "XDG_CONFIG_HOME"
    named = os.environ.get(variable, "")
    try:
        base = Path(named) if Path(named).is_absolute() else Path.home() / ".config"
    except RuntimeError:
        return None
    return base / "mcp-governor" / "config.toml"


def _trusted_in(file: Path) -> bool | list[Path]:
    """The value of ``trust-rules``: all repositories, or the folders to which it applies."""
    try:
        data = read_bytes(file, limit=MAX_TEXT_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise ConfigError(f"{visible(str(file))} cannot be read: {error.strerror}.", "Check the file.") from None
    import tomli

    try:
        document = tomli.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{visible(str(file))} is not TOML: {one_line(str(error))}.", "Correct the file.") from None
    said = document.pop(TRUST_KEY, False)
    folders = said if isinstance(said, list) else []
    if document or not (isinstance(said, bool | list) and all(isinstance(folder, str) for folder in folders)):
        raise ConfigError(
            f"{visible(str(file))} may contain only {TRUST_KEY}.",
            f'Use {TRUST_KEY} = true, or list the folders that you trust: {TRUST_KEY} = ["~/work"]',
        )
    return said if isinstance(said, bool) else [Path(os.path.realpath(Path(folder).expanduser())) for folder in said]
