"""The figures of the proxies on the labelled queries next to the repository, which must not get worse."""

from __future__ import annotations

import proxy_figures
import pytest

pytestmark = pytest.mark.skipif(
    not proxy_figures.FOLDER.is_dir(), reason="the labelled queries (../shared/eval) are not here"
)


@pytest.fixture(scope="module")
def sets() -> dict:
    return dict(proxy_figures.cases(proxy_figures.FOLDER))


@pytest.mark.parametrize(
    ("name", "proxy", "share"),
    [
        (proxy_figures.OWN, "bm25", 0.47),
        (proxy_figures.OWN, "minilm", 0.78),
        ("bfcl_live_multiple_150", "bm25", 0.88),
        ("bfcl_live_multiple_150", "minilm", 0.87),
        ("metatool_150", "bm25", 0.42),
        ("metatool_150", "minilm", 0.58),
    ],
)
def test_the_figures_of_the_docs_are_matched(sets: dict, name: str, proxy: str, share: float) -> None:
    assert round(proxy_figures.figure(proxy, "all", sets[name]).all, 2) >= share


@pytest.mark.parametrize("proxy", ["bm25", "minilm"])
def test_the_first_sentence_does_nearly_all_the_work(sets: dict, proxy: str) -> None:
    of = sets[proxy_figures.OWN]
    name, first, description, everything = (
        proxy_figures.figure(proxy, shown, of).all for shown in ("name", "first-sentence", "description", "all")
    )
    assert name < first <= description <= everything
    assert first - name > everything - first
