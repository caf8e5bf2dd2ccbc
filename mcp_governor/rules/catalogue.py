"""All available rules: built-in ones, those of installed packages, and those in the user's own folders."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Collection, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import msgspec
from msgspec import Struct, convert, field
from msgspec.structs import replace

from mcp_governor.errors import ConfigError
from mcp_governor.files import list_files, read_bytes
from mcp_governor.findings import Severity  # noqa: TC001  (msgspec reads the annotations)
from mcp_governor.parsing import BadValueError, check_values, read_toml
from mcp_governor.rule_names import current_name, rules_folder
from mcp_governor.rules.rule import Rule, cases_of
from mcp_governor.text import did_you_mean, nearest, one_line, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def page_of_rule(name: str) -> str:
    """The address of the page of one of our rules; empty if there is no documentation to link to, or no such rule.

    Args:
        name: ``pack/rule``; anything else may be a rule of somebody else, which has no page.
    """
    from mcp_governor import installation

    base = installation.documentation()
    pack, _, rule = name.partition("/")
    return f"{base}/rules/{quote(pack)}/#{quote(rule)}" if base and name in load_catalogue().rules else ""


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


ENTRY_POINT_GROUP = "mcp_governor.rules"
"""Packages with rules name a package whose folder contains the files."""


class Profile(Struct, frozen=True):
    """A choice of rules with severities.

    Attributes:
        name: as spelled in the configuration.
        summary: its audience.
        select: rule ids or ``pack/*``.
        severity: rule id or ``pack/*`` → severity.
        policy: options of the comparison (the configuration's ``policy``) → default value for this profile.
    """

    name: str
    summary: str
    select: tuple[str, ...]
    severity: Mapping[str, Severity] = field(default_factory=dict)
    policy: Mapping[str, Any] = field(default_factory=dict)


class Rules(Mapping[str, Rule]):
    """Rules by id, in alphabetical order; a built-in one is made when it is first used."""

    def __init__(self, own: Collection[str], others: Mapping[str, Rule]) -> None:
        self._own = own
        self._others = others
        self._ids = tuple(sorted({*own, *others}))

    def __getitem__(self, rule_id: str) -> Rule:
        return self._others[rule_id] if rule_id in self._others else own_rule(rule_id)

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, rule_id: object) -> bool:
        return rule_id in self._own or rule_id in self._others


class Catalogue(Struct, frozen=True, dict=True):
    """All rules by id, and the profiles that choose among them, by name."""

    rules: Mapping[str, Rule]
    profiles: Mapping[str, Profile]

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules.values())

    def __len__(self) -> int:
        return len(self.rules)

    def __contains__(self, rule_id: object) -> bool:
        return rule_id in self.rules

    @cached_property
    def packs(self) -> Mapping[str, tuple[Rule, ...]]:
        """Rules by pack, both in alphabetical order."""
        out: dict[str, tuple[Rule, ...]] = {}
        for rule in self:
            out[rule.pack] = (*out.get(rule.pack, ()), rule)
        return out

    @cached_property
    def clients(self) -> tuple[str, ...]:
        """The clients whose limits some rules check."""
        return tuple(sorted({rule.limit.target for rule in self if rule.limit is not None}))

    def get(self, rule_id: str) -> Rule:
        """The rule with this id or former id.

        Raises:
            ConfigError: there is no such rule; the message suggests the nearest.
        """
        rule = self.rules.get(current_name(rule_id))
        if rule is None:
            raise self._unknown(rule_id)
        return rule

    def profile(self, name: str) -> Profile:
        """The profile with this name.

        Raises:
            ConfigError: there is no such profile; the message suggests the nearest.
        """
        profile = self.profiles.get(name)
        if profile is None:
            raise ConfigError(
                f"There is no profile {one_line(name)!r}.{did_you_mean(name, self.profiles)}",
                f"The profiles are {', '.join(sorted(self.profiles))}.",
            )
        return profile

    def match(self, selector: str) -> tuple[Rule, ...]:
        """The rules that a selector matches: an id, ``pack/*``, or ``*``.

        Raises:
            ConfigError: it matches no rule; the message suggests the nearest.
        """
        return tuple(map(self.rules.__getitem__, self.ids(selector)))

    def ids(self, selector: str) -> tuple[str, ...]:
        """The ids of :meth:`match`, without reading rule files."""
        selector = current_name(selector)
        if selector in self.rules:
            return (selector,)
        if selector == "*":
            return tuple(self.rules)
        pack, star, rest = selector.partition("/*")
        found = self._ids_of_pack.get(pack, ()) if star and not rest else ()
        if not found:
            raise self._unknown(selector)
        return tuple(found)

    @cached_property
    def _ids_of_pack(self) -> Mapping[str, list[str]]:
        out: dict[str, list[str]] = {}
        for rule_id in self.rules:
            out.setdefault(rule_id.partition("/")[0], []).append(rule_id)
        return out

    def _unknown(self, selector: str) -> ConfigError:
        from mcp_governor.builtin_rules import REMOVED

        # These ids are never reused, so that an old configuration cannot change its meaning.
        if selector in REMOVED:
            return ConfigError(
                f"Rule {selector} was removed: {REMOVED[selector]}",
                "Remove it from your configuration and suppressions.",
            )
        # What people write → what it may mean: a name without its pack, a pack without the star.
        meant: dict[str, dict[str, None]] = {}
        for rule_id in self.rules:
            pack, _, name = rule_id.partition("/")
            for word in (rule_id, name):
                meant.setdefault(word, {})[f'"{rule_id}"'] = None
            for word in (pack, f"{pack}/*"):
                meant.setdefault(word, {})[f'"{pack}/*"'] = None
        close = nearest(selector, meant)
        hint = f" Did you mean {' or '.join(meant[close])}?" if close else ""
        return ConfigError(
            f"There is no rule {one_line(selector)!r}.{hint}",
            "A selector is a rule id, pack/* or *; mcp-governor rules lists the catalogue.",
        )


def selects(selector: str, rule_id: str) -> bool:
    """True if a selector, an id, ``pack/*`` or ``*``, matches a rule."""
    return selector in ("*", rule_id) or (selector.endswith("/*") and rule_id.startswith(selector[:-1]))


# One entry per configuration; only the server and test suites see several.
@functools.lru_cache(maxsize=8)
def load_catalogue(extra_paths: tuple[Path, ...] = (), entry_points: bool = True) -> Catalogue:
    """The catalogue: our own packs, those of installed packages, then those in ``extra_paths``. Imports none of them.

    Args:
        extra_paths: folders with rule files (``*.toml``, at any depth).
        entry_points: look for packages with the entry point ``mcp_governor.rules``.

    Raises:
        ConfigError: a rule file is invalid (with file and line), or two files have the same id.
    """
    from mcp_governor.builtin_rules import RULES

    rules: dict[str, Rule] = {}
    for folder in (*(_package_folders() if entry_points else ()), *extra_paths):
        for rule in _user_rules(folder):
            current = current_name(rule.id)
            taken = own_rule(current) if current in RULES else rules.get(rule.id)
            if taken is not None:
                raise ConfigError(
                    f"Rule {rule.id} is defined twice: in {visible(taken.origin)} and in {rule.origin}.",
                    "Give your rule a pack name of its own.",
                )
            rules[rule.id] = rule
    return Catalogue(Rules(RULES, rules), own_profiles())


def policy_of(profiles: Iterable[str]) -> dict[str, Any]:
    """The options of the comparison that profiles set; unknown names are ignored here."""
    known = own_profiles()
    return {key: value for name in profiles if name in known for key, value in known[name].policy.items()}


def _user_rules(folder: Path) -> Iterator[Rule]:
    if not folder.is_dir():
        raise ConfigError(f"The folder of rules {visible(str(folder))} does not exist.", "Correct lint.rules.")
    files = rule_files(folder)
    if not files:
        raise ConfigError(f"The folder {visible(str(folder))} holds no rule files (*.toml).", "Correct lint.rules.")
    for file in files:
        yield replace(read_rule(file), folder=str(folder))


_MAX_RULES = 1_000
"""Maximum number of rule files in a folder: ten times our own. A folder with more was probably not intended."""


def rule_files(folder: Path) -> list[Path]:
    """The rule files in a folder and its subfolders, sorted.

    Raises:
        ConfigError: the folder cannot be read, or has too many files to be a folder of rules.
    """
    try:
        return list_files(folder, ".toml", most=_MAX_RULES, deep=True)
    except OSError as error:
        message = f"The folder of rules {visible(str(folder))} cannot be read: {error.strerror}."
        raise ConfigError(message, "Correct lint.rules.") from None


@functools.cache
def own_profiles() -> Mapping[str, Profile]:
    """The built-in profiles by name; there are no others."""
    from mcp_governor.builtin_rules import PROFILES

    return {name: convert({**item, "name": name}, Profile) for name, item in PROFILES.items()}


def _package_folders() -> Iterator[Path]:
    """The folders of the packages that entry points name, none of which is imported."""
    # importlib.metadata takes longer than loading all our packs. Most installations have no such package, which a look
    # at the entry_points.txt files shows.
    if not any(_declares_group(folder) for folder in dict.fromkeys(sys.path) if folder):
        return
    from importlib.metadata import entry_points
    from importlib.util import find_spec

    for entry in entry_points(group=ENTRY_POINT_GROUP):
        top, *parts = entry.value.split(".")
        try:
            spec = find_spec(top)
        except (ImportError, ValueError):
            spec = None
        bases = (spec.submodule_search_locations if spec is not None else None) or ()
        folder = next(filter(Path.is_dir, (Path(base, *parts) for base in bases)), None)
        if folder is None:
            raise ConfigError(
                f"The entry point {visible(entry.name)} of group {ENTRY_POINT_GROUP} names no package: "
                f"{visible(entry.value)}.",
                "It must be a package whose folder holds the rule files.",
            )
        yield folder


def _declares_group(folder: str) -> bool:
    needle = ENTRY_POINT_GROUP.encode()
    try:
        names = [name for name in os.listdir(folder) if name.endswith((".dist-info", ".egg-info"))]  # noqa: PTH208
    except OSError:
        return False
    for path in (f"{folder}/{name}/entry_points.txt" for name in names):
        # Most have none, and a question costs a fifth of a failure to open it; pathlib costs twice as much.
        if not os.access(path, os.R_OK):
            continue
        try:
            with open(path, "rb", buffering=0) as file:  # noqa: PTH123
                if needle in file.read():
                    return True
        except OSError:
            continue
    return False
