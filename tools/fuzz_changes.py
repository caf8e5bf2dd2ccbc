"""Wrong reports of ``compare``: pairs of surfaces, one or two edits apart, and laws for every report.

- The contract fingerprints differ if and only if a change is reported whose kind affects them.
- A surface equals itself, in whatever order its keys and unordered lists are written; and in another spelling of its
    schemas nothing breaks. No place is reported twice.
- A witness is valid before and invalid now (input), or possible now and impossible before (output), under both
    validators and by the published schemas.
- A value that was accepted and is now rejected, or was impossible and is now possible, is reported: there is a change
    of that tool and side that breaks or is unknown. With ``strict`` that is any value; with ``declared`` one whose
    objects have declared keys only.
- No parameter or field is gone that an alternative of the same object still declares, and none is new that one did.
- With ``strict``, a break by containment is also one between the whole schemas.
"""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

from fuzz_instances import Sampler, Universe
from fuzz_pool import Failure, Tally, tick
from fuzz_surfaces import Surfaces, otherwise_spelled, reordered, shuffled
from fuzz_verdicts import OURS, accepts_twice, native

from mcp_governor.change import ChangeOptions, compare, kind
from mcp_governor.checking.model import Report
from mcp_governor.checking.report_document import document
from mcp_governor.containment import contains
from mcp_governor.schemas.keywords import REFUSING
from mcp_governor.surface import build_surface, fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "changes"
UNIT = "comparisons"
DOCUMENTS = ("old", "new", "instance")
BATCH = 20
DEADLINE = 0.3
"""Seconds for one question of a comparison, which asks several, and gives up after ten undecided ones."""
HANG = 15.0
"""Processor time in seconds above which a comparison counts as slow."""
SIDES = (("input", "inputSchema"), ("output", "outputSchema"))


class Case:
    """Two surfaces and the levels at which they are compared."""

    def __init__(self, seed: int, index: int) -> None:
        self.rng = random.Random(seed * 1_000_033 + index)
        make = Surfaces(self.rng)
        self.old = make.surface()
        self.new = make.edited(self.old)

    def questions(self) -> list[dict[str, Any]]:
        return [
            {"old": one, "new": other, "level": level}
            for level in ("declared", "strict")
            for one, other in ((self.old, self.new), (self.new, self.old))
        ]


def questions(seed: int, index: int) -> list[dict[str, Any]]:
    return Case(seed, index).questions()


def ask(question: dict[str, Any]) -> dict[str, Any]:
    """The report as data, with the fingerprints and the time in seconds."""
    tick()
    start = time.process_time()
    try:
        old, new = build_surface(question["old"]), build_surface(question["new"])
        found = compare(old, new, level=question["level"], options=ChangeOptions(deadline=DEADLINE))
        reported = document(Report(target="", changes=tuple(found)))["changes"]
        changes = [{**change, "contract": kind(change["kind"]).contract} for change in reported]
        moved = fingerprint(old) != fingerprint(new)
    except OURS:
        raise
    except BaseException as error:  # a panic of a Rust extension is not an Exception
        return {"crash": f"{type(error).__name__}: {error}"[:300], "seconds": 0.0}
    return {"changes": changes, "moved": moved, "seconds": time.process_time() - start}


def run(seed: int, index: int, tally: Tally) -> Iterator[Failure]:
    case = Case(seed, index)
    for question in case.questions():
        answer = ask(question)
        tally.add("asked")
        yield from _judge(question, answer, tally, case.rng)
    for surface in (case.old, case.new):
        question = {"old": surface, "new": shuffled(surface, case.rng), "level": "declared"}
        tally.add("compared with itself")
        if ask(question).get("changes"):
            yield Failure("differs from itself", question, "keys in another order are reported as a change")
        question = {"old": surface, "new": otherwise_spelled(surface, case.rng), "level": "declared"}
        yield from _worse(question, ask(question))


def _judge(
    question: dict[str, Any], answer: dict[str, Any], tally: Tally, rng: random.Random, effort: int = 1
) -> Iterator[Failure]:
    yield from _flaws(question, answer, tally)
    if "crash" not in answer:
        for change in answer["changes"]:
            tally.add(change["verdict"])
        tally.add("no change" if not answer["changes"] else "with changes")
        yield from _refuted(question, answer, tally, rng, effort)


def _flaws(question: dict[str, Any], answer: dict[str, Any], tally: Tally) -> Iterator[Failure]:
    """What is wrong with a report by itself."""
    if "crash" in answer:
        yield Failure("crash", question, answer["crash"])
        return
    if answer["seconds"] > HANG:
        yield Failure("slow", question, f"{answer['seconds']:.1f} s")
    reported = [change["kind"] for change in answer["changes"] if change["contract"]]
    if answer["moved"] and not reported:
        yield Failure("silent", question, f"the fingerprint moved; reported: {_kinds(answer)}")
    if reported and not answer["moved"]:
        yield Failure("fingerprint stays", question, f"the fingerprint did not move; reported: {reported}")
    for change in answer["changes"]:
        if "witness" in change and not witness_holds(question, change):
            text = json.dumps(change["witness"])[:200]
            yield Failure("wrong witness", question, f"{change['kind']} at {change['path']}: {text}")
    places = Counter((change["tool"], change["kind"], change["path"]) for change in answer["changes"])
    for (_, name, path), count in places.items():
        # Several capabilities of one tool are one place.
        if count > 1 and not path.startswith("/_meta"):
            yield Failure("reported twice", question, f"{name} at {path}")
    yield from _untrue(question, answer)
    yield from _false_alarms(question, answer, tally)


