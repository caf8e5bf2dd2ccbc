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
from mcp_governor.checking.settings import full_config_schema  # noqa: E402
from mcp_governor.cli import COMMANDS, app  # noqa: E402
from mcp_governor.cli.groups import subcommands  # noqa: E402
from mcp_governor.config import Config, ServerConfig  # noqa: E402
from mcp_governor.errors import Exit  # noqa: E402
from mcp_governor.installation import as_documented, note  # noqa: E402
from mcp_governor.rule_names import formerly  # noqa: E402
from mcp_governor.target.resolve import FORMS  # noqa: E402

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from mcp_governor.checking.formats import DocumentFormat

NOTE = "<!-- Written by `make docs`; edit the source that it names, not this page. -->"


CHANGES_READING = """\
## How to read a change

- **The witness** of a break is a statement about the two schemas: for an input, arguments that were valid before and
  are invalid now; for an output, a result that is possible now and never was. It does not say what the server
  does with it. Where several edits break one schema, each has a witness that depends on that edit alone, if there is
  one. Of several values, it is the one that convinces: an example or a default of the schema, a string of the
  stated `format`, a value that no server takes for one of another type (`{}` or `2`, not `false` or `""`), an integer
  that JavaScript can send.
- **The fingerprint** and the changes agree: where the contract of a tool is the same (`mcp-governor fingerprint`), no
  change of it is reported; where it differs, at least one is. A schema that is written differently and provably means
  the same is `schema-rewritten`, which requires no version step and is listed with the wording. What the comparison
  cannot name is `contract-undecided` or `schema-undecided`, which count as breaks.
- **One object and a union of objects** (`anyOf`, `oneOf`) are compared as one object each: a parameter is gone only if
  no alternative declares it any more, and new only if none did. What the alternatives say about several keys at once
  is one change of the union (`type-narrowed`, `type-widened`). Alternatives that share the value of a tag
  (`action: {"const": "create"}`) with each other only are compared in pairs.
- **`old` and `new`** in the JSON report are left out where there is no value; `null` is a value.
- **An unusable input schema** accepts no JSON object, or has a root that is `false`, is of another type than
  `object`, or names its dialect and says nothing else. To repair one is `schema-repaired` and does not break anything:
  it is a finding about the old release.
- **Capabilities** are compared within one protocol era (up to 2025-11-25, and from 2026-07-28 on), as one change.
  Many come and go with the SDK, and clients learn of them on every connection, so they are a note that requires a
  patch; `policy.capabilities = "breaking"` makes a dropped one a break. The prompts, resources and tools that go
  with a capability are reported one by one in any case.
- **The version** of `pypi:NAME==V` and `npm:NAME@V` is V, whatever the server reports.

## Two levels

An input must still accept what it accepted; an output must still promise what it promised. `--level` says how the
schemas are read:

- `declared`, the default, reads them as people do. Callers pass declared arguments only, so the old input is read as
  *closed*: keys that it does not declare do not count, where `additionalProperties` is absent, `true` or `{}`.
  The new input must accept that. A root without properties is a tool without parameters; a nested object without
  properties is a map and stays open, and so does a schema as `additionalProperties`. Of an output, the new schema is
  closed in the same way and the old one *opened*: readers tolerate additional fields. Keys that are spread over
  `allOf`, `anyOf` and `$ref` count together. So a new optional parameter breaks nothing, and a removed one does.
- `strict` reads them as sets of values, as a validator does: an open object accepts everything.

## What a schema cannot settle

| edit | by default | option in `policy` |
| --- | --- | --- |
| a parameter is removed, or one of several alternatives loses it | breaking | `argument-removed` |
| an input object is closed: `additionalProperties` absent → `false` | compatible; `strict`: breaking | `input-closed` |
| an object open by declaration (`true`, `{}`, a schema) is closed | breaking | `declared-openness-closed` |
| a field is added to a closed output | compatible, with a note | `closed-output`, for hosts that cache schemas |
| an optional output field is removed | breaking | `optional-field-removed` |
| an output enum gains a value | breaking | `output-enum-value-added`; `open-enums` names those that may grow |
| a default is changed | breaking | `default-changed` |
| a default is added or removed | compatible | `default-presence`; `flips`: breaking for a boolean whose default is \
`true`, unless its description said so |
| a required parameter with a default is added | breaking | `required-with-default` |
| a behaviour hint promises less than before, by the defaults of the protocol | breaking | `hint-less-safe` |
| a format is added or changed | compatible, with a note | `assert-formats`: what the strings of the two formats say |
| capabilities are dropped | a note | `capabilities` |
| description, title, icons, other `_meta` | wording, a patch | |
| a `$ref` that cannot be followed | the same on both sides: no change; changed: unknown | |
| a `$ref` of an output that points to nothing | now: breaking; no longer: compatible, since no official client could \
read the place | |

## Kinds"""


