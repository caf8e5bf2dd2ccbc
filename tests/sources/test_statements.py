"""Every case of every statement of the sources: bad ones are caught by exactly their rules, good ones are clean.

``pytest tests/sources -k charter-006`` runs the cases of one statement.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from judging import judge
from source_statements import Statement, documents

STATEMENTS = [statement for document in documents() for statement in document.statements if statement.cases]


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda statement: statement.id)
def test_a_case_is_judged_as_its_source_says(statement: Statement, tmp_path: Path) -> None:
    for case in statement.cases:
        folder = tmp_path / case.id
        folder.mkdir()
        verdict = judge(case, folder)
        said = f"{case.id}: {verdict.said}"
        assert verdict.rules == {name for name in case.rules if "/" in name}, said
        kinds = {name for name in case.rules if "/" not in name}
        assert kinds <= verdict.kinds, said
        # A bad case may be about a rule alone, whatever changes; a good one breaks nothing unless it names its changes.
        if kinds or not (case.bad or case.kinds is not None):
            assert verdict.breaks <= kinds, said
        if case.kinds is not None:
            assert verdict.kinds == case.kinds, said
        if case.severity:
            assert verdict.severities == {case.severity}, said
