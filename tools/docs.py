"""Generates the reference pages in docs/ from the declarations of each fact, and records contracts/: ``make docs``.

``--check`` writes nothing and exits with 1 if a page is stale; the tests run it.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import tomli

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

import demo_output  # noqa: E402

from mcp_governor.change import catalogue  # noqa: E402
from mcp_governor.checking.reading import full_config_schema  # noqa: E402
from mcp_governor.cli import COMMANDS, app  # noqa: E402
from mcp_governor.cli.groups import subcommands  # noqa: E402
from mcp_governor.config import Config, ServerConfig  # noqa: E402
from mcp_governor.errors import Exit  # noqa: E402
from mcp_governor.rule_names import formerly  # noqa: E402
from mcp_governor.target.forms import FORMS  # noqa: E402

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Mapping

    from mcp_governor.checking.formats import DocumentFormat

NOTE = "<!-- Written by `make docs`; edit the source that it names, not this page. -->"


def filled(page: str, tables: Mapping[str, str]) -> str:
    """A page of ``docs`` with the text between each ``<!-- table: NAME -->`` and ``<!-- /table -->`` written again."""
    text = (ROOT / "docs" / page).read_text("utf-8")
    for name, table in tables.items():
        before, start, rest = text.partition(f"<!-- table: {name} -->\n")
        _, end, after = rest.partition("<!-- /table -->")
        text = f"{before}{start}{table}{end}{after}"
    return text


def changes_page() -> str:
    """docs/changes.md with every change kind inserted."""
    lines = ["| kind | side | verdict | bump | what it means |", "| --- | --- | --- | --- | --- |"]
    for kind in sorted(catalogue().values(), key=lambda kind: (kind.side.value, kind.name)):
        former = "".join(f" (formerly `{name}`)" for name in formerly(kind.name))
        cells = (f"`{kind.name}`{former}", kind.side.value, kind.verdict.value, kind.bump.value, kind.explanation)
        lines.append("| " + " | ".join(" ".join(cell.replace("|", "\\|").split()) for cell in cells) + " |")
    return filled("changes.md", {"kinds": "\n".join(lines) + "\n"})


EXAMPLE = """\
[tool.mcp-governor]
target = "search"                        # a name from servers, or any TARGET
baseline = "mcp-surface.json"            # what the server is compared with
profile = ["recommended", "surface"]
clients = ["anthropic", "cursor"]

[tool.mcp-governor.servers.search]
command = ["python", "-m", "search_server"]
env = { API_KEY = "$API_KEY" }           # taken from the environment, never printed

[tool.mcp-governor.tiers]
facade = ["work_*"]
advanced = ["debug_*"]                   # the others are standard

[tool.mcp-governor.lint]
ignore = ["clarity/length"]
severity = { "clarity/*" = "warning" }
per-tool-ignores = { "legacy_*" = [{ rule = "surface/*", reason = "gone in 3.0" }] }

[tool.mcp-governor.policy]
closed-output = "breaking"               # hosts that validate against a cached schema

