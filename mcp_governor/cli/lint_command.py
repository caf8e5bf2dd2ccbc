"""``mcp-governor lint``."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from msgspec.structs import replace

from mcp_governor.cli import common, completion, out
from mcp_governor.cli.fleet_options import Many, all_option, run_all
from mcp_governor.errors import Exit, NothingCheckedError
from mcp_governor.report.lines import line
from mcp_governor.rule_names import noted_name
from mcp_governor.text import command_line, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mcp_governor.checking.model import Report
    from mcp_governor.config import Config
    from mcp_governor.findings import Finding
    from mcp_governor.report.lines import Line
    from mcp_governor.rules import Selection, Suppression
    from mcp_governor.surface import Surface
    from mcp_governor.target import Source

_F = TypeVar("_F", bound="Callable[..., Any]")


def _of_rules(option: str, text: str) -> Callable[[_F], _F]:
    """An option that takes rules, also by their former names."""

    def current(ctx: click.Context, param: click.Parameter, names: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ARG001
        return tuple(noted_name(name, key=option) for name in names)

    return click.option(
        option, multiple=True, metavar="RULE", shell_complete=completion.rules, callback=current, help=text
    )


@click.command(cls=common.TargetCommand)
@common.target_argument
@common.profile_option()
@_of_rules("--select", "Run only these rules: pack/rule or pack/*")
@_of_rules("--extend-select", "Also run these rules")
@_of_rules("--ignore", "Do not run these rules")
@click.option("--pedantic", is_flag=True, help="Also run pedantic rules")
@click.option(
    "--baseline",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Ignore the findings in FILE  [default: lint.baseline in the configuration]",
)
@click.option(
    "--write-baseline", is_flag=True, help="Write the current findings to the baseline file, so that they are ignored"
)
@click.option("--new-only", is_flag=True, help="Report only findings that the baseline surface does not have")
@click.option("--statistics", is_flag=True, help="Show counts per rule and tokens per tool instead of each finding")
@click.option(
    "--fix-plan", "plan", flag_value="json", help="Write the fixes that need no decision, as JSON, instead of findings"
)
@click.option("--diff", "plan", flag_value="diff", help="Write the same fixes as a diff of the schema fragments")
@click.option("--show-settings", is_flag=True, help="Show which rules would run, with their settings; check nothing")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even if something is found")
@all_option("baseline", "write_baseline", "new_only", "statistics", "plan", "show_settings", "report")
@common.reporting("trust")
def lint(
    run: common.Run,
    target: str | None,
    profile: tuple[str, ...],
    baseline: Path | None,
    write_baseline: bool,
    new_only: bool,
    statistics: bool,
    plan: str | None,
    show_settings: bool,
    exit_zero: bool,
    many: Many,
    **rules: Any,
) -> int:
    """Check names, descriptions and schemas against the rules, and against the limits of clients.

    With --all, each server of the configuration or of a client's file, and all of them together.
    """
    from mcp_governor.checking.decisions import lint_report
    from mcp_governor.checking.places import with_places
    from mcp_governor.checking.reading import lint_settings, read_governed, trusting
    from mcp_governor.rules import load_baseline
    from mcp_governor.rules import select as selected
    from mcp_governor.text import counted

    def chosen(config: Config) -> Config:
        return _chosen(config, profile=profile, **rules)

    if many.every:
        code = run_all(run, "lint", target, replace(many, profile=profile, adapted=chosen))
        return int(Exit.PASS) if exit_zero and code == Exit.FINDINGS else code
    _refuse_useless(
        run.output, show_settings=show_settings, write_baseline=write_baseline, statistics=statistics, plan=plan
    )
    config = chosen(run.config)
    if show_settings:
        common.write_lines(_settings(selected(lint_settings(config)), config), run.output)
        return int(Exit.PASS)
    source = run.source(target)
    config = trusting(config, source)
    selection = selected(lint_settings(config))
    if not selection.reads:
        common.report_skipped(selection.skipped)
        raise NothingCheckedError(
            "None of the selected rules checks a surface.",
            "List the selected rules with: mcp-governor lint --show-settings",
        )
    surface = read_governed(source, config)
    compared = _compared(surface, config, source) if new_only else None
    file = baseline or (config.resolve(config.lint.baseline) if config.lint.baseline else None)
    if write_baseline:
        shown = str(baseline or config.lint.baseline or _BASELINE)
        # Findings about acceptances do not belong in the baseline.
        unaccepted = replace(config, accept=())
        report, _ = lint_report(surface, unaccepted, selection, known=frozenset(), compared=compared)
        return _write_baseline(run, file or config.root / _BASELINE, report.findings, shown, typed=baseline is not None)
    what = "" if baseline else visible(config.lint.baseline)
    known = load_baseline(file, what=what) if file is not None else frozenset[str]()
    report, gone = lint_report(surface, config, selection, known=known, compared=compared)
    if gone and file is not None:
        verb = "is" if len(gone) == 1 else "are"
        fixed = f"{counted(len(gone), 'finding')} of {visible(file.name)} {verb} no longer found"
        out.echo(f"{fixed}; update the file with --write-baseline.", err=True)
    if plan is not None:
        code = _write_plan(run, plan, report, surface, selection, source)
        return int(Exit.PASS) if exit_zero else code
    if common.places_wanted(run.output) and not statistics:
        report = with_places(report, surface, source)
    if statistics and run.output.format == "json":
        common.report_skipped(report.skipped_rules)
        common.write_json(_counts(report), run.output)
        code = int(Exit.PASS if report.verdict == "pass" else Exit.FINDINGS)
    else:
        code = common.deliver(report, run, _statistics(report) if statistics else None)
    return int(Exit.PASS) if exit_zero else code


def _write_plan(
    run: common.Run, form: str, report: Report, surface: Surface, selection: Selection, source: Source
) -> int:
    """Write the corrections instead of the findings; the verdict is that of the findings."""
    from mcp_governor.checking.fix_plan import fix_plan, source_folder

    common.report_skipped(report.skipped_rules)
    made = fix_plan(surface, selection, report.findings, source_folder(source, run.config))
    if form == "json":
        common.write_json(made.document(), run.output)
    else:
        from mcp_governor.report.fix_plan import diff_lines

        common.write_lines(diff_lines(made), run.output)
    return int(Exit.PASS if report.verdict == "pass" else Exit.FINDINGS)


def _refuse_useless(
    output: common.Output, *, show_settings: bool, write_baseline: bool, statistics: bool, plan: str | None
) -> None:
    """Raise a usage error if one option leaves nothing to do for another."""
    form = f"--format {output.format}"
    # Each leaves nothing to do for those after it.
    wanted = {"--show-settings": show_settings, "--write-baseline": write_baseline}
    wanted |= {"--diff" if plan == "diff" else "--fix-plan": plan is not None, "--statistics": statistics}
    given = [option for option, value in wanted.items() if value]
    if len(given) > 1:
        raise common.useless(given[1], given[0])
    if statistics and output.format not in ("text", "json"):
        raise common.useless("--statistics", form)
    if given and not statistics and output.format != "text":
        raise common.useless(form, given[0])
    if write_baseline and output.file is not None:
        raise common.useless("--output", "--write-baseline")


def _chosen(
    config: Config,
    *,
    profile: tuple[str, ...],
    select: tuple[str, ...],
    extend_select: tuple[str, ...],
    ignore: tuple[str, ...],
    pedantic: bool,
) -> Config:
    """The configuration with the command line's word over it."""
    table = replace(
        config.lint,
        select=select or config.lint.select,
        extend_select=(*config.lint.extend_select, *extend_select),
        ignore=(*config.lint.ignore, *ignore),
        persona="pedantic" if pedantic else config.lint.persona,
    )
    return replace(config, lint=table, profile=profile or config.profile)


