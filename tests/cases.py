"""The metrics with their settings, and rankings small enough to enumerate."""

import csv
import gzip
import math
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from scipy.special import digamma

import skrank
from skrank import Metric

TIES = ("expected", "together", "optimistic", "pessimistic")
# the same for tests that take all metrics through each of them
ALL_TIES = [*TIES[:2], *(pytest.param(one, marks=pytest.mark.slow) for one in TIES[2:])]

# name -> (metric, keyword arguments)
METRICS = {
    "average_precision": ("average_precision", {}),
    "average_precision@4 min": ("average_precision_at_k", {"k": 4}),
    "average_precision@1 min": ("average_precision_at_k", {"k": 1}),
    "average_precision@4 relevant": (
        "average_precision_at_k",
        {"k": 4, "normalize": "relevant"},
    ),
    "average_precision@4 hits": (
        "average_precision_at_k",
        {"k": 4, "normalize": "hits"},
    ),
    "recall@4": ("recall_at_t", {"t": 4}),
    "recall@4 min": ("recall_at_t", {"t": 4, "normalize": "min"}),
    "precision@4": ("precision_at_t", {"t": 4}),
    "precision@0.5": ("precision_at_t", {"t": 0.5}),
    "specificity@4": ("specificity_at_t", {"t": 4}),
    "enrichment_factor@4": ("enrichment_factor", {"t": 4}),
    "enrichment_factor@0.3": ("enrichment_factor", {"t": 0.3}),
    "expected_profit@4": ("expected_profit", {"t": 4, "benefit": 3, "cost": 0.5}),
    "expected_profit@0.5": ("expected_profit", {"t": 0.5, "benefit": 2, "cost": 1}),
    "r_precision": ("r_precision", {}),
    "reciprocal_rank": ("reciprocal_rank", {}),
    "ndcg": ("ndcg", {}),
    "ndcg@4": ("ndcg", {"k": 4}),
    "rie": ("rie", {}),
    "rie alpha=3": ("rie", {"alpha": 3}),
    "bedroc": ("bedroc", {}),
    "bedroc alpha=3": ("bedroc", {"alpha": 3}),
    "log_auc fpr=0.2": ("log_auc", {"fpr": 0.2}),
}

# metrics that are no sum over tie groups, and have no null distribution
BY_VALUE = {
    "max_f_score": ("max_f_score", {}),
    "max_f_score beta=2": ("max_f_score", {"beta": 2}),
    "breakeven_point": ("breakeven_point", {}),
    "wss(0.5)": ("wss", {"recall": 0.5}),
    "ks_statistic": ("ks_statistic", {}),
    "k_at_recall(0.5)": ("k_at_recall", {"recall": 0.5}),
    "k_at_recall(0.3)": ("k_at_recall", {"recall": 0.3}),
    "precision_at_recall(0.5)": ("precision_at_recall", {"recall": 0.5}),
    "precision_at_recall(0.3)": ("precision_at_recall", {"recall": 0.3}),
    "recall_at_precision(0.4)": ("recall_at_precision", {"precision": 0.4}),
}
ALL = {**METRICS, **BY_VALUE}
# ties are always retrieved whole
WITHOUT_TIES = {
    "max_f_score",
    "breakeven_point",
    "recall_at_precision",
    "ks_statistic",
}

# sizes of the tie groups, best first, and number of targets
SMALL_LISTS = [
    ((1, 1, 1, 1, 1, 1, 1, 1), 3),
    ((3, 3, 2), 3),
    ((2, 4, 1, 1), 4),
    ((1, 5, 2), 2),
    ((8,), 3),
    ((3, 1, 4), 1),
    ((1, 2, 2, 3), 7),
    ((5, 3), 5),
    ((1, 1, 1, 5), 3),
    ((4, 4), 3),
]
# the same for tests that take all metrics through each of them
LISTS = [
    *SMALL_LISTS[:4],
    *(pytest.param(*one, marks=pytest.mark.slow) for one in SMALL_LISTS[4:]),
]


