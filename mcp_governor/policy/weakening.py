"""Find requirements that the configuration had at the last release and has dropped since.

Only settings that decide what is governed, and what fails a run, are compared. A team may change its style rules at any
time, but rules about version and changelog are not style. Lowering the tier of a tool is a change of the surface.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from mcp_governor.change.options import option_schemas
from mcp_governor.config.model import CALLS_MODES
from mcp_governor.findings import Severity, Tier
from mcp_governor.rule_names import current_name, first_id, first_name
from mcp_governor.rules.catalogue import load_catalogue, policy_of
from mcp_governor.rules.finding import finding
from mcp_governor.target.resolve import SURFACE_FILE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from mcp_governor.config.model import Config, IgnoredRule
    from mcp_governor.findings import Finding

_ORDERS: dict[str, tuple[str, ...]] = {
    "fail-on": ("never", *(severity.value for severity in sorted(Severity, key=lambda one: -one.rank))),
    "level": ("declared", "strict"),
    "policy.unknown": ("compatible", "breaking"),
    "policy.zero-policy": ("anything-goes", "minor-may-break", "strict"),
    "policy.calver": ("major", "minor", "patch", "refuse"),
}
"""Values of settings that decide what fails, most lenient first."""

DEFAULT_PROFILE = "recommended"

_NAMES = ("target", "contract-doc", "server-json", "calls-dir")
"""Settings that name something to govern. Another name is a move; removing the name ends the governance."""


def check_config(before: Config, now: Config, *, ref: str, where: str) -> Iterator[Finding]:
    """Report each setting that requires less than before.

    Args:
        before: the configuration at the commit that the run compares with.
        now: the configuration file in the work tree, without command line options, which do not change the
            configuration.
        ref: name of the commit in messages.
        where: the current configuration file, as the place of findings.
    """
    for setting, old, new in _differences(before, now):
        shown = new if isinstance(new, str) else ", ".join(new or ())
        yield finding(
            "policy/config-weakened",
            where,
            value=[setting, old, new],
            setting=setting,
            old=old,
            now="It is no longer set." if new is None else f"It is now {shown}, which is more lenient.",
            ref=ref,
        )
    for entry, first in _left_out(before, now).items():
        yield _leaves_out(entry, ref, where, value=first)


def check_known(before: Collection[str], now: Collection[str], *, ref: str, where: str) -> Iterator[Finding]:
    """Report new findings about version or changelog in a lint baseline.

    Args:
        before, now: the ids in it at the commit that the run compares with, and in the work tree.
        ref: name of the commit in messages.
        where: the current lint baseline.
    """
    added = sorted(known for known in set(now) - set(before) if of_releases(known))
    if added:
        more = f" and {len(added) - 1} more" if len(added) > 1 else ""
        entry = f"lint.baseline lists {added[0]}{more}"
        yield _leaves_out(entry, ref, where, value=sorted(map(first_id, added)))


def _leaves_out(entry: str, ref: str, where: str, value: Any) -> Finding:
    value = ["lint", None, value]
    return finding("policy/config-weakened", where, says="left-out", value=value, entry=entry, ref=ref)


def _left_out(before: Config, now: Config) -> dict[str, str]:
    """New entries of ``lint`` that turn off rules about version and changelog, or lower their severity.

    Each is paired with the same entry under the rule's first name, which identifies acceptances.
    """
    old = dict(_ignored(before))
    entries = {entry: first for entry, first in _ignored(now) if entry not in old}
    for rule, severity in now.lint.severity.items():
        # Turning a rule from off into a warning is stricter, not weaker.
        was = before.lint.severity.get(rule, Severity.ERROR)
        if of_releases(rule) and _GRAVITY.index(severity) < _GRAVITY.index(was):
            entries[f"lint.severity.{rule} = {severity}"] = f"lint.severity.{first_name(rule)} = {severity}"
    return entries


_GRAVITY = ("off", *(severity.value for severity in sorted(Severity, key=lambda one: one.rank)))
"""Severities of a rule, including off, lowest first."""


def _ignored(config: Config) -> Iterator[tuple[str, str]]:
    """Entries that turn off rules about version and changelog, each paired with the rule's first name."""
    lint = config.lint
    for entry in lint.ignore:
        if of_releases(rule := _rule_of(entry)):
            yield f"lint.ignore = {rule}", f"lint.ignore = {first_name(rule)}"
    for glob, entries in lint.per_tool_ignores.items():
        for entry in entries:
            if of_releases(rule := _rule_of(entry)):
                key = f"lint.per-tool-ignores.{glob}"
                yield f"{key} = {rule}", f"{key} = {first_name(rule)}"


