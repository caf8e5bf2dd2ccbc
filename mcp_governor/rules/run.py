"""The linter: turns a surface and a selection of rules into findings."""

from __future__ import annotations

import importlib
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from mcp_governor.errors import ConfigError
from mcp_governor.rules.finding import finding
from mcp_governor.rules.governing import govern
from mcp_governor.rules.rule import ENGINE_CHECK
from mcp_governor.rules.selection import DEFAULT_SETTINGS, ActiveRule, LintSettings, Selection, select
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.subjects.context import SIDES, Check, Context, Facts, Hit, Item, SchemaPlace, Text, surface_strings
from mcp_governor.subjects.schemas import is_reached
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from types import ModuleType

    from mcp_governor.findings import Finding
    from mcp_governor.rules.rule import Rule
    from mcp_governor.surface.model import Surface, Tool


Runner = tuple[ActiveRule, Check, Context]
"""A rule with its check and what the check is given."""


def lint(
    surface: Surface,
    settings: LintSettings = DEFAULT_SETTINGS,
    *,
    profile: str | Sequence[str] | None = None,
    baseline: Surface | None = None,
    only: str | None = None,
) -> list[Finding]:
    """Run the selected rules on a surface.

    Args:
        surface: the surface to lint; malformed entries are reported and never crash.
        settings: the rules, their severities and their options.
        profile: one or several profiles that replace those in ``settings``.
        baseline: report only findings that this surface does not have.
        only: report only findings about the tool of this name; the others are still what rules compare it with.

    Returns:
        Findings sorted by tool (those about the surface first), rule and place.

    Raises:
        ConfigError: the settings cannot be applied.
    """
    if profile is not None:
        settings = replace(settings, profiles=(profile,) if isinstance(profile, str) else tuple(profile))
    selection = select(settings)
    found = govern(run_rules(surface, selection, only), selection, surface, stations=("lint",))
    if baseline is not None:
        found = new_findings(found, baseline, selection)
    return sorted_findings(found, surface)


def run_rules(surface: Surface, selection: Selection, only: str | None = None) -> list[Finding]:
    """Findings of the selected rules (about one tool, if it is named) with the rules' own severities, before
    suppressions."""
    return sorted_findings(condensed(_findings(surface, selection, only)), surface)


def _findings(
    surface: Surface, selection: Selection, only: str | None = None, rules: Collection[str] | None = None
) -> Iterator[Finding]:
    """The findings of the selected rules, or of those among them with the given ids, in no particular order."""
    wanted = {active.id for active in selection.linted if rules is None or active.id in rules}
    yield from _run(surface, _prepare(selection, Facts(surface), wanted), only)


def sorted_findings(findings: Iterable[Finding], surface: Surface) -> list[Finding]:
    """Findings sorted by tool (those about the surface first), rule and place."""
    order = {tool.name: tool.index for tool in surface.tools}
    return sorted(findings, key=lambda f: (order.get(f.tool or "", -1), f.rule, f.path))


def _prepare(selection: Selection, facts: Facts, rules: Collection[str]) -> dict[str, list[Runner]]:
    """The checks of the selected rules with the given ids, by subject."""
    out: dict[str, list[Runner]] = {}
    for active in selection.linted:
        # Few servers have skills, so that their checks need not be imported.
        idle = (active.rule.check or "").startswith("skills.") and not facts.surface.skill_entries
        if active.rule.check != ENGINE_CHECK and active.id in rules and not idle:
            check = selection.checks.get(active.id)
            if check is None:
                check = selection.checks[active.id] = resolve_check(active.rule, active.options)
            out.setdefault(active.rule.on, []).append((active, check, Context(active.options, facts)))
    return out


