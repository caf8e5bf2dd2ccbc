"""What meta-schemas refuse, part by part: the same as asked about the whole, with places that are exact."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_governor.schemas import flaws
from mcp_governor.schemas.flaws import LISTING, UNLISTED, demands_of, listing_bytes, meta_flaws, meta_validator

DRAFTS = (4, 6, 7, 19, 20)


def places(schema: object, draft: int) -> set[str]:
    return {"/".join(map(str, flaw.instance_path)) for flaw in meta_flaws(schema, draft)}


@pytest.mark.parametrize("draft", DRAFTS)
@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "nonsense"}, {"type"}),
        ({"properties": {"a": {"type": "nonsense"}, "b": {}}}, {"properties/a/type"}),
        ({"properties": {"a": 3}}, {"properties/a"}),
        ({"properties": []}, {"properties"}),
        ({"allOf": [{}, {"not": {"minLength": -1}}]}, {"allOf/1/not/minLength"}),
        ({"items": {"items": {"required": "a"}}}, {"items/items/required"}),
        ({"definitions": {"a": {"maxItems": "x"}}}, {"definitions/a/maxItems"}),
        ({"title": 1, "properties": {"a": {"title": 2}}}, {"title", "properties/a/title"}),
        ({"additionalProperties": {"enum": 1}}, {"additionalProperties/enum"}),
        ({"description": "all is well", "default": {"type": 1}, "const": {"type": 1}}, set()),
    ],
)
def test_each_mistake_has_its_own_place(schema: object, expected: set[str], draft: int) -> None:
    assert places(schema, draft) == expected


@pytest.mark.parametrize(
    ("schema", "since", "until"),
    [
        ({"prefixItems": [{"type": 1}]}, 20, 20),
        ({"$defs": {"a": {"type": 1}}}, 19, 20),
        ({"items": [{"type": 1}]}, 4, 20),  # a list is no schema at all in 2020-12
        ({"if": {"type": 1}}, 7, 20),
        ({"contains": {"type": 1}}, 6, 20),
        ({"dependentSchemas": {"a": {"type": 1}}}, 19, 20),
    ],
)
def test_a_draft_looks_into_its_own_keywords(schema: object, since: int, until: int) -> None:
    assert [draft for draft in DRAFTS if places(schema, draft)] == [d for d in DRAFTS if since <= d <= until]


SCHEMAS = st.recursive(
    st.sampled_from(
        [{}, {"type": "string"}, {"type": 1}, {"minLength": -1}, {"required": ["a", "a"]}, {"enum": []}, True, 3, None]
    ),
    lambda below: (
        st.dictionaries(st.sampled_from(["not", "items", "if", "contains", "additionalProperties"]), below, max_size=2)
        | st.fixed_dictionaries({"properties": st.dictionaries(st.sampled_from("ab"), below, max_size=2)})
        | st.fixed_dictionaries({"anyOf": st.lists(below, min_size=1, max_size=2)})
        | st.fixed_dictionaries({"dependencies": st.dictionaries(st.sampled_from("ab"), below, max_size=2)})
        | st.fixed_dictionaries({"items": st.lists(below, max_size=2)})
    ),
    max_leaves=8,
)


@given(SCHEMAS, st.sampled_from(DRAFTS))
def test_something_is_found_exactly_where_the_whole_is_refused(schema: object, draft: int) -> None:
    found = list(meta_flaws(schema, draft))
    assert bool(found) is not meta_validator(draft).is_valid(schema)
    assert UNLISTED not in found


def test_what_is_beyond_the_members_that_are_looked_at_is_refused_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flaws, "_MAX_MEMBERS", 3)
    assert list(meta_flaws({"required": ["a", "b", "c", 1]}, 20)) == [UNLISTED]
    assert places({"required": ["a", 1, "c", 1]}, 20) == {"required/1"}


@pytest.mark.parametrize(
    ("schema", "demands"),
    [
        ({}, 1),
        ({"type": "object"}, 2),
        ({"required": ["a", "b", "c"]}, 5),
        ({"anyOf": [{"type": "string"}, {"required": ["a", "b"]}]}, 2 + 2 + 4),
        (
            {"$defs": {"a": {"type": "string"}}, "allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}]},
            3 + 2 * (2 + 2),
        ),
    ],
)
def test_demands_count_keywords_and_required_names_along_references(schema: object, demands: int) -> None:
    assert demands_of(schema) == demands


def test_a_schema_within_itself_demands_more_than_may_be_listed() -> None:
    tree = {"properties": {"below": {"$ref": "#"}}}
    assert listing_bytes(demands_of(tree), {}) > LISTING
