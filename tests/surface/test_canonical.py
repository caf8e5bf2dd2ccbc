"""Canonical JSON against the reference implementation of RFC 8785."""

from __future__ import annotations

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from mcp_governor.surface.canonical import canonical_bytes, canonical_json

SAFE = 2**53 - 1
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-SAFE, SAFE)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
    # what a float looks like inside a string, and characters on both sides of the surrogates
    | st.text(st.sampled_from('[:,-1.eIN"\\\ufb33\U0001f600'), max_size=6)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(VALUES)
def test_agrees_with_the_reference(value: object) -> None:
    assert canonical_bytes(value) == rfc8785.dumps(value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1e-5, "0.00001"),
        (1e-7, "1e-7"),
        (1e21, "1e+21"),
        (1e20, "100000000000000000000"),
        (-0.0, "0"),
        (1.0, "1"),
        (4.35, "4.35"),
        (9223372036854775807, "9223372036854775807"),
        ({"\U0001f600": 1, "\ufb33": 2}, '{"\U0001f600":1,"\ufb33":2}'),
    ],
)
def test_numbers_and_key_order(value: object, text: str) -> None:
    assert canonical_json(value) == text


def test_big_integers_keep_their_last_digit() -> None:
    assert canonical_json(2**63 - 1) != canonical_json(2**63 - 2)


def test_lone_surrogates_have_a_digestible_form() -> None:
    assert canonical_bytes("\ud800") != canonical_bytes("\ud801")


def test_nan_is_refused() -> None:
    with pytest.raises(ValueError, match="not a JSON number"):
        canonical_json(float("nan"))
