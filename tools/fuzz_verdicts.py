"""Wrong verdicts of ``contains``: generates questions and checks the answers.

A *yes* is refuted by a value that the inner schema accepts and the outer one rejects. A *no* needs a valid witness.
jsonschema-rs and the ``jsonschema`` package decide both; if they differ, it is only counted. Two spellings of a schema
never get opposite answers.
"""

from __future__ import annotations

import json
import random
import re
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import jsonschema_rs
from fuzz_edits import Editor, opposite, respelled
from fuzz_instances import Sampler, Universe
from fuzz_limits import beyond
from fuzz_pool import Failure, Tally, tick
from fuzz_schemas import DRAFTS, Maker, meant, spelled

from mcp_governor.containment import contains
from mcp_governor.schemas.formats import asserting

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "verdicts"
UNIT = "pairs"
DOCUMENTS = ("outer", "inner", "instance")
BATCH = 40
"""Number of cases in a batch; each has about a dozen pairs."""
DEADLINE = 0.5
"""Seconds for a question: enough for every answer without a search, and short enough to make searches cheap."""
HANG = 3 * DEADLINE
"""Processor time in seconds above which an answer counts as slow; the wall clock of a busy machine is meaningless. The
pool has its own limit for questions that wait without working."""
BEYOND = 0.12
"""Share of cases that exceed a limit: they take most of the time."""
COMPLEMENTS = 0.15
"""Share of cases with a schema and the negation of a similar one, which accept nearly everything and nearly nothing."""
ASSERTED = 0.02
"""Share of cases with formats as assertions, whose patterns are long."""
TRIVIAL = 0.25
"""Share of cases in which one of the schemas is only a type, or empty."""
REAL_SHARE = 0.05
"""Share of cases based on a schema of a published server."""
COMPOSITES = 160
SAMPLES = 24

ROOT = Path(__file__).resolve().parents[1]
NATIVE = {
    4: jsonschema_rs.Draft4Validator,
    6: jsonschema_rs.Draft6Validator,
    7: jsonschema_rs.Draft7Validator,
    19: jsonschema_rs.Draft201909Validator,
    20: jsonschema_rs.Draft202012Validator,
}
PYTHON = {
    4: jsonschema.Draft4Validator,
    6: jsonschema.Draft6Validator,
    7: jsonschema.Draft7Validator,
    19: jsonschema.Draft201909Validator,
    20: jsonschema.Draft202012Validator,
}
OURS = (MemoryError, KeyboardInterrupt, SystemExit)
"""Exceptions for this process; a panic of a Rust extension is not an ``Exception``, and is caught like the rest."""
_NUMBERS = {uri.rstrip("#"): draft for draft, uri in DRAFTS.items()}


def draft_of(schema: Any, default: int) -> int:
    if isinstance(schema, dict) and isinstance(schema.get("$schema"), str):
        return _NUMBERS.get(schema["$schema"].rstrip("#"), default)
    return default


def native(schema: Any, default: int) -> Any:
    """The native validator; ``None`` if the schema is unusable."""
    try:
        return NATIVE[draft_of(schema, default)](meant(schema), validate_formats=False, offline=True)
    except OURS:
        raise
    except BaseException:
        return None


def accepts_twice(schema: Any, value: Any, default: int) -> bool | None:
    """The verdict of both validators; ``None`` if they differ or fail."""
    try:
        first = NATIVE[draft_of(schema, default)](meant(schema), validate_formats=False, offline=True).is_valid(value)
        second = PYTHON[draft_of(schema, default)](meant(schema, python=True)).is_valid(value)
    except OURS:
        raise
    except BaseException:
        return None
    return bool(first) if first is second else None


def refutes(question: dict[str, Any], value: Any) -> bool | None:
    """True if the value proves that the outer schema does not contain the inner one; ``None``: validators differ."""
    inside = accepts_twice(question["inner"], value, question["draft"])
    outside = accepts_twice(question["outer"], value, question["draft"])
    if inside is None or outside is None:
        return None
    return inside and not outside


