"""A tie that the cutoff divides, and probabilities near 1, against SciPy."""

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import hypergeom

from skrank import RandomSelectionNull

# items, targets, items above the tie, in it, and of it above the cutoff
CELLS = [
    (92_274, 19_988, 14_809, 321, 105),
    (3000, 900, 40, 2500, 700),
    pytest.param((8_000, 6_000, 3600, 2400, 10), marks=pytest.mark.nightly),
]


def two_cells(n, m, above, size, reached):
    """Hits in the tie are hypergeometric, and so are those above it, given them."""
    tied = np.arange(max(0, m - (n - size)), min(m, size) + 1)
    over = np.arange(max(0, m - (n - above)), min(m, above) + 1)
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


def test_a_cutoff_inside_a_tie_that_may_be_full():
    """Nearly all items are targets, and in .09 of the rankings all of the tie."""
    n, m, above, size, part = 1_000_000, 995_300, 900_000, 500, 200
    sizes = np.ones(n - size + 1, dtype=int)
    sizes[above] = size
    null = RandomSelectionNull(n, m, f"recall@{above + part}", tie_sizes=sizes)
    wanted = round(null.mean() * m) * size

    def reached(over, d):
        return over * size + d * part >= wanted

    found = null.tail(wanted / size / m)
    assert found.method == "exact"
    exact = two_cells(n, m, above, size, reached)
    assert found.log_pvalue == pytest.approx(exact, rel=1e-7)


@pytest.mark.nightly
def test_a_long_list_with_a_long_tie_at_the_cutoff():
    """Half of the hits of the tie count; SciPy adds those above it, for each number."""
    n, m, above, size = 600_000, 250_000, 200_000, 200_000
    sizes = np.ones(n - size + 1, dtype=int)
    sizes[above] = size
    null = RandomSelectionNull(n, m, f"recall@{above + size // 2}", tie_sizes=sizes)
    wanted = round((null.mean() + 4 * null.std()) * m)
    law = hypergeom(n, size, m)
    tied = np.arange(*(law.mean() + np.array([-10, 10]) * law.std()).astype(int))
    least = np.ceil(wanted - tied / 2)
    beyond = hypergeom.logsf(least - 1, n - size, above, m - tied)
    found = null.tail(wanted / m)
    assert found.method == "exact"
    expected = logsumexp(law.logpmf(tied) + beyond)
    assert found.log_pvalue == pytest.approx(expected, rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("shape", [(30, 6, 11), (10_000, 200, 500), (100_000, 50, 999)])
def test_quantiles_invert_probabilities(shape):
    """As SciPy's do; a probability near 1 has the digits of the other tail."""
    n, m, t = shape
    null, law = RandomSelectionNull(n, m, f"recall@{t}"), hypergeom(n, m, t)
    hits = np.arange(law.ppf(1e-12), law.isf(1e-12) + 1)
    assert null.cdf(hits / m) == pytest.approx(law.cdf(hits), rel=1e-8)
    assert null.ppf(null.cdf(hits / m)) * m == pytest.approx(hits)
    assert null.isf(null.sf(hits / m)) * m == pytest.approx(hits)