[[tool.mcp-governor.calls]]              # what check calls, in addition to reading the surface
tool = "search"
arguments = { query = "a" }
"""
"""The example at the start of the page; a test loads it."""


def configuration_page() -> str:
    """docs/configuration.md: an example, and every key with its default."""
    schema = full_config_schema()
    lines = [
        "# Configuration",
        "",
        NOTE,
        "",
        "`[tool.mcp-governor]` in pyproject.toml, or `mcp-governor.toml` with the same keys and no prefix; the nearest "
        "file upwards wins. Every key is optional. `mcp-governor schema config` prints the JSON Schema for editors "
        "([Formats](formats.md)).",
        "",
        "```toml",
        *EXAMPLE.splitlines(),
        "```",
        "",
    ]
    rows: dict[str, list[str]] = {}
    for row in _keys(schema["properties"], Config()):
        table, *deeper = row.removeprefix("| `").partition("`")[0].removesuffix("[]").replace("[]", "").split(".")
        rows.setdefault(table if deeper or table in rows or table in _TABLES else "", []).append(row)
    for table, held in rows.items():
        heading = f"`{table}`" if table else "Keys of the whole run"
        lines += [f"## {heading}", "", *([_TABLES[table], ""] if table in _TABLES else [])]
        lines += ["| key | takes | default | what it does |", "| --- | --- | --- | --- |", *held, ""]
    lines.pop()
    return "\n".join(lines) + "\n"


_TABLES = {
    "servers": "One table for each server; NAME is what `target` and the command line call it.",
    "tiers": "How stable the tools are promised to be. A name in full overrides a glob; then the first of these tiers "
    "with a glob that matches counts. A tool without one is `standard`.",
    "load": "What is measured, and what a time can prove: [Load](load.md#budgets).",
    "calls": "One table for each call, or a word for all of them ([calls](calls.md)).",
    "accept": "One table for each accepted finding; `mcp-governor accept` writes it.",
}
"""What a table is for, where its keys do not say it."""


def _keys(properties: dict[str, Any], held: object, prefix: str = "") -> Iterator[str]:
    """A row for each key; ``held`` is the object with the defaults of this table, if there is one."""
    for name, schema in properties.items():
        key = f"{prefix}{name}"
        default = getattr(held, name.replace("-", "_"), None)
        if "properties" in schema:
            yield from _keys(schema["properties"], default, f"{key}.")
            continue
        inner = schema.get("additionalProperties")
        if isinstance(inner, dict) and "properties" in inner:
            yield from _keys(inner["properties"], ServerConfig(""), f"{key}.NAME.")
            continue
        items = schema.get("items")
        if isinstance(items, dict) and "properties" in items:
            if "then" in schema:  # a word in the place of the list
                yield f"| `{key}` | {_takes(schema['then'])} |  | {schema['description']} |"
            yield from _keys(items["properties"], None, f"{key}[].")
            continue
        yield f"| `{key}` | {_takes(schema)} | {_default(schema, default)} | {schema.get('description', '')} |"


def _default(schema: dict[str, Any], held: object) -> str:
    value = schema.get("default", list(held) if isinstance(held, tuple) else held)
    return f"`{json.dumps(value)}`" if value or value in (False, 0) or "default" in schema else ""


def _takes(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if "anyOf" in schema:
        return "; or ".join(_takes(part) for part in schema["anyOf"])
    kind = schema.get("type", "any")
    if kind == "array":
        items = _takes(schema.get("items", {}))
        return f"list of {f'({items})' if ';' in items else items}"
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def formats_page() -> str:
    """docs/formats.md with the table of formats inserted."""
    from mcp_governor.checking.formats import DOCUMENT_FORMATS

    rows = [f"| {' | '.join(_of_format(form))} |\n" for form in DOCUMENT_FORMATS.values()]
    head = (
        "| `mcp-governor schema …` | what it describes | we | version | its schema |\n| --- | --- | --- | --- | --- |\n"
    )
    return filled("formats.md", {"formats": f"{head}{''.join(rows)}"})


def _of_format(form: DocumentFormat) -> Iterator[str]:
    name = f"{form.name}-{form.version}"
    yield f"`{form.name}`"
    yield form.what
    yield " and ".join(word for word, true in (("write", form.written), ("read", form.read)) if true)
    yield f'`"format": "mcp-governor/{name}"`' if form.stated else f"{form.version}, which documents do not state"
    yield f"[{name}](../contracts/{name}.schema.json)"


def commands_page() -> str:
    """docs/commands.md: every command with its options."""
    lines = ["# Commands", "", NOTE, ""]
    with click.Context(app, info_name="mcp-governor", terminal_width=80) as root:
        for name in COMMANDS:
            command = app.get_command(root, name)
            assert command is not None
            lines += _help(command, name, root)
    lines += ["## Exit codes", "", "| code | meaning |", "| --- | --- |"]
    lines += [f"| {int(code)} | {_EXIT_WORDS[code]} |" for code in Exit]
    lines += [
        "",
        "With many servers (`--all`, `fleet check`), 1 says that one drifted, and 3 that none did, but that too few",
    ]
    lines += ["few were reached: [Many servers](fleet.md#exit-codes)."]
    return "\n".join(lines) + "\n"


_EXIT_WORDS = {
    Exit.PASS: "pass",
    Exit.FINDINGS: "findings at or above `--fail-on`",
    Exit.USAGE: "wrong usage or configuration",
    Exit.UNREACHABLE: "the server could not be reached or did not speak MCP",
    Exit.NOTHING_CHECKED: "nothing was checked",
    Exit.BUG: "a bug in mcp-governor",
}


def _help(command: click.Command, name: str, parent: click.Context) -> list[str]:
    context = click.Context(command, info_name=name, parent=parent)
    if isinstance(command, click.Group):
        return [line for sub, child in subcommands(command).items() for line in _help(child, sub, context)]
    more = [_MORE[name], ""] if name in _MORE else []
    return [f"## {context.command_path}", "", "```text", command.get_help(context), "```", "", *more]


_MORE = {
    "call": "[Calls](calls.md) says where arguments come from, what may be sent, and what counts as a success.",
}
"""Text after the help of a command."""


def readme() -> str:
    """README.md with the output of the demo's failing check inserted."""
    output = demo_output.shown()

    def block(found: re.Match[str]) -> str:
        name = found["name"]
        return f"<!-- output: demo {name} -->\n```text\n{output[name]}\n```\n<!-- /output -->\n"

    return demo_output.BLOCK.sub(block, (ROOT / "README.md").read_text("utf-8"))


def overview_page() -> str:
    """docs/overview.md with the forms of a TARGET inserted."""
    rows = "".join(f"| {form.written} | {form.meaning} |\n" for form in FORMS)
    return filled("overview.md", {"TARGET": f"| TARGET | what it is |\n| --- | --- |\n{rows}"})


