"""What each kind of failure means for the rest of a run."""

from __future__ import annotations

import pytest

from mcp_governor.evaluation.model import Failure, ends_run, http_failure, may_pass

TABLE = {
    Failure.TIMEOUT: (True, False),
    Failure.UNREACHABLE: (True, False),
    Failure.CUT: (True, False),
    Failure.RATE_LIMITED: (True, False),
    # Another draw of the model may be well formed.
    Failure.MALFORMED: (True, False),
    Failure.QUOTA: (False, True),
    Failure.AUTH: (False, True),
    Failure.UNKNOWN_MODEL: (False, True),
    # The same request would reach the same limit, and be paid for again.
    Failure.TRUNCATED: (False, False),
    Failure.TOO_LARGE: (False, False),
    http_failure(400): (False, False),
    http_failure(408): (True, False),
    http_failure(409): (True, False),
    http_failure(413): (False, False),
    http_failure(500): (True, False),
    http_failure(529): (True, False),
}


def test_the_table_has_every_kind():
    assert set(Failure) <= set(TABLE)


@pytest.mark.parametrize("failure", TABLE)
def test_a_failure_passes_or_ends_the_run(failure):
    assert (may_pass(failure), ends_run(failure)) == TABLE[failure]
