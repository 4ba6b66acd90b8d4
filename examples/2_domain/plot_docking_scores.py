"""
Virtual screening: docking scores
=================================

Three docking programs score the same compounds. The lab buys the first
1 % of the ranking. The example makes the table for the paper, with
intervals, p-values and comparisons.
"""

# %%
# A simulated screen
# ------------------
# 50 of 5000 compounds are active. Docking energies are low for good
# compounds, so their sign is changed. The third program rounds its
# energies, and many compounds are tied.

import numpy as np

rng = np.random.default_rng(0)
active = np.arange(5000) < 50
common = rng.normal(size=5000)
energy = {
    "A": -7 - 2.4 * active + 0.6 * common + 0.8 * rng.normal(size=5000),
    "B": -8 - 1.4 * active + 0.6 * common + 0.8 * rng.normal(size=5000),
    "C": -6 - 2.2 * active + 0.6 * common + 0.8 * rng.normal(size=5000),
}
energy["C"] = np.round(energy["C"])
scores = {name: -values for name, values in energy.items()}

# %%
# The table for the paper
# -----------------------

from skrank import ranking_report

report = ranking_report(active, scores, t=0.01)
print(report)

# %%
# Enrichment factor and BEDROC
# ----------------------------
# These metrics describe the top of the ranking. Each metric has a
# p-value and an interval.

import pandas as pd

from skrank import MetricInterval, RandomSelectionTest

rows = []
for name, score in scores.items():
    for metric in ("enrichment_factor@1%", "bedroc(alpha=20)"):
        test = RandomSelectionTest(metric)
        result = test.from_predictions(active, score)
        interval = MetricInterval(metric).from_predictions(
            active, score
        )
        low, high = interval.confidence_interval()
        rows.append(
            {
                "program": name,
                "metric": metric,
                "value": round(result.statistic, 2),
                "interval": f"{low:.2f} to {high:.2f}",
                "null_mean": round(result.null_mean, 2),
                "pvalue": f"{result.pvalue:.1e}",
            }
        )
pd.DataFrame(rows)

# %%
# Compare
# -------
# All programs rank the same compounds. The p-values of the pairs are
# adjusted by Holm's method.

from skrank import RankingComparison

comparison = RankingComparison("bedroc(alpha=20)")
table = comparison.compare_all(active, scores)
columns = [
    "name_a",
    "name_b",
    "difference",
    "low",
    "high",
    "adjusted_pvalue",
]
table.to_frame()[columns].round(4)

# %%
# The picture
# -----------

from skrank import LiftDisplay

ax = None
for name, score in scores.items():
    display = LiftDisplay.from_predictions(
        active, score, name=f"program {name}", ax=ax
    )
    ax = display.ax_
_ = ax.set_title("Enrichment of three docking programs")
