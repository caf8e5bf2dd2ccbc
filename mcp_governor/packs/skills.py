"""Requirements of the Skills extension (SEP-2640) and of the Agent Skills specification on published skills."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any

from mcp_governor.lazy import lazy_pattern
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.subjects.context import Context, Hit, hit
from mcp_governor.surface.skills import MANIFEST, MAX_BYTES, MAX_FILES
from mcp_governor.text import kind_of, nearest, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.surface.model import Surface
    from mcp_governor.surface.skills import Skill


_NAME = lazy_pattern(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_DIGEST = lazy_pattern(r"sha256:[0-9a-f]{64}")
_LONGEST = {"name": 64, "description": 1_024}
"""Longest fields of the frontmatter, in characters (Agent Skills specification, Frontmatter)."""
_MOST = 20
"""Most hits for one skill; the others usually have the same cause."""
_LONGEST_FRONTMATTER = 64 * 1024
"""Longest frontmatter that is parsed, in characters: fields have at most a thousand."""
_FRONTMATTER = lazy_pattern(r"\A---[ \t]*\r?\n(.*?)(?:\A|\n)---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_DEEPEST_FRONTMATTER = 50
"""Deepest nesting that is read, because the loader calls itself for each level; what is published has three."""


def entry(surface: Surface, _context: Context) -> Iterator[Hit]:
    """Each entry of skills/list says where the skill is, what it is for, and which files it has."""
    for index, raw in enumerate(surface.skill_entries or ()):
        if not isinstance(raw, dict) or not isinstance(raw.get("uri"), str):
            yield hit(f"/skills/{index}", raw, skill=f"number {index + 1}", error="it has no uri")
    for skill in surface.skills:
        for index, raw in islice(skill.again.items(), 1):
            error = "another entry has the same uri, and clients differ in which of the two they keep"
            yield hit(f"/skills/{index}", raw, skill=one_line(skill.name, 64), error=error)
        place = f"/skills/{skill.index}"
        for path, value, error in islice((*_names(skill), *_manifest(skill)), _MOST):
            yield hit(place + path, value, skill=one_line(skill.name, 64), error=error)


def _names(skill: Skill) -> Iterator[tuple[str, Any, str]]:
    if not skill.uri.endswith(f"/{MANIFEST}"):
        yield "/uri", skill.uri, f"its uri does not end in /{MANIFEST}"
    if not isinstance(skill.raw.get("frontmatter"), dict):
        yield "/frontmatter", skill.raw.get("frontmatter"), "it has no frontmatter"
        return
    for key, longest in _LONGEST.items():
        value = skill.frontmatter.get(key)
        if not isinstance(value, str) or not value.strip():
            found = "missing" if key not in skill.frontmatter else kind_of(value) if value != "" else "empty"
            yield f"/frontmatter/{key}", value, f"its {key} is {found}"
        elif len(value) > longest:
            yield f"/frontmatter/{key}", value, f"its {key} has {len(value):,} characters, and at most {longest:,} fit"
    name = skill.frontmatter.get("name")
    if isinstance(name, str) and name and not _NAME.fullmatch(name):
        yield "/frontmatter/name", name, "its name is not lowercase letters, digits and single hyphens"
    if isinstance(name, str) and name and skill.segment != name:
        shown = one_line(skill.segment, 64)
        yield "/uri", skill.uri, f'the last segment of its path is "{shown}" instead of its name'


def _manifest(skill: Skill) -> Iterator[tuple[str, Any, str]]:
    listed = skill.raw.get("resources")
    if listed == "dynamic":
        return
    if not isinstance(listed, list):
        found = "missing" if "resources" not in skill.raw else kind_of(listed)
        yield "/resources", listed, f'resources is {found}, neither an array nor "dynamic"'
        return
    if skill.uri not in skill.files:
        yield "/resources", len(listed), f"resources does not list its {MANIFEST}"
    if len(listed) > MAX_FILES:
        yield "/resources", len(listed), f"it has {len(listed):,} files, and hosts accept {MAX_FILES}"
    total = sum(item["size"] for item in skill.files.values() if isinstance(item.get("size"), int))
    if total > MAX_BYTES:
        yield "/resources", total, f"its files have {total:,} bytes together, and hosts accept {MAX_BYTES:,}"
    seen: set[str] = set()
    for index, item in enumerate(listed):
        for error in _file(skill, item, seen):
            yield f"/resources/{index}", item, error


def _file(skill: Skill, item: Any, seen: set[str]) -> Iterator[str]:
    uri = item.get("uri") if isinstance(item, dict) else None
    if not isinstance(uri, str):
        yield "a file has no uri"
        return
    shown = one_line(uri, 80)
    if uri in seen:
        yield f"{shown} is listed twice"
    seen.add(uri)
    if not uri.startswith(f"{skill.root}/"):
        yield f"{shown} is not in its folder"
    digest, size = item.get("digest"), item.get("size")
    if not (isinstance(digest, str) and _DIGEST.fullmatch(digest)):
        yield f"the digest of {shown} is not sha256: and 64 hexadecimal digits in lower case"
    if not isinstance(size, int) or isinstance(size, bool) or size < 0:
        yield f"the size of {shown} is not a number of bytes"


def content(surface: Surface, _context: Context) -> Iterator[Hit]:
    """What is served is what the entry promises: digest, size and frontmatter."""
    for skill in surface.skills:
        named = one_line(skill.name, 64)
        found = 0
        for uri in dict.fromkeys((skill.uri, *skill.files)):
            error = skill.departure(uri)
            if error and found < _MOST:
                found += 1
                path = join_pointer("/skillFiles", uri)
                yield hit(path, surface.skill_files.get(uri), skill=named, file=one_line(uri, 80), error=error)
        for key, published, written in islice(_frontmatter(skill), _MOST - found):
            path = join_pointer("/skills", skill.index, "frontmatter", key)
            error = f"{one_line(key, 40)} is {published} in the entry and {written} in the file"
            yield hit(path, skill.frontmatter.get(key), skill=named, file=MANIFEST, error=error)


def unread(surface: Surface, _context: Context) -> Iterator[Hit]:
    """Every file of a skill can be read, so that its digest is compared and its text checked."""
    beyond: list[str] = []
    no_text: list[str] = []
    for skill in surface.skills:
        uris = dict.fromkeys((skill.uri, *skill.files))
        beyond += [uri for uri in uris if surface.skill_files.get(uri, {}).get("unread") is True]
        no_text += [uri for uri in uris if surface.skill_files.get(uri, {"text": ""}).keys() == {"digest", "size"}]
        errors = {uri: surface.skill_files.get(uri, {}).get("error") for uri in uris}
        failed = {uri: error for uri, error in errors.items() if isinstance(error, str)}
        for uri, error in islice(failed.items(), 1):
            path, named, shown = join_pointer("/skillFiles", uri), one_line(skill.name, 64), one_line(uri, 80)
            yield hit(path, error, says="failed", skill=named, count=len(failed), file=shown, error=one_line(error))
    for says, some in (("limit", beyond), ("text", no_text)):
        if some:
            path = join_pointer("/skillFiles", some[0])
            yield hit(path, len(some), says=says, count=len(dict.fromkeys(some)), file=one_line(some[0], 80))


def _frontmatter(skill: Skill) -> Iterator[tuple[str, str, str]]:
    """Fields of the entry's frontmatter that differ from those of the file: name, there, here."""
    written = frontmatter_of(skill.text) if skill.text is not None else None
    if written is None:
        return
    for key in sorted({*skill.frontmatter, *written}):
        published, own = skill.frontmatter.get(key), written.get(key)
        if _plain(published) != _plain(own):
            yield key, _shown(published), _shown(own)


