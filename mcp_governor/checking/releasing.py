"""Plans a release of the schema changelog: what it would write, and if it is allowed."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcp_governor.change.wording import enumeration
from mcp_governor.changelog import parse, recorded_path
from mcp_governor.changelog import release as released
from mcp_governor.changelog.structure import candidates
from mcp_governor.checking.against.baseline import Baseline
from mcp_governor.checking.against.comparison import Comparison
from mcp_governor.checking.reading import with_schema_version
from mcp_governor.checking.run import check_surface
from mcp_governor.config.load import config_table, config_text
from mcp_governor.errors import UsageError
from mcp_governor.files import read_named, repository_of
from mcp_governor.findings import Bump
from mcp_governor.stage import Stage
from mcp_governor.surface import dump_surface, fingerprint
from mcp_governor.target.git_releases import name_of_tag
from mcp_governor.target.resolve import baseline_file
from mcp_governor.text import one_line, visible
from mcp_governor.version_sources.constants import shown_file
from mcp_governor.version_sources.model import Written
from mcp_governor.version_sources.projects import stating
from mcp_governor.versions import Numbered, next_version, same_version
from mcp_governor.writing import NewFile

if TYPE_CHECKING:
    from mcp_governor.checking.changelog_draft import OpenChangelog
    from mcp_governor.checking.model import Report
    from mcp_governor.config import Config


@dataclass(frozen=True)
class Plan:
    """A checked release that is not written yet.

    Attributes:
        version: without a leading ``v``.
        text: the new content of the changelog.
        report: from checking that content; if it fails, nothing may be written.
        after: true if ``report`` is that of the next check, whose baseline is the release.
        recordings: paths that will contain the surface.
        retired: ids of the acceptances that this release needed.
        files: everything to write; the changelog comes last, so that an interrupted run can be repeated.
        tag: the name of the tag.
        left: the lines of project files that still state the version before.
    """

    version: str
    text: str
    report: Report
    after: bool = False
    recordings: tuple[str, ...] = ()
    retired: tuple[str, ...] = ()
    files: tuple[NewFile, ...] = field(default=(), repr=False)
    tag: str = ""
    left: str = ""


def plan_release(opened: OpenChangelog, version: str | None) -> Plan:
    """Check a release and determine what it writes; without a version, it is that of the server.

    Raises:
        UsageError: this version cannot be released; the message names one that can, or the step that comes first.
        GovernorError: a document cannot be read.
    """
    version = (version or _version_of_now(opened)).strip()
    version = version[1:] if version[:1] in "vV" and Numbered.parse(version) is not None else version
    _refuse(opened, version)
    config, book = opened.config, opened.book
    day = date.today().isoformat() if config.changelog_options.date else None
    # Wording changes need no entry, and neither do changes that pre-releases cover: nothing would ever begin the
    # section.
    begin = bool(candidates(book, opened.before))
    begin = begin or all(change.bump is Bump.NONE or change.wording for change in opened.changes)
    text = released(book, version, day=day, fingerprint=fingerprint(opened.surface), begin=begin)
    # The future content is checked, because moving the marker is part of the release.
    book = parse(text, book.what)
    stage = Stage(config.policy.gate, version=version)
    report = check_surface(Comparison(opened.surface, config, opened.baseline, stage, book))
    if report.verdict == "fail":
        return Plan(version, text, report)
    itself = Baseline(version, with_schema_version(opened.surface, config, version=version))
    stage = replace(stage, at_release=config.policy.gate == "change")
    later = check_surface(Comparison(opened.surface, config, itself, stage, book))
    retired = _consumed(config, report, later)
    later = replace(later, findings=tuple(f for f in later.findings if f.value not in retired))
    if later.verdict == "fail":
        return Plan(version, text, later, after=True)
    return _plan(opened, version, text, report, retired)


def _version_of_now(opened: OpenChangelog) -> str:
    """The version of the server, if it can be released."""
    now = opened.expected.text
    if now is not None and opened.moved and not opened.expected.tagged:
        return now
    if opened.proposed is Bump.NONE and opened.before is not None:
        raise UsageError(
            f"There is nothing to release: nothing has changed for clients since {opened.before}.",
            "To release a version anyway, name it: mcp-governor changelog release VERSION",
        )
    if opened.goal is None or opened.before is None:
        raise UsageError(
            "No version to release was given, and the next one cannot be computed from the last release.",
            "Name the version: mcp-governor changelog release VERSION",
        )
    raise UsageError(
        f"No version to release was given. The changes since {opened.before} make a {opened.proposed.value} step.",
        f"Release them with: mcp-governor changelog release {opened.goal}",
    )


def _refuse(opened: OpenChangelog, version: str) -> None:
    """Refuse a version without any check: it is already released, too small, or not the server's."""
    parsed, shown = Numbered.parse(version), one_line(version, 60)
    if parsed is None:
        return  # reported by the release itself
    if parsed in opened.tags:
        more = _proposal(opened)
        raise UsageError(f"{shown} is released already (tag {visible(opened.tags[parsed])}).", more)
    now, last = opened.expected, Numbered.parse(opened.before or "")
    if last is not None and parsed < last:
        raise UsageError(f"{shown} is older than {opened.before}, which is released.", _proposal(opened))
    if opened.counts and opened.before is not None and opened.needed is not Bump.NONE and not opened.enough(version):
        fitting = next_version(opened.before, opened.needed)
        raise UsageError(
            f"{shown} is too small: the changes since {opened.before} need a {opened.needed.value} step.",
            f"Release them with: mcp-governor changelog release {fitting}",
        )
    if now.text is None or now.tagged or same_version(now.text, version):
        return
    other = Numbered.parse(now.text)
    if other is not None and other > parsed and opened.moved and opened.enough(now.text):
        raise UsageError(
            f"{shown} is not the current version: {now.source} says {now.text}.",
            f"Release that with: mcp-governor changelog release {now.text}",
        )
    also = _stating(opened.config, now.text, now.place, now.written)
    then = f"Set it in {also} as well, and run this again." if also else "Then run this again."
    raise UsageError(f"{shown} cannot be released yet: {now.lags(version)}.", then)


