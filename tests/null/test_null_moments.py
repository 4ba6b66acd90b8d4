"""Mean and standard deviation under random selection, for every metric and setting."""

import math
from math import ceil

import numpy as np
import pytest
from null import judges
from scipy.stats import hypergeom

from cases import TIES, named
from skrank import RandomSelectionNull

NORMALIZE = ("min", "relevant", "hits")
AT_T = ("recall_at_t", "precision_at_t", "enrichment_factor")

# Identities, at lengths that are not enumerated

LENGTHS = [(50, 5), (1000, 20), (5000, 50), (5000, 1), (1000, 999)]


@pytest.mark.parametrize(("n", "m"), LENGTHS)
@pytest.mark.parametrize("normalize", NORMALIZE)
def test_cutoff_at_the_end_is_average_precision(n, m, normalize):
    whole = RandomSelectionNull(n, m)
    cut = RandomSelectionNull(n, m, f"average_precision@{n}(normalize={normalize})")
    assert cut.mean() == pytest.approx(whole.mean(), rel=1e-11)
    assert cut.std() == pytest.approx(whole.std(), rel=1e-9)


@pytest.mark.parametrize("n", [10, 100, 1000, 5000])
def test_one_item_that_is_no_target_against_all_its_places(n):
    """AP is 1 less the mean over the targets below that item of one over their rank."""
    rank = np.arange(1, n + 1)
    below = np.cumsum(1 / rank[::-1])[::-1] - 1 / rank
    values = 1 - below / (n - 1)
    null = RandomSelectionNull(n, n - 1)
    assert null.mean() == pytest.approx(values.mean(), rel=1e-12)
    assert null.std() == pytest.approx(values.std(), rel=1e-7)


@pytest.mark.parametrize(("n", "m"), [(1000, 20), (5000, 50), (1000, 999)])
@pytest.mark.parametrize("ties", ["expected", "together"])
@pytest.mark.parametrize("alpha", [0.1, 20.0, 160.9])
def test_early_recognition_against_samples_without_replacement(n, m, ties, alpha):
    """RIE is a mean of m weights out of n; BEDROC is linear in it."""
    sizes = np.array([1, 2, 7, 40, *[5] * 100, n - 550])
    weight, ends = np.exp(-alpha * np.arange(n) / n), np.cumsum(sizes)
    best, worst, mean = weight[:m].sum(), weight[n - m :].sum(), weight.mean()
    for size, end in zip(sizes, ends, strict=True):
        inside = slice(end - size, end)
        weight[inside] = (
            weight[inside].mean() if ties == "expected" else weight[end - 1]
        )
    std = weight.std() * math.sqrt(m * (n - m) / (n - 1))
    args = {"tie_sizes": sizes, "ties": ties, "alpha": alpha}
    rie = RandomSelectionNull(n, m, **named("rie", **args))
    assert rie.mean() == pytest.approx(weight.mean() / mean, rel=1e-11)
    assert rie.std() == pytest.approx(std / (m * mean), rel=1e-9)
    bedroc = RandomSelectionNull(n, m, **named("bedroc", **args))
    by_chance = (m * weight.mean() - worst) / (best - worst)
    assert bedroc.mean() == pytest.approx(by_chance, rel=1e-10)
    assert bedroc.std() == pytest.approx(std / (best - worst), rel=1e-9)


@pytest.mark.parametrize(("n", "m"), [(1000, 20), (5000, 50), (1000, 1), (1000, 999)])
def test_first_hit_against_its_ranks(n, m):
    """P(first hit below rank r) is C(n - r, m) / C(n, m), a product of r quotients."""
    rank = np.arange(1, n - m + 2)
    below = np.cumprod(1 - m / (n - rank + 1.0))
    chance = -np.diff(below, prepend=1.0)
    mean = chance @ (1 / rank)
    null = RandomSelectionNull(n, m, "reciprocal_rank")
    assert null.mean() == pytest.approx(mean, rel=1e-10)
    std = math.sqrt(chance @ (1 / rank - mean) ** 2)
    assert null.std() == pytest.approx(std, rel=1e-8)


# A second way down the ranking, hit by hit: O(n m)


def hits_of_group(d, size, above, found, n, m):
    """P(d hits in a group), by the hits found above it."""
    if size > 1:
        return hypergeom.pmf(d, n - above, np.minimum(m - found, n - above), size)
    hit = (m - found) / (n - above)
    return hit if d else 1 - hit


def precisions(d, size, above, found, ties, cut):
    """Sum of the precisions of d hits that are first, last, or at the group's end."""
    gain = np.zeros(found.shape)
    for j in range(1, d + 1):
        place = {"optimistic": j, "pessimistic": size - d + j}.get(ties, size)
        seen = d if ties == "together" else j
        if above + place <= cut:
            gain += (found + seen) / (above + place)
    return gain


def moments_by_rank(sizes, n_targets, ties, cut, normalize):
    """Mean and deviation of AP@k: by the hits, their chance and moments of the sum."""
    n, m, above = sum(sizes), n_targets, 0
    hits = np.arange(m + 1)
    state = np.zeros((3, m + 1))
    state[0, 0] = 1.0
    for size in sizes:
        after = np.zeros((3, m + 1))
        for d in range(min(size, m) + 1):
            found = hits[: m + 1 - d]
            share = hits_of_group(d, size, above, found, n, m)
            chance, first, second = state[:, : m + 1 - d] * share
            gain = precisions(d, size, above, found, ties, cut)
            after[0, d:] += chance
            after[1, d:] += first + gain * chance
            after[2, d:] += second + 2 * gain * first + gain**2 * chance
        state, above = after, above + size
        if above >= cut:
            break
    divisor = {"min": min(m, cut), "relevant": m, "hits": np.maximum(hits, 1)}
    divisor = divisor[normalize]
    chance, first, second = state
    mean = (first / divisor).sum()
    spread = second / divisor**2 - 2 * mean * first / divisor + mean**2 * chance
    return mean, math.sqrt(spread.sum())


