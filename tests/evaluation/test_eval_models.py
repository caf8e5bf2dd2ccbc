"""``eval run`` with the runners of providers, over HTTP against the stub, as a user runs it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from commandline import governor_here
from model_asking import BASE, PATH, VARIABLE
from servers.model_stub import KEY, Asked, ModelStub, Reply

TOOLS = [
    {"name": name, "description": f"Use this when the user wants to {name} a note.", "inputSchema": {"type": "object"}}
    for name in ("add", "delete", "find")
]
QUERIES = [{"id": name, "query": f"Please {name} it.", "gold_tools": [name]} for name in ("add", "delete", "find")] + [
    {"id": "weather", "query": "Will it rain?", "gold_tools": []}
]
RUNNERS = ("anthropic:claude-stub-1", "openai:gpt-stub-1", "google:gemini-stub-1")


def choose(asked: Asked) -> Reply:
    """A model that reads one word."""
    fitting = [tool["name"] for tool in asked.tools if tool["name"] in asked.question]
    return Reply(calls=[(name, {}) for name in fitting], text="" if fitting else "Nothing fits.")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "surface.json").write_text(
        json.dumps({"tools": TOOLS, "serverInfo": {"name": "n", "version": "1.0.0"}})
    )
    (tmp_path / "mcp-queries.jsonl").write_text("".join(json.dumps(line) + "\n" for line in QUERIES))
    (tmp_path / "mcp-governor.toml").write_text('target = "surface.json"\n')
    monkeypatch.chdir(tmp_path)
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def stub(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelStub]:
    with ModelStub(choose) as stub:
        for dialect in ("anthropic", "chat", "google"):
            monkeypatch.setenv(BASE.get(dialect, "OPENAI_BASE_URL"), stub.url + PATH.get(dialect, "/openai/v1"))
            monkeypatch.setenv(VARIABLE.get(dialect, "OPENAI_API_KEY"), KEY)
        yield stub


@pytest.fixture
def go(capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    return lambda *words: governor_here("eval", *words, capsys=capsys)


def accuracies(folder: Path) -> dict[str, tuple[int, int]]:
    document = json.loads((folder / "out.json").read_text())
    return {one["name"]: (one["accuracy"]["hits"], one["accuracy"]["trials"]) for one in document["runners"]}


def test_three_providers_are_asked_and_replayed_without_network_or_key(folder, stub, go, monkeypatch):
    words = [word for name in RUNNERS for word in ("--runner", name)]
    done = go("run", *words, "--record", "answers.jsonl", "--json-out", "out.json")
    assert done.code == 0, done.err
    assert accuracies(folder) == dict.fromkeys(RUNNERS, (4, 4))
    assert len(stub.asked) == 12
    for file in folder.rglob("*"):
        assert not file.is_file() or KEY.encode() not in file.read_bytes()
    assert KEY not in done.out + done.err
    first = (folder / "out.json").read_bytes()
    for name in (*VARIABLE.values(), "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    again = go("run", *words, "--record", "answers.jsonl", "--json-out", "out.json", "--replay")
    assert again.code == 0, again.err
    assert len(stub.asked) == 12
    assert (folder / "out.json").read_bytes() == first


def test_an_estimate_needs_no_key_and_asks_nobody(stub, go, monkeypatch):
    for name in (*VARIABLE.values(), "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    words = [word for name in RUNNERS for word in ("--runner", name)]
    done = go("run", *words, "--dry-run")
    assert done.code == 0, done.err
    assert done.out.rstrip().endswith("Nothing was sent.")
    assert all(name in done.out for name in RUNNERS)
    assert "unknown" in done.out
    assert stub.asked == []
    # The same without --dry-run stops before it asks anybody.
    refused = go("run", *words)
    assert refused.code == 2
    assert "ANTHROPIC_API_KEY" in refused.err
    assert stub.asked == []
