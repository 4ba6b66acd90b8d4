"""The scorer that all factories make: one of scikit-learn's, with one step more.

What a scorer of ``make_scorer`` does not do is look at the estimator it is given: a
classifier with nothing but labels would be scored on them, an outlier detector upside
down, and scorers with different `pos_label` would read each other's predictions. So it
gets one more step here, which orients the scores or refuses. There is no public hook
for that step: it overrides the method that scikit-learn's multi-metric scorer calls,
the same from 1.5 on, as the tests make sure.
"""

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
from sklearn.metrics import make_scorer

from skrank import metrics
from skrank._utils._checks import check_undefined
from skrank.metrics._definitions import (
    AveragePrecision,
    AveragePrecisionAtK,
    AveragePrecisionOverHits,
    Bedroc,
    BreakevenPoint,
    EnrichmentFactor,
    KAtRecall,
    MaxFScore,
    Metric,
    PrecisionAtRecall,
    PrecisionAtT,
    RecallAtT,
    ReciprocalRank,
    RobustInitialEnhancement,
    RPrecision,
    ThresholdMetric,
)
from skrank.ranking._response import (
    RESPONSE_METHODS,
    check_detector_targets,
    orientation,
)

# The public function of each metric, whose parameters are the metric's fields.
_FUNCTIONS: dict[type[Metric], Callable[..., float]] = {
    AveragePrecision: metrics.average_precision,
    AveragePrecisionAtK: metrics.average_precision_at_k,
    AveragePrecisionOverHits: metrics.average_precision_at_k,
    RecallAtT: metrics.recall_at_t,
    PrecisionAtT: metrics.precision_at_t,
    EnrichmentFactor: metrics.enrichment_factor,
    ReciprocalRank: metrics.reciprocal_rank,
    RobustInitialEnhancement: metrics.rie,
    Bedroc: metrics.bedroc,
    RPrecision: metrics.r_precision,
    MaxFScore: metrics.max_f_score,
    BreakevenPoint: metrics.breakeven_point,
    PrecisionAtRecall: metrics.precision_at_recall,
    KAtRecall: metrics.k_at_recall,
}

_Scorer: Any = type(make_scorer(metrics.average_precision))


class RankingScorer(_Scorer):  # type: ignore[misc]
    """A scorer of ``make_scorer`` that orients the scores before it measures them."""

    detector_targets: str | None = None

    def _score(
        self,
        method_caller: Callable[..., Any],
        estimator: Any,
        X: Any,  # noqa: N803
        y_true: Any,
        **kwargs: Any,
    ) -> float:
        """Score predictions for the target class, shared by all that have the same."""
        pos_label = self._kwargs.get("pos_label")
        points = orientation(estimator, y_true, pos_label, self.detector_targets)

        def oriented(estimator: Any, method: str, *args: Any, **_: Any) -> Any:
            if points.target_class is None:
                return points.sign * np.asarray(method_caller(estimator, method, *args))
            # scikit-learn caches by the method, whatever the target class. A tuple that
            # names the method once or twice means the same to it, but is another key.
            key = (method,) * (1 + points.target_class)
            target = estimator.classes_[points.target_class]
            return method_caller(estimator, key, *args, pos_label=target)

        return float(super()._score(oriented, estimator, X, y_true, **kwargs))

    def __repr__(self) -> str:
        """Print the settings, the orientation included."""
        text: str = super().__repr__()
        if self.detector_targets is None:
            return text
        return f"{text[:-1]}, detector_targets={self.detector_targets})"


def make(
    metric: Callable[..., float],
    name: str,
    settings: dict[str, Any],
    pos_label: object,
    undefined: float | str,
    detector_targets: str | None,
    *,
    greater_is_better: bool = True,
) -> RankingScorer:
    """Make the scorer and give it what ``make_scorer`` has no room for."""
    answer = check_undefined(undefined)
    check_detector_targets(detector_targets)
    if pos_label is not None:
        settings = {**settings, "pos_label": pos_label}
    if answer == "raise" or not np.isnan(answer):
        settings = {**settings, "undefined": answer}
    scorer: Any = make_scorer(
        metric,
        response_method=RESPONSE_METHODS,
        greater_is_better=greater_is_better,
        **settings,
    )
    scorer.__class__ = RankingScorer
    scorer.detector_targets = detector_targets
    scorer.__name__ = name  # what scikit-learn's displays label an axis with
    return scorer  # type: ignore[no-any-return]


def scorer_of(
    metric: Metric,
    pos_label: object,
    undefined: float | str,
    detector_targets: str | None,
) -> RankingScorer:
    """Make the scorer of a metric, negated where smaller values are better."""
    settings = {field.name: getattr(metric, field.name) for field in fields(metric)}
    ties = settings.pop("ties")
    if not isinstance(metric, ThresholdMetric):
        settings["ties"] = ties
    larger = metric.greater_is_better
    return make(
        _FUNCTIONS[type(metric)],
        metric.name if larger else f"neg_{metric.name}",
        settings,
        pos_label,
        undefined,
        detector_targets,
        greater_is_better=larger,
    )
