"""Schemas that say more than anybody can compute, and honest ones that are merely large, through the command line.

A schema of 5 KB may stand for 2**40 values. Whatever is beyond the budget of a comparison is unknown, with the
reason; large honest schemas are decided.
"""

from __future__ import annotations

import copy
import json
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
from attack import MEGABYTE, SECONDS, attack

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Schema = dict[str, Any]


def an_object(properties: Schema, *required: str) -> Schema:
    return {"type": "object", "properties": properties, **({"required": list(required)} if required else {})}


def strings(count: int, longer: int = 0) -> Schema:
    return {f"p{n}": {"type": "string", "maxLength": n + 5 + longer} for n in range(count)}


def alternatives(keyword: str, count: int, *, tagged: bool = True) -> Schema:
    """Objects that differ in one property, and in the value of another where they carry a tag."""
    branches = []
    for n in range(count):
        tag = "kind" if tagged else f"kind{n}"
        branches.append(an_object({tag: {"const": f"k{n}"}, f"v{n}": {"type": "integer", "maximum": n}}, tag))
    return an_object({"x": {keyword: branches}})


def doubling(level: Callable[[Schema], Schema], leaf: Schema, levels: int = 40) -> Schema:
    """A schema to whose last definition 2**levels ways lead, each of them through a required part."""
    chain = {f"d{n}": level({"$ref": f"#/$defs/d{n + 1}"}) for n in range(levels)}
    return {**an_object({"x": {"$ref": "#/$defs/d0"}}, "x"), "$defs": {**chain, f"d{levels}": leaf}}


LEVELS: dict[str, Callable[[Schema], Schema]] = {
    "properties": lambda ref: an_object({"l": ref, "r": ref}, "l", "r"),
    "twelve properties": lambda ref: an_object({f"w{n}": ref for n in range(12)}, *(f"w{n}" for n in range(12))),
    "anyOf": lambda ref: {"anyOf": [ref, an_object({"n": ref}, "n")]},
    "allOf": lambda ref: {"allOf": [ref, ref]},
    "oneOf": lambda ref: {"oneOf": [{"allOf": [ref]}, {"allOf": [ref, {"type": "null"}]}]},
}
WIDE, NARROW = {"type": ["string", "null", "integer"]}, {"type": ["string", "null"]}


def surface(folder: Path, name: str, *schemas: Schema) -> Path:
    tools = [
        {"name": f"t{n}", "description": "Does it.", "inputSchema": schema, "annotations": {"readOnlyHint": True}}
        for n, schema in enumerate(schemas)
    ]
    file = folder / f"{name}.json"
    digests = {"fingerprint": f"v1:sha256:{'0' * 64}", "wording": f"w1:sha256:{'0' * 64}"}
    file.write_text(json.dumps({"format": "mcp-governor/surface-1", **digests, "tools": tools}))
    return file


def pair(folder: Path, old: Schema, new: Schema) -> tuple[Path, Path]:
    return surface(folder, "old", old), surface(folder, "new", new)


def server(folder: Path, schema: Schema, *, output: Schema | None = None, result: Any = None) -> tuple[str, ...]:
    """The command of a server that publishes one tool with a schema, and answers its calls with a result."""
    (folder / "server.py").write_text(_SERVER)
    published = surface(folder, "published", schema)
    listed = json.loads(published.read_text())
    listed["answer"] = {"content": [{"type": "text", "text": "done"}]}
    if output is not None:
        listed["tools"][0]["outputSchema"] = output
        listed["answer"]["structuredContent"] = result
    published.write_text(json.dumps(listed))
    return sys.executable, str(folder / "server.py"), str(published)


_SERVER = """
import json, sys
published = json.load(open(sys.argv[1]))
tools = published["tools"]
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    told = {
        "initialize": {"capabilities": {"tools": {}}, "serverInfo": {"name": "hostile", "version": "1.0.0"},
                       "protocolVersion": message.get("params", {}).get("protocolVersion")},
        "tools/list": {"tools": tools},
        "tools/call": published["answer"],
    }.get(message["method"])
    body = {"result": told} if told is not None else {"error": {"code": -32601, "message": "unknown"}}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **body}), flush=True)
"""


@pytest.mark.parametrize("way", LEVELS)
def test_a_change_below_two_to_the_forty_ways_is_reported(tmp_path: Path, way: str) -> None:
    old, new = pair(tmp_path, doubling(LEVELS[way], WIDE), doubling(LEVELS[way], NARROW))
    run = attack("diff", old, new, "--format", "json", cwd=tmp_path).held(1)
    changes = run.report["changes"]
    assert changes
    for change in changes:
        # decided, or said aloud that it is not
        assert change["verdict"] == "breaking" or (change["verdict"] == "unknown" and change["reason"]), change


