"""Choice of a threshold, and its recall, precision and profit on other items.

A threshold that was chosen with the labels looks better on these labels than on others.
The choice is therefore cross-validated: it is repeated without a part of the items, and
the part is evaluated.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._utils._checks import (
    check_count,
    check_cutoff,
    check_depth,
    check_flag,
    check_fraction,
    check_jobs,
    check_not_negative,
    check_positive,
    check_random_state,
    check_share,
    invalid,
)
from skrank._utils._columns import Items, as_amounts, is_column
from skrank._utils._numbers import number
from skrank._utils._rounding import ROUNDING
from skrank._utils._text import brief
from skrank._utils._warnings import warn
from skrank.curves._band import spread_counts
from skrank.inference.base._question import Question
from skrank.inference.thresholds._guarantee import (
    PromisedRule,
    deepest_promise,
    depth_of_mean_precision,
    depth_of_mean_recall,
    hits_needed,
    mean_precision_promised,
    mean_shown,
    other_promise,
    other_promise_of_days,
    precision_promised,
    recall_shown,
    sums_needed,
    targets_needed,
)
from skrank.inference.thresholds._rules import ChoiceRule, DrawnDepthRule, DrawnRule
from skrank.inference.thresholds._threshold_choice_points import (
    Points,
    cumulative,
    other_sample,
)
from skrank.inference.thresholds._threshold_choice_result import ThresholdChoiceResult
from skrank.inference.variability._interval import CertainRule, StudentRule, WidestRule
from skrank.metrics._definitions import AnyMetric, ExpectedProfit
from skrank.ranking._items import level_at
from skrank.ranking._ranking import Ranking, hits_at
from skrank.ranking._rankings import Rankings
from skrank.ranking._standing import items_above

Floats = NDArray[np.float64]

# Folds of the choice, and random divisions into them.
_FOLDS, _DIVISIONS = 10, 20
# A parameter of a beta distribution that is 0.
_ZERO = np.finfo(float).tiny


class ThresholdChoice(Question[ThresholdChoiceResult]):
    """How many items to look at: a threshold on the score, or a depth of each day.

    The threshold has a given depth, recall or precision, or the largest profit. Its
    recall, precision and profit are those expected on other items.

    Parameters
    ----------
    t : int or float, default=None
        Number of items to look at; a float in (0, 1] is a fraction of the ranking. A
        tie is looked at whole.
    recall : float, default=None
        Share of the targets to find, above 0, up to 1, with the fewest items.
    precision : float, default=None
        Least share of targets among the items, above 0, up to 1, with as many items as
        possible.
    benefit : float or array-like of shape (n_samples,), default=None
        What finding a target is worth, above 0. If none of the parameters above is
        given, the threshold has the largest profit. An array has it for each item, such
        as the amount of a transaction, in the order of the labels; it needs `groups`.
        A column of pandas must have their index.
    cost : float, default=None
        Cost of looking at an item, at least 0. Required with `benefit`.
    guarantee : float, default=None
        Probability, such as 0.95, that the recall or the precision on other items, or
        their mean over other days, reaches the given value, which is then below 1. With
        None, the threshold reaches it on these data, and misses it on other items about
        half of the time.
    n_resamples : int, default=9999
        Number of draws of an interval.
    n_jobs : int, default=None
        Number of joblib jobs of a cross-validation.
    progress : bool, default=False
        Whether to show a progress bar of a cross-validation; needs tqdm.
    random_state : int, RandomState, Generator or None, default=0
        Source of randomness. With None, each call draws anew.

    Raises
    ------
    ValueError
        If not exactly one rule is given, if a depth or a profit is to be guaranteed, or
        if a setting is outside its range.

    See Also
    --------
    ThresholdChoiceResult : Result of the choice.
    expected_profit, recall_at_precision : Values on the labels themselves.
    sklearn.model_selection.FixedThresholdClassifier : Classifies new items.

    Notes
    -----
    Thresholds are scores of targets, as in :func:`operating_points`; to look at no item
    or at all items are choices, too. The profit of t items with h targets is ``benefit
    * h - cost * t``. The items are divided at random into 10 folds, 20 times. The
    threshold is chosen without each fold, and the hits and the other items that it
    retrieves from the fold are counted [1]_. For a profit, these numbers are expected
    of other items. For a recall or a precision, they are compared with those of the
    other folds, and the difference is subtracted from the value on these data.
    Intervals follow from the limits of two shares, of the targets and of the
    non-targets retrieved, by the prior of Jeffreys [2]_. The limits are those of the
    numbers expected and of the numbers on these data, whichever are further apart. The
    intervals of `threshold` and `t` are of other samples, from populations that are
    drawn by the Bayesian bootstrap [3]_.

    A guaranteed recall is that of a tolerance limit [4]_: it is exact for any scores,
    with ties it holds more often. A guaranteed precision is found by a sequence of
    binomial tests down the ranking [5]_. Both are for items like these and a model that
    was fitted to other items. With `groups`, the mean of their recalls or precisions is
    guaranteed, by a bound for sums of independent values from 0 to 1 [6]_.

    With `groups`, the same depth t is chosen for all groups, such as days, and there is
    no threshold. Whole groups are held out and drawn, and `t` and `profit` are means.
    The folds of a cross-validation are pooled. See :ref:`decisions`, and
    :ref:`validation_decisions` for the measured bias and coverage.

    References
    ----------
    .. [1] Stone (1974), "Cross-validatory choice and assessment of statistical
       predictions", *JRSS B* 36(2), 111-147.
    .. [2] Brown, Cai and DasGupta (2001), "Interval estimation for a binomial
       proportion", *Statistical Science* 16(2), 101-133.
    .. [3] Rubin (1981), "The Bayesian bootstrap", *Annals of Statistics* 9(1), 130-134.
    .. [4] Wilks (1941), "Determination of sample sizes for setting tolerance limits",
       *Annals of Mathematical Statistics* 12(1), 91-96.
    .. [5] Angelopoulos, Bates, Candes, Jordan and Lei (2021), "Learn then test",
       arXiv:2110.01052.
    .. [6] Bentkus (2004), *Annals of Probability* 32, 1650-1673.

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
        "n_missed": "other samples would miss other targets",
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
        n_resamples: int = 9999,
        n_jobs: int | None = None,
        progress: bool = False,
        random_state: object = 0,
    ) -> None:
        rules = {"t": t, "recall": recall, "precision": precision}
        given = [name for name, value in rules.items() if value is not None]
        if len(given) > 1 or not (given or benefit is not None):
            rule = "be given alone, or else `benefit` and `cost`"
            raise invalid(
                "t`, `recall` or `precision", rule, ", ".join(given) or "none"
            )
        if (benefit is None) != (cost is None):
            raise invalid(
                "cost", "be given with `benefit`", f"{brief(benefit)} and {cost}"
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
            if self.recall is self.precision is None:
                rule = "be left out, or given with `recall` or `precision`"
                raise invalid("guarantee", rule, brief(guarantee))
            if 1 in (self.recall, self.precision):
                raise invalid(given[0], "be below 1 with a guarantee", "1")
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
            The threshold or the depth, with what to expect of it on other items. If no
            threshold meets the rule, no item is looked at, and if there are too few
            targets to guarantee a recall, all items are, with a warning.

        Raises
        ------
        ValueError
            If there are several models, if a class is absent, if there are fewer than 5
            targets (2 if t is given) or 2 groups, if items were only counted, or if
            something is to be guaranteed for folds.
        """
        rankings = Rankings.from_rankings(rankings)
        asked = self._asked(rankings)
        if self.guarantee is not None and asked.kind == "folds":
            rule = "be of one model, and of items that it was not fitted to"
            got = f"a guarantee for the models of {len(set(asked.folds))} folds"
            advice = "Fit the model to some items, and rank others by `from_estimator`."
            raise invalid("rankings", rule, got, advice)
        amounts = self._amounts(rankings, asked)
        if asked.grouped:
            found = self._for_days(asked.single, amounts, self._generator())
        else:
            found = self._for_items(asked.single, self._generator())
        if found["t"] == 0 and self.guarantee is None:
            what = "profit" if self.precision is None else "precision of "
            least = "" if self.precision is None else f"{self.precision:g}"
            warn(
                f"No threshold has a {what}{least}: no item is looked at.", UserWarning
            )
        rules = found["_rules"]
        names = ("recall", "precision", "profit")
        (model,) = asked.models
        score = "the given scores" if model.output is None else model.output.name
        if model.lower_is_better:
            score = f"minus {score}"
        if asked.grouped:
            score += "; a depth t of each ranking, no threshold"
        return ThresholdChoiceResult(
            method="cross_validation",
            **{name: rules[name].estimate for name in names},
            **found,
            score=score,
            _pos_label=asked.pos_label,
            _output=model.output,
            _promised=None if self.guarantee is None else (self._name, self.guarantee),
            **self._fields(asked) | {"metric": self._described(asked.grouped)},
        )

    def _metric(self) -> AnyMetric:
        """Return a metric that is defined for days without targets."""
        return ExpectedProfit(t=1.0)

    @property
    def _name(self) -> str:
        """The one of two quantities that is chosen or promised."""
        return "precision" if self.recall is None else "recall"

    def _described(self, grouped: bool) -> str:
        """Return the rule in words."""
        mean = promise = ""
        if self.guarantee is not None:
            mean = "mean " if grouped else ""
            promise = f" or more, with probability {self.guarantee:g}"
        least = getattr(self, self._name)
        if least is not None:
            return f"{mean}{self._name} {least:g}{promise}"
        if self.t is not None:
            return f"t = {self.t:g}"
        benefit = "of each item" if self._has_amounts else number(self.benefit, 6)
        cost = number(self.cost or 0.0, 6)
        return f"the largest profit (benefit {benefit}, cost {cost})"

    @property
    def _has_amounts(self) -> bool:
        """Whether each item has its own benefit."""
        return is_column(self.benefit)

    def _amounts(self, rankings: Rankings, asked: Rankings) -> list[Floats] | None:
        """Return the benefits of the items of each group; None if there is one."""
        if not self._has_amounts:
            return None
        if asked.kind != "groups" or not asked.items:
            rule = "be a number for items that are not in `groups`"
            raise invalid("benefit", rule, "an array")
        n_samples = sum(items.size for items in rankings.items)
        every = rankings.of_items or Items(n_samples)
        amounts = every.read("benefit", self.benefit, as_amounts)
        return [amounts[items] for items in asked.items]

    def _choose(self, hits: Any, items: Any, n_targets: Any) -> Any:
        """Return the index of the first best choice along the last axis."""
        if self.recall is not None:
            enough = hits >= self._hits_needed(n_targets)
            found = np.argmax(enough, axis=-1)
            return np.where(enough.any(axis=-1), found, hits.shape[-1] - 1)
        if self.precision is None:
            return np.argmax(self._profit(hits, items), axis=-1)
        if self.guarantee is not None:
            return deepest_promise(hits, items, self.precision, self._doubt)
        kept = hits >= self.precision * items * (1 - ROUNDING)
        return np.argmax(np.where(kept, hits, -1.0), axis=-1)

    def _hits_needed(self, n_targets: Any) -> Any:
        """Return how many targets are to be found, above all of them if that fails."""
        recall: Any = self.recall
        if self.guarantee is None:
            return recall * n_targets * (1 - ROUNDING)
        return hits_needed(n_targets, recall, self._doubt)

    @property
    def _doubt(self) -> float:
        """Probability with which a guarantee may be missed."""
        return 1 - (self.guarantee or 0.0)

    def _profit(self, hits: Any, items: Any) -> Any:
        """Return the profit; NaN without a benefit. Hits may be sums of benefits."""
        if self.benefit is None:
            return math.nan * hits
        gained = hits if self._has_amounts else self.benefit * hits
        return gained - self.cost * items

    def _for_items(
        self, rankings: list[Ranking], rng: np.random.Generator
    ) -> dict[str, Any]:
        """Choose a threshold on the score for all items."""
        ranking = _pooled(rankings)
        # An item of a fold counts less, since a model of all items has other scores
        # than those of the folds. By benchmarks/thresholds.py: with 1, intervals of t
        # hold .80 of the numbers for trees; with half of it, they are 1.4 times as
        # wide.
        weight = 1.0 if len(rankings) == 1 else 0.4
        m, n = int(ranking.n_targets), int(ranking.n_samples)
        # with half as many and a recall of .5, the estimate is always 0, the truth .3
        least = 5 if self.t is None else 2
        if m < least:
            raise invalid("y_true", f"hold {least} targets or more", str(m))
        optimism = held = np.zeros(2)
        if self.t is None:
            points = Points.of(ranking)
            at = int(self._choose(points.hits, points.items, m))
            threshold, t, hits = points.at(at)
            if self.recall is not None and hits < self._hits_needed(m):
                self._warn_of_few(m, "targets")
            if self.guarantee is not None and t == 0:
                precision: Any = self.precision
                shown = points.hits, points.items, precision, self._doubt
                self._warn_of_none(other_promise(*shown))
            tried = points.thinned()
            held, optimism = self._held_out(tried, rng)
            drawn = [
                self._choose(*tried.of_others(rng, size, weight), m)
                for size in _sizes(self.n_resamples)
            ]
            lows, highs = tried.beside(np.concatenate(drawn))
        else:
            depth = int(check_depth("t", self.t, n))
            t = ranking.group_end(depth)
            if t > depth:
                said = f"The tie at the threshold is inspected whole: {t:g} items"
                warn(f"{said}, not {depth}.", UserWarning)
            scores = ranking.items.y_score
            threshold = float(level_at(scores, depth)) if t < n else -math.inf
            hits = float(hits_at(ranking, t))
            # the place, in these data, of the item at this depth of another sample
            share = rng.beta(depth, n - depth + 1, size=self.n_resamples)
            place = rng.binomial(n, share)
            edges = np.concatenate([[-np.inf], np.sort(scores), [np.inf]])
            lows, highs = edges[n - place], edges[n - place + 1]
        rules: dict[str, ChoiceRule | PromisedRule] = {
            "threshold": DrawnRule(threshold, lows, highs)
        }
        here = np.array([hits, t - hits])
        if t in (0, n):
            rules |= self._rules_of_all(here)
        else:
            found = np.clip(here - optimism, 0, [m, n - m])
            rules |= self._rules_of_shares(found, here, (m, n - m), rng, weight)
            if self.t is self.recall is self.precision is None:
                of_held = self._rules_of_shares(held, here, (m, n - m), rng, weight)
                rules["profit"] = of_held["profit"]
            if self.guarantee is not None:
                least_share: Any = self.precision
                limit: Any = partial(precision_promised, least_share, hits, t)
                if self.recall is not None:
                    limit = partial(recall_shown, self._hits_needed(m), m)
                estimate = rules[self._name].estimate
                rules[self._name] = PromisedRule(estimate, limit)
        apparent = self._apparent(hits, t, m)
        return {"threshold": threshold, "t": int(t), **apparent, "_rules": rules}

    def _warn_of_few(self, number: int, units: str) -> None:
        """Warn that so few units cannot show a recall."""
        recall: Any = self.recall
        least = targets_needed(recall, self._doubt)
        said = f"The guarantee needs {least} {units} or more, and got {number}"
        warn(f"{said}: all items are looked at.", UserWarning)

    def _warn_of_none(self, others: str) -> None:
        """Warn that a precision cannot be promised, and tell of other promises."""
        said = f"A precision of {self.precision:g} cannot be promised with probability"
        warn(f"{said} {self.guarantee:g}: no item is looked at. {others}", UserWarning)

    def _held_out(
        self, points: Points, rng: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """Hits and non-targets in the folds, by choices without each fold.

        The second result is by how much there are fewer than in the other folds, which
        chose.
        """
        m, n_cells = int(points.n_targets), points.each_hits.size
        n_folds = min(_FOLDS, m)
        cells = np.repeat(np.arange(n_cells), points.each_hits)
        held, others = np.zeros(2), np.zeros(2)
        for _ in range(_DIVISIONS):
            fold = rng.permutation(np.arange(m) % n_folds)
            kept = np.bincount(fold * n_cells + cells, minlength=n_folds * n_cells)
            shares = np.full(n_folds, 1 / n_folds)
            other = rng.multinomial(points.each_others, shares).T
            h, o = cumulative(kept.reshape(n_folds, n_cells)), cumulative(other)
            train_h, train_o = h.sum(axis=0) - h, o.sum(axis=0) - o
            targets = train_h[:, -1:]
            chosen = self._choose(train_h, train_h + train_o, targets)[:, None]
            for total, counts in ((held, (h, o)), (others, (train_h, train_o))):
                found = [np.take_along_axis(one, chosen, axis=1) for one in counts]
                total += np.sum(found, axis=(1, 2)) / _DIVISIONS
        return held, others / (n_folds - 1) - held

    def _rules_of_shares(
        self,
        found: Floats,
        here: Floats,
        sizes: tuple[int, int],
        rng: np.random.Generator,
        weight: float,
    ) -> dict[str, ChoiceRule]:
        """Draw the shares of both classes above the threshold.

        The lower limits are those of the smaller of what is found here and of what is
        expected elsewhere, and the upper ones of the larger.
        """

        def draw(size: float, one: float, side: float) -> Floats:
            hits, misses = weight * one + side, weight * (size - one) + 1 - side
            share = rng.beta(max(hits, _ZERO), max(misses, _ZERO), self.n_resamples)
            return size * share

        n, ends = sum(sizes), []
        for size, one, seen in zip(sizes, found, here, strict=True):
            half = 0.5 * (0 < seen < size)
            lows = draw(size, min(one, seen), half)
            highs = draw(size, max(one, seen), 1 - half)
            ends.append([one, lows, highs])
        (hits, few, many), (others, less, more) = ends
        fewest, most = (
            rng.binomial(n, share / n).astype(float)
            for share in (few + less, many + more)
        )
        profits = self._profit(few, few + more), self._profit(many, many + less)
        return {
            "t": DrawnRule(here.sum(), fewest, most),
            "recall": DrawnRule(hits / sizes[0], few / sizes[0], many / sizes[0]),
            "precision": DrawnRule(
                _share(hits, max(others, _ZERO)), _share(few, more), _share(many, less)
            ),
            "profit": DrawnRule(self._profit(hits, hits + others), *profits),
        }

    def _rules_of_all(self, here: Floats) -> dict[str, ChoiceRule]:
        """Return what no other items can change: none or all of them are looked at."""
        hits, t = here[0], here.sum()
        values = {"t": t, "recall": float(t > 0), "precision": _share(*here)}
        values["profit"] = self._profit(hits, t)
        return {name: CertainRule(float(one)) for name, one in values.items()}

    def _for_days(
        self,
        rankings: list[Ranking],
        amounts: list[Floats] | None,
        rng: np.random.Generator,
    ) -> dict[str, Any]:
        """Choose a depth for all rankings, such as days."""
        n_days, sizes = len(rankings), np.array([one.n_samples for one in rankings])
        targets = np.array([float(one.n_targets) for one in rankings])
        if n_days < 2:
            raise invalid("groups", "make two rankings or more", str(n_days))
        # with half as many, intervals of t hold .82 to .92, by benchmarks/thresholds.py
        if n_days < 10:
            said = f"{n_days} rankings are few: with 5, intervals for 95 % held"
            what = "82 to 92 % of the depths and 95 to 100 % of the other values"
            warn(f"{said} {what} in simulations.", UserWarning)
        depths = np.arange(sizes.max() + 1)
        if sizes.max() > 2048:  # not all depths are tried
            depths = np.append(0, spread_counts(int(sizes.max())))
        if self.t is not None:  # a single choice, which may be a share of each
            whole = check_depth("t", self.t, sizes, beyond=True)
            items = np.minimum(whole, sizes).astype(float)[:, None]
        else:
            items = np.minimum(depths, sizes[:, None]).astype(float)
        hits = np.stack([hits_at(*one) for one in zip(rankings, items, strict=True)])
        worth = hits  # or the sum of the benefits of the hits
        if amounts is not None:
            each_day = zip(rankings, amounts, items, strict=True)
            worth = np.stack([_worth_at(*one) for one in each_day])
        # a recall or a precision is chosen by the hits, a profit by their worth, and a
        # promise by the recalls or precisions of the days
        gains = worth if self.recall is self.precision is None else hits
        units = targets
        if self.guarantee is not None:
            units = targets > 0 if self.recall is not None else np.ones(n_days)
            of_day = targets[:, None] if self.recall is not None else items
            gains = hits / np.maximum(of_day, 1)
        m, looked, n_units = targets.sum(), items.sum(axis=0), units.sum()
        at = int(self._choose_depth(gains.sum(axis=0), looked, n_units))
        t = depths[at] if self.t is None else looked[at] / n_days
        found = self._held_out_days(gains, worth, hits, items, units, rng)
        held, gained, h, o = found
        # days with few targets tell little about them
        df = max(1.0, m**2 / np.sum(targets**2) - 1)
        each = [self._rules_of_days(gained, h, o, targets, df)]
        if self.t is None:
            gained, h, o = worth[:, at], hits[:, at], items[:, at]
            each.append(self._rules_of_days(gained, h, o, targets, df))
        rules: dict[str, Any] = {
            name: WidestRule([one[name] for one in each]) for name in each[0]
        }
        if t == 0:
            rules = self._rules_of_all(np.zeros(2))
        elif targets.max() == m:
            warn("The recall is undefined: one of the rankings has all targets.")
        # other samples of as many days
        drawn = [
            depths[self._choose_depth(w @ gains, w @ items, (w @ units)[:, None])]
            for size in _sizes(self.n_resamples)
            for w in [other_sample(rng, np.ones(n_days), size)]
        ]
        apparent = self._apparent(float(hits[:, at].sum()), float(looked[at]), float(m))
        if self.guarantee is not None:
            sums = gains.sum(axis=0)
            apparent[f"apparent_{self._name}"] = float(sums[at] / n_units)
            rules |= self._promise_of_days(sums, depths, at, int(n_units), held.sum())
        of_depth = DrawnDepthRule(float(t), np.concatenate(drawn), sizes.max())
        rules["t"] = of_depth if self.t is None else CertainRule(float(t))
        profit = self._profit(worth[:, at].sum(), looked[at])
        apparent["apparent_profit"] = float(profit) / n_days
        return {"threshold": math.nan, "t": t.item(), **apparent, "_rules": rules}

    def _promise_of_days(
        self, sums: Floats, depths: NDArray[Any], at: int, n_days: int, held: float
    ) -> dict[str, PromisedRule]:
        """Return the promised mean over days, or nothing if it is certain or missed."""
        least: Any = getattr(self, self._name)
        if self.recall is not None:
            needed = float(sums_needed(n_days, least, self._doubt))
            limit: Any = partial(mean_shown, needed, n_days)
            if sums[at] < needed:
                self._warn_of_few(n_days, "groups with targets")
                return {}
        else:
            limit = partial(mean_precision_promised, least, sums[at], n_days)
            if at == 0:
                shown = sums, depths, n_days, least, self._doubt
                self._warn_of_none(other_promise_of_days(*shown))
                return {}
        return {self._name: PromisedRule(float(held) / n_days, limit)}

    def _rules_of_days(
        self, worth: Floats, hits: Floats, items: Floats, targets: Floats, df: float
    ) -> dict[str, CertainRule | StudentRule]:
        """Return what is expected of other days by the hits and items of each."""
        profit, days = self._profit(worth, items), np.ones(targets.size)
        return {
            "recall": _ratio_rule(hits, targets, df, 0.0, 1.0),
            "precision": _ratio_rule(hits, items, df, 0.0, 1.0),
            "profit": _ratio_rule(profit, days, df, -math.inf, math.inf),
        }

    def _held_out_days(
        self,
        gains: Floats,
        worth: Floats,
        hits: Floats,
        items: Floats,
        units: Floats,
        rng: np.random.Generator,
    ) -> Floats:
        """Gains, worth, hits and items of each at the depth chosen without its fold.

        They are means over the divisions into folds.
        """
        n_days = units.size
        found = np.zeros((4, n_days))
        for _ in range(_DIVISIONS):
            fold = rng.permutation(np.arange(n_days) % _FOLDS)
            inside = fold == np.arange(min(_FOLDS, n_days))[:, None]
            others = (~inside).astype(float)
            train = others @ gains, others @ items, (others @ units)[:, None]
            chosen = np.arange(n_days), self._choose_depth(*train)[fold]
            found += np.stack([one[chosen] for one in (gains, worth, hits, items)])
        return found / _DIVISIONS

    def _choose_depth(self, hits: Any, items: Any, n_targets: Any) -> Any:
        """Return the index of the depth; the only one there is for a given t.

        For a promise, `hits` are sums of recalls or precisions of so many days.
        """
        if self.t is not None:
            return np.zeros(np.shape(hits)[:-1], dtype=np.intp)
        if self.guarantee is not None and self.recall is not None:
            return depth_of_mean_recall(hits, n_targets, self.recall, self._doubt)
        if self.guarantee is not None:
            precision: Any = self.precision
            return depth_of_mean_precision(hits, n_targets, precision, self._doubt)
        return self._choose(hits, items, n_targets)

    def _apparent(self, hits: float, t: float, n_targets: float) -> dict[str, float]:
        """Return the values on the labels with which the choice was made."""
        return {
            "apparent_recall": hits / n_targets,
            "apparent_precision": hits / t if t else math.nan,
            "apparent_profit": float(self._profit(hits, t)),
        }


def _worth_at(ranking: Ranking, amounts: Floats, depths: Floats) -> Floats:
    """Sum of the benefits of the targets above each depth; a tie counts in part."""
    targets, above = ranking.items.targets, items_above(ranking.items.y_score)
    size = np.bincount(above)[above][targets]
    within = np.clip(depths[:, None] - above[targets], 0, size) / size
    return within @ amounts[targets]  # type: ignore[no-any-return]


def _sizes(total: int) -> list[int]:
    """Sizes of the parts in which draws are made."""
    return [min(256, total - start) for start in range(0, total, 256)]


def _pooled(rankings: list[Ranking]) -> Ranking:
    """Return the ranking of the items of all folds."""
    if not all(one.has_items for one in rankings):
        rule = "have the items themselves, whose scores are thresholds"
        raise invalid("y_true", rule, "RankCounts")
    if len(rankings) == 1:
        return rankings[0]
    labels = [np.zeros(one.items.y_score.size, dtype=bool) for one in rankings]
    for each, one in zip(labels, rankings, strict=True):
        each[one.items.targets] = True
    scores = [one.items.y_score for one in rankings]
    return Ranking.from_predictions(np.concatenate(labels), np.concatenate(scores))


def _ratio_rule(
    above: Floats, below: Floats, degrees_of_freedom: float, low: float, high: float
) -> CertainRule | StudentRule:
    """Student's t of a ratio of means over rankings, by its jackknife."""
    n, total = above.size, below.sum()
    if not np.all(below < total):
        return CertainRule(math.nan)
    ratio = above.sum() / total
    without = (above.sum() - above) / (total - below)
    error = math.sqrt((n - 1) / n * np.sum((without - ratio) ** 2))
    return StudentRule(float(ratio), error, degrees_of_freedom, low, high)


def _share(hits: Any, others: Any) -> Any:
    """Share of targets among the items; NaN without items."""
    with np.errstate(invalid="ignore"):
        return np.divide(hits, hits + others)
