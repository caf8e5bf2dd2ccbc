"""The table of keywords, held against the meta-schemas of the dialects, and how dialects are named."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema_specifications import REGISTRY

from mcp_governor.schemas.dialects import DIALECTS, dialect_of
from mcp_governor.schemas.keywords import KEYWORDS, Holds, Role

LEFT_OUT = {"$defs", "definitions", "$ref", "format", "writeOnly"}
"""What some meta-schema does not list and is read all the same: generators write either word for definitions under any
``$schema``, draft 4 does not list its reference, and drafts 4 and 7 forgot an annotation."""
KEPT = {19: {"dependencies"}, 20: {"dependencies", "definitions", "$recursiveAnchor", "$recursiveRef"}}
"""What a meta-schema lists only for those who come from an older draft."""


def published(draft: int) -> dict[str, Any]:
    """Keyword → what the meta-schema of a draft says about its value."""
    uri = DIALECTS[draft].uri
    document = REGISTRY[uri].contents
    found = dict(document["properties"])
    for part in document.get("allOf", ()):
        vocabulary = REGISTRY[uri.rsplit("/", 1)[0] + "/" + part["$ref"]].contents
        found.update({k: v for k, v in vocabulary["properties"].items() if k not in found})
    return found


@pytest.mark.parametrize("draft", DIALECTS)
def test_each_dialect_knows_the_keywords_of_its_meta_schema(draft: int) -> None:
    ours = {name for name, keyword in KEYWORDS.items() if keyword.since <= draft <= keyword.until}
    theirs = set(published(draft))
    assert theirs - ours <= KEPT.get(draft, set())
    assert ours - theirs <= LEFT_OUT


def holds(says: Any) -> Holds:
    """How schemas stand in a value, from what a meta-schema says of it."""
    if not isinstance(says, dict):
        return Holds.NOTHING
    refers = [says[word] for word in ("$ref", "$dynamicRef", "$recursiveRef") if word in says]
    if refers:
        whole, listed = refers[0] in ("#", "#meta"), refers[0].endswith("schemaArray")
        return Holds.SCHEMA if whole else Holds.LIST if listed else Holds.NOTHING
    below = says.get("additionalProperties")
    if isinstance(below, dict):
        return Holds.MIXED if "anyOf" in below else Holds.MAP if holds(below) is Holds.SCHEMA else Holds.NOTHING
    # a boolean in draft 4, or a list of schemas under "items"
    return Holds.SCHEMA if Holds.SCHEMA in map(holds, says.get("anyOf", ())) else Holds.NOTHING


@pytest.mark.parametrize("draft", DIALECTS)
def test_schemas_stand_where_the_meta_schema_has_them(draft: int) -> None:
    found = {name: holds(says) for name, says in published(draft).items() if KEYWORDS[name].role is not Role.ASSERTION}
    assert found == {name: KEYWORDS[name].holds for name in found}
    assert len(found) > 10


@pytest.mark.parametrize(
    ("uri", "draft"),
    [
        ("https://json-schema.org/draft/2020-12/schema", 20),
        ("http://json-schema.org/draft/2020-12/schema#", 20),
        ("https://json-schema.org/draft/2019-09/schema#", 19),
        ("http://json-schema.org/draft-07/schema", 7),
        ("https://json-schema.org/draft-07/schema#", 7),
        ("http://json-schema.org/draft-06/schema#", 6),
        ("http://json-schema.org/draft-04/schema#", 4),
        ("http://json-schema.org/draft-07/schema##", None),
        ("http://json-schema.org/draft-03/schema#", None),
        ("json-schema.org/draft-07/schema", None),
        ("", None),
        (None, None),
        (7, None),
    ],
)
def test_a_dialect_is_named_with_either_scheme_and_an_empty_fragment_or_none(uri: Any, draft: int | None) -> None:
    assert dialect_of({"$schema": uri}) == draft


def test_a_schema_that_names_no_dialect_is_in_the_one_that_is_asked_for() -> None:
    assert [dialect_of({}), dialect_of(True), dialect_of({}, 7)] == [20, 20, 7]