def _shown(value: Any) -> str:
    return "missing" if value is None else one_line(str(value), 60)


def _plain(value: Any) -> Any:
    """A value of YAML or JSON, with scalars as text: parsers disagree about the type of ``1.10`` and of a date."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return str(value)


def frontmatter_of(text: str) -> dict[Any, Any] | None:
    """The YAML frontmatter of a ``SKILL.md``; ``None`` if there is none that can be read within bounds."""
    found = _FRONTMATTER.match(text[:_LONGEST_FRONTMATTER].removeprefix("\ufeff"))
    if found is None:
        return None
    import yaml

    depth = 0
    try:
        for event in yaml.parse(found[1], yaml.SafeLoader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            # An alias may stand for a thousand values, and the value of a thousand aliases for a million.
            if isinstance(event, yaml.AliasEvent) or depth > _DEEPEST_FRONTMATTER:
                return None
        # The base loader makes every scalar text, as the comparison expects.
        value = yaml.load(found[1], yaml.BaseLoader)
    except (yaml.YAMLError, ValueError):
        return None
    return value if isinstance(value, dict) else None


_OWN = lazy_pattern(r"[a-z][a-z0-9]*(?:[_.-][a-zA-Z0-9]+)+")
"""Names as servers give them. Those of hosts are one word (``bash``) or begin with a capital (``WebFetch``)."""


def allowed_tools(surface: Surface, _context: Context) -> Iterator[Hit]:
    """The names in ``allowed-tools`` that no tool has."""
    if not surface.tools:
        return
    for skill in surface.skills:
        gone = [
            name for name in skill.allowed_tools if _OWN.fullmatch(name) and name not in surface.by_name
            # mcp__SERVER__TOOL: the host has named the server
            and "__" not in name
        ]  # fmt: skip
        if gone:
            meant = nearest(gone[0], surface.by_name) if len(gone) == 1 else None
            yield hit(
                f"/skills/{skill.index}/frontmatter/allowed-tools",
                skill.frontmatter.get("allowed-tools"),
                skill=one_line(skill.name, 64),
                names=", ".join(one_line(name, 64) for name in gone[:10]),
                meant=f" ({meant} is near)" if meant else "",
            )