@pytest.mark.parametrize("way", ["twelve properties", "anyOf", "oneOf"])
def test_lint_does_not_follow_every_way(tmp_path: Path, way: str) -> None:
    attack("lint", surface(tmp_path, "new", doubling(LEVELS[way], WIDE)), "--isolated", cwd=tmp_path).held(0, 1)


@pytest.mark.parametrize("way", ["properties", "twelve properties", "allOf", "oneOf"])
def test_call_makes_no_arguments_of_two_to_the_forty_parts(tmp_path: Path, way: str) -> None:
    command = server(tmp_path, doubling(LEVELS[way], WIDE))
    run = attack("call", "--isolated", "--", *command, cwd=tmp_path).held(1, 4)
    if run.code == 4:
        assert "t0" in run.reported or "no tool" in run.reported.lower()


def test_call_of_2500_alternatives_is_flat_in_memory(tmp_path: Path) -> None:
    attack("call", "--isolated", "--", *server(tmp_path, alternatives("anyOf", 2_500)), cwd=tmp_path).held()


def edited(schema: Schema, keyword: str, at: int) -> Schema:
    new = copy.deepcopy(schema)
    new["properties"]["x"][keyword][at]["properties"][f"v{at}"]["maximum"] = 7
    return new


def one_longer(count: int) -> tuple[Schema, Schema]:
    old, new = strings(count), strings(count)
    new["p77"]["maxLength"] = 3
    return an_object(old), an_object(new)


def fewer_values() -> tuple[Schema, Schema]:
    values = [f"value {n}" for n in range(5_000)]
    return an_object({"e": {"enum": values}}), an_object({"e": {"enum": values[:77] + values[78:]}})


ANY, ONE, UNTAGGED = (
    alternatives("anyOf", 2_500),
    alternatives("oneOf", 2_000),
    alternatives("anyOf", 3_000, tagged=False),
)
HONEST: dict[str, tuple[Schema, Schema, str]] = {
    "15,000 properties": (*one_longer(15_000), "/inputSchema/properties/p77/maxLength"),
    "2,500 of anyOf": (
        ANY,
        edited(ANY, "anyOf", 1_234),
        "/inputSchema/properties/x/anyOf/1234/properties/v1234/maximum",
    ),
    "2,000 of oneOf": (
        ONE,
        edited(ONE, "oneOf", 1_234),
        "/inputSchema/properties/x/oneOf/1234/properties/v1234/maximum",
    ),
    "5,000 values": (*fewer_values(), "/inputSchema/properties/e/enum"),
}


@pytest.mark.parametrize("case", HONEST)
def test_one_edit_of_a_large_schema_is_found_and_decided(tmp_path: Path, case: str) -> None:
    old, new, path = HONEST[case]
    run = attack("diff", *pair(tmp_path, old, new), "--format", "json", cwd=tmp_path).held(1)
    reported = [(change["path"], change["verdict"], "witness" in change) for change in run.report["changes"]]
    assert reported == [(path, "breaking", True)]


def many_patterns(pattern: str, count: int) -> tuple[Schema, Schema]:
    old = {f"p{n}": {"type": "string", "pattern": pattern + str(n)} for n in range(count)}
    return an_object(old), an_object({**old, "p77": {"type": "string", "pattern": "^other$"}})


def many_objects(count: int) -> tuple[Schema, Schema]:
    values = [{"a": n} for n in range(count)]
    return an_object({"x": {"enum": values}}), an_object({"x": {"enum": values[1:]}})


# What a native validator of each takes: 6 KB of text a gigabyte.
HEAVY_VALIDATORS: dict[str, tuple[Schema, Schema]] = {
    "a thousand long repetitions": many_patterns(".{1000}", 1_000),
    "20,000 patterns": many_patterns(r"^(a|[\w]{1,90}\d*)", 20_000),
    "60,000 objects in an enum": many_objects(60_000),
}


@pytest.mark.parametrize("case", HEAVY_VALIDATORS)
@pytest.mark.parametrize("command", ["diff", "lint"])
def test_validators_that_would_not_fit_are_not_built(tmp_path: Path, case: str, command: str) -> None:
    old, new = pair(tmp_path, *HEAVY_VALIDATORS[case])
    if command == "lint":
        attack("lint", new, "--isolated", cwd=tmp_path).held(0, 1, peak=250 * MEGABYTE)
        return
    run = attack("diff", old, new, "--format", "json", cwd=tmp_path, seconds=2 * SECONDS).held(1, peak=350 * MEGABYTE)
    changes = run.report["changes"]
    assert changes
    assert all(change["verdict"] == "breaking" or change.get("reason") for change in changes), changes[:3]