def resolve_check(rule: Rule, options: Mapping[str, Any]) -> Check:
    """The function that implements a rule.

    Raises:
        ConfigError: a user's rule does not compile, or names a function that cannot be imported.
    """
    if rule.check is None:
        from mcp_governor.rules.declarative import declarative_check

        return declarative_check(rule, options)
    module, _, name = rule.check.replace(":", ".").rpartition(".")
    try:
        check: Check = getattr(_imported(module if rule.is_foreign else f"{_PACKS}.{module}", rule.folder), name)
    except Exception as error:  # noqa: BLE001 - a module of the user's may fail in any way
        raise ConfigError(
            f"Rule {rule.id} ({rule.origin}): the check {rule.check} cannot be imported: {one_line(str(error))}.",
            "Put its module into the folder of rules, or install its package where mcp-governor runs, and write "
            "package.module:function.",
        ) from None
    return _guarded(rule, check) if rule.is_foreign else check


_PACKS = "mcp_governor.packs"


def _imported(module: str, folder: str) -> ModuleType:
    """A user's module: an installed one, or else one in their folder of rules."""
    if not folder or folder in sys.path:
        return importlib.import_module(module)
    sys.path.append(folder)
    try:
        return importlib.import_module(module)
    finally:
        sys.path.remove(folder)


def _guarded(rule: Rule, check: Check) -> Check:
    """A user's check whose exceptions are reported as the user's errors."""

    def run(subject: Any, context: Context) -> Iterable[Hit]:
        try:
            return list(check(subject, context))
        except Exception as error:
            raise ConfigError(
                f"The check {rule.check} of rule {rule.id} failed: {type(error).__name__}: {one_line(str(error))}.",
                "Correct the check, or ignore the rule.",
            ) from error

    return run


def _run(surface: Surface, runners: Mapping[str, list[Runner]], only: str | None = None) -> Iterator[Finding]:
    # First, since rules about the whole server read the same prose.
    if "text" in runners or "prose" in runners:
        yield from _run_strings(surface, runners, only)
    for active, check, context in runners.get("surface", ()):
        for found in check(surface, context):
            if only is None or found.tool == only:
                yield _finding(active, found, found.tool)
    if only is None:
        yield from _run_items(surface, runners)
    plan = _Plan(runners)
    for tool in surface.tools:
        if only is None or tool.name == only:
            yield from _run_tool(tool, runners, plan)


def _run_items(surface: Surface, runners: Mapping[str, list[Runner]]) -> Iterator[Finding]:
    for kind, items in (
        ("prompt", _items("prompts", surface.prompts)),
        ("resource", _items("resources", surface.resources)),
        ("template", _items("resourceTemplates", surface.templates)),
    ):
        for item in items if kind in runners else ():
            for active, check, context in runners[kind]:
                for found in check(item, context):
                    # What a message calls the tool is the item.
                    name = item.raw.get("name") if isinstance(item.raw, dict) else None
                    yield _finding(active, replace(found, values={"tool": name, **found.values}), None)


def _run_strings(surface: Surface, runners: Mapping[str, list[Runner]], only: str | None = None) -> Iterator[Finding]:
    on_any = runners.get("text", [])
    on_prose = [*on_any, *runners.get("prose", ())]
    # Surfaces repeat their strings, "string" above all. Our own checks look at the value alone, so a value without hits
    # has none anywhere. A user's check may look at more.
    repeats = not any(active.rule.is_foreign for active, _, _ in on_prose)
    quiet: tuple[set[str], set[str]] = (set(), set())
    prose: list[Text] = []
    for text in surface_strings(surface):
        is_prose = text.is_prose
        if is_prose and not text.of_skill:
            prose.append(text)
        if (only is not None and text.tool != only) or text.value in quiet[is_prose]:
            continue
        found = [(one, hit) for one, check, context in (on_any, on_prose)[is_prose] for hit in check(text, context)]
        yield from (_finding(active, hit, text.tool) for active, hit in found)
        if repeats and not found:
            quiet[is_prose].add(text.value)
    on_prose[0][2].facts.memo("prose", lambda: prose)


