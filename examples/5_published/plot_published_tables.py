"""
.. _sphx_glr_auto_examples_plot_published_tables.py:

Average precision under random selection: published tables
==========================================================

Which average precision (AP) does random selection have? Zhang and Su
(2012) published the first table, with simulated and theoretical moments
and quantiles. This example recomputes the table and adds the exact
distribution. The simulated values are right, except one. The
theoretical variance does not follow from its formula, and a normal
distribution does not describe the tail.

The sources are

* the paper: Zhang and Su (2012), "Statistical inference on recall,
  precision and average precision under random selection", *FSKD 2012*,
  1348-1352;
* the slides: Su and Zhang, "Statistical inference for recall, precision
  and average precision", a talk on the same work.
"""

# %%
# The printed values
# ------------------
# A ranking has n items, and m of them are targets. Table III of the
# paper has two settings. The simulations of the paper and of this
# example have 10,000 rankings.

import numpy as np
import pandas as pd

from skrank import RandomSelectionNull

COLUMNS = ["mean", "variance", "2.5 %", "50 %", "97.5 %"]
TABLE_III = {
    (1000, 100): {
        "simulated": (0.1037, 0.0001286, 0.0876, 0.1044, 0.1321),
        "theoretical": (0.1037, 0.0001392, 0.0806, 0.1037, 0.1268),
    },
    (2000, 500): {
        "simulated": (0.2527, 0.000096, 0.2347, 0.2521, 0.2731),
        "theoretical": (0.2522, 0.000142, 0.2288, 0.2522, 0.2755),
    },
}
N_RANKINGS = 10_000
settings = [*TABLE_III, (3000, 245)]
nulls = {setting: RandomSelectionNull(*setting) for setting in settings}
draws = {
    setting: null.rvs(N_RANKINGS, random_state=seed)
    for seed, (setting, null) in enumerate(nulls.items())
}

# %%
# Table III, recomputed
# ---------------------
# The simulated quantiles and variances agree with the exact values.

LEVELS = [0.025, 0.5, 0.975]
rows = {}
for setting, printed in TABLE_III.items():
    null, values = nulls[setting], draws[setting]
    name = f"n = {setting[0]}, m = {setting[1]}"
    simulated = np.quantile(values, LEVELS)
    rows[name, "paper, simulated"] = printed["simulated"]
    rows[name, "skrank, simulated"] = (
        values.mean(),
        values.var(),
        *simulated,
    )
    rows[name, "skrank, exact"] = (
        null.mean(),
        null.std() ** 2,
        *null.ppf(LEVELS),
    )
    rows[name, "paper, theoretical"] = printed["theoretical"]
pd.DataFrame(rows, index=COLUMNS).T.round(7)

# %%
# One simulated value is wrong: the mean 0.1037 for m = 100. It equals
# the theoretical mean, and differs from the exact mean by this number
# of standard errors of the simulation:

null = nulls[1000, 100]
off = (0.1037 - null.mean()) / (null.std() / np.sqrt(N_RANKINGS))
print(f"{off:.1f}")

# %%
# The variance of the paper
# -------------------------
# AP is the mean of i / L(i), where L(i) is the rank of target i. The
# paper approximates the moments of 1 / L(i) by a Taylor series
# (equations 8 to 13):
#
# .. math::
#
#    \operatorname{Var}(AP) = \frac{1}{m^2} \Big(
#    \sum_i i^2 \operatorname{Var} \frac{1}{L(i)}
#    + 2 \sum_{i<j} i j
#    \operatorname{Cov}\big(\tfrac{1}{L(i)}, \tfrac{1}{L(j)}\big)\Big)


def paper_moments(n, m):
    i = np.arange(1.0, m + 1)
    low, high = np.minimum.outer(i, i), np.maximum.outer(i, i)
    mean = i * n / m
    square = i * n * (i * n + i + n - m) / (m * (m + 1))
    product = low * (n - 1) * (n * high + n - m) / (m * (m - 1))
    return mean, square - mean**2, product - np.outer(mean, mean)


def exact_moments(n, m):
    i = np.arange(1.0, m + 1)
    low, high = np.minimum.outer(i, i), np.maximum.outer(i, i)
    factor = (n + 1) * (n - m) / ((m + 1) ** 2 * (m + 2))
    covariance = factor * low * (m + 1 - high)
    return i * (n + 1) / (m + 1), covariance.diagonal(), covariance


def sums(mean, variance, covariance):
    i = np.arange(1.0, mean.size + 1)
    ratio = variance / mean**2
    pairs = covariance * np.outer(i / mean**2, i / mean**2)
    single = np.sum((i / mean) ** 2 * ratio * (1 - ratio))
    sums = single, np.triu(pairs, 1).sum(), np.trace(pairs)
    return [part / i.size**2 for part in sums]


# %%
# Without the factor 2, and with i = j in the sum, the formula gives all
# printed digits of the variance. This is an inference from the numbers.
# Equation 13 itself gives more than twice the exact variance, because
# the paper's moments of the ranks are wrong. With exact moments the
# series gives too small a variance.

