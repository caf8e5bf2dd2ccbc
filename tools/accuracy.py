"""Checks verdicts against labelled data next to the repository: ``make accuracy``. Says so if the data is missing.

The oracle (``../shared/oracle/containment.jsonl``) has labelled pairs of schemas; the corpus (``../shared/corpus``) has
releases of real servers, of which some changes are labelled. Times are CPU times.

Exits with 1 if a target is missed. Of ``contains``: a wrong answer, more than 0.5 % unknown (0.2 % on the corpus), a
confirmed witness for less than 99 % of the pairs that are not contained, a median above 0.1 ms. Of ``compare``: a
crash, a change between a release and itself, more than 0.2 % of changed schemas undecided, or a disagreement with a
label that is not listed below with its reason.
"""

from __future__ import annotations

import gzip
import json
import statistics
import sys
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp_governor.change import Change, Side, Verdict, compare
from mcp_governor.containment import Containment, contains
from mcp_governor.containment.schema import clear
from mcp_governor.surface import Surface, build_surface
from mcp_governor.surface.fingerprint import strip

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SHARED = Path(__file__).resolve().parents[2] / "shared"
ORACLE = SHARED / "oracle" / "containment.jsonl"
CORPUS = SHARED / "corpus"

REAL_EDITS = "github-mcp-server-history"
"""The pairs that are edits of one server's schemas as they were made."""
PASSES = 9
"""Number of passes over the oracle; the minimum counts, to exclude noise."""

POLICY_WINS = {
    "annotations-weakened": "a hint made less safe is breaking (docs/changes.md)",
    "format-added": "formats are annotations; breaking with assert-formats (docs/changes.md)",
    "def-added": "a definition that nothing uses changes nothing; its uses are reported (docs/changes.md)",
}
"""Label rules for which the design defines another verdict."""

EXCEPTIONS = {
    ("search_documentation", "/outputSchema/$defs/SearchResult/properties/query_id"): (
        "the field that held the results is gone, which is reported once; what was below it is not reported again"
    ),
}
"""Individual labels that are not matched: (tool, pointer) → why."""


def line(name: str, value: str, target: str = "", met: bool = True) -> bool:
    print(f"  {name:<44}{value:>14}   {target:<12}{'' if met else 'MISSED'}")
    return met


def milliseconds(seconds: Iterable[float]) -> float:
    return statistics.median(seconds) * 1e3


# -- containment


class Question(NamedTuple):
    """One directed pair; ``expected`` comes from the label, ``source`` is the origin of the pair."""

    id: str
    source: str
    outer: Any
    inner: Any
    draft: int
    expected: str


def questions() -> Iterator[Question]:
    """Every labelled pair; both directions of an equivalence."""
    for text in ORACLE.read_text(encoding="utf-8").splitlines():
        case = json.loads(text)
        left, right = case["lhs"], case["rhs"]
        expected = "no" if case["expected"] == "not_subset" else "yes"
        yield Question(case["id"], case["source"], right, left, case["draft"], expected)
        if case["expected"] == "equivalent":
            yield Question(case["id"] + " back", case["source"], left, right, case["draft"], expected)


def asked(outer: Any, inner: Any, draft: int = 20) -> tuple[Containment, float]:
    """The answer, and the seconds that it took."""
    start = time.process_time()
    answer = contains(outer, inner, default_dialect=draft)
    return answer, time.process_time() - start


def report_oracle() -> bool:
    pairs = list(questions())
    asked({"type": "string"}, {"minLength": 1})  # the first question also includes imports
    passes = []
    for _ in range(PASSES):
        clear()
        passes.append([asked(pair.outer, pair.inner, pair.draft) for pair in pairs])
    answers = [answer for answer, _ in passes[0]]
    seconds = [min(took for _, took in times) for times in zip(*passes, strict=True)]
    unknown, wrong, refused = [], [], []
    for pair, answer in zip(pairs, answers, strict=True):
        if answer.verdict == "unknown":
            unknown.append(f"{pair.id}: {answer.reason}")
        elif answer.verdict != pair.expected and not _hinges_on_line_feed(pair, answer):
            wrong.append(pair.id)
        if pair.expected == "no":
            refused.append(answer.has_witness)
    share, witnessed = len(unknown) / len(pairs), sum(refused) / len(refused)
    median = milliseconds(seconds)
    real = milliseconds(took for pair, took in zip(pairs, seconds, strict=True) if pair.source == REAL_EDITS)
    print(f"containment oracle: {len(pairs)} directed questions, {dict(Counter(pair.expected for pair in pairs))}")
    good = [
        line("wrong answers", str(len(wrong)), "0", not wrong),
        line("unknown", f"{share:.2%}", "<= 0.5 %", share <= 0.005),
        line("not contained, with a confirmed witness", f"{witnessed:.2%}", ">= 99 %", witnessed >= 0.99),
        line("median for one question", f"{median:.3f} ms", "<= 0.1 ms", median <= 0.1),
        line("median for one edit of a real server", f"{real:.3f} ms", "<= 0.15 ms", real <= 0.15),
        line("all questions", f"{sum(seconds) * 1e3:.0f} ms"),
    ]
    for question in (*wrong, *unknown):
        print(f"    {question}")
    return all(good)