def _worse(question: dict[str, Any], answer: dict[str, Any]) -> Iterator[Failure]:
    """Breaks between two spellings of a surface."""
    for change in answer.get("changes", ()):
        if change["verdict"] == "breaking":
            yield Failure("differs when respelled", question, f"{change['kind']} at {change['path']}")


POLICY = {
    *("argument-removed", "argument-renamed", "default-changed", "extra-values-tightened", "extra-values-changed"),
    *("key-pattern-removed", "output-key-pattern-removed", "output-field-removed", "output-field-renamed"),
    *("branch-argument-removed", "output-branch-field-removed", "input-closed", "tool-removed", "tool-renamed"),
}
"""Kinds that break by policy, whatever the schemas accept."""


def _false_alarms(question: dict[str, Any], answer: dict[str, Any], tally: Tally) -> Iterator[Failure]:
    """Breaks by containment although, in the strict reading, everything is contained."""
    if question["level"] != "strict":
        return
    for change in answer["changes"]:
        if change["verdict"] != "breaking" or change["side"] == "surface" or change["kind"] in POLICY:
            continue
        key = dict(SIDES)[change["side"]]
        old, new = (_tool(question[word], change["tool"]).get(key) for word in ("old", "new"))
        if old is None or new is None:
            continue
        outer, inner = (new, old) if change["side"] == "input" else (old, new)
        tally.add("breaks held against the whole")
        if contains(outer, inner, deadline=DEADLINE).verdict == "yes":
            yield Failure("false alarm", question, f"{change['kind']} at {change['path']}")


GONE = ("argument-removed", "output-field-removed")
NEW = ("argument-added", "required-argument-added", "output-field-added")


def _untrue(question: dict[str, Any], answer: dict[str, Any]) -> Iterator[Failure]:
    """Keys of a root that are called gone or new although the other side declares them."""
    for change in answer["changes"]:
        if change["kind"] not in GONE + NEW:
            continue
        side = "new" if change["kind"] in GONE else "old"
        schema = _tool(question[side], change["tool"]).get(dict(SIDES)[change["side"]])
        way = change["path"].split("/")[2:]
        if way.count("properties") == 1 and "$defs" not in way and way[-1] in _root_keys(schema):
            yield Failure("untrue", question, f"{change['kind']} at {change['path']}")


def _is_nothing(schema: Any) -> bool:
    if not isinstance(schema, dict):
        return schema is False
    excluded = schema.get("not", False)
    return excluded is True or (isinstance(excluded, dict) and REFUSING.isdisjoint(excluded))


def _root_keys(schema: Any) -> set[str]:
    """The keys that a schema declares, itself or in its alternatives."""
    if not isinstance(schema, dict):
        return set()
    own = schema.get("properties")
    found = {key for key, part in own.items() if not _is_nothing(part)} if isinstance(own, dict) else set()
    parts = [part for word in ("anyOf", "oneOf") if isinstance(schema.get(word), list) for part in schema[word]]
    return found.union(*map(_root_keys, parts))


def _kinds(answer: dict[str, Any]) -> list[str]:
    return [change["kind"] for change in answer["changes"]]


def _tool(surface: Any, name: str | None) -> dict[str, Any]:
    tools = surface.get("tools", ()) if isinstance(surface, dict) else ()
    return next((tool for tool in tools if isinstance(tool, dict) and tool.get("name") == name), {})


def witness_holds(question: dict[str, Any], change: dict[str, Any]) -> bool:
    """True if a change's witness is valid on one side and invalid on the other, by the published schemas."""
    key = dict(SIDES)[change["side"]]
    old = _tool(question["old"], change["tool"]).get(key)
    new = _tool(question["new"], change["tool"]).get(key)
    if old is None or new is None:
        return True  # the tool was renamed
    takes, refuses = (old, new) if change["side"] == "input" else (new, old)
    inside, outside = (accepts_twice(schema, change["witness"], 20) for schema in (takes, refuses))
    return inside is None or outside is None or (inside and not outside)


def _refuted(
    question: dict[str, Any], answer: dict[str, Any], tally: Tally, rng: random.Random, effort: int
) -> Iterator[Failure]:
    """Values that prove a break which was not reported."""
    for old in question["old"]["tools"]:
        new = _tool(question["new"], old["name"])
        for side, key in SIDES:
            if key not in old or key not in new or old[key] == new[key]:
                continue
            alarmed = any(
                change["verdict"] != "compatible" and change["tool"] == old["name"] and change["side"] == side
                for change in answer["changes"]
            )
            if alarmed:
                continue
            takes, refuses = (old[key], new[key]) if side == "input" else (new[key], old[key])
            for value in _breaking_values((takes, refuses), question["level"], side, tally, rng, effort):
                yield Failure(
                    "break not reported",
                    {**question, "tool": old["name"], "side": side, "instance": value},
                    f"{side} of {old['name']}; reported: {_kinds(answer)}",
                )
                break


