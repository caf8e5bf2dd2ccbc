"""``mcp-governor changelog``: check, draft, release, diff, show."""

from __future__ import annotations

import difflib
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from mcp_governor.cli import out
from mcp_governor.cli.common import (
    Run,
    TargetCommand,
    configured,
    deliver,
    reporting,
    target_argument,
    write_text,
)
from mcp_governor.errors import Exit, FileFormatError, UsageError
from mcp_governor.files import list_files, read_bytes
from mcp_governor.frozen import frozen
from mcp_governor.text import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_governor.change import Change
    from mcp_governor.changelog import Changelog
    from mcp_governor.config import Config
    from mcp_governor.surface import Surface
    from mcp_governor.target import Baseline
    from mcp_governor.versions import Numbered
    from mcp_governor.writing import NewFile

_MAX_RECORDINGS = 10_000
"""Recorded releases that a folder may hold: a release every day for 27 years."""


@click.group()
def changelog() -> None:
    """The schema changelog, held to the surface."""


@changelog.command(cls=TargetCommand)
@target_argument
@click.option("--against", metavar="TARGET", help="Compare with this instead of the configured baseline.")
@reporting()
def check(run: Run, target: str | None, against: str | None) -> int:
    """Check the changelog: sections, version, fingerprint, and that every change is told."""
    from mcp_governor.checking.changelog import load_changelog
    from mcp_governor.checking.reading import read_governed
    from mcp_governor.checking.run import changelog_report
    from mcp_governor.checking.stage import stage_of
    from mcp_governor.target import read_baseline

    load_changelog(run.config)
    source = run.source(target)
    surface = read_governed(source, run.config)
    stage = stage_of(run.config, surface)
    baseline = read_baseline(run.config, against, source=source, stage=stage)
    report = changelog_report(surface, baseline, run.config, stage=stage)
    return deliver(report, run.output)


@frozen(slots=False)
class _Desk:
    """A changelog with the surfaces that it tells of."""

    config: Config
    book: Changelog
    surface: Surface
    baseline: Baseline | None
    changes: Sequence[Change]

    @property
    def tools(self) -> set[str]:
        old = set(self.baseline.surface.by_name) if self.baseline else set()
        return old | set(self.surface.by_name)


def _desk(run: Run, target: str | None, against: str | None) -> _Desk:
    from mcp_governor.changelog import parse
    from mcp_governor.checking.changelog import load_changelog
    from mcp_governor.checking.options import changes_between
    from mcp_governor.checking.reading import read_governed
    from mcp_governor.config import DEFAULT_CHANGELOG
    from mcp_governor.target import read_baseline

    config = run.config
    if config.changelog and config.resolve(config.changelog).exists():
        book = load_changelog(config)
    else:
        config = replace(config, changelog=config.changelog or DEFAULT_CHANGELOG)
        book = parse("", config.changelog)
    source = run.source(target)
    surface = read_governed(source, config)
    baseline = read_baseline(config, against, source=source)
    changes: list[Change] = []
    if baseline is not None:
        changes = changes_between(baseline.surface, surface, config)
    return _Desk(config, book, surface, baseline, changes)


def _next_version(desk: _Desk) -> str:
    """The version that the draft speaks of: the one the surface has, or, where that is still the baseline's, the
    next one that its changes need."""
    from mcp_governor.changelog import baseline_version, schema_version
    from mcp_governor.findings import Bump
    from mcp_governor.policy.model import required_step
    from mcp_governor.version_steps import Scheme, needed_step, next_version, same_version, scheme_of

    spec = desk.config.schema_version
    expected = schema_version(spec, desk.surface, desk.config.root, config=desk.config.path)
    now = expected.text
    before = baseline_version(spec, desk.baseline.surface, desk.book, expected) if desk.baseline else None
    section = desk.book.current
    if section is not None and not section.unreleased and now is None:
        return section.version_text
    if now is None:
        raise UsageError("The server reports no version.", 'Set schema-version = "1.0.0" in the configuration.')
    if before is None or not same_version(now, before) or scheme_of(now) not in (Scheme.SEMVER, Scheme.NUMBERED):
        return now
    policy = desk.config.policy
    steps = [required_step(change, unknown=policy.unknown) for change in desk.changes]
    needed = needed_step(Bump.highest(steps), before, zero_policy=policy.zero_policy)
    return now if needed is Bump.NONE else next_version(before, needed)