def _rule_of(entry: str | IgnoredRule) -> str:
    return entry if isinstance(entry, str) else entry.rule


def of_releases(rule: str) -> bool:
    """True if a rule (an id, ``pack/*``, or the id of a finding) is about version or changelog."""
    # The id of a finding continues behind that of its rule.
    pack, name = rule.partition(":")[0].partition("/")[::2]
    if pack in ("policy", "changelog", "*") or (pack == "surface" and name == "*"):
        return True
    return pack == "surface" and current_name(f"{pack}/{name}") in _disciplines()


@functools.cache
def _disciplines() -> frozenset[str]:
    """The rules of pack ``surface`` that are about releases: those of the stations that the packs above are of."""
    rules = load_catalogue(entry_points=False).packs["surface"]
    return frozenset(rule.id for rule in rules if rule.station in ("policy", "changelog"))


def _differences(before: Config, now: Config) -> Iterator[tuple[str, Any, Any]]:
    for setting, order in _ORDERS.items():
        old, new = _value(before, setting), _value(now, setting)
        if old in order and new in order and order.index(new) < order.index(old):
            yield setting, old, new
    yield from _options(before, now)
    for tier in Tier:
        setting = f"policy.windows.{tier.value}"
        old, new = before.policy.windows.of(tier), now.policy.windows.of(tier)
        if new < old:
            yield setting, str(old), str(new)
    for setting in _NAMES:
        if _value(before, setting) and not _value(now, setting):
            yield setting, _value(before, setting), None
    # Without the setting, the surface file with the default name is the baseline, if it exists.
    if before.baseline not in ("", SURFACE_FILE) and not now.baseline:
        yield "baseline", before.baseline, None
    if before.servers and not now.servers:
        yield "servers", sorted(before.servers), None
    # Replacing a profile with another one is a move; going back to the default profile is weaker.
    if set(before.profile) - set(now.profile) and set(now.profile) <= {*before.profile, DEFAULT_PROFILE}:
        yield "profile", list(before.profile), list(now.profile)
    yield from _calls(before, now)


def _calls(before: Config, now: Config) -> Iterator[tuple[str, Any, Any]]:
    """Settings under which a check calls less than before."""
    if before.calls_mode or now.calls_mode:
        # If neither sets it, the profile is what changed.
        old, new = _calls_mode(before), _calls_mode(now)
        if CALLS_MODES.index(new) < CALLS_MODES.index(old):
            yield "calls-mode", old, new
    if before.calls and not now.calls:
        yield "calls", [call.tool for call in before.calls], None


def _calls_mode(config: Config) -> str:
    """What a check calls by a configuration, as far as its profiles say it."""
    if config.calls_mode:
        return config.calls_mode
    from mcp_governor.rules import LintSettings, load_catalogue, select

    catalogue = load_catalogue()
    known = [name for name in config.profile if name in catalogue.profiles]
    # One by one: profiles that contradict each other are refused elsewhere.
    contracts = any(select(LintSettings(profiles=(name,)), catalogue).contracts for name in known)
    return "safe" if contracts else "configured"


def _options(before: Config, now: Config) -> Iterator[tuple[str, Any, Any]]:
    """Options of the change catalogue with which fewer changes are breaking than before."""
    # Use the earlier profiles for both, because a dropped profile is a finding of its own.
    usual = policy_of(before.profile)
    for name, schema in option_schemas().items():
        default = usual.get(name, schema.get("default"))
        old, new = before.policy.options.get(name, default), now.policy.options.get(name, default)
        if isinstance(default, list):
            # Values that are not lists are refused where the option is used.
            if isinstance(old, list) and isinstance(new, list) and any(word not in old for word in new):
                yield f"policy.{name}", ", ".join(map(str, old)) or "[]", ", ".join(map(str, new))
        elif _is_stricter(old, new):
            yield f"policy.{name}", str(old).lower(), str(new).lower()


def _is_stricter(old: Any, new: Any) -> bool:
    is_strictest = old is True or old == "breaking"
    return bool(is_strictest and new != old) or bool(old == "flips" and new == "compatible")


def _value(config: Config, setting: str) -> Any:
    here: Any = config
    for part in setting.split("."):
        here = getattr(here, part.replace("-", "_"))
    return here