def rules_page() -> str:
    """docs/rules/README.md with the packs and the profiles inserted."""
    from mcp_governor.rules import load_catalogue
    from mcp_governor.rules.docs import pack_titles

    catalogue = load_catalogue(entry_points=False)
    packs = "| pack | rules | what it requires of a server |\n| --- | --- | --- |\n"
    for pack, rules in catalogue.packs.items():
        packs += f"| [{pack}]({pack}.md) | {len(rules)} | {pack_titles()[pack]} |\n"
    profiles = "| profile | for | packs | compares with |\n| --- | --- | --- | --- |\n"
    for profile in catalogue.profiles.values():
        selected = ", ".join(f"`{selector}`" for selector in profile.select)
        policy = ", ".join(f"`policy.{key} = {json.dumps(value)}`" for key, value in profile.policy.items())
        profiles += f"| `{profile.name}` | {profile.summary} | {selected} | {policy} |\n"
    return filled("rules/README.md", {"packs": packs, "profiles": profiles})


BUILTIN = ROOT / "mcp_governor" / "builtin_rules.py"
BUILTIN_HEAD = '''"""The data of ``rules/`` as Python, which keeps it as bytecode.

``make docs`` writes this module, and ``tests/test_pages.py`` fails if it is older than the files.
"""

from typing import Any
'''


def builtin_rules() -> str:
    """The module with the data of ``rules/``, a rule a line, without the examples."""
    folder = ROOT / "rules"
    rules = {}
    for file in sorted(folder.glob("*/*.toml")):
        data = tomli.loads(file.read_text("utf-8"))
        rules[f"{file.parent.name}/{file.stem}"] = {key: data[key] for key in data if key not in ("pass", "fail")}
    tables = {
        "RULES": rules,
        **{
            name.upper(): _without_examples(tomli.loads((folder / f"{name}.toml").read_text("utf-8")))
            for name in TABLES
        },
    }
    text = BUILTIN_HEAD
    for name, table in tables.items():
        rows = "".join(f"    {key!r}: {value!r},\n" for key, value in table.items())
        text += f"\n{name}: dict[str, Any] = {{\n{rows}}}\n"
    return text


def _without_examples(table: dict[str, Any]) -> dict[str, Any]:
    """A table whose rows, if it consists of some, lack their examples: these are for tests."""
    return {
        key: [{name: row[name] for name in row if name not in EXAMPLES} for row in rows] if _is_rows(rows) else rows
        for key, rows in table.items()
    }


def _is_rows(rows: Any) -> bool:
    return isinstance(rows, list) and all(isinstance(row, dict) for row in rows)


EXAMPLES = ("match", "refuse", "examples")
TABLES = ("profiles", "renamed", "removed", "forms", "refuse")


def pages() -> dict[Path, str]:
    """Every generated page with its text."""
    import compatibility_page
    import coverage_page
    import quality_page
    import sources_page
    from quality_corpus import read_figures

    from contracts import wanted as contract_files
    from mcp_governor.rules.docs import pages as rule_pages

    docs = ROOT / "docs"
    figures = read_figures()
    own = {
        ROOT / "README.md": readme(),
        docs / "changes.md": changes_page(),
        docs / "compatibility.md": filled("compatibility.md", compatibility_page.tables()),
        docs / "configuration.md": configuration_page(),
        docs / "commands.md": commands_page(),
        docs / "project" / "coverage.md": filled("project/coverage.md", coverage_page.tables()),
        docs / "formats.md": formats_page(),
        docs / "overview.md": overview_page(),
        docs / "project" / "quality.md": filled("project/quality.md", quality_page.tables(figures)),
        docs / "sources.md": filled("sources.md", sources_page.tables()),
    }
    rules = rule_pages(measured=quality_page.measured(figures), statements=coverage_page.stated())
    own |= {docs / "rules" / name: text for name, text in rules.items()}
    own[docs / "rules" / "README.md"] = rules_page()
    return own | contract_files()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    only_check = parser.parse_args().check
    # First, because every page about rules is made from it.
    made = builtin_rules()
    stale = [] if BUILTIN.is_file() and BUILTIN.read_text("utf-8") == made else [BUILTIN]
    if not only_check:
        BUILTIN.write_text(made, "utf-8")
    try:
        wanted = pages() | {BUILTIN: made}
    except ValueError as error:
        # An error in a fixture from which a page is generated; its message names the place.
        sys.exit(str(error))
    stale += [path for path, text in wanted.items() if not path.is_file() or path.read_text("utf-8") != text]
    for path in stale:
        if only_check:
            print(f"stale: {path.relative_to(ROOT)} (write it with: make docs)")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(wanted[path], "utf-8")
            print(f"written: {path.relative_to(ROOT)}")
    return int(only_check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
