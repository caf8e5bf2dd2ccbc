"""Makes a case as small as possible while it still shows the failure.

A case is a JSON object whose members are documents (``outer``, ``inner``, ``instance``, …). A step removes or
simplifies one thing, in one document or at the same place in two of them, because most cases are two similar documents
that have to stay similar. Large steps are tried first, until none preserves the failure.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from fuzz_schemas import copied

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Path = tuple[Any, ...]
_GONE = object()


def reduced(
    case: dict[str, Any], shows: Callable[[dict[str, Any]], bool], *, documents: tuple[str, ...], seconds: float = 20.0
) -> dict[str, Any]:
    """The smallest case found within some seconds.

    Args:
        case: a case that shows the failure.
        shows: returns true if a case shows it.
        documents: the members of the case that may be made smaller.
        seconds: time limit.
    """
    until = time.monotonic() + seconds
    progress = True
    while progress and time.monotonic() < until:
        progress = False
        for candidate in _smaller(case, documents):
            if time.monotonic() > until:
                break
            if size(candidate) < size(case) and shows(candidate):
                case, progress = candidate, True
                break
    return case


def size(value: Any) -> tuple[int, str]:
    text = json.dumps(value)
    return len(text), text


def _smaller(case: dict[str, Any], documents: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    if "draft" in case and case["draft"] != 20:
        yield {**case, "draft": 20}
    found = [(name, path) for name in documents if name in case for path in _paths(case[name])]
    found.sort(key=lambda place: (len(place[1]), -len(json.dumps(_at(case[place[0]], place[1])))))
    for name, path in found:
        others = [
            other for other in documents if other != name and other in case and _at(case[other], path) is not _GONE
        ]
        for change in _changes(_at(case[name], path)):
            for together in ([*others], []) if others else ([],):
                candidate = dict(case)
                for which in (name, *together):
                    candidate[which] = _applied(case[which], path, change)
                if _GONE not in candidate.values():
                    yield candidate


def _paths(value: Any, path: Path = ()) -> Iterator[Path]:
    yield path
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _paths(part, (*path, key))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from _paths(part, (*path, index))


def _at(value: Any, path: Path) -> Any:
    for step in path:
        if isinstance(value, dict) and isinstance(step, str):
            value = value.get(step, _GONE)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return _GONE
    return value


Change = tuple[str, Any]


def _changes(value: Any) -> Iterator[Change]:
    """Possible simplifications of a value, the boldest first: (what, with)."""
    yield "drop", None
    if isinstance(value, dict | list):
        if value:
            yield "put", True
        yield from _cuts(len(value))
        yield from _hoists(value)
    elif isinstance(value, str):
        yield "put", True
        if len(value) > 1:
            yield from (("put", shorter) for shorter in (value[: len(value) // 2], value[1:], value[:-1]))
    elif not isinstance(value, bool) and value is not None:
        yield from (("put", simple) for simple in (0, 1, 2, int(value) // 2 if abs(value) < 1e300 else 0))


def _cuts(count: int) -> Iterator[Change]:
    """Halves and quarters to keep or to remove."""
    if count > 3:
        yield "keep", (0, count // 2)
        yield "keep", (count // 2, count)
    if count > 8:
        yield from (("cut", (at * (count // 4), (at + 1) * (count // 4))) for at in range(4))


def _hoists(value: Any) -> Iterator[Change]:
    """Parts, and parts of parts, that may replace the whole."""
    for step in value if isinstance(value, dict) else range(len(value)):
        part = value[step]
        if isinstance(part, dict | bool | list):
            yield "hoist", (step,)
        if isinstance(part, dict):
            yield from (("hoist", (step, inner)) for inner, deeper in part.items() if isinstance(deeper, dict))
        if isinstance(part, list) and len(part) == 1:
            yield "hoist", (step, 0)


def _applied(document: Any, path: Path, change: Change) -> Any:
    """The document with a change at a place; ``_GONE`` if the change is impossible there."""
    what, how = change
    if not path:
        return _changed(document, what, how)
    document = copied(document)
    holder = _at(document, path[:-1])
    value = _at(document, path)
    if value is _GONE:
        return _GONE
    new = _changed(value, what, how)
    if what == "drop":
        del holder[path[-1]]
    elif new is _GONE:
        return _GONE
    else:
        holder[path[-1]] = new
    return document


def _changed(value: Any, what: str, how: Any) -> Any:
    if what == "put":
        return how
    if what == "hoist":
        return _at(value, how)
    if what in ("keep", "cut") and isinstance(value, dict | list):
        first, last = how
        kept = [at for at in range(len(value)) if (first <= at < last) is (what == "keep")]
        if isinstance(value, list):
            return [value[at] for at in kept]
        keys = list(value)
        return {keys[at]: value[keys[at]] for at in kept}
    return _GONE
