"""Differences of models whose items have labels in a sample only."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from skrank._utils._rounding import ROUNDING
from skrank.inference.sampled._draws import METHOD, SampleDraws, SampleLimits, Term
from skrank.inference.sampled._statements import Floats, Measure, measure_of
from skrank.ranking._rankings import Rankings

# Draws of a comparison of two models, of a million items and 2,000 labels in a second.
# With half of these no p-value is below .004.
_LEAST_DRAWS = 1000


class SampledModels(NamedTuple):
    """Models that are compared by one sample of labels, and the draws of the list."""

    measure: Measure
    names: tuple[Any, ...]
    draws: SampleDraws
    values: Floats  # (1, n_models); NaN of a model that the labels do not tell

    @classmethod
    def of(
        cls, metric: Any, rankings: Rankings, n_draws: int, seed: int
    ) -> SampledModels:
        """Draw the list, and evaluate all models."""
        assert rankings.sample is not None
        k = len(rankings.names)
        # the smallest p-value, 2 / draws, is .02 or less times the number of pairs
        most = max(_LEAST_DRAWS, 50 * k * (k - 1))
        draws = SampleDraws(rankings.sample, min(n_draws, most), seed)
        measure = measure_of(metric, rankings.sample.n_samples)
        terms = [[Term(measure, name)] for name in rankings.names]
        values = [draws.value(one) if draws.knows(one) else math.nan for one in terms]
        return cls(measure, rankings.names, draws, np.array([values]))

    @property
    def method(self) -> str:
        """Name of the method."""
        return METHOD

    def compare(self, i: int, j: int, alternative: str) -> dict[str, Any]:
        """Return the fields of the comparison of two models.

        The p-value is that of "the difference is 0, or of the other sign": it is small
        if the limit of its side is beyond 0.
        """
        sample, measure = self.draws.sample, self.measure
        limits = self.draws.limits(
            [Term(measure, self.names[i]), Term(measure, self.names[j], -1)]
        )
        pvalue, is_limit = _pvalue(limits, alternative)
        value, error = limits.value, limits.standard_error
        if not measure.is_smooth:  # limits are those of both values
            error = math.nan
        with np.errstate(divide="ignore"):
            log10 = float(np.log10(pvalue))
        return {
            "difference": value,
            "standard_error": error,
            "zscore": math.nan,  # the p-value is from the limits
            "pvalue": pvalue,
            "log10_pvalue": log10,
            "is_pvalue_limit": is_limit,
            "n_samples": sample.n_samples,
            "n_targets": sample.targets.size,
            "n_labelled": int(sample.n_labelled.sum()),
            "_rule": limits,
        }


def _pvalue(limits: SampleLimits, alternative: str) -> tuple[float, bool]:
    """Return the p-value, and whether more draws may give a smaller one."""
    if limits.is_certain:
        sign = 0.0 if abs(limits.value) < ROUNDING else math.copysign(1, limits.value)
        wrong = {"greater": sign <= 0, "less": sign >= 0, "two-sided": sign == 0}
        return float(wrong[alternative]), False
    tails = {"greater": limits.tail(0.0, -1), "less": limits.tail(0.0, 1)}
    if alternative in tails:
        share, sides = tails[alternative], 1
    else:
        share, sides = min(tails.values()), 2
    least = 1 / (limits.n_draws + 1)
    return min(1.0, sides * max(share, least)), share < least
