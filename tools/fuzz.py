"""Searches for wrong answers: ``make fuzz``, or ``python tools/fuzz.py verdicts|changes|all``.

Asks random questions until the time is up, and checks every answer with independent means. Prints the numbers of
questions and answers. Failures are made as small as possible, printed, and saved under ``.fuzz/`` as JSON, which
``--replay FILE`` checks again. See docs/project/testing.md.

Exits with 1 if anything is wrong, 4 if nothing was asked, 2 for a bad command line.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import secrets
import sys
from pathlib import Path
from typing import Any

from fuzz_pool import Failure, Run, fingerprint_of, small, subject_named, work

ROOT = Path(__file__).resolve().parents[1]
SUBJECTS = tuple(
    name for name in ("verdicts", "changes", "readers") if (Path(__file__).parent / f"fuzz_{name}.py").is_file()
)
"""Existing modules ``fuzz_NAME``; see ``fuzz_pool.Subject`` for their interface."""
NOTHING = 4


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Hunt for wrong answers.")
    parser.add_argument("subject", nargs="?", choices=[*SUBJECTS, "all"], default="all")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long, shared by the subjects (60)")
    parser.add_argument("--seed", type=int, help="of the run; fresh where it is left out")
    parser.add_argument("--cases", type=int, help="stop after so many cases")
    parser.add_argument("--only", type=int, metavar="INDEX", help="ask one case of the run, in this process")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", type=Path, default=ROOT / ".fuzz", help="folder for found cases (.fuzz)")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="judge a saved case again")
    options = parser.parse_args(arguments)
    if options.seconds <= 0 or options.processes < 1:
        parser.error("--seconds and --processes must be positive")
    if options.replay is not None:
        return replay(options.replay)
    seed = options.seed if options.seed is not None else secrets.randbelow(1 << 31)
    names = SUBJECTS if options.subject == "all" else (options.subject,)
    if options.only is not None:
        if len(names) != 1:
            parser.error("--only needs one subject")
        return only(names[0], seed, options.only)
    codes = [fuzz(name, seed, options.seconds / len(names), options) for name in names]
    return max(codes, key=lambda code: (code == 1, code))


def fuzz(name: str, seed: int, seconds: float, options: argparse.Namespace) -> int:
    """Fuzz one subject for some seconds; prints and saves failures."""
    print(f"{name}: seed {seed}; again: python tools/fuzz.py {name} --seed {seed} --seconds {seconds:g}", flush=True)
    run = Run(name, seed, seconds, options.processes, options.cases)
    run.go()
    report(run)
    for failure in run.failures.values():
        show(name, seed, failure, options.out)
    if run.counts["failures"]:
        return 1
    return 0 if run.counts["asked"] else NOTHING


def report(run: Run) -> None:
    counts = run.counts
    rate = counts["asked"] / run.elapsed
    print(
        f"  {counts['asked']:,} {run.subject.UNIT} in {run.elapsed:.0f} s: {rate:,.0f} a second"
        f" with {run.processes} processes and {len(run.hash_seeds)} hash seeds"
    )
    for key in sorted(
        counts, key=lambda key: (":" in key or key.startswith("family"), key.split(":")[0], -counts[key])
    ):
        if key != "asked":
            print(f"  {counts[key]:>12,}  {key}")
    print(f"  {'no failures' if not counts['failures'] else str(counts['failures']) + ' FAILURES'}", flush=True)


def show(name: str, seed: int, failure: dict[str, Any], out: Path) -> None:
    """Print a failure, and save it for ``--replay``."""
    out.mkdir(parents=True, exist_ok=True)
    saved = {"subject": name, "seed": seed, **failure}
    digest = hashlib.sha256(fingerprint_of(failure).encode()).hexdigest()[:10]
    file = out / f"{name}-{failure['kind'].replace(' ', '-')}-{digest}.json"
    file.write_text(json.dumps(saved, indent=1, ensure_ascii=True) + "\n", encoding="utf-8")
    print(f"\nFAILED {name}: {failure['kind']}: {failure['note']}")
    text = json.dumps(failure["case"])
    print(f"  {text if len(text) < 2_000 else text[:2_000] + ' …'}")
    print(f"  case: python tools/fuzz.py {name} --seed {seed} --only {failure['index']}")
    print(f"  this: python tools/fuzz.py --replay {os.path.relpath(file)}", flush=True)


def only(name: str, seed: int, index: int) -> int:
    """Run one case in this process, and print everything that is wrong with it."""
    from fuzz_pool import Tally

    subject, tally = subject_named(name), Tally()
    failures = [small(subject, failure) for failure in subject.run(seed, index, tally)]
    return _summary(failures, tally.counts["asked"])


def replay(file: Path) -> int:
    """Run a saved case again."""
    try:
        saved = json.loads(file.read_text(encoding="utf-8"))
        subject, case = subject_named(saved["subject"]), saved["case"]
    except (AttributeError, OSError, ValueError, KeyError, TypeError, ImportError) as error:
        print(f"{file} is not a case that fuzz.py saved: {error}", file=sys.stderr)
        return 2
    return _summary(subject.replay(case), 1)


def _summary(failures: list[Failure], asked: int) -> int:
    for failure in failures:
        print(f"{failure.kind}: {failure.note}\n  {json.dumps(failure.case)}")
    if not failures:
        print(f"nothing wrong; {asked} asked")
    return int(bool(failures))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        work(sys.argv[2], int(sys.argv[3]), sys.argv[4])
        sys.exit()
    sys.exit(main())
