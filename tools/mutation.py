"""Mutation testing by sampling: finds edits of the code that the test suite does not notice.

    python tools/mutation.py containment [--count 200] [--seed N] [--jobs 2] [--out FILE]

Cosmic Ray lists the mutants of a package (swapped operators and comparisons, negated conditions, changed numbers, loops
that do not run, ...). A run of all of them takes days, so this draws a sample, the same for the same seed, spread over
the files in proportion to their mutants. Every mutant is tried in a copy of the repository with the tests listed in
``SUITES``, until the first failure; a run longer than ``TIMEOUT`` counts as killed (the mutant hangs).

The score is killed / tried, with the 95 % interval of Wilson (1927) for a sample of that size. Survivors are written to
``--out`` with their diff. Read each of them: it is a missing test or a line without effect.
"""

from __future__ import annotations

import argparse
import ast
import json
import math
import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import cosmic_ray.plugins
from cosmic_ray.commands.init import _all_work_items
from cosmic_ray.mutating import mutate_code
from cosmic_ray.testing import run_tests

ROOT = Path(__file__).parent.parent
TIMEOUT = 600
"""Time limit in seconds for the tests of one mutant: several times what the slowest suite takes on a busy machine."""
TIER = "not slow and not live"
"""A mutant that only the slow tier notices would live through every `make test`."""
SUITES = {
    "containment": ["tests/containment"],
    "schemas": ["tests/schemas", "tests/surface", "tests/containment", "tests/change"],
    "change": ["tests/change", "tests/policy/test_manifest.py", "tests/changelog/test_telling.py", "tests/report"],
    "policy": ["tests/policy", "tests/cli/test_accept.py", "tests/changelog"],
}
"""The tests of a package, quick ones first."""
SKIPPED_OPERATORS = ("RemoveDecorator", "VariableReplacer", "VariableInserter", "ExceptionReplacer")
"""``frozen`` and ``cached_property`` do not change behaviour; the others need names as arguments."""
ANNOTATION_OPERATORS = ("ReplaceBinaryOperator_BitOr", "AddNot")
"""``X | None`` in an annotation is never evaluated, and neither is code after ``TYPE_CHECKING``."""


def main() -> int:
    """Draw the mutants, try each, print the score."""
    options = _options()
    package = ROOT / "mcp_governor" / options.package
    chance = random.Random(options.seed)
    items = [item for path in sorted(package.rglob("*.py")) for item in _mutants(path, chance)]
    sample = sorted(chance.sample(items, min(options.count, len(items))))
    print(f"{options.package}: {len(items)} mutants, {len(sample)} drawn with seed {options.seed}", flush=True)
    tests = " ".join(SUITES[options.package])
    survivors: list[dict[str, Any]] = []
    counts: Counter[str] = Counter()
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
        copies: SimpleQueue[Path] = SimpleQueue()
        for number in range(options.jobs):
            copies.put(_copy(Path(folder) / str(number)))
        _baseline(copies, tests)
        with ThreadPoolExecutor(options.jobs) as pool:
            for outcome in pool.map(lambda item: _try(item, copies, tests), sample):
                counts[outcome["outcome"]] += 1
                if outcome["outcome"] == "survived":
                    survivors.append(outcome)
                    print(f"survived {outcome['file']}:{outcome['line']} {outcome['operator']}", flush=True)
    Path(options.out).write_text(json.dumps(survivors, indent=1), encoding="utf-8")
    tried = counts["killed"] + counts["survived"]
    low, high = _interval(counts["killed"], tried)
    print(
        f"{options.package}: {counts['killed']} of {tried} killed = {100 * counts['killed'] / tried:.1f} % "
        f"(95 % interval {100 * low:.1f} to {100 * high:.1f}), {time.monotonic() - started:.0f} s, seed {options.seed}"
    )
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", choices=sorted(SUITES))
    parser.add_argument("--count", type=int, default=200, help="mutants to try")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2, help="copies of the tree that are tested at once")
    parser.add_argument("--out", default="mutation-survivors.json")
    return parser.parse_args()