def _run_tool(tool: Tool, runners: Mapping[str, list[Runner]], plan: _Plan) -> Iterator[Finding]:
    for active, check, context in runners.get("tool", ()):
        for found in check(tool, context):
            yield _finding(active, found, tool.name)
    for node in plan.facts.nodes(tool) if plan.facts is not None else ():
        for active, check, context in plan.checks(node):
            for found in check(node, context):
                # A client that never visits a definition cannot reject anything in it.
                if active.rule.limit is None or is_reached(node, context.facts):
                    yield _finding(active, found, tool.name)


class _Plan:
    """The checks for each schema of a surface: most are about parameters, or about schemas with a certain keyword."""

    def __init__(self, runners: Mapping[str, list[Runner]]) -> None:
        both = runners.get("schema", [])
        self._runners = {
            side: [(*getattr(one[1], "scope", (False, frozenset())), one) for one in (*both, *runners.get(kind, ()))]
            for side, kind in zip(SIDES, ("input", "output"), strict=True)
        }
        every = [one for given in self._runners.values() for one in given]
        self.facts = every[0][2][2].facts if every else None
        self._keys = frozenset[str]().union(*(keys for _, keys, _ in every))
        self._planned: dict[tuple[Any, ...], tuple[Runner, ...]] = {}

    def checks(self, node: SchemaPlace) -> tuple[Runner, ...]:
        """The checks that may have something to say about a schema."""
        is_object = isinstance(node.schema, dict)
        keys = self._keys.intersection(node.schema) if is_object else frozenset[str]()
        look = node.side, is_object and node.argument is not None, keys
        if look not in self._planned:
            self._planned[look] = tuple(
                runner
                for argument, wanted, runner in self._runners[node.side]
                if (look[1] or not argument) and not (wanted and wanted.isdisjoint(keys))
            )
        return self._planned[look]


def _items(key: str, entries: Iterable[Any]) -> Iterator[Item]:
    for index, raw in enumerate(entries):
        yield Item(key, join_pointer("", key, index), raw)


def _finding(active: ActiveRule, found: Hit, tool: str | None) -> Finding:
    facts = {**active.options, **found.values}
    return finding(
        active.rule,
        found.path,
        says=found.says,
        tool=tool,
        value=found.value,
        correction=found.correction,
        spots=found.spots,
        weight=found.weight,
        facts=facts,
    )


MAX_PLACES = 1_000
"""Maximum number of places per tool and rule: nobody reads more, and a finding takes 1 KB."""

MAX_FINDINGS = 100_000
"""Maximum number of findings in a run: 10,000 tools with ten each, 100 MB. Beyond it, a rule lists one place per
tool."""


def condensed(findings: Iterable[Finding]) -> list[Finding]:
    """Keep the first findings of a rule about a tool, and add one that counts the rest.

    The additional finding has the severity of the others, so that the run fails as it would have without it.
    """
    kept: list[Finding] = []
    listed: Counter[tuple[str, str | None]] = Counter()
    more: dict[tuple[str, str | None], tuple[Finding, int]] = {}
    for found in findings:
        key = found.rule, found.tool
        if listed[key] < (MAX_PLACES if len(kept) < MAX_FINDINGS else 1):
            listed[key] += 1
            kept.append(found)
        else:
            more[key] = found, more.get(key, (found, 0))[1] + 1
    return [*kept, *(_counted(found, count) for found, count in more.values())]


def _counted(found: Finding, count: int) -> Finding:
    places = "1 more place" if count == 1 else f"{count:,} more places"
    message = f"The same applies to {places}, not listed."
    return replace(found, message=message, path="", value=None, correction=None)


def new_findings(findings: Iterable[Finding], baseline: Surface, selection: Selection) -> list[Finding]:
    """The findings that ``baseline`` does not have, at the same place and for the same value.

    A change is judged by what it causes: an old finding in a changed tool does not count, and a new finding in an
    unchanged tool does.

    Args:
        findings: those about the surface, with the configured severities.
        baseline: the surface before the change.
        selection: the rules that produced the findings.
    """
    found = list(findings)
    rules = {finding.rule for finding in found}
    known = {finding.id for finding in condensed(_findings(baseline, selection, rules=rules))}
    return [finding for finding in found if finding.id not in known]
