"""
.. _sphx_glr_auto_examples_plot_published_tables.py:

Published tables of random selection
====================================

What average precision (AP) does a ranking get that knows nothing? Zhang and Su (2012)
were the first to answer, with a table, a figure, and a normal distribution to test by.
Here all three are computed again, and set beside the exact distribution and 10,000
random rankings of our own. What they simulated is right, but for one number. The normal
distribution is not: its variance does not follow from its formula, and no variance
would mend its tail.

The sources are

* the paper: Zhang and Su (2012), "Statistical inference on recall, precision and
  average precision under random selection", *FSKD 2012*, 1348-1352;
* the slides: Su and Zhang, "Statistical inference for recall, precision and average
  precision", a talk on the same work.

A ranking has n items, m of which are targets.
"""

# %%
# What was printed
# ----------------
# Table III of the paper, and the rows on AP in the table that ends the slides. The
# authors drew 10,000 rankings for each setting, and so do we.

from fractions import Fraction
from itertools import combinations
from math import comb

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import binom, hypergeom, norm

from skrank import NullDistributionDisplay, RandomSelectionNull

N_LISTS = 10_000
TABLE_III = {  # mean, variance, and the quantiles at 2.5, 50 and 97.5 %
    (1000, 100): {
        "empirical": (0.1037, 0.0001286, 0.0876, 0.1044, 0.1321),
        "theoretical": (0.1037, 0.0001392, 0.0806, 0.1037, 0.1268),
    },
    (2000, 500): {
        "empirical": (0.2527, 0.000096, 0.2347, 0.2521, 0.2731),
        "theoretical": (0.2522, 0.000142, 0.2288, 0.2522, 0.2755),
    },
}
SLIDES = {  # mean and standard deviation for n = 3000, m = 245
    "true / empirical": (0.08399, 0.00561),
    "our method": (0.08395, 0.00514),
    "in brackets": (0.08164, 0.00497),
}

settings = [*TABLE_III, (3000, 245), (1000, 20)]
nulls = {setting: RandomSelectionNull(*setting) for setting in settings}
draws = {
    setting: null.rvs(N_LISTS, random_state=seed)
    for seed, (setting, null) in enumerate(nulls.items())
}

# %%
# The theory of the paper
# -----------------------
# AP is the mean of i / L(i), where L(i) is the rank of the i-th target. The paper has
# formulas for the moments of L(i), equations 8 to 10. A Taylor series, equation 11,
# turns them into moments of 1 / L(i); equations 12 and 13 add those up:
#
# .. code-block:: text
#
#     mean of AP      =  1/m   sum of  i E(1/L(i))
#     variance of AP  =  1/m^2 sum of  i^2 Var(1/L(i))
#                     +  2/m^2 sum over pairs i < j of  i j Cov(1/L(i), 1/L(j))
#
# Beside the paper's moments of the ranks we put the exact ones.


def paper_moments(n, m):
    """Moments of the ranks of the targets by equations 8 to 10."""
    i = np.arange(1.0, m + 1)
    low, high = np.minimum.outer(i, i), np.maximum.outer(i, i)
    mean = i * n / m
    variance = i * n * (i * n + i + n - m) / (m * (m + 1)) - mean**2
    product = low * (n - 1) * (n * high + n - m) / (m * (m - 1))
    return mean, variance, product - np.outer(mean, mean)


def exact_moments(n, m):
    """The same without error."""
    i = np.arange(1.0, m + 1)
    low, high = np.minimum.outer(i, i), np.maximum.outer(i, i)
    factor = (n + 1) * (n - m) / ((m + 1) ** 2 * (m + 2))
    covariance = factor * low * (m + 1 - high)
    return i * (n + 1) / (m + 1), covariance.diagonal(), covariance


