"""Forms and refusals: every row reads its own examples, and nothing is read where a refusal stands."""

from __future__ import annotations

import re
import time
import tomllib
from pathlib import Path

import pytest

from mcp_governor.builtin_rules import FORMS
from mcp_governor.prose import claims, formats, keys, limits

RULES = Path(__file__).parents[2] / "rules"
FORM = tomllib.loads((RULES / "forms.toml").read_text("utf-8"))["form"]
REFUSE = tomllib.loads((RULES / "refuse.toml").read_text("utf-8"))["refuse"]
READERS = {
    "values": claims.read_values,
    "needs": claims.read_needs,
    "format": formats.read_formats,
    "limit": limits.read_limits,
    "keys": keys.read_keys,
    "default": claims.read_defaults,
    "left-out": claims.read_left_out,
    **dict.fromkeys(("tool", "argument"), claims.read_references),
    **dict.fromkeys(("type", "null", "packed"), claims.read_types),
    **dict.fromkeys(("required", "spare"), claims.read_necessity),
}


def shown(claim: claims.Claim) -> str:
    """What a claim says, as the examples of the forms write it."""
    if claim.kind == "limit":
        low, high = (claim.said.get(side, "") for side in ("low", "high"))
        above, below = (claim.said.get(side, "") for side in ("above", "below"))
        return f"{above and '>'}{above}{low}..{below and '<'}{below}{high}"
    if claim.kind not in ("format", "keys", "limit", "values"):
        return next(iter(claim.said.values()), "")
    return claim.said.get("pattern") or "|".join(claim.listed.values)


@pytest.mark.parametrize("row", FORM, ids=lambda row: row["id"])
def test_a_form_reads_its_examples(row):
    read = READERS[row["kind"]]
    assert row["match"]
    for text, said in row["match"]:
        assert said in [shown(claim) for claim in read(text) if claim.form == row["id"]], text
    for text in row["refuse"]:
        assert [claim for claim in read(text) if claim.form == row["id"]] == [], text


@pytest.mark.parametrize("row", REFUSE, ids=lambda row: row["id"])
def test_nothing_is_read_where_a_refusal_stands(row):
    for text in row["examples"]:
        for kind in row["kinds"]:
            assert READERS[kind](text) == (), text


def test_every_example_contains_its_cues():
    for row in FORM:
        for text, _ in row["match"]:
            assert claims.Form(row).is_cued(text.lower()), text


def test_expressions_are_in_small_letters():
    for row in [*FORM, *REFUSE]:
        for source in (row.get(key, "") for key in ("expression", "unless", "after")):
            plain = re.sub(r"\\.|\(\?P<\w+>|\{[A-Z_]+\}", "", source)
            assert "(?-i:" in source or plain == plain.lower(), row["id"]


def test_ids_are_unique_and_the_built_rows_have_no_examples():
    assert len({row["id"] for row in FORM}) == len(FORM) == len(FORMS["form"])
    assert not {"match", "refuse"} & {key for row in FORMS["form"] for key in row}


def test_a_claim_can_be_checked():
    """The sentence stands in the text, and the values stand in the sentence."""
    for row, text in [(form, text) for form in FORM for text, _ in form["match"]]:
        for claim in READERS[row["kind"]](text):
            assert claim.sentence in " ".join(text.split())
            if claim.kind not in ("format", "keys", "limit", "values"):
                assert all(said in text for name, said in claim.said.items() if name not in row.get("says", {}))
            assert all(value in claim.sentence for value in claim.listed.values)
            start, end = claim.span
            assert 0 <= start <= end <= len(text)


PIECES = [
    *("'a', ", "a or ", "(a, ", "'a' for b ", "- `a`: b", "one of ", "values: ", "'", "\n- a", "a: ", "A|", "must be "),
    *("x (", "either ", "{'a': ", "if a b ", "valid a b c ", "... ", "a-", "、", "A A "),
]


@pytest.mark.parametrize("piece", PIECES)
def test_a_hostile_text_is_read_to_a_limit(piece):
    started = time.process_time()
    for read in READERS.values():
        read(piece * (1_000_000 // len(piece)))
    assert time.process_time() - started < 1


def test_a_letter_that_two_small_ones_stand_for_moves_no_span():
    text = "\u0130\u0130\u0130 The order. Default: Asc"
    (claim,) = claims.read_defaults(text)
    assert (claim.said, text[slice(*claim.span)]) == ({"word": "Asc"}, "Default: Asc")
