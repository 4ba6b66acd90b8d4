"""One large tie: that the cutoff divides, or whose hits decide the value."""

import math
import warnings

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import hypergeom

from skrank import RandomSelectionNull, bedroc

# A cutoff inside a tie

# items, targets, items above the tie, in it, and of it above the cutoff
CELLS = [
    (92_274, 19_988, 14_809, 321, 105),
    (3000, 900, 40, 2500, 700),
    (8_000, 6_000, 3600, 2400, 10),
]


def two_cells(n, m, above, size, reached):
    """Hits in the tie are hypergeometric, and so are those above it, given them."""
    tied = np.arange(max(0, m - (n - size)), min(m, size) + 1)
    over = np.arange(min(m, above) + 1)
    here = hypergeom.logpmf(tied, n, size, m)
    logs = [
        p + hypergeom.logpmf(over[some], n - size, above, m - d)
        for d, p in zip(tied.tolist(), here, strict=True)
        if (some := reached(over, d)).any()
    ]
    return logsumexp(np.concatenate(logs))


@pytest.mark.parametrize("z", [-3, 0.2, 4, 15])
@pytest.mark.parametrize("ties", ["expected", "optimistic", "pessimistic"])
@pytest.mark.parametrize("shape", CELLS)
def test_a_cutoff_inside_a_tie_against_scipy(shape, ties, z):
    n, m, above, size, part = shape
    sizes = [*[1] * above, size, *[1] * (n - above - size)]
    null = RandomSelectionNull(
        n, m, f"recall@{above + part}", tie_sizes=sizes, ties=ties
    )

    def counted(over, d):  # as a multiple of 1 / size
        inside = {
            "expected": d * part,
            "optimistic": min(d, part) * size,
            "pessimistic": max(0, d - (size - part)) * size,
        }
        return over * size + inside[ties]

    # a value that occurs
    least, most = null.support()
    near = min(max(null.mean() + z * null.std(), least), most) * m
    d = min(max(0, m * size // n), size)
    wanted = counted(round(near - counted(0, d) / size), d)
    up = wanted / size / m >= null.mean()
    side = "greater" if up else "less"
    found = null.tail(wanted / size / m, alternative=side)

    def reached(over, d):
        return (counted(over, d) >= wanted) if up else (counted(over, d) <= wanted)

    assert found.method == "exact"
    exact = two_cells(n, m, above, size, reached)
    assert found.log_pvalue == pytest.approx(exact, rel=1e-8, abs=1e-8)


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


def gains_below(n, m, size, ties):
    """What the hits of the tie on top add, and the gains of items below, by their hits.

    The precisions of average precision, times the number of targets.
    """
    place = np.arange(1, size + 1)

    def top(d):
        if ties == "threshold":
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
@pytest.mark.parametrize("ties", ["expected", "threshold", "optimistic", "pessimistic"])
@pytest.mark.parametrize(
    ("size", "m"),
    [pytest.param(1400, 150, marks=pytest.mark.slow), (34_000, 2600)],
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


@pytest.mark.parametrize(
    ("n", "m", "t"), [(10**4, 200, 500), (10**6, 2000, 10**4), (30, 3, 4)]
)
def test_quantiles_return_to_the_value_as_in_scipy(n, m, t):
    law, null = hypergeom(n, m, t), RandomSelectionNull(n, m, f"recall@{t}")
    hits = np.arange(int(law.ppf(1e-12)), int(law.isf(1e-12)) + 1)
    assert null.ppf(null.cdf(hits / m)) == pytest.approx(hits / m)
    assert null.isf(null.sf(hits / m)) == pytest.approx(hits / m)


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_quantile_next_to_a_step():
    """No smaller value has a tail of at most q, apart from a ten-thousandth of sd."""
    null = RandomSelectionNull(213_936, 26, ties="threshold")
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
