"""The scorer that all factories make: one of scikit-learn's, with one step more.

What a scorer of ``make_scorer`` does not do is look at the estimator it is given: a
classifier with nothing but labels would be scored on them, an outlier detector upside
down, and scorers with different `pos_label` would read each other's predictions. So
`_score`, which scikit-learn calls in single and in multi-metric scoring, orients the
output of the estimator or refuses. It is the only private name of scikit-learn's here;
`tests/metrics/test_scorers.py` says what to do when it moves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import make_scorer

from skrank._utils._checks import check_undefined
from skrank.metrics._definitions import AveragePrecision, Metric
from skrank.ranking._response import (
    RESPONSE_METHODS,
    check_detector_targets,
    orientation,
)

_Scorer: Any = type(make_scorer(AveragePrecision()))

# Outputs of an estimator by method, for the scorers of one call: the key is the object
# that scikit-learn makes for each call of one scorer or of several, to share
# predictions among them. What it shares itself is the output for one class, whichever
# came first.
_outputs: WeakKeyDictionary[Any, dict[str, Any]] = WeakKeyDictionary()


class RankingScorer(_Scorer):  # type: ignore[misc]
    """A scorer of ``make_scorer`` that orients the scores before it measures them."""

    def __init__(
        self,
        function: Callable[..., float],
        name: str,
        settings: dict[str, Any],
        detector_targets: str | None,
        *,
        greater_is_better: bool,
    ) -> None:
        made = make_scorer(
            function,
            response_method=RESPONSE_METHODS,
            greater_is_better=greater_is_better,
            **settings,
        )
        self.__dict__.update(vars(made))
        self.function, self.settings = function, settings
        self.sign = 1 if greater_is_better else -1
        self.detector_targets = detector_targets
        self.__name__ = name  # what scikit-learn's displays label an axis with

    def _score(
        self,
        method_caller: Any,
        estimator: Any,
        X: Any,  # noqa: N803
        y_true: ArrayLike,
        **kwargs: Any,
    ) -> float:
        """Score the estimator's output for the target class."""
        pos_label = self.settings.get("pos_label")
        points = orientation(estimator, y_true, pos_label, self.detector_targets)
        outputs = _outputs.setdefault(method_caller, {})
        if points.method not in outputs:
            outputs[points.method] = getattr(estimator, points.method)(X)
        scores = points.scores(outputs[points.method])
        return self.sign * float(
            self.function(y_true, scores, **{**self.settings, **kwargs})
        )

    def __repr__(self) -> str:
        """Print the metric and the settings, the orientation included."""
        metric = getattr(self.function, "__self__", self.function)
        shown = [repr(metric) if isinstance(metric, Metric) else metric.__name__]
        shown += [f"{name}={value!r}" for name, value in self.settings.items()]
        if self.detector_targets is not None:
            shown.append(f"detector_targets={self.detector_targets!r}")
        return f"{type(self).__name__}({', '.join(shown)})"


def make_ranking_scorer(
    function: Callable[..., float],
    name: str,
    pos_label: object,
    undefined: float | str,
    detector_targets: str | None,
    *,
    greater_is_better: bool = True,
    **settings: Any,
) -> RankingScorer:
    """Make the scorer of a function; settings that are left at their default are none.

    Parameters
    ----------
    function : callable
        ``function(y_true, y_score, *, pos_label, undefined, **settings)``.
    name : str
        Name of the metric; a scorer with the sign turned has "neg_" before it.
    pos_label, undefined, detector_targets
        As in :func:`make_metric_scorer`.
    greater_is_better : bool, default=True
        Whether larger values are better.
    **settings : dict
        Other keywords of the metric.

    Returns
    -------
    scorer : RankingScorer
        The scorer.
    """
    answer = check_undefined(undefined)
    check_detector_targets(detector_targets)
    if pos_label is not None:
        settings["pos_label"] = pos_label
    if answer == "raise" or not np.isnan(answer):
        settings["undefined"] = answer
    return RankingScorer(
        function,
        name if greater_is_better else f"neg_{name}",
        settings,
        detector_targets,
        greater_is_better=greater_is_better,
    )


def scorer_of(
    metric: Metric,
    pos_label: object,
    undefined: float | str,
    detector_targets: str | None,
) -> RankingScorer:
    """Make the scorer of a metric, negated where smaller values are better."""
    return make_ranking_scorer(
        metric.unweighted if metric.counts_ranks else metric,
        metric.name,
        pos_label,
        undefined,
        detector_targets,
        greater_is_better=metric.greater_is_better,
    )
