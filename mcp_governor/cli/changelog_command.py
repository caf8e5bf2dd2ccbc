"""``mcp-governor changelog``: check, draft, release, diff, show."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

import click

from mcp_governor.cli import common, out
from mcp_governor.cli.common import write_text
from mcp_governor.cli.groups import Group
from mcp_governor.errors import Exit
from mcp_governor.text import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.checking.changelog_draft import OpenChangelog
    from mcp_governor.checking.releasing import Plan


@click.group(cls=Group)
def changelog() -> None:
    """Check, draft and release the schema changelog."""


@changelog.command(cls=common.TargetCommand)
@common.target_argument
@common.against_option
@click.option("--offline", is_flag=True, help="Check against the recorded surface; start, fetch and import nothing")
@common.reporting(isolated=False)
def check(run: common.Run, target: str | None, against: str | None, offline: bool) -> int:
    """Check that the changelog mentions every change, and its sections, version and fingerprint.

    With --offline, the recorded surface file is compared with the same file at the latest release tag, or at HEAD if
    there is no tag, as in "mcp-governor check --offline".
    """
    from mcp_governor.checking.changelog import load_changelog
    from mcp_governor.checking.model import Asked
    from mcp_governor.checking.run import check_changelog

    load_changelog(run.config)
    if offline:
        common.refuse_server_options(run.config)
    places = offline and common.places_wanted(run.output)
    asked = Asked(target=target, command=common.server_command(), against=against, offline=offline, places=places)
    return common.deliver(check_changelog(asked, run.config), run)


_live = click.option(
    "--live",
    is_flag=True,
    help="Start the server even if mcp-surface.json was committed with the sources that are here",
)


def _opened(run: common.Run, target: str | None, against: str | None, *, live: bool) -> OpenChangelog:
    """The changelog with its surfaces. The server is not started where its recording is of this commit."""
    from mcp_governor.checking.changelog_draft import open_changelog

    opened = open_changelog(
        run.config, run.source(target), against, live=live or bool(run.config.launch.with_ or run.config.launch.env)
    )
    if opened.recording:
        out.echo(
            f"{visible(opened.recording)} is of this commit, so the server was not started; --live starts it.", err=True
        )
    return opened


@changelog.command(cls=common.TargetCommand)
@common.target_argument
@common.against_option
@click.option("--for", "version", metavar="VERSION", help="Version to draft for  [default: as the changes require]")
@click.option("--diff", "show_diff", is_flag=True, help="Show what would be written; write nothing")
@click.option("--check", "only_check", is_flag=True, help="Exit with 1 if something is missing; write nothing")
@_live
@common.configured(isolated=False)
def draft(
    run: common.Run,
    target: str | None,
    against: str | None,
    version: str | None,
    show_diff: bool,
    only_check: bool,
    live: bool,
) -> int:
    """Write the missing entries for the detected changes; existing text is kept.

    An entry that was drafted since the last release, that nobody edited and that is no longer true is replaced or
    removed. Released sections are never changed.

    With policy.gate = "release", the entries go under "## Unreleased" until the release; otherwise into the section of
    the version that the changes require.
    """
    from mcp_governor.checking.changelog_draft import draft_changelog
    from mcp_governor.checking.releasing import new_changelog
    from mcp_governor.report.groups import count_of
    from mcp_governor.writing import locked, write_files

    opened = _opened(run, target, against, live=live)
    drafted = draft_changelog(opened, version)
    changed = drafted.text != opened.book.text
    if show_diff and changed:
        _show_diff(run, opened.config.changelog, opened.book.text, drafted.text)
    if not changed:
        out.echo(_nothing_written(opened))
    elif not (show_diff or only_check):
        with locked(opened.config.root):
            write_files(new_changelog(opened, drafted.text))
        where = f"for {visible(drafted.version)}" if drafted.version else "under Unreleased"
        said = f"{opened.config.changelog}: {count_of(drafted.missing, 'entry', 'entries')} drafted {where}"
        if old := drafted.outdated:
            verb = "was" if old == 1 else "were"
            said += f", {count_of(old, 'entry', 'entries')} removed that {verb} drafted and no longer true"
        out.echo(f"{said}.")
        out.echo(drafted.advice)
    return int(Exit.FINDINGS if only_check and changed else Exit.PASS)


def _nothing_written(opened: OpenChangelog) -> str:
    """That nothing is to be drafted, and what a check finds all the same, which only the author can correct."""
    from mcp_governor.checking.against.comparison import Comparison
    from mcp_governor.checking.against.last_release import stage_of
    from mcp_governor.checking.run import changelog_report

    name = opened.config.changelog
    if opened.book.text:
        stage = stage_of(opened.config, opened.surface)
        left = changelog_report(Comparison(opened.surface, opened.config, opened.baseline, stage)).failing_findings
        if left:
            more = f" ({len(left) - 1} more: mcp-governor changelog check)" if len(left) > 1 else ""
            where, why, fix = (
                visible(text, keep_newlines=True) for text in (left[0].path, left[0].message, left[0].fix)
            )
            return f"{name} lacks no entry, but a check fails at {where}: {why}{more}\nNext: {fix}"
    return f"{name} needs no change."


def _show_diff(run: common.Run, name: str, before: str, after: str) -> None:
    lines = difflib.unified_diff(before.splitlines(keepends=True), after.splitlines(keepends=True), name, name)
    write_text("".join(f"{visible(line.rstrip())}\n" for line in lines), run.output, form="text")


@changelog.command(cls=common.TargetCommand)
@click.argument("version", required=False)
@common.target_argument
@common.against_option
@click.option("--diff", "show_diff", is_flag=True, help="Show what would be written; write nothing")
@click.option("--check", "only_check", is_flag=True, help="Check that it can be released; write nothing")
@_live
@common.reporting("trust", isolated=False)
def release(
    run: common.Run,
    version: str | None,
    target: str | None,
    against: str | None,
    show_diff: bool,
    only_check: bool,
    live: bool,
) -> int:
    """Release VERSION: make its section the current one, and record its surface.

    VERSION is optional if the server already reports it. "## Unreleased" becomes the section of VERSION. Acceptances
    that this release needed are marked as released. Nothing is written if the check fails, or would fail once
    VERSION is tagged. To finish the release, commit the files and tag the commit.
    """
    from mcp_governor.checking.changelog import load_changelog
    from mcp_governor.checking.releasing import plan_release
    from mcp_governor.writing import locked, write_files

    load_changelog(run.config)
    opened = _opened(run, target, against, live=live)
    plan = plan_release(opened, version)
    shown, name = visible(plan.version), opened.config.changelog
    if plan.report.verdict == "fail":
        common.deliver(plan.report, run)
        why = f"the check would fail once {shown} is tagged" if plan.after else "the check fails"
        out.echo(f"{shown} was not released because {why}; nothing was written.", err=True)
        return int(Exit.FINDINGS)
    if show_diff and plan.text != opened.book.text:
        _show_diff(run, name, opened.book.text, plan.text)
    if show_diff or only_check:
        out.echo("\n".join((*_unmentioned_wording(plan), f"{shown} can be released.")), err=show_diff)
        return int(Exit.PASS)
    with locked(opened.config.root):
        write_files(*plan.files)
    out.echo(f"{name}: {shown} is the current release.")
    records = "records its surface" if len(plan.recordings) == 1 else "record its surface"
    out.echo(f"{visible(' and '.join(plan.recordings))} {records}.")
    if plan.retired:
        count = len(plan.retired)
        marked = "1 acceptance is" if count == 1 else f"{count} acceptances are"
        out.echo(f"{opened.config.shown}: {marked} marked as released.")
    if plan.left:
        out.echo(f"The version before this, {visible(opened.before or '')}, is still in {plan.left}.")
    out.echo(
        "\n".join((*_unmentioned_wording(plan), f"Next: commit these files, and tag the commit {visible(plan.tag)}."))
    )
    return int(Exit.PASS)


_WORDING_SHOWN = 5
"""Entries about new words that a release suggests: enough for whoever wants to write them, little for whoever not."""


def _unmentioned_wording(plan: Plan) -> Iterator[str]:
    """The entries about new words alone that the section could have; after the tag nobody can add them."""
    left = [one for one in plan.report.findings if one.rule == "changelog/missing-wording-entry"]
    if not left:
        return
    count = "1 change of wording is" if len(left) == 1 else f"{len(left):,} changes of wording are"
    yield f"{count} not mentioned. If clients should know, add before you commit:"
    yield from (f"  {visible(one.fix)}" for one in left[:_WORDING_SHOWN])
    if len(left) > _WORDING_SHOWN:
        yield f"  … and {len(left) - _WORDING_SHOWN:,} more"


@changelog.command()
@click.argument("old")
@click.argument("new")
@common.configured("output", isolated=False)
def diff(run: common.Run, old: str, new: str) -> None:
    """Print the release note between two released versions, from their surfaces and the changelog."""
    from mcp_governor.changelog import named_section, release_note
    from mcp_governor.checking.changelog import load_changelog, surface_of_release
    from mcp_governor.checking.reading import changes_between

    config = run.config
    book = load_changelog(config)
    old, new = named_section(book, old).title, named_section(book, new).title
    before, after = surface_of_release(config, old), surface_of_release(config, new)
    changes = None
    tools: set[str] = set()
    if before is not None and after is not None:
        changes = changes_between(before, after, config)
        tools = set(before.by_name) | set(after.by_name)
    write_text(release_note(book, old, new, changes=changes, tools=tools), run.output)
    if changes is None:
        out.echo("Only the changelog text was compared, because the surface of one version is not recorded.", err=True)


@changelog.command()
@click.argument("version", default="current")
@common.configured("output", isolated=False)
def show(run: common.Run, version: str) -> None:
    """Print the section of VERSION, "current" or "unreleased"."""
    from mcp_governor.changelog import show as shown
    from mcp_governor.checking.changelog import load_changelog

    write_text(visible(shown(load_changelog(run.config), version), keep_newlines=True), run.output)
