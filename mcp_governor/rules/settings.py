"""Settings for a run of the rules: profiles, selection, severities, options, suppressions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

from mcp_governor.errors import ConfigError
from mcp_governor.rule_names import current_name

if TYPE_CHECKING:
    from pathlib import Path

    from mcp_governor.findings import Severity

PERSONAS = ("regular", "pedantic")
"""The audience of a rule: everybody, or those who ask for every remark."""


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
