"""Prints the reference values of ``tests/evaluation/test_statistics.py``.

Needs an environment with ``scipy``, ``statsmodels`` and ``krippendorff``; mcp-governor depends on none of them.
"""

from __future__ import annotations

# mypy: ignore-errors
import krippendorff
import numpy as np
import scipy
import statsmodels
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

MISSING = np.nan
EXAMPLE_C = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, MISSING, MISSING, MISSING],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, MISSING, 3],
    [MISSING, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, MISSING],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, MISSING],
]
EXAMPLE_B = [[0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]]


def main() -> None:
    """Print every value."""
    print(f"scipy {scipy.__version__}, statsmodels {statsmodels.__version__}")
    for hits, trials, share in ((8, 10, 0.5), (15, 20, 0.5), (3, 50, 0.02), (60, 100, 0.5), (550, 1000, 0.5)):
        print("tail", hits, trials, share, stats.binomtest(hits, trials, share, alternative="greater").pvalue)
    for lost, gained in ((121, 59), (10, 2), (5, 0), (6, 0), (7, 7), (1, 0)):
        print("mcnemar", lost, gained, mcnemar([[0, lost], [gained, 0]], exact=True).pvalue)
    for values in ([0.01, 0.04, 0.03], [0.001, 0.01, 0.02, 0.04, 0.5], [0.05, 0.05]):
        print("holm", values, multipletests(values, method="holm")[1].tolist())
    for hits, trials in ((0, 10), (10, 10), (8, 10), (45, 50), (1, 3)):
        print("wilson", hits, trials, proportion_confint(hits, trials, method="wilson"))
    print("quantiles", np.quantile([1, 2, 4, 7, 11], [0.025, 0.3, 0.975]).tolist())
    random = np.random.default_rng(5)
    values = random.integers(0, 4, (3, 30)).astype(float)
    values[random.random((3, 30)) < 0.2] = MISSING
    for name, raters in (("C", EXAMPLE_C), ("B", EXAMPLE_B), ("random", values)):
        print("alpha", name, krippendorff.alpha(raters, level_of_measurement="nominal"))


if __name__ == "__main__":
    main()
