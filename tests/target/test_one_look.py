"""One run asks git each question once; another run asks anew."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from mcp_governor.target import git_door
from mcp_governor.target.git_door import ask_git, one_look
from mcp_governor.target.git_releases import release_of_head

if TYPE_CHECKING:
    from pathlib import Path


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.com")
    subprocess.run(("git", *who, *words), cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "first")
    return tmp_path


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """The questions that reach git."""
    questions: list[tuple[str, ...]] = []
    ask = git_door._ask

    def noted(folder: Path, arguments: tuple[str, ...], asked: bytes, most: int) -> git_door.Answer:
        questions.append(arguments)
        return ask(folder, arguments, asked, most)

    monkeypatch.setattr(git_door, "_ask", noted)
    return questions


def test_a_look_asks_each_question_once(repo: Path, asked: list[tuple[str, ...]]) -> None:
    with one_look():
        first = ask_git(repo, "rev-parse", "HEAD")
        with one_look():  # a run within a run
            assert ask_git(repo, "rev-parse", "HEAD") == first
        assert ask_git(repo, "cat-file", "--batch-check", asked=b"HEAD\n").out.startswith(first.out.strip())
        assert ask_git(repo, "cat-file", "--batch-check", asked=b"nothing\n").out == b"nothing missing\n"
    assert [question[0] for question in asked] == ["rev-parse", "cat-file", "cat-file"]


def test_what_happens_between_two_looks_is_seen(repo: Path) -> None:
    with one_look():
        assert release_of_head(repo) == ""
        git(repo, "tag", "v1.0.0")
        assert release_of_head(repo) == ""
    assert release_of_head(repo) == "v1.0.0"
    with one_look():
        assert release_of_head(repo) == "v1.0.0"


def test_an_answer_beyond_what_is_kept_is_asked_for_again(
    repo: Path, asked: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_door, "_MAX_KEPT", 40)
    with one_look():
        for _ in range(2):
            ask_git(repo, "rev-parse", "--is-shallow-repository")  # "false": kept
            ask_git(repo, "rev-parse", "HEAD")  # 41 bytes: not kept
    assert [question[-1] for question in asked] == ["--is-shallow-repository", "HEAD", "HEAD"]
