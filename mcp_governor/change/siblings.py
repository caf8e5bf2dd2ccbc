"""Prompts, resources and resource templates on two surfaces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.change.equality import same_json
from mcp_governor.change.messages import shown
from mcp_governor.change.terms import MISSING, Level, Verdict, value_or_none
from mcp_governor.change.tools import make
from mcp_governor.findings import Tier
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.surface.canonical import canonical_json
from mcp_governor.text import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mcp_governor.change.model import Change
    from mcp_governor.surface.model import Surface

_BREAKING, _COMPATIBLE = Verdict.BREAKING, Verdict.COMPATIBLE
_MOST_ADDRESSES = 100_000
"""Pairs of a removed resource and a template that are looked at."""
_WORDS = ("title", "description", "icons", "annotations")


def compare_siblings(old: Surface, new: Surface, level: Level) -> Iterator[Change]:
    """All changes of prompts, resources and resource templates."""
    yield from _prompts(old, new, level)
    yield from _resources(old, new, level)
    yield from _templates(old, new, level)
    for what, before, after in (
        ("prompts", _unusable(old.prompts, "name"), _unusable(new.prompts, "name")),
        ("resources", _unusable(old.resources, "uri"), _unusable(new.resources, "uri")),
        (
            "resourceTemplates",
            _unusable(old.templates, "uriTemplate"),
            _unusable(new.templates, "uriTemplate"),
        ),
    ):
        if before != after:
            reason = f"an entry of {what} has no usable name"
            message = f"entries that cannot be read changed: {reason}"
            sizes = len(before), len(after)
            yield _make("entry-undecided", f"/{what}", Verdict.UNKNOWN, message, level, *sizes, reason=reason)


def _make(
    kind: str,
    path: str,
    verdict: Verdict,
    message: str,
    level: Level,
    old: Any = MISSING,
    new: Any = MISSING,
    reason: str = "",
) -> Change:
    return make(kind, None, path, verdict, message, Tier.STANDARD, level, old, new, reason=reason)


def _usable(entries: Sequence[Any], key: str) -> dict[str, Mapping[str, Any]]:
    """Entries by name; the first of a name wins."""
    found: dict[str, Mapping[str, Any]] = {}
    for entry in entries:
        if isinstance(entry, dict) and isinstance(entry.get(key), str) and entry[key]:
            found.setdefault(entry[key], entry)
    return found


def _unusable(entries: Sequence[Any], key: str) -> list[str]:
    usable = {id(entry) for entry in _usable(entries, key).values()}
    return sorted(canonical_json(entry) for entry in entries if id(entry) not in usable)


def _words(
    what: str, place: str, old: Mapping[str, Any], new: Mapping[str, Any], level: Level, more: Iterable[str] = ()
) -> Iterator[Change]:
    for key in (*_WORDS, *more):
        before, after = old.get(key, MISSING), new.get(key, MISSING)
        if not same_json(value_or_none(before), value_or_none(after)):
            message = f"{what}: {key} changed"
            yield _make("sibling-wording-changed", f"{place}/{key}", _COMPATIBLE, message, level, before, after)


def _prompts(old: Surface, new: Surface, level: Level) -> Iterator[Change]:
    before, after = _usable(old.prompts, "name"), _usable(new.prompts, "name")
    for name in before.keys() | after.keys():
        place = join_pointer("/prompts", name)
        if name not in after:
            message = f"prompt `{visible(name)}` is gone"
            yield _make("prompt-removed", place, _BREAKING, message, level, name)
        elif name not in before:
            message = f"prompt `{visible(name)}` is new"
            yield _make("prompt-added", place, _COMPATIBLE, message, level, MISSING, name)
        else:
            yield from _words(f"prompt `{visible(name)}`", place, before[name], after[name], level)
            yield from _prompt_arguments(name, place, before[name], after[name], level)


def _prompt_arguments(
    prompt: str, place: str, old: Mapping[str, Any], new: Mapping[str, Any], level: Level
) -> Iterator[Change]:
    before, after = (_usable(_list(entry.get("arguments")), "name") for entry in (old, new))
    for name in before.keys() | after.keys():
        path = join_pointer(place, "arguments", name)
        told = f"argument `{visible(name)}` of prompt `{visible(prompt)}`"
        was, now = (name in side and side[name].get("required") is True for side in (before, after))
        if name not in after:
            message = f"{told} is gone"
            yield _make("prompt-argument-removed", path, _BREAKING, message, level, name)
        elif name not in before:
            kind, verdict = (
                ("prompt-required-argument-added", _BREAKING) if now else ("prompt-argument-added", _COMPATIBLE)
            )
            yield _make(kind, path, verdict, f"{told} is new", level, MISSING, name)
        else:
            if was != now:
                kind, verdict = (
                    ("prompt-argument-required", _BREAKING) if now else ("prompt-argument-optional", _COMPATIBLE)
                )
                message = f"{told} {'must be passed' if now else 'may be left out'} now"
                yield _make(kind, path, verdict, message, level, was, now)
            yield from _words(told, path, before[name], after[name], level)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _resources(old: Surface, new: Surface, level: Level) -> Iterator[Change]:
    before, after = _usable(old.resources, "uri"), _usable(new.resources, "uri")
    templates = _usable(new.templates, "uriTemplate")
    if len(before.keys() - after.keys()) * len(templates) > _MOST_ADDRESSES:
        templates = {}
    for uri in before.keys() | after.keys():
        place = join_pointer("/resources", uri)
        if uri not in after:
            yield from _resource_gone(uri, before[uri], templates, level)
        elif uri not in before:
            message = f"resource `{visible(uri)}` is new"
            yield _make("resource-added", place, _COMPATIBLE, message, level, MISSING, uri)
        else:
            told = f"resource `{visible(uri)}`"
            yield from _media_type("resource", told, place, before[uri], after[uri], level)
            yield from _words(told, place, before[uri], after[uri], level, ("name",))


def _resource_gone(
    uri: str, old: Mapping[str, Any], templates: Mapping[str, Mapping[str, Any]], level: Level
) -> Iterator[Change]:
    """A resource that is no longer listed; its address may still be one of those that a template promises."""
    from mcp_governor.change.uri_templates import covers_address

    place = join_pointer("/resources", uri)
    told = f"resource `{visible(uri)}`"
    for template, entry in templates.items():
        if covers_address(template, uri):
            message = f"{told} is not listed any more, and is an address of template `{visible(template)}`"
            yield _make("resource-unlisted", place, _COMPATIBLE, message, level, uri)
            if "mimeType" in entry:
                yield from _media_type("resource", told, place, old, entry, level)
            return
    yield _make("resource-removed", place, _BREAKING, f"{told} is gone", level, uri)


def _media_type(
    what: str, told: str, place: str, old: Mapping[str, Any], new: Mapping[str, Any], level: Level
) -> Iterator[Change]:
    before, after = (MISSING if side.get("mimeType") is None else side["mimeType"] for side in (old, new))
    if before == after:
        return
    if before is MISSING or after is MISSING:
        kind, verdict = f"{what}-media-type-declared", _COMPATIBLE
        message = f"{told}: mimeType is new: {shown(after)}" if before is MISSING else f"{told}: mimeType is gone"
    else:
        kind, verdict = f"{what}-media-type-changed", _BREAKING
        message = f"{told}: mimeType changed from {shown(before)} to {shown(after)}"
    yield _make(kind, f"{place}/mimeType", verdict, message, level, before, after)


def _templates(old: Surface, new: Surface, level: Level) -> Iterator[Change]:
    before, after = _usable(old.templates, "uriTemplate"), _usable(new.templates, "uriTemplate")
    gone = [uri for uri in before if uri not in after]
    come = [uri for uri in after if uri not in before]
    for one, other in _moved(gone, come, before, after):
        gone.remove(one)
        come.remove(other)
        yield from _template_moved(one, other, level)
        place = join_pointer("/resourceTemplates", one)
        told = f"template `{visible(one)}`"
        yield from _media_type("template", told, place, before[one], after[other], level)
        yield from _words(told, place, before[one], after[other], level)
    for uri in gone:
        message = f"template `{visible(uri)}` is gone"
        place = join_pointer("/resourceTemplates", uri)
        yield _make("template-removed", place, _BREAKING, message, level, uri)
    for uri in come:
        message = f"template `{visible(uri)}` is new"
        place = join_pointer("/resourceTemplates", uri)
        yield _make("template-added", place, _COMPATIBLE, message, level, MISSING, uri)
    for uri in (uri for uri in before if uri in after):
        place = join_pointer("/resourceTemplates", uri)
        told = f"template `{visible(uri)}`"
        yield from _media_type("template", told, place, before[uri], after[uri], level)
        yield from _words(told, place, before[uri], after[uri], level, ("name",))


def _moved(
    gone: list[str], come: list[str], before: Mapping[str, Mapping[str, Any]], after: Mapping[str, Any]
) -> list[tuple[str, str]]:
    """Templates that kept their name and changed their pattern, where the name tells which is which."""
    old, new = _by_name(gone, before), _by_name(come, after)
    return [(old[name], new[name]) for name in old if name in new]


def _by_name(uris: list[str], entries: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    for uri in uris:
        name = entries[uri].get("name")
        if isinstance(name, str) and name:
            found.setdefault(name, []).append(uri)
    return {name: uris[0] for name, uris in found.items() if len(uris) == 1}


def _template_moved(old: str, new: str, level: Level) -> Iterator[Change]:
    """One edit of a template: variables that came or went, or another address with the same variables.

    A variable in a query (``{?limit}``) may be left out, and ``{+path}`` takes what ``{path}`` does, so a client that
    expands the old template still asks for something that the new one matches; any other edit moves the address.
    """
    from mcp_governor.change.uri_templates import covers_template, variables, without_query

    place = join_pointer("/resourceTemplates", old)
    before, after = variables(old), variables(new)
    came = [name for name in after if name not in before]
    went = [name for name in before if name not in after]
    if came and not went:
        optional = without_query(old) == without_query(new)
        kind = "template-optional-variable-added" if optional else "template-variable-added"
        verdict = _COMPATIBLE if optional else _BREAKING
        message = f"template `{visible(old)}` asks for {shown(came)}: `{visible(new)}`"
    elif went and not came:
        kind, verdict = "template-variable-removed", _BREAKING
        message = f"template `{visible(old)}` does not take {shown(went)} any more: `{visible(new)}`"
    elif before == after and covers_template(new, old):
        kind, verdict = "template-widened", _COMPATIBLE
        message = f"template `{visible(old)}` takes more addresses: `{visible(new)}`"
    else:
        kind, verdict = "template-changed", _BREAKING
        message = f"template `{visible(old)}` is `{visible(new)}` now"
    yield _make(kind, place, verdict, message, level, old, new)