def _hinges_on_line_feed(question: Question, answer: Containment) -> bool:
    """True for the label that takes a dot for any character: in ECMA-262, Python, RE2 and Java it does not match a
    line feed, and so the witness refutes the label."""
    return question.id in ("jss-542", "jss-542 back") and answer.has_witness and "\n" in answer.witness


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


def schemas_on_both(old: Surface, new: Surface) -> Iterator[tuple[str, Any, Any]]:
    """Each schema of each tool on both surfaces: the place, and both."""
    for tool in old.tools:
        other = new.by_name.get(tool.name)
        for side in ("inputSchema", "outputSchema") if other is not None else ():
            before, after = tool.raw.get(side), other.raw.get(side)
            if before is not None and after is not None and before != after:
                yield f"{tool.name} {side}", before, after


def report_corpus(servers: dict[str, dict[str, Surface]]) -> bool:
    """Ask in both directions, open and closed, about everything that changed between two releases."""
    verdicts: Counter[str] = Counter()
    unknown: list[str] = []
    seconds: list[float] = []
    seen: set[str] = set()
    for name, releases in servers.items():
        for (version, old), (_, new) in pairwise(sorted(releases.items(), key=_in_order)):
            for place, one, other in schemas_on_both(old, new):
                key = json.dumps([one, other], sort_keys=True)
                if key in seen:
                    continue
                seen.add(key)
                wide, narrow = closed(one), closed(other)
                for outer, inner in ((other, one), (one, other), (other, wide), (one, narrow), (wide, other)):
                    answer, took = asked(outer, inner)
                    seconds.append(took)
                    bare = answer.verdict == "no" and not answer.has_witness
                    verdicts["no, without a witness" if bare else answer.verdict] += 1
                    if answer.verdict == "unknown":
                        unknown.append(f"{name} {version} {place}: {answer.reason}")
    share = len(unknown) / len(seconds)
    print(f"corpus: {len(seen)} changed schemas, {len(seconds)} questions, {dict(verdicts)}")
    good = line("unknown", f"{share:.2%}", "<= 0.2 %", share <= 0.002)
    line("median for one question", f"{milliseconds(seconds):.3f} ms")
    line("all questions", f"{sum(seconds) * 1e3:.0f} ms")
    for question in unknown:
        print(f"    {question}")
    return good


def _in_order(release: tuple[str, Surface]) -> list[tuple[int, str]]:
    parts = release[0].replace("-", ".").split(".")
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts]


# -- changes


def recorded() -> dict[str, dict[str, Surface]]:
    """Every server's releases, in the order of the recording."""
    servers = {}
    for file in sorted(CORPUS.glob("*/*.json.gz")):
        releases: dict[str, Any] = json.loads(gzip.decompress(file.read_bytes()))
        name = next(iter(releases.values()))["package"]
        servers[name] = {version: build_surface(raw) for version, raw in releases.items()}
    return servers


