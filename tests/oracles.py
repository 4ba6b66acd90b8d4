"""Slow, obvious second implementations, in rational numbers.

A ranking is a sequence of tie groups, best first, each a pair (size, hits). Everything
is done by going through all orders inside the ties and all placements of the targets.
Exponential weights and logarithmic discounts are rounded once, and added as rational
numbers from there on.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import accumulate, combinations, groupby, product
from math import ceil, comb, exp, floor, fsum, lgamma, log, log2, prod, sqrt

Groups = Sequence[tuple[int, int]]
WHOLE = (
    "max_f_score",
    "breakeven_point",
    "recall_at_precision",
    "ks_statistic",
)  # ties are always retrieved whole
CURVE = (*WHOLE, "k_at_recall", "precision_at_recall", "wss")


def log_binomial(n: int, k: int) -> float:
    """Logarithm of C(n, k)."""
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def tie_groups(y_true: Sequence[int], y_score: Sequence[float]) -> list:
    """Sizes and hits of the tie groups of a ranking, best first."""
    pairs = sorted(zip(y_score, y_true, strict=True), reverse=True)
    labels = [[y for _, y in group] for _, group in groupby(pairs, lambda p: p[0])]
    return [(len(group), sum(group)) for group in labels]


def value_of_order(
    order: Sequence[int], metric: str, *, depth: int | None = None, **kwargs
) -> Fraction:
    """Value of one strict order of labels."""
    ranks = [rank for rank, y in enumerate(order, 1) if y]
    return _value_of_ranks(ranks, metric, len(order), depth or len(order), **kwargs)


def _value_of_ranks(
    ranks: Sequence[int],
    metric: str,
    n_scored: int,
    cut: int,
    *,
    normalize: str | None = None,
    alpha: float = 20.0,
    n_targets: int | None = None,
    n_missed: int | None = None,
    **parameter: float,
) -> Fraction:
    """Value of hits at these ranks, from the definitions in words.

    Targets without a rank were missed; so many places they may stand on, if told.
    """
    m = n_targets or len(ranks)
    missed = m - len(ranks) if n_missed is None else n_missed
    n = n_scored + missed
    found = sum(rank <= cut for rank in ranks)
    if metric in CURVE:
        return _curve_metric(ranks, metric, m, n, **parameter)
    if metric in ("rie", "bedroc"):
        return _early_recognition(ranks, metric, n, m, alpha, missed > 0)
    if metric == "ndcg":
        discounts = [Fraction(1 / log2(rank + 1)) for rank in range(1, n + 1)]
        gain = sum(discounts[rank - 1] for rank in ranks if rank <= cut)
        return Fraction(gain) / sum(discounts[: min(m, cut)])
    if metric == "reciprocal_rank":
        return Fraction(1, min(ranks)) if ranks else Fraction(0)
    if metric == "recall_at_t":
        return Fraction(found, min(m, cut) if normalize == "min" else m)
    if metric == "specificity_at_t":
        return 1 - Fraction(min(cut, n_scored) - found, n - m)
    if metric == "log_auc":
        others = [rank - sum(r <= rank for r in ranks) for rank in ranks]
        least = parameter.get("fpr", 0.001)
        parts = [log(max(f / (n - m), least)) / log(least) for f in others]
        return Fraction(fsum(parts) / m)
    if metric == "precision_at_t":
        return Fraction(found, cut)
    if metric == "expected_profit":
        benefit, cost = (Fraction(str(parameter[key])) for key in ("benefit", "cost"))
        return benefit * found - cost * cut
    if metric == "enrichment_factor":
        return Fraction(found, cut) / Fraction(m, n)
    precisions = [Fraction(sum(r <= rank for r in ranks), rank) for rank in ranks]
    total = sum(
        (p for p, rank in zip(precisions, ranks, strict=True) if rank <= cut),
        Fraction(0),
    )
    divisors = {"min": min(m, cut), "relevant": m, "hits": max(found, 1)}
    divisor = divisors[normalize or "min"]
    return total / (m if metric == "average_precision" else divisor)


def _curve_metric(
    ranks: Sequence[int],
    metric: str,
    m: int,
    n: int,
    beta: int = 1,
    recall: float = 1.0,
    precision: float = 1.0,
) -> Fraction:
    """Metrics of the curve, point by point: the hits down to each rank of a hit."""
    points = [(rank, sum(r <= rank for r in ranks)) for rank in ranks]
    if metric == "max_f_score":
        recalls = [(Fraction(h, rank), Fraction(h, m)) for rank, h in points]
        return max((1 + beta**2) * p * r / (beta**2 * p + r) for p, r in recalls)
    if metric == "breakeven_point":
        return max(min(Fraction(h, rank), Fraction(h, m)) for rank, h in points)
    if metric == "recall_at_precision":
        least = Fraction(str(precision))
        precise = [Fraction(h, m) for rank, h in points if Fraction(h, rank) >= least]
        return max(precise, default=Fraction(0))
    if metric == "ks_statistic":
        apart = [Fraction(h, m) - Fraction(rank - h, n - m) for rank, h in points]
        return max(0, *apart) if apart else Fraction(0)
    reached = [(rank, h) for rank, h in points if h >= Fraction(str(recall)) * m]
    if metric == "wss":
        read = min(reached)[0] if reached else n
        return Fraction(str(recall)) - Fraction(read, n)
    if not reached:
        return Fraction(0)
    rank, h = min(reached)
    return Fraction(rank) if metric == "k_at_recall" else Fraction(h, rank)


def _early_recognition(
    ranks: Sequence[int], metric: str, n: int, m: int, alpha: float, missed: bool
) -> Fraction:
    """Sum of the weights over that by chance, or between those of worst and best."""
    weight = [Fraction(exp(-alpha * rank / n)) for rank in range(1, n + 1)]
    total = sum((weight[rank - 1] for rank in ranks), Fraction(0))
    if metric == "rie":
        return (total / m) / (sum(weight) / n)
    best, worst = sum(weight[:m]), 0 if missed else sum(weight[n - m :])
    return (total - worst) / (best - worst)


def all_orders(groups: Groups) -> Iterator[list[int]]:
    """Go through the orders of labels inside the ties, all equally likely."""
    places = [list(combinations(range(size), hits)) for size, hits in groups]
    for choice in product(*places):
        yield [
            int(place in chosen)
            for (size, _), chosen in zip(groups, choice, strict=True)
            for place in range(size)
        ]


def value(groups: Groups, metric: str, *, ties: str = "expected", **kwargs) -> Fraction:
    """Value of a ranking with ties, by the words of the tie rule."""
    if metric == "r_precision":  # precision at m
        m = int(kwargs.get("n_targets") or sum(hits for _, hits in groups))
        kwargs["depth"], metric = m, "precision_at_t"
    if ties == "together" or metric in WHOLE:
        return _threshold_value(groups, metric, **kwargs)
    if ties == "expected":
        values = [
            value_of_order(order, metric, **kwargs) for order in all_orders(groups)
        ]
        return sum(values, Fraction(0)) / len(values)
    first = ties == "optimistic"
    order = []
    for size, hits in groups:
        run = [1] * hits + [0] * (size - hits)
        order += run if first else run[::-1]
    return value_of_order(order, metric, **kwargs)


def _threshold_value(
    groups: Groups, metric: str, *, depth: int | None = None, **kwargs
) -> Fraction:
    """Each group is retrieved whole: all its hits at its end, also by a cutoff."""
    ends = list(accumulate(size for size, _ in groups))
    hits = (hits for _, hits in groups)
    ranks = [end for end, d in zip(ends, hits, strict=True) for _ in range(d)]
    cut = next(end for end in ends if end >= (depth or ends[-1]))
    return _value_of_ranks(ranks, metric, ends[-1], cut, **kwargs)


def null_distribution(
    sizes: Sequence[int], n_targets: int, metric: str, **kwargs
) -> dict[Fraction, Fraction]:
    """Null distribution of a metric: value -> probability."""
    null: dict[Fraction, Fraction] = {}
    ways = comb(sum(sizes), n_targets)
    for hits in product(*(range(min(size, n_targets) + 1) for size in sizes)):
        if sum(hits) == n_targets:
            weight = prod(comb(b, d) for b, d in zip(sizes, hits, strict=True))
            groups = list(zip(sizes, hits, strict=True))
            s = value(groups, metric, **kwargs)
            if metric == "log_auc":  # the logarithms of 2 and 3 are those of 1 and 6
                s = Fraction(f"{float(s):.13g}")
            null[s] = null.get(s, Fraction(0)) + Fraction(weight, ways)
    return null


def mean_and_variance(null: dict[Fraction, Fraction]) -> tuple[Fraction, Fraction]:
    """Moments of a null."""
    mean = sum((s * p for s, p in null.items()), Fraction(0))
    return mean, sum(((s - mean) ** 2 * p for s, p in null.items()), Fraction(0))


def tail(null: dict[Fraction, Fraction], s: Fraction) -> Fraction:
    """P(S >= s)."""
    return sum((p for v, p in null.items() if v >= s), Fraction(0))


def share_around(hit_ranks: Sequence[int], found: int, n_samples: int) -> float:
    """Share of targets around a cutoff: hits to a root of the hits on either side.

    From behind the hit before them to before the hit after them.
    """
    width = sqrt(found + 1)
    first = max(0, floor(found - width))
    last = min(len(hit_ranks), ceil(found + width))
    ends = [0, *hit_ranks, n_samples + 1]
    return (last - first) / (ends[last + 1] - 1 - ends[first])
