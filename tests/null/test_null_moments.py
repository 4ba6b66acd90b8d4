"""Mean and standard deviation under random selection, for every metric and setting."""

import math
from itertools import combinations
from math import ceil

import numpy as np
import pytest
from scipy.stats import hypergeom

import oracles
from cases import ALL_TIES, TIES, named
from skrank import RandomSelectionNull
from skrank.null import MeanNull, _moments

N = 6
STRUCTURES = {
    "untied": (1,) * N,
    "pairs": (2, 2, 2),
    "one tie": (N,),
    "tie at the top": (4, 1, 1),
    "tie at the end": (1, 1, 4),
    "mixed": (1, 2, 1, 2),
}
NORMALIZE = ("min", "relevant", "hits")
AT_T = ("recall_at_t", "precision_at_t", "enrichment_factor")


def all_settings(n_targets, n_samples=N):
    """Every metric, at cutoffs of 1, 2, m, n - 1 and n items, and at fractions."""
    yield "average_precision", {}
    yield "reciprocal_rank", {}
    for alpha in (0.1, 20.0):
        yield "rie", {"alpha": alpha}
        yield "bedroc", {"alpha": alpha}
    counts = sorted({1, 2, n_targets, n_samples - 1, n_samples})
    for cutoff in (*counts, 0.3, 0.99):
        for metric in AT_T:
            yield metric, {"t": cutoff}
        for normalize in NORMALIZE:
            yield "average_precision_at_k", {"k": cutoff, "normalize": normalize}


def oracle_settings(settings, n_samples=N):
    """Settings in the words of the oracles."""
    settings = dict(settings)
    depth = settings.pop("k", settings.pop("t", None))
    if isinstance(depth, float):
        depth = ceil(depth * n_samples)
    return settings if depth is None else {"depth": depth, **settings}


# All placements of the targets, in rationals


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("n_targets", [1, 2, 3, N - 1])
@pytest.mark.parametrize("ties", ALL_TIES)
@pytest.mark.slow
def test_every_metric_and_setting_against_all_placements(structure, n_targets, ties):
    sizes = STRUCTURES[structure]
    for metric, settings in all_settings(n_targets):
        judge = oracles.null_distribution(
            sizes, n_targets, metric, ties=ties, **oracle_settings(settings)
        )
        mean, variance = oracles.mean_and_variance(judge)
        null = RandomSelectionNull(
            N, n_targets, tie_sizes=sizes, ties=ties, **named(metric, **settings)
        )
        where = f"{metric} {settings}"
        assert null.mean() == pytest.approx(float(mean), rel=1e-12, abs=1e-13), where
        exact = pytest.approx(math.sqrt(variance), rel=1e-9, abs=1e-12)
        assert null.std() == exact, where
        ends = [float(min(judge)), float(max(judge))]
        assert null.support() == pytest.approx(ends, rel=1e-12, abs=1e-13), where


@pytest.mark.parametrize("structure", sorted(set(STRUCTURES) - {"one tie"}))
@pytest.mark.parametrize("metric", ["rie", "bedroc"])
@pytest.mark.parametrize("alpha", [1e-3, 1e-5, 1e-7])
def test_weights_that_hardly_fall_against_all_placements(structure, metric, alpha):
    # what a rank weighs less than the first one, so that no digits are lost: the mean
    # of these over the targets is linear in the values
    weight = np.expm1(-alpha * np.arange(N) / N)
    sizes = STRUCTURES[structure]
    ends = np.cumsum(sizes)
    weight = np.concatenate(
        [np.full(b, weight[e - b : e].mean()) for b, e in zip(sizes, ends, strict=True)]
    )
    sums = [weight[list(hits)].sum() for hits in combinations(range(N), 3)]
    whole = np.expm1(-alpha * np.arange(N) / N)
    if metric == "bedroc":
        std = np.std(sums) / (whole[:3].sum() - whole[-3:].sum())
    else:
        std = np.std(sums) / (3 * (1 + whole.mean()))
    null = RandomSelectionNull(N, 3, tie_sizes=sizes, **named(metric, alpha=alpha))
    assert null.std() == pytest.approx(std, rel=1e-6)


# Identities, at lengths that are not enumerated

LENGTHS = [(50, 5), (1000, 20), (5000, 50), (5000, 1), (1000, 999)]


