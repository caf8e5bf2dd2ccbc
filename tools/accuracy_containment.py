"""Accuracy and speed of ``contains``, measured on labelled pairs of schemas.

Reads the oracle next to the repository (``../shared/oracle/containment.jsonl``) and the schemas of the corpus
(``../shared/corpus``), and times the ``jsonsubschema`` package on the same pairs in the same run, in a virtual
environment of its own. Times are CPU times, the minimum of several passes over all questions. Run it with ``make
accuracy``.

Exits with 1 if a target is missed: a wrong answer, more than 0.5 % unknown (0.2 % on the corpus), a confirmed witness
for less than 99 % of the pairs that are not contained, a median above 0.1 ms, or more than a twentieth of the time of
``jsonsubschema`` on the pairs that both answer.
"""

from __future__ import annotations

import argparse
import gzip
import json
import statistics
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp_governor.containment import Containment, contains
from mcp_governor.containment.schema import clear

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"
RIVAL_HOME = ROOT / ".cache" / "accuracy" / "jsonsubschema"

REAL_EDITS = "github-mcp-server-history"
"""The pairs that are edits of one server's schemas as they were made."""
PASSES, RIVAL_PASSES = 9, 3
"""Number of passes for us and for the rival; the minimum counts, to exclude noise. One pass takes us half a second and
the rival half a minute; noise of a tenth in the rival's time does not matter for a ratio of a twentieth."""

# Runs under the rival's interpreter: one JSON pair a line in, seconds and verdict out.
RIVAL = """
import contextlib, io, json, signal, sys, time
from jsonsubschema import isSubschema
def late(*_): raise TimeoutError
signal.signal(signal.SIGALRM, late)
ATTEMPTS = int(sys.argv[1])
for line in sys.stdin:
    outer, inner = json.loads(line)
    least = float("inf")
    for _ in range(ATTEMPTS):
        signal.alarm(10)
        start = time.process_time()
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                verdict = bool(isSubschema(inner, outer))
        except BaseException:
            verdict = None
        least = min(least, time.process_time() - start)
        signal.alarm(0)
        if verdict is None:
            break
    print(json.dumps([least, verdict]), flush=True)
"""


@dataclass(frozen=True)
class Question:
    """One directed pair; ``expected`` comes from the label, ``source`` is the origin of the pair."""

    id: str
    source: str
    outer: Any
    inner: Any
    draft: int
    expected: str


@dataclass
class Tally:
    """The results."""

    verdicts: Counter[tuple[str, str]] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    answers: list[Containment] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    witnesses: int = 0
    not_contained: int = 0


def questions(path: Path) -> Iterator[Question]:
    """Every labelled pair; both directions of an equivalence."""
    for line in path.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        left, right = case["lhs"], case["rhs"]
        expected = "no" if case["expected"] == "not_subset" else "yes"
        yield Question(case["id"], case["source"], right, left, case["draft"], expected)
        if case["expected"] == "equivalent":
            yield Question(case["id"] + " back", case["source"], left, right, case["draft"], expected)


def run(pairs: list[Question]) -> tuple[list[Containment], list[float]]:
    """Ask every question once, in order, with cold caches; returns answers and seconds."""
    clear()
    answers: list[Containment] = []
    seconds: list[float] = []
    for pair in pairs:
        start = time.process_time()
        answers.append(contains(pair.outer, pair.inner, default_dialect=pair.draft))
        seconds.append(time.process_time() - start)
    return answers, seconds


def measure(pairs: list[Question]) -> Tally:
    """Ask all questions several times; the minimum time of each counts."""
    contains({"type": "string"}, {"minLength": 1})  # the first question also includes imports
    runs = [run(pairs) for _ in range(PASSES)]
    tally = Tally(answers=runs[0][0], seconds=[min(times) for times in zip(*(took for _, took in runs), strict=True)])
    for question, answer in zip(pairs, tally.answers, strict=True):
        tally.verdicts[question.expected, answer.verdict] += 1
        if answer.verdict == "unknown":
            tally.unknown.append(f"{question.id}: {answer.reason}")
        elif answer.verdict != question.expected and not _hinges_on_line_feed(question, answer):
            tally.wrong.append(question.id)
        if question.expected == "no":
            tally.not_contained += 1
            tally.witnesses += answer.has_witness
    return tally