rows = {}
for setting, printed in TABLE_III.items():
    single, pairs, diagonal = sums(*paper_moments(*setting))
    right_single, right_pairs, _ = sums(*exact_moments(*setting))
    rows[f"n = {setting[0]}, m = {setting[1]}"] = {
        "printed": printed["theoretical"][1],
        "no factor 2, i <= j": single + pairs + diagonal,
        "equation 13": single + 2 * pairs,
        "equation 13, exact moments": right_single + 2 * right_pairs,
        "exact": nulls[setting].std() ** 2,
    }
pd.DataFrame(rows).map("{:.3e}".format)

# %%
# Coverage of the quantiles
# -------------------------
# Of all random rankings, 2.5 % should be below the lower quantile, and
# 2.5 % above the upper quantile. These are the exact shares:

rows = {}
for setting, printed in TABLE_III.items():
    for name, (_, _, low, _, high) in printed.items():
        null = nulls[setting]
        rows[setting, name] = {
            "below": null.pvalue(low, alternative="less"),
            "above": null.pvalue(high),
        }
pd.DataFrame(rows).T.map("{:.2%}".format)

# %%
# Figure 1
# --------
# The bars are exact. The dash-dotted curve is the normal distribution
# of the paper, with the theoretical mean and variance of Table III. The
# dashed curve is the normal distribution with the exact mean and
# variance.

import matplotlib.pyplot as plt
from scipy.stats import norm

from skrank import NullDistributionDisplay

setting = (2000, 500)
mean, variance, *_ = TABLE_III[setting]["theoretical"]
fig, ax = plt.subplots(layout="constrained")
x = np.linspace(0.21, 0.30, 400)
density = norm.pdf(x, mean, variance**0.5)
ax.plot(x, density, "C1-.", label="normal distribution of the paper")
NullDistributionDisplay.from_result(nulls[setting], ax=ax)
_ = ax.set_title("500 targets among 2000 items")

# %%
# The slides
# ----------
# The slides have the mean and the standard deviation for n = 3000 and
# m = 245. The standard deviation of "our method" is 8 % too small. The
# slides do not explain the row in brackets. The table of coverage in
# the slides has its own example, :ref:`example_recall_coverage`.

null, values = nulls[3000, 245], draws[3000, 245]
rows = {
    "slides, true / empirical": (0.08399, 0.00561),
    "slides, our method": (0.08395, 0.00514),
    "slides, in brackets": (0.08164, 0.00497),
    "skrank, simulated": (values.mean(), values.std()),
    "skrank, exact": (null.mean(), null.std()),
}
pd.DataFrame(rows, index=["mean", "std"]).T.round(5)

# %%
# Errors in the formulas
# ----------------------
# * Equation 6 of the paper is the distribution of the rank of target i.
#   Its denominator is wrong, so that the probabilities sum to n/m. The
#   slides have the right denominator.
# * Equation 8 has the mean rank i n/m. The correct mean rank is
#   i (n+1)/(m+1).
# * The slides have the mean of AP m/n. The correct mean is
#   (m-1)/(n-1) + (n-m)/(n (n-1)) (1 + 1/2 + ... + 1/n).
# * The slides call the number of hits among the first t items
#   binomial. It is hypergeometric.
#
# All rankings of 8 items with 3 targets show the second and the third
# error:

from itertools import combinations

n, m = 8, 3
ranks = np.array(list(combinations(range(1, n + 1), m)))
harmonic = np.sum(1 / np.arange(1, n + 1))
formula = (m - 1) / (n - 1) + (n - m) / (n * (n - 1)) * harmonic
pd.Series(
    {
        "mean rank of the first target": ranks[:, 0].mean(),
        "equation 8": n / m,
        "(n+1)/(m+1)": (n + 1) / (m + 1),
        "mean of AP": np.mean(np.arange(1, m + 1) / ranks),
        "m/n": m / n,
        "formula": formula,
        "RandomSelectionNull": RandomSelectionNull(n, m).mean(),
    }
).round(4)

# %%
# The tail
# --------
# The table has the p-values at z standard deviations above the mean.
# With 20 targets among 1000 items, more than one of 40 random rankings
# is at least three standard deviations above the mean.

z = np.array([2, 3, 4, 6, 8])
tails = {"normal": norm.sf(z)}
for n, m in ((1000, 20), (1000, 100), (2000, 500)):
    null = RandomSelectionNull(n, m)
    tails[f"{m} of {n}"] = null.pvalue(null.mean() + z * null.std())
table = pd.DataFrame(tails, index=pd.Index(z, name="z"))
table.map("{:.1e}".format)

# %%
# The rarer the targets, the larger is the difference from the normal
# distribution (dashed). 10,000 random rankings cannot show
# probabilities below 1e-4.

# sphinx_gallery_thumbnail_number = 2
fig, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
for name, style in zip(
    table, ("k--", "C1-", "C0-", "C2-"), strict=True
):
    ax.semilogy(z, table[name], style, label=name)
ax.set(xlabel="z", ylabel="p-value")
_ = ax.legend()
