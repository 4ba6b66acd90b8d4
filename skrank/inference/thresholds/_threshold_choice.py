"""Choice of a threshold, and its recall, precision and profit on other items.

A threshold that was chosen with the labels looks better on these labels than on others.
The choice is therefore cross-validated: it is repeated without a part of the items, and
the part is evaluated.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._utils._checks import (
    check_count,
    check_cutoff,
    check_flag,
    check_fraction,
    check_jobs,
    check_not_negative,
    check_option,
    check_positive,
    check_random_state,
    check_share,
    invalid,
)
from skrank._utils._columns import Items, as_amounts, is_column
from skrank._utils._text import brief
from skrank._utils._warnings import warn
from skrank.inference.base._question import Question
from skrank.inference.thresholds._aim import Aim
from skrank.inference.thresholds._choice_of_days import DepthOfDays, ThresholdOfDays
from skrank.inference.thresholds._threshold_choice_result import ThresholdChoiceResult
from skrank.inference.thresholds._threshold_of_items import ThresholdOfItems
from skrank.metrics._definitions import AnyMetric, ExpectedProfit
from skrank.ranking._rankings import Rankings

Floats = NDArray[np.float64]


class ThresholdChoice(Question[ThresholdChoiceResult]):
    """Choose a threshold or depth for new items; for a given t use MetricInterval.

    Choose a threshold by its depth, recall or precision, or with the largest profit.
    The result has the recall, precision and profit that are expected on other items.

    Parameters
    ----------
    t : int or float, default=None
        Number of items to inspect; a float in (0, 1] is a fraction of the ranking. A
        tie is inspected as a whole.
    recall : float, default=None
        Share of the targets to find with the fewest items, above 0 and up to 1.
    precision : float, default=None
        Smallest share of targets among the inspected items, above 0 and up to 1, with
        as many items as possible, down to the score of a target. If `t` is passed
        together with `precision` or `recall`, at most t items are inspected.
    benefit : float or array-like of shape (n_samples,), default=None
        Benefit of finding a target, above 0. If `t`, `recall` and `precision` are None,
        the threshold with the largest profit is chosen. Pass an array for a benefit of
        each item, such as the amount of a transaction, in the order of the labels. A
        pandas column must have the index of the labels.
    cost : float, default=None
        Cost of inspecting an item, at least 0. Required with `benefit`.
    guarantee : float, default=None
        Probability, such as 0.95, that the recall or the precision on other items, or
        its mean over other days, reaches the requested value, which must then be below
        1. With None, the threshold reaches the value on these data, and misses it on
        other items about half of the time.
    groups_share : {"depth", "threshold"}, default="depth"
        Whether `groups` share one depth or one threshold on the score. With a
        threshold, `t` is the mean number of items per group, such as a day. Without
        `groups` it has no effect, and `t` counts all items.
    n_resamples : int, default=9999
        Number of draws for an interval.
    n_jobs : int, default=None
        Number of joblib jobs of a cross-validation.
    progress : bool, default=False
        Whether to show a progress bar of a cross-validation; needs tqdm.
    random_state : int, RandomState, Generator or None, default=0
        Source of randomness. With None, each call draws anew.

    Raises
    ------
    ValueError
        If the parameters contradict each other, if `guarantee` is combined with a
        depth, a profit or a limit of items, or if a setting is outside its range.

    See Also
    --------
    ThresholdChoiceResult : Result of the choice.
    expected_profit, recall_at_precision : Values on the same data.
    sklearn.model_selection.FixedThresholdClassifier : Classifies new items.

    Notes
    -----
    The expected values on other items are estimated by cross-validation within the
    data [1]_, and the interval of a guarantee is a tolerance limit [2]_ or a sequence
    of binomial tests [3]_. :ref:`derivations_thresholds` describes them and the other
    intervals, and :ref:`validation_decisions` has the measured bias and coverage.

    With `groups`, whole groups are held out and drawn, and `t` and `profit` are means
    over the groups. The folds of a cross-validation are pooled. A guarantee assumes new
    items from the same population, and a model that was fitted to other items.

    References
    ----------
    .. [1] Stone (1974), *Journal of the Royal Statistical Society B* 36, 111-147.
    .. [2] Wilks (1941), *Annals of Mathematical Statistics* 12(1), 91-96.
    .. [3] Angelopoulos, Bates, Candes, Jordan and Lei (2021), "Learn then test",
       arXiv:2110.01052.

    Examples
    --------
    A call costs 5, and a customer who responds is worth 100:

    >>> import numpy as np
    >>> from skrank import ThresholdChoice
    >>> rng = np.random.default_rng(0)
    >>> y_true = rng.random(2000) < 0.03
    >>> y_score = rng.normal(1.5 * y_true)
    >>> choice = ThresholdChoice(benefit=100, cost=5)
    >>> result = choice.from_predictions(y_true, y_score)
    >>> result.t, round(result.apparent_profit), round(result.profit)
    (318, 3310, 2971)
    """

    _refuses: ClassVar[dict[str, str]] = {
        "clusters": "items are held out and drawn one by one",
        "strata": "a threshold is for all items",
        "sample_weight": "items are held out and drawn one by one",
        "n_missed": "other samples miss other targets; `n_unlisted`, or "
        "`missing`='last', ranks them last",
    }
    _repeated: ClassVar[bool] = False

    def __init__(
        self,
        *,
        t: float | None = None,
        recall: float | None = None,
        precision: float | None = None,
        benefit: float | ArrayLike | None = None,
        cost: float | None = None,
        guarantee: float | None = None,
        groups_share: str = "depth",
        n_resamples: int = 9999,
        n_jobs: int | None = None,
        progress: bool = False,
        random_state: object = 0,
    ) -> None:
        rules = {"t": t, "recall": recall, "precision": precision}
        given = [name for name, value in rules.items() if value is not None]
        if not (given or benefit is not None):
            rule = "be given, or else `benefit` and `cost`"
            raise invalid("t`, `recall` or `precision", rule, "none")
        if recall is not None and precision is not None:
            rule = "be given one at a time, alone or with `t`"
            raise invalid("recall` and `precision", rule, "both")
        if (benefit is None) != (cost is None):
            raise invalid(
                "cost", "be given with `benefit`", f"{_shown(benefit)} and {cost}"
            )
        self.t = None if t is None else check_cutoff("t", t)
        self.recall = None if recall is None else check_share("recall", recall)
        self.precision = (
            None if precision is None else check_share("precision", precision)
        )
        self.benefit: Any = benefit
        if is_column(benefit):
            as_amounts("benefit", benefit)
        elif benefit is not None:
            self.benefit = check_positive("benefit", benefit)
        self.cost = None if cost is None else check_not_negative("cost", cost)
        self.guarantee = None
        if guarantee is not None:
            self.guarantee = check_fraction("guarantee", guarantee)
            if self.recall is self.precision is None or t is not None:
                rule = "be left out, or given with `recall` or `precision`, without `t`"
                raise invalid("guarantee", rule, brief(guarantee))
            if 1 in (self.recall, self.precision):
                raise invalid(given[0], "be below 1 with a guarantee", "1")
        check_option("groups_share", groups_share, ("depth", "threshold"))
        self.groups_share = groups_share
        if groups_share == "threshold" and guarantee is not None:
            rule = "be left out with `groups_share`='threshold'"
            raise invalid("guarantee", rule, brief(guarantee))
        self.n_resamples = check_count("n_resamples", n_resamples, least=2)
        self.n_jobs = check_jobs(n_jobs)
        self.progress = check_flag("progress", progress)
        self.random_state = check_random_state(random_state)

    def from_rankings(self, rankings: Any) -> ThresholdChoiceResult:
        """Choose a threshold for a ranking, or a depth for several.

        Parameters
        ----------
        rankings : Rankings, Ranking, RankCounts, sequence of them, or mapping
            Rankings of any data, of one model. Folds are pooled.

        Returns
        -------
        result : ThresholdChoiceResult
            Immutable: the threshold or the depth, and the values to expect on other
            items. If no threshold satisfies the conditions, no items are inspected. If
            there are too few targets to guarantee a recall, all items are inspected.
            Both cases have a warning.

        Raises
        ------
        ValueError
            If there are several models, if there are no non-targets, if there are fewer
            than 5 targets (2 if `t` is passed) or 2 groups, if items were only counted,
            or if `guarantee` is used with folds.
        """
        rankings, asked = self._asked(rankings)
        if self.guarantee is not None and asked.kind == "folds":
            rule = "be of one model, and of items that it was not fitted to"
            got = f"a guarantee for the models of {len(set(asked.folds))} folds"
            advice = "Fit the model to some items, and rank others by `from_estimator`."
            raise invalid("rankings", rule, got, advice)
        aim = self._aim(rankings, asked)
        of_days = {"depth": DepthOfDays, "threshold": ThresholdOfDays}
        kind: Any = of_days[self.groups_share] if asked.grouped else ThresholdOfItems
        choice = kind(aim, asked.single, self.n_resamples, self._generator())
        found = choice.found()
        if found["t"] == 0 and self.guarantee is None and self.recall is None:
            what = "has a profit"
            if self.precision is not None:
                within = "" if self.t is None else f"within t = {self.t:g} "
                what = f"{within}has a precision of {self.precision:g}"
            elif self.t is not None:
                what = f"keeps t = {self.t:g}, as the first tie is larger"
            warn(f"No threshold {what}: no item is inspected.", UserWarning)
        mean = asked.grouped and self.groups_share == "threshold"
        described = aim.described(asked.grouped, mean)
        if found["threshold"] == -math.inf and any(
            one.items.data is not None and one.items.data.lowest is not None
            for one in asked.single
        ):
            warn(
                "All items are inspected. A comparison of scores with the threshold "
                "leaves out items without a score: inspect these, too.",
                UserWarning,
            )
        promised = None if aim.guarantee is None else (aim.quantity, aim.guarantee)
        rules, names = found["_rules"], ("recall", "precision", "profit")
        (model,) = asked.models
        score = "the given scores" if model.output is None else model.output.name
        if model.lower_is_better:
            score = f"minus {score}"
        if kind is DepthOfDays:
            score += "; a depth t of each ranking, no threshold"
        return ThresholdChoiceResult(
            method="cross_validation",
            **{name: rules[name].estimate for name in names},
            **found,
            score=score,
            _pos_label=asked.pos_label,
            _output=model.output,
            _promised=promised,
            **self._fields(asked) | {"metric": described},
        )

    def _metric(self) -> AnyMetric:
        """Return a metric that is defined for days without targets."""
        return ExpectedProfit(t=1.0)

    def _aim(self, rankings: Rankings, asked: Rankings) -> Aim:
        """Return what the choice is to reach, with the benefits of the asked items."""
        values = {"t": self.t, "recall": self.recall, "precision": self.precision}
        given = [one for one in values.items() if one[1] is not None]
        quantity, value = (given or [("profit", None)])[-1]
        limit = self.t if len(given) > 1 else None
        benefit, amounts = self.benefit, None
        if benefit is None:
            benefit = math.nan
        elif is_column(benefit):
            sizes = [one.items.y_score.size for one in asked.single if one.has_items]
            n_items = sum(map(len, rankings.items)) or sum(sizes)
            every = rankings.of_items or Items(n_items)
            places = asked.items or [np.arange(every.size)]
            of_items = every.read("benefit", benefit, as_amounts)
            if sizes != [*map(len, places)]:
                rule = "be a number if items have no score, or were only counted"
                raise invalid("benefit", rule, "an array")
            benefit, amounts = 1.0, [of_items[items] for items in places]
        cost, guarantee = self.cost or 0.0, self.guarantee
        return Aim(quantity, value, benefit, cost, guarantee, amounts, limit)


def _shown(benefit: Any) -> str:
    """Return what a benefit is, in an error."""
    return f"{len(benefit)} amounts" if is_column(benefit) else brief(benefit)