@pytest.mark.parametrize("case", ["a thousand long repetitions", "20,000 patterns"])
def test_call_builds_no_validator_that_would_not_fit(tmp_path: Path, case: str) -> None:
    command = server(tmp_path, HEAVY_VALIDATORS[case][0])
    attack("call", "--isolated", "--", *command, cwd=tmp_path).held(1, 4, peak=300 * MEGABYTE)


DEMANDING = {"type": "array", "items": {"type": "object", "required": [f"k{n}" for n in range(20)]}}
ERROR_FLOODS: dict[str, tuple[Schema, Any]] = {
    "a million errors in a branch": ({"anyOf": [DEMANDING, {"type": "string"}]}, [{}] * 50_000),
    "a hundred copies of a large text": (
        {"type": "object", "required": [f"k{n}" for n in range(100)]},
        {"a": "x" * 7_000_000},
    ),
}


@pytest.mark.parametrize("case", ERROR_FLOODS)
def test_call_lists_no_errors_that_would_not_fit(tmp_path: Path, case: str) -> None:
    output, value = ERROR_FLOODS[case]
    command = server(tmp_path, an_object({}), output=an_object({"x": output}, "x"), result={"x": value})
    run = attack("call", "--isolated", "--", *command, cwd=tmp_path).held(1, peak=300 * MEGABYTE)
    assert "call/output-schema" in run.out


def deep_mistake(levels: int, beside: int = 20_000) -> Schema:
    """A schema of draft 7 with a mistake below many levels, beside members that are right; 20,000 are a megabyte."""
    inner: Schema = {**strings(beside), "bad": {"type": "nonsense"}}
    schema = an_object(inner)
    for _ in range(levels):
        schema = {"type": "array", "items": schema}
    return {"$schema": "http://json-schema.org/draft-07/schema#", **an_object({"x": schema})}


def test_a_mistake_in_a_deep_schema_is_found_without_a_copy_for_each_level(tmp_path: Path) -> None:
    target = surface(tmp_path, "new", deep_mistake(80))
    run = attack("lint", target, "--isolated", "--format", "json", cwd=tmp_path).held(1, peak=300 * MEGABYTE)
    places = [found["path"] for found in run.report["findings"] if found["rule"] == "spec/schema-valid"]
    assert places == [f"/inputSchema/properties/x{'/items' * 80}/properties/bad/type"]


CHANGED = "The type of an item of `x` changed from object to array."
RELEASES = (("old", 20), ("new", 21))


def test_comparing_a_mistake_in_a_deep_schema_is_bounded_too(tmp_path: Path) -> None:
    # On a slow machine a megabyte takes longer than the deadline, and is undecided; a tenth of it never does.
    for beside, decided in ((20_000, ("changed from object to array", "1 undecided change")), (2_000, (CHANGED,))):
        old, new = (surface(tmp_path, f"{name}-{beside}", deep_mistake(levels, beside)) for name, levels in RELEASES)
        run = attack("diff", old, new, cwd=tmp_path).held(1)
        assert any(words in run.out for words in decided)


def test_lint_reads_a_schema_once_for_all_of_its_defaults(tmp_path: Path) -> None:
    argument = {"$ref": "#/$defs/x", "minLength": 2, "default": "a"}
    schema = {**an_object({f"p{n}": argument for n in range(3_000)}), "$defs": {"x": {"type": "string"}}}
    target = surface(tmp_path, "new", schema)
    run = attack("lint", target, "--isolated", "--select", "clarity/default-valid", cwd=tmp_path)
    assert "1001 errors" in run.held(1).out  # a thousand, and the count of the others
    assert run.cpu < 5


@pytest.mark.parametrize(
    ("rule", "next_to", "few", "large"),
    [
        ("default-valid", lambda value: {"default": value, "minLength": 1}, 60, 22),
        ("examples-valid", lambda value: {"examples": [value]}, 0, 26),
    ],
    ids=["default-valid", "examples-valid"],
)
def test_lint_says_which_values_it_does_not_judge(
    tmp_path: Path, rule: str, next_to: Callable[[Any], Schema], few: int, large: int
) -> None:
    # A run has two million steps. To read 5,000 schemas for each of a few arguments takes long; a large value counts as
    # 82,000 steps and takes little. Without the first, the second would not be enough for the defaults.
    read = {f"p{n}": {"$ref": "#/$defs/x", **next_to("a")} for n in range(few)}
    counted = {f"q{n}": {"$ref": "#/$defs/y", **next_to([0] * 10_000)} for n in range(large)}
    parts = {"x": {"properties": strings(5_000)}, "y": {"properties": strings(40)}}
    target = surface(tmp_path, "new", {**an_object({**read, **counted}), "$defs": parts})
    run = attack("lint", target, "--isolated", "--select", f"clarity/{rule}", cwd=tmp_path)
    assert run.held(0, 1).out.count("judged: the schemas of the surface refer to too much.") == 1


