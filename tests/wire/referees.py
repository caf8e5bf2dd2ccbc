"""The verdicts of the official clients on every specimen: ``python tests/wire/referees.py`` writes them anew.

``client_verdicts.json`` has, for each changed member, the values that some client refused, by the clients that did:
``1`` and ``2`` are the TypeScript clients, ``p`` is the Python one. All clients accepted a value that is not listed.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from specimens import LEGACY, MODERN, conversation, mutations  # noqa: E402
from support import node, npm_modules  # noqa: E402

VERDICTS = HERE / "client_verdicts.json"
CLIENTS = {"1": (LEGACY,), "2": (LEGACY, MODERN), "p": (LEGACY, MODERN)}
"""Client → the protocols of the specimens that it speaks."""


def command(client: str) -> list[str]:
    """The program that judges conversations as a client, one a line."""
    if client == "p":
        return [sys.executable, str(HERE / "clients" / "python.py")]
    return [node(), str(HERE / "clients" / "typescript.mjs"), str(npm_modules()), client]


def ask(client: str, conversations: Iterable[tuple[str, dict[str, Any]]]) -> list[str | None]:
    """For each conversation, the method whose result the client refused, or ``None``."""
    lines = [
        json.dumps({"protocol": protocol, "answers": {method: json.dumps(result) for method, result in said.items()}})
        for protocol, said in conversations
    ]
    done = subprocess.run(
        command(client), input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=280, check=True
    )
    return [json.loads(line)["failed"] for line in done.stdout.splitlines()]


def verdicts() -> dict[str, dict[str, list[str]]]:
    """Place → clients → changes that they refuse."""
    refused: dict[str, dict[str, str]] = {}
    with ThreadPoolExecutor() as pool:
        for client, judged in zip(CLIENTS, pool.map(_refusals, CLIENTS), strict=True):
            for place, change in judged:
                changes = refused.setdefault(place, {})
                changes[change] = changes.get(change, "") + client
    return {
        place: {who: [change for change, by in changes.items() if by == who] for who in sorted(set(changes.values()))}
        for place, changes in sorted(refused.items())
    }


def _refusals(client: str) -> list[tuple[str, str]]:
    changed = [mutation for protocol in CLIENTS[client] for mutation in mutations(protocol)]
    spoken = []
    for mutation in changed:
        said = conversation(mutation.protocol)
        # A call needs the list, for its output schema.
        needed = {next(iter(said)), mutation.method, *(("tools/list",) if mutation.method == "tools/call" else ())}
        spoken.append(
            (
                mutation.protocol,
                {method: said[method] for method in said if method in needed} | {mutation.method: mutation.result()},
            )
        )
    found = ask(client, spoken)
    assert len(found) == len(changed)
    return [(mutation.place, mutation.change) for mutation, failed in zip(changed, found, strict=True) if failed]


def written(found: dict[str, dict[str, list[str]]]) -> str:
    """The verdicts as the file has them, a line for each place."""
    lines = (f"{json.dumps(place)}: {json.dumps(changes)}" for place, changes in found.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    VERDICTS.write_text(written(verdicts()))