def _hinges_on_line_feed(question: Question, answer: Containment) -> bool:
    """True for the label that takes a dot for any character: in ECMA-262, Python, RE2 and Java it does not match a
    line feed, and so the witness refutes the label."""
    return question.id in ("jss-542", "jss-542 back") and answer.has_witness and "\n" in answer.witness


def rival_python(given: str | None) -> str | None:
    """An interpreter with ``jsonsubschema``; installs it if none is given."""
    if given:
        return given
    python = RIVAL_HOME / "bin" / "python"
    if python.exists():
        return str(python)
    made = subprocess.run([sys.executable, "-m", "venv", str(RIVAL_HOME)], check=False)
    if made.returncode == 0:
        made = subprocess.run([str(python), "-m", "pip", "install", "--quiet", "jsonsubschema"], check=False)
    return str(python) if made.returncode == 0 else None


def measure_rival(python: str, pairs: list[Question]) -> list[tuple[float, bool | None]]:
    """Seconds and verdict of ``jsonsubschema`` for each pair; ``None`` if it fails or takes 10 seconds."""
    lines = "".join(json.dumps([pair.outer, pair.inner]) + "\n" for pair in pairs)
    done = subprocess.run(
        [python, "-c", RIVAL, str(RIVAL_PASSES)], input=lines, capture_output=True, text=True, check=False, timeout=3600
    )
    return [(took, verdict) for took, verdict in map(json.loads, done.stdout.splitlines())]


