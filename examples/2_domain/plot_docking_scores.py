"""
Virtual screening: compare docking programs
===========================================

Three docking programs score the same compounds, and the lab buys the
first 1 %. Which program is better? This example makes the tables for a
paper: enrichment factor, BEDROC and average precision (AP), with
intervals, p-values and comparisons. Failed poses have missing scores.
"""

# %%
# A simulated screen
# ------------------
# 50 of 5000 compounds are active. Low docking energies are good. The
# third program rounds its energies, so many compounds are tied. Each
# metric is the mean over all orders of tied compounds. Each program
# fails on other compounds, whose energy is then missing.

import numpy as np
import pandas as pd

rng = np.random.default_rng(0)
active = np.arange(5000) < 50
common = 0.6 * rng.normal(size=5000)
programs = {"A": (-7, 2.4), "B": (-8, 1.4), "C": (-6, 2.2)}
energy = pd.DataFrame(
    {
        name: mean - gain * active + common + rng.normal(0, 0.8, 5000)
        for name, (mean, gain) in programs.items()
    }
)
energy["C"] = energy["C"].round()
for name, share in {"A": 0.02, "B": 0.05, "C": 0.03}.items():
    energy.loc[rng.random(5000) < share, name] = np.nan
energy.isna().sum()

# %%
# The report
# ----------
# ``lower_is_better=True`` ranks the lowest energy first, and
# ``missing="last"`` ranks failed poses below all others. ``metrics``
# adds metrics with intervals. ``t`` is the depth of the table of the
# top: the first 1 % of the compounds.

from skrank import RankingReport

report = RankingReport(
    t=0.01, metrics=["enrichment_factor@1%", "bedroc(alpha=20)"]
).from_predictions(active, energy, lower_is_better=True, missing="last")
print(report)

# %%
# Reading the report:
#
# - All three programs are better than chance. The largest of the three
#   p-values is below 1e-9.
# - The row "null mean" is the mean of random selection, whose
#   enrichment factor is 1.
# - Program B has a smaller AP than A and C, also after Holm's
#   adjustment for three comparisons. A and C do not differ
#   significantly.
# - ``lift`` and the enrichment factor at 1 % are the same quantity. The
#   table of metrics adds the interval.
#
# Tables for a paper
# ------------------
# ``to_latex()`` returns the tables for LaTeX. The first one:

print(report.to_latex().partition("\n\n")[0])

# %%
# The lab buys the top only, so the paper also compares the programs by
# BEDROC. ``"enrichment_factor@1%"`` works in the same way.

from skrank import RankingComparison

comparison = RankingComparison("bedroc(alpha=20)")
table = comparison.compare_all(
    active, energy, lower_is_better=True, missing="last"
)
table

# %%
# By BEDROC, too, B is worse than A and C, and A and C do not differ
# significantly.
#
# Enrichment at every depth
# -------------------------
# Read off the enrichment factor for the number of compounds that you
# can buy. Both axes are logarithmic.

from skrank import HitCurveDisplay

ax = None
for name in energy:
    display = HitCurveDisplay.from_predictions(
        active,
        energy[name],
        lower_is_better=True,
        missing="last",
        kind="lift",
        name=f"program {name}",
        ax=ax,
    )
    ax = display.ax_
_ = ax.set(
    title="Enrichment of three docking programs",
    ylabel="enrichment factor",
)

# %%
# From the command line
# ---------------------
# The command makes the same report from a csv file. It prints
# "A (lower)" for a column in which lower is better:
#
# .. code-block:: bash
#
#    skrank report docking.csv --target active --lower-is-better A \
#        --lower-is-better B --lower-is-better C --at 1% \
#        --metric enrichment_factor@1% --metric "bedroc(alpha=20)" \
#        --missing last --html docking.html --latex docking.tex
