"""Compares the prompts, resources and resource templates (RFC 6570) of two surfaces."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from mcp_governor.change.equality import same_json, same_media_type
from mcp_governor.change.model import make
from mcp_governor.change.tools import other_meta
from mcp_governor.change.vocabulary import MISSING, Facts, value_or_none
from mcp_governor.lazy import lazy_pattern
from mcp_governor.schemas.pointers import join_pointer
from mcp_governor.surface.canonical import canonical_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import jsonschema_rs

    from mcp_governor.change.model import Change
    from mcp_governor.surface.model import Surface


_MAX_ADDRESSES = 100_000
"""Maximum number of pairs of a removed resource and a template that are compared."""
_WORDS = ("title", "description", "icons", "annotations")


def compare_siblings(old: Surface, new: Surface) -> Iterator[Change]:
    """All changes of prompts, resources and resource templates, and of entries of any list that cannot be read."""
    yield from _prompts(old, new)
    yield from _resources(old, new)
    yield from _templates(old, new)
    for what, key, one, other in (
        ("tools", "name", old.entries, new.entries),
        ("prompts", "name", old.prompts, new.prompts),
        ("resources", "uri", old.resources, new.resources),
        ("resourceTemplates", "uriTemplate", old.templates, new.templates),
    ):
        before, after = _unusable(one, key), _unusable(other, key)
        if before != after:
            facts = Facts(fields=(what,), what=f"entries that cannot be used as {what}")
            reason = f"an entry of {what} has no usable name, or repeats one"
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


_EXPRESSION = lazy_pattern(r"\{([+#./;?&=,!@|]?)([^{}]+)\}")
_QUERY = lazy_pattern(r"\{[?&][^{}]*\}")
_LARGEST = 100_000
"""Maximum size of a compiled template in bytes: some tens of expressions."""
_MODIFIER = lazy_pattern(r"(\*|:\d+)$")

# operator → what its variables may expand to (RFC 6570, section 3.2); a variable without a value expands to nothing
_PLAIN, _ANYTHING = "[^\\x00-\\x20/?#]", "[^\\x00-\\x20]"
_EXPANSIONS = {
    "": f"{_PLAIN}+",
    "+": f"{_ANYTHING}+",
    "#": f"(#{_ANYTHING}*)?",
    ".": f"(\\.{_PLAIN}+)?",
    "/": f"(/{_PLAIN}+)*",
    ";": f"(;{_PLAIN}+)?",
    "?": "(\\?[^\\x00-\\x20#]*)?",
    "&": "(&[^\\x00-\\x20#]*)?",
}


def variables(template: str) -> list[str]:
    """The variables of a template, in order, without modifiers."""
    found = (part for _, group in _EXPRESSION.findall(template) for part in group.split(","))
    return list(dict.fromkeys(_MODIFIER.sub("", name.strip()) for name in found))


def without_names(template: str) -> str:
    """The template without those names of variables that its addresses do not contain: all but the ones of a query and
    of parameters (RFC 6570, section 3.2.7 to 3.2.9)."""

    def nameless(match: re.Match[str]) -> str:
        operator, names = match.groups()
        if operator in (";", "?", "&"):
            return match[0]
        modifiers = (found[0] if (found := _MODIFIER.search(name.strip())) else "" for name in names.split(","))
        return f"{{{operator}{','.join(modifiers)}}}"

    return _EXPRESSION.sub(nameless, template)


def without_query(template: str) -> str:
    """The template without optional variables at its end."""
    return _QUERY.sub("", template)


def covers_address(template: str, uri: str) -> bool:
    """True if a URI is certainly one of the template's addresses; the time is linear in its length."""
    validator = _validator(template)
    return validator is not None and validator.is_valid(uri)


def covers_template(outer: str, inner: str) -> bool:
    """True if every address of one template is certainly one of another's."""
    from mcp_governor.containment import contains

    one, other = ({"type": "string", "pattern": _pattern(template)} for template in (outer, inner))
    return contains(one, other, witness=False).verdict == "yes"


# Each template is compared with every removed resource; at most 25 MB, see _LARGEST.
@lru_cache(maxsize=256)
def _validator(template: str) -> jsonschema_rs.Validator | None:
    """A validator for the template's addresses; ``None`` if the template is too large."""
    import jsonschema_rs

    options = jsonschema_rs.RegexOptions(size_limit=_LARGEST)
    try:
        return jsonschema_rs.Draft202012Validator({"pattern": _pattern(template)}, pattern_options=options)
    except jsonschema_rs.ValidationError:
        return None


def _pattern(template: str) -> str:
    return f"^{''.join(_parts(template))}$"


def _parts(template: str) -> Iterator[str]:
    end = 0
    for match in _EXPRESSION.finditer(template):
        yield _literal(template[end : match.start()])
        operator, names = match.groups()
        expansion = _EXPANSIONS.get(operator)
        if expansion is None:
            yield "\\b\\B"  # reserved operators, whose expansion is undefined
        elif operator in ("", "+"):
            yield ",".join([expansion] * len(names.split(",")))
        else:
            yield expansion
        end = match.end()
    yield _literal(template[end:])


def _literal(text: str) -> str:
    return re.sub(r"([\\^$.|?*+()\[\]{}/])", r"\\\1", text)