@pytest.mark.parametrize(("n", "m"), LENGTHS)
@pytest.mark.parametrize("top", [1, 3])
@pytest.mark.parametrize("ties", TIES)
def test_precision_of_one_item_is_its_average_over_hits(n, m, top, ties):
    """The hits above a cutoff of one item are none, or one of precision 1.

    A tie at the top that is retrieved whole moves the cutoff down, to more items.
    """
    top = 1 if ties == "threshold" else top
    sizes = [top, *[1] * (n - top)]
    settings = {"tie_sizes": sizes, "ties": ties}
    over_hits = RandomSelectionNull(
        n, m, **named("average_precision_at_k", k=1, normalize="hits", **settings)
    )
    precision = RandomSelectionNull(n, m, **named("precision_at_t", t=1, **settings))
    assert over_hits.mean() == pytest.approx(precision.mean(), rel=1e-12)
    assert over_hits.std() == pytest.approx(precision.std(), rel=1e-9)


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


@pytest.mark.parametrize(("n", "m"), [(1000, 20), (5000, 50), (1000, 1), (1000, 999)])
@pytest.mark.parametrize("metric", AT_T)
@pytest.mark.parametrize("t", [1, 2, 20, 999, 0.01, 0.5])
def test_hits_among_the_top_against_scipy(n, m, metric, t):
    depth = ceil(t * n) if isinstance(t, float) else t
    divisor = {"recall_at_t": m, "precision_at_t": depth}.get(metric, m * depth / n)
    hits = hypergeom(n, m, depth)
    null = RandomSelectionNull(n, m, **named(metric, t=t))
    assert null.mean() == pytest.approx(hits.mean() / divisor, rel=1e-11)
    assert null.std() == pytest.approx(hits.std() / divisor, rel=1e-9)


@pytest.mark.parametrize(("n", "m"), [(1000, 20), (5000, 50), (1000, 999)])
@pytest.mark.parametrize("ties", ["expected", "threshold"])
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
        seen = d if ties == "threshold" else j
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


@pytest.mark.parametrize("ties", ["threshold", "optimistic", "pessimistic"])
@pytest.mark.parametrize("normalize", NORMALIZE)
@pytest.mark.parametrize("k", [60, 300, 1000])
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


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize(
    ("n", "m", "metric", "settings", "groups"),
    [
        (3000, 2500, "average_precision", {}, 100),
        (6000, 3000, "rie", {"alpha": 5.0}, 100),
        (5000, 100, "bedroc", {}, 100),
        (5000, 1000, "average_precision_at_k", {"k": 2000}, 50),
        (5000, 4000, "average_precision_at_k", {"k": 2000}, 5),
        (4000, 600, "average_precision_at_k", {"k": 1000, "normalize": "hits"}, 80),
    ],
)
@pytest.mark.slow
def test_some_numbers_of_hits_against_all(n, m, metric, settings, groups, ties):
    cuts = np.sort(np.random.default_rng(0).choice(n - 1, groups - 1, False)) + 1
    sizes = np.diff(cuts, prepend=0, append=n)
    null = RandomSelectionNull(
        n, m, tie_sizes=sizes, ties=ties, **named(metric, **settings)
    )
    mean, variance = _moments.chain_moments(null._terms[0].chain)
    found = _moments._given_hits(null._terms[0].chain)
    assert found[0] == pytest.approx(mean, rel=1e-5)
    assert found[1] == pytest.approx(variance, rel=1e-3)


# Where ties leave nothing to chance


@pytest.mark.parametrize(("n", "m"), [(10, 3), (1000, 20), (1000, 999)])
@pytest.mark.parametrize("ties", TIES)
def test_one_tie_of_all_items_has_one_value(n, m, ties):
    """What is known of the order, the number of hits, is the same in all rankings."""
    for metric, settings in all_settings(m, n):
        null = RandomSelectionNull(
            n, m, tie_sizes=[n], ties=ties, **named(metric, **settings)
        )
        mean = null.mean()
        assert null.std() == 0.0
        assert null.support() == pytest.approx([mean, mean], rel=1e-11, abs=1e-11)


def test_means_of_lists_add_up_the_lists():
    settings = {"k": 1, "normalize": "hits"}
    lists = [
        RandomSelectionNull(n, m, **named("average_precision_at_k", **settings))
        for n, m in [(1000, 20), (50, 49), (7, 1)]
    ]
    null = MeanNull(lists)
    share = np.array([20 / 1000, 49 / 50, 1 / 7])
    assert null.mean() == pytest.approx(share.mean())
    assert null.std() == pytest.approx(math.sqrt((share * (1 - share)).sum()) / 3)