_PRINTED = {
    "average_precision_at_k": "average_precision",
    "recall_at_t": "recall",
    "precision_at_t": "precision",
    "specificity_at_t": "specificity",
}


def named(metric="average_precision", **settings):
    """Arguments of a class: the metric of a function and its settings, as printed."""
    cutoff = settings.pop("k", settings.pop("t", None))
    others = {
        name: settings.pop(name)
        for name in (
            *("alpha", "normalize", "beta", "recall", "precision"),
            *("benefit", "cost", "fpr"),
        )
        if settings.get(name) is not None
    }
    settings.pop("alpha", None)
    name = _PRINTED.get(metric, metric) + (f"@{cutoff}" if cutoff is not None else "")
    listed = ", ".join(f"{key}={value}" for key, value in others.items())
    return {"metric": f"{name}({listed})" if listed else name, **settings}


def metric_function(case):
    """Return the metric of a case with its settings bound."""
    name, settings = ALL[case]
    function = getattr(skrank, name)
    left_out = {"ties"} if name in WITHOUT_TIES else set()

    def metric(y_true, y_score=None, **kwargs):
        given = {key: kwargs[key] for key in kwargs.keys() - left_out}
        return function(y_true, y_score, **{**settings, **given})

    return metric


def metric_of(case):
    """Return the metric of a case as an object."""
    name, settings = ALL[case]
    return skrank.make_metric(named(name, **settings)["metric"])