def closed(schema: Any) -> Any:
    """The schema with undeclared members forbidden in every object that declares some."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    result = {key: value if key in ("enum", "const", "default") else closed(value) for key, value in schema.items()}
    if isinstance(schema.get("properties"), dict) and schema.get("additionalProperties", True) in (True, {}):
        result["additionalProperties"] = False
    return result


def release_key(version: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (-1, part) for part in version.replace("-", ".").split(".")]


def changed_pairs(corpus: Path) -> Iterator[tuple[str, Any, Any]]:
    """Each schema of each tool in each release together with that in the next one, if they differ."""
    seen: set[str] = set()
    for path in sorted(corpus.glob("*/*.json.gz")):
        releases = json.loads(gzip.decompress(path.read_bytes()))
        for old, new in pairwise(sorted(releases, key=release_key)):
            before = {tool.get("name"): tool for tool in releases[old].get("tools") or []}
            for tool in releases[new].get("tools") or []:
                for side in ("inputSchema", "outputSchema"):
                    one, other = before.get(tool.get("name"), {}).get(side), tool.get(side)
                    key = json.dumps([one, other], sort_keys=True)
                    if one is not None and other is not None and one != other and key not in seen:
                        seen.add(key)
                        yield f"{path.stem} {old} {new} {tool.get('name')} {side}", one, other


def measure_corpus(corpus: Path) -> tuple[int, Counter[str], list[str], list[float]]:
    """Ask in both directions, open and closed, about everything that changed between two releases."""
    verdicts: Counter[str] = Counter()
    open_questions: list[str] = []
    seconds: list[float] = []
    pairs = 0
    for place, old, new in changed_pairs(corpus):
        pairs += 1
        for outer, inner in ((new, old), (old, new), (new, closed(old)), (old, closed(new)), (closed(old), new)):
            start = time.process_time()
            answer = contains(outer, inner)
            seconds.append(time.process_time() - start)
            bare = answer.verdict == "no" and not answer.has_witness
            verdicts["no, without a witness" if bare else answer.verdict] += 1
            if answer.verdict == "unknown":
                open_questions.append(f"{place}: {answer.reason}")
    return pairs, verdicts, open_questions, seconds


def line(name: str, value: str, target: str = "", met: bool = True) -> bool:
    print(f"  {name:<44}{value:>14}   {target:<12}{'' if met else 'MISSED'}")
    return met


def report_oracle(pairs: list[Question], tally: Tally) -> bool:
    total = len(pairs)
    unknown = len(tally.unknown) / total
    witnessed = tally.witnesses / tally.not_contained
    median = statistics.median(tally.seconds) * 1e3
    edits = [took for pair, took in zip(pairs, tally.seconds, strict=True) if pair.source == REAL_EDITS]
    real = statistics.median(edits) * 1e3 if edits else 0.0
    print(f"containment oracle: {total} directed questions, {dict(Counter(pair.expected for pair in pairs))}")
    good = [
        line("wrong answers", str(len(tally.wrong)), "0", not tally.wrong),
        line("unknown", f"{unknown:.2%}", "<= 0.5 %", unknown <= 0.005),
        line("not contained, with a confirmed witness", f"{witnessed:.2%}", ">= 99 %", witnessed >= 0.99),
        line("median for one question", f"{median:.3f} ms", "<= 0.1 ms", median <= 0.1),
        line("median for one edit of a real server", f"{real:.3f} ms", "<= 0.15 ms", real <= 0.15),
        line("all questions", f"{sum(tally.seconds) * 1e3:.0f} ms"),
    ]
    for question in (*tally.wrong, *tally.unknown):
        print(f"    {question}")
    return all(good)


def report_rival(pairs: list[Question], tally: Tally, python: str | None) -> bool:
    if python is None:
        print("jsonsubschema could not be installed; nothing was compared.")
        return True
    rival = measure_rival(python, pairs)
    both = [
        index
        for index, (_, verdict) in enumerate(rival)
        if verdict is not None and tally.answers[index].verdict != "unknown"
    ]
    ours = sum(tally.seconds[index] for index in both)
    theirs = sum(rival[index][0] for index in both)
    wrong = sum(
        verdict is not None and verdict != (pairs[index].expected == "yes") for index, (_, verdict) in enumerate(rival)
    )
    print(f"jsonsubschema in the same run: {len(both)} questions that both answer")
    line("its failures", str(len(pairs) - sum(verdict is not None for _, verdict in rival)))
    line("its wrong answers", str(wrong))
    line("its time", f"{theirs * 1e3:.0f} ms")
    line("our time", f"{ours * 1e3:.0f} ms")
    return line("ratio", f"1/{theirs / ours:.1f}", "<= 1/20", theirs >= 20 * ours)


def report_corpus(corpus: Path) -> bool:
    pairs, verdicts, unknown, seconds = measure_corpus(corpus)
    total = sum(verdicts.values())
    share = len(unknown) / total
    print(f"corpus: {pairs} changed schemas, {total} questions, {dict(verdicts)}")
    good = line("unknown", f"{share:.2%}", "<= 0.2 %", share <= 0.002)
    line("median for one question", f"{statistics.median(seconds) * 1e3:.3f} ms")
    line("all questions", f"{sum(seconds) * 1e3:.0f} ms")
    for question in unknown:
        print(f"    {question}")
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--oracle", type=Path, default=SHARED / "oracle" / "containment.jsonl")
    parser.add_argument("--corpus", type=Path, default=SHARED / "corpus")
    parser.add_argument("--rival", help="a Python interpreter that has jsonsubschema installed")
    parser.add_argument("--no-rival", action="store_true", help="do not time jsonsubschema")
    options = parser.parse_args()
    met = True
    if options.oracle.exists():
        pairs = list(questions(options.oracle))
        tally = measure(pairs)
        met &= report_oracle(pairs, tally)
        if not options.no_rival:
            met &= report_rival(pairs, tally, rival_python(options.rival))
    if options.corpus.is_dir():
        met &= report_corpus(options.corpus)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