def report_changes(servers: dict[str, dict[str, Surface]]) -> bool:
    """Compare every release with itself and with the next one, and labelled pairs with their labels."""
    steps = [
        (f"{name} {before} -> {after}", old, new)
        for name, releases in servers.items()
        for (before, old), (after, new) in pairwise(releases.items())
    ]
    start = time.process_time()
    not_itself = [
        f"{name} {version} differs from itself"
        for name, releases in servers.items()
        for version, surface in releases.items()
        if compare(surface, build_surface(json.loads(json.dumps(_raw(surface)))))
    ]
    crashes, unknown, witnesses, schemas = [], [], [], 0
    for step, old, new in steps:
        schemas += sum(strip(before) != strip(after) for _, before, after in schemas_on_both(old, new))
        try:
            changes = compare(old, new)
        except Exception as error:
            crashes.append(f"{step}: {type(error).__name__}: {error}")
            continue
        undecided = (change for change in changes if change.verdict is Verdict.UNKNOWN)
        unknown += [f"{step} {change.tool} {change.kind} {change.path}: {change.reason}" for change in undecided]
        breaks = (one for one in changes if one.verdict is Verdict.BREAKING and one.side is not Side.SURFACE)
        witnesses += [change.has_witness for change in breaks]
    seconds = time.process_time() - start
    total, agreed, wrong, won = check_labels(servers)
    share = len(unknown) / max(1, schemas)
    print(f"changes: {len(servers)} servers, {len(steps)} steps, {schemas} changed schemas")
    good = [
        line("crashes", str(len(crashes)), "0", not crashes),
        line("releases that differ from themselves", str(len(not_itself)), "0", not not_itself),
        line("undecided, of changed schemas", f"{share:.2%}", "<= 0.2 %", share <= 0.002),
        line("schema breaks; with a witness", f"{len(witnesses)}; {sum(witnesses)}"),
        line("for each step", f"{seconds / max(1, len(steps)) * 1e3:.0f} ms"),
        line("labels; agreed; documented exceptions", f"{total}; {agreed}; {sum(won.values())}"),
        line("disagreements", str(len(wrong)), "0", not wrong),
    ]
    for reason, count in won.items():
        print(f"    {count} × {reason}")
    for text in (*crashes, *not_itself, *wrong, *unknown):
        print(f"    {text}")
    return all(good)


def _raw(surface: Surface) -> dict[str, Any]:
    return {
        "tools": list(surface.entries),
        "prompts": list(surface.prompts),
        "resources": list(surface.resources),
        "resourceTemplates": list(surface.templates),
        "serverInfo": surface.server,
        "capabilities": surface.capabilities,
        "instructions": surface.instructions,
    }


def check_labels(servers: dict[str, dict[str, Surface]]) -> tuple[int, int, list[str], Counter[str]]:
    """Number of labels, number of matches, disagreements, and the documented exceptions by reason."""
    wrong: list[str] = []
    agreed = total = 0
    won: Counter[str] = Counter()
    for pair in json.loads((CORPUS / "labels.json").read_text()):
        releases = servers[pair["package"]]
        changes = compare(releases[pair["old"]], releases[pair["new"]])
        place = f"{pair['package']} {pair['old']} -> {pair['new']}"
        explained: set[str] = set()
        for label in pair["changes"]:
            total += 1
            found = _breaking_at(changes, label)
            explained |= {change.id for change in found}
            if bool(found) == label["breaking"]:
                agreed += 1
            elif label["rule"] in POLICY_WINS:
                won[POLICY_WINS[label["rule"]]] += 1
            elif (label["tool"], label["path"]) in EXCEPTIONS:
                won[EXCEPTIONS[label["tool"], label["path"]]] += 1
            else:
                what = f"{label['rule']} {label['tool']} {label['path']} labelled {label['breaking']}"
                wrong.append(f"{place}: {what}: {label['what'][:90]}; found {[c.kind for c in found]}")
        for change in changes:
            of_tool = change.tool is not None  # labels are about tools only
            if of_tool and change.verdict is not Verdict.COMPATIBLE and change.id not in explained:
                wrong.append(f"{place}: unlabelled {change.kind} {change.tool} {change.path}: {change.message}")
    return total, agreed, wrong, won


def _breaking_at(changes: list[Change], label: dict[str, Any]) -> list[Change]:
    """The breaks that a label refers to: same tool, and one pointer is a prefix of the other."""
    out = []
    for change in changes:
        if change.verdict is Verdict.COMPATIBLE or change.tool != label["tool"]:
            continue
        if label["rule"] in ("tool-added", "tool-removed"):
            if label["rule"] == "tool-removed":  # if it was renamed, its own changes belong to that
                out.append(change)
        elif label["path"] and (change.path.startswith(label["path"]) or label["path"].startswith(change.path or "\0")):
            out.append(change)
    return out


def main() -> int:
    if not SHARED.is_dir():
        print("The labelled data (../shared/oracle, ../shared/corpus) is not here; nothing was measured.")
        return 0
    met = report_oracle() if ORACLE.exists() else True
    if CORPUS.is_dir():
        servers = recorded()
        met = all([met, report_corpus(servers), report_changes(servers)])
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
