"""The order of the tools, and names and schemas as a host sends them."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from mcp_governor.evaluation.offering import MAX_NAME, as_sent, offered_tools
from mcp_governor.surface import build_surface

FITS = {
    "anthropic": r"[a-zA-Z0-9_-]{1,64}",
    "openai": r"[a-zA-Z0-9_-]{1,64}",
    "local": r"[a-zA-Z0-9_-]{1,64}",
    "google": r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}",
}
NAMES = st.lists(st.one_of(st.text(max_size=80), st.from_regex(r"[ab_.1]{1,3}", fullmatch=True)), max_size=12)


def _surface(*names: str):
    return build_surface({"tools": [{"name": name, "title": "T", "inputSchema": {"type": "object"}} for name in names]})


def test_an_offer_has_what_a_model_sees_and_nothing_else():
    (tool,) = offered_tools(_surface("a"))
    assert tool == {"name": "a", "inputSchema": {"type": "object"}}


@given(NAMES, st.sampled_from(sorted(FITS)), st.randoms(use_true_random=False))
def test_sent_names_fit_are_distinct_and_do_not_depend_on_the_order(names, family, random):
    names = list(dict.fromkeys(names))
    tools = [{"name": name, "inputSchema": {"type": "object", "properties": {}}} for name in names]
    sent = as_sent(family, tools)
    assert all(re.fullmatch(FITS[family], tool.name) for tool in sent)
    assert len({tool.name for tool in sent}) == len(names)
    assert [tool.published for tool in sent] == names
    for tool in sent:
        fits = re.fullmatch(FITS[family], tool.published) is not None
        assert (tool.name == tool.published, tool.changes) == (fits, () if fits else ("name",))
    random.shuffle(tools)
    assert {t.published: t.name for t in as_sent(family, tools)} == {t.published: t.name for t in sent}


def test_equal_names_are_told_apart():
    tools = [{"name": "same"}, {"name": "same"}, {"name": "x" * MAX_NAME}, {"name": "x" * MAX_NAME}]
    sent = [tool.name for tool in as_sent("anthropic", tools)]
    assert sent == ["same", "same_2", "x" * MAX_NAME, "x" * (MAX_NAME - 2) + "_2"]


def test_a_schema_that_a_provider_takes_is_the_very_same():
    schema = {"type": "object", "additionalProperties": False}
    for family in ("anthropic", "google"):
        (tool,) = as_sent(family, [{"name": "a", "inputSchema": schema}])
        assert tool.schema is schema
