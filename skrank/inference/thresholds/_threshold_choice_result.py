"""Result of `ThresholdChoice`."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from sklearn.base import is_classifier
from sklearn.model_selection import FixedThresholdClassifier

from skrank._utils._checks import check_fraction, check_option, invalid
from skrank._utils._numbers import interval, number
from skrank._utils._signature import signature_of
from skrank._utils._text import brief
from skrank.inference.base._confidence_interval import ConfidenceInterval
from skrank.inference.base._result import Result
from skrank.inference.thresholds._rules import ChoiceRule, PromisedRule
from skrank.ranking._response import RESPONSE_METHODS, Orientation, check_estimator

# What the interval of a quantity holds, in print.
_HELD = {
    "threshold": "chosen with another sample",
    "t": "in another sample",
    "recall": "on other items",
    "precision": "on other items",
    "profit": "on other items",
}


@signature_of()
@dataclass(frozen=True, slots=True, repr=False, eq=False, kw_only=True)
class ThresholdChoiceResult(Result):
    """Result of :class:`ThresholdChoice`.

    Attributes
    ----------
    threshold : float
        Inspect items with this score or a better score. Infinity selects no items, and
        minus infinity selects all items. NaN if a depth was chosen for several
        rankings.
    score : str
        Scores to compare with the threshold: "decision_function", "minus
        decision_function" (for detectors that score inliers higher, or for the class
        that a classifier scores lower), "predict_proba of class 1", "predict" or "the
        given scores". If a depth was chosen for several rankings, the text notes that
        there is no threshold.
    t : int or float
        Number of items of these data to inspect; for several rankings the depth in each
        ranking, or the mean depth if the depth is a fraction.
    recall, precision : float
        Expected recall and precision on other items. `precision` is NaN if no items are
        inspected.
    profit : float
        Expected profit on the same number of other items; for several rankings, the
        mean profit of a ranking. NaN without a benefit.
    apparent_recall, apparent_precision, apparent_profit : float
        Values on these data. They are too optimistic, because the threshold was chosen
        on the same data.
    metric, method : str
        Name of the metric with its cutoff, and method that was used (never "auto").
    n_samples, n_targets, n_missed : int
        Numbers of items, of targets, and of targets that were never scored, in all
        rankings together. An item in several folds counts once.
    n_rankings : int
        Number of rankings, which are groups or folds; 1 for a single ranking.
    kind : {"one", "groups", "folds"}
        Whether there is a single ranking, or a ranking for each group or fold.
    labels : tuple
        Labels of several rankings: the values of `groups`, or the numbers of the folds.
    n_clusters : int
        Number of clusters; 0 without `clusters`.

    See Also
    --------
    ThresholdChoice : Creates this object.

    Examples
    --------
    >>> import numpy as np
    >>> from skrank import ThresholdChoice
    >>> rng = np.random.default_rng(0)
    >>> y_true = rng.random(2000) < 0.03
    >>> y_score = rng.normal(1.5 * y_true)
    >>> choice = ThresholdChoice(recall=0.8)
    >>> print(choice.from_predictions(y_true, y_score))
    Threshold with recall 0.8
      ranking    2000 items, 73 targets (prevalence 0.0365)
      score      the given scores
      threshold  0.3814   95 %: -0.096 to 1.155 chosen with another sample
      t          738   95 %: 678 to 798 in another sample
      recall     0.7992   95 %: 0.6969 to 0.8862 on other items
      precision  0.07921   95 %: 0.06877 to 0.08851 on other items
    """

    # shared: of_results

    threshold: float
    t: float
    recall: float
    precision: float
    profit: float
    apparent_recall: float
    apparent_precision: float
    apparent_profit: float
    _rules: Mapping[str, ChoiceRule]
    score: str
    _pos_label: object
    _output: Orientation | None
    # what is promised, and with which probability
    _promised: tuple[str, float] | None = None

    title: ClassVar[str] = "{0._what} with {0.metric}"
    _of_rankings: ClassVar[bool] = False

    def confidence_interval(
        self, quantity: str, confidence_level: float | None = None
    ) -> ConfidenceInterval:
        """Return the interval of a quantity.

        Parameters
        ----------
        quantity : {"threshold", "t", "recall", "precision", "profit"}
            Quantity of the interval. "threshold" is the threshold that would be chosen
            with another sample of this size. "t" is the number of items above this
            threshold in another sample of this size; for several rankings, the depth
            that would be chosen with the same number of other rankings. "recall",
            "precision" and "profit" are the true values of this threshold or depth in a
            population with the same prevalence.
        confidence_level : float, default=None
            Probability of the interval, between 0 and 1. None uses 0.95, or the
            guarantee for a guaranteed recall or precision.

        Returns
        -------
        interval : ConfidenceInterval
            Lower and upper limit; NaN if undefined. The interval of a guaranteed recall
            or precision is one-sided: at the level of the guarantee, the lower limit is
            at least the guaranteed value, and the upper limit is 1.

        Raises
        ------
        ValueError
            If the quantity is unknown, if it is "threshold" and a depth was chosen for
            several rankings, or if the level is not between 0 and 1.
        """
        check_option("quantity", quantity, tuple(_HELD))
        if quantity not in self._rules:
            rule = 'be "t" for several rankings, which have no threshold'
            raise invalid("quantity", rule, brief(quantity))
        level = self._level(quantity)
        if confidence_level is not None:
            level = check_fraction("confidence_level", confidence_level)
        return ConfidenceInterval(*self._rules[quantity].bounds(level))

    def _level(self, quantity: str) -> float:
        """Probability of an interval in print: that of a promise for what it is of."""
        promised, level = self._promised or ("", 0.95)
        return level if quantity == promised else 0.95

    def classifier(
        self,
        estimator: Any,
        *,
        pos_label: object = None,
        response_method: str | None = None,
    ) -> FixedThresholdClassifier:
        """Return a classifier of new items with this threshold.

        Parameters
        ----------
        estimator : estimator instance
            Classifier that computed the scores, to be fitted to labels of the same two
            classes. With more classes, or with regressors and detectors, compare the
            scores of new items with the threshold instead; the error shows the code.
        pos_label : int, float, bool or str, default=None
            Label of the targets. None uses the label with which the threshold was
            chosen.
        response_method : {"decision_function", "predict_proba"}, default=None
            Method of the estimator that computed the scores. None uses the method that
            ranked the items, if they were ranked by an estimator.

        Returns
        -------
        classifier : sklearn.model_selection.FixedThresholdClassifier
            Unfitted classifier with this threshold.

        Raises
        ------
        ValueError
            If there is no threshold, if the estimator is not a classifier of two
            classes, if it does not have the method, or if `response_method` is None and
            the threshold was chosen from scores without an estimator.
        """
        if "threshold" not in self._rules:
            got = "a depth of each ranking, not a threshold"
            rule = "be left out, or passed with `groups_share`='threshold'"
            raise invalid("groups", rule, got)
        check_estimator(estimator)
        output = self._output
        reads = output is None or (output.of_two and output.method != "predict")
        if not is_classifier(estimator) or not reads:
            code = "scores" if output is None else output.code
            rule = "be a classifier of two classes"
            advice = f"Select new items by `{code} >= result.threshold`."
            raise invalid("estimator", rule, brief(estimator), advice)
        methods: tuple[str, ...] = RESPONSE_METHODS[:2]
        if response_method is not None:
            check_option("response_method", response_method, methods)
            methods = (response_method,)
        elif output is None:
            rule = f"be one of {list(methods)} for scores that were given"
            raise invalid("response_method", rule, "None")
        else:
            methods = (output.method,)
        for method in methods:
            if hasattr(estimator, method):
                return FixedThresholdClassifier(
                    estimator,
                    threshold=self.threshold,
                    pos_label=self._pos_label if pos_label is None else pos_label,
                    response_method=method,
                )
        rule = f"have {' or '.join(methods)}"
        raise invalid("estimator", rule, brief(estimator))

    @property
    def _what(self) -> str:
        """What was chosen, in print."""
        return "Threshold" if "threshold" in self._rules else "Depth"

    def _rows(self) -> list[tuple[str, str]]:
        rows = [*Result._rows(self), ("score", self.score)]
        for name, held in _HELD.items():
            value = getattr(self, name)
            if math.isnan(value):
                continue
            low, high = self._rules[name].bounds(self._level(name))
            if isinstance(self._rules[name], PromisedRule):
                sure = f"with probability {self._level(name):g}"
                said = f"{number(value)}   {number(low)} or more, {sure}, {held}"
                rows.append((name, said))
                continue
            if name == "t" and "threshold" not in self._rules:
                held = "chosen with other groups"
            text = f"{number(value)}   95 %: {interval(low, high)} {held}"
            rows.append((name, text))
        return rows

    def _columns(self) -> dict[str, Any]:
        return {name: [getattr(self, name)] for name in _HELD}
