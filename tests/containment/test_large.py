"""Large schemas that people write or generate: decided where the work is linear, and bounded in any case.

The questions run in a process of their own with little memory. Time is CPU time of that process, with room for a slow
machine; the deadline is far above what is needed where an answer is expected.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from typing import Any

import pytest
from asking import accepts

ASKER = """
import json, re, resource, sys, time
from pathlib import Path
from mcp_governor.containment import contains

def peak():
    status = Path("/proc/self/status")  # the other figure begins with that of the process that started this one
    high = re.search(r"VmHWM:\\s*(\\d+)", status.read_text()) if status.exists() else None
    return (int(high[1]) if high else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) // 1024

for line in sys.stdin:
    outer, inner, deadline = json.loads(line)
    begun, started = time.process_time(), time.monotonic()
    found = contains(outer, inner, deadline=deadline)
    used, waited = time.process_time() - begun, time.monotonic() - started
    print(json.dumps([found.verdict, found.has_witness, found.witness, found.reason, used, waited, peak()]))
"""
MEMORY = 300
"""Megabytes of a process that has answered one question."""


def ask(outer: Any, inner: Any, deadline: float = 30.0) -> tuple[str, Any, float]:
    """The verdict, the witness or reason, and the seconds waited."""
    pytest.importorskip("resource")
    text = json.dumps([outer, inner, deadline]) + "\n"
    done = subprocess.run(
        [sys.executable, "-c", ASKER], input=text, capture_output=True, text=True, check=True, timeout=120
    )
    verdict, has_witness, witness, reason, used, waited, memory = json.loads(done.stdout)
    assert memory < MEMORY
    assert used < 10
    if verdict == "no" and has_witness:
        assert accepts(inner, witness)
        assert not accepts(outer, witness)
    return verdict, witness if has_witness else reason, waited


def record(count: int, changed: int | None = None, **more: Any) -> dict[str, Any]:
    members = {
        f"p{n}": {"type": "integer" if n == changed else "string", "description": f"no {n}"} for n in range(count)
    }
    return {"type": "object", "properties": members, **more}


def union(count: int, word: str, changed: int | None = None) -> dict[str, Any]:
    def alternative(n: int) -> Any:
        payload = {"type": "integer"} if n == changed else {"type": "string", "maxLength": 5 + n}
        members = {"kind": {"const": f"k{n}"}, "a": payload, "b": {"type": "string"}}
        return {"type": "object", "properties": members, "required": ["kind"], "additionalProperties": False}

    return {word: [alternative(n) for n in range(count)]}


@pytest.mark.parametrize("more", [{}, {"additionalProperties": False}, {"required": ["p3", "p7000"]}])
def test_fifteen_thousand_properties(more: Any) -> None:
    plain, changed = record(15_000, **more), record(15_000, 7_000, **more)
    verdict, witness, _ = ask(changed, plain)
    assert verdict == "no"
    assert witness["p7000"] == "example"
    assert ask({**plain, "required": []}, {**plain, "minProperties": 1})[0] == "yes"


@pytest.mark.parametrize("word", ["anyOf", "oneOf"])
def test_alternatives_by_the_thousand(word: str) -> None:
    plain, changed = union(2_500, word), union(2_500, word, 1_200)
    assert ask(changed, plain)[:2] == ("no", {"kind": "k1200", "a": "example"})
    assert ask(plain, changed)[:2] == ("no", {"kind": "k1200", "a": 2})
    assert ask(union(2_501, word), plain)[0] == "yes"
    assert ask(plain, union(2_501, word))[:2] == ("no", {"kind": "k2500"})


def test_five_thousand_values() -> None:
    def schema(count: int) -> Any:
        return {"properties": {"a": {"enum": [f"v{n}" for n in range(count)]}}}

    assert ask(schema(4_999), schema(5_000))[:2] == ("no", {"a": "v4999"})
    assert ask(schema(5_000), schema(4_999))[0] == "yes"


def tree(kind: str, *, required: bool, levels: int = 40) -> Any:
    definitions: dict[str, Any] = {"n0": {"type": kind}}
    for level in range(1, levels + 1):
        below = {"$ref": f"#/$defs/n{level - 1}"}
        definitions[f"n{level}"] = {
            "type": "object",
            "properties": {"a": below, "b": below},
            **({"required": ["a", "b"]} if required else {}),
        }
    return {"$defs": definitions, "$ref": f"#/$defs/n{levels}"}


def test_a_tree_of_references_that_has_no_small_instance() -> None:
    verdict, reason, waited = ask(tree("string", required=True), tree("integer", required=True))
    assert verdict == "unknown"
    assert "more than" in reason
    assert waited < 10
    assert ask(False, tree("integer", required=True))[0] == "unknown"
    assert ask(tree("number", required=True), tree("integer", required=True))[0] == "yes"
    assert ask(tree("string", required=False), tree("integer", required=False))[0] == "no"
    assert ask(tree("string", required=True, levels=8), tree("integer", required=True, levels=8))[0] == "no"


HARD = {
    "a search": (
        {
            "allOf": [
                {"oneOf": [{"required": [f"a{n}"]}, {"required": [f"b{n}"]}, {"minProperties": n}]} for n in range(60)
            ]
        },
        {"allOf": [{"anyOf": [{"required": [f"a{n}"]}, {"required": [f"b{n}"]}]} for n in range(59)]},
    ),
    "counts": (
        {"type": "array", "contains": {"enum": [True]}, "minContains": 60},
        {"type": "array", "allOf": [{"contains": {"const": n}, "maxContains": 50 + n} for n in range(3)]},
    ),
    "many values": (
        {"not": {"anyOf": [{"required": [f"p{n}", f"p{n + 1}"]} for n in range(3_000)]}},
        record(20_000, minProperties=1_900),
    ),
}


@pytest.mark.parametrize("name", HARD)
def test_the_deadline_holds(name: str) -> None:
    outer, inner = HARD[name]
    # nobody asserts speed: a machine that is ten times as busy passes, a deadline that is not looked at does not
    assert ask(outer, inner, 0.3)[2] < 10


INTERRUPTED = """
import json, sys
from mcp_governor.containment import contains
outer, inner = json.loads(sys.stdin.readline())
print("ready", flush=True)
try:
    while True:
        contains(outer, inner, deadline=60)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_an_interrupt_is_not_swallowed() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(json.dumps(HARD["a search"]) + "\n")
        child.stdin.flush()
        assert child.stdout.readline() == "ready\n"
        time.sleep(1.5)
        begun = time.monotonic()
        child.send_signal(signal.SIGINT)
        try:
            assert child.communicate(timeout=20)[0] == "interrupted\n"
        finally:
            child.kill()
        assert time.monotonic() - begun < 10
