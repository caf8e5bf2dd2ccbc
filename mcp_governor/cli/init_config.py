"""The files that ``init`` begins a governed repository with: configuration, baseline, changelog, known findings."""

from __future__ import annotations

import contextlib
import os
import shlex
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from mcp_governor.config import DEFAULT_CHANGELOG, OWN_FILE, Config
from mcp_governor.errors import GovernorError
from mcp_governor.target import SURFACE_FILE
from mcp_governor.text import one_line, toml_key, toml_value, visible
from mcp_governor.versions import Numbered
from mcp_governor.writing import NewFile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_governor.cli.init_plan import Plan
    from mcp_governor.findings import Finding
    from mcp_governor.surface import Surface
    from mcp_governor.version_sources import Suggestion

_KNOWN_FILE = "mcp-lint-baseline.json"


class FirstFiles(NamedTuple):
    """What ``init`` begins with.

    Attributes:
        files: what is missing and will be written.
        summary: what to say of each file, written or left alone.
        version: why the version is not the one that the server reports, and where it is taken from; that commits
            after its tag may have added to it; else empty.
        verdict: one line about the findings of today.
    """

    files: list[NewFile]
    summary: list[tuple[str, str]]
    version: str
    verdict: str


def first_files(plan: Plan, surface: Surface, config: Config, *, live: Surface, force: bool) -> FirstFiles:
    """The files of a repository that nothing governs yet.

    Args:
        plan: what is governed.
        surface: the baseline.
        config: what the written configuration will say.
        live: what the server publishes now, where the baseline is another one.
        force: replace the files that are there.
    """
    from mcp_governor.changelog import recorded_path
    from mcp_governor.changelog.editing import first_changelog
    from mcp_governor.checking.settings import lint_settings
    from mcp_governor.rules.run import lint
    from mcp_governor.surface import dump_surface
    from mcp_governor.version_sources import SERVER_INFO, suggest_source

    root = plan.root
    suggested = suggest_source(surface, root)
    version = suggested.version.text or suggested.spec
    stated = None if suggested.spec == SERVER_INFO else (version, suggested.version.count)
    found = lint(live, lint_settings(config))
    known = _known_findings(found)
    recorded = "it is now" if surface is live else f"recorded in {one_line(surface.source, 60)}"
    text = dump_surface(replace(surface, stated=stated))
    files = {
        OWN_FILE: (_config_text(plan, suggested, bool(known)), "the configuration"),
        SURFACE_FILE: (text, f"the baseline: the surface as {recorded}"),
        DEFAULT_CHANGELOG: (first_changelog(surface, version), f"the schema changelog, starting at {visible(version)}"),
    }
    past = "" if surface is not live else _past_release(plan, surface, version)
    if Numbered.parse(version) is not None and not past:
        # As a release records it: a clone without history has what this version published.
        files[recorded_path(config.changelog_options.surfaces, version)] = (
            text,
            f"the same surface, recorded for {version}",
        )
    if known:
        files[_KNOWN_FILE] = (known, "the current lint errors, which do not fail the check")
    there = {name for name in files if os.path.lexists(root / name)}
    new = [NewFile(root / name, text, root, name) for name, (text, _) in files.items() if force or name not in there]
    kept = "replaced" if force else "exists, not changed"
    summary = [
        (name, what if name not in there else f"{kept}: {what}" if force else kept) for name, (_, what) in files.items()
    ]
    return FirstFiles(new, summary, "\n".join(filter(None, (_version(suggested), past))), _verdict(found))


def _past_release(plan: Plan, surface: Surface, version: str) -> str:
    """That the surface may have more than the release of its version published, and how to begin with that; else
    empty."""
    from mcp_governor.target.discover.node import read_json
    from mcp_governor.target.discover.python_projects import PythonProject
    from mcp_governor.target.git_releases import changed_since, release_tags

    parsed, tag = Numbered.parse(version), ""
    if parsed is not None and surface.release is None and "url" not in plan.keys:
        with contextlib.suppress(GovernorError):
            tag = release_tags(plan.root).get(parsed, "")
    if not tag or not changed_since(plan.root, tag):
        return ""
    npm = read_json(plan.root / "package.json").get("name")
    python = PythonProject(plan.root, plan.root).name
    package = f"pypi:{python}=={version}" if python else f"npm:{npm}@{version}" if npm else "PACKAGE"
    file = f"{version}.json"
    return (
        f"HEAD is past {visible(tag)}, so this surface is not recorded for {visible(version)}. To begin with what that "
        f"published, run: mcp-governor snapshot {shlex.quote(one_line(package))} -o {shlex.quote(file)}, then this "
        f"init again with: --force --from {shlex.quote(file)}"
    )


def _known_findings(found: Sequence[Finding]) -> str:
    """The lint baseline, where today's surface has findings that would fail; empty if it has none."""
    from mcp_governor.findings import Severity
    from mcp_governor.rules import dump_baseline

    failing = [finding for finding in found if finding.severity is Severity.ERROR]
    return dump_baseline(failing) if failing else ""


def _version(suggested: Suggestion) -> str:
    """Why the version is not the one that the server reports, and where it is taken from."""
    if not suggested.reason:
        return ""
    version = visible(suggested.version.text or suggested.spec)
    where = "written into the configuration" if version == suggested.spec else f"taken from {visible(suggested.spec)}"
    return f"{suggested.reason} Its version is {where}: {version}."


def _verdict(found: Sequence[Finding]) -> str:
    """One line about the findings of today."""
    from mcp_governor.findings import Severity
    from mcp_governor.report.groups import count_of

    errors = sum(finding.severity is Severity.ERROR for finding in found)
    warnings = sum(finding.severity is Severity.WARNING for finding in found)
    counts = [count_of(number, word) for number, word in ((errors, "error"), (warnings, "warning")) if number]
    if not counts:
        return "Lint found no problems."
    known = ""
    if errors:
        known = (
            "; the error is in the baseline and does not fail the check"
            if errors == 1
            else "; the errors are in the baseline and do not fail the check"
        )
    return f"Lint found {' and '.join(counts)}{known}. List them with: mcp-governor lint"


def _config_text(plan: Plan, version: Suggestion, known: bool) -> str:
    """The configuration: what differs from the defaults, and why."""
    lines = [
        "# Configuration of mcp-governor; `mcp-governor schema config` prints all keys.",
        f"target = {toml_value(plan.target)}",
    ]
    lines.append(f"# The baseline is {SURFACE_FILE} at the latest release tag, or the file itself if there is no tag.")
    if version.reason:
        lines += [f"# {version.reason}", f"schema-version = {toml_value(version.spec)}"]
    if plan.keys:
        lines += [
            "",
            f"[servers.{toml_key(plan.name)}]",
            *(f"{key} = {toml_value(value)}" for key, value in plan.keys.items()),
        ]
    lines += [
        "",
        "[policy]",
        "# Between releases, changes are listed under ## Unreleased; the version is checked at a release.",
    ]
    lines += ['gate = "release"']
    if known:
        lines += ["", "[lint]", f"baseline = {toml_value(_KNOWN_FILE)}"]
    return "\n".join(lines) + "\n"
