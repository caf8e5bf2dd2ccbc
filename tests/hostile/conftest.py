"""Sessions with `serve` in a governed project."""

from __future__ import annotations

import contextlib

import pytest
from governed_project import made
from test_hostile_serve import Client


@pytest.fixture
def root(tmp_path):
    """A governed project; a surface with a tool that nobody may see is next to it."""
    return made(tmp_path)


@pytest.fixture
def opened(root, monkeypatch):
    """Opens sessions in the project, whose processes can be found; afterwards none of them runs, and no file of theirs
    is left in the temporary folder."""
    monkeypatch.setenv("TMPDIR", str(root.parent / "temporary"))
    sessions: list[Client] = []

    def opens() -> Client:
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
    assert list((root.parent / "temporary").iterdir()) == []
