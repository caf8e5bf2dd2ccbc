"""A sweep as Markdown, as a picture and as a page."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from replacing import replace
from test_report_page import Page

from mcp_governor.load import formulas
from mcp_governor.load.model import Point, Sweep, SweepPlan
from mcp_governor.report import sweep_picture
from mcp_governor.report.sweep_picture import as_markdown, as_page
from mcp_governor.report.sweep_words import (
    conclusion,
    digits,
    explanations,
    limiter,
    other_lists,
    remarks,
    sparkline,
)

SVG = "{http://www.w3.org/2000/svg}"


def _point(concurrency, throughput, latencies, errors=None, ceiling=9_000.0, stopped=None):
    p50, p95, p99, highest = latencies
    seconds = 1000 / throughput if throughput else 1.0
    return Point(concurrency, 1000, errors or {}, seconds, throughput, p50, p95, p99, highest, p50, ceiling, stopped)


POINTS = (
    _point(40, 602.1, (52.0, 57.3, 61.2, 88)),
    _point(80, 764.8, (101.8, 108, 120, 140)),
    _point(120, 760, (152, 160.4, 210, 260)),
    _point(160, 520, (260, 420, 700, 1300), {"timeout": 12, "http-503": 3}),
    _point(200, 300, (400, 900, 1400, 2100), {"timeout": 40}, ceiling=400.0),
)
NOTHING = Point(40, 5, {"refused": 5}, 0.1, 0.0, None, None, None, None, None)


def _sweep(points=POINTS, **more):
    plan = more.pop("plan", SweepPlan())
    within = formulas.feasible(points, plan.p95_slo_ms, plan.p99_slo_ms)
    best = formulas.recommended(points, plan.p95_slo_ms, plan.p99_slo_ms)
    return Sweep(
        "http://127.0.0.1:3002/mcp",
        "http",
        "modern",
        "2026-07-28",
        "asyncio",
        plan,
        tuple(points),
        formulas.knee(points),
        tuple(one.concurrency for one in within),
        best.concurrency if best else None,
        **more,
    )


def test_the_markdown_is_as_reviewed(golden):
    golden("load-sweep.md", as_markdown(_sweep(), image="sweep.svg"))


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "–"), (0.4249, "0.42"), (1.0, "1.0"), (9.96, "10.0"), (52.4, "52"), (1204.4, "1,204")],
)
def test_numbers_have_the_digits_that_matter(value, shown):
    assert digits(value) == shown


@pytest.mark.parametrize(
    ("values", "bars"),
    [([], ""), ([0.0], " "), ([1, 2, 4, 8], "▂▃▅█"), ([8, None, 0], "█ ▁"), ([None], " ")],
)
def test_a_sparkline_starts_at_zero(values, bars):
    assert sparkline(values) == bars


def test_the_conclusion_says_what_it_rests_on():
    assert conclusion(_sweep()) == (
        "Recommended concurrency: 80 (765 requests/s, p95 108 ms; within p95 ≤ 400 ms and p99 ≤ 800 ms)."
    )
    strict = _sweep(plan=SweepPlan(p95_slo_ms=50.0))
    assert strict.feasible == ()
    assert conclusion(strict) == (
        "No concurrency is recommended: none meets p95 ≤ 50 ms and p99 ≤ 800 ms without failed requests; "
        "the lowest p95 is 57 ms, at 40."
    )
    assert conclusion(_sweep([NOTHING])) == "No concurrency is recommended: no request succeeded."
    limited = replace(POINTS[0], errors={"http-429": 260}, retry_after_s=1.0)
    assert conclusion(_sweep([limited])) == "No concurrency is recommended: every point has failed requests."
    cut = _sweep([replace(POINTS[0], stopped="the time was over")])
    assert conclusion(cut) == "No concurrency is recommended: no point was measured in full."


def test_a_limiter_and_lists_that_differ_are_named():
    limited = replace(POINTS[0], requests=300, errors={"http-429": 260}, retry_after_s=1.0)
    (said,) = limiter([POINTS[0], limited, replace(limited, errors={"http-429": 9})])
    assert said.startswith("A rate limiter refused 260 of 300 requests at 40 in flight (HTTP 429, Retry-After 1 s): it")
    (said,) = limiter([replace(limited, retry_after_s=None)], below="wait")
    assert "(HTTP 429): it was measured, not the server" in said
    assert said.endswith("or wait.")
    other = replace(POINTS[0], requests=300, errors={"list-empty": 3, "list-longer": 1, "timeout": 9})
    (said,) = other_lists([POINTS[0], other])
    assert "At 40 in flight, 4 of 300 lists were not the one that came alone: some were empty and some had more" in said
    assert [*limiter([other]), *other_lists([limited]), *limiter([]), *other_lists([])] == []


def test_what_is_not_the_servers_figure_is_said():
    sweep = _sweep(interrupted="Ctrl-C.", notes=("One process per client.",), plan=SweepPlan(rate=100.0))
    said = " ".join(explanations(sweep))
    for words in ("Knee at 160", "limited by the client", "100 requests/s", "ended early: Ctrl-C.", "One process per"):
        assert words in said
    assert remarks(sweep, replace(POINTS[1], stopped="the time was over")) == [
        "recommended",
        "incomplete: the time was over",
    ]
    assert [*explanations(_sweep(POINTS[:2]))] == []


def _texts(document):
    return ["".join(node.itertext()) for node in ET.fromstring(document).iter(f"{SVG}text")]


def _marks(root):
    return [one for one in root.iter(f"{SVG}path") if one.get("class").split()[0] in ("mark", "hollow")]


def test_the_picture_marks_what_the_table_marks():
    document = sweep_picture.picture(_sweep())
    root = ET.fromstring(document)
    texts = _texts(document)
    for word in ("40", "80", "120", "160", "recommended", "knee", "client limit", "15 errors", "40 errors"):
        assert texts.count(word) == 1, word
    assert len([one for one in root.iter(f"{SVG}rect") if one.get("class") == "band"]) == 3
    # Two of five points are not figures of a healthy server, in each of four lines.
    kinds = [one.get("class").split()[0] for one in root.iter(f"{SVG}path")]
    assert (kinds.count("hollow"), kinds.count("mark")) == (8, 12)


def test_higher_values_are_higher_up():
    root = ET.fromstring(sweep_picture.picture(_sweep()))
    found = {}
    for mark in _marks(root):
        name, y = mark[0].text.split()[0], mark.get("transform").split()[1].removesuffix(")")
        found.setdefault(name, []).append(float(y))
    assert found["throughput"].index(min(found["throughput"])) == 1
    assert found["p99"] == sorted(found["p99"], reverse=True)
    for name in ("p50", "p95"):
        assert all(low >= high for low, high in zip(found[name], found["p99"], strict=True))


@pytest.mark.parametrize("points", [[], [NOTHING], POINTS[:1], [*POINTS[:1], NOTHING, *POINTS[1:]]])
def test_any_number_of_points_can_be_drawn(points):
    document = sweep_picture.picture(_sweep(points))
    marks = _marks(ET.fromstring(document)) if document else []
    measured = sum(point.p50_ms is not None for point in points)
    assert len(marks) == 3 * measured + len(points)


def test_lines_differ_in_shape_and_are_named_where_they_end():
    root = ET.fromstring(sweep_picture.picture(_sweep()))
    shapes = {}
    for mark in _marks(root):
        shapes.setdefault(mark[0].text.split()[0], set()).add(mark.get("d"))
    assert all(len(found) == 1 for found in shapes.values())
    assert len(set.union(*(shapes[name] for name in ("p50", "p95", "p99")))) == 3
    ends = {one.text: float(one.get("y")) for one in root.iter(f"{SVG}text") if one.text in ("p50", "p95", "p99")}
    assert list(ends) == ["p99", "p95", "p50"], "from above"
    texts = _texts(sweep_picture.picture(_sweep()))
    assert "goal of p95: 400" in texts
    assert "goal of p99: 800" in texts


def test_words_of_a_server_are_inert():
    hostile = "<script>alert(1)</script>|\u202e`@all"
    points = (_point(40, 10, (1, 2, 3, 4), {hostile: 1}, stopped=hostile),)
    sweep = replace(_sweep(points, notes=(hostile,), interrupted=hostile), target=hostile)
    page = as_page(sweep)
    assert "<script" not in page
    assert "\u202e" not in page
    Page(page)
    text = as_markdown(sweep)
    assert "<script" not in text
    row = next(line for line in text.splitlines() if line.startswith("| 40"))
    assert row.replace("\\|", "").count("|") == 10


def test_the_page_allows_its_two_styles_and_nothing_else():
    page = Page(as_page(_sweep()))
    policy = next(one["content"] for one in page.of("meta") if one.get("http-equiv"))
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert policy.count("sha256-") == 2
    assert page.of("script") == []
    assert "80" in page.text
    assert "Recommended concurrency: 80" in page.text
