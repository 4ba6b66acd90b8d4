"""Draws in which one stratum at a time is exchanged.

Judges: the metric of all strata of each exchange by itself, and ranks of all draws.
"""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import rankdata

from skrank import SampledMetricInterval, make_metric
from skrank.inference.sampled._draws import as_drawn, choices
from skrank.inference.sampled._interval import metric_values
from skrank.inference.sampled._placements import Placements
from skrank.inference.sampled._result import ranking_of


@pytest.mark.parametrize("distinct", [5, 30, 1000])
@pytest.mark.parametrize("least", [1, 12])
@pytest.mark.parametrize(
    "name", ["average_precision", "recall@70", "precision@70", "k_at_recall(0.6)"]
)
def test_exchanged_draws_have_the_values_of_all_strata_together(name, least, distinct):
    # ends of strata cut ties, some strata have few labels, and one has all of them
    rng = np.random.default_rng(least + distinct)
    score = -np.sort(rng.integers(0, distinct, 300)).astype(float)
    stratum = np.searchsorted([40, 90, 95, 150, 220], np.arange(300), side="right")
    looked = (rng.random(300) < 0.4) | (stratum == 2)
    for one in range(6):
        looked[rng.choice(np.flatnonzero(stratum == one), min(least, 5))] = True
    y = np.where(looked, rng.random(300) < 0.2, np.nan)
    question = SampledMetricInterval(name, n_resamples=100)
    result = question.from_predictions(y, score, strata=stratum)
    ranking, drawn = ranking_of(result), result._drawn
    placements, metric = Placements(ranking), make_metric(name)
    n_exchanges = 0
    for choice, pair in zip(choices(ranking), result._values, strict=True):
        for i, h in enumerate(choice.at):
            kind = choice.usual.copy()
            kind[h] = choice.other[i]
            extra = np.stack([drawn[k, :, j] for j, k in enumerate(kind)], axis=1)
            both = [
                metric_values(metric, placements, extra, side)
                for side in ("last", "first")
            ]
            assert_allclose(pair[0][:, i], np.minimum(*both), rtol=1e-12)
            assert_allclose(pair[1][:, i], np.maximum(*both), rtol=1e-12)
            n_exchanges += 1
    assert n_exchanges > 5


@pytest.mark.parametrize("together", [False, True])
def test_limits_of_a_band_are_order_statistics_of_the_hits(together):
    # judge: ranks of all draws, of each exchange by itself
    rng = np.random.default_rng(0)
    score = -np.sort(rng.integers(0, 40, 300)).astype(float)
    stratum = np.searchsorted([40, 100, 180], np.arange(300), side="right")
    y = np.where(rng.random(300) < 0.3, rng.random(300) < 0.2, np.nan)
    question = SampledMetricInterval(n_resamples=400)
    result = question.from_predictions(y, score, strata=stratum)
    ranking, depths = ranking_of(result), np.arange(5, 301, 7)
    placements = Placements(ranking)
    n, level = 400, 0.8
    out, joint = (
        math.floor(share * n - math.sqrt(share * (1 - share) * n))
        for share in ((1 - level) / 2, 1 - level)
    )
    lows, highs = [placements.expected_hits(depths)], [placements.expected_hits(depths)]
    for choice in choices(ranking):
        for i, h in enumerate(choice.at):
            kind = choice.usual.copy()
            kind[h] = choice.other[i]
            extra = [result._drawn[k, :, j] for j, k in enumerate(kind)]
            one, drawn = as_drawn(np.stack(extra, axis=1))
            low, high = (
                placements.hits(one.of(drawn), depths, side)
                for side in ("last", "first")
            )
            outside = out
            if together:
                ranks = [rankdata(x, "max", axis=0).min(axis=1) for x in (low, -high)]
                outermost = np.sort(np.minimum(*ranks))
                outside = min(out, int(outermost[joint]) - 1)
            lows.append(np.sort(low, axis=0)[outside])
            highs.append(np.sort(high, axis=0)[n - 1 - outside])
    band = result.hit_curve_band(depths, confidence_level=level, simultaneous=together)
    assert_allclose(band.low, np.min(lows, axis=0), atol=1e-12)
    assert_allclose(band.high, np.max(highs, axis=0), atol=1e-12)