def _stating(config: Config, version: str | None, *known: Written | None) -> str:
    """The lines of project files that state a version, but for those that are ``known``."""
    places = []
    for stated in stating(config.root, version) if version else ():
        place = Written(shown_file(stated.file, config.root), stated.line or 0)
        if place not in known:
            places.append(str(place) if stated.line else place.file)
    return enumeration(list(dict.fromkeys(places)))


def _proposal(opened: OpenChangelog) -> str:
    if opened.needed is Bump.NONE or opened.before is None:
        return "Nothing has changed for clients since."
    if not opened.counts:
        return "Name the version that comes next."
    return (
        f"Release what changed since with: mcp-governor changelog release {next_version(opened.before, opened.needed)}"
    )


def _consumed(config: Config, now: Report, later: Report) -> tuple[str, ...]:
    """The acceptances that this release needs and the next check does not, by the ids that they accept."""
    needed, left = _ids(now), _ids(later)
    return tuple(
        one.finding for one in config.accept if not one.released and one.finding in needed and one.finding not in left
    )


def _ids(report: Report) -> set[str]:
    found = {one.id for one in report.findings if not one.rule.startswith("policy/acceptance-")}
    return found | {change.id for change in report.changes}


def _plan(opened: OpenChangelog, version: str, text: str, report: Report, retired: tuple[str, ...]) -> Plan:
    from mcp_governor.policy.accepting import retire_acceptances

    config, path = opened.config, opened.config.path
    recorded = dump_surface(with_schema_version(opened.surface, config, version=version))
    recordings = (recorded_path(config.changelog_options.surfaces, version), *_stale_baseline(config, recorded))
    files = [NewFile(config.resolve(name), recorded, config.root, name) for name in recordings]
    if retired and path is not None:
        old = config_text(path)
        new = retire_acceptances(old, retired, version, table=config_table(path), what=visible(path.name))
        files.append(NewFile(path, new, config.root, path.name, expected=old.encode()))
    files.append(new_changelog(opened, text))
    tag, left = _tag(opened, version), _stating(config, opened.before)
    return Plan(version, text, report, False, recordings, retired, tuple(files), tag, left)


def _stale_baseline(config: Config, text: str) -> list[str]:
    """The repository's own surface file, if it has another surface: the next change is compared with it."""
    name = baseline_file(config)
    path = config.resolve(name)
    if not path.exists():
        return []
    return [name] if read_named(path, visible(name)) != text.encode("utf-8", "backslashreplace") else []


def new_changelog(opened: OpenChangelog, text: str) -> NewFile:
    """The new content of the changelog, written only if the file is unchanged: authors edit it as well."""
    config = opened.config
    path = config.resolve(config.changelog)
    expected = opened.book.text.encode() or (b"" if path.exists() else None)
    return NewFile(path, text, config.root, config.changelog, expected=expected)


def _tag(opened: OpenChangelog, version: str) -> str:
    """The name of the tag, in the style of the project's last release tag. Without one, a project in a folder of a
    repository gets the folder's name: a version alone would be that of every project there."""
    root, last = opened.config.root.resolve(), max(opened.tags, default=None)
    tag = opened.tags[last] if last is not None else ""
    own = name_of_tag(tag) or Numbered.parse(opened.before or "") in opened.tags
    if root != repository_of(root) and not own:
        return f"{root.name}-{version}"
    return tag.removesuffix(last.text) + version if last is not None and tag.endswith(last.text) else f"v{version}"