@pytest.mark.parametrize("normalize", NORMALIZE)
@pytest.mark.parametrize(
    ("n", "m", "k"),
    [
        *((1000, 20, k) for k in (1, 2, 3, 20, 100, 999, 1000, 0.01)),
        *((5000, 50, k) for k in (1, 2, 50, 0.002)),
        *((1000, 1, k) for k in (1, 2, 999)),
        *((200, 199, k) for k in (1, 2, 198, 199, 200)),
    ],
)
def test_average_precision_at_k_against_a_pass_over_the_ranks(n, m, k, normalize):
    cut = ceil(k * n) if isinstance(k, float) else k
    mean, std = moments_by_rank([1] * n, m, "expected", cut, normalize)
    null = RandomSelectionNull(n, m, f"average_precision@{k}(normalize={normalize})")
    assert null.mean() == pytest.approx(mean, rel=1e-11)
    assert null.std() == pytest.approx(std, rel=1e-7)


@pytest.mark.parametrize("ties", ["together", "optimistic", "pessimistic"])
@pytest.mark.parametrize("normalize", NORMALIZE)
@pytest.mark.parametrize("k", [60, 300])
@pytest.mark.parametrize(
    "sizes",
    [[2] * 500, [60, *[1] * 340, 600], [5] * 60 + [700], [1, 59, *[3] * 80, 700]],
    ids=["pairs", "tie at the top", "tie at the end", "mixed"],
)
@pytest.mark.slow
def test_tied_average_precision_at_k_against_a_pass_over_the_groups(
    ties, normalize, k, sizes
):
    # every cutoff is the end of a group, so that the hits above it are known
    m = 12
    mean, std = moments_by_rank(sizes, m, ties, k, normalize)
    null = RandomSelectionNull(
        1000,
        m,
        f"average_precision@{k}(normalize={normalize})",
        tie_sizes=sizes,
        ties=ties,
    )
    assert null.mean() == pytest.approx(mean, rel=1e-10)
    assert null.std() == pytest.approx(std, rel=1e-8)


# Where ties leave nothing to chance


# Closed forms, and rankings too long to be followed hit by hit


@pytest.mark.parametrize(
    ("n", "m", "mean", "std"),
    [
        (1000, 100, 0.105843, 0.011408),
        (2000, 500, 0.252693, 0.009946),
        (3000, 245, 0.083989, 0.0056135),
    ],
)
def test_untied_moments_against_published_settings(n, m, mean, std):
    """Settings of Zhang and Su (2012, Table III) and of Su and Zhang's slides.

    The mean is (m-1)/(n-1) + (n-m) H_n / (n(n-1)).
    """
    null = RandomSelectionNull(n, m)
    assert null.mean() == pytest.approx(mean, rel=1e-4)
    assert null.std() == pytest.approx(std, rel=1e-4)
    harmonic = np.sum(1 / np.arange(1, n + 1))
    by_hand = (m - 1) / (n - 1) + (n - m) * harmonic / (n * (n - 1))
    assert null.mean() == pytest.approx(by_hand, rel=1e-13)
    # the ties of "expected" do not change the mean
    tied = RandomSelectionNull(n, m, tie_sizes=judges.knn_sizes(n))
    assert tied.mean() == pytest.approx(by_hand, rel=1e-11)
    assert tied.std() < null.std()


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("shape", ["few wide ties", "growing"])
@pytest.mark.slow
def test_moments_of_wide_ties_against_hypergeometric_draws(shape, ties):
    rng = np.random.default_rng(0)
    n, m = 12_000, 700
    sizes = judges.growing(n, 0.05)
    if shape != "growing":
        sizes = judges.SHAPES[shape](n, rng)
    null = RandomSelectionNull(n, m, tie_sizes=sizes, ties=ties)
    draws = judges.drawn_values(n, m, 4000, rng, sizes, ties)
    assert draws.mean() == pytest.approx(null.mean(), abs=4 * null.std() / 63)
    assert draws.std() == pytest.approx(null.std(), rel=0.06)


@pytest.mark.slow
def test_precision_over_hits_of_a_long_list_against_draws():
    n, m, k, size = 10**6, 10**4, 500_000, 2
    metric = f"average_precision@{k}(normalize=hits)"
    null = RandomSelectionNull(n, m, metric, tie_sizes=np.full(n // size, size))
    draws = null.rvs(300, 0)
    assert abs(draws.mean() - null.mean()) < 4 * null.std() / math.sqrt(300)
    assert draws.std() == pytest.approx(null.std(), rel=0.2)
    value = judges.at_z(null, 1)
    assert null.pvalue(value) == pytest.approx(np.mean(draws >= value), abs=0.1)


def test_moments_of_more_items_than_are_known_one_by_one():
    """RIE is a mean of m weights; the first of m hits is at (n + 1) / (m + 1)."""
    n, m, alpha = 10**8, 500, 20.0
    weight = (1 - math.exp(-alpha)) / alpha  # mean and mean square of the weights
    square = (1 - math.exp(-2 * alpha)) / (2 * alpha)
    null = RandomSelectionNull(n, m, f"rie(alpha={alpha})")
    assert null.mean() == pytest.approx(1, rel=1e-5)
    std = math.sqrt((square - weight**2) / m) / weight
    assert null.std() == pytest.approx(std, rel=1e-3)
    ranks = 1 / RandomSelectionNull(n, 100, "reciprocal_rank").rvs(20_000, 0)
    assert ranks.mean() == pytest.approx((n + 1) / 101, rel=0.05)
