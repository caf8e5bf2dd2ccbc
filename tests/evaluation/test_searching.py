"""Ranks of tools among few and among many, and the words that change them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from commandline import governor_here
from hypothesis import given
from hypothesis import strategies as st
from replacing import replace

from mcp_governor.errors import FileFormatError, UsageError
from mcp_governor.evaluation import searching as crowd_module
from mcp_governor.evaluation.proxies import Bm25
from mcp_governor.evaluation.searching import MAX_PATTERN, RegexSearch, Searched, load_crowd, pattern_of
from mcp_governor.evaluation.terms import ToolText, tool_text


def tool(name: str, description: str = "") -> ToolText:
    return tool_text({"name": name, "description": description})


def replace_description(of: ToolText, description: str) -> ToolText:
    return replace(of, description=description.strip())


FORECAST = tool("get_forecast", "Forecast of a town.")
MAIL = tool("send_mail", "Sends a letter.")
TIME = tool("now", "Time in a town.")
OWN = [FORECAST, MAIL, TIME]

WORDS = ("town", "letter", "rain", "snow", "send", "forecast")
TEXTS = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)


@given(st.lists(TEXTS, min_size=1, max_size=5), TEXTS, st.lists(st.sampled_from(WORDS), max_size=3), st.data())
def test_words_that_are_tried_score_as_words_that_are_there(
    descriptions: list[str], query: str, added: list[str], data: st.DataObject
) -> None:
    tools = [tool(f"tool{number}", text) for number, text in enumerate(descriptions)]
    place = data.draw(st.integers(0, len(tools) - 1))
    tried = Bm25(tools).scores_with(query, place, added)
    tools[place] = replace_description(tools[place], " ".join((tools[place].description, *added)))
    assert tried == pytest.approx(Bm25(tools).scores(query))


class TestRank:
    def test_equals_come_first(self) -> None:
        searched = Searched("bm25", [tool("a", "rain"), tool("b", "rain"), tool("c", "snow")])
        assert searched.ranks("rain", ["a"])[1].rank == 2
        assert searched.ranks("rain", ["a"])[1].above == ("b",)
        # Each of them is right, so neither is in the way of the other.
        assert searched.ranks("rain", ["a", "b"])[1].rank == 1

    def test_what_shares_no_word_is_not_found(self) -> None:
        _, own, _ = Searched("bm25", OWN).ranks("paint a wall", ["now"])
        assert (own.rank, own.count) == (None, 3)

    def test_the_best_of_several_right_tools_counts(self) -> None:
        assert Searched("bm25", OWN).ranks("letter", ["now", "send_mail"])[0] == "send_mail"

    def test_others_push_a_tool_down_and_twins_do_not(self) -> None:
        other = tool("rain_radar", "Forecast of a town: forecast forecast.")
        searched = Searched("bm25", OWN, [other, *OWN])
        _, own, among = searched.ranks("forecast town", ["get_forecast"])
        assert (own.rank, own.count, among.count) == (1, 3, 4)
        # Another server's tool of the same name is another tool.
        namesake = tool("get_forecast", "Forecast forecast of a town, town, town.")
        _, _, among = Searched("bm25", OWN, [namesake]).ranks("forecast town", ["get_forecast"])
        assert among.count == 4


class TestLift:
    def test_one_word_of_the_query_is_enough_and_is_verified(self) -> None:
        searched = Searched("bm25", OWN)
        assert searched.ranks("Will it rain in my town?", ["get_forecast"])[1].rank == 2
        lift = searched.lift("Will it rain in my town?", "get_forecast", ["get_forecast"])
        assert lift is not None
        assert (lift.words, lift.own.rank, lift.lost) == (("rain",), 1, ())
        own = [replace_description(FORECAST, "Forecast of a town. rain"), MAIL, TIME]
        assert Searched("bm25", own).ranks("Will it rain in my town?", ["get_forecast"])[1].rank == 1

    def test_words_are_those_of_the_query_as_few_as_possible(self) -> None:
        others = [tool("x", "alpha beta gamma delta"), tool("y", "alpha beta gamma")]
        searched = Searched("bm25", [tool("mine", "something long that is about other things"), *others])
        lift = searched.lift("alpha beta gamma delta omega", "mine", ["mine"])
        assert lift is not None
        assert set(lift.words) <= {"alpha", "beta", "gamma", "delta", "omega"}
        for word in lift.words:
            fewer = " ".join(other for other in lift.words if other != word)
            own = [replace_description(searched.own[0], f"{searched.own[0].description} {fewer}"), *others]
            assert Searched("bm25", own).ranks("alpha beta gamma delta omega", ["mine"])[1].rank != 1

    def test_words_that_the_tool_has_are_not_repeated(self) -> None:
        # To say "rain" twice would win.
        searched = Searched("bm25", [tool("a", "rain sun"), tool("b", "rain moon")])
        assert searched.ranks("rain", ["a"])[1].rank == 2
        assert searched.lift("rain", "a", ["a"]) is None

    def test_a_query_that_loses_its_place_is_named(self) -> None:
        own = [tool("a", "letter and many things of an office with a desk"), tool("b", "stamp")]
        searched = Searched("bm25", own)
        others = [("Letter, please", ["a"]), ("desk", ["a"]), ("letter", ["a"]), ("stamp letter desk", ["a"])]
        lift = searched.lift("letter", "b", ["b"], others)
        assert lift is not None
        # The query itself is not one of the others, and one that is not first now has nothing to lose.
        assert (lift.words, lift.lost) == (("letter",), ("Letter, please", "stamp letter desk"))

    def test_meanings_and_patterns_have_no_words(self) -> None:
        assert Searched("regex", OWN).lift("rain", "now", ["now"]) is None


class TestRegex:
    def test_a_pattern_of_a_query_has_its_words(self) -> None:
        pattern = pattern_of("Please get me the rain-forecast of C++ (now)")
        assert pattern is not None
        assert pattern.pattern == "get|rain|forecast|now"
        assert pattern_of("what is it") is None
        assert len((pattern_of(" ".join(f"word{n}x" for n in range(200))) or pattern).pattern) <= MAX_PATTERN

    def test_the_rank_is_the_number_of_matches(self) -> None:
        searched = Searched("regex", OWN)
        assert searched.ranks("some town", ["now"])[1].rank == 2
        assert searched.ranks("letter", ["now"])[1].rank is None

    def test_a_pattern_is_as_the_provider_takes_it(self) -> None:
        assert RegexSearch(OWN, "Town").scores("") == [0, 0, 0]
        assert RegexSearch(OWN, "(?i)Town").scores("") == [1, 0, 1]
        for wrong, said in (("(", "is not a regular expression"), ("a" * 201, "takes 200 at most")):
            with pytest.raises(UsageError, match=said):
                RegexSearch(OWN, wrong)


def surface(*names: str) -> dict:
    return {"tools": [{"name": name, "description": "d", "inputSchema": {}} for name in names]}


class TestCrowd:
    def test_files_of_all_kinds_in_a_folder(self, tmp_path: Path) -> None:
        (tmp_path / "deep").mkdir()
        (tmp_path / "a.json").write_text(json.dumps(surface("a1", "a2")))
        (tmp_path / "list.json").write_text(json.dumps(surface("l1")["tools"]))
        (tmp_path / "package.json").write_text('{"name": "no surface"}')
        (tmp_path / "deep" / "b.json.gz").write_bytes(gzip.compress(json.dumps(surface("new", "b2")).encode()))
        found = load_crowd(tmp_path)
        assert [one.name for one in found] == ["a1", "a2", "new", "b2", "l1"]
        assert len(load_crowd(tmp_path / "a.json")) == 2

    def test_another_release_of_the_server_is_left_out(self, tmp_path: Path) -> None:
        (tmp_path / "release.json").write_text(json.dumps(surface("get_forecast", "send_mail", "new")))
        (tmp_path / "other.json").write_text(json.dumps(surface("now", "later", "never")))
        assert [one.name for one in load_crowd(tmp_path, OWN)] == ["now", "later", "never"]
        assert load_crowd(tmp_path / "release.json", OWN) == ()

    @pytest.mark.parametrize(
        ("name", "content", "said"),
        [
            ("a.json", b"{", "is cut off"),
            ("a.json.gz", b"no gzip", "cannot be read"),
            ("a.json.gz", gzip.compress(b"{}", mtime=0)[:-9], "cannot be read"),
            ("a.json", b'{"name": "x"}', "has no recorded surface"),
        ],
    )
    def test_what_cannot_be_read_is_named(self, tmp_path: Path, name: str, content: bytes, said: str) -> None:
        (tmp_path / name).write_bytes(content)
        with pytest.raises(FileFormatError, match=said):
            load_crowd(tmp_path)

    def test_what_unpacks_without_end_is_refused(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(crowd_module, "MAX_BYTES", 1_000)
        (tmp_path / "a.json.gz").write_bytes(gzip.compress(b" " * 10_000_000))
        with pytest.raises(FileFormatError, match="larger than"):
            load_crowd(tmp_path)

    def test_a_folder_that_is_gone_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(FileFormatError, match="gone cannot be read"):
            load_crowd(tmp_path / "gone")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    tools = [{"name": one.name, "description": one.description, "inputSchema": {"type": "object"}} for one in OWN]
    (tmp_path / "server.json").write_text(json.dumps({"tools": tools}))
    crowd = [{"name": "rain\u202e", "description": "Rain in a town", "inputSchema": {"type": "object"}}]
    (tmp_path / "crowd.json").write_text(json.dumps(crowd))
    lines = [
        {"query": "Will it rain in my town?", "gold_tools": ["get_forecast"]},
        {"query": "Write a letter", "gold_tools": ["send_mail"]},
        {"query": "Paint the wall"},
    ]
    (tmp_path / "mcp-queries.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in lines))
    monkeypatch.chdir(tmp_path)
    return tmp_path


class TestCommand:
    def test_a_set(self, folder: Path, capsys) -> None:
        done = governor_here("eval", "search", "--queries", "mcp-queries.jsonl", "server.json", capsys=capsys)
        assert (done.code, done.err) == (0, "")
        assert done.out == (
            'get_forecast  2 of 3  "Will it rain in my town?"\n'
            "    before it: now\n"
            '    with "rain" in its description: rank 1\n'
            "\n"
            "Among the 3 tools of this server: 1 of 2 queries find their tool first, 2 within the first 5, "
            "0 not at all (bm25, a proxy).\n"
            "Add a word only if it is true of the tool, and run eval search again.\n"
        )

    def test_a_set_among_others_as_json(self, folder: Path, capsys) -> None:
        line = "eval search --queries mcp-queries.jsonl --among crowd.json --format json server.json"
        done = governor_here(*line.split(), capsys=capsys)
        document = json.loads(done.out)
        assert document["own"] == {"tools": 3, "first": 1, "returned": 2, "not_found": 0}
        assert document["among"] == {"tools": 4, "first": 1, "returned": 2, "not_found": 0}
        row = document["queries"][0]
        assert (row["tool"], row["own"]["rank"], row["among"]["rank"]) == ("get_forecast", 3 - 1, 3)
        assert "\u202e" not in done.out

    def test_one_query_and_its_tool(self, folder: Path, capsys) -> None:
        done = governor_here("eval", "search", "rain in town", "server.json", "--tool", "get_forecast", capsys=capsys)
        assert [line.split()[:2] for line in done.out.splitlines()[:2]] == [["1", "get_forecast"], ["2", "now"]]
        assert 'with "rain" in its description: rank 1' in done.out

    def test_a_pattern(self, folder: Path, capsys) -> None:
        done = governor_here("eval", "search", "(?i)TOWN", "server.json", "--method", "regex", capsys=capsys)
        assert "2 of 3 tools match, in no order." in done.out

    @pytest.mark.parametrize(
        ("line", "code", "said"),
        [
            ("eval search a server.json --queries mcp-queries.jsonl", 2, "QUERY has no effect with --queries."),
            ("eval search --tool now", 2, "--tool has no effect without QUERY."),
            ("eval search a server.json --tool nwo", 2, 'no tool nwo. Did you mean "now"?'),
            ("eval search ( server.json --method regex", 2, "is not a regular expression"),
            ("eval search --queries other.jsonl server.json", 2, 'other.jsonl:2: the server has no tool "?gone'),
            ("eval search --queries none.jsonl server.json", 4, "so nothing was searched"),
            ("eval search a server.json --among gone", 2, "gone cannot be read"),
        ],
    )
    def test_wrong_command_lines(self, folder: Path, capsys, line: str, code: int, said: str) -> None:
        (folder / "other.jsonl").write_text('{"query": "b"}\n{"query": "a", "gold_tools": ["gone"]}\n')
        (folder / "none.jsonl").write_text('{"query": "a"}\n')
        done = governor_here(*line.split(), capsys=capsys)
        assert (done.code, done.out) == (code, "")
        import re

        assert re.search(said if "?g" in said else re.escape(said), done.err)
