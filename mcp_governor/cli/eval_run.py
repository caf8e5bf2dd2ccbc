"""``mcp-governor eval run``."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import click
import msgspec
from msgspec.structs import replace

from mcp_governor.checking.reading import permitted
from mcp_governor.cli import common, eval_results, out
from mcp_governor.cli.eval_sets import governed, queries_option, queries_path
from mcp_governor.cli.out import progress_line
from mcp_governor.errors import Exit, NothingCheckedError, UsageError
from mcp_governor.evaluation.asking import Keeper
from mcp_governor.evaluation.offering import offered_tools
from mcp_governor.evaluation.providers import Options
from mcp_governor.evaluation.queries import load_queries
from mcp_governor.evaluation.record import Evaluation, read_record, record_text
from mcp_governor.evaluation.running import Settings, evaluate, plan
from mcp_governor.report.evaluation_words import Sentence, plan_blocks
from mcp_governor.report.groups import count_of
from mcp_governor.surface import fingerprint
from mcp_governor.surface.fingerprint import wording_fingerprint
from mcp_governor.target import LiveSource, limits_of
from mcp_governor.text import did_you_mean, one_line, visible
from mcp_governor.writing import checked_place, write_file

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mcp_governor.config import Config
    from mcp_governor.evaluation.model import Query, QuerySet, Runner
    from mcp_governor.evaluation.running import Done, Plan, Progress
    from mcp_governor.surface import Surface


class _Rate(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.4
    """``PROVIDER=NUMBER``."""

    name = "rate"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, float]:
        if isinstance(value, tuple):
            return value
        family, equals, number = str(value).partition("=")
        if not family or not equals or not number.isdecimal() or not int(number):
            self.fail(f"{value!r} is not PROVIDER=NUMBER, for example anthropic=50.", param, ctx)
        return family, float(number)


@click.command(name="run", cls=common.TargetCommand)
@common.target_argument
@queries_option
@click.option(
    "--runner",
    "runners",
    multiple=True,
    metavar="NAME",
    help="bm25, minilm, anthropic:MODEL, openai:MODEL or google:MODEL; repeatable  "
    "[default: runners in the configuration, or bm25]",
)
@click.option("--dry-run", is_flag=True, help="Show requests, tokens and dollars, and send nothing")
@click.option(
    "--max-cost",
    type=click.FloatRange(min=0),
    metavar="DOLLARS",
    help="Stop before the request that could exceed this  [default: max-cost in the configuration, or no limit]",
)
@click.option(
    "--max-time", type=common.SECONDS, default=3600, show_default=True, help="Time limit for the run, in seconds"
)
@click.option("--replay", is_flag=True, help="Use recorded answers only; fail if one is missing")
@click.option(
    "--execute",
    is_flag=True,
    help="Also make the first call of each right answer on the live server, if its tool only reads",
)
@click.option(
    "--record",
    type=common.FILE,
    metavar="FILE",
    help="Recorded answers as JSON Lines, read and written  [default: record in the configuration]",
)
@click.option("--seed", type=click.IntRange(0), help="Seed for the order of the tools  [default: 0]")
@click.option(
    "--split",
    type=click.Choice(["dev", "test"]),
    help="Ask only the queries of this split  [default: split in the configuration, or all]",
)
@click.option(
    "--concurrency",
    type=click.IntRange(1, 64),
    default=4,
    show_default=True,
    help="Maximum number of concurrent requests per provider",
)
@click.option("--rate", "rates", multiple=True, type=_Rate(), metavar="PROVIDER=N", help="Maximum requests per minute")
@click.option(
    "--base-url",
    metavar="URL",
    help="Address of an API like that of the runners' provider, for local models  [default: the provider's]",
)
@click.option(
    "--key-variable", metavar="NAME", help="Environment variable with the key for --base-url  [default: none is sent]"
)
@click.option(
    "--temperature", type=click.FloatRange(0, 2), default=0.0, show_default=True, help="For models that take one"
)
@eval_results.baseline_option
@eval_results.tolerance_option
@eval_results.store_option
@eval_results.json_option
@common.configured("trust", "output", formats=click.Choice(["text", "markdown", "json"]))
def eval_run(
    run: common.Run,
    target: str | None,
    queries: Path | None,
    runners: tuple[str, ...],
    dry_run: bool,
    max_cost: float | None,
    max_time: float,
    replay: bool,
    execute: bool,
    record: Path | None,
    seed: int | None,
    split: str | None,
    concurrency: int,
    rates: tuple[tuple[str, float], ...],
    base_url: str | None,
    key_variable: str | None,
    temperature: float,
    baseline: str | None,
    tolerated_drop: float | None,
    store: Path | None,
    json_out: Path | None,
) -> int:
    """Ask models for the right tool, from the descriptions alone.

    Every query of the set is sent to every runner with the tools as a host would offer them. Answers are kept, so that
    none is paid for twice: an interrupted run continues where it was.
    """
    if replay and dry_run:
        raise common.useless("--dry-run", "--replay")
    if execute and dry_run:
        raise common.useless("--execute", "--dry-run")
    end = time.monotonic() + max_time
    wanted = run.config.evaluation
    path = queries_path(queries, run)
    found = load_queries(path)
    split = split if split is not None else wanted.split or ""
    asked = _asked(found, split, path)
    if not (runners or replay or dry_run or max_cost is not None):
        _refuse_cost(run, target)
    settings = Settings(
        seed=seed if seed is not None else wanted.seed,
        replay=replay,
        max_cost=max_cost if max_cost is not None else wanted.max_cost,
        max_seconds=max_time,
        concurrency=concurrency,
        per_minute=dict(rates),
    )
    file, root = _record_place(record, run, written=not (replay or dry_run))
    # From the command line and the environment alone: a repository must not choose where a key is sent.
    options = Options(base_url=base_url, key_variable=key_variable, temperature=temperature, sends=not dry_run)
    live = _live_source(run, target) if execute else None
    surface = governed(run, target)
    _refuse_unknown(asked, surface, path)
    with eval_results.store_of(store, run) as opened:
        recorded = read_record(file) if file is not None and (replay or file.exists()) else None
        keeper = Keeper(opened, recorded, replay=replay)
        names = runners or (keeper.runners() if replay else ()) or wanted.runners or ("bm25",)
        made = _runners(names, keeper if replay else None, options, execute=execute)
        plain = _unanswered(surface, found, settings.seed, split)
        if dry_run:
            return _show_plan(plan(made, asked, plain.tools, settings, keeper), run)
        done = _evaluate(made, asked, plain, settings, keeper, run)
        evaluation = replace(
            plain, runs=done.runs, started=min((one.started for one in done.runs if one.started), default="")
        )
        if not any(one.answers for one in done.runs):
            raise NothingCheckedError(
                f"No query was answered: {one_line(done.runs[0].ended or 'nothing was asked', 200)}.",
                "Raise the limit, or look at the estimate: mcp-governor eval run --dry-run",
            )
        if live is not None:
            evaluation = _executed(evaluation, surface, live, run.config, seconds=end - time.monotonic())
        # Before the new evaluation is the last one itself.
        earlier = eval_results.baseline_of(baseline, opened, other_than=evaluation)
        result = eval_results.result_of(evaluation, earlier, run, tolerated_drop)
        if result.is_whole and not replay:
            opened.add(evaluation)
            if file is not None:
                write_file(file, record_text(evaluation), root=root)
    if json_out is not None:
        write_file(json_out, result.json)
    spent = f", ${done.dollars:.4f} spent" if done.dollars else ""
    said = Sentence(f"{done.asked} asked, {done.kept} kept{spent}.", "quiet"), Sentence(eval_results.next_step(result))
    result.write(run, [one for one in said if one.text])
    if replay and not execute and any(one.executed for one in result.assessment.measured):
        out.echo("The outcomes of calls are the recorded ones; to make the calls now, add --execute.", err=True)
    return result.code


def _runners(names: Sequence[str], replayed: Keeper | None, options: Options, *, execute: bool) -> list[Runner]:
    """The runners of these names; for a replay, as they were recorded."""
    if len(set(names)) < len(names):
        raise UsageError("A runner is named twice.", "Name each runner once.")
    made = [replayed.replayed(name) if replayed is not None else make_runner(name, options) for name in names]
    if execute and all(one.info.is_proxy for one in made):
        raise UsageError(
            "--execute has no effect with rankings alone, which choose no arguments.",
            "Name a model: --runner PROVIDER:MODEL",
        )
    return made


def _refuse_cost(run: common.Run, target: str | None) -> None:
    """Refuse models that only the configuration names, unless it limits their cost for a server that it names, too, or
    the user trusts it."""
    wanted, source = run.config.evaluation, run.source(target)
    paid = next((name for name in wanted.runners if ":" in name), None)
    if paid is None or run.config.trust_rules:
        return
    typed = not source.configured if isinstance(source, LiveSource) else target is not None
    if wanted.max_cost is None or typed:
        why = "about a TARGET that is typed" if typed else "without max-cost"
        raise UsageError(
            f"{one_line(paid, 60)} costs money, and {run.config.shown} alone names it, {why}; nothing was sent.",
            "Name it with --runner, limit the cost with --max-cost, or trust the repository with --trust.",
        )


def _record_place(typed: Path | None, run: common.Run, *, written: bool) -> tuple[Path | None, Path | None]:
    """The file of recorded answers, and the folder of the configuration that names it.

    One that will be written where the configuration may not write is refused before anything is paid for.
    """
    if typed is not None:
        return typed, None
    file, root = run.config.evaluation_record, run.config.root
    if file is not None and written:
        checked_place(file, root, str(file))
    return file, root


def _asked(found: QuerySet, split: str, path: Path) -> list[Query]:
    own = [query for query in found.queries if not query.tools_file]
    if len(own) < len(found.queries):
        number = count_of(len(found.queries) - len(own), "query", "queries")
        out.echo(f"{visible(str(path))}: {number} about other tools (tools_file) not asked.", err=True)
    asked = [query for query in own if not split or query.split == split]
    if not asked:
        raise NothingCheckedError(
            f"{visible(str(path))} has no query to ask{f' in the split {split}' if split else ''}.",
            "Write some, or draft them: mcp-governor eval init",
        )
    drafts = sum(query.draft for query in asked)
    if drafts:
        out.echo(f"{visible(str(path))}: {count_of(drafts, 'query', 'queries')} still marked as draft.", err=True)
    return asked


def _refuse_unknown(asked: Sequence[Query], surface: Surface, path: Path) -> None:
    """Refuse queries whose right tool the server does not have: every model would be wrong, and be paid for it."""
    unknown = [(query, name) for query in asked for name in query.gold if name not in surface.by_name]
    for query, name in unknown[:1]:
        shown = visible(str(path))
        others = len({one.line for one, _ in unknown}) - 1
        more = f" ({count_of(others, 'other query names', 'other queries name')} unknown tools)" if others else ""
        raise UsageError(
            f'{shown}:{query.line}: the server has no tool "{one_line(name, 80)}" (gold_tools){more}.'
            f"{did_you_mean(name, surface.by_name)}",
            f"Correct the set; this lists everything: mcp-governor eval check --queries {shown}",
        )


def _unanswered(surface: Surface, found: QuerySet, seed: int, split: str) -> Evaluation:
    """The evaluation before anybody is asked."""
    return Evaluation(
        queries=found,
        tools=tuple(sorted(offered_tools(surface), key=lambda tool: str(tool["name"]))),
        runs=(),
        fingerprint=fingerprint(surface),
        wording=wording_fingerprint(surface),
        server=one_line(" ".join(str(surface.server[k]) for k in ("name", "version") if surface.server.get(k)), 120),
        seed=seed,
        split=split,
    )


def make_runner(name: str, options: Options) -> Runner:
    """The runner of a name on the command line."""
    if ":" not in name:
        from mcp_governor.evaluation.proxies import Proxy

        return Proxy(name)
    from mcp_governor.evaluation.hosted import HostedRunner

    return HostedRunner(name, os.environ, options)


def _show_plan(plans: Sequence[Plan], run: common.Run) -> int:
    from mcp_governor.report.evaluation_picture import evaluation_lines

    if run.output.format == "json":
        common.write_json({"runners": msgspec.to_builtins(plans)}, run.output)
    else:
        common.write_lines(evaluation_lines(plan_blocks(plans)), run.output)
    return int(Exit.PASS)


def _evaluate(
    runners: Sequence[Runner],
    asked: Sequence[Query],
    plain: Evaluation,
    settings: Settings,
    keeper: Keeper,
    run: common.Run,
) -> Done:
    import anyio

    kept = 0

    def emit(progress: Progress) -> None:
        nonlocal kept
        kept = progress.done
        failed = f", {progress.failed} failed" if progress.failed else ""
        show(f"{kept} of {progress.total} answers ({progress.kept} kept{failed}), ${progress.dollars:.2f}")

    try:
        with progress_line(run.output.verbose) as show:
            return anyio.run(lambda: evaluate(runners, asked, plain.tools, settings, keeper, emit=emit))
    except KeyboardInterrupt:
        out.echo(f"{kept} answers are kept; the same command continues from there.", err=True)
        raise


def _live_source(run: common.Run, target: str | None) -> LiveSource:
    """The server whose tools ``--execute`` calls."""
    source = run.source(target)
    if not isinstance(source, LiveSource):
        raise UsageError(f"{source.shown} is a recording; --execute needs a live server.", "Name a live server.")
    return source


def _executed(
    evaluation: Evaluation, surface: Surface, source: LiveSource, config: Config, *, seconds: float
) -> Evaluation:
    """The evaluation with what came of its calls, of which none begins after these seconds.

    The configuration names tools that only read, for a server that it names as well or that the user trusts.
    """
    from mcp_governor import wire
    from mcp_governor.evaluation.end_to_end import execute_choices
    from mcp_governor.wire.duplex import run

    if any(one.ended is not None for one in evaluation.runs):
        out.echo("No calls were made, because the evaluation ended early.", err=True)
        return evaluation

    async def make() -> Evaluation:
        return await execute_choices(
            evaluation,
            surface,
            lambda: wire.connect(source.endpoint, limits=limits_of(source)),
            seconds=seconds,
            read_only=permitted(config, source, "read_only_tools").read_only_tools,
            timeout=source.timeout,
        )

    return run(make)
