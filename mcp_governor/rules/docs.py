"""Generates the pages about rules from the catalogue, one per pack."""

from __future__ import annotations

import functools
import json
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import tomli
from msgspec.structs import astuple

from mcp_governor.rule_names import formerly, rules_folder
from mcp_governor.rules.catalogue import load_catalogue
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


def pages(measured: Mapping[str, str] = _NONE, statements: Mapping[str, str] = _NONE) -> dict[str, str]:
    """The pages of our own packs by file name.

    Args:
        measured: rule id → a sentence about how often its findings were right.
        statements: rule id → links to the statements of the sources that it enforces.
    """
    packs = load_catalogue(entry_points=False).packs.items()
    return {f"{pack}.md": pack_page(pack, rules, measured=measured, statements=statements) for pack, rules in packs}


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