@changelog.command(cls=TargetCommand)
@target_argument
@click.option("--against", metavar="TARGET", help="Compare with this instead of the configured baseline.")
@click.option("--for", "version", metavar="VERSION", help="The version to draft for. Default: what the surface needs.")
@click.option("--diff", "show_diff", is_flag=True, help="Show what would be written, write nothing.")
@click.option("--check", "only_check", is_flag=True, help="Write nothing; exit 1 where something is missing.")
@configured()
def draft(
    run: Run, target: str | None, against: str | None, version: str | None, show_diff: bool, only_check: bool
) -> int:
    """Write the missing entries from the detected changes; the author's text stays as it is."""
    from mcp_governor.changelog import draft as drafted
    from mcp_governor.surface import fingerprint

    desk = _desk(run, target, against)
    told = version or _next_version(desk)
    text = drafted(
        desk.book,
        desk.changes,
        version=told,
        fingerprint=fingerprint(desk.surface),
        tools=desk.tools,
        replacements=_replacements(desk),
        released=_released(desk),
    )
    return _settle(desk.config, desk.book, text, run, show_diff=show_diff, only_check=only_check)


def _replacements(desk: _Desk) -> dict[str, str]:
    """For tools that go: the replacement that their deprecation named, empty where it said that there is none."""
    if desk.baseline is None:
        return {}
    return {
        tool.name: tool.deprecation.replacement or ""
        for tool in desk.baseline.surface.tools
        if tool.deprecation is not None and (tool.deprecation.replacement or tool.deprecation.nothing)
    }


def _released(desk: _Desk) -> frozenset[Numbered]:
    """The versions that are known to be out: tagged, recorded, or the baseline's; none where nobody keeps account."""
    from mcp_governor.target.git import released_versions
    from mcp_governor.versions import Numbered

    folder = desk.config.resolve(desk.config.changelog_options.surfaces)
    recorded = list_files(folder, ".json", most=_MAX_RECORDINGS) if folder.is_dir() else []
    known = {Numbered.parse(file.stem) for file in recorded} | set(released_versions(desk.config.root))
    if known and desk.baseline is not None:
        known.add(Numbered.parse(desk.baseline.surface.version or ""))
    return frozenset(version for version in known if version is not None)


def _settle(config: Config, book: Changelog, text: str, run: Run, *, show_diff: bool, only_check: bool) -> int:
    """Show, refuse or write the new text."""
    from mcp_governor.writing import locked, write_files

    changed = text != book.text
    if show_diff or only_check:
        if show_diff and changed:
            before, after = book.text.splitlines(keepends=True), text.splitlines(keepends=True)
            lines = difflib.unified_diff(before, after, config.changelog, config.changelog)
            write_text("".join(f"{visible(line.rstrip())}\n" for line in lines), run.output)
        elif not changed:
            out.echo(f"{config.changelog} needs no change.")
        return int(Exit.FINDINGS if only_check and changed else Exit.PASS)
    if not changed:
        out.echo(f"{config.changelog} needs no change.")
        return int(Exit.PASS)
    with locked(config.root):
        write_files(_new_text(config, book, text))
    out.echo(f"{config.changelog} is written.")
    return int(Exit.PASS)