def _breaking_values(
    schemas: tuple[Any, Any], level: str, side: str, tally: Tally, rng: random.Random, effort: int
) -> Iterator[Any]:
    takes, refuses = schemas
    valid, now = native(takes, 20), native(refuses, 20)
    if valid is None or now is None:
        return
    universe = Universe([takes, refuses], rng)
    values = [value for value in universe.composites(80 * effort) if isinstance(value, dict)]
    values += Sampler(takes, universe).values(60 * effort)
    known = contains(refuses, takes, deadline=DEADLINE)
    if known.has_witness:
        # whoever found it, the validators decide if it proves anything
        values.append(known.witness)
    tally.add("instances", len(values))
    for value in values:
        if breaks(schemas, value, level, side, valid, now):
            yield value


def breaks(schemas: tuple[Any, Any], value: Any, level: str, side: str, valid: Any = None, now: Any = None) -> bool:
    """True if a value was valid and no longer is, in the level's reading of the two schemas."""
    if side == "input" and not isinstance(value, dict):
        return False  # arguments are an object, whatever the schema says
    takes, refuses = schemas
    valid, now = valid or native(takes, 20), now or native(refuses, 20)
    try:
        if not valid.is_valid(value) or now.is_valid(value):
            return False
    except OURS:
        raise
    except BaseException:
        return False
    if level == "declared" and not (_declared(takes, value) and (side == "input" or _declared(refuses, value))):
        return False
    return accepts_twice(takes, value, 20) is True and accepts_twice(refuses, value, 20) is False


_PLAIN = {"type", "properties", "required", "additionalProperties", "description", "title", "$defs", "default"}
_PLAIN_LIST = {"type", "items", "minItems", "maxItems", "uniqueItems", "description", "title", "default"}


def _declared(schema: Any, value: Any, *, root: bool = True) -> bool:
    """True if the readings in docs/changes.md leave the schema's verdict on this value unchanged.

    That is the case if every object in the value has declared keys only, and is described by plain properties only.
    Nothing is claimed about other values.
    """
    if not root and not _holds_object(value):
        return True
    if not isinstance(schema, dict):
        return False
    if isinstance(value, list):
        return schema.keys() <= _PLAIN_LIST and all(_declared(schema.get("items"), part, root=False) for part in value)
    if not isinstance(value, dict) or not (schema.keys() <= _PLAIN):
        return False
    named, rest = schema.get("properties", {}), schema.get("additionalProperties")
    if not named:
        # A map, which stays open; at the root it is a tool without parameters. A closed one, however it is written, is
        # opened in an opened reading.
        closed = contains(False, rest, deadline=DEADLINE).verdict != "no" if isinstance(rest, dict) else rest is False
        return not root and not closed and all(_declared(rest, part, root=False) for part in value.values())
    if rest not in (None, True, False) or not value.keys() <= named.keys():
        return False
    return all(_declared(named[key], part, root=False) for key, part in value.items())


def _holds_object(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and any(map(_holds_object, value)))


def _well_formed(case: dict[str, Any]) -> bool:
    for word in ("old", "new"):
        tools = case[word].get("tools") if isinstance(case[word], dict) else None
        if not isinstance(tools, list):
            return False
        for tool in tools:
            if not isinstance(tool, dict) or not isinstance(tool.get("inputSchema"), dict) or "name" not in tool:
                return False
            for _, key in SIDES:
                if key in tool and native(tool[key], 20) is None:
                    return False
    return True


def still(kind: str, case: dict[str, Any]) -> bool:
    if not _well_formed(case):
        return False
    answer = ask(case)
    if kind == "differs from itself":
        return reordered(case) and bool(answer.get("changes"))
    if kind == "break not reported":
        old, new = _tool(case["old"], case["tool"]), _tool(case["new"], case["tool"])
        key = dict(SIDES)[case["side"]]
        if "crash" in answer or key not in old or key not in new:
            return False
        if any(part["verdict"] != "compatible" and part["side"] == case["side"] for part in answer["changes"]):
            return False
        takes, refuses = (old[key], new[key]) if case["side"] == "input" else (new[key], old[key])
        return breaks((takes, refuses), case["instance"], case["level"], case["side"])
    return any(flaw.kind == kind for flaw in _flaws(case, answer, Tally()))


def replay(case: dict[str, Any]) -> list[Failure]:
    found = list(_judge(case, ask(case), Tally(), random.Random(1), effort=10))
    if reordered(case) and ask(case).get("changes"):
        found.append(Failure("differs from itself", case))
    if "instance" in case and still("break not reported", case):
        found.append(Failure("break not reported", case))
    return found
