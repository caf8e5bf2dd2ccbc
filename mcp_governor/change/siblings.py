"""Compares the prompts, resources and resource templates of two surfaces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from mcp_governor.change.equality import same_json, same_media_type
from mcp_governor.change.facts import Facts
from mcp_governor.change.model import make
from mcp_governor.change.tools import other_meta
from mcp_governor.change.vocabulary import MISSING, value_or_none
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.surface.canonical import canonical_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mcp_governor.change.model import Change
    from mcp_governor.surface.model import Surface

_MAX_ADDRESSES = 100_000
"""Maximum number of pairs of a removed resource and a template that are compared."""
_WORDS = ("title", "description", "icons", "annotations")


def compare_siblings(old: Surface, new: Surface) -> Iterator[Change]:
    """All changes of prompts, resources and resource templates."""
    yield from _prompts(old, new)
    yield from _resources(old, new)
    yield from _templates(old, new)
    for what, key, one, other in (
        ("prompts", "name", old.prompts, new.prompts),
        ("resources", "uri", old.resources, new.resources),
        ("resourceTemplates", "uriTemplate", old.templates, new.templates),
    ):
        before, after = _unusable(one, key), _unusable(other, key)
        if before != after:
            facts = Facts(fields=(what,), what="entries that cannot be read")
            reason = f"an entry of {what} has no usable name"
            yield _make("entry-undecided", f"/{what}", facts, len(before), len(after), reason=reason)


def _make(kind: str, path: str, facts: Facts, old: Any = MISSING, new: Any = MISSING, reason: str = "") -> Change:
    return make(kind, None, path, old=old, new=new, facts=facts, reason=reason)


def _usable(entries: Sequence[Any], key: str) -> dict[str, Mapping[str, Any]]:
    """Entries by name; the first one if a name repeats."""
    found: dict[str, Mapping[str, Any]] = {}
    for entry in entries:
        if isinstance(entry, dict) and isinstance(entry.get(key), str) and entry[key]:
            found.setdefault(entry[key], entry)
    return found


def _unusable(entries: Sequence[Any], key: str) -> list[str]:
    usable = {id(entry) for entry in _usable(entries, key).values()}
    return sorted(canonical_json(entry) for entry in entries if id(entry) not in usable)


def _words(
    facts: Facts, place: str, old: Mapping[str, Any], new: Mapping[str, Any], more: Iterable[str] = ()
) -> Iterator[Change]:
    for key in (*_WORDS, *more):
        before, after = old.get(key, MISSING), new.get(key, MISSING)
        if key == "annotations":
            before, after = _undated(before), _undated(after)
        if not same_json(value_or_none(before), value_or_none(after)):
            yield _make("prompt-or-resource-wording-changed", f"{place}/{key}", facts, before, after)
    # What an app may load and do (`ui.csp`, `ui.permissions`) among it.
    said, says = other_meta(old.get("_meta")), other_meta(new.get("_meta"))
    if not same_json(said, says):
        detail = ", ".join(key for key in sorted(said.keys() | says.keys()) if said.get(key, ...) != says.get(key, ...))
        kind = "prompt-or-resource-meta-changed"
        yield _make(kind, f"{place}/_meta", replace(facts, detail=detail), said, says)


def _undated(annotations: Any) -> Any:
    """Annotations without the time of the last change, which is that of the content."""
    if not isinstance(annotations, dict):
        return annotations
    return {key: value for key, value in annotations.items() if key != "lastModified"} or MISSING


def _prompts(old: Surface, new: Surface) -> Iterator[Change]:
    before, after = _usable(old.prompts, "name"), _usable(new.prompts, "name")
    for name in before.keys() | after.keys():
        place, facts = join_pointer("/prompts", name), Facts((name,), thing="prompt")
        if name not in after:
            yield _make("prompt-removed", place, facts, name)
        elif name not in before:
            yield _make("prompt-added", place, facts, MISSING, name)
        else:
            yield from _words(facts, place, before[name], after[name])
            yield from _prompt_arguments(name, place, before[name], after[name])


def _prompt_arguments(prompt: str, place: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    before, after = (_usable(_list(entry.get("arguments")), "name") for entry in (old, new))
    for name in before.keys() | after.keys():
        path, facts = join_pointer(place, "arguments", name), Facts((prompt, name), thing="argument")
        was, now = (name in side and side[name].get("required") is True for side in (before, after))
        if name not in after:
            yield _make("prompt-argument-removed", path, facts, name)
        elif name not in before:
            kind = "prompt-required-argument-added" if now else "prompt-argument-added"
            yield _make(kind, path, facts, MISSING, name)
        else:
            if was != now:
                kind = "prompt-argument-required" if now else "prompt-argument-optional"
                yield _make(kind, path, facts, was, now)
            yield from _words(facts, path, before[name], after[name])


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _resources(old: Surface, new: Surface) -> Iterator[Change]:
    before, after = _usable(old.resources, "uri"), _usable(new.resources, "uri")
    templates = _usable(new.templates, "uriTemplate")
    if len(before.keys() - after.keys()) * len(templates) > _MAX_ADDRESSES:
        templates = {}
    # A skill that is gone takes its files with it, and what changed in one that stays is reported by it.
    folders = tuple({f"{skill.root}/" for skill in (*old.skills, *new.skills)})
    for uri in before.keys() | after.keys():
        place, facts = join_pointer("/resources", uri), Facts((uri,), thing="resource")
        if uri.startswith(folders):
            continue
        if uri not in after:
            yield from _resource_gone(uri, before[uri], templates)
        elif uri not in before:
            yield _make("resource-added", place, facts, MISSING, uri)
        else:
            yield from _media_type(facts, place, before[uri], after[uri])
            yield from _words(facts, place, before[uri], after[uri], ("name", "size"))


def _resource_gone(uri: str, old: Mapping[str, Any], templates: Mapping[str, Mapping[str, Any]]) -> Iterator[Change]:
    """A resource that is no longer listed; a template may still promise its address."""
    from mcp_governor.change.uri_templates import covers_address

    place, facts = join_pointer("/resources", uri), Facts((uri,), thing="resource")
    for template, entry in templates.items():
        if covers_address(template, uri):
            yield _make("resource-unlisted", place, Facts((uri,), successor=template), uri)
            if "mimeType" in entry:
                yield from _media_type(facts, place, old, entry)
            return
    yield _make("resource-removed", place, facts, uri)


def _media_type(facts: Facts, place: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    before, after = (MISSING if side.get("mimeType") is None else side["mimeType"] for side in (old, new))
    if before == after:
        return
    if same_media_type(before, after):
        yield _make("prompt-or-resource-wording-changed", f"{place}/mimeType", facts, before, after)
        return
    step = "declared" if MISSING in (before, after) else "changed"
    yield _make(f"{facts.thing}-media-type-{step}", f"{place}/mimeType", facts, before, after)


def _templates(old: Surface, new: Surface) -> Iterator[Change]:
    before, after = _usable(old.templates, "uriTemplate"), _usable(new.templates, "uriTemplate")
    gone = [uri for uri in before if uri not in after]
    come = [uri for uri in after if uri not in before]
    for one, other in _moved(gone, come, before, after):
        gone.remove(one)
        come.remove(other)
        yield _template_moved(one, other)
        yield from _template_changes(one, before[one], after[other])
    for uri in gone:
        yield _make("template-removed", join_pointer("/resourceTemplates", uri), Facts((uri,)), uri)
    for uri in come:
        yield _make("template-added", join_pointer("/resourceTemplates", uri), Facts((uri,)), MISSING, uri)
    for uri in (uri for uri in before if uri in after):
        yield from _template_changes(uri, before[uri], after[uri], ("name",))


def _template_changes(
    uri: str, old: Mapping[str, Any], new: Mapping[str, Any], more: Iterable[str] = ()
) -> Iterator[Change]:
    place, facts = join_pointer("/resourceTemplates", uri), Facts((uri,), thing="template")
    yield from _media_type(facts, place, old, new)
    yield from _words(facts, place, old, new, more)


def _moved(
    gone: list[str], come: list[str], before: Mapping[str, Mapping[str, Any]], after: Mapping[str, Any]
) -> list[tuple[str, str]]:
    """Templates whose pattern changed but not their name, if names identify them."""
    old, new = _by_name(gone, before), _by_name(come, after)
    return [(old[name], new[name]) for name in old if name in new]


def _by_name(uris: list[str], entries: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    for uri in uris:
        name = entries[uri].get("name")
        if isinstance(name, str) and name:
            found.setdefault(name, []).append(uri)
    return {name: uris[0] for name, uris in found.items() if len(uris) == 1}


def _template_moved(old: str, new: str) -> Change:
    """One edit of a template: variables were added or removed, or the address changed with the same variables.

    A variable in a query (``{?limit}``) is optional, and ``{+path}`` accepts everything that ``{path}`` does, so a
    client that expands the old template still requests an address that the new one matches; any other edit moves the
    address. Other names of the variables alone leave the addresses as they are.
    """
    from mcp_governor.change.uri_templates import covers_template, variables, without_names, without_query

    before, after = variables(old), variables(new)
    came = [name for name in after if name not in before]
    went = [name for name in before if name not in after]
    if without_names(old) == without_names(new):
        kind = "template-variables-renamed"
    elif came and not went:
        optional = without_query(old) == without_query(new)
        kind = "template-optional-variable-added" if optional else "template-variable-added"
    elif went and not came:
        kind = "template-variable-removed"
    elif before == after and covers_template(new, old):
        kind = "template-widened"
    else:
        kind = "template-changed"
    facts = Facts((old,), successor=new, lost=tuple(went), gained=tuple(came))
    return _make(kind, join_pointer("/resourceTemplates", old), facts, old, new)
