"""Coverage of the limits from labels of a sample, by enumeration.

Judges: the hypergeometric probabilities of all numbers of targets that the samples of
the strata can hold, and the metrics of the complete lists. The items of a stratum are
tied, so that everything depends on these numbers only.
"""

import itertools

import numpy as np
import pytest
from scipy.stats import hypergeom

from skrank import SampledMetricInterval, make_metric


def list_of(items, labels, found):
    """Return labels of a list in which the samples of the strata hold such targets."""
    parts = [
        np.repeat([1.0, 0.0, np.nan], [x, r - x, n - r])
        for n, r, x in zip(items, labels, found, strict=True)
    ]
    return np.concatenate(parts)


def some_totals(n):
    """Return numbers of targets of a stratum: few, all but a few, and between."""
    few = np.geomspace(1, n, 10).round()
    return np.unique([0, *few, *(n - few), n // 2]).astype(int).tolist()


def coverage(items, labels, name):
    """Return the coverage of 95 % limits of a metric, and of the targets left.

    There is a row for each combination of numbers of targets in the strata.
    """
    score = -np.repeat(np.arange(len(items)), items)
    ask, metric = SampledMetricInterval(name, n_resamples=1000), make_metric(name)
    found = np.array(list(itertools.product(*(range(r + 1) for r in labels))))
    limits = []
    for some in found:
        y = list_of(items, labels, some)
        result = ask.from_predictions(y, score, strata=score)
        total = some.sum() + np.array(result.remaining())
        limits.append((result.confidence_interval(), total))
    low, high = np.moveaxis(limits, 2, 0)
    covered = []
    for totals in itertools.product(*map(some_totals, items)):
        chance = hypergeom.pmf(found, items, totals, labels).prod(axis=1)
        value = np.nan  # of lists without targets or without other items
        if 0 < sum(totals) < sum(items):
            value = metric(list_of(items, items, totals), score)
        truth = np.array([value, sum(totals)])
        outside = (truth < low - 1e-9) | (truth > high + 1e-9)
        covered.append(1 - chance @ outside)
    return np.array(covered)


@pytest.mark.filterwarnings("ignore:All .* are targets", "ignore:.* is undefined")
@pytest.mark.parametrize(
    ("items", "labels", "name"),
    [
        ((4, 30), (4, 10), "average_precision"),  # the top is known
        ((11, 60), (10, 10), "recall@11"),
        *(
            pytest.param(*one, marks=pytest.mark.slow)
            for one in [
                ((20, 20), (5, 5), "average_precision"),
                ((2, 400), (2, 60), "recall@2"),
                ((6, 20), (5, 20), "recall@6"),
                ((20, 20), (10, 10), "recall@20"),
                ((20, 20), (9, 10), "precision@30"),
            ]
        ),
        *(
            pytest.param(*one, marks=pytest.mark.nightly)
            for one in [
                ((50, 500), (12, 12), "average_precision"),
                ((10, 10, 10), (5, 5, 5), "average_precision"),
                ((8, 30, 200), (2, 4, 10), "recall@8"),
            ]
        ),
    ],
)
def test_limits_hold_for_all_numbers_of_targets(items, labels, name):
    of_value, of_targets = coverage(items, labels, name).T
    assert np.mean(of_value) > 0.975
    # 1 in 100 combinations may have less, by a limit that is off by a target
    assert np.mean(of_value < 0.945) <= 0.01
    assert of_value.min() > 0.9
    assert of_targets.min() >= 0.945
