"""Monitor of the rankings of days, which may be looked at on every day."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._utils._checks import (
    check_fraction,
    check_option,
    check_random_state,
    invalid,
    is_real,
)
from skrank._utils._text import as_text, brief, listed
from skrank._utils._warnings import warn
from skrank.inference.base._question import Question
from skrank.inference.monitor._monitor_evidence import (
    LOG_NO_EVIDENCE,
    Floats,
    accumulated,
    are_alike,
    are_apart,
    evidence_of_loss,
    evidence_of_places,
    evidence_of_pvalue,
    log_mean_evidence,
    unspent,
)
from skrank.inference.monitor._monitor_result import ALIKE, APART, RankingMonitorResult
from skrank.inference.monitor._monitor_state import (
    OF_DAYS,
    OF_VALUES,
    check_state,
    day_text,
    in_order,
    is_before,
)
from skrank.inference.random_selection._random_selection import RandomSelectionTest
from skrank.metrics._definitions import (
    AnyMetric,
    ExpectedProfit,
    PrecisionAtT,
    RecallAtT,
    make_metric,
)
from skrank.null._grid import tails_of_shape
from skrank.ranking._ranking import Ranking
from skrank.ranking._rankings import Part, Rankings

CHANCE = "random selection"
# Share of the range of a metric, from its least value, below which a reference is too
# close to it: a day can multiply the evidence by at most 1 / (1 - share). With half of
# it, a loss of all precision is found after 140 days.
_LEAST = 0.1
_NEW = "contain only new days, each in one spelling"


class RankingMonitor(Question[RankingMonitorResult]):
    """Monitor a model day after day; for a single test use RandomSelectionTest.

    You can inspect the result after each day, and stop at any time: the probability
    that a false alarm ever occurs is at most the significance level. Repeating a test
    every day does not control this probability.

    Parameters
    ----------
    metric : str or Metric, default=None
        Metric by its printed name, such as "recall@20", or an object made by
        :func:`make_metric`, which has its own tie rule. None uses the ranks of all
        targets, which needs the fewest days against random selection.
    reference : "random selection", float or str, default="random selection"
        Meaning of an alarm. With "random selection": the rankings are better than
        random selection. With a number: the mean of the metric fell below it. With the
        name of a model: the other model is better.
    ties : {"expected", "together", "optimistic", "pessimistic"}, default="expected"
        Tie rule of the metric.
    bet : {"day", "target"}, default="day"
        Unit of evidence if `reference` is a number: the value of a day, or each target
        of recall@t. "target" needs fewer days, but assumes that the targets of a day
        are independent, given the earlier days.
    significance_level : float, default=0.05
        Largest probability that a false alarm ever occurs, between 0 and 1.
    random_state : int, RandomState, Generator or None, default=0
        Source of randomness of a day's p-value, if it is drawn.

    Raises
    ------
    ValueError
        If a setting is outside its range; if `reference` needs a metric with bounds; if
        `reference` is a precision below 0.1; or if `bet` is "target" and the metric is
        not recall@t or `reference` is not a number.

    See Also
    --------
    RankingMonitorResult : Result, with the day of the alarm.
    RandomSelectionTest : A single test of all days together.

    Notes
    -----
    Each day has an e-value, whose mean is at most 1 under the null hypothesis, given
    the earlier days. The evidence is the product of the e-values, and exceeds ``1 /
    alpha`` with a probability of at most alpha [1]_. It is a likelihood ratio of ranks,
    a function of the p-value of the day [2]_, or a bet on its value [3]_; see
    :ref:`derivations_monitor`.

    If good and bad days come in periods, an alarm can be due to a bad period. A warning
    is issued if the values of neighbouring days are correlated. For random selection,
    items of different days must be independent. The order of the days must not depend
    on their labels. See :ref:`monitor_assumptions`.

    References
    ----------
    .. [1] Ville (1939), *Étude critique de la notion de collectif*, Gauthier-Villars.
    .. [2] Vovk and Wang (2021), *Annals of Statistics* 49, 1736-1754.
    .. [3] Waudby-Smith and Ramdas (2024), *Journal of the Royal Statistical Society B*
       86.

    Examples
    --------
    The model finds half of the frauds of a day among 20 transactions, and loses it on
    day 60:

    >>> import numpy as np
    >>> from skrank import RankingMonitor
    >>> rng = np.random.default_rng(0)
    >>> day = np.repeat(np.arange(100), 500)
    >>> y = rng.random(day.size) < 0.01
    >>> score = rng.normal(np.where(day < 60, 2.0, 0.5) * y)
    >>> monitor = RankingMonitor("recall@20", reference=0.4)
    >>> print(monitor.from_predictions(y, score, groups=day))
    Monitor of recall@20
      100 groups   50000 items, 509 targets (prevalence 0.01018)
      alternative  the mean recall@20 is below 0.4, given the days before
      value        0.3976 on average
      pvalue       0.0055, valid on any day
      alarm        since 91
      method       values of the days, from any day on
    """

    _refuses: ClassVar[dict[str, str]] = {
        "clusters": "its false alarm rate is not proven for dependent items",
        "strata": "the days are its only strata",
        "sample_weight": "the evidence counts whole items",
        "n_missed": "missed targets have no rank",
    }
    _without_labels = "Leave out days whose labels are incomplete, and add them later."
    n_jobs, progress = None, False  # of entrances that fit models

    def __init__(
        self,
        metric: str | AnyMetric | None = None,
        *,
        reference: float | str = CHANCE,
        ties: str = "expected",
        bet: str = "day",
        significance_level: float = 0.05,
        random_state: object = 0,
    ) -> None:
        self.metric: Any = metric
        self.reference: Any = reference
        made = make_metric("average_precision" if metric is None else metric, ties)
        self.ties = made.ties
        self.significance_level = check_fraction(
            "significance_level", significance_level
        )
        self.random_state = check_random_state(random_state)
        check_option("bet", bet, ("day", "target"))
        self.bet = bet
        if bet == "target" and not (is_real(reference) and type(made) is RecallAtT):
            rule = "be 'day' unless `reference` is a number and `metric` is recall@t"
            of = "no metric" if metric is None else made.name
            raise invalid("bet", rule, f"'target' for {of} and {brief(reference)}")
        if reference == CHANCE:
            if metric is not None:
                RandomSelectionTest(made)
            return
        if not (isinstance(reference, str) or is_real(reference)):
            rule = f"be {CHANCE!r}, a number, or the name of a model"
            raise invalid("reference", rule, brief(reference))
        if metric is None:
            rule = f"be named unless `reference` is {CHANCE!r}"
            raise invalid("metric", rule, "None")
        low, high = self._range()
        if not math.isfinite(high - low):
            rule = "have bounds, as recall@t has"
            raise invalid("metric", rule, made.name)
        if not isinstance(reference, str) and not low < reference < high:
            rule = f"be between {low:.4g} and {high:.4g} for {made.name}"
            raise invalid("reference", rule, brief(reference))
        if isinstance(reference, str) or bet == "target":
            return
        if (reference - low) / (high - low) >= _LEAST:
            return
        if isinstance(made, PrecisionAtT):
            rule = f"be at least {_LEAST} for precision"
            advice = (
                f"A loss of {made.name.replace('precision', 'recall')} is detected "
                "sooner."
            )
            raise invalid("reference", rule, brief(reference), advice)
        warn(
            f"A loss of {made.name} from {reference:.4g} is detected late or never, "
            "because one day is weak evidence. Prefer recall at a t with a larger "
            "mean.",
            UserWarning,
        )

    def update(
        self,
        y_true: ArrayLike,
        y_score: Any,
        *,
        group: Any,
        previous: RankingMonitorResult | Mapping[str, Any] | None = None,
        pos_label: object = None,
        lower_is_better: bool = False,
        missing: str = "error",
    ) -> RankingMonitorResult:
        """Return the result after one more day.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels of the items of the day. No label may be missing.
        y_score : array-like of shape (n_samples,), mapping or data frame
            Scores of the items; a higher score means a likelier target. If `reference`
            is a model, pass the scores of both models by name.
        group : int, float, str or date
            Day, as a number, a date or a string. Types and spellings of the same day
            are equivalent; see :ref:`monitor`.
        previous : RankingMonitorResult or dict, default=None
            Result of the earlier days, or its :meth:`~RankingMonitorResult.state`. None
            for the first day.
        pos_label : int, float, bool or str, default=None
            Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
        lower_is_better : bool or sequence of str, default=False
            Whether lower scores mean likelier targets, as for docking energies. A
            sequence of names applies to these models only.
        missing : {"error", "last", "missed"}, default="error"
            How to treat items whose score is NaN, None or NA, such as compounds whose
            docking failed. "error" raises an error. "last" ranks them below all others,
            as one tie. "missed" leaves them out and counts the targets among them as
            `n_missed`.

        Returns
        -------
        result : RankingMonitorResult
            Immutable result for all days so far.

        Raises
        ------
        ValueError
            If the day is missing or was added before, or if `previous` is not an
            unchanged state of a monitor with these settings and models.
        """
        # shared: pos_label lower_is_better missing
        day_text(group, "group")  # refuses what is no day
        given: Any = {"lower_is_better": lower_is_better, "missing": missing}
        ranked = Rankings.from_predictions(
            y_true, y_score, pos_label=pos_label, **given
        )
        row = tuple(replace(one, several=True) for one in ranked.parts[0])
        day = replace(ranked, rows=(Part(row, label=group),))
        return self._result_after(previous, day, "group")

    def from_rankings(self, rankings: Any) -> RankingMonitorResult:
        """Compute the result for the days, in the order of their labels.

        Parameters
        ----------
        rankings : Rankings, Ranking, RankCounts, sequence of them, or mapping
            Rankings of the days. If `reference` is a model, they contain both models.
            The labels of the days must have an order: numbers, dates, or strings of
            numbers or of dates such as "2026-01-31". Pass other days to `update`, one
            after another.

        Returns
        -------
        result : RankingMonitorResult
            Immutable result after the last day.

        Raises
        ------
        ValueError
            If there are no groups, if the rankings contain columns that the monitor
            does not support, if the order of the days is unknown, or if the number of
            models is wrong: one, or two if `reference` is a model.
        """
        return self._result_after(None, rankings)

    def _result_after(
        self,
        before: Any,
        rankings: Any,
        name: str = "groups",
        *,
        missing: NDArray[np.bool_] | None = None,
    ) -> RankingMonitorResult:
        """Return the answer for the days before, and for those of `rankings`.

        If it is told which labels are `missing`, the days may be those of a file that
        holds some of the days before, and some that are not complete.
        """
        rankings = self._read(rankings)
        if rankings.kind != "groups":
            raise invalid("groups", "contain the day of each item", "none")
        models = self._models(rankings)
        settings = self._settings([as_text(rankings.names[i]) for i in models])
        state = self._state(before, settings)
        days = _days(rankings, models, name, state["labels"])
        if missing is not None:
            days = self._new_days(days, state, missing)
        state = self._add_days(state, days, name)
        of_days = {one: tuple(state[one]) for one in OF_DAYS}
        labels, values = of_days["labels"], of_days["values"]
        evidences = of_days["log10_evidences"]
        n_counted = state["n_counted"]
        if not labels:
            rule = "contain at least one day with complete labels"
            advice = "Run it again when the labels of the first day are complete."
            raise invalid(name, rule, "none", advice)
        level = -math.log10(self.significance_level)
        alarms = [one for one, e in zip(labels, evidences, strict=True) if e >= level]
        known = [one for one in values if not math.isnan(one)]
        alike = settings["bounds"] is not None and are_alike(np.array(values))
        sizes = np.array(of_days["n_targets"], dtype=float)
        apart = self.bet == "target" and are_apart(np.array(values), sizes)
        result = RankingMonitorResult(
            metric=self._metric().name,
            method=self._method(),
            n_samples=sum(of_days["n_samples"]),
            n_targets=sum(of_days["n_targets"]),
            kind="groups",
            labels=labels,
            alternative=self._alternative(),
            value=float(np.mean(known)) if known else math.nan,
            pvalue=10.0 ** -max(0.0, *evidences),
            alarm=bool(alarms),
            alarm_group=alarms[0] if alarms else None,
            log10_evidence=evidences[-1],
            values=values,
            log10_evidences=evidences,
            significance_level=self.significance_level,
            _logs=tuple(state["logs"].tolist()),
            _n_counted=n_counted,
            _sizes=(of_days["n_samples"], of_days["n_targets"]),
            _bounds=self._range(),
            _settings=settings,
            _are_alike=alike,
            _are_apart=apart,
        )
        if not n_counted:
            warn(
                "There is no evidence yet, because all days lack targets or "
                "non-targets."
            )
        if alike:
            warn(f"{ALIKE} See the page of the monitor in the guide.", UserWarning)
        if apart:
            warn(APART, UserWarning)
        return result

    def _new_days(
        self, days: list[_Day], state: Mapping[str, Any], missing: NDArray[np.bool_]
    ) -> list[_Day]:
        """Return the days after those of a state, up to the first that lacks a label.

        There is a warning if a day of the state is not as it was, or if a new one is
        before its last.
        """
        before, changed = state["labels"], []
        known = {day: i for i, day in enumerate(before)}
        waits = {one.text for one in days if missing[one.items].any()}
        for one in days:
            if one.text in known:
                old = tuple(state[name][known[one.text]] for name in OF_VALUES)
                now = self._value(one.row), *one.sizes
                is_same = np.allclose(old, now, 0, 1e-9, equal_nan=True)
                if one.text in waits or not is_same:
                    changed.append(one.text)
        if changed:
            warn(
                f"The labels or scores of {listed(changed, 5)} have changed since the "
                "day was added. The monitor keeps the old values. To use the new ones, "
                "start again without the state and pass all days.",
                UserWarning,
            )
        new = [one for one in days if one.text not in known]
        late = [one.text for one in new if before and is_before(one.text, before[-1])]
        if late:
            warn(
                f"Skipped {listed(late, 5)}, before {before[-1]}, the last day of the "
                "state. To use it, start again without the state and pass all days.",
                UserWarning,
            )
        new = [one for one in new if one.text not in late]
        return [*takewhile(lambda one: one.text not in waits, new)]

    def _add_days(
        self, state: Mapping[str, Any], days: list[_Day], name: str
    ) -> dict[str, Any]:
        """Return the entries of a state after more days."""
        of_days = {one: [*state[one]] for one in OF_DAYS}
        logs, n_counted = np.array(state["logs"]), int(state["n_counted"])
        any_start, known = is_real(self.reference), {*state["labels"]}
        for day in days:
            if day.text in known:
                raise invalid(name, _NEW, brief(day.text))
            value = self._value(day.row)
            evidence = None if math.isnan(value) else self._evidence(day.row, value)
            if evidence is not None:
                n_counted += 1
                logs = np.broadcast_to(logs, evidence.shape)
                logs = accumulated(logs, evidence, n_counted, any_start=any_start)
            log = log_mean_evidence(logs)
            if any_start:  # with what later first days would have
                log = float(np.logaddexp(log, math.log(unspent(n_counted))))
            entries = day.text, log / math.log(10), value, *day.sizes
            for one, entry in zip(OF_DAYS, entries, strict=True):
                of_days[one].append(entry)
        return {**state, **of_days, "logs": logs, "n_counted": n_counted}

    def _settings(self, models: list[str]) -> dict[str, Any]:
        """Return what a state must be of, for JSON."""
        if not is_real(self.reference) and self.reference == CHANCE:
            reference, bounds = CHANCE, None
        else:
            reference, bounds = self.reference, [*map(float, self._range())]
        return {
            "metric": None if self.metric is None else self._metric().name,
            "ties": self.ties,
            "bet": self.bet,
            "reference": float(reference) if is_real(reference) else reference,
            "significance_level": self.significance_level,
            "bounds": bounds,
            "models": models,
        }

    def _state(self, before: Any, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return the entries of a state, which is empty before the first day."""
        if before is None:
            start = LOG_NO_EVIDENCE if is_real(self.reference) else 0.0
            return {**{one: [] for one in OF_DAYS}, "logs": [start], "n_counted": 0}
        if isinstance(before, RankingMonitorResult):
            before = before.state()
        state = check_state(before, settings)
        state["values"] = [math.nan if one is None else one for one in state["values"]]
        return state

    def _method(self) -> str:
        """What the evidence is made of, in words."""
        if is_real(self.reference):
            bets = "values" if self.bet == "day" else "targets"
            return f"{bets} of the days, from any day on"
        if self.reference != CHANCE:
            return "differences of the days"
        return "ranks of the targets" if self.metric is None else "p-values of the days"

    def _alternative(self) -> str:
        """What an alarm means, in words."""
        name = self._metric().name + f", ties {self.ties}" * (self.ties != "expected")
        given = "given the days before"
        if self.reference == CHANCE:
            by = f" by {name}" * (self.metric is not None)
            return f"the rankings are better than random selection{by}, {given}"
        if isinstance(self.reference, str):
            return f"the mean of {name} is larger than for {self.reference}, {given}"
        if self.bet == "target":
            top = name.removeprefix("recall@")
            most = f"a probability below {self.reference:.12g}"
            return f"targets are in the top {top} of their day with {most}, {given}"
        return f"the mean {name} is below {self.reference:.12g}, {given}"

    def _models(self, rankings: Rankings) -> list[int]:
        """Return the places of the model and of that which it is compared with."""
        names = [*rankings.names]
        if self.reference == CHANCE or is_real(self.reference):
            if len(names) > 1:
                raise invalid("rankings", "be of one model here", brief(names))
            return [0]
        if len(names) != 2 or self.reference not in names:
            rule = f"be of two models, one of which is {self.reference!r}"
            raise invalid("rankings", rule, brief(names))
        other = names.index(self.reference)
        return [1 - other, other]

    def _value(self, row: list[Ranking]) -> float:
        """Return the value of a day, or the difference of two models."""
        metric: Any = self._metric()
        if not metric.is_defined(row[0].n_targets, row[0].n_non_targets):
            return math.nan
        values = [metric.value(one) for one in row]
        return float(values[0] - sum(values[1:]))

    def _evidence(self, row: list[Ranking], value: float) -> Floats | None:
        """Return the evidence of a day with a value, by setting; None without it."""
        n_targets, n_others = row[0].n_targets, row[0].n_non_targets
        if self.bet == "target":
            metric, ties = self._metric(), row[0].groups
            above = ties.above, ties.size, ties.hits_above
            # of a tie across the cutoff, each target has its share of the places
            found = metric.gain(*above, ties.hits, metric.frame(row[0], n_targets))
            found = (found / ties.hits)[:, None]
            return np.asarray(
                ties.hits @ evidence_of_loss(found, self.reference, self._range()[1])
            )
        if is_real(self.reference):
            return evidence_of_loss(value, self.reference, self._range()[1])
        if len(row) == 2:
            return evidence_of_loss(-value, 0.0, self._range()[1])
        if not (n_targets and n_others):
            return None
        if self.metric is None:
            return evidence_of_places(row[0])
        return evidence_of_pvalue(self._log10_pvalue(row[0], value))

    def _log10_pvalue(self, ranking: Ranking, value: float) -> float:
        """Return the p-value of a day, which days of one shape compute together."""
        metric, m, ties = self._metric(), ranking.n_targets, ranking.items.tie_groups()
        if not ranking.n_missed:
            shape = ties.ends.tobytes(), ties.merged.tobytes(), ranking.several, int(m)
            log_p = tails_of_shape(metric, *shape).log_pvalue(value)
            if log_p is not None:
                return log_p / math.log(10)
        test = RandomSelectionTest(metric, random_state=self.random_state)
        return test.from_rankings(ranking).log10_pvalue

    def _range(self) -> tuple[float, float]:
        """Return the bounds of the values of the days."""
        metric: Any = self._metric()
        low, high = metric.bounds
        if isinstance(metric, ExpectedProfit) and isinstance(metric.t, int):
            low, high = (
                -metric.cost * metric.t,
                metric.t * (metric.benefit - metric.cost),
            )
        if isinstance(self.reference, str) and self.reference != CHANCE:
            return low - high, high - low
        return low, high

    def _metric(self) -> Any:
        return make_metric(
            "average_precision" if self.metric is None else self.metric, self.ties
        )


class _Day(NamedTuple):
    """A day by its text, its ranking by each model, and its items."""

    text: str
    row: list[Ranking]
    items: Any

    @property
    def sizes(self) -> tuple[int, int]:
        """Numbers of items and of targets."""
        return int(self.row[0].n_samples), int(self.row[0].n_targets)


def _days(
    rankings: Rankings, models: Sequence[int], name: str, before: Sequence[str]
) -> list[_Day]:
    """Return the days in their order, after those before."""
    texts = [day_text(one, name) for one in rankings.labels]
    for text, n in Counter(texts).items():
        if n > 1:
            raise invalid(name, _NEW, brief(text))
    rows = [[part.rankings[j] for j in models] for part in rankings.rows]
    return [
        _Day(texts[i], rows[i], rankings.rows[i].items)
        for i in in_order(texts, name, before)
    ]