def taylor(mean, variance, covariance):
    """Return the mean of AP, and three sums that its variance is made of."""
    i = np.arange(1.0, mean.size + 1)
    r = variance / mean**2
    average = np.mean(i / mean * (1 + r))
    pairs = covariance * np.outer(i / mean**2, i / mean**2)
    parts = (
        np.sum((i / mean) ** 2 * r * (1 - r)),  # the variances
        np.sum(np.triu(pairs, 1)),  # the pairs i < j
        np.trace(pairs),  # what the formula for pairs gives at i = j
    )
    return average, *(part / i.size**2 for part in parts)


# %%
# Table III
# ---------
# The theoretical mean follows from the formulas in every digit. The theoretical
# variance does not: equation 13 gives about twice as much. The printed values come out,
# in both settings and in every digit, if the factor 2 is forgotten and the sum over
# pairs lets in i = j. That is a guess at what was computed, but a close one. The rows
# "recomputed" are made in this way, and agree in the quantiles to one unit of the last
# digit.


def normal_quantiles(mean, variance):
    """Quantiles of the normal distribution that the table lists."""
    return mean + np.sqrt(variance) * norm.ppf([0.025, 0.5, 0.975])


def rows_of_table_iii(setting):
    """Each row of the table, as printed and as it should be."""
    null, values = nulls[setting], draws[setting]
    average, single, pairs, diagonal = taylor(*paper_moments(*setting))
    variance = single + pairs + diagonal
    quantiles = np.quantile(values, [0.025, 0.5, 0.975])
    printed = TABLE_III[setting]
    yield "paper, empirical", printed["empirical"]
    yield "10,000 rankings of ours", (values.mean(), values.var(), *quantiles)
    exact = null.ppf([0.025, 0.5, 0.975])
    yield "exact", (null.mean(), null.std() ** 2, *exact)
    yield "paper, theoretical", printed["theoretical"]
    recomputed = (average, variance, *normal_quantiles(average, variance))
    yield "recomputed", recomputed


columns = ("mean", "variance", "2.5 %", "50 %", "97.5 %")
for n, m in TABLE_III:
    head = f"{f'n = {n}, m = {m}':<22}{columns[0]:>9}{columns[1]:>12}"
    head += "".join(f"{name:>9}" for name in columns[2:])
    print(f"\n{head}\n{'-' * len(head)}")
    for name, (mean, variance, *quantiles) in rows_of_table_iii((n, m)):
        row = f"{name:<22}{mean:>9.4f}{variance:>12.7f}"
        print(row + "".join(f"{value:>9.4f}" for value in quantiles))

# %%
# One empirical number is wrong: the mean .1037 for m = 100. It is the theoretical mean,
# and lies many standard errors from the exact one. The row itself tells: the
# distribution leans to the right, the upper quantile being further from the median than
# the lower one, and yet the printed mean is below the printed median.

null = nulls[1000, 100]
mean, _, low, median, high = TABLE_III[1000, 100]["empirical"]
off = (mean - null.mean()) / (null.std() / np.sqrt(N_LISTS))
print(f"empirical mean {mean}, exact {null.mean():.5f}: {off:.0f} standard errors off")
print(f"{median - low:.4f} from 2.5 % to 50 %, {high - median:.4f} from 50 % to 97.5 %")

# %%
# The quantiles tell more than the moments. How often does chance in truth fall below
# the lower point of each row, or above the upper? It should be 2.5 %. The empirical
# points hold what they promise, to the accuracy of 10,000 rankings. Of the theoretical
# ones the lower is hardly ever passed. The upper is passed twice too often for m = 100,
# though the variance is too large, and too rarely for m = 500, where it is far too
# large.

print(f"{'n':>5}{'m':>5}  {'quantiles':<14}{'chance below':>11}{'chance above':>11}")
for setting, rows in TABLE_III.items():
    for name, (_, _, low, _, high) in rows.items():
        null = nulls[setting]
        below = null.pvalue(low, alternative="less")
        above = null.pvalue(high)
        print(f"{setting[0]:>5}{setting[1]:>5}  {name:<14}{below:>11.2%}{above:>11.2%}")

# %%
# Two errors that nearly cancel
# -----------------------------
# Equation 13 as it stands gives twice the exact variance and more, since the moments of
# the ranks are wrong. Without its factor 2 it happens to come closer. With the exact
# moments of the ranks, and the factor 2, the Taylor series gives too little.