class Case:
    """Some similar schemas, and the pairs to ask about.

    Args:
        seed: of the run.
        index: of the case in the run.
    """

    def __init__(self, seed: int, index: int) -> None:
        self.rng = rng = random.Random(seed * 1_000_003 + index)
        maker = Maker(rng)
        self.family = "small"
        if rng.random() < BEYOND:
            self.family, base = beyond(maker)
        elif rng.random() < REAL_SHARE:
            self.family, base = "real", rng.choice(real_schemas())
        else:
            base = maker.document(2 if rng.random() < 0.7 else 3)
        editor = Editor(maker)
        schemas = [base, editor.edited(base), editor.edited(base, 2)]
        if rng.random() < COMPLEMENTS:
            # contained in everything or in nothing, apart from what an edit left out
            one, other = schemas[:2]
            without = opposite(other, rng) if rng.random() < 0.7 else {"not": other}
            schemas = [{"anyOf": [one, without]}, True, {"allOf": [one, without]}, False]
            if any("$" in json.dumps(part) for part in (one, other)):
                schemas = [one, other, True, False]
        elif rng.random() < TRIVIAL:
            schemas.append(rng.choice([True, False, *({"type": kind} for kind in ("array", "object", "number"))]))
        elif self.family == "small":
            schemas.append(maker.document(2))
        if self.family == "small" and rng.random() < ASSERTED:
            self.family, schemas = "formats", [asserting(schema) for schema in schemas]
        self.draft = 20 if rng.random() < 0.7 else rng.choice([4, 6, 7, 19])
        if rng.random() < 0.04:
            # the same words under the rules of several dialects
            drafts = [rng.choice(list(DRAFTS)) for _ in schemas]
            schemas = [_named(spelled(schema, draft), draft) for schema, draft in zip(schemas, drafts, strict=True)]
        elif self.family != "real":
            schemas = [spelled(schema, self.draft) for schema in schemas]
            if rng.random() < 0.15:
                schemas = [_named(schema, self.draft) for schema in schemas]
        self.deadline = DEADLINE if rng.random() < 0.95 else 0.01
        self.schemas = schemas
        self.pairs = [(a, b) for a in range(len(schemas)) for b in range(len(schemas)) if a != b]

    def question(self, outer: int, inner: int) -> dict[str, Any]:
        found = {"outer": self.schemas[outer], "inner": self.schemas[inner], "draft": self.draft}
        return found if self.deadline == DEADLINE else {**found, "deadline": self.deadline}

    def questions(self) -> Iterator[dict[str, Any]]:
        for a, b in self.pairs:
            yield self.question(a, b)

    def instances(self) -> list[Any]:
        """Values to check the answers with."""
        return instances(self.schemas, self.rng)


def questions(seed: int, index: int) -> list[dict[str, Any]]:
    """The questions of a case, in order."""
    return list(Case(seed, index).questions())


