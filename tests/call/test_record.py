"""Recording calls, masking what must not be written, and reading them back."""

from __future__ import annotations

import json

import pytest

from mcp_governor.call.cases import Case, CaseResult, Purpose
from mcp_governor.call.masking import mask
from mcp_governor.call.outcome import Channel, Outcome
from mcp_governor.call.record import load_recordings, split_recordings, write_recordings
from mcp_governor.errors import FileFormatError
from mcp_governor.secret_detection import learn


def made(arguments, response, tool="find", purpose=Purpose.CONFIGURED):
    return CaseResult(Case(tool, arguments, purpose), Outcome(Channel.RESULT, "success"), 1.0, response)


@pytest.mark.parametrize(
    ("value", "masked"),
    [
        ("at 2026-11-21T23:40:01.123Z it was", "at [masked:time] it was"),
        ("2026-01-15", "2026-01-15"),
        ("id 123e4567-e89b-42d3-a456-426614174000", "id [masked:uuid]"),
        ("d41d8cd98f00b204e9800998ecf8427e", "[masked:digest]"),
        ("/tmp/tmpab12/file.txt is open", "[masked:temporary-path] is open"),
        ("Authorization: Bearer abcdef123456", "Authorization: [masked:bearer]"),
        ("sk-" + "live-" + "a1B2" * 5, "[masked:key]"),
        ("ghp_" + "a1B2" * 6, "[masked:key]"),
        ("postgres://user:hunter2@db/x", "postgres://[masked:url-password]@db/x"),
        ("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----", "[masked:private-key]"),
        ("a plain sentence, 42", "a plain sentence, 42"),
        ({"password": "x", "api_key": "y"}, {"password": "[masked:secret]", "api_key": "[masked:secret]"}),
        ("created at 3:12:06 AM", "created at [masked:time]"),
        ("on Sun Nov 22 2026 03:12:06 GMT+0000 (Coordinated Universal Time)", "on [masked:time]"),
        ("Date:   Sun Nov 22 02:21:30 2026 +0000", "Date:   [masked:time]"),
        ("Last-Modified: Sun, 22 Nov 2026 03:12:06 GMT", "Last-Modified: [masked:time]"),
        ("01K0ABCDEFGHJKMNPQRSTVWXYZ", "[masked:uuid]"),
        ("at http://localhost:49213/mcp", "at http://[masked:port]/mcp"),
        ("done in 12.5 ms", "done in [masked:duration]"),
        ("took 0.31s", "took [masked:duration]"),
        ("Duration: 10 seconds", "Duration: 10 seconds"),
        ("the ratio 16:9 and the time 12:30", "the ratio 16:9 and the time 12:30"),
        ("<object at 0x7f8a2c114d50>", "<object at [masked:digest]>"),
        ("server pid=4711 is up", "server [masked:process] is up"),
        ("C:\\Users\\a\\AppData\\Local\\Temp\\x1\\y.txt", "[masked:temporary-path]"),
        ("Basic dXNlcjpwYXNz", "[masked:bearer]"),
        ("Basic information about it", "Basic information about it"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "[masked:jwt]"),
        ("GET /x?api_key=abcdef99&page=2", "GET /x?[masked:secret]&page=2"),
        (
            {"createdAt": "x", "durationMs": 3, "requestId": "r-1"},
            dict.fromkeys(("createdAt", "durationMs", "requestId"), "[masked:volatile]"),
        ),
        ({"accessTokens": ["a", "b"], "tokenCount": 3}, {"accessTokens": ["[masked:secret]"] * 2, "tokenCount": 3}),
        ({"123e4567-e89b-42d3-a456-426614174000": 1}, {"[masked:uuid]": 1}),
        ({"token_estimate": 30, "token_count": 3}, {"token_estimate": 30, "token_count": 3}),
        ({"elapsed_ms": 3.2, "took": True}, {"elapsed_ms": "[masked:volatile]", "took": True}),
        ([None, 1, True], [None, 1, True]),
    ],
)
def test_what_is_masked(value, masked):
    assert mask(value) == masked


def test_known_secrets_are_masked_wherever_they_stand():
    learn("correct horse", "PASSWORD")
    learn("abc", "TOKEN")
    masked = mask({"a correct horse": ["correct horse, abc"]})
    assert masked == {"a [masked:secret]": ["[masked:secret], abc"]}


def test_the_mirror_of_a_result_is_masked_like_the_result():
    text = json.dumps({"password": "hunter2", "n": 1})
    assert json.loads(mask(text)) == {"password": "[masked:secret]", "n": 1}


def test_calls_are_written_and_read_back(tmp_path):
    folder = tmp_path / "calls"
    results = [
        made({"q": "a"}, {"content": [], "structuredContent": {"at": "2026-11-21T23:40:01Z"}}),
        made({"q": "b"}, {"content": []}),
        made({"q": "c"}, None),
        made({}, {"content": []}, "mcp_governor_unknown", Purpose.UNKNOWN_TOOL),
        made({"q": "Bearer abcdef123456"}, {"content": []}),
        made({}, {"content": []}, tool="../../evil name"),
    ]
    files = write_recordings(folder, results)
    assert [file.parent for file in files] == [folder] * 3
    assert all("/" not in file.name for file in files)
    calls = load_recordings(folder)
    assert {call["arguments"].get("q") for call in calls} == {"a", "b", None}
    (first,) = [call for call in calls if call["arguments"] == {"q": "a"}]
    assert first["result"]["structuredContent"] == {"at": "[masked:time]"}
    assert (first["status"], first["channel"]) == ("success", "result")


def test_the_same_calls_give_the_same_bytes(tmp_path):
    for name in ("one", "two"):
        write_recordings(tmp_path / name, [made({"q": "a"}, {"content": [{"b": 1, "a": 2}]})])
    (one,), (two,) = ((tmp_path / name).iterdir() for name in ("one", "two"))
    assert (one.name, one.read_bytes()) == (two.name, two.read_bytes())


def test_hand_written_calls_are_expectations_and_recorded_ones_are_baselines(tmp_path):
    (tmp_path / "a.json").write_text('[{"name": "find", "arguments": {"q": "a"}, "status": "error", "kind": "x"}]')
    (tmp_path / "b.json").write_text('{"tool": "list", "result": {"content": []}}')
    configured, recorded = split_recordings(load_recordings(tmp_path))
    assert [(call.tool, call.arguments, call.status, call.kind) for call in configured] == [
        ("find", {"q": "a"}, "error", "x")
    ]
    assert [(call["tool"], call["arguments"]) for call in recorded] == [("list", {})]


@pytest.mark.parametrize(
    "text", ["{", "[3]", '{"tool": ""}', '{"tool": "a", "arguments": []}', '{"tool": "a", "status": 3}', "null"]
)
def test_a_file_that_is_not_a_call_is_named(tmp_path, text):
    (tmp_path / "broken.json").write_text(text)
    with pytest.raises(FileFormatError, match=r"broken\.json"):
        load_recordings(tmp_path)


def test_a_folder_that_cannot_be_made_is_reported(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FileFormatError, match=r"calls/find-[0-9a-f]+\.json cannot be written: Not a directory"):
        write_recordings(tmp_path / "file" / "calls", [made({}, {"content": []})])
