"""What several files of tests about the linter share."""

from __future__ import annotations

import pytest

from mcp_governor.fixes import proof as fix_proof


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proof takes a millisecond, but on a busy machine a second may pass meanwhile; then it would be unknown."""
    monkeypatch.setattr(fix_proof, "_SECONDS", 600.0)
