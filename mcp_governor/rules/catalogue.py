"""All available rules: built-in ones, those of installed packages, and those in the user's own folders."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Collection, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, convert, field
from msgspec.structs import replace

from mcp_governor.errors import ConfigError
from mcp_governor.files import list_files
from mcp_governor.findings import Severity  # noqa: TC001  (msgspec reads the annotations)
from mcp_governor.rule_names import current_name
from mcp_governor.rules.rule import Rule
from mcp_governor.rules.rule_file import own_rule, read_rule
from mcp_governor.text import did_you_mean, nearest, one_line, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mcp_governor.rules.rule import Limit

ENTRY_POINT_GROUP = "mcp_governor.rules"
"""Packages with rules name a module (whose folder contains the files) or a function that returns a folder."""


class Profile(Struct, frozen=True):
    """A choice of rules with severities and options.

    Attributes:
        name: as spelled in the configuration.
        summary: its audience.
        select: rule ids or ``pack/*``.
        ignore: rule ids or ``pack/*`` to exclude again.
        severity: rule id or ``pack/*`` → severity.
        options: rule id → option → value.
        policy: options of the comparison (the configuration's ``policy``) → default value for this profile.
    """

    name: str
    summary: str
    select: tuple[str, ...]
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, Severity] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
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
    """All rules by id, and the profiles that choose among them.

    Attributes:
        rules, profiles: by id, by name.
        unread: entry points whose rules are missing here, because only an untrusted function could provide them.
    """

    rules: Mapping[str, Rule]
    profiles: Mapping[str, Profile]
    unread: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules.values())

    def __len__(self) -> int:
        return len(self.rules)

    def __contains__(self, rule_id: object) -> bool:
        return rule_id in self.rules

    @cached_property
    def packs(self) -> Mapping[str, tuple[Rule, ...]]:
        """Rules by pack, both in alphabetical order."""
        return {pack: tuple(map(self.rules.__getitem__, ids)) for pack, ids in self._ids_by_pack.items()}

    @cached_property
    def clients(self) -> Mapping[str, tuple[Limit, ...]]:
        """Limits by client."""
        out: dict[str, list[Limit]] = {}
        for rule in self:
            if rule.limit is not None:
                out.setdefault(rule.limit.target, []).append(rule.limit)
        return {client: tuple(limits) for client, limits in sorted(out.items())}

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
        pack, _, name = selector.partition("/")
        if selector == "*" or (name == "*" and pack in self._ids_by_pack):
            return tuple(self.rules) if selector == "*" else self._ids_by_pack[pack]
        selector = current_name(selector)
        if selector in self.rules:
            return (selector,)
        raise self._unknown(selector)

    @cached_property
    def _ids_by_pack(self) -> Mapping[str, tuple[str, ...]]:
        """The ids of the rules of each pack."""
        out: dict[str, list[str]] = {}
        for rule_id in self.rules:
            out.setdefault(rule_id.partition("/")[0], []).append(rule_id)
        return {pack: tuple(ids) for pack, ids in out.items()}

    def _unknown(self, selector: str) -> ConfigError:
        if selector in (removed := removed_rules()):
            return ConfigError(
                f"Rule {selector} was removed: {removed[selector]}",
                "Remove it from your configuration and suppressions.",
            )
        meant = [f'"{pack}/*"' for pack in self._ids_by_pack if pack == selector]
        meant += [f'"{rule_id}"' for rule_id in self.rules if rule_id.partition("/")[2] == selector]
        if not meant and "/" not in selector:
            meant = _ids_like(selector, self.rules)
        if meant:
            hint = f" Did you mean {' or '.join(meant)}?"
        else:
            hint = did_you_mean(selector, [*self.rules, *(f"{pack}/*" for pack in self._ids_by_pack)])
        return ConfigError(
            f"There is no rule {one_line(selector)!r}.{hint}",
            "A selector is a rule id, pack/* or *; mcp-governor rules lists the catalogue.",
        )


def _ids_like(name: str, rules: Iterable[str]) -> list[str]:
    """The rules whose names without the pack are closest to one that was given without a pack."""
    by_name: dict[str, list[str]] = {}
    for rule_id in rules:
        by_name.setdefault(rule_id.partition("/")[2], []).append(f'"{rule_id}"')
    close = nearest(name, by_name)
    return by_name[close] if close else []


@functools.cache
def removed_rules() -> Mapping[str, str]:
    """Ids of former built-in rules → one sentence on why each was removed and what covers it now.

    These ids are never reused, so that an old configuration cannot change its meaning.
    """
    from mcp_governor.builtin_rules import REMOVED

    return REMOVED


# One entry per configuration; only the server and test suites see several.
@functools.lru_cache(maxsize=8)
def load_catalogue(
    extra_paths: tuple[Path, ...] = (), entry_points: bool = True, *, trusted: bool = False
) -> Catalogue:
    """The catalogue: our own packs, those of installed packages, then those in ``extra_paths``.

    Imports nothing unless ``trusted``.

    Args:
        extra_paths: folders with rule files (``*.toml``, at any depth).
        entry_points: look for packages with the entry point ``mcp_governor.rules``.
        trusted: call the functions with which packages provide their folder.

    Raises:
        ConfigError: a rule file is invalid (with file and line), or two files have the same id.
    """
    from mcp_governor.builtin_rules import RULES

    rules: dict[str, Rule] = {}
    named = _entry_point_folders(trusted=trusted) if entry_points else {}
    folders = [*(folder for folder in named.values() if folder is not None), *extra_paths]
    for folder in folders:
        for rule in _user_rules(folder):
            current = current_name(rule.id)
            if current != rule.id:
                raise ConfigError(
                    f"{rule.origin}: {rule.id} is the former name of {current}.",
                    "Give your rule a pack name of its own.",
                )
            taken = own_rule(rule.id) if rule.id in RULES else rules.get(rule.id)
            if taken is not None:
                raise ConfigError(
                    f"Rule {rule.id} is defined twice: in {visible(taken.origin)} and in {rule.origin}.",
                    "Give your rule a pack name of its own.",
                )
            rules[rule.id] = rule
    unread = tuple(name for name, folder in named.items() if folder is None)
    return Catalogue(Rules(RULES, rules), own_profiles(), unread)


def policy_of(profiles: Iterable[str]) -> dict[str, Any]:
    """The options of the comparison that profiles set; of two values the stricter one applies, which is "breaking".

    Args:
        profiles: names; unknown ones are ignored here.
    """
    chosen: dict[str, Any] = {}
    for name in profiles:
        profile = own_profiles().get(name)
        for key, value in profile.policy.items() if profile is not None else ():
            if chosen.get(key) != "breaking":
                chosen[key] = value
    return chosen


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


def _entry_point_folders(*, trusted: bool) -> Mapping[str, Path | None]:
    """Entry point → folder of rules; ``None`` if only an untrusted function could provide it."""
    # importlib.metadata takes longer than loading all our packs. Most installations have no such package, which a look
    # at the entry_points.txt files shows.
    if not any(_declares_group(folder) for folder in dict.fromkeys(sys.path) if folder):
        return {}
    from importlib.metadata import entry_points

    found = entry_points(group=ENTRY_POINT_GROUP)
    return {entry.name: _folder_of(entry) if trusted or not entry.attr else None for entry in found}


def _declares_group(folder: str) -> bool:
    needle = ENTRY_POINT_GROUP.encode()
    try:
        paths = [entry.path for entry in os.scandir(folder) if entry.name.endswith((".dist-info", ".egg-info"))]
    except OSError:
        return False
    for path in paths:
        try:
            with open(f"{path}/entry_points.txt", "rb") as file:  # noqa: PTH123 - pathlib costs twice as much
                if needle in file.read():
                    return True
        except OSError:
            continue
    return False


def _folder_of_package(module: str) -> Path:
    """The folder of a package, without importing it."""
    from importlib.util import find_spec

    top, *parts = module.split(".")
    spec = find_spec(top)
    for base in (spec.submodule_search_locations or ()) if spec is not None else ():
        folder = Path(base, *parts)
        if folder.is_dir():
            return folder
    raise ValueError(f"there is no package {module}")


def _folder_of(entry: Any) -> Path:
    try:
        if not entry.attr:
            return _folder_of_package(entry.module)
        target = entry.load()
        return Path(target() if callable(target) else target)
    except Exception as error:  # noqa: BLE001 - anything may be wrong with a package that we did not write
        raise ConfigError(
            f"The entry point {visible(entry.name)} ({visible(entry.value)}) of group {ENTRY_POINT_GROUP} "
            f"provides no folder of rules: {one_line(str(error))}.",
            "It must be a package, or a function that returns a folder.",
        ) from None
