"""Every case of every statement of the sources: bad ones are caught by exactly their rules, good ones are clean.

``pytest tests/sources -k charter-006`` runs the cases of one statement.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from judging import judge
from source_statements import Case, documents

CASES = [
    pytest.param(case, id=case.id)
    for document in documents()
    for statement in document.statements
    for case in statement.cases
]


@pytest.mark.parametrize("case", CASES)
def test_a_case_is_judged_as_its_source_says(case: Case, tmp_path: Path) -> None:
    verdict = judge(case, tmp_path)
    assert verdict.rules == {name for name in case.rules if "/" in name}, verdict.said
    kinds = {name for name in case.rules if "/" not in name}
    assert kinds <= verdict.kinds, verdict.said
    # A bad case may be about a rule alone, whatever changes; a good one breaks nothing unless it names its changes.
    if kinds or not (case.bad or case.kinds is not None):
        assert verdict.breaks <= kinds, verdict.said
    if case.kinds is not None:
        assert verdict.kinds == case.kinds, verdict.said
    if case.severity:
        assert verdict.severities == {case.severity}, verdict.said
