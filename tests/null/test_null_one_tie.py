"""One large tie whose hits decide the value; quantiles of large distributions."""

import math
import warnings
from itertools import combinations

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import hypergeom

from skrank import RandomSelectionNull, bedroc

# A tie that decides


@pytest.mark.parametrize("d", [3240, 3300, 3361, 3420, 3450])
def test_one_hit_more_in_the_tie_outweighs_all_below_against_scipy(d):
    """The weights below the tie are exp(-145): P(S >= s) is that of d hits in it."""
    n, m, size, alpha = 133_313, 3734, 119_981, 160.9
    null = RandomSelectionNull(
        n, m, f"bedroc(alpha={alpha})", tie_sizes=[size, *[1] * (n - size)]
    )
    up = d > m * size / n
    below = slice(n - m + d, n) if up else slice(size, size + m - d)
    target = np.zeros(n, dtype=int)
    target[:d] = target[below] = 1
    score = np.append(np.ones(size), -np.arange(1.0, n - size + 1))
    value = bedroc(target, score, alpha=alpha)
    law = hypergeom(n, size, m)
    exact = law.logsf(d - 1) if up else law.logcdf(d)
    found = null.tail(value, alternative="greater" if up else "less")
    assert found.log_pvalue == pytest.approx(exact, abs=1e-6)


@pytest.mark.parametrize(
    ("n", "m", "above", "size", "alpha", "d", "first"),
    [
        (53_221, 7225, 3, 38_909, 100, 5200, [0]),
        (36_298, 27_084, 7, 33_705, 100, 25_050, [2]),
        (330_136, 5880, 1, 273_082, 300, 4891, []),
        (236_539, 30_443, 10, 200_840, 160.9, 25_950, [1, 8]),
    ],
)
def test_few_items_above_the_tie_against_all_their_orders(
    n, m, above, size, alpha, d, first
):
    """For each set of hits above the tie, the others are hypergeometric.

    The weights below the tie are negligible.
    """
    weights = np.exp(-alpha * np.arange(1, n + 1) / n)
    single = weights[above : above + size].mean()
    total = weights[first].sum() + d * single
    tied = np.arange(max(0, m - (n - size)), min(size, m) + 1)
    here = hypergeom.logpmf(tied, n, size, m)
    logs = []
    for j in range(above + 1):
        # hits above the tie given those in it, divided among all sets of them
        chance = here + hypergeom.logpmf(j, n - size, above, m - tied)
        chance -= math.log(math.comb(above, j))
        for hits in combinations(weights[:above].tolist(), j):
            reached = sum(hits) + tied * single >= total * (1 - 1e-11)
            logs.append(logsumexp(chance[reached]))
    null = RandomSelectionNull(
        n,
        m,
        f"rie(alpha={alpha})",
        tie_sizes=[*[1] * above, size, *[1] * (n - above - size)],
    )
    found = null.tail(total / (m * weights.mean()))
    wanted = pytest.approx(logsumexp(logs), abs=3 * found.error + 1e-6)
    assert found.log_pvalue == wanted
    assert found.error < 0.003


def gains_below(n, m, size, ties):
    """What the hits of the tie on top add, and the gains of items below, by their hits.

    The precisions of average precision, times the number of targets.
    """
    place = np.arange(1, size + 1)

    def top(d):
        if ties == "together":
            return d * d / size
        if ties == "expected":
            later = ((place - 1) / place).sum() / (size - 1)
            return d / size * ((1 / place).sum() + (d - 1) * later)
        start = 0 if ties == "optimistic" else size - d
        return (place[:d] / (start + place[:d])).sum()

    return top, 1 / np.arange(size + 1, n + 1)