@changelog.command(cls=TargetCommand)
@click.argument("version")
@target_argument
@click.option("--against", metavar="TARGET", help="Compare with this instead of the configured baseline.")
@click.option("--diff", "show_diff", is_flag=True, help="Show what would be written, write nothing.")
@click.option("--check", "only_check", is_flag=True, help="Write nothing; only see whether it could be released.")
@reporting("trust")
def release(run: Run, version: str, target: str | None, against: str | None, show_diff: bool, only_check: bool) -> int:
    """Release VERSION: move the marker and record the surface; refused while its check fails."""
    from datetime import date

    from mcp_governor.changelog import parse, recorded_path
    from mcp_governor.changelog import release as released
    from mcp_governor.checking.changelog import load_changelog
    from mcp_governor.checking.reading import read_governed, trusting, with_schema_version
    from mcp_governor.checking.run import check_surface
    from mcp_governor.surface import dump_surface
    from mcp_governor.target import read_baseline
    from mcp_governor.writing import NewFile, locked, write_files

    config = run.config
    book = load_changelog(config)
    text = released(book, version, day=date.today().isoformat() if config.changelog_options.date else None)
    source = run.source(target)
    surface = read_governed(source, config)
    # What is checked is what would be written: moving the marker is the release's own work.
    config = trusting(config, source)
    baseline = read_baseline(config, against, source=source)
    report = check_surface(surface, baseline, config, changelog=parse(text, book.what))
    if report.verdict == "fail":
        deliver(report, run.output)
        out.echo(f"{visible(version)} is not released: the check fails; nothing was written.", err=True)
        return int(Exit.FINDINGS)
    if show_diff or only_check:
        _settle(config, book, text, run, show_diff=show_diff, only_check=only_check)
        return int(Exit.PASS)
    where = recorded_path(config.changelog_options.surfaces, version)
    recorded = dump_surface(with_schema_version(surface, config, version=version.removeprefix("v")))
    recordings = [where, *_stale_baseline(config, recorded)]
    # The marker last: a run that was killed before it can be made again.
    with locked(config.root):
        write_files(
            *(NewFile(config.resolve(name), recorded, config.root, name) for name in recordings),
            _new_text(config, book, text),
        )
    out.echo(f"{config.changelog} is written.")
    records = "records its surface" if len(recordings) == 1 else "record its surface"
    tag = f"v{version.removeprefix('v')}"
    out.echo(f"{visible(' and '.join(recordings))} {records}. Commit what changed, then tag {visible(tag)}.")
    return int(Exit.PASS)


def _stale_baseline(config: Config, text: str) -> list[str]:
    """The repository's own surface file, where it holds another surface: the next change is compared with it."""
    from mcp_governor.target.resolve import baseline_file

    name = baseline_file(config)
    path = config.resolve(name)
    try:
        return [name] if read_bytes(path) != text.encode("utf-8", "backslashreplace") else []
    except FileNotFoundError:
        return []
    except OSError as error:
        raise FileFormatError(f"{visible(name)} cannot be read: {error.strerror}.", "Check the path.") from None


def _new_text(config: Config, book: Changelog, text: str) -> NewFile:
    """The changelog as it will be, if it still is what was read: authors edit it as well."""
    from mcp_governor.writing import NewFile

    path = config.resolve(config.changelog)
    expected = book.text.encode() or (b"" if path.exists() else None)
    return NewFile(path, text, config.root, config.changelog, expected=expected)


@changelog.command()
@click.argument("old")
@click.argument("new")
@configured("output")
def diff(run: Run, old: str, new: str) -> None:
    """Compare two released versions, surface and text side by side: the release note."""
    from mcp_governor.changelog import compare_releases, named_section
    from mcp_governor.checking.changelog import load_changelog, surface_of_release
    from mcp_governor.checking.options import changes_between

    config = run.config
    book = load_changelog(config)
    old, new = named_section(book, old).title, named_section(book, new).title
    before, after = surface_of_release(config, old), surface_of_release(config, new)
    changes = None
    tools: set[str] = set()
    if before is not None and after is not None:
        changes = changes_between(before, after, config)
        tools = set(before.by_name) | set(after.by_name)
    comparison = compare_releases(book, old, new, changes=changes, tools=tools)
    write_text(comparison.as_markdown(), run.output)
    if not comparison.with_surfaces:
        out.echo("Only the text is compared: the surface of one of them is not recorded.", err=True)


@changelog.command()
@click.argument("version", default="current")
@configured("output")
def show(run: Run, version: str) -> None:
    """Print the section of VERSION, "current" or "unreleased"."""
    from mcp_governor.changelog import show as shown
    from mcp_governor.checking.changelog import load_changelog

    write_text(visible(shown(load_changelog(run.config), version), keep_newlines=True), run.output)
