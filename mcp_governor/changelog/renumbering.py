"""A changelog whose sections change their versions: its releases were counted by another source before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.changelog.editing import Editor
from mcp_governor.changelog.structure import strict_heading
from mcp_governor.errors import UsageError
from mcp_governor.text import one_line
from mcp_governor.versions import Numbered

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_governor.changelog.model import Changelog, Section


def renumber(changelog: Changelog, numbers: Mapping[str, str]) -> str:
    """The changelog with other versions in its headings; everything else stays as the author wrote it.

    Args:
        changelog: as read.
        numbers: version of a section, as the file spells it → its new version.

    Raises:
        FileFormatError: a merge conflict is left in the file.
        UsageError: two sections would have one version, or an older one a higher version than a newer one.
    """
    _refuse_disorder(changelog, numbers)
    editor = Editor(changelog)
    for section in changelog.released:
        new = numbers.get(section.version_text)
        if new is None or new == section.version_text:
            continue
        line = editor.line(section.line)
        if line.count(section.version_text) == 1:
            editor.replace(section.line, line.replace(section.version_text, new))
        else:
            heading = strict_heading(section, current=section.current).replace(section.version_text, new, 1)
            editor.replace(section.line, heading)
    return editor.text()


def _refuse_disorder(changelog: Changelog, numbers: Mapping[str, str]) -> None:
    above: Section | None = None
    highest: Numbered | None = None
    for section in changelog.released:
        new = Numbered.parse(numbers.get(section.version_text, section.version_text))
        if new is None:
            continue
        if highest is not None and above is not None and new >= highest and _was_below(section, above):
            raise UsageError(
                f"{changelog.what}:{section.line} holds {one_line(section.title, 40)}, and the section above it would "
                f"become {one_line(highest.text, 40)}; nothing was written.",
                f"State its version under the new source: --renumber {one_line(section.title, 40)}=VERSION",
            )
        above, highest = section, new


def _was_below(section: Section, above: Section) -> bool:
    """True if two sections were in order before; renumbering does not repair other changelogs."""
    return section.numbered is None or above.numbered is None or section.numbered < above.numbered
