"""What a run of the rules is asked to do: profiles, selection, severities, options, suppressions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

from mcp_governor.errors import ConfigError
from mcp_governor.frozen import frozen
from mcp_governor.rule_names import current_name

if TYPE_CHECKING:
    from pathlib import Path

    from mcp_governor.findings import Severity

PERSONAS = ("regular", "pedantic")
"""Who a rule is for: everybody, or those who ask for every remark."""


@frozen
class Suppression:
    """One rule (or ``pack/*``) that is not to be reported, and why.

    Attributes:
        rule: a rule id or ``pack/*``; parsing gives current ids only.
        reason: why; shown by ``--show-settings``, empty where none was given.
    """

    rule: str
    reason: str = ""

    @classmethod
    def parse(cls, value: Any, where: str) -> Suppression:
        """A suppression as a config file or ``_meta`` spells it: an id, or ``{rule = "…", reason = "…"}``.

        Raises:
            ConfigError: it is neither; ``where`` names the place.
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
"""A suppression as it was given: parsed, or as :meth:`Suppression.parse` takes it."""


@frozen
class LintSettings:
    """Everything that decides which rules run and how; the config's ``lint`` table as values.

    Attributes:
        profiles: names from the profile catalogue; their choices are united, and two that take different
            sides of one question are refused.
        select: rule ids or ``pack/*`` to run *instead of* what the profiles choose; empty: the profiles choose.
        ignore: rule ids or ``pack/*`` to leave out of what was selected.
        extend_select: rule ids or ``pack/*`` to run besides what was selected.
        severity: rule id or ``pack/*`` → the severity its findings get; an id beats a pack.
        options: rule id → option name → value.
        per_tool_ignores: glob over tool names → what is not reported for those tools.
        clients: client names (the ``target`` of rules in pack ``clients``): only their limits are checked,
            those that are off by default included; empty: every client's rules that are on by default.
        personas: which remarks are wanted; ``pedantic`` adds the remarks that most people would find petty.
        rule_paths: folders with rule files of the user's own.
        inline: true if servers may suppress findings through ``_meta``.
        trusted: true if rules may bring Python; where not, such rules are left out, and the selection says which.
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
        """The same settings with current rule ids; what is ignored gets them where it is parsed."""
        return replace(
            self,
            select=tuple(map(current_name, self.select)),
            extend_select=tuple(map(current_name, self.extend_select)),
            severity={current_name(rule): severity for rule, severity in self.severity.items()},
            options={current_name(rule): values for rule, values in self.options.items()},
        )


DEFAULT_SETTINGS = LintSettings()
"""The profile ``recommended`` and nothing else."""
