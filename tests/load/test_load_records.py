"""``mcp-load.json``: deterministic, reviewed, refused where it is not one."""

from __future__ import annotations

import json

import pytest
from documents import exactly
from made_probes import probe
from replacing import replace

from mcp_governor.documents import schema_of
from mcp_governor.errors import FileFormatError
from mcp_governor.load.findings import LoadRecord, RecordedList, RecordedTime, load_record, record_of
from mcp_governor.load.listing import Yardstick
from mcp_governor.target import LiveSource
from mcp_governor.wire import HttpEndpoint, StdioEndpoint

LOCAL = LiveSource("t", StdioEndpoint(("server",)))


def test_a_record_survives_the_file_and_is_the_same_text_each_time(tmp_path):
    record = record_of(probe(), LOCAL)
    file = tmp_path / "mcp-load.json"
    file.write_text(record.text())
    assert load_record(file, shown="mcp-load.json") == record
    assert record_of(probe(), LOCAL).text() == record.text()
    exactly(schema_of(LoadRecord), json.loads(record.text()))
    assert list(json.loads(record.text())["list"]["tools"]) == ["big", "small"]


@pytest.mark.parametrize(("ratio", "kept"), [(2.4, 2.0), (1.7, 2.0), (2.6, 2.6), (1.5, 1.5)])
def test_the_recorded_time_only_moves_when_the_time_does(ratio, kept):
    before = LoadRecord(RecordedList(1, 1, {}), RecordedTime("stdio modern", 2.0))
    assert record_of(probe(p50=ratio, null=1.0), LOCAL, before).time.ratio == kept
    # Over another transport it is another time.
    assert (
        record_of(probe(p50=ratio, null=1.0), LOCAL, replace(before, time=RecordedTime("http modern", 2.0))).time.ratio
        == ratio
    )


def test_no_time_is_recorded_of_another_machine_or_without_a_yardstick():
    remote = LiveSource("t", HttpEndpoint("https://example.com/mcp"))
    assert record_of(probe(), remote).time is None
    assert "time" not in json.loads(record_of(probe(stick=False), LOCAL).text())


def test_the_ratio_is_that_of_the_fastest_lists():
    assert Yardstick(3, 900.0, 80.0, 6.0, 2.0).ratio == 3.0


def test_no_file_is_no_record(tmp_path):
    assert load_record(tmp_path / "none.json", shown="none.json") is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"format": "mcp-governor/load-2", "list": {"bytes": 1, "tokens": 1, "tools": {}}}',
        '{"format": "mcp-governor/load-1", "list": {"bytes": -1, "tokens": 1, "tools": {}}}',
        '{"format": "mcp-governor/load-1", "list": {"bytes": 1, "tokens": 1, "tools": {}}, "time": {"ratio": 0}}',
        "[" * 100_000,
        "\xff",
    ],
)  # fmt: skip
def test_what_is_no_record_is_refused_with_the_way_out(tmp_path, text):
    file = tmp_path / "mcp-load.json"
    file.write_text(text, encoding="latin-1")
    with pytest.raises(FileFormatError, match="is not a record of load probe") as caught:
        load_record(file, shown="mcp-load.json")
    assert caught.value.hint == "Write it again: mcp-governor load probe --record"
