"""Compares the data of an envelope with its status: matches on a success, none on an empty result, caveats.

Principle 1: success returns the requested data, empty found nothing, partial has data with caveats. The status is the
promise, and the data is compared with it as far as the names in it allow. Ambiguous data is accepted.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from mcp_governor.charter import vocabulary
from mcp_governor.charter.breach import Breach, pointer_token
from mcp_governor.charter.failure import leak, strings_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


def meaning_breaches(envelope: Mapping[str, Any], about: Sequence[str] = ()) -> Iterator[Breach]:
    """Contradictions between the data of an envelope and its status."""
    status, data = envelope.get("status"), envelope.get("data")
    if envelope.get("error") is not None:
        return  # The status itself is invalid.
    if status == "success":
        place = _found_nothing(data, about)
        if place is not None:
            yield Breach("envelope/empty-success", place, [])
        place = _hides_error(data, about)
        if place is not None:
            yield Breach("envelope/hidden-error", place, strings_of(data))
    elif status == "empty":
        place = _found_something(data, about)
        if place is not None:
            yield Breach("envelope/data-on-empty", place)
    elif status == "partial" and data is not None and not envelope.get("degradation_reason") and not _has_caveat(data):
        yield Breach("envelope/partial-caveat", "/data")


def _found_nothing(data: Any, about: Sequence[str]) -> str | None:
    """Place in the data of a success that says that nothing was found."""
    verb = about[0] if about else ""
    if verb in vocabulary.CHECKING:
        return None
    path, core = _unwrapped(data)
    if isinstance(core, str):
        return path if vocabulary.NOTHING_FOUND.match(core[:_MAX_READ]) else None
    if not vocabulary.DEFECTS.isdisjoint(about[1:]):
        return None
    if core == [] or (core == {} and verb in vocabulary.LOOKING):
        return path
    members = _members(core)
    name = _only_answer(members, verb)
    if (
        name is None
        or members[name]
        or not vocabulary.GOOD_NEWS.isdisjoint(name.split("_"))
        or not vocabulary.DONE.isdisjoint(members)
    ):
        return None
    others = {
        other: value
        for other, value in members.items()
        if other != name and not isinstance(value, list) and value not in (None, "", {})
    }
    counts = [value for other, value in others.items() if vocabulary.COUNT.search(other) and _is_number(value)]
    asked = name in vocabulary.QUERIED or bool(counts)
    if members[name] is None and not counts:
        return None
    # What was found is a thing, to which nothing belongs.
    if name not in vocabulary.QUERIED and ("id" in members or (verb in vocabulary.READING and not _names(name, about))):
        return None
    if any(counts) or not all(_repeats(other, value, asked=asked) for other, value in others.items()):
        return None
    return f"{path}/{pointer_token(_spelling(core, name))}"


_WRAPPERS = 3
"""How often data may be wrapped in an object with one member, as in ``{"result": {"rows": []}}``; nobody does it more
often, and what is deeper is not read."""


def _unwrapped(data: Any) -> tuple[str, Any]:
    """The data without objects around it that have one member, and its place; a message alone is its text."""
    path = "/data"
    for _ in range(_WRAPPERS):
        given = {key: value for key, value in data.items() if value is not None} if isinstance(data, dict) else {}
        key = next(iter(given)) if len(given) == 1 else None
        says = key is not None and vocabulary.member_name(key) in vocabulary.MESSAGES and isinstance(given[key], str)
        if key is None or not (says or isinstance(given[key], dict)) or given[key] == {}:
            break
        path, data = f"{path}/{pointer_token(key)}", given[key]
    return path, data


def _only_answer(members: Mapping[str, Any], verb: str) -> str | None:
    """The one member that holds what was found; ``None`` if there is none or each may be one aspect of a thing."""
    looking = verb in vocabulary.LOOKING
    lists = [
        name
        for name, value in members.items()
        if isinstance(value, list)
        or (value is None and name in vocabulary.HITS)
        or (value == {} and looking and name not in vocabulary.HELP)
    ]
    if not vocabulary.QUERIED.isdisjoint(lists):
        lists = [name for name in lists if name not in vocabulary.HELP]
    return lists[0] if len(lists) == 1 else None


def _names(member: str, about: Sequence[str]) -> bool:
    """True if a member is named like what a tool is about: ``open_tickets`` for ``get_tickets``."""
    return not {word.rstrip("s") for word in about[1:]}.isdisjoint(word.rstrip("s") for word in member.split("_"))


def _repeats(name: str, value: Any, *, asked: bool) -> bool:
    """True if a member next to an empty list repeats the question instead of being an answer."""
    if vocabulary.ECHO.search(name) is not None or (vocabulary.COUNT.search(name) is not None and not value):
        return True
    return asked and isinstance(value, str | bool)


def _found_something(data: Any, about: Sequence[str]) -> str | None:
    """Place in the data of an empty result that contains matches."""
    path, core = _unwrapped(data)
    if isinstance(core, list):
        return path if core else None
    lists = {name: value for name, value in _members(core).items() if isinstance(value, list)}
    hits = {name: value for name, value in lists.items() if name in vocabulary.HITS}
    if hits:
        name = next(iter(hits)) if all(hits.values()) else None
    else:
        name = next(iter(lists)) if len(lists) == 1 and _is_answer(*next(iter(lists.items())), about) else None
    return None if name is None else f"{path}/{pointer_token(_spelling(core, name))}"


def _is_answer(name: str, items: list[Any], about: Sequence[str]) -> bool:
    """True if the only list of an object contains the matches.

    They are objects, or the list is named like the tool, and its name does not mean help.
    """
    helps = not vocabulary.HELP.isdisjoint([name, *name.split("_")])
    return bool(items) and not helps and (all(isinstance(item, dict) for item in items) or _names(name, about))


def _hides_error(data: Any, about: Sequence[str]) -> str | None:
    """Place in the data of a success that says that the call failed, if the data says nothing else."""
    if not vocabulary.FAILURE_TOOLS.isdisjoint(about) or (about and about[0] in vocabulary.CHECKING):
        return None
    path = "/data"
    for _ in range(_FAILURE_DEPTH):
        if isinstance(data, list):
            # Several items are results of their own: what failed among them is for the status partial.
            if len(data) != 1:
                return None
            path, data = f"{path}/0", data[0]
            continue
        members = {name: value for name, value in _members(data).items() if value not in (None, "", [], {})}
        own = {name: value for name, value in members.items() if not _repeats_question(name, value)}
        name = _failure_member(own)
        if name is not None:
            # What shows internals is reported as that.
            return None if leak(strings_of(data)) else f"{path}/{pointer_token(_spelling(data, name))}"
        if len(own) != 1 or not isinstance(next(iter(own.values())), dict | list):
            return None
        key = _spelling(data, next(iter(own)))
        path, data = f"{path}/{pointer_token(key)}", data[key]
    return None


_FAILURE_DEPTH = 6
"""How deep a failure is looked for below the data, in containers: two wrappers around a list of one result."""


def _failure_member(members: Mapping[str, Any]) -> str | None:
    """The member that says that a call failed, if the members say nothing else."""
    if not members.keys() <= vocabulary.FAILURE_MEMBERS:
        return None
    for name, value in members.items():
        said_no = name in ("success", "ok") and value is False
        if said_no or (name in ("error", "err") and isinstance(value, str | dict)):
            return name
    return None


def _repeats_question(name: str, value: Any) -> bool:
    """True if a member next to a failure says what was asked, and is not part of the failure."""
    plain = isinstance(value, str | int | float) and not isinstance(value, bool)
    return plain and name not in vocabulary.FAILURE_MEMBERS and vocabulary.ECHO.search(name) is not None


_MAX_READ = 10_000
"""Longest string that is searched for a caveat, in characters; remarks are shorter. A longer one counts as one."""


def _has_caveat(data: Any) -> bool:
    """True if anything in the data of a partial result says what is missing.

    Reads the members at the root, strings there and one level down, and the names in the items of lists. The content of
    rows is not about the result.
    """
    if isinstance(data, str):
        return True
    members = data if isinstance(data, dict) else {"": data}
    for name, value in members.items():
        inner = value if isinstance(value, dict) else {"": value}
        strings = [str(name), *map(str, inner), *(text for text in inner.values() if isinstance(text, str))]
        if any(len(text) > _MAX_READ or vocabulary.CAVEAT.search(text) for text in strings):
            return True
        if _is_remark(name, value):
            return True
        items = value if isinstance(value, list) else ()
        called = {str(key) for item in items if isinstance(item, dict) for key in item}
        if any(map(vocabulary.ITEM_CAVEAT.search, called)):
            return True
    return False


def _is_remark(name: Any, value: Any) -> bool:
    """True if a member at the root of the data may be a remark in any language: it holds whole sentences."""
    if not name or value in (None, "", [], {}) or vocabulary.member_name(name) in vocabulary.CONTENT:
        return False
    remarks = value if isinstance(value, list) else [value]
    return all(isinstance(text, str) and _is_sentence(text) for text in itertools.islice(remarks, _FEW))


_FEW = 20
"""Items of a list of remarks that are read: a result has a handful of caveats."""


def _is_sentence(text: str) -> bool:
    """True if a string is prose: it has several words, or a script that does not separate them."""
    wide = any(ord(char) > _FIRST_UNSPACED for char in text[:_MAX_READ])
    return len(text.split(None, 3)) > (0 if wide else 2)


_FIRST_UNSPACED = 0x2E7F
"""Code points above this are mostly of scripts that write sentences without spaces."""


def _members(data: Any) -> dict[str, Any]:
    """The members of an object by their names in lower case; empty for anything else."""
    return {vocabulary.member_name(key): value for key, value in data.items()} if isinstance(data, dict) else {}


def _spelling(data: Any, name: str) -> str:
    return next(str(key) for key in data if vocabulary.member_name(key) == name)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