def share_given(d, j, top, inverse, wanted, up, count=2048):
    """P(S >= s) given d hits in a tie on top, and j of the items below it.

    The characteristic function item by item, and a square wave, which is 1 where the
    value reaches s, and -1 elsewhere.
    """
    ranks = d + np.arange(1, j + 1)
    best, worst = (
        (ranks * inverse[part]).sum() for part in (slice(j), slice(-j, None))
    )
    base = top(d) - wanted
    half = 1.02 * max(abs(base + best), abs(base + worst))
    odd = 2 * np.arange(count) + 1
    w = odd * math.pi / half
    state, p = np.zeros((count, j + 1), dtype=complex), j / inverse.size
    state[:, 0] = 1
    for one in inverse:
        phase = np.exp(1j * w * one)[:, None] ** ranks
        state[:, 1:] = (1 - p) * state[:, 1:] + p * state[:, :-1] * phase
        state[:, 0] *= 1 - p
    total = math.comb(inverse.size, j) * p**j * (1 - p) ** (inverse.size - j)
    phi = state[:, j] * np.exp(1j * w * base) / total
    fading = np.cos(math.pi * np.clip(np.arange(count) / count - 0.5, 0, None)) ** 2
    return 0.5 + (1 if up else -1) * 2 / math.pi * float((phi.imag / odd) @ fading)


@pytest.mark.parametrize("z", [-3, 1, 4])
@pytest.mark.parametrize("ties", ["expected", "together", "optimistic", "pessimistic"])
@pytest.mark.parametrize(
    ("size", "m"),
    [pytest.param(1400, 150, marks=pytest.mark.nightly), (34_000, 2600)],
)
def test_a_tie_on_top_against_the_recursion_over_the_others(size, m, ties, z):
    """Hits in the tie are hypergeometric; the others are followed one by one."""
    n = size + 150
    top, inverse = gains_below(n, m, size, ties)
    null = RandomSelectionNull(n, m, tie_sizes=[size, *[1] * 150], ties=ties)
    value, up = null.mean() + z * null.std(), z > 0
    exact, wanted = 0.0, value * m
    for d in range(max(0, m - 150), min(m, size) + 1):
        j = m - d
        chance = hypergeom.pmf(d, n, size, m)
        ranks = d + np.arange(1, j + 1)
        best = top(d) + (ranks * inverse[:j]).sum()
        worst = top(d) + (ranks * inverse[150 - j :]).sum()
        if chance < 1e-30 or (best < wanted if up else worst > wanted):
            continue
        sure = worst >= wanted if up else best <= wanted
        exact += chance * (sure or share_given(d, j, top, inverse, wanted, up))
    found = null.tail(value, alternative="greater" if up else "less")
    assert found.pvalue == pytest.approx(exact, rel=3 * (found.error or 0) + 2e-4)


# Quantiles


@pytest.mark.nightly
def test_a_quantile_where_only_bounds_are_known_has_a_warning():
    """It is not above that of the mean over orders in ties, which is not smaller."""
    n, m, sizes, q = 50_000, 1000, [50] * 1000, 1e-30
    null = RandomSelectionNull(n, m, ties="pessimistic", tie_sizes=sizes)
    most = RandomSelectionNull(n, m, tie_sizes=sizes).isf(q)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        found = null.isf(q)
    assert found <= most
    assert "The quantile is known to be at least" in str(seen[0].message)


@pytest.mark.nightly
def test_a_quantile_next_to_a_step():
    """No smaller value has a tail of at most q, apart from a ten-thousandth of sd."""
    null = RandomSelectionNull(213_936, 26, ties="together")
    value = null.isf(1e-6)
    assert null.sf(value) <= 1e-6
    assert null.sf(value - 0.005 * null.std()) > 1e-6


# Time


def test_ties_with_many_targets_each_are_not_quick():
    sizes = np.geomspace(24_000, 1400, 28).astype(int)
    n = int(sizes.sum())
    rule = {"tie_sizes": sizes, "ties": "optimistic"}
    assert not RandomSelectionNull(n, int(0.9 * n), **rule).is_quick
    assert RandomSelectionNull(n, 20, **rule).is_quick
