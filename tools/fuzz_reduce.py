"""Makes a case as small as possible while it still shows the failure.

A case is a JSON object whose members are documents (``outer``, ``inner``, ``instance``, …). A step drops or simplifies
one thing, in one document or at the same place in all that have it, because most cases are two similar documents that
have to stay similar. Large things are tried first, until no step preserves the failure.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

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
    while progress:
        progress = False
        for candidate in _smaller(case, documents):
            if time.monotonic() > until:
                return case
            if size(candidate) < size(case) and shows(candidate):
                case, progress = candidate, True
                break
    return case


def size(value: Any) -> tuple[int, str]:
    text = json.dumps(value)
    return len(text), text


def _smaller(case: dict[str, Any], documents: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    if case.get("draft", 20) != 20:
        yield {**case, "draft": 20}
    present = [name for name in documents if name in case]
    places = {path: size(part) for name in present for path, part in _parts(case[name])}
    for path in sorted(places, key=lambda path: (len(path), -places[path][0])):
        holders = [name for name in present if _at(case[name], path) is not _GONE]
        for new in _simpler(_at(case[holders[0]], path)):
            for together in (holders, *([name] for name in holders if len(holders) > 1)):
                changed = {name: _put(case[name], path, new) for name in together}
                if _GONE not in changed.values():
                    yield {**case, **changed}


def _parts(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    yield path, value
    if isinstance(value, dict | list):
        for step, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _parts(part, (*path, step))


def _at(value: Any, path: Path) -> Any:
    for step in path:
        if isinstance(value, dict) and isinstance(step, str):
            value = value.get(step, _GONE)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return _GONE
    return value


def _simpler(value: Any) -> Iterator[Callable[[Any], Any]]:
    """Possible simplifications of a value, the boldest first, as functions of the value at its place."""
    yield lambda _: _GONE
    if isinstance(value, dict | list | str) and value:
        yield lambda _: True
    if isinstance(value, dict | list | str):
        half = max(1, len(value) // 2)
        yield lambda old: _slice(old, 0, half)
        yield lambda old: _slice(old, half, None)
        for at in range(0, len(value) if isinstance(value, str) else 0, half):
            yield lambda old, at=at: old[:at] + old[at + 1 :] if isinstance(old, str) else _GONE
    elif not isinstance(value, bool) and value is not None:
        yield from ((lambda _, new=new: new) for new in (0, 1, 2, int(value) // 2 if abs(value) < 1e300 else 0))
    for path, part in _parts(value) if isinstance(value, dict | list) else ():
        if 0 < len(path) <= 2 and isinstance(part, dict | bool | list):
            yield lambda old, path=path: _at(old, path)


def _slice(value: Any, first: int, last: int | None) -> Any:
    if isinstance(value, dict):
        return dict(list(value.items())[first:last])
    return value[first:last] if isinstance(value, list | str) else _GONE


def _put(value: Any, path: Path, new: Callable[[Any], Any]) -> Any:
    """The document with another value at a place; ``_GONE`` for the whole, or where there is no such place."""
    if not path:
        return new(value)
    changed = _put(value[path[0]], path[1:], new)
    if len(path) > 1 and changed is _GONE:
        return _GONE
    if isinstance(value, dict):
        return {
            key: changed if key == path[0] else part
            for key, part in value.items()
            if key != path[0] or changed is not _GONE
        }
    kept = [changed if at == path[0] else part for at, part in enumerate(value)]
    return [part for part in kept if part is not _GONE]