def variances(setting):
    """The variance of AP in five versions."""
    _, single, pairs, diagonal = taylor(*paper_moments(*setting))
    _, right_single, right_pairs, _ = taylor(*exact_moments(*setting))
    return {
        "printed": TABLE_III[setting]["theoretical"][1],
        "equation 13": single + 2 * pairs,
        "pairs i <= j, no factor 2": single + pairs + diagonal,
        "eq. 13, exact rank moments": right_single + 2 * right_pairs,
        "exact": nulls[setting].std() ** 2,
    }


found = {setting: variances(setting) for setting in TABLE_III}
head = "".join(f"{f'n = {n}, m = {m}':>24}" for n, m in found)
print(f"{'variance of AP':<28}{head}")
for name in next(iter(found.values())):
    cells = [(row[name], row[name] / row["exact"] - 1) for row in found.values()]
    row = "".join(f"{variance:>15.3e} {excess:>+8.0%}" for variance, excess in cells)
    print(f"{name:<28}{row}")

# %%
# A Taylor series wants ranks that vary little about their mean. The first target's does
# not: its standard deviation is nearly as large as its mean. So the series sees hardly
# anything of what random selection does at the top of the ranking.


def rank_distribution(n, m, i, denominator):
    """Chance that the i-th target is at each rank."""
    ways = [comb(k - 1, i - 1) * comb(n - k, m - i) for k in range(1, n + 1)]
    return [Fraction(way, denominator) for way in ways]


for n, m in TABLE_III:
    null = np.array(rank_distribution(n, m, 1, comb(n, m)), dtype=float)
    inverse = 1 / np.arange(1, n + 1)
    exact = null @ inverse**2 - (null @ inverse) ** 2
    mean, variance = (moments[0] for moments in exact_moments(n, m)[:2])
    r = variance / mean**2
    series = r * (1 - r) / mean**2
    print(f"n = {n}, m = {m}: std of L(1) {np.sqrt(r):.2f} times its mean")
    print(f"  variance of 1 / L(1) {exact:.4f}, by the series {series:.4f}")

# %%
# Figure 1
# --------
# The bars are exact, where the paper has a simulation. The dash-dotted curve is the
# limiting normal distribution of the paper, with the theoretical mean and variance of
# its table. The dashed one, with the exact ones, has the right place and width, yet
# still not the right shape: chance leans to the right.

BLUE, ORANGE, GREEN = "#0072B2", "#D55E00", "#009E73"
plt.rcParams.update({"font.size": 11, "axes.spines.top": False})
plt.rcParams.update({"axes.spines.right": False, "legend.frameon": False})

setting = (2000, 500)
mean, variance, *_ = TABLE_III[setting]["theoretical"]
fig, ax = plt.subplots(layout="constrained")
x = np.linspace(0.21, 0.30, 400)
paper = norm.pdf(x, mean, variance**0.5)
ax.plot(x, paper, ORANGE, ls="-.", lw=2, label="normal distribution of the paper")
NullDistributionDisplay.from_null(nulls[setting], ax=ax)
ax.set_title("Average precision by chance: 500 targets among 2000 items")

# %%
# The slides
# ----------
# Mean and standard deviation in the column of true or empirical values are right. Those
# of "our method" are right in the mean, and 8 % short in the standard deviation. What
# the row in brackets is, the slides do not say. It is close to the normal distribution
# that they give for AP, though not the same: the mean of that distribution is m/n, and
# its variance is a sum over the ranks of the targets, which are put at their mean ranks
# here. The coverage that they print has an example of its own,
# :ref:`sphx_glr_auto_examples_plot_recall_coverage.py`.


def slides_normal(n, m):
    """Mean and standard deviation of the normal distribution in the slides."""
    i = np.arange(1, m + 1)
    rank = i * (n + 1) / (m + 1)
    prevalence, rest = m / n, (m - 1) / (n - 1)
    hits = prevalence * (1 - prevalence) + (rank - 1) * prevalence * (rest - prevalence)
    return prevalence, np.sqrt(np.sum((2 * i - 1) * hits / rank)) / m