def _compared(surface: Surface, config: Config, source: Source) -> Surface:
    from mcp_governor.checking.against.baseline import baseline_of
    from mcp_governor.errors import UsageError

    found = baseline_of(surface, config, source=source)
    if found is None:
        raise UsageError(
            "--new-only compares with a baseline surface, and there is none.",
            "Record one with: mcp-governor snapshot TARGET",
        )
    return found.surface


_BASELINE = "mcp-lint-baseline.json"


def _write_baseline(run: common.Run, path: Path, findings: Sequence[Finding], shown: str, *, typed: bool) -> int:
    """Write the file, and into a configuration that names none, its name: it counts from the next run on."""
    from mcp_governor.rules import dump_baseline
    from mcp_governor.text import counted
    from mcp_governor.writing import NewFile, locked, write_files

    config = run.config
    file = NewFile(path, dump_baseline(findings), None if typed else config.root, shown)
    recorded = f"{visible(shown)}: recorded {counted(len(findings), 'finding')}, ignored"
    named = config.resolve(config.lint.baseline) if config.lint.baseline else None
    if named is not None or config.path is None:
        write_files(file)
        when = "from now on" if named == path else f"with --baseline {command_line((shown,), 200)}"
        out.echo(f"{recorded} {when}.")
        return int(Exit.PASS)
    from mcp_governor.config.editing import set_text
    from mcp_governor.config.load import config_table, config_text

    value = Path(os.path.relpath(path, config.root)).as_posix()
    with locked(config.path.parent):
        text = config_text(config.path)
        what = visible(config.path.name)
        new = set_text(text, "baseline", value, table=(*config_table(config.path), "lint"), what=what)
        root = None if run.config_typed else config.path.parent
        write_files(file, NewFile(config.path, new, root, config.path.name, expected=text.encode()))
    out.echo(f"{recorded} from now on. {what} now has lint.baseline.")
    return int(Exit.PASS)


