"""Is a run between releases, or at one?"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from mcp_governor.checking.against.last_release import recordings
from mcp_governor.errors import GovernorError
from mcp_governor.files import MAX_TEXT_BYTES, read_bytes
from mcp_governor.rule_names import note
from mcp_governor.stage import Stage
from mcp_governor.surface import parse_surface
from mcp_governor.target.git import file_at
from mcp_governor.target.git_releases import first_held, release_of_head, release_tag
from mcp_governor.text import visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_governor.config import Config
    from mcp_governor.surface import Surface


def stage_of(
    config: Config, surface: Surface, *, release: bool = False, environ: Mapping[str, str] | None = None
) -> Stage:
    """The stage of a run over a surface: between releases or at one.

    Runs at a release are those that say so (``release``), those with ``policy.gate = "change"``, and builds of a
    release tag: CI names the tag (GitHub and GitLab), or HEAD has it and nothing has changed since. A work tree whose
    surface or changelog has changed since its tag is between releases again. If git fails there is no tag; whatever
    needs git reports the failure.
    """
    tag = None
    # A tag at the commit of a pull request makes no release of it.
    if not (config.isolated or config.base):
        tag = _named_by_ci(config, os.environ if environ is None else environ) or _built_here(config, surface) or None
    gate = config.policy.gate
    return Stage(gate, at_release=release or tag is not None or gate == "change", tag=tag, asked=release)


def _named_by_ci(config: Config, environ: Mapping[str, str]) -> str:
    """The release tag that CI builds; empty if there is none, or if it belongs to another package."""
    name = environ.get("CI_COMMIT_TAG", "")
    if not name and environ.get("GITHUB_REF_TYPE") == "tag":
        name = environ.get("GITHUB_REF_NAME", "")
    tag = ""
    with contextlib.suppress(GovernorError):
        tag = release_tag(config.root, name) if name else ""
    if name and not tag and config.policy.gate == "release":
        note(f"The tag {visible(name)} is none of this server's releases, so nothing is judged as a release.")
    return tag


def _built_here(config: Config, surface: Surface) -> str:
    """The release tag at HEAD, if surface and changelog are those of its release."""
    with contextlib.suppress(GovernorError):
        tag = release_of_head(config.root)
        if tag and _same_changelog(config) and _same_surface(config, surface, tag):
            return tag
    return ""


def _same_changelog(config: Config) -> bool:
    if not config.changelog:
        return True
    try:
        now = read_bytes(config.resolve(config.changelog), limit=MAX_TEXT_BYTES)
    except OSError:
        return False
    # git may use other line endings in the work tree than in its storage
    return now.splitlines() == file_at(config.root, "HEAD", config.changelog).splitlines()


def _same_surface(config: Config, surface: Surface, tag: str) -> bool:
    from mcp_governor.checking.settings import changes_between

    path = first_held(config.root, tag, *recordings(config))
    if path is None:
        return False
    released = parse_surface(file_at(config.root, tag, path), f"git:{tag}")
    return released.version == surface.version and not changes_between(released, surface, config)
