"""A new rule: its file with examples that fail and pass, ready to edit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_governor._version import __version__
from mcp_governor.errors import UsageError
from mcp_governor.rules.rule_schema import ID_PATTERN
from mcp_governor.text import one_line, visible
from mcp_governor.writing import write_below, write_file

if TYPE_CHECKING:
    from pathlib import Path

    from mcp_governor.rules.rule import Example

_PAGE_NOTE = "<!-- Written by `mcp-governor rules --docs` from the rule files; edit those, not this page. -->"
_TEMPLATE = '''\
id = "{id}"
summary = "One line: what it asks for."
why = """
Why it matters to a model or a client.
"""
source = "The clause or the measurement it comes from, with its figure."
severity = "warning"
since = "{since}"
# What it looks at, one at a time: tool, schema, input, output, surface, prompt, resource, template, prose, text.
on = "tool"
# A JSONPath (RFC 9535) finds values; `then` (a JSON Schema), `pattern` or `forbid` judges them. `mcp-governor schema
# rule` describes the rest: when, argument, judge, resolve, value, several [[cases]], options.
# For more than that, write a check in Python: check = "your_package.module:function".
given = "$.description"
forbid = "(?i)todo"
message = "The description of {{tool}} is not finished: {{value}}."
fix = "Write it."

[[pass]]
tool = '{{"name": "a", "description": "Reads a file.", "inputSchema": {{"type": "object"}}}}'

[[fail]]
at = ["/description"]
tool = '{{"name": "a", "description": "TODO: describe", "inputSchema": {{"type": "object"}}}}'
'''


def new_rule(rule_id: str, folder: Path) -> Path:
    """Write a rule file that works immediately and is meant to be edited.

    Args:
        rule_id: ``pack/kebab-name``.
        folder: the folder of rules in the configuration; the pack becomes a subfolder.

    Returns:
        The new file.

    Raises:
        UsageError: the id is not a rule id, or the file exists.
    """
    if not re.fullmatch(ID_PATTERN.strip("^$"), rule_id):
        raise UsageError(f"{one_line(rule_id)!r} is not a rule id.", "Write pack/kebab-name in lower case.")
    pack, _, name = rule_id.partition("/")
    file = folder / pack / f"{name}.toml"
    if file.exists():
        raise UsageError(f"{visible(str(file))} exists already.", "Choose another name.")
    return write_below(folder, f"{pack}/{name}.toml", _TEMPLATE.format(id=rule_id, since=__version__))


def write_pages(folder: Path, *, root: Path | None = None) -> list[Path]:
    """Write a page for each pack in a folder of rules, ``PACK.md`` next to the packs.

    Args:
        folder: a folder with rule files.
        root: the folder of the configuration that names it; ``None`` if the user gave it on the command line.

    Returns:
        The pages, including those that were up to date.

    Raises:
        ConfigError: a rule file is broken.
    """
    from mcp_governor.rules.catalogue import load_catalogue, read_rule, rule_files
    from mcp_governor.rules.docs import pack_page

    ids = {read_rule(file).id for file in rule_files(folder)}
    out: list[Path] = []
    for pack, rules in load_catalogue((folder,), entry_points=False).packs.items():
        own = tuple(rule for rule in rules if rule.id in ids)
        if own:
            out.append(folder / f"{pack}.md")
            page = pack_page(pack, own, note=_PAGE_NOTE)
            write_below(folder, f"{pack}.md", page) if root is None else write_file(out[-1], page, root=root)
    return out


def check_examples(folder: Path, *, only: Path | None = None) -> list[str]:
    """Examples in a folder of rules with an unexpected result; empty if all pass.

    Args:
        folder: a folder with rule files.
        only: the one file whose examples run; by default all examples run, and with them the Python code of the rules.

    Raises:
        ConfigError: a rule file is broken.
    """
    from mcp_governor.rules.catalogue import load_catalogue, read_rule, rule_files

    catalogue = load_catalogue((folder,), entry_points=False)
    out: list[str] = []
    for file in rule_files(folder) if only is None else [only]:
        rule = catalogue.get(read_rule(file).id)
        for kind, examples in (("pass", rule.passes), ("fail", rule.fails)):
            for number, example in enumerate(examples, 1):
                problem = _problem(rule.id, folder, example, kind == "fail")
                if problem:
                    out.append(f"{visible(str(file))}: {kind} example {number} {problem}.")
    return out


def _problem(rule_id: str, folder: Path, example: Example, fails: bool) -> str:
    from mcp_governor.rules.run import lint
    from mcp_governor.rules.selection import LintSettings
    from mcp_governor.surface.read import build_surface

    surface = build_surface(example.recording())
    options = {rule_id: example.options} if example.options else {}
    settings = LintSettings(select=(rule_id,), rule_paths=(folder,), options=options)
    found = [finding for finding in lint(surface, settings) if finding.rule == rule_id]
    first = surface.tools[0].name if surface.tools else None
    places = {item.path if item.tool in (None, first) else f"{item.tool}#{item.path}" for item in found}
    shown = ", ".join(sorted(place or "the tool itself" for place in places))
    if not fails:
        return f"gives a finding at {shown}" if found else ""
    if not found:
        return "gives no finding"
    return (
        f"gives findings at {shown}, not at {', '.join(example.at)}" if example.at and places != {*example.at} else ""
    )