def _settings(selection: Selection, config: Config) -> Iterator[Line]:
    from mcp_governor.rules import Suppression

    yield line(f"profile: {', '.join(config.profile)}; from {config.shown}")
    width = max((len(active.id) for active in selection.linted), default=0)
    for active in selection.linted:
        options = ", ".join(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in active.options.items())
        yield line(
            (f"{active.id:<{width}}", "bold"),
            f"  {active.severity.value:<7}" if options else f"  {active.severity.value}",
            (f"  {options}" if options else "", "dim"),
        )
    for name in selection.skipped:
        yield line(f"not: {visible(name)} (its Python is not trusted; add --trust)")
    for item in selection.settings.ignore:
        yield line(f"not: {_reasoned(Suppression.parse(item, 'lint.ignore'))}")
    for glob, suppression, _ in selection.tool_ignores:
        yield line(f"not for {visible(glob)}: {_reasoned(suppression)}")


def _reasoned(suppression: Suppression) -> str:
    return f"{suppression.rule} ({visible(suppression.reason)})" if suppression.reason else suppression.rule


def _counts(report: Report) -> list[dict[str, Any]]:
    """Findings and tools in question by rule and severity, the most frequent first, to show where to begin."""
    rules: dict[tuple[str, str], list[Finding]] = {}
    for one in report.findings:
        rules.setdefault((one.rule, one.severity.value), []).append(one)
    rows: list[dict[str, Any]] = []
    for (rule, severity), found in sorted(rules.items(), key=lambda item: (-len(item[1]), item[0])):
        tools = {tool for one in found for tool in (one.tool, *(spot.tool for spot in one.spots))} - {None}
        rows.append({"rule": rule, "severity": severity, "findings": len(found), "tools": len(tools)})
    return rows


def _statistics(report: Report) -> Iterator[Line]:
    from mcp_governor.report.text import cost_lines
    from mcp_governor.text import counted

    rows = _counts(report)
    width = max((len(row["rule"]) for row in rows), default=0)
    for row in rows:
        counts = f"  {row['severity']:<7} {row['findings']:>6} in {counted(row['tools'], 'tool')}"
        yield line((f"{row['rule']:<{width}}", "bold"), counts)
    yield line(counted(len(report.findings), "finding"))
    if report.tokens is not None:
        yield from cost_lines(report.tokens)
