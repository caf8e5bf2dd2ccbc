"""Sessions with `serve` in a governed project."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from governed_project import made
from test_hostile_serve import Client


@pytest.fixture
def root(tmp_path):
    """A governed project; a surface with a tool that nobody may see is next to it."""
    return made(tmp_path)


@contextlib.contextmanager
def sessions_in(root: Path) -> Iterator[Callable[[], Client]]:
    """Opens sessions in the project, whose processes can be found; afterwards none of them runs, and no file of theirs
    is left in the temporary folder."""
    temporary = root.parent / "temporary"
    sessions: list[Client] = []

    def opens() -> Client:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("TMPDIR", str(temporary))
            sessions.append(Client(root))
        return sessions[-1]

    yield opens
    for session in sessions:
        with contextlib.suppress(OSError):
            session.process.stdin.close()
        session.process.wait(30)
    for session in sessions:
        assert session.leash.left_behind() == []
        session.process.stdout.close()
        session.process.stderr.close()
    assert list(temporary.iterdir()) == []


@pytest.fixture
def opened(root):
    with sessions_in(root) as opens:
        yield opens


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A project and one session in it, for tests that leave the session as they found it."""
    root = made(tmp_path_factory.mktemp("shared"))
    with sessions_in(root) as opens:
        yield root, opens()
