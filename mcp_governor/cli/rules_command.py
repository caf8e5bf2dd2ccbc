"""``mcp-governor rules`` and ``mcp-governor rule NAME``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import asdict

from mcp_governor.cli import completion, out
from mcp_governor.cli.common import Output, Run, configured, useless, write_json, write_lines
from mcp_governor.errors import Exit
from mcp_governor.report.lines import BLANK, line
from mcp_governor.rule_names import formerly, noted_name
from mcp_governor.text import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.report.lines import Line
    from mcp_governor.rules import Catalogue, Example, Rule

_ON_FINDINGS = "Each finding says what to do; it depends on what was found."

_STYLES = {"error": "bold red", "warning": "yellow", "info": "cyan"}


def _catalogue(run: Run) -> Catalogue:
    from mcp_governor.rules import load_catalogue

    folders = tuple(run.config.resolve(folder) for folder in run.config.lint.rules)
    return load_catalogue(folders)


@click.command()
@click.option("--pack", metavar="NAME", shell_complete=completion.packs, help="List only the rules of this pack")
@click.option("--test", "tests", is_flag=True, help="Run the examples of your own rules as tests, with their Python")
@click.option("--docs", is_flag=True, help="Write a page about each of your own packs next to its rules")
@configured("output", "trust", formats=click.Choice(["text", "json"]))
def rules(run: Run, pack: str | None, tests: bool, docs: bool) -> int:
    """List every rule with its id, severity and summary."""
    from mcp_governor.errors import UsageError
    from mcp_governor.text import did_you_mean

    if tests or docs:
        option = "--test" if tests else "--docs"
        if pack is not None:
            raise useless("--pack", option)
        if run.output.format != "text":
            raise useless(f"--format {run.output.format}", option)
        return _own(run, tests, docs)
    catalogue = _catalogue(run)
    if pack is not None and pack not in catalogue.packs:
        raise UsageError(
            f'There is no pack "{pack}".{did_you_mean(pack, catalogue.packs)}',
            f"The packs are {', '.join(sorted(catalogue.packs))}.",
        )
    chosen = [rule for rule in catalogue if pack in (None, rule.pack)]
    if run.output.format == "json":
        write_json([_row(rule) for rule in chosen], run.output)
    else:
        write_lines(_table(chosen), run.output)
    return int(Exit.PASS)


def _own(run: Run, tests: bool, docs: bool) -> int:
    """Run the examples of the rules in the folders that the configuration names, write the pages about them."""
    from mcp_governor.errors import NothingCheckedError
    from mcp_governor.rules.scaffold import check_examples, write_pages

    folders = [run.config.resolve(folder) for folder in run.config.lint.rules]
    if not folders:
        raise NothingCheckedError("The configuration names no folder with rules.", 'Add it: [lint] rules = ["DIR"]')
    pages = [page for folder in folders for page in write_pages(folder, root=run.config.root)] if docs else []
    problems = [problem for folder in folders for problem in check_examples(folder)] if tests else []
    lines = [f"written: {visible(str(page))}" for page in pages] + problems
    if tests and not problems:
        lines.append("All rule examples passed.")
    write_lines([line(text) for text in lines], run.output)
    return int(Exit.FINDINGS if problems else Exit.PASS)


def _row(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "severity": rule.severity.value,
        "persona": rule.persona,
        "station": rule.station,
        "enabled": rule.enabled,
        "since": rule.since,
        "formerly": list(formerly(rule.id)),
        "summary": rule.summary,
    }


def _document(rule: Rule) -> dict[str, Any]:
    from mcp_governor.rules.finding import named

    document = _row(rule) | {"why": rule.why, "source": rule.source, "fix": named(rule.fix)}
    document["options"] = {
        key: {"default": option.default, "summary": option.summary, "schema": dict(option.schema)}
        for key, option in rule.options.items()
    }
    if rule.stance is not None:
        document["stance"] = asdict(rule.stance)
    if rule.limit is not None:
        document["limit"] = asdict(rule.limit)
    if rule.verified is not None:
        document["verified"] = asdict(rule.verified)
    for title, examples in (("fail", rule.fails), ("pass", rule.passes)):
        document[title] = [
            {"note": item.note, "options": dict(item.options), "surface": item.recording(), "at": list(item.at)}
            for item in examples
        ]
    return document


def _table(rules: list[Rule]) -> Iterator[Line]:
    width = max((len(rule.id) for rule in rules), default=0)
    for rule in rules:
        severity = rule.severity.value
        columns = ((f"{rule.id:<{width}}", "bold"), "  ", (f"{severity:<7}", _STYLES[severity]), f"  {rule.summary}")
        yield line(*columns, hang=4)


@click.command()
@click.argument("name", shell_complete=completion.rules)
@click.option("--new", "folder", type=click.Path(file_okay=False, path_type=Path), help="Create a rule in this folder")
@configured("output", "trust", "verbose", formats=click.Choice(["text", "json"]))
def rule(run: Run, name: str, folder: Path | None) -> None:
    """Explain one rule: why, source, options, examples. With --new DIR, create a rule of your own there."""
    if folder is not None:
        if run.output.format != "text" or run.output.file is not None:
            raise useless("--output" if run.output.file is not None else f"--format {run.output.format}", "--new")
        _begin(name, folder, run)
        return
    found = _catalogue(run).get(noted_name(name))
    if run.output.format == "json":
        write_json(_document(found), run.output)
        return
    write_lines(_page(found, run.output), run.output)


def _begin(name: str, folder: Path, run: Run) -> None:
    from mcp_governor.rules.scaffold import check_examples, new_rule, write_pages

    file = new_rule(name, folder)
    problems = check_examples(folder, only=file)
    out.echo(f"{visible(str(file))} is a rule that works; edit it.")
    for page in write_pages(folder):
        out.echo(f"{visible(str(page))} documents its pack; update it with: mcp-governor rules --docs")
    out.echo("Its examples are its tests; run them with: mcp-governor rules --test")
    if missing := list(_missing(name.partition("/")[0], folder, run)):
        out.echo("\n".join(("Add to the configuration:", "", *missing)))
    for problem in problems:
        out.echo(problem)


def _missing(pack: str, folder: Path, run: Run) -> Iterator[str]:
    """The lines that the configuration needs, so that the rules of a pack are found and run."""
    lint = run.config.lint
    keys = []
    if str(folder) not in lint.rules:
        keys.append(("rules", str(folder)))
    if not {"*", f"{pack}/*"}.intersection((*lint.select, *lint.extend_select)):
        keys.append(("extend-select", f"{pack}/*"))
    if keys:
        yield "[tool.mcp-governor.lint]" if run.config.shown.endswith("pyproject.toml") else "[lint]"
    for key, value in keys:
        # TOML and JSON write a string alike.
        yield f"{key} = [{json.dumps(visible(value), ensure_ascii=False)}]"


def _page(rule: Rule, output: Output) -> Iterator[Line]:
    from mcp_governor.rules.finding import is_placeholder, named

    severity = rule.severity.value
    traits = ["" if rule.persona == "regular" else rule.persona, rule.if_asked]
    shown = "".join(f"  {trait}" for trait in traits if trait)
    yield line((rule.id, "bold"), "  ", (severity, _STYLES[severity]), f"{shown}  since {rule.since}")
    if former := formerly(rule.id):
        yield line(f"formerly {', '.join(former)}", indent=2)
    yield line(rule.summary)
    read = rule.verified
    parts = (
        ("Why", rule.why),
        ("Source", rule.source),
        ("Verified", f"{read.where}, {read.version}, read on {read.date}" if read else ""),
        ("Fix", _ON_FINDINGS if is_placeholder(rule.fix) else named(rule.fix)),
    )
    for title, text in parts:
        if not text:
            continue
        yield BLANK
        yield line((title, "bold underline"))
        yield line(" ".join(text.split()), indent=2)
    if rule.options:
        yield BLANK
        yield line(("Options", "bold underline"))
        for key, option in rule.options.items():
            yield line((key, "bold"), f" = {json.dumps(option.default)}  {option.summary}", indent=2)
    for title, examples in (("Fails", rule.fails), ("Passes", rule.passes)):
        for example in examples[: 3 + output.verbose * 100]:
            yield BLANK
            yield line((title, "bold underline"), f"  {example.note}" if example.note else "")
            yield from _example(example)


def _example(example: Example) -> Iterator[Line]:
    if example.options:
        yield line(f"with {json.dumps(dict(example.options))}", indent=2)
    recording = example.recording()
    tools = recording.get("tools")
    shown: Any = tools[0] if set(recording) == {"tools"} and isinstance(tools, list) and len(tools) == 1 else recording
    for text in json.dumps(shown, indent=2, ensure_ascii=True).split("\n"):
        stripped = text.lstrip(" ")
        yield line(stripped, indent=2 + len(text) - len(stripped))
