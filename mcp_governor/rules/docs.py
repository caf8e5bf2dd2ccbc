"""Generates the pages in ``docs/rules/`` from the catalogue: an index, and one page per pack."""

from __future__ import annotations

import functools
import json
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import tomli
from msgspec.structs import astuple

from mcp_governor.rule_names import formerly, rules_folder
from mcp_governor.rules.catalogue import Catalogue, load_catalogue
from mcp_governor.rules.finding import named

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.rules.rule import Example, Rule

NOTE = "<!-- Written by `make docs` from the files under rules/; edit those, not this page. -->"

PACKS_FILE = "packs.toml"

_NONE: Mapping[str, str] = MappingProxyType({})


@functools.cache
def pack_titles() -> dict[str, str]:
    """Page title of each built-in pack; a user's pack has its name as title."""
    titles: dict[str, str] = tomli.loads((rules_folder() / PACKS_FILE).read_text("utf-8"))
    return titles


def pages(
    catalogue: Catalogue | None = None, measured: Mapping[str, str] = _NONE, statements: Mapping[str, str] = _NONE
) -> dict[str, str]:
    """All pages by file name.

    Args:
        catalogue: the rules; by default the built-in ones, without those of installed packages.
        measured: rule id → a sentence about how often its findings were right.
        statements: rule id → links to the statements of the sources that it enforces.
    """
    catalogue = catalogue or load_catalogue(entry_points=False)
    out = {"README.md": index_page(catalogue)}
    for pack, rules in catalogue.packs.items():
        out[f"{pack}.md"] = pack_page(pack, rules, measured=measured, statements=statements)
    return out


def index_page(catalogue: Catalogue) -> str:
    """The index: all packs and profiles, and questions on which the sources disagree."""
    lines = [
        "# Rules",
        "",
        NOTE,
        "",
        "A rule is a TOML file under `rules/`; `mcp-governor rule NAME` explains one, `mcp-governor rules` lists all.",
        "Rules of another station are emitted by `check`, `call` or `changelog`, and explained here.",
        "",
        "| pack | rules | what it requires of a server |",
        "| --- | --- | --- |",
    ]
    lines += [
        f"| [{pack}]({pack}.md) | {len(rules)} | {pack_titles().get(pack, pack)} |"
        for pack, rules in catalogue.packs.items()
    ]
    lines += ["", "## Profiles", "", "| profile | for | packs |", "| --- | --- | --- |"]
    for profile in catalogue.profiles.values():
        packs = ", ".join(f"`{selector}`" for selector in profile.select)
        lines.append(f"| `{profile.name}` | {_cell(profile.summary)} | {packs} |")
    for profile in catalogue.profiles.values():
        if profile.policy:
            set_to = ", ".join(f"`policy.{key} = {json.dumps(value)}`" for key, value in profile.policy.items())
            lines += ["", f"Profile `{profile.name}` compares with {set_to}, unless the configuration says otherwise."]
    lines += [
        "",
        "## Where the sources disagree",
        "",
        "A configuration that selects two rules with different choices on one topic is refused; ignore one of them.",
        "[Where the sources disagree](../sources.md) names the sections on each side, and what else is contradictory.",
        "",
        "| topic | choice | rules |",
        "| --- | --- | --- |",
    ]
    sides: dict[tuple[str, str], list[str]] = {}
    for rule in catalogue:
        if rule.stance is not None:
            sides.setdefault((rule.stance.topic, rule.stance.choice), []).append(f"`{rule.id}`")
    lines += [f"| {topic} | {choice} | {', '.join(rules)} |" for (topic, choice), rules in sorted(sides.items())]
    return "\n".join([*lines, *_DECISIONS, *_SENTENCES]) + "\n"


_DECISIONS = (
    "",
    "## Deciding about findings",
    "",
    "The same decisions apply to the rules of every station, on `lint`, `check`, `call`, `changelog check`, and in",
    "pytest.",
    "",
    "| decision | written in |",
    "| --- | --- |",
    '| do not report a rule | `lint.ignore`, or `"off"` in `lint.severity` |',
    "| report it with another severity | `lint.severity` |",
    '| do not report it for some tools | `lint.per-tool-ignores`, or `_meta["dev.mcp-governor/ignore"]` of the tool |',
    "| do not report what was there before | `lint.baseline` |",
    "| report one finding, and do not fail | `[[accept]]`, with a reason |",
    "",
    "A suppression without effect is itself a finding (`lint/stale-suppression`) if the linter ran the rules that it",
    "names and no other station reports them. Findings of the other stations depend on today's changes and calls.",
    "",
    "A renamed rule keeps its former id as an alias. Configurations, acceptances, lint baselines, `_meta` and the",
    "command line accept it, and each run prints a note with the file, the key and the current id.",
)