null, values = nulls[3000, 245], draws[3000, 245]
table = {f"slides, {name}": row for name, row in SLIDES.items()}
table["10,000 rankings of ours"] = (values.mean(), values.std())
table["exact"] = (null.mean(), null.std())
table["slides' normal distribution"] = slides_normal(3000, 245)
error = null.std() / np.sqrt(N_LISTS)
print(f"{'n = 3000, m = 245':<26}{'mean':>9}{'':>11}{'std':>12}")
for name, (mean, std) in table.items():
    off = f"{(mean - null.mean()) / error:+.1f} s.e."
    print(f"{name:<26}{mean:>9.5f}{off:>13}{std:>10.5f}{std / null.std() - 1:>+z7.0%}")

# %%
# The errors one by one
# ---------------------
# Small lists show them best, since all their orders can be written down. First the
# ranks. Equation 6 is to be the distribution of the i-th target's rank, but has the
# wrong denominator and sums to n/m; the slides have the right one. Equation 8 makes the
# mean rank i n/m, where it is i (n+1)/(m+1); with equations 8 to 10 the last target
# stands on rank n for certain.


def mean_rank(n, m, i):
    """Mean rank of the i-th target over all rankings."""
    ranks = [places[i - 1] for places in combinations(range(1, n + 1), m)]
    return Fraction(sum(ranks), len(ranks))


print("  n  m  i   sum: eq. 6  slides   mean rank: eq. 8   all rankings   i(n+1)/(m+1)")
for n, m, i in ((2, 1, 1), (8, 3, 1), (8, 3, 2), (8, 3, 3)):
    sums = [
        sum(rank_distribution(n, m, i, total))
        for total in (comb(n - 1, m - 1), comb(n, m))
    ]
    means = (Fraction(i * n, m), mean_rank(n, m, i), Fraction(i * (n + 1), m + 1))
    print(f"{n:>3}{m:>3}{i:>3}{sums[0]!s:>13}{sums[1]!s:>8}", end="")
    print(f"{means[0]!s:>19}{means[1]!s:>12}{means[2]!s:>15}")
last = [moments(8, 3)[1][-1] for moments in (paper_moments, exact_moments)]
print(f"variance of the last of 3 ranks: paper {last[0]:.2f}, exact {last[1]:.2f}")

# %%
# Then the mean of AP, which the slides set to the prevalence m/n. Chance is above that,
# as all rankings of 2 and 8 items show, and 10,000 of the others:
#
# .. code-block:: text
#
#     mean of AP  =  (m - 1)/(n - 1) + (n - m)/(n (n - 1)) (1 + 1/2 + ... + 1/n)


def all_values(n, m):
    """AP of each ranking there is."""
    i = np.arange(1, m + 1)
    return [np.mean(i / ranks) for ranks in combinations(range(1, n + 1), m)]


print(f"{'n':>5}{'m':>5}{'m/n':>9}{'formula':>9}{'mean()':>9}{'lists':>9}")
samples = {(2, 1): all_values(2, 1), (8, 3): all_values(8, 3), **draws}
for (n, m), values in samples.items():
    formula = (n - m) / (n * (n - 1)) * np.sum(1 / np.arange(1, n + 1))
    formula += (m - 1) / (n - 1)
    means = (m / n, formula, RandomSelectionNull(n, m).mean(), np.mean(values))
    print(f"{n:>5}{m:>5}" + "".join(f"{mean:>9.5f}" for mean in means))

# %%
# Last, the number of hits among the top t. The slides call it binomial, which would let
# a ranking with one target show two hits. It is hypergeometric, since the targets are
# fixed in number. The difference is seen in the standard deviation of recall: the
# rankings that were drawn for the slides follow the hypergeometric distribution, and so
# does the variance that the slides write below the binomial; their method comes out
# near the binomial one.