def _mutants(path: Path, chance: random.Random) -> list[tuple[str, str, int, int]]:
    """(file, operator, occurrence, line) of the mutants of one file that could change its behaviour.

    An operator can be swapped for any other of its family; one of these at each place is enough, otherwise comparisons
    would be most of the sample.
    """
    annotated = _annotation_lines(path)
    found: dict[tuple[tuple[int, int], str], list[tuple[str, str, int, int]]] = {}
    for item in _all_work_items([path], {}):
        (mutation,) = item.mutations
        line = mutation.start_pos[0]
        name = mutation.operator_name
        if any(word in name for word in SKIPPED_OPERATORS):
            continue
        if line in annotated and any(word in name for word in ANNOTATION_OPERATORS):
            continue
        family = name.rpartition("/")[2].partition("_")[0]
        mutant = (str(path.relative_to(ROOT)), name, mutation.occurrence, line)
        found.setdefault((mutation.start_pos, family), []).append(mutant)
    return [chance.choice(family) for family in found.values()]


def _annotation_lines(path: Path) -> set[int]:
    """The lines with an annotation, or with the condition for imports that only a type checker sees."""
    lines: set[int] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        parts: list[ast.AST | None] = []
        if isinstance(node, ast.FunctionDef):
            every = [*node.args.args, *node.args.kwonlyargs, *node.args.posonlyargs]
            parts = [node.returns, *(argument.annotation for argument in every)]
        elif isinstance(node, ast.AnnAssign):
            parts = [node.annotation]
        elif isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            parts = [node.test]
        for part in parts:
            if part is not None and hasattr(part, "lineno"):
                lines.update(range(part.lineno, (part.end_lineno or part.lineno) + 1))
    return lines


def _copy(place: Path) -> Path:
    ignore = shutil.ignore_patterns(".git", ".venv", ".*cache*", "__pycache__", ".hypothesis")
    shutil.copytree(ROOT, place / "repo", ignore=ignore)
    shared = ROOT.parent / "shared"
    if shared.exists():
        (place / "shared").symlink_to(shared)
    return place / "repo"


def _command(copy: Path, tests: str) -> str:
    pytest = f"{sys.executable} -m pytest -x -q -p no:cacheprovider -p no:xdist"
    script = f'cd {copy} && exec {pytest} -m "{TIER}" {tests}'
    return f"env PYTHONPATH={copy} HYPOTHESIS_PROFILE=mutation sh -c '{script}'"


def _baseline(copies: SimpleQueue[Path], tests: str) -> None:
    copy = copies.get()
    outcome, output = run_tests(_command(copy, tests), TIMEOUT)
    copies.put(copy)
    if outcome.value != "survived":
        sys.exit(f"the tests fail without a mutant:\n{output[-3000:]}")


def _try(item: tuple[str, str, int, int], copies: SimpleQueue[Path], tests: str) -> dict[str, Any]:
    """The result of one mutant: true if the tests notice it."""
    file, name, occurrence, line = item
    copy = copies.get()
    path = copy / file
    original = path.read_text()
    result = {"file": file, "operator": name, "line": line}
    try:
        mutated = mutate_code(original, cosmic_ray.plugins.get_operator(name)(), occurrence)
        if mutated is None or not _compiles(mutated):
            return {**result, "outcome": "impossible"}
        path.write_text(mutated)
        outcome, _ = run_tests(_command(copy, tests), TIMEOUT)
        return {**result, "outcome": outcome.value, "diff": _diff(original, mutated)}
    finally:
        path.write_text(original)
        copies.put(copy)


def _compiles(source: str) -> bool:
    try:
        compile(source, "mutant", "exec")
    except SyntaxError:
        return False
    return True


def _diff(original: str, mutated: str) -> list[str]:
    pairs = zip(original.splitlines(), mutated.splitlines(), strict=False)
    return [text for one, other in pairs if one != other for text in (f"- {one}", f"+ {other}")]


def _interval(killed: int, tried: int) -> tuple[float, float]:
    """Wilson's score interval of a share, 95 %."""
    z = 1.96
    share = killed / tried
    middle = share + z * z / (2 * tried)
    spread = z * math.sqrt(share * (1 - share) / tried + z * z / (4 * tried * tried))
    return (middle - spread) / (1 + z * z / tried), (middle + spread) / (1 + z * z / tried)


if __name__ == "__main__":
    os.nice(10)
    sys.exit(main())
