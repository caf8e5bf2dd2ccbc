"""Creates a judge's sheet from findings, and fixtures/quality/precision from the judge's verdicts."""

from __future__ import annotations

import json
import random
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Any

from quality_judged import Given, Key, Verdict, read_key

from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

_REASON = 160
"""Maximum number of characters of a reason: the file contains judgements, not text by others."""


def draw(findings: Iterable[Given], count: int, seed: int) -> list[Given]:
    """A sample in random order: rules alternate, servers alternate within a rule, and new causes come before known
    ones.

    Args:
        findings: the candidates.
        count: maximum size of the sample.
        seed: the same seed draws the same sample from the same findings.
    """
    chance = random.Random(seed)
    by_rule: dict[str, dict[str, list[Given]]] = {}
    for item in sorted(findings, key=lambda item: item.key):
        by_rule.setdefault(item.key.rule, {}).setdefault(item.key.server, []).append(item)
    queues = []
    for servers in by_rule.values():
        of_servers = [_causes_first(found, chance) for found in servers.values()]
        chance.shuffle(of_servers)
        queues.append(list(_in_turns(of_servers)))
    chance.shuffle(queues)
    chosen = list(_in_turns(queues))[:count]
    chance.shuffle(chosen)
    return chosen


def _causes_first(found: list[Given], chance: random.Random) -> list[Given]:
    """One finding of each cause, then the others; findings that differ only in the tool's name have one cause."""
    chance.shuffle(found)
    first: dict[str, Given] = {}
    for item in found:
        first.setdefault(item.finding.message.replace(item.key.tool or "\0", ""), item)
    ahead = {item.key for item in first.values()}
    return [*first.values(), *(item for item in found if item.key not in ahead)]


def _in_turns(queues: Sequence[Sequence[Given]]) -> Iterator[Given]:
    return (item for item in chain.from_iterable(zip_longest(*queues)) if item is not None)


def sheet(sample: Iterable[Given]) -> Iterator[dict[str, Any]]:
    """What a judge sees, without the rule and its severity."""
    for n, item in enumerate(sample, 1):
        yield {
            "n": n,
            "server": item.key.server,
            "tool": item.key.tool,
            "path": item.key.pointer,
            "message": item.finding.message,
            "fix": item.finding.fix,
            "show": f"python tools/precision.py show {item.key.server} {item.key.tool}".rstrip(),
        }


def key_lines(sample: Iterable[Given], splits: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """What the judge does not see, by its number on the sheet."""
    for n, item in enumerate(sample, 1):
        yield {
            "n": n,
            **item.key._asdict(),
            "version": item.version,
            "split": splits.get(item.key.server, "dev"),
            "severity": item.finding.severity.value,
        }


def judged(keys: Iterable[Mapping[str, Any]], verdicts: Iterable[Mapping[str, Any]], judge: str) -> list[Verdict]:
    """A judge's verdicts, combined with what the sheet hid.

    Args:
        keys: for the sheet.
        verdicts: ``{"n", "verdict", "reason"}`` each.
        judge: name of the judge.

    Raises:
        ValueError: a number is not on the sheet or was judged twice, or a verdict is unknown.
    """
    hidden = {line["n"]: line for line in keys}
    out: dict[int, Verdict] = {}
    for line in verdicts:
        n = line["n"]
        if n not in hidden or n in out:
            raise ValueError(f"number {n} {'was judged twice' if n in out else 'is not on the sheet'}")
        own = {"judge": judge, "verdict": line["verdict"], "reason": one_line(line.get("reason") or "", _REASON)}
        out[n] = Verdict.read({**hidden[n], **own})
    return sorted(out.values(), key=lambda verdict: verdict.key)


def read_lines(file: Path) -> list[dict[str, Any]]:
    """The records of a JSON Lines file."""
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]


def write_lines(file: Path, lines: Iterable[Mapping[str, Any]]) -> int:
    """Write a JSON Lines file; returns the number of records."""
    text = [json.dumps(line, ensure_ascii=False) + "\n" for line in lines]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(text), "utf-8")
    return len(text)


def known_keys(file: Path) -> frozenset[Key]:
    """The findings in a key file or in a file of verdicts."""
    return frozenset(map(read_key, read_lines(file)))
