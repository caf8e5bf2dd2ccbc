"""The pool notices what a worker cannot report itself: silence, death, answers that depend on the hash seed."""

from __future__ import annotations

import json
from pathlib import Path

import fuzz
import fuzz_pool
import pytest

HERE = str(Path(__file__).parent)


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setenv("PYTHONPATH", HERE)
    monkeypatch.syspath_prepend(HERE)
    monkeypatch.setattr(fuzz_pool, "PATIENCE", 3.0)
    return monkeypatch


def ran(cases: int, *, processes: int = 1, seconds: float = 120) -> fuzz_pool.Run:
    run = fuzz_pool.Run("stub", 1, seconds, processes, cases)
    run.go()
    return run


def test_a_run_without_failures(stub: pytest.MonkeyPatch) -> None:
    stub.setenv("STUB", "")
    run = ran(40, processes=2)
    assert run.counts["asked"] == 40
    assert not run.failures


def test_a_failure_is_reduced_and_kept_once(stub: pytest.MonkeyPatch) -> None:
    stub.setenv("STUB", "wrong")
    run = ran(40)
    assert run.counts["failure: too long"] == 32
    (failure,) = run.failures.values()
    assert len(failure["case"]["list"]) == 4


@pytest.mark.parametrize(("how", "said"), [("hang", "no answer"), ("death", "ended with code 3")])
def test_a_worker_that_is_lost_is_a_failure_and_the_run_goes_on(stub: pytest.MonkeyPatch, how: str, said: str) -> None:
    stub.setenv("STUB", how)
    run = ran(30)
    (failure,) = run.failures.values()
    assert failure["kind"] == "hang or death"
    assert said in failure["note"]
    assert failure["index"] == 13
    assert failure["case"] == {"list": list(range(13))}
    assert run.counts["asked"] == 20  # the batch with the hang is given up, the others are not


def test_found_cases_are_saved_and_replayed(
    stub: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stub.setenv("STUB", "wrong")
    stub.setattr(fuzz, "SUBJECTS", ("stub",))
    assert fuzz.main(["stub", "--seed", "5", "--cases", "10", "--processes", "1", "--out", str(tmp_path)]) == 1
    said = capsys.readouterr().out
    assert "python tools/fuzz.py stub --seed 5" in said
    (file,) = tmp_path.iterdir()
    assert json.loads(file.read_text())["case"] == {"list": [0, 0, 0, 0]}
    assert fuzz.main(["--replay", str(file)]) == 1
    file.write_text(json.dumps({"subject": "stub", "case": {"list": [0]}}))
    assert fuzz.main(["--replay", str(file)]) == 0


def test_nothing_asked_is_not_a_success(stub: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stub.setenv("STUB", "")
    stub.setattr(fuzz, "SUBJECTS", ("stub",))
    assert fuzz.main(["stub", "--seed", "5", "--cases", "0", "--out", str(tmp_path)]) == fuzz.NOTHING


@pytest.mark.parametrize("text", ["", "{}", '{"subject": "nothing", "case": {}}', "[]"])
def test_a_file_that_is_not_a_case_is_a_usage_error(tmp_path: Path, text: str) -> None:
    file = tmp_path / "case.json"
    file.write_text(text)
    assert fuzz.main(["--replay", str(file)]) == 2