def test_lint_reads_which_types_take_null_and_tries_no_value(tmp_path: Path) -> None:
    """Three thousand arguments that refer to one large schema: nothing is left unjudged, and it takes seconds."""
    properties = {f"p{n}": {"$ref": "#/$defs/x", "default": None} for n in range(3_000)}
    schema = {**an_object(properties), "$defs": {"x": {"type": "object", "properties": strings(5_000)}}}
    target = surface(tmp_path, "new", schema)
    run = attack("lint", target, "--isolated", "--select", "clarity/null-default", cwd=tmp_path)
    shown = run.held(0).out
    assert "The default is null, but the type does not accept null: " in shown
    assert " and 2988 more." in shown


@pytest.mark.parametrize("count", [200, 20_000])
def test_edits_of_one_kind_are_one_line_with_their_number(tmp_path: Path, count: int) -> None:
    old, new = pair(tmp_path, an_object(strings(count)), an_object(strings(count, -1)))
    # what counts here is the listing: a busy machine must not leave any of them undecided
    (tmp_path / "mcp-governor.toml").write_text("[policy]\ntool-deadline = 100\nrun-deadline = 100\n")
    run = attack("diff", old, new, cwd=tmp_path, seconds=4 * SECONDS).held(1)
    assert f"length-tightened × {count:,}  t0" in run.out
    assert f"Similar for {count - 1:,} more" in run.out
    assert f"{count} breaking changes" in run.out
    assert len(run.out) < 10_000


def test_json_lists_10_000_changes_and_counts_the_others(tmp_path: Path) -> None:
    old, new = pair(tmp_path, an_object(strings(5_100)), an_object({f"q{n}": {"type": "null"} for n in range(5_100)}))
    report = attack("diff", old, new, "--format", "json", cwd=tmp_path).held(1).report
    assert len(report["changes"]) == 10_000
    assert report["summary"]["omitted_changes"] == 200
    assert sum(report["summary"]["changes"].values()) == 10_200


def test_a_comparison_beyond_its_time_is_unknown_and_names_the_option(tmp_path: Path) -> None:
    old, new = pair(tmp_path, an_object(strings(2_000)), an_object(strings(2_000, -1)))
    (tmp_path / "mcp-governor.toml").write_text("[policy]\ntool-deadline = 0.01\n")
    report = attack("diff", old, new, "--format", "json", cwd=tmp_path).held(1).report
    assert report["changes"]
    assert {change["verdict"] for change in report["changes"]} == {"unknown"}
    assert {change["reason"] for change in report["changes"]} == {
        "the comparison of `t0` stopped after 0.01 s; raise policy.tool-deadline"
    }


def test_a_run_has_a_budget_whatever_its_tools_have(tmp_path: Path) -> None:
    schemas = [strings(300), strings(300)], [strings(300, -1), strings(300, -1)]
    old, new = (surface(tmp_path, name, *map(an_object, half)) for name, half in zip(("a", "b"), schemas, strict=True))
    (tmp_path / "mcp-governor.toml").write_text("[policy]\nrun-deadline = 0.01\n")
    report = attack("diff", old, new, "--format", "json", cwd=tmp_path).held(1).report
    assert {change["tool"] for change in report["changes"]} == {"t0", "t1"}
    assert "the comparison stopped after 0.01 s; raise policy.run-deadline" in {
        change.get("reason") for change in report["changes"]
    }


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for one process")
@pytest.mark.parametrize("command", ["diff", "call"])
def test_ctrl_c_ends_a_heavy_run_at_once(tmp_path: Path, command: str) -> None:
    if command == "diff":
        arguments = ["diff", *map(str, pair(tmp_path, an_object(strings(20_000)), an_object(strings(20_000, -1))))]
    else:
        arguments = ["call", "--isolated", "--", *server(tmp_path, doubling(LEVELS["twelve properties"], WIDE, 9))]
    run = subprocess.Popen(
        [sys.executable, "-m", "mcp_governor", *arguments],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        time.sleep(2.5)
        assert run.poll() is None, "it ended before it could be interrupted"
        run.send_signal(signal.SIGINT)
        assert run.wait(SECONDS) == 130  # a run that went on to its end would have found a break
    finally:
        if run.poll() is None:
            run.kill()
            run.wait()