@cache
def real_schemas() -> list[Any]:
    """Schemas that servers published."""
    lines = (ROOT / "fixtures" / "containment" / "real.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)[side] for line in lines for side in ("old", "new")]


def _named(schema: Any, draft: int) -> Any:
    return {"$schema": DRAFTS[draft], **schema} if isinstance(schema, dict) else schema


def instances(schemas: list[Any], rng: random.Random, effort: int = 1) -> list[Any]:
    universe = Universe(schemas, rng)
    values = universe.values(COMPOSITES * effort)
    for schema in schemas:
        values += Sampler(schema, universe).values(SAMPLES * effort)
    return values


def ask(question: dict[str, Any], *, witness: bool = True) -> dict[str, Any]:
    """The answer as data, with the processor seconds it took."""
    deadline = question.get("deadline", DEADLINE)
    tick()
    start = time.process_time()
    try:
        found = contains(
            question["outer"],
            question["inner"],
            deadline=deadline,
            default_dialect=question["draft"],
            witness=witness,
        )
    except OURS:
        raise
    except BaseException as error:  # a panic of a Rust extension is not an Exception
        return {"verdict": "crash", "reason": f"{type(error).__name__}: {error}"[:300], "seconds": 0.0}
    answer: dict[str, Any] = {"verdict": found.verdict, "reason": found.reason}
    if found.has_witness:
        answer["witness"] = found.witness
    answer["seconds"] = time.process_time() - start
    return answer


def reason_of(answer: dict[str, Any]) -> str:
    """The reason for an unknown, without names and numbers."""
    return re.sub(r"""[`"'#][^\s,]*|\d+""", "…", answer["reason"])[:70] or "no reason given"


def run(seed: int, index: int, tally: Tally) -> Iterator[Failure]:
    """Ask and check all pairs of a case."""
    case = Case(seed, index)
    validators = [native(schema, case.draft) for schema in case.schemas]
    answers = [(a, b, ask(case.question(a, b))) for a, b in case.pairs]
    values = case.instances()
    values += [answer["witness"] for _, _, answer in answers if "witness" in answer]
    accepted = [_accepted(validator, values) for validator in validators]
    tally.add("instances", len(values) * len(validators))
    for a, b, answer in answers:
        question = case.question(a, b)
        tally.add("asked")
        tally.add(f"family {case.family}")
        if validators[a] is None or validators[b] is None:
            tally.add("unusable")
            continue
        yield from _judge(question, answer, values, (accepted[a], accepted[b]), tally)
    yield from _respelling(case, answers, tally)


def _accepted(validator: Any, values: list[Any]) -> list[bool | None]:
    if validator is None:
        return []
    found: list[bool | None] = []
    for value in values:
        try:
            found.append(validator.is_valid(value))
        except OURS:
            raise
        except BaseException:
            found.append(None)
    return found


def _judge(
    question: dict[str, Any],
    answer: dict[str, Any],
    values: list[Any],
    accepted: tuple[list[bool | None], list[bool | None]],
    tally: Tally,
) -> Iterator[Failure]:
    verdict = answer["verdict"]
    tally.add(verdict)
    if verdict == "crash":
        yield Failure("crash", question, answer["reason"])
    if answer["seconds"] > HANG and min(ask(question)["seconds"] for _ in range(2)) > HANG:
        yield Failure("slow", question, f"{answer['seconds']:.1f} s with a deadline of {DEADLINE} s")
    if verdict == "yes":
        hits = [value for value, out, into in zip(values, *accepted, strict=True) if into is True and out is False]
        hits.sort(key=lambda value: len(json.dumps(value)))
        verdicts = [refutes(question, value) for value in hits[:5]]
        if True in verdicts:
            value = hits[verdicts.index(True)]
            yield Failure("wrong yes", {**question, "instance": value}, "said yes; the instance refutes it")
        elif hits:
            tally.add("validators differ")
    elif verdict == "no":
        if "witness" not in answer:
            tally.add("no without witness")
        elif (held := refutes(question, answer["witness"])) is None:
            # no verdict possible: they differ, or one cannot read the schema, which may be circular
            tally.add("validators differ on a witness")
        elif not held:
            yield Failure("wrong witness", question, f"witness {json.dumps(answer['witness'])[:200]} does not hold")
    elif verdict == "unknown":
        tally.add(f"unknown: {reason_of(answer)}")


def _respelling(case: Case, answers: list[Any], tally: Tally) -> Iterator[Failure]:
    """Ask one pair of the case again, in another spelling and without a witness."""
    a, b, answer = case.rng.choice(answers)
    if case.family != "small" or answer["verdict"] not in ("yes", "no"):
        return
    plain = ask(case.question(a, b), witness=False)
    if {answer["verdict"], plain["verdict"]} == {"yes", "no"}:
        yield Failure(
            "two modes", case.question(a, b), f"{answer['verdict']}, and without a witness {plain['verdict']}"
        )
    question = {
        "outer": respelled(case.schemas[a], case.rng),
        "inner": {"allOf": [case.schemas[b]]}
        if case.rng.random() < 0.3 and "$" not in json.dumps(case.schemas[b])
        else case.schemas[b],
        "draft": case.draft,
    }
    other = ask(question)
    tally.add("respelled")
    if {answer["verdict"], other["verdict"]} == {"yes", "no"}:
        yield Failure(
            "two spellings", {**question, "other": case.schemas[a], "said": answer["verdict"]}, "opposite verdicts"
        )


def still(kind: str, question: dict[str, Any]) -> bool:
    """True if a question still shows a failure of this kind, for the reducer."""
    if native(question["outer"], question["draft"]) is None or native(question["inner"], question["draft"]) is None:
        return False
    answer = ask(question)
    if kind in ("two modes", "two spellings"):
        again = {"two modes": question, "two spellings": {**question, "outer": question.get("other")}}[kind]
        return {answer["verdict"], ask(again, witness=kind == "two spellings")["verdict"]} == {"yes", "no"}
    values = [question["instance"]] if "instance" in question else []
    accepted = tuple(_accepted(native(question[side], question["draft"]), values) for side in ("outer", "inner"))
    return any(failure.kind == kind for failure in _judge(question, answer, values, accepted, Tally()))  # type: ignore[arg-type]


def replay(question: dict[str, Any]) -> list[Failure]:
    """Everything that is wrong about one question, with a wide search for a refutation."""
    tally = Tally()
    rng = random.Random(1)
    schemas = [question["outer"], question["inner"]]
    values = [*instances(schemas, rng, effort=10), *([question["instance"]] if "instance" in question else [])]
    accepted = tuple(_accepted(native(schema, question["draft"]), values) for schema in schemas)
    if not all(accepted):
        return [Failure("unusable", question, "one of the schemas cannot be used")]
    return list(_judge(question, ask(question), values, accepted, tally))  # type: ignore[arg-type]
