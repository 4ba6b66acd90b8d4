"""How sure is this number? Standard error and interval of a metric.

What comes in is one ranking, as labels and scores or as a fitted estimator; what goes
out is a frozen result. The ranking is any ranking, not one that knows nothing.
"""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skrank._measures import (
    AveragePrecision,
    Measure,
    PrecisionAtT,
    RecallAtT,
)
from skrank._question import Question, rank_both_classes
from skrank._ranking import Ranking
from skrank._response import target_scores
from skrank._validation import (
    check_count,
    check_generator,
    check_option,
    check_positive,
)
from skrank._variability._influence import influence_of
from skrank._variability._interval import BetaRule, IntervalRule, NormalRule
from skrank._variability._moderation import best_value, moderated_rule
from skrank._variability._resampling import bootstrap, draw_in_parallel
from skrank._variability._survival import survival_error
from skrank._variability_result import MetricVariabilityResult

METHODS = (
    "auto",
    "moderated",
    "influence",
    "bootstrap",
    "survival",
    "boyd",
    "posterior",
)


class MetricVariability(Question):
    """Standard error and confidence interval of a metric of one ranking."""

    def __init__(
        self,
        metric: str = "average_precision",
        *,
        k: float | None = None,
        t: float | None = None,
        alpha: float | None = None,
        normalize: str = "min",
        ties: str = "expected",
        method: str = "auto",
        prior: float = 0.5,
        n_resamples: int = 9999,
        n_jobs: int | None = None,
        progress: bool = False,
        random_state: object = None,
    ) -> None:
        super().__init__(metric, k=k, t=t, alpha=alpha, normalize=normalize, ties=ties)
        check_option("method", method, METHODS)
        check_positive("prior", prior)
        check_count("n_resamples", n_resamples, least=2)
        self.method = method
        self.prior = prior
        self.n_resamples = n_resamples
        self.n_jobs = n_jobs
        self.progress = progress
        self.random_state = random_state
        self._check_method(self._measure())

    def from_estimator(
        self,
        estimator: Any,
        X: Any,  # noqa: N803
        y: ArrayLike,
        *,
        pos_label: object = None,
        detector_targets: str | None = None,
    ) -> MetricVariabilityResult:
        """Ask how much the metric of a fitted estimator's ranking varies."""
        y_score = target_scores(
            estimator, X, y, pos_label=pos_label, detector_targets=detector_targets
        )
        return self.from_predictions(y, y_score, pos_label=pos_label)

    def from_predictions(
        self, y_true: ArrayLike, y_score: ArrayLike, *, pos_label: object = None
    ) -> MetricVariabilityResult:
        """Ask how much the metric of a ranking varies."""
        measure = self._measure()
        ranking = rank_both_classes(y_true, y_score, pos_label)
        rule = self._rule(measure, ranking)
        return MetricVariabilityResult(
            estimate=measure.value(ranking),
            standard_error=rule.standard_error,
            method=self._method(measure),
            metric=measure.name,
            n_samples=int(ranking.n_samples),
            n_targets=int(ranking.n_targets),
            _rule=rule,
        )

    def _method(self, measure: Measure) -> str:
        if self.method != "auto":
            return self.method
        return "moderated" if measure.smooth else "bootstrap"

    def _check_method(self, measure: Measure) -> None:
        """Check that the method has a meaning for the metric."""
        wholes = type(measure) is AveragePrecision
        counts = isinstance(measure, RecallAtT)
        has_meaning = {
            "moderated": measure.smooth,
            "influence": measure.smooth,
            "survival": wholes or counts,
            "boyd": wholes,
            "posterior": counts,
        }
        if not has_meaning.get(self.method, True):
            msg = (
                "`method` must have a meaning for the metric (see Notes of "
                f"MetricVariability); got {self.method!r} for {measure.name}."
            )
            raise ValueError(msg)

    def _rule(self, measure: Measure, ranking: Ranking) -> IntervalRule:
        """Standard error, and how an interval is made of it."""
        method = self._method(measure)
        if method == "moderated":
            return moderated_rule(measure, ranking)
        if method == "posterior":
            return self._posterior(measure, ranking)
        frame = measure.frame(ranking, ranking.n_targets)
        return NormalRule(
            measure.value(ranking),
            self._error(method, measure, ranking),
            best_value(measure, frame),
        )

    def _error(self, method: str, measure: Measure, ranking: Ranking) -> float:
        if method == "influence":
            return float(np.sqrt(influence_of(measure, ranking).variance))
        if method == "survival":
            return survival_error(measure, ranking)
        if method == "boyd":
            value = measure.value(ranking)
            return float(np.sqrt(value * (1 - value) / ranking.n_targets))
        values = draw_in_parallel(
            partial(bootstrap, measure, ranking),
            self.n_resamples,
            check_generator(self.random_state),
            n_jobs=self.n_jobs,
            progress=self.progress,
        )
        return float(values.std(ddof=1))

    def _posterior(self, measure: Measure, ranking: Ranking) -> BetaRule:
        """Beta law of the share of hits: of those retrieved, or of the targets."""
        frame = measure.frame(ranking, ranking.n_targets)
        hits = measure.value(ranking) * measure.divisor(frame)
        of_retrieved = isinstance(measure, PrecisionAtT)
        total = frame.cut if of_retrieved else frame.n_targets
        scale = total / measure.divisor(frame)
        return BetaRule(hits + self.prior, total - hits + self.prior, scale)
