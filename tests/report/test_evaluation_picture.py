"""The accuracy of runners over a history, as a picture."""

from __future__ import annotations

import re
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest

from mcp_governor.evaluation.metrics import share
from mcp_governor.report.evaluation_picture import as_page


def step(number: int, **hits: int) -> Any:
    """An evaluation of runners with so many right answers of a hundred."""
    measured = [
        SimpleNamespace(runner=SimpleNamespace(name=name), accuracy=share(right, 100)) for name, right in hits.items()
    ]
    evaluation = SimpleNamespace(started="2026-11-2" + str(number))
    return SimpleNamespace(number=number, assessment=SimpleNamespace(measured=measured, evaluation=evaluation))


STEPS = [step(1, large=91, small=74), step(2, large=93, small=70, tiny=71), step(3, large=80, small=71, tiny=72)]


def test_each_runner_has_its_shape_and_its_name_at_the_end_of_its_line() -> None:
    page = as_page("Evaluation", [], STEPS)
    marks = re.findall(
        r'<path class="mark (s\d)" transform="translate\((\d+) (\d+)\)" d="(.*?)"><title>(\w+): (.*?)<', page
    )
    assert [(name, said.split("%")[0].strip()) for *_, name, said in marks] == [
        *(("large", "91"), ("large", "93"), ("large", "80")),
        *(("small", "74"), ("small", "70"), ("small", "71"), ("tiny", "71"), ("tiny", "72")),
    ]
    assert len({shape for _, _, _, shape, _, _ in marks}) == 3
    # 240 pixels of height below 16: the higher the share, the smaller the distance from above.
    assert [int(y) for _, _, y, _, name, _ in marks if name == "large"] == [38, 33, 64]
    ends = re.findall(r'<text class="end s(\d)" x="(\d+)" y="([\d.]+)">(\w+)</text>', page)
    assert [name for *_, name in ends] == ["large", "tiny", "small"], "from above"
    places = [float(y) for _, _, y, _ in ends]
    assert all(low - high >= 15 for high, low in pairwise(places)), "they do not overlap"


@pytest.mark.parametrize(("number", "width"), [(2, 240), (5, 170), (30, 90)])
def test_the_picture_is_as_wide_as_the_page_or_as_its_labels_need(number: int, width: int) -> None:
    page = as_page("Evaluation", [], [step(1, a=50)] * number)
    found = re.search(r'class="evaluation" .*?width="(\d+)"', page)
    assert found is not None
    assert int(found[1]) == 48 + width * number + 7


def test_one_evaluation_is_no_line_and_names_are_text() -> None:
    assert "<svg" not in as_page("Evaluation", [], STEPS[:1])
    page = as_page("Evaluation", [], [step(1, **{"<b>x": 5}), step(2, **{"<b>x": 6})])
    assert "<b>" not in page
    assert "&lt;b&gt;x" in page
