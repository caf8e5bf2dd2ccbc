"""Which release a run compares with, as the changelog states it: for a pull request, only its base can say."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcp_governor.changelog import parse
from mcp_governor.checking.against.last_release import StatedRelease, last_release
from mcp_governor.config import Config
from mcp_governor.config.model import PolicyConfig
from mcp_governor.stage import Stage
from mcp_governor.surface import build_surface, fingerprint

LOG = "CHANGES.md"
OLD, NEW = (
    build_surface({"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in names]})
    for names in (("find",), ("find", "scan"))
)
AT_RELEASE = Stage("release")


def sections(*released: tuple[str, object]) -> str:
    """A changelog whose first section is the current one."""
    marks = [" (current)", *[""] * len(released)]
    texts = (
        f"## {version}{mark}\n\nFingerprint: `{fingerprint(surface)}`\n"  # type: ignore[arg-type]
        for (version, surface), mark in zip(released, marks, strict=False)
    )
    return "# Changelog\n\n" + "\n".join(texts)


OURS = sections(("2.0.0", NEW), ("1.0.0", OLD))
THEIRS = sections(("1.0.0", OLD), ("0.9.0", NEW))


@pytest.mark.parametrize(
    ("base", "changelog", "stage", "surface", "version"),
    [
        ("", "", None, OLD, "2.0.0"),
        ("", "", AT_RELEASE, NEW, "1.0.0"),
        # What the pull request writes into its own changelog is under review.
        ("c0ffee", "", None, OLD, None),
        ("c0ffee", "", AT_RELEASE, NEW, None),
        ("c0ffee", THEIRS, None, OLD, "1.0.0"),
        # A release that it makes is compared with the one that is current at the base, even if it has its surface.
        ("c0ffee", THEIRS, AT_RELEASE, OLD, "1.0.0"),
    ],
)
def test_who_says_which_release_is_the_last(
    tmp_path: Path, base: str, changelog: str, stage: Stage | None, surface, version: str | None
) -> None:
    (tmp_path / LOG).write_text(OURS, "utf-8")
    config = Config(root=tmp_path, changelog=LOG, base=base, policy=PolicyConfig(gate="release"))
    book = parse(changelog, LOG) if changelog else None
    found = last_release(config, surface, stage, changelog=book)
    published = {"2.0.0": NEW, "1.0.0": OLD}
    assert found == (StatedRelease(version, fingerprint(published[version])) if version is not None else None)


def test_an_isolated_run_reads_no_changelog(tmp_path: Path) -> None:
    (tmp_path / LOG).write_text(OURS, "utf-8")
    assert last_release(Config(root=tmp_path, changelog=LOG, isolated=True), OLD) is None
