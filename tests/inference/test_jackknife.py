"""The influences of the items: what leaving each of them out changes.

Judge: the public metric functions, on the ranking without the item.
"""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
import skrank
from cases import TIES, make_list, named
from skrank import MetricInterval

WHOLE_LIST = {
    "average_precision": ("average_precision", {}),
    "average_precision@1.0": ("average_precision_at_k", {"k": 1.0}),
    "rie": ("rie", {}),
    **{f"rie {a}": ("rie", {"alpha": a}) for a in (0.5, 160.9)},
    "bedroc": ("bedroc", {}),
    **{f"bedroc {a}": ("bedroc", {"alpha": a}) for a in (0.5, 3, 80.5)},
}
AT_CUT = {
    "recall": ("recall_at_t", "t", {}),
    "precision": ("precision_at_t", "t", {}),
    "enrichment": ("enrichment_factor", "t", {}),
    "min": ("average_precision_at_k", "k", {"normalize": "min"}),
    "relevant": ("average_precision_at_k", "k", {"normalize": "relevant"}),
}


def without_each(metric, y_true, y_score):
    """Values of the ranking without its items, one by one."""
    return [
        metric(np.delete(y_true, i), np.delete(y_score, i), i)
        for i in range(y_true.size)
    ]


def two_sample_error(values, y_true):
    """Jackknife of two samples (Efron and Stein 1981)."""
    parts = [np.array(values)[y_true == kind] for kind in (0, 1)]
    return math.sqrt(
        sum((v.size - 1) / v.size * np.square(v - v.mean()).sum() for v in parts)
    )


def asked_error(metric, y_true, y_score, **kwargs):
    question = MetricInterval(method="jackknife", **named(metric, **kwargs))
    return question.from_predictions(y_true, y_score).standard_error


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("case", WHOLE_LIST)
@settings(max_examples=12, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 4), st.integers(0, 4)), min_size=1, max_size=7)
)
def test_influence_on_a_whole_list_is_the_leave_one_out_difference(case, ties, groups):
    """To the digits of the metric, on rankings of four items and more."""
    sizes, hits = zip(*[(2, 2), *groups, (2, 0)], strict=True)
    y_true, y_score = make_list(sizes, np.minimum(sizes, hits))
    name, kwargs = WHOLE_LIST[case]
    function = getattr(skrank, name)

    def metric(y, s, _):
        return function(y, s, ties=ties, **kwargs)

    expected = two_sample_error(without_each(metric, y_true, y_score), y_true)
    found = asked_error(name, y_true, y_score, ties=ties, **kwargs)
    assert found == pytest.approx(expected, rel=1e-7, abs=1e-9)


def gains_above(case, y_true, y_score, depth):
    """Sum of the hits above a depth, or of the precisions at them."""
    if depth == 0:
        return 0.0
    if case in ("min", "relevant"):
        value = skrank.average_precision_at_k
        return y_true.sum() * value(y_true, y_score, k=depth, normalize="relevant")
    return y_true.sum() * skrank.recall_at_t(y_true, y_score, t=depth)


def alike_between_hits(values, y_true):
    """Values of which the others between two hits have their mean."""
    gap, values = np.cumsum(y_true), np.array(values)
    for which in np.unique(gap):
        others = (gap == which) & (y_true == 0)
        values[others] = values[others].sum() / max(others.sum(), 1)
    return values


@pytest.mark.parametrize("depth", [1, 3, 6, 0.1, 0.25, 0.5])
@pytest.mark.parametrize("case", AT_CUT)
def test_influence_at_a_cut_is_what_the_user_guide_says(case, depth):
    """The cutoff stays; who moves up is a target by the share around the cutoff.

    Others between two hits are alike. Without a target the gains of the rest are scaled
    up to as many as before.
    """
    name, key, kwargs = AT_CUT[case]
    for seed in range(15):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(8, 25))
        y_true = rng.permutation(np.arange(n) < rng.integers(2, n - 1)).astype(int)
        y_score, m = -np.arange(float(n)), y_true.sum()
        cut = math.ceil(depth * n) if isinstance(depth, float) else depth
        ranks = (np.flatnonzero(y_true) + 1).tolist()
        found = y_true[:cut].sum()
        gain = max(found, 1) / cut if case in ("min", "relevant") else 1.0
        moves_up = oracles.share_around(ranks, found, n) * gain
        divisor = {
            "recall": m,
            "precision": cut,
            "enrichment": m * cut / (n - 1),
            "min": min(m, cut),
            "relevant": m,
        }[case]

        def value(y, s, i, *, cut=cut, moves_up=moves_up, divisor=divisor, m=m):
            above = i < cut
            total = gains_above(case, y, s, cut - above) + above * moves_up
            return total / divisor * (m / y.sum() if y.sum() < m else 1)

        values = alike_between_hits(without_each(value, y_true, y_score), y_true)
        expected = two_sample_error(values, y_true)
        found_error = asked_error(name, y_true, y_score, **{key: depth}, **kwargs)
        assert found_error == pytest.approx(expected, rel=1e-9, abs=1e-12)
