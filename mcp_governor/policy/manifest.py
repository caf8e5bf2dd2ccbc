"""Compare server.json, the registry's manifest: the settings of an installation are part of the surface.

Environment variables and package arguments do not appear in ``tools/list``, but a new required variable breaks
installations that lack it (surface governance, "What counts as a breaking change").
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.change.model import make
from mcp_governor.change.vocabulary import MISSING, Facts
from mcp_governor.errors import FileFormatError
from mcp_governor.rules.finding import finding
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.surface.file import parse_json
from mcp_governor.text import one_line
from mcp_governor.versions import same_version

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.change.model import Change
    from mcp_governor.changelog import SchemaVersion
    from mcp_governor.findings import Finding

Manifest = Mapping[str, Any]
ROOT = "/server.json"
"""Path prefix for changes of the manifest."""

_ALIKE = 0.6
"""Similarity (``difflib``) from which a name with equal settings counts as a new name for an old one. It is the default
of ``difflib``, which allows for typos and changed words."""


def parse_manifest(text: str | bytes, what: str) -> Manifest:
    """Parse a manifest.

    Raises:
        FileFormatError: the text is not a JSON object.
    """
    document = parse_json(text, what)
    if not isinstance(document, dict):
        raise FileFormatError(f"{what} is not a JSON object.", "See the registry's server.schema.json.")
    return document


class _Setting(Struct, frozen=True):
    """One setting of an installation: a variable, an argument or a header."""

    name: str
    required: bool
    default: Any
    choices: list[str] | None
    secret: bool

    @property
    def must_be_set(self) -> bool:
        return self.required and self.default is None


_LISTS = {
    "packages": {
        "environmentVariables": "env",
        "packageArguments": "package-argument",
        "runtimeArguments": "runtime-argument",
    },
    "remotes": {"headers": "remote-header"},
}
"""The lists of settings in each entry of a list, with the stems of their kinds of changes."""


def compare_manifests(old: Manifest, new: Manifest) -> list[Change]:
    """Compare two manifests from the point of view of an installation.

    Args:
        old, new: parsed manifests; parts with the wrong type count as absent.

    Returns:
        Changes of side ``surface`` without a tool, sorted by path.
    """
    changes = [
        *(change for key in _LISTS for change in _compare_entries(key, _entries(old, key), _entries(new, key))),
        *_compare_status(old, new),
    ]
    return sorted(changes, key=lambda change: (change.path, change.kind))


STATUS = "status"
"""The name that a changelog entry uses for the state of the server."""

_STATES = {"active": 0, "deprecated": 1, "deleted": 2}
_OFFICIAL = "io.modelcontextprotocol.registry/official"


def _compare_status(old: Manifest, new: Manifest) -> Iterator[Change]:
    before, after = _status(old), _status(new)
    if _STATES[before] == _STATES[after]:
        return
    kind = "server-deprecated" if _STATES[before] < _STATES[after] else "server-deprecation-withdrawn"
    yield _change(kind, join_pointer(ROOT, STATUS), STATUS, before, after)


def _status(manifest: Manifest) -> str:
    """The state in the registry: from the manifest (schemas of 2025), or else from the registry's own ``_meta``."""
    meta = manifest.get("_meta")
    official = meta.get(_OFFICIAL) if isinstance(meta, dict) else None
    stated = (manifest.get(STATUS), official.get(STATUS) if isinstance(official, dict) else None)
    return next((value for value in stated if isinstance(value, str) and value in _STATES), "active")


def is_deprecated(manifest: Manifest | None) -> bool:
    """True if the manifest deprecates or deletes the server, and so all its tools."""
    return manifest is not None and _status(manifest) != "active"


def check_manifest(manifest: Manifest, expected: SchemaVersion, *, what: str) -> Iterator[Finding]:
    """Check that the manifest states the version of the server.

    Args:
        manifest: the parsed manifest.
        expected: the version of the server, and its source.
        what: name of the file in messages.
    """
    stated = manifest.get("version")
    if expected.text is None or (isinstance(stated, str) and same_version(stated, expected.text, exact=True)):
        return
    yield finding(
        "policy/manifest-version",
        what,
        value=[stated, expected.text],
        manifest=what,
        found=f"version {one_line(stated, 40)}" if isinstance(stated, str) else "no version",
        source=expected.source,
        expected=expected.text,
    )


def manifest_names(manifest: Manifest) -> frozenset[str]:
    """All names that a changelog entry may use for parts of the manifest."""
    names: set[str] = {STATUS} if is_deprecated(manifest) else set()
    for key, lists in _LISTS.items():
        for name, entry in _entries(manifest, key).items():
            names.add(name.partition(":")[2] if key == "packages" else name)
            for listed in lists:
                names.update(_settings(entry.get(listed)))
    return frozenset(names)


def _entries(manifest: Manifest, key: str) -> dict[str, Mapping[str, Any]]:
    """The packages, or the remotes, of a manifest by name."""
    found: dict[str, Mapping[str, Any]] = {}
    value = manifest.get(key)
    for entry in value if isinstance(value, list) else ():
        if not isinstance(entry, dict):
            continue
        name = f"{entry.get('registryType', '')}:{entry.get('identifier', '')}"
        if key == "remotes":
            name = str(entry.get("url", ""))
        elif name in found:  # one package may be listed several times with different transports
            name = f"{name} ({_type_of(entry.get('transport'))})"
        found[name] = entry
    return found