def oracle_settings(case, n_samples):
    """Settings of a case in the words of the oracles."""
    settings = dict(ALL[case][1])
    depth = settings.pop("k", settings.pop("t", None))
    if isinstance(depth, float):
        depth = -int(-depth * n_samples // 1)
    return {"depth": depth, **settings} if depth is not None else settings


def make_list(sizes, hits):
    """Labels and scores of a ranking with the given tie groups."""
    y_score = np.repeat(np.arange(len(sizes), 0, -1.0), sizes)
    y_true = np.concatenate(
        [np.r_[np.ones(d), np.zeros(b - d)] for b, d in zip(sizes, hits, strict=True)]
    )
    return y_true.astype(int), y_score


# Scores of every kind: distributions, types, ties, the ends of what numbers can be.
SCORES = {
    "normal": lambda rng, n: rng.normal(size=n),
    "heavy tails": lambda rng, n: np.exp(30 * rng.normal(size=n)),
    "ties": lambda rng, n: np.round(3 * rng.normal(size=n)),
    "single precision": lambda rng, n: rng.random(n, dtype=np.float32),
    "bytes": lambda rng, n: rng.integers(0, 255, n, dtype=np.uint8),
    "large integers": lambda rng, n: rng.integers(-(2**62), 2**62, n),
    "nearly no width": lambda rng, n: 1 + 1e-15 * rng.integers(0, 5, n),
    "no width": lambda rng, n: np.full(n, 2.5),
    "next to nothing": lambda rng, n: 1e-308 * rng.random(n),
    "others out of reach": lambda rng, n: np.r_[
        rng.normal(size=40), rng.choice([-1.7e308, 1.7e308, 0.5], n - 40)
    ],
    "all there is": lambda rng, n: rng.choice([-1.7e308, 0.0, 1.7e308], n),
}


def assert_same_answers(data, columns):
    """Check that curves and the random selection test are those of arrays."""
    data = data if isinstance(data, tuple) else (data,)
    curve, expected = skrank.hit_curve(*data), skrank.hit_curve(*columns)
    for name in ("t", "hits", "tie_ends"):
        np.testing.assert_array_equal(getattr(curve, name), getattr(expected, name))
    points = skrank.operating_points(*data)
    expected = skrank.operating_points(*columns)
    for name in ("score", "t", "hits"):
        np.testing.assert_array_equal(getattr(points, name), getattr(expected, name))
    test = skrank.RandomSelectionTest()
    result, expected = test.from_predictions(*data), test.from_predictions(*columns)
    for name in ("value", "zscore", "pvalue", "n_samples", "n_targets"):
        assert getattr(result, name) == getattr(expected, name)


def runs(n):
    """Runs of a simulation: ten times as many in `make nightly`."""
    return 10 * n if os.environ.get("SKRANK_NIGHTLY") else n


def assert_share(seen, least=0.0, most=1.0):
    """Check a share of runs, within three standard errors of its limits.

    Of 2500 runs, a size of 7 % in place of at most 5 % is noticed with a probability of
    91 %; of 1200, a coverage of 92 % in place of at least 95 % is with 92 %.
    The slowest ones have 400 to 1000 runs, and notice such a size with 16 to 47 %.
    """
    share, n = np.mean(seen), len(seen)
    assert share >= least - 3 * math.sqrt(least * (1 - least) / n)
    assert share <= most + 3 * math.sqrt(most * (1 - most) / n)


# Numbers of other programs and small real data; its README names the sources
DATA = Path(__file__).parent / "data"


def read_rows(name):
    """Rows of a table of the folder of data."""
    path = DATA / name
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt") as lines:
        return list(csv.DictReader(lines))


def docking_scores():
    """Labels of 3212 molecules, and five docking scores by name."""
    rows = read_rows("pparg_docking_scores.csv.gz")
    names = ("surf", "icm", "vina", "minr", "maxz")
    y_true = np.array([row["active"] == "1" for row in rows])
    return y_true, {
        name: np.array([float(row[name]) for row in rows]) for name in names
    }


# Metrics of a user, each with its gain of a rank from 1, and its divisor


class DCG(Metric):
    """Discounted cumulative gain: values above 1, and no statement of bounds."""

    template = "dcg"

    def gain(self, above, size, hits_above, hits, frame):
        depth = np.arange(frame.n_samples + 1)
        sums = np.append(0.0, np.cumsum(1 / np.log2(depth[1:] + 1)))
        end, start = (np.interp(one, depth, sums) for one in (above + size, above))
        return hits / size * (end - start)

    def divisor(self, frame):
        return 1.0


class MeanInverseRank(Metric):
    """Mean of 1 / rank over the targets."""

    template = "mean_inverse_rank"
    bounds = 0.0, 1.0

    def gain(self, above, size, hits_above, hits, frame):
        return hits / size * (digamma(above + size + 1) - digamma(above + 1))

    def divisor(self, frame):
        return frame.n_targets


@dataclass(frozen=True)
class EarlyGain(Metric):
    """Mean over the targets of exp(-rate * rank / n), with a setting."""

    rate: float = 20.0

    template = "early_gain(rate={0.rate:g})"
    bounds = 0.0, 1.0

    def gain(self, above, size, hits_above, hits, frame):
        rate = self.rate / frame.n_samples
        total = np.exp(-rate * above) * np.expm1(-rate * size) / np.expm1(rate)
        return -hits / size * total

    def divisor(self, frame):
        return frame.n_targets


class AreaUnderROC(Metric):
    """Share of the pairs of a target and a non-target in the right order."""

    template = "roc_auc"
    bounds = 0.0, 1.0
    needs_both_classes = True

    def gain(self, above, size, hits_above, hits, frame):
        others = above - hits_above + (size - hits) / 2
        return hits * (1 - others / (frame.n_samples - frame.n_targets))

    def divisor(self, frame):
        return frame.n_targets


OWN = {
    "own: dcg": (DCG(), lambda rank, n, m: 1 / np.log2(rank + 1)),
    "own: mean inverse rank": (MeanInverseRank(), lambda rank, n, m: 1 / rank / m),
    "own: early, with a setting": (
        EarlyGain(9.0),
        lambda rank, n, m: np.exp(-9.0 * rank / n) / m,
    ),
}
