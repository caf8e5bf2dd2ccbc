"""Reads TOML text as a :class:`Rule`; a mistake in a file is reported with file and line."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from mcp_governor.errors import ConfigError
from mcp_governor.files import read_bytes
from mcp_governor.findings import Severity
from mcp_governor.parsing import BadValueError, check_values, read_toml
from mcp_governor.rule_names import rules_folder
from mcp_governor.rules.rule import Case, Example, Limit, Option, Rule, Stance, Verified, cases_of
from mcp_governor.text import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from mcp_governor.rules.rule import Examples


MAX_RULE_BYTES = 256 * 1024
"""Maximum size of a rule file in bytes; ours have 4 KB on average and at most 12 KB. Larger files are rejected."""


def read_rule(path: Path) -> Rule:
    """Read a user's rule file and validate all of it, compiling every part.

    Args:
        path: a TOML file.

    Raises:
        ConfigError: the file is unreadable, not TOML, or not a rule; the message names file and line.
    """
    import tomli

    from mcp_governor.rules.rule_check import validate

    shown = visible(str(path))
    try:
        text = read_bytes(path, limit=MAX_RULE_BYTES).decode()
        data = read_toml(text)
        check_values(data)
    except OSError as error:
        raise ConfigError(f"Rule file {shown} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise ConfigError(f"Rule file {shown} is not UTF-8.", "Save it as UTF-8.") from None
    except tomli.TOMLDecodeError as error:
        raise ConfigError(
            f"Rule file {shown}:{error.lineno} is not TOML: {one_line(error.msg)}.", "Correct the line."
        ) from None
    except BadValueError as error:
        raise ConfigError(
            f"Rule file {shown} contains a value that cannot be used: {one_line(str(error))}.", "Correct the value."
        ) from None
    validate(data, text, shown)
    examples = _examples(data)
    return _rule(data, shown, lambda: examples)


def own_rule_file(rule_id: str) -> Path:
    """The file of one of our own rules."""
    return rules_folder() / f"{rule_id}.toml"


@functools.cache
def own_rule(rule_id: str) -> Rule:
    """One of our own rules. Its examples, most of its text, are read from its file when somebody asks for them.

    Raises:
        KeyError: there is no such rule.
    """
    from mcp_governor.builtin_rules import RULES

    return _rule(RULES[rule_id], f"{rules_folder()}/{rule_id}.toml", functools.partial(_examples_in, rule_id))


@functools.cache
def _examples_in(rule_id: str) -> Examples:
    import tomli

    return _examples(tomli.loads(own_rule_file(rule_id).read_text("utf-8")))


def _examples(data: Mapping[str, Any]) -> Examples:
    return tuple(map(_example, data.get("pass", ()))), tuple(map(_example, data.get("fail", ())))


_OPTIONAL = (
    *("persona", "station", "on", "enabled", "check", "twin", "unseen"),
    *("message", "messages", "grouped", "gist", "order"),
)


def _rule(data: Mapping[str, Any], origin: str, examples: Callable[[], Examples]) -> Rule:
    stance, limit, verified = data.get("stance"), data.get("limit"), data.get("verified")
    optional = {key: data[key] for key in _OPTIONAL if key in data}
    return Rule(
        id=data["id"],
        summary=data["summary"],
        why=data["why"].strip(),
        source=data["source"].strip(),
        severity=Severity(data["severity"]),
        since=data["since"],
        fix=data["fix"].strip(),
        options={
            name: Option(item["default"], item["schema"], item["summary"])
            for name, item in data.get("options", {}).items()
        },
        stance=Stance(stance["topic"], stance["choice"]) if stance else None,
        limit=Limit(**limit) if limit else None,
        verified=Verified(**verified) if verified else None,
        cases=tuple(Case(**case) for case in cases_of(data)),
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