def _settings(value: Any) -> dict[str, _Setting]:
    entries = enumerate(value if isinstance(value, list) else ())
    settings = [_setting(entry, index) for index, entry in entries if isinstance(entry, dict)]
    return {setting.name: setting for setting in settings}


def _setting(entry: Mapping[str, Any], index: int) -> _Setting:
    keys = ("name", "valueHint", "value")
    names = [str(entry[key]) for key in keys if isinstance(entry.get(key), str) and entry[key]]
    choices = entry.get("choices")
    return _Setting(
        name=names[0] if names else f"#{index + 1}",
        required=entry.get("isRequired") is True,
        default=entry.get("default", entry.get("value")),
        choices=list(map(str, choices)) if isinstance(choices, list) else None,
        secret=entry.get("isSecret") is True,
    )


def _compare_entries(
    key: str, old: Mapping[str, Mapping[str, Any]], new: Mapping[str, Mapping[str, Any]]
) -> Iterator[Change]:
    stem = key.removesuffix("s")
    for name in old.keys() | new.keys():
        place = join_pointer(ROOT, key, name)
        before, after = old.get(name), new.get(name)
        if before is None or after is None:
            moved = ("removed", name, None) if after is None else ("added", None, name)
            yield _change(f"{stem}-{moved[0]}", place, name, *moved[1:])
            continue
        was, now = (_type_of(entry.get("transport")) for entry in (before, after))
        if was != now:
            yield _change("package-transport-changed", join_pointer(place, "transport"), name, was, now)
        for listed, kinds in _LISTS[key].items():
            settings = (_settings(entry.get(listed)) for entry in (before, after))
            yield from _compare_settings(kinds, join_pointer(place, listed), *settings)


def _type_of(transport: Any) -> str:
    value = transport.get("type") if isinstance(transport, dict) else None
    return value if isinstance(value, str) else "stdio"


def _compare_settings(
    stem: str, place: str, old: Mapping[str, _Setting], new: Mapping[str, _Setting]
) -> Iterator[Change]:
    """Compare two lists of settings by name; ``stem`` is that of their kinds of changes."""
    gone, come = [name for name in old if name not in new], [name for name in new if name not in old]
    renamed = _renamed(gone, come, old, new)
    for before, after in renamed.items():
        yield _change(f"{stem}-renamed", join_pointer(place, after), before, before, after, successor=after)
    for name in gone:
        if name not in renamed:
            yield _change(f"{stem}-removed", join_pointer(place, name), name, name, None)
    for name in come:
        if name not in renamed.values():
            kind = f"required-{stem}-added" if new[name].must_be_set else f"{stem}-added"
            yield _change(kind, join_pointer(place, name), name, None, name)
    for name in old.keys() & new.keys():
        yield from _changed(stem, join_pointer(place, name), old[name], new[name])


def _renamed(
    gone: list[str], come: list[str], old: Mapping[str, _Setting], new: Mapping[str, _Setting]
) -> dict[str, str]:
    """Renamed settings: the names are similar, everything else is equal. Each setting is used at most once."""
    found: dict[str, str] = {}
    for before in gone:
        same = [
            after
            for after in come
            if after not in found.values()
            and (old[before].required, old[before].choices) == (new[after].required, new[after].choices)
        ]
        nearest = difflib.get_close_matches(before, same, n=1, cutoff=_ALIKE)
        if nearest:
            found[before] = nearest[0]
    return found


def _changed(stem: str, path: str, old: _Setting, new: _Setting) -> Iterator[Change]:
    name = new.name
    if new.must_be_set != old.must_be_set:
        step = "required" if new.must_be_set else "optional"
        yield _change(f"{stem}-{step}", path, name, old.required, new.required)
    elif None not in (old.default, new.default) and old.default != new.default:
        values = "" if old.secret or new.secret else f'from "{old.default}" to "{new.default}"'
        yield _change(f"{stem}-default-changed", f"{path}/default", name, old.default, new.default, detail=values)
    yield from _choices(stem, path, old, new)


def _choices(stem: str, path: str, old: _Setting, new: _Setting) -> Iterator[Change]:
    before, after = old.choices, new.choices
    if before == after:
        return
    lost = [choice for choice in before or () if after is not None and choice not in after]
    gained = [choice for choice in after or () if before is None or choice not in before]
    if lost or before is None:
        step = "removed"
    elif gained or after is None:
        step = "added"
    else:
        return
    moved = {"lost": tuple(lost), "gained": tuple(gained)}
    yield _change(f"{stem}-choice-{step}", f"{path}/choices", new.name, before, after, **moved)


def _change(kind: str, path: str, name: str, old: Any, new: Any, **facts: Any) -> Change:
    """Make a change; ``None`` means that the manifest does not state a value."""
    before, after = (MISSING if value is None else value for value in (old, new))
    return make(kind, None, path, old=before, new=after, facts=Facts((name,), **facts))
