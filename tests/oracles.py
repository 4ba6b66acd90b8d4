"""Slow, obvious second implementations, in rational numbers.

A list is a sequence of tie groups, best first, each a pair (size, hits). Everything is
done by going through all orders inside the ties and all placements of the targets.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, groupby, product
from math import comb, prod

Groups = Sequence[tuple[int, int]]


def tie_groups(y_true: Sequence[int], y_score: Sequence[float]) -> list:
    """Sizes and hits of the tie groups of a list, best first."""
    pairs = sorted(zip(y_score, y_true, strict=True), reverse=True)
    labels = [[y for _, y in group] for _, group in groupby(pairs, lambda p: p[0])]
    return [(len(group), sum(group)) for group in labels]


def value_of_order(
    order: Sequence[int],
    metric: str,
    *,
    depth: int | None = None,
    normalize: str = "min",
    n_targets: int | None = None,
) -> Fraction:
    """Value of one strict order of labels, from the definitions in words."""
    m = sum(order) if n_targets is None else n_targets
    cut = len(order) if depth is None else depth
    found = sum(order[:cut])
    if metric == "recall_at_t":
        return Fraction(found, m)
    if metric == "precision_at_t":
        return Fraction(found, cut)
    precisions = [Fraction(sum(order[:r]), r) for r in range(1, cut + 1)]
    total = sum((p for p, y in zip(precisions, order, strict=False) if y), Fraction(0))
    divisor = {"min": min(m, cut), "relevant": m, "hits": max(found, 1)}[normalize]
    return total / (m if metric == "average_precision" else divisor)


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
    """Value of a list with ties, by the words of the tie rule."""
    if ties == "threshold":
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
    groups: Groups,
    metric: str,
    *,
    depth: int | None = None,
    normalize: str = "min",
    n_targets: int | None = None,
) -> Fraction:
    """Each group is retrieved whole, until `depth` is reached."""
    m = sum(hits for _, hits in groups) if n_targets is None else n_targets
    retrieved = found = 0
    total = Fraction(0)
    for size, hits in groups:
        if depth is not None and retrieved >= depth:
            break
        retrieved, found = retrieved + size, found + hits
        total += hits * Fraction(found, retrieved)
    if metric == "recall_at_t":
        return Fraction(found, m)
    if metric == "precision_at_t":
        return Fraction(found, retrieved)
    divisor = {"min": min(m, retrieved), "relevant": m, "hits": max(found, 1)}[
        normalize
    ]
    return total / (m if metric == "average_precision" else divisor)


def null_law(
    sizes: Sequence[int], n_targets: int, metric: str, **kwargs
) -> dict[Fraction, Fraction]:
    """Law of a metric when the targets are placed at random: value -> probability."""
    law: dict[Fraction, Fraction] = {}
    ways = comb(sum(sizes), n_targets)
    for hits in product(*(range(min(size, n_targets) + 1) for size in sizes)):
        if sum(hits) == n_targets:
            weight = prod(comb(b, d) for b, d in zip(sizes, hits, strict=True))
            groups = list(zip(sizes, hits, strict=True))
            s = value(groups, metric, **kwargs)
            law[s] = law.get(s, Fraction(0)) + Fraction(weight, ways)
    return law


def mean_and_variance(law: dict[Fraction, Fraction]) -> tuple[Fraction, Fraction]:
    """Moments of a law."""
    mean = sum((s * p for s, p in law.items()), Fraction(0))
    return mean, sum(((s - mean) ** 2 * p for s, p in law.items()), Fraction(0))


def tail(law: dict[Fraction, Fraction], s: Fraction) -> Fraction:
    """P(S >= s)."""
    return sum((p for v, p in law.items() if v >= s), Fraction(0))