_SENTENCES = (
    "",
    "## The message of a rule",
    "",
    "`message` and `fix` name facts in braces. `messages` is a table of several sentences; the check chooses one by",
    "name. `grouped` is one sentence for equal findings of several tools: it names the facts that they have in common,",
    'and `{tools}`, which becomes their number and first names ("10 tools: git_add, git_commit, git_diff, …"),',
    'or `{places}`, which becomes parameters and tools ("since (list_issues), path (push_files), …"), or `{gists}`,',
    "which quotes three of the findings in the words of `gist`, or in those that the check gave them. Rules with the",
    "same sentence that quotes share a line of a report, remarks and warnings alike.",
    "",
    "| place | what it shows |",
    "| --- | --- |",
    "| `{name}` | a string on one line, a list of strings with commas, other values as JSON; 120 characters at most |",
    "| `{name:60}` | at most 60 characters |",
    "| `{name:all}` | the whole line |",
    "| `{name:lines}` | all lines |",
    "| `{name!q}` | a string in quotes, at most 60 characters; the JSON type of another value |",
    "| `{name!t}` | the JSON type, in words |",
    "",
    "Facts are `tool`, `path`, `value`, the options of the rule, and what its check adds.",
)


def pack_page(
    pack: str,
    rules: tuple[Rule, ...],
    *,
    note: str = NOTE,
    measured: Mapping[str, str] = _NONE,
    statements: Mapping[str, str] = _NONE,
) -> str:
    """The page of a pack with all its rules.

    Args:
        pack: its name.
        rules: the rules on the page.
        note: the comment that names the generator of the page.
        measured: rule id → a sentence about how often its findings were right.
        statements: rule id → links to the statements of the sources that it enforces.
    """
    lines = [f"# {pack_titles().get(pack, pack)}", "", note, ""]
    limits = [rule for rule in rules if rule.limit is not None]
    if limits:
        lines += ["| client | limit | beyond it | seen | rule |", "| --- | --- | --- | --- | --- |"]
        for rule in limits:
            limit = rule.limit
            assert limit is not None
            seen = limit.seen if rule.verified else f"{limit.seen}, not verified"
            cells = (limit.target, limit.limit, limit.effect, seen)
            lines.append(f"| {' | '.join(map(_cell, cells))} | [{rule.name}](#{rule.name}) |")
        lines += [
            "",
            "Limits move; each is dated. A client named in `clients` makes its fatal limits errors. A limit that is",
            "*not verified* was read in reports of others only; it runs where its client or the rule is named.",
            "",
        ]
    for rule in rules:
        lines += _rule(rule, measured.get(rule.id, ""), statements.get(rule.id, ""))
    return "\n".join(lines).rstrip() + "\n"


def rule_section(rule: Rule) -> str:
    """The part of a page about one rule."""
    return "\n".join(_rule(rule, "", "")).rstrip() + "\n"


def _rule(rule: Rule, measured: str, statements: str) -> Iterator[str]:
    yield from (f"## {rule.name}", "", f"`{rule.id}` · {', '.join(_traits(rule))}", "", _line(rule.summary), "")
    yield from (_line(rule.why), "", f"*Source:* {_line(rule.source)}", "")
    if statements:
        yield from (f"*Statements:* {statements}", "")
    if rule.verified is not None:
        where, version, date = map(_line, astuple(rule.verified))
        yield from (f"*Verified:* {where}, {version}, read on {date}.", "")
    # A link in it is one to write; on the page it would be one to follow.
    fix = _line(named(rule.fix)).replace("](", "]\\(")
    yield from (f"*Fix:* {fix}", "")
    if measured:
        yield from (f"*Measured:* {_line(measured)}", "")
    if rule.unseen:
        yield from (f"*In no server of the corpus:* {_line(rule.unseen)}", "")
    for name, option in rule.options.items():
        yield f"- option `{name}`, default `{json.dumps(option.default, ensure_ascii=False)}`: {_line(option.summary)}"
    if rule.options:
        yield ""
    for title, example in (
        *(("Fails", item) for item in rule.fails[:1]),
        *(("Passes", item) for item in rule.passes[:1]),
    ):
        note = f" ({example.note})" if example.note else ""
        yield from (f"{title}{note}:", "", "```json", _example(example), "```", "")


def _traits(rule: Rule) -> Iterator[str]:
    yield rule.severity.value
    if rule.persona != "regular":
        yield rule.persona
    if rule.if_asked:
        yield rule.if_asked
    if rule.station != "lint":
        yield f"emitted by {rule.station}"
    if rule.twin:
        yield f"check reports {rule.twin} instead"
    if rule.stance is not None:
        yield f"takes a side on {rule.stance.topic}: {rule.stance.choice}"
    yield f"since {rule.since}"
    if former := formerly(rule.id):
        yield f"formerly {', '.join(f'`{name}`' for name in former)}"


def _example(example: Example) -> str:
    recording = example.recording()
    tools = recording.get("tools")
    value: Any = recording
    if set(recording) == {"tools"} and isinstance(tools, list):
        value = tools[0] if len(tools) == 1 else tools
    return json.dumps(value, indent=2, ensure_ascii=True)


def _line(text: str) -> str:
    return " ".join(text.split()).replace("<", "&lt;")


def _cell(text: str) -> str:
    return _line(text).replace("|", "\\|")
