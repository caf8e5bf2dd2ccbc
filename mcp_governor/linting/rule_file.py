"""TOML text → :class:`Rule`; every mistake in a file is one error with file and line."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Any

import tomli

from mcp_governor.errors import ConfigError
from mcp_governor.findings import Severity
from mcp_governor.linting.rule import Example, Limit, Option, Rule, Stance
from mcp_governor.text import did_you_mean, one_line, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from mcp_governor.linting.rule import Examples


def read_rule(path: Path, *, trusted: bool = False) -> Rule:
    """The rule in a file.

    Args:
        path: a TOML file.
        trusted: it is one of our own: see :func:`read_own_rule`.

    Raises:
        ConfigError: the file is unreadable, not TOML, or not a rule; the message names file and line.
    """
    if trusted:
        return read_own_rule(str(path))
    shown = visible(str(path))
    try:
        text = path.read_text(encoding="utf-8")
        data = tomli.loads(text)
    except OSError as error:
        raise ConfigError(f"Rule file {shown} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise ConfigError(f"Rule file {shown} is not UTF-8.", "Save it as UTF-8.") from None
    except tomli.TOMLDecodeError as error:
        raise ConfigError(
            f"Rule file {shown}:{error.lineno} is not TOML: {one_line(error.msg)}.", "Correct that line."
        ) from None
    _validate(data, text, shown)
    examples = _examples(data)
    return _rule(data, shown, lambda: examples)


def read_own_rule(path: str) -> Rule:
    """The rule in one of our own files, which the tests hold to the schema; examples are left for later.

    They come last in a file and are most of its text, and nobody who lints needs them.
    """
    with open(path, "rb") as file:  # noqa: PTH123 - pathlib costs as much as the reading
        text = file.read().decode()
    data = tomli.loads(text.partition("\n[[")[0])
    return _rule(data, path, functools.cache(lambda: _examples(tomli.loads(text))))


def _examples(data: Mapping[str, Any]) -> Examples:
    return tuple(map(_example, data.get("pass", ()))), tuple(map(_example, data.get("fail", ())))


def _validate(data: Mapping[str, Any], text: str, shown: str) -> None:
    from mcp_governor.linting.patterns import compile_schema, first_error
    from mcp_governor.linting.rule_schema import RULE_SCHEMA

    unknown = [key for key in data if key not in RULE_SCHEMA["properties"]]
    if unknown:
        hint = did_you_mean(unknown[0], RULE_SCHEMA["properties"])
        raise ConfigError(
            f"Rule file {shown}:{line_of(text, [unknown[0]])} has an unknown key {one_line(unknown[0])!r}.{hint}",
            "mcp-governor schema rule prints what a rule file may say.",
        )
    problem = first_error(compile_schema(RULE_SCHEMA), _plain(data))
    if problem is not None:
        where, message = problem
        raise ConfigError(
            f"Rule file {shown}:{line_of(text, where)} is not a rule: "
            f"{'.'.join(map(str, where)) or 'the file'}: {one_line(message)}.",
            "mcp-governor schema rule prints what a rule file may say.",
        )


def _plain(value: Any) -> Any:
    """TOML dates have no place in JSON; as text they fail the schema where they stand."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value if isinstance(value, str | int | float | bool) else str(value)


def line_of(text: str, path: list[str | int]) -> int:
    """The line (from 1) where a TOML document says the value at ``path``; 1 where it cannot be told.

    Reads headers and bare or quoted keys; enough for an error message, not a parser.
    """
    names = [step for step in path if isinstance(step, str)]
    index = next((step for step in path if isinstance(step, int)), 0)
    best, depth, seen = 1, 0, -1
    table: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        header = re.match(r"\s*\[\[?\s*([^\]]+?)\s*\]\]?", line)
        if header and not re.match(r"\s*[\w\"'.-]+\s*=", line):
            table = [part.strip(" \"'") for part in header[1].split(".")]
            if line.lstrip().startswith("[[") and names[:1] == table:
                seen += 1
            here = table
        else:
            key = re.match(r"\s*([\w-]+|\"[^\"]*\"|'[^']*')\s*[=.]", line)
            if not key:
                continue
            here = [*table, key[1].strip("\"'")]
        if here == names[: len(here)] and len(here) > depth and (seen < 0 or seen == index):
            best, depth = number, len(here)
    return best


_OPTIONAL = ("persona", "station", "on", "enabled", "given", "then", "pattern", "forbid", "check", "twin", "unseen")


def _rule(data: Mapping[str, Any], origin: str, examples: Callable[[], Examples]) -> Rule:
    stance, limit = data.get("stance"), data.get("limit")
    optional = {key: data[key] for key in _OPTIONAL if key in data}
    return Rule(
        id=data["id"],
        summary=data["summary"],
        why=data["why"].strip(),
        source=data["source"].strip(),
        severity=Severity(data["severity"]),
        since=data["since"],
        message=data["message"],
        fix=data["fix"].strip(),
        options={
            name: Option(item["default"], item["schema"], item["summary"])
            for name, item in data.get("options", {}).items()
        },
        stance=Stance(stance["topic"], stance["choice"]) if stance else None,
        limit=Limit(**limit) if limit else None,
        examples=examples,
        origin=origin,
        **optional,
    )


def _example(data: Mapping[str, Any]) -> Example:
    return Example(
        tools=data.get("tools", data.get("tool")),
        surface=data.get("surface"),
        options=data.get("options", {}),
        at=tuple(data.get("at", ())),
        note=data.get("note", ""),
    )