two = {"binomial": binom.pmf(2, 2, 0.5), "hypergeometric": hypergeom.pmf(2, 2, 1, 2)}
print("two hits in a ranking of 2 items with one target:")
print("\n".join(f"  {name:<26}{p:.2f}" for name, p in two.items()))
n, m, t = 3000, 245, 245
p, q = m / n, (m - 1) / (n - 1)
hits_variance = t * p * (1 - p) + t * (t - 1) * p * (q - p)
recall = {
    "binomial": binom.std(t, p) / m,
    "hypergeometric": hypergeom.std(n, m, t) / m,
    "slides' variance formula": np.sqrt(hits_variance) / m,
    "slides, 10,000 rankings": 0.01682,
    "slides, our method": 0.01739,
}
print(f"standard deviation of recall at {t}, n = {n}, m = {m}:")
print("\n".join(f"  {name:<26}{std:.5f}" for name, std in recall.items()))

# %%
# The tail
# --------
# With the exact mean and standard deviation the normal distribution is as good as it
# can be. Is it good enough to test by? Here are p-values at z standard deviations above
# the mean. The normal column is the same for every ranking; chance is not.

z = np.arange(0.0, 9.0)
tails = {}
for setting in ((1000, 20), (1000, 100), (2000, 500)):
    null = nulls[setting]
    tails[setting] = null.pvalue(null.mean() + z * null.std())

lists = "".join(f"{f'{m} of {n}':>12}" for n, m in tails)
print(f"{'z':>2}{'normal':>10}{lists}")
for s in (2, 3, 4, 5, 6, 8):
    row = "".join(f"{tail[s]:>12.1e}" for tail in tails.values())
    print(f"{s:>2}{norm.sf(s):>10.1e}{row}")

# %%
# Someone who takes three standard deviations for a discovery expects chance to deceive
# him once in 741 rankings. With 20 targets among 1000 it does so more than once in 40.
# And one AP in numbers, 0.1561 with 100 targets among 1000:

print(f"three standard deviations: normal, one ranking in {1 / norm.sf(3):.0f}")
for (n, m), tail in tails.items():
    print(f"  {m:>3} of {n}: one ranking in {1 / tail[3]:.0f}")
null = nulls[1000, 100]
p, normal = null.pvalue(0.1561), null.pvalue(0.1561, method="normal")
print(f"AP 0.1561, 100 of 1000: p {p:.1e}")
print(f"  normal {normal:.1e}, too small by a factor of {p / normal:.0f}")

# %%
# The curves go on where random rankings end: 10,000 of them, the dots, cannot see a
# probability much below 1e-4. Each dot stands for at least ten rankings. The rarer the
# targets, the further the truth from the normal distribution.

fig, ax = plt.subplots(figsize=(7.5, 5), layout="constrained")
fine = np.linspace(0, 8, 200)
ax.plot(fine, norm.logsf(fine) / np.log(10), "0.35", ls="--", lw=2)
ax.text(5.2, -8.8, "normal distribution,\nfor any ranking", color="0.35", ha="right")
colors = (ORANGE, BLUE, GREEN)
for (setting, tail), color in zip(tails.items(), colors, strict=True):
    null, values = nulls[setting], draws[setting]
    seen = [np.mean(values >= null.mean() + s * null.std()) for s in z]
    dots = [np.log10(share) if share * N_LISTS >= 10 else np.nan for share in seen]
    ax.plot(z, np.log10(tail), color=color, lw=2)
    ax.plot(z, dots, "o", color=color, ms=7, mfc="white", mew=1.5, clip_on=False)
    label = f"{setting[1]} targets\namong {setting[0]}"
    ax.text(8.1, np.log10(tail[-1]), label, color=color, va="center")
ax.plot([], [], "o", color="0.35", mfc="white", mew=1.5, label="10,000 random rankings")
ax.set(
    xlabel="z: standard deviations above the mean of chance",
    ylabel="log10 of the p-value",
    title="A z-score is not a p-value",
    xlim=(0, 8),
    ylim=(-15.5, 0.2),
)
ax.legend(loc="lower left")
