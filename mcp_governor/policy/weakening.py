"""What a configuration asked for at the last release and does not ask for any more.

Only what decides if the server is governed at all, and what fails a run, is compared. Which rules of style a team
runs is its own business from one day to the next; rules about version and changelog are not of style. A tier that a
tool loses is a change of the surface.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.catalogue.finding import finding
from mcp_governor.change.options import option_schemas
from mcp_governor.findings import Severity, Tier
from mcp_governor.rule_names import first_id, first_name
from mcp_governor.target.resolve import SURFACE_FILE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from mcp_governor.config.model import Config
    from mcp_governor.findings import Finding

_ORDERS: dict[str, tuple[str, ...]] = {
    "fail-on": ("never", *(severity.value for severity in sorted(Severity, key=lambda one: -one.rank))),
    "level": ("declared", "strict"),
    "policy.unknown": ("compatible", "breaking"),
    "policy.zero-policy": ("anything-goes", "minor-may-break", "strict"),
    "policy.calver": ("major", "minor", "patch", "refuse"),
}
"""The values of settings that decide what fails, the most lenient first."""

DEFAULT_PROFILE = "recommended"

_NAMES = ("target", "contract-doc", "server-json", "calls-dir")
"""Settings that bring something under governance by naming it; another name is a move, no name is the end of it."""


def check_config(before: Config, now: Config, *, ref: str, where: str) -> Iterator[Finding]:
    """A finding for each setting that asks for less than it did.

    Args:
        before: the configuration at the commit that the run compares with.
        now: the configuration of the work tree, as its file says it: what a command line sets for one run is no
            change of the configuration.
        ref: how messages name the commit.
        where: the configuration file of now, for the findings' place.
    """
    for setting, old, new in _differences(before, now):
        yield finding(
            "policy/config-weakened",
            where,
            value=[setting, old, new],
            setting=setting,
            old=old,
            now="It is no longer set." if new is None else f"It is now {_shown(new)}, which is more lenient.",
            ref=ref,
        )
    for entry, first in _left_out(before, now).items():
        yield _leaves_out(entry, ref, where, value=first)


def check_known(before: Collection[str], now: Collection[str], *, ref: str, where: str) -> Iterator[Finding]:
    """A finding where a lint baseline lists findings about version or changelog that it did not list before.

    Args:
        before, now: the ids that it lists at the commit that the run compares with, and in the work tree.
        ref: how messages name the commit.
        where: the lint baseline of now.
    """
    added = sorted(known for known in set(now) - set(before) if _of_releases(known))
    if added:
        more = f" and {len(added) - 1} more" if len(added) > 1 else ""
        entry = f"lint.baseline lists {added[0]}{more}"
        yield _leaves_out(entry, ref, where, value=sorted(map(first_id, added)))


def _leaves_out(entry: str, ref: str, where: str, value: Any) -> Finding:
    value = ["lint", None, value]
    return finding("policy/config-weakened", where, says="left-out", value=value, entry=entry, ref=ref)


def _left_out(before: Config, now: Config) -> dict[str, str]:
    """New entries of ``lint`` that leave out rules about version and changelog, or make them less grave.

    Each comes with the same entry under the rule's first name, which acceptances are tied to.
    """
    old = dict(_ignored(before))
    entries = {entry: first for entry, first in _ignored(now) if entry not in old}
    for rule, severity in now.lint.severity.items():
        # A rule that was off and is a warning now is graver than it was.
        was = before.lint.severity.get(rule, Severity.ERROR)
        if _of_releases(rule) and _GRAVITY.index(severity) < _GRAVITY.index(was):
            entries[f"lint.severity.{rule} = {severity}"] = f"lint.severity.{first_name(rule)} = {severity}"
    return entries


_GRAVITY = ("off", *(severity.value for severity in sorted(Severity, key=lambda one: one.rank)))
"""What a rule may be made, the least grave first."""


def _ignored(config: Config) -> Iterator[tuple[str, str]]:
    """Entries that leave out rules about version and changelog, each also under the rule's first name."""
    lint = config.lint
    for entry in lint.ignore:
        if _of_releases(rule := _rule_of(entry)):
            yield f"lint.ignore = {rule}", f"lint.ignore = {first_name(rule)}"
    for glob, entries in lint.per_tool_ignores.items():
        for entry in entries:
            if _of_releases(rule := _rule_of(entry)):
                key = f"lint.per-tool-ignores.{glob}"
                yield f"{key} = {rule}", f"{key} = {first_name(rule)}"


def _rule_of(entry: str | Mapping[str, str]) -> str:
    return entry if isinstance(entry, str) else str(entry.get("rule", ""))


def _of_releases(rule: str) -> bool:
    """True if a rule (an id, ``pack/*``, or the id of a finding) is about version or changelog."""
    return rule.partition("/")[0] in ("policy", "changelog", "*")


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
    # Without it the surface file of the default name is the baseline, if there is one.
    if before.baseline not in ("", SURFACE_FILE) and not now.baseline:
        yield "baseline", before.baseline, None
    if before.servers and not now.servers:
        yield "servers", sorted(before.servers), None
    # From one source's profile to another's is a move; back to the default one is less.
    if set(before.profile) - set(now.profile) and set(now.profile) <= {*before.profile, DEFAULT_PROFILE}:
        yield "profile", list(before.profile), list(now.profile)
    if before.calls and not now.calls:
        yield "calls", [call.tool for call in before.calls], None


def _options(before: Config, now: Config) -> Iterator[tuple[str, Any, Any]]:
    """Options of the change catalogue under which less breaks than before."""
    for name, schema in option_schemas().items():
        default = schema.get("default")
        old, new = before.policy.options.get(name, default), now.policy.options.get(name, default)
        if isinstance(default, list):
            # What is not a list is refused where the option is used.
            if isinstance(old, list) and isinstance(new, list) and any(word not in old for word in new):
                yield f"policy.{name}", ", ".join(map(str, old)) or "[]", ", ".join(map(str, new))
        elif (old == "breaking" or old is True) and new != old:
            yield f"policy.{name}", str(old).lower(), str(new).lower()


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else ", ".join(value)


def _value(config: Config, setting: str) -> Any:
    here: Any = config
    for part in setting.split("."):
        here = getattr(here, part.replace("-", "_"))
    return here
