"""Reads TOML text as a :class:`Rule`; a mistake in a file is reported with file and line."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import msgspec

from mcp_governor.errors import ConfigError
from mcp_governor.files import read_bytes
from mcp_governor.parsing import BadValueError, check_values, read_toml
from mcp_governor.rule_names import rules_folder
from mcp_governor.rules.rule import Rule, cases_of
from mcp_governor.text import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


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

    from mcp_governor.rules.rule_schema import validate

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
    return _rule(data, str(path))


@functools.cache
def own_rule(rule_id: str) -> Rule:
    """One of our own rules.

    Raises:
        KeyError: there is no such rule.
    """
    from mcp_governor.builtin_rules import RULES

    return _rule(RULES[rule_id], f"{rules_folder()}/{rule_id}.toml")


def _rule(data: Mapping[str, Any], file: str) -> Rule:
    words = {key: data[key].strip() for key in ("why", "source", "fix")}
    return msgspec.convert({**data, **words, "cases": cases_of(data), "file": file}, Rule)
