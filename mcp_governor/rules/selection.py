"""Selects the rules that run, with severities and options, from settings and the catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

from mcp_governor.errors import ConfigError
from mcp_governor.findings import Severity
from mcp_governor.rule_names import current_name
from mcp_governor.rules.catalogue import Catalogue, Profile, load_catalogue
from mcp_governor.rules.rule import ENGINE_CHECK
from mcp_governor.text import did_you_mean, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from mcp_governor.rules.rule import Rule


class Suppression(Struct, frozen=True):
    """One rule (or ``pack/*``) that is not reported, and why.

    Attributes:
        rule: a rule id or ``pack/*``; parsing translates former ids.
        reason: shown by ``--show-settings``; empty if none was given.
    """

    rule: str
    reason: str = ""

    @classmethod
    def parse(cls, value: Any, where: str) -> Suppression:
        """Parse a suppression in a config file or ``_meta``: an id, or ``{rule = "…", reason = "…"}``.

        Raises:
            ConfigError: the value is neither; ``where`` names the place.
        """
        if isinstance(value, Suppression):
            return cls(current_name(value.rule), value.reason)
        if isinstance(value, str) and value:
            return cls(current_name(value))
        if isinstance(value, Mapping) and isinstance(value.get("rule"), str) and set(value) <= {"rule", "reason"}:
            reason = value.get("reason", "")
            if isinstance(reason, str):
                return cls(current_name(value["rule"]), reason)
        raise ConfigError(
            f"{where} is not a suppression.",
            'Write a rule id, or { rule = "pack/name", reason = "…" }.',
        )


Ignored = str | Suppression | Mapping[str, str]
"""A suppression: parsed, or in a form that :meth:`Suppression.parse` accepts."""


class LintSettings(Struct, frozen=True):
    """Everything that determines which rules run and how: the configuration's ``lint`` table as values.

    Attributes:
        profiles: names of profiles; their selections are merged, and two that contradict each other are an error.
        select: rule ids or ``pack/*`` to run *instead of* the profiles' selection; empty: use the profiles.
        ignore: rule ids or ``pack/*`` to exclude from the selection.
        extend_select: rule ids or ``pack/*`` to run in addition to the selection.
        severity: rule id or ``pack/*`` → severity of its findings; an id overrides a pack.
        options: rule id → option name → value.
        per_tool_ignores: glob over tool names → what is not reported for these tools.
        clients: client names (the ``target`` of rules in pack ``clients``): only their limits are checked, including
            those that are off by default; empty: the rules of all clients that are on by default.
        personas: ``pedantic`` adds remarks that most people would find petty.
        rule_paths: the user's folders of rule files.
        inline: true if servers may suppress findings in ``_meta``.
        trusted: true if rules may run Python code; otherwise such rules are skipped, and the selection lists them.
    """

    profiles: tuple[str, ...] = ("recommended",)
    select: tuple[str, ...] = ()
    ignore: tuple[Ignored, ...] = ()
    extend_select: tuple[str, ...] = ()
    severity: Mapping[str, Severity] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    per_tool_ignores: Mapping[str, tuple[Ignored, ...]] = field(default_factory=dict)
    clients: tuple[str, ...] = ()
    personas: tuple[str, ...] = ("regular",)
    rule_paths: tuple[Path, ...] = ()
    inline: bool = True
    trusted: bool = True

    def with_current_names(self) -> LintSettings:
        """The same settings with current rule ids; ignored ids are translated when they are parsed."""
        return replace(
            self,
            select=tuple(map(current_name, self.select)),
            extend_select=tuple(map(current_name, self.extend_select)),
            severity={current_name(rule): severity for rule, severity in self.severity.items()},
            options={current_name(rule): values for rule, values in self.options.items()},
        )


DEFAULT_SETTINGS = LintSettings()
"""Only the profile ``recommended``."""


_NO_CONTRACTS = frozenset({"call", "charter"})
"""Packs without a contract of results: their rules about calls hold for any server, or judge a tool's metadata."""


class ActiveRule(Struct, frozen=True):
    """A selected rule, with its effective settings."""

    rule: Rule
    severity: Severity
    options: Mapping[str, Any]

    @property
    def id(self) -> str:
        return self.rule.id


class Selection(Struct, frozen=True, dict=True):
    """The selected rules of every station, and what is not reported for some tools.

    Attributes:
        active: by rule id.
        tool_ignores: glob over tool names, ignored selectors, and the rule ids that they match.
        settings: the settings behind it.
        ignored: ids of rules that are not reported, whichever station runs them.
    """

    active: Mapping[str, ActiveRule]
    tool_ignores: tuple[tuple[str, Suppression, frozenset[str]], ...] = ()
    settings: LintSettings = field(default_factory=LintSettings)
    ignored: frozenset[str] = frozenset()

    @cached_property
    def linted(self) -> tuple[ActiveRule, ...]:
        """The rules that the linter itself runs."""
        untrusted = frozenset(self.skipped)
        return tuple(a for a in self.active.values() if a.rule.station == "lint" and a.id not in untrusted)

    @cached_property
    def checks(self) -> dict[str, Callable[..., Any]]:
        """The functions that implement the rules, by rule id: the linter looks each up once, and keeps it here for the
        next surface."""
        return {}

    @cached_property
    def skipped(self) -> tuple[str, ...]:
        """Ids of selected rules that do not run because their Python code is not trusted."""
        return () if self.settings.trusted else tuple(a.id for a in self.active.values() if a.rule.is_foreign)

    @cached_property
    def contracts(self) -> tuple[str, ...]:
        """Packs of the selected rules that are a contract of results."""
        packs = {active.rule.pack for active in self.active.values() if active.rule.station == "call"}
        return tuple(sorted(packs - _NO_CONTRACTS))

    @property
    def reads(self) -> bool:
        """True if any rule reads the surface; the one about suppressions reads only the other findings."""
        return any(active.rule.check != ENGINE_CHECK for active in self.linted)

    def get(self, rule_id: str) -> ActiveRule | None:
        """The rule as selected, or ``None`` if it does not run."""
        return self.active.get(rule_id)

    def severity_of(self, rule_id: str) -> Severity | None:
        """The configured severity of a rule; ``None`` if its own applies."""
        active = self.active.get(rule_id)
        if active is not None:
            return active.severity
        chosen = self.settings.severity
        return chosen.get(rule_id, chosen.get(f"{rule_id.partition('/')[0]}/*"))


def select(settings: LintSettings, catalogue: Catalogue | None = None) -> Selection:
    """The rules that the settings select.

    Raises:
        ConfigError: an unknown rule, profile, client or option (the message suggests the nearest), an invalid
            value of an option, or two rules that contradict each other.
    """
    settings = settings.with_current_names()
    catalogue = catalogue or load_catalogue(settings.rule_paths)
    profiles = [catalogue.profile(name) for name in settings.profiles]
    ignored = _ignored(settings, catalogue)
    chosen = _chosen(settings, profiles, catalogue, ignored)
    _refuse_contradictions(chosen, settings)
    severities = _severities(settings, profiles, catalogue)
    _check_options(settings, catalogue)
    active = {
        rule.id: ActiveRule(
            rule,
            severities.get(rule.id, severities.get(f"{rule.pack}/*", _default_severity(rule, settings))),
            {**rule.defaults, **settings.options.get(rule.id, {})},
        )
        for rule in sorted(chosen, key=lambda rule: rule.id)
    }
    return Selection(active, _tool_ignores(settings, catalogue), settings, ignored)


def _default_severity(rule: Rule, settings: LintSettings) -> Severity:
    """The rule's own severity; error if a client that the user names would reject the tool."""
    if rule.limit is not None and rule.limit.fatal and rule.limit.target in settings.clients:
        return Severity.ERROR
    return rule.severity


def _ignored(settings: LintSettings, catalogue: Catalogue) -> frozenset[str]:
    selectors = [Suppression.parse(item, "lint.ignore").rule for item in settings.ignore]
    return frozenset(rule_id for selector in selectors for rule_id in catalogue.ids(selector))


def _chosen(
    settings: LintSettings, profiles: list[Profile], catalogue: Catalogue, ignored: frozenset[str]
) -> list[Rule]:
    for client in settings.clients:
        if client not in catalogue.clients:
            raise ConfigError(
                f"There is no client {one_line(client)!r}.{did_you_mean(client, catalogue.clients)}",
                f"The clients are {', '.join(catalogue.clients)}.",
            )
    wanted: dict[str, Rule] = {}
    # `select` replaces the profiles; `extend-select` adds to either.
    if settings.select:
        _add(wanted, settings.select, catalogue, settings)
    else:
        for profile in profiles:
            _add(wanted, profile.select, catalogue, settings)
    _add(wanted, settings.extend_select, catalogue, settings)
    return [rule for rule in wanted.values() if rule.id not in ignored]


def _add(wanted: dict[str, Rule], selectors: Iterable[str], catalogue: Catalogue, settings: LintSettings) -> None:
    for selector in selectors:
        for rule in catalogue.match(selector):
            # A rule named by its id runs, even if its pack would exclude it.
            if selector == rule.id or _runs(rule, settings):
                wanted[rule.id] = rule


def _runs(rule: Rule, settings: LintSettings) -> bool:
    """True if a rule that was selected by its pack, not by its id, runs."""
    if rule.persona not in settings.personas:
        return False
    if rule.limit is not None and settings.clients:
        return rule.limit.target in settings.clients
    return rule.enabled


def _refuse_contradictions(chosen: list[Rule], settings: LintSettings) -> None:
    """Report every contradicting pair at once, so that fixing one does not bring up the next."""
    sides: dict[str, Rule] = {}
    clashes: list[str] = []
    for rule in sorted(chosen, key=lambda rule: rule.id):
        if rule.stance is None:
            continue
        other = sides.setdefault(rule.stance.topic, rule)
        if other.stance is not None and other.stance.choice != rule.stance.choice:
            clashes.append(
                f"{other.id} and {rule.id} contradict each other about {rule.stance.topic}: "
                f"{other.stance.choice} against {rule.stance.choice}"
            )
    if clashes:
        way = "Put one rule of each pair into lint.ignore" if len(clashes) > 1 else "Put one of them into lint.ignore"
        profiles = f", or choose one profile of {', '.join(settings.profiles)}" if len(settings.profiles) > 1 else ""
        raise ConfigError(f"{'; '.join(clashes)}.", f"{way}{profiles}.")


def _severities(settings: LintSettings, profiles: list[Profile], catalogue: Catalogue) -> Mapping[str, Severity]:
    out: dict[str, Severity] = {}
    for profile in profiles:
        out.update(profile.severity)
    for selector, severity in settings.severity.items():
        catalogue.match(selector)
        if selector.endswith("/*"):
            # The user's severity for a pack overrides a profile's severity for one of its rules.
            out = {key: value for key, value in out.items() if key.partition("/")[0] != selector[:-2]}
        out[selector] = severity
    for selector, severity in settings.severity.items():
        if not selector.endswith("/*"):
            out[selector] = severity
    return out


def _check_options(settings: LintSettings, catalogue: Catalogue) -> None:
    """Reject an option that a rule does not have, or a value that is invalid for it."""
    for rule_id, values in settings.options.items():
        from mcp_governor.schemas.patterns import compile_schema, first_error

        rule = catalogue.get(rule_id)
        for name, value in values.items():
            option = rule.options.get(name)
            if option is None:
                known = ", ".join(rule.options)
                raise ConfigError(
                    f"Rule {rule.id} has no option {one_line(name)!r}.{did_you_mean(name, rule.options)}",
                    f"Its options are {known}." if known else "It has no options.",
                )
            problem = first_error(compile_schema(option.schema), value)
            if problem is not None:
                raise ConfigError(
                    f"Option {name} of rule {rule.id} cannot be {one_line(repr(value), 60)}: {one_line(problem[1])}.",
                    f"mcp-governor rule {rule.id} explains it.",
                )


def _tool_ignores(settings: LintSettings, catalogue: Catalogue) -> tuple[tuple[str, Suppression, frozenset[str]], ...]:
    out = []
    for glob, items in settings.per_tool_ignores.items():
        for item in items:
            suppression = Suppression.parse(item, f'lint.per-tool-ignores."{one_line(glob)}"')
            out.append((glob, suppression, frozenset(catalogue.ids(suppression.rule))))
    return tuple(out)
