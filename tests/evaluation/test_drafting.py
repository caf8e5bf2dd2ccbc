"""Drafts of query sets, what they repeat of the descriptions, and what a set covers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commandline import governor_here
from hypothesis import given
from hypothesis import strategies as st

from mcp_governor.evaluation.drafting import MAX_ABSTAIN, MAX_TOOLS, drafts
from mcp_governor.evaluation.model import Kind, Query
from mcp_governor.evaluation.queries import as_line, parse_set
from mcp_governor.evaluation.query_checks import coverage, leak_of, names_tool
from mcp_governor.evaluation.terms import tool_text
from mcp_governor.surface import build_surface

TOOLS = [
    {
        "name": "shop_create_order",
        "description": "Creates a new order for a customer. Set up with articles.",
        "inputSchema": {
            "type": "object",
            "properties": {"speed": {"enum": ["express", "normal"]}, "note": {"type": "string"}},
            "required": ["speed"],
        },
    },
    {"name": "shop_delete_order", "description": "Deletes an order.", "inputSchema": {"type": "object"}},
    {"name": "shop_list_files", "description": "Lists files of the shop.", "inputSchema": {"type": "object"}},
    {"name": "shop_add", "description": "Adds.", "inputSchema": {"type": "object"}},
]


def by_id(tools: list = TOOLS, existing: tuple[Query, ...] = ()) -> dict[str, Query]:
    return {query.id: query for query in drafts(tools, existing)}


class TestDrafts:
    def test_each_tool_has_a_positive_and_a_sibling_query(self) -> None:
        found = list(drafts(TOOLS))
        for tool in TOOLS:
            kinds = [query.kind for query in found if tool["name"] in query.gold]
            assert kinds == [Kind.POSITIVE, Kind.SIBLING]
        assert sum(query.kind is Kind.ABSTAIN for query in found) == 3
        assert all(query.draft for query in found)

    def test_sentences_are_not_made_of_the_description(self) -> None:
        found = by_id()
        order = found["shop_create_order-1"]
        # "Set up a fresh {thing}" and "I need a new {thing}" share words with the description; the third does not.
        assert order.text == "Could you make one more order?"
        assert found["shop_list_files-1"].text == "Which files are there?"
        assert found["shop_add-1"].text == "Put this in as well."
        for tool in TOOLS:
            assert not leak_of(found[f"{tool['name']}-1"], [tool_text(tool)])

    def test_the_sibling_is_the_nearest_tool(self) -> None:
        sibling = by_id()["shop_create_order-2"]
        assert "shop_delete_order" in sibling.note
        assert sibling.text.endswith("I do not want to delete anything.")

    def test_one_tool_has_no_sibling(self) -> None:
        assert [query.kind for query in drafts(TOOLS[:1])] == [Kind.POSITIVE] + [Kind.ABSTAIN] * 3

    def test_requests_that_share_a_word_with_a_tool_are_left_out(self) -> None:
        pizza = {"name": "bake", "description": "Bakes a pizza with mushrooms, sings a lullaby."}
        texts = [query.text for query in drafts([pizza]) if query.kind is Kind.ABSTAIN]
        assert not any("pizza" in text or "lullaby" in text for text in texts)
        assert len(texts) == 3

    def test_what_a_set_has_is_not_drafted_again(self) -> None:
        existing = tuple(drafts(TOOLS))
        assert list(drafts(TOOLS, existing)) == []
        edited = tuple(query for query in existing if query.id != "shop_add-1")
        assert [query.id for query in drafts(TOOLS, edited)] == ["shop_add-1"]
        mine = Query("shop_add-1", "Put flour in the basket", ("shop_delete_order",), Kind.POSITIVE)
        ids = [query.id for query in drafts(TOOLS, (*edited, mine))]
        assert ids == ["shop_add-1-2"]

    def test_their_number_is_bounded(self) -> None:
        many = [{"name": f"tool_{number}", "description": "d"} for number in range(MAX_TOOLS + 5)]
        found = list(drafts(many))
        assert sum(query.kind is Kind.POSITIVE for query in found) == MAX_TOOLS
        assert sum(query.kind is Kind.ABSTAIN for query in found) == MAX_ABSTAIN


NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)


@given(
    st.lists(
        st.builds(
            lambda name, text, argument: {
                "name": name,
                "description": text,
                "inputSchema": {
                    "properties": {argument: {"type": "string", "enum": [text]}},
                    "required": [argument, 1, None],
                },
            },
            NAMES,
            NAMES,
            NAMES,
        ),
        max_size=4,
        unique_by=lambda tool: tool["name"],
    )
)
def test_drafts_of_any_tools_are_valid_lines(tools: list) -> None:
    lines = "\n".join(json.dumps(as_line(query)) for query in drafts(tools))
    queries, problems = parse_set(lines.encode(), "set")
    assert problems == []
    assert len(queries.queries) >= 3


FORECAST = tool_text({"name": "get_forecast", "description": "Returns the hourly weather forecast of a European town."})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Please get forecast for Rome", 'has the name of its tool, "get_forecast"'),
        ("call getForecast now", "has the name"),
        ("Show an hourly weather forecast of European quality", 'repeats the description of get_forecast: "hourli'),
        ("European town weather returns", "has 4 of its 4 content words from the description of get_forecast"),
        ("Weather of a town in Italy on Sunday?", None),
        ("weather forecast town", None),
        ("Do I need an umbrella?", None),
        ("", None),
    ],
)
def test_what_a_query_repeats(text: str, said: str | None) -> None:
    found = leak_of(Query("q", text, ("get_forecast",)), [FORECAST])
    assert (found is None) if said is None else (found is not None and said in found)


def test_a_name_of_one_word_is_no_leak() -> None:
    assert not names_tool("echo this", "echo")
    assert names_tool("list the open Issues now: open_issues", "openIssues")
    assert not names_tool("open or closed issues", "open_issues")


WORDS = st.lists(st.sampled_from("abc"), max_size=8)


def test_coverage_counts_queries_and_parameters() -> None:
    surface = build_surface({"tools": TOOLS})
    queries = [
        Query("1", "a", ("shop_create_order",), Kind.POSITIVE, arguments={"note": 1, "gone": 2}),
        Query("2", "b", ("shop_create_order", "shop_add"), Kind.SIBLING),
    ]
    first, *_, last = coverage(queries, surface.tools)
    assert (first.positive, first.sibling, first.parameters, first.matched) == (1, 1, ("speed", "note"), ("note",))
    assert (last.positive, last.sibling) == (0, 1)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "server.json").write_text(json.dumps({"tools": TOOLS}))
    monkeypatch.chdir(tmp_path)
    return tmp_path


class TestCommands:
    def test_a_set_is_drafted_checked_and_completed(self, folder: Path, capsys) -> None:
        done = governor_here("eval", "init", "server.json", capsys=capsys)
        assert (done.code, done.err) == (0, "")
        assert done.out.startswith("mcp-queries.jsonl: 11 drafts written (4 positive, 4 sibling, 3 abstain)\nNext: ")
        first = (folder / "mcp-queries.jsonl").read_bytes()
        assert governor_here("eval", "init", "server.json", capsys=capsys).out.startswith(
            "mcp-queries.jsonl: every tool has its queries; nothing was written.\n"
        )
        assert (folder / "mcp-queries.jsonl").read_bytes() == first
        # A new tool; the lines of before stay, edited or not, down to the byte.
        edited = first.replace(b"Put this in as well.", "Lege Mehl in den Korb, bitte — ja.".encode()).rstrip(b"\n")
        (folder / "mcp-queries.jsonl").write_bytes(edited)
        (folder / "server.json").write_text(json.dumps({"tools": [*TOOLS, {"name": "shop_send_mail"}]}))
        done = governor_here("eval", "init", "server.json", capsys=capsys)
        after = (folder / "mcp-queries.jsonl").read_bytes()
        assert after.startswith(edited + b"\n")
        assert "11 queries kept as they were" in done.out
        assert [json.loads(line)["id"] for line in after[len(edited) :].splitlines() if line] == [
            "shop_send_mail-1",
            "shop_send_mail-2",
        ]

    def test_a_set_that_cannot_be_read_is_left_alone(self, folder: Path, capsys) -> None:
        (folder / "mcp-queries.jsonl").write_text("{")
        done = governor_here("eval", "init", "server.json", capsys=capsys)
        assert (done.code, done.out) == (2, "")
        assert "mcp-queries.jsonl:1: The line is not JSON" in done.err
        assert (folder / "mcp-queries.jsonl").read_text() == "{"

    def test_check_shows_problems_warnings_and_coverage(self, folder: Path, capsys) -> None:
        lines = [
            {"query": "shop add", "gold_tools": ["shop_add"]},
            {"query": "Bring it", "gold_tools": ["shop_create_odrer"]},
            {"query": "Quick one", "gold_tools": ["shop_create_order"], "arguments": {"sped": "express"}},
            {"query": "Pizza", "draft": True},
        ]
        (folder / "mcp-queries.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        done = governor_here("eval", "check", "server.json", capsys=capsys)
        assert done.code == 1
        assert done.out == (
            'mcp-queries.jsonl:1: warning: The query has the name of its tool, "shop_add". '
            "Write what a user would say.\n"
            'mcp-queries.jsonl:2: error: The server has no tool "shop_create_odrer" (gold_tools). '
            'Did you mean "shop_create_order"?\n'
            'mcp-queries.jsonl:3: error: The argument "sped" is not a parameter of "shop_create_order". '
            'Did you mean "speed"?\n'
            'mcp-queries.jsonl: warning: 1 query is still a draft: write what users say, and remove "draft".\n'
            "\n"
            "4 queries (3 positive, 1 abstain), 2 errors, 2 warnings\n"
            "Coverage: 2 of 4 tools, 0 of 2 parameters\n"
            "  no query: shop_delete_order, shop_list_files\n"
            "  no sibling query: shop_create_order, shop_add\n"
        )
        document = json.loads(governor_here("eval", "check", "server.json", "--format", "json", capsys=capsys).out)
        assert [(one["line"], one["severity"]) for one in document["problems"]] == [
            (1, "warning"),
            (2, "error"),
            (3, "error"),
            (None, "warning"),
        ]
        assert document["coverage"][0]["parameters"] == ["speed", "note"]

    def test_warnings_fail_where_they_shall(self, folder: Path, capsys) -> None:
        governor_here("eval", "init", "server.json", capsys=capsys)
        assert governor_here("eval", "check", "server.json", capsys=capsys).code == 0
        assert governor_here("eval", "check", "server.json", "--fail-on", "warning", capsys=capsys).code == 1
        assert governor_here("eval", "check", "server.json", "--fail-on", "never", capsys=capsys).code == 0