def changes_page() -> str:
    """docs/changes.md: every change kind."""
    lines = [
        "# Changes",
        "",
        NOTE,
        "",
        "Every kind of change that `diff` and `check` know, from the catalogue in `mcp_governor/change/`. The bump is "
        "for a tool of tier `facade` or `standard`; breaking on `advanced` needs a minor step, on `internal` none. "
        "[Compatibility](compatibility.md) has the definition, with an example and a witness of each kind.",
        "",
        *CHANGES_READING.splitlines(),
        "",
        "| kind | side | verdict | bump | what it means |",
        "| --- | --- | --- | --- | --- |",
    ]
    for kind in sorted(catalogue().values(), key=lambda kind: (kind.side.value, kind.name)):
        former = "".join(f" (formerly `{name}`)" for name in formerly(kind.name))
        cells = (f"`{kind.name}`{former}", kind.side.value, kind.verdict.value, kind.bump.value, kind.explanation)
        lines.append("| " + " | ".join(" ".join(cell.replace("|", "\\|").split()) for cell in cells) + " |")
    return "\n".join(lines) + "\n"


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

    text = (ROOT / "docs" / "formats.md").read_text("utf-8")
    before, start, rest = text.partition("<!-- table: formats -->\n")
    _, end, after = rest.partition("<!-- /table -->")
    rows = [f"| {' | '.join(_of_format(form))} |\n" for form in DOCUMENT_FORMATS.values()]
    head = (
        "| `mcp-governor schema …` | what it describes | we | version | its schema |\n| --- | --- | --- | --- | --- |\n"
    )
    return f"{before}{start}{head}{''.join(rows)}{end}{after}"


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

    return installed(demo_output.BLOCK.sub(block, (ROOT / "README.md").read_text("utf-8")))


def overview_page() -> str:
    """docs/overview.md with the forms of a TARGET inserted."""
    text = (ROOT / "docs" / "overview.md").read_text("utf-8")
    before, start, rest = text.partition("<!-- table: TARGET -->\n")
    _, end, after = rest.partition("<!-- /table -->")
    rows = "".join(f"| {form.written} | {form.meaning} |\n" for form in FORMS)
    text = f"{before}{start}| TARGET | what it is |\n| --- | --- |\n{rows}{end}{after}"
    return installed(text)


def installed(text: str) -> str:
    """A page whose installation commands, and the remark on them where it has a place, are those of today."""
    before, start, rest = text.partition("<!-- installation -->\n")
    if start:
        _, end, after = rest.partition("<!-- /installation -->")
        text = f"{before}{start}{note()}{end}{after}"
    return as_documented(text)


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
TABLES = ("profiles", "stances", "renamed", "removed", "forms", "refuse")


def pages() -> dict[Path, str]:
    """Every generated page with its text."""
    from compatibility_page import page as compatibility_page
    from coverage_page import page as coverage_page
    from coverage_page import stated
    from quality_figures import read_figures
    from quality_page import measured
    from quality_page import page as quality_page
    from sources_page import page as sources_page

    from contracts import wanted as contract_files
    from mcp_governor.rules.docs import pages as rule_pages

    docs = ROOT / "docs"
    figures = read_figures()
    own = {
        ROOT / "README.md": readme(),
        docs / "changes.md": changes_page(),
        docs / "compatibility.md": compatibility_page(NOTE),
        docs / "configuration.md": configuration_page(),
        docs / "commands.md": commands_page(),
        docs / "project" / "coverage.md": coverage_page(),
        docs / "formats.md": formats_page(),
        docs / "overview.md": overview_page(),
        docs / "project" / "quality.md": quality_page(figures),
        docs / "sources.md": sources_page(),
    }
    rules = rule_pages(measured=measured(figures), statements=stated())
    own |= {docs / "rules" / name: text for name, text in rules.items()}
    # Hand-written pages spell installation commands as the constant says.
    by_hand = {*docs.rglob("*.md"), *ROOT.glob("*.md")} - own.keys()
    return own | {path: installed(path.read_text("utf-8")) for path in by_hand} | contract_files()


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
