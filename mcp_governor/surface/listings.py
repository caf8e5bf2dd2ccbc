"""Metadata of results: complete or not, for how long they are valid, and for whom.

Protocol 2026-07-28 requires ``resultType`` (basic, ResultType), ``ttlMs`` and ``cacheScope`` (server/utilities/caching)
on every list result and on that of ``server/discover``. Each page of a list has its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.surface.model import Pages, Surface

RESULT_FIELDS = ("resultType", "ttlMs", "cacheScope", "nextCursor")

LANGUAGE = "contentLanguage"
"""The field of a result's metadata with the language of its text, as a BCP 47 tag."""
_LANGUAGE_META = "io.modelcontextprotocol/contentLanguage"
"""Where a result states it, in ``_meta`` (SEP-2792, a draft, as of 2026-07-21)."""

METHODS = {
    "discover": "server/discover",
    "tools": "tools/list",
    "prompts": "prompts/list",
    "resources": "resources/list",
    "resourceTemplates": "resources/templates/list",
    "skills": "skills/list",
}
"""Key of ``Surface.listings`` → the method that returned the result."""


class Departure(Struct, frozen=True):
    """One field of a result that violates the specification.

    Attributes:
        listing: key of ``Surface.listings``.
        pointer: relative to the surface document.
        field: one of ``RESULT_FIELDS``.
        value: the value of the field; ``None`` if it is missing.
        missing: the field is missing.
    """

    listing: str
    pointer: str
    field: str
    value: Any
    missing: bool


def departures(surface: Surface) -> Iterator[Departure]:
    """Every field of every recorded result that violates the specification."""
    for listing, pages in surface.listings.items():
        for index, page in enumerate(pages):
            place = f"/listings/{listing}" + (f"/{index}" if len(pages) > 1 else "")
            for field in _wrong(page, modern=surface.modern):
                yield Departure(listing, f"{place}/{field}", field, page.get(field), field not in page)
        scopes = [page.get("cacheScope") for page in pages]
        if all(map(_is_scope, scopes)) and len(set(scopes)) > 1:
            index = next(number for number, scope in enumerate(scopes) if scope != scopes[0])
            yield Departure(listing, f"/listings/{listing}/{index}/cacheScope", "cacheScope", scopes[index], False)


def _wrong(page: Mapping[str, Any], *, modern: bool) -> Iterator[str]:
    tests = {"resultType": _is_complete, "ttlMs": _is_duration, "cacheScope": _is_scope}
    for field, good in tests.items():
        if (modern or field in page) and not good(page.get(field)):
            yield field
    if "nextCursor" in page and not isinstance(page["nextCursor"], str):
        yield "nextCursor"


def _is_complete(value: Any) -> bool:
    return bool(value == "complete")


def _is_duration(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_scope(value: Any) -> bool:
    return value in ("public", "private") if isinstance(value, str) else False


def stated_language(result: Mapping[str, Any]) -> str | None:
    """The language that a result says its text is in; ``None`` if it says none."""
    meta = result.get("_meta")
    language = meta.get(_LANGUAGE_META) if isinstance(meta, dict) else None
    return language if isinstance(language, str) and language else None


def languages(surface: Surface) -> dict[str, str]:
    """Each list that states the language of its text → the language, that of the first page which does."""
    found: dict[str, str] = {}
    for listing, pages in surface.listings.items():
        for page in pages:
            if isinstance(page.get(LANGUAGE), str):
                found.setdefault(listing, page[LANGUAGE])
    return found


def read_listings(raw: Mapping[str, Any]) -> Mapping[str, Pages]:
    """The result metadata in a recording; in a bare ``tools/list`` result it is next to the tools.

    Anything other than an object or a list of objects counts as not recorded.
    """
    bare = {key: raw[key] for key in RESULT_FIELDS if key in raw}
    if (language := stated_language(raw)) is not None:
        bare[LANGUAGE] = language
    listings = raw.get("listings")
    given = {**({"tools": bare} if bare else {}), **(listings if isinstance(listings, dict) else {})}
    pages = {
        key: tuple(page for page in (value if isinstance(value, list) else [value]) if isinstance(page, dict))
        for key, value in given.items()
        if key in METHODS
    }
    return {key: value for key, value in pages.items() if value}


def recorded_listings(surface: Surface) -> dict[str, Any]:
    """The result metadata that a surface file stores: that of results which violate the specification, and languages.

    The rest is left out, because the lifetime of a list may change with each reading and is not part of any promise.
    """
    wrong = {departure.listing for departure in departures(surface)}
    return {
        **{key: {LANGUAGE: language} for key, language in languages(surface).items()},
        **{
            key: dict(pages[0]) if len(pages) == 1 else [dict(page) for page in pages]
            for key, pages in surface.listings.items()
            if key in wrong
        },
    }
