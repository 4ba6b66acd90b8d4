"""Estimate of a metric on all items from a sample of the non-targets.

The input is labels and scores with a part of the non-targets. The ranks of the removed
non-targets are unknown. They are drawn, and the metric is computed for the completed
rankings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._utils._checks import (
    check_count,
    check_flag,
    check_fraction,
    check_generator,
)
from skrank._utils._printed import Printed, Shown
from skrank._utils._text import format_size
from skrank._utils._warnings import warn
from skrank.inference._metric_interval_result import ConfidenceInterval
from skrank.inference._variability._score_tail import ScoreTail
from skrank.metrics._definitions import Metric, make_metric
from skrank.metrics._thinned import (
    check_thinning,
    count_non_targets,
    plug_in,
    with_non_targets,
)
from skrank.ranking._input import check_both_classes, check_ranking_input
from skrank.ranking._ranking import Ranking, rank

# Share of the kept non-targets that the tail is fitted to, within these limits. Set by
# benchmarks/thinned_negatives.py; a larger part is not in the tail.
_TAIL, _LEAST, _MOST = 0.1, 50, 500
_FEW = 10  # with fewer kept non-targets above a target, only the tail has information
#: Default number of rankings.
DEPLOYMENT_DRAWS = 2000
_BLOCK = 2**20  # random numbers that are drawn at once

Counts = NDArray[np.intp]


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class DeploymentEstimate(Printed):
    """Result of :func:`deployment_estimate`.

    Attributes
    ----------
    metric : str
        Name of the metric with its cutoff.
    n_samples, n_targets : int
        Number of items in the input, and of targets among them.
    n_non_targets : int
        Number of non-targets for which the metric is estimated.
    prevalence : float
        Share of targets among the targets and these non-targets.
    plug_in : float
        Value with each kept non-target repeated, which is the value by weights. It is
        too high if targets are above most kept non-targets.
    bounds : tuple of float
        Lower and upper bound of the mean value over all ways to remove non-targets,
        given only the order of the kept non-targets. Between two neighbouring kept
        non-targets, all removed non-targets are above, or below, all targets.
    estimate : float
        Estimate of the mean value, from the scores.
    scale : str
        Scale on which the tail of the scores fits best: "raw", "log" or "logit".
        "order" means that the kept non-targets are too few or too tied to have a tail,
        or that none were removed.

    See Also
    --------
    deployment_estimate : Creates this object.

    Examples
    --------
    >>> import numpy as np
    >>> from skrank import deployment_estimate
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.arange(3000) < 60
    >>> y_score = rng.normal(1.0 * y_true)
    >>> result = deployment_estimate(
    ...     y_true, y_score, prevalence=0.005, random_state=0
    ... )
    >>> result.n_non_targets
    11940
    >>> low, high = result.confidence_interval(new_targets=True)
    >>> low < result.estimate < high
    True
    """

    metric: str
    n_samples: int
    n_targets: int
    n_non_targets: int
    prevalence: float
    plug_in: float
    bounds: tuple[float, float]
    estimate: float
    scale: str
    _values: NDArray[np.float64]
    _resampled: NDArray[np.float64]

    def confidence_interval(
        self, confidence_level: float = 0.95, *, new_targets: bool = False
    ) -> ConfidenceInterval:
        """Confidence interval of the value on the whole ranking.

        The limits are quantiles of the drawn values. The interval covers the unknown
        positions of the removed non-targets. With `new_targets` it also covers the
        sampling of the targets.

        Parameters
        ----------
        confidence_level : float, default=0.95
            Probability that the interval contains the value, between 0 and 1.
        new_targets : bool, default=False
            Whether the interval is for the mean over other samples with the same number
            of targets. The targets of each drawn ranking are then drawn with
            replacement.

        Returns
        -------
        interval : ConfidenceInterval
            Lower and upper limit.

        Raises
        ------
        ValueError
            If `confidence_level` is not between 0 and 1, or if `new_targets` is not a
            bool.
        """
        level = check_fraction("confidence_level", confidence_level)
        resampled = check_flag("new_targets", new_targets)
        values = self._resampled if resampled else self._values
        ends = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
        return ConfidenceInterval(*ends.tolist())

    def _shown(self) -> Shown:
        low, high = self.confidence_interval()
        new_low, new_high = self.confidence_interval(new_targets=True)
        least, best = self.bounds
        there = f"prevalence {self.prevalence:.4g}"
        rows = [
            ("ranking", format_size(self.n_samples, self.n_targets)),
            ("non-targets", f"{self.n_non_targets}, {there}"),
            ("plug-in", f"{self.plug_in:.4g}"),
            ("bounds", f"{least:.4g} to {best:.4g}, from the order alone"),
            ("estimate", f"{self.estimate:.4g}, scale: {self.scale}"),
            ("95 % interval", f"{low:.4g} to {high:.4g}, of these targets"),
            ("", f"{new_low:.4g} to {new_high:.4g}, of new targets"),
        ]
        return Shown(f"{self.metric} of all non-targets", rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain numbers and strings.

        Returns
        -------
        fields : dict
            All fields. The bounds are "lower_bound" and "upper_bound". The limits of
            the 95 % interval are "low" and "high", and those with new targets are
            "new_low" and "new_high".
        """
        names = [name for name in self.__slots__ if name[0] != "_"]
        fields = {name: getattr(self, name) for name in names}
        fields["lower_bound"], fields["upper_bound"] = fields.pop("bounds")
        low, high = self.confidence_interval(new_targets=True)
        limits = self.confidence_interval()._asdict()
        return {**fields, **limits, "new_low": low, "new_high": high}


def deployment_estimate(
    y_true: ArrayLike,
    y_score: ArrayLike,
    metric: str | Metric = "average_precision",
    *,
    prevalence: float | None = None,
    negatives_kept: float | None = None,
    ties: str = "expected",
    pos_label: object = None,
    n_resamples: int = DEPLOYMENT_DRAWS,
    random_state: object = None,
) -> DeploymentEstimate:
    """Estimate a metric at another prevalence, such as that of deployment.

    Use this function if a random part of the non-targets was kept, or if the prevalence
    at deployment differs from that of the data. Precision depends on the prevalence,
    and recall does not. Weights of the non-targets give a value that is too high if
    targets are above most kept non-targets.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of the items; both targets and non-targets. All targets are kept.
    y_score : array-like of shape (n_samples,)
        Scores of the items; a higher score means a likelier target.
    metric : str or Metric, default="average_precision"
        Metric by its printed name (:ref:`metric_names`), or an object of
        :func:`make_metric`. A cutoff counts items of the whole ranking.
    prevalence : float, default=None
        Prevalence at which to estimate the metric, between 0 and 1.
    negatives_kept : float, default=None
        Share of the non-targets that were kept, in (0, 1], in place of `prevalence`.
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Tie rule of the metric.
    pos_label : int, float, bool or str, default=None
        Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
    n_resamples : int, default=2000
        Number of rankings that are drawn.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness of the draws.

    Returns
    -------
    result : DeploymentEstimate
        The estimate with bounds, the value by weights, and a method for intervals. A
        warning is given if half of the targets are above all but ten kept non-targets.

    Raises
    ------
    ValueError
        If not exactly one of `prevalence` and `negatives_kept` is given, if a setting
        is outside its range, or if the input is not a ranking of two classes.

    See Also
    --------
    make_metric_scorer : Scorer with weights for the non-targets.

    Notes
    -----
    The number of removed non-targets between two neighbouring kept ones is drawn from
    its exact distribution, in which all divisions are equally likely. The position of a
    target between them is interpolated from the scores. Above the 90 % quantile of the
    kept scores (50 to 500 scores), positions are drawn from a generalised Weibull tail
    [1]_. Its parameters and scale are drawn from their posterior distribution. See
    :ref:`thinned_negatives` for the use and the accuracy.

    There is no tail with fewer than 100 kept non-targets, or if fewer than half of the
    tail scores are different. A target is then in the middle between its neighbours, or
    spread evenly above all kept non-targets. If a higher prevalence needs fewer
    non-targets than were given, they are drawn from the given ones.

    References
    ----------
    .. [1] de Valk (2016), *Extremes* 19, 661-686.

    Examples
    --------
    >>> import numpy as np
    >>> from skrank import average_precision, deployment_estimate
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.arange(100_000) < 100
    >>> y_score = rng.normal(1.5 * y_true)
    >>> kept = y_true | (rng.random(y_true.size) < 0.05)
    >>> y_kept, score_kept = y_true[kept], y_score[kept]
    >>> result = deployment_estimate(
    ...     y_kept, score_kept, negatives_kept=0.05, random_state=0
    ... )
    >>> whole = average_precision(y_true, y_score)
    >>> print(f"{result.estimate:.4f}, on all items {whole:.4f}")
    0.0154, on all items 0.0181
    """
    made = make_metric(metric, ties)
    thinning = check_thinning(prevalence, negatives_kept)
    n_draws = check_count("n_resamples", n_resamples, least=2)
    rng = check_generator(random_state)
    data = check_ranking_input(y_true, y_score, pos_label=pos_label)
    check_both_classes(data.targets.size, data.y_score.size)
    (result,) = deployment_of(rank(data), [made], thinning, n_draws, rng)
    return result


def deployment_of(
    ranking: Ranking,
    metrics: Sequence[Metric],
    thinning: tuple[float | None, float | None],
    n_draws: int,
    rng: np.random.Generator,
) -> list[DeploymentEstimate]:
    """Estimate several metrics of the same drawn rankings.

    Parameters
    ----------
    ranking : Ranking
        Ranking with its items, of both classes.
    metrics : sequence of Metric
        The metrics.
    thinning : tuple of float or None
        Prevalence and share of kept non-targets, one of them None.
    n_draws : int
        Number of rankings that are drawn.
    rng : Generator
        Source of randomness.

    Returns
    -------
    results : list of DeploymentEstimate
        One for each metric.
    """
    m, n_kept = int(ranking.n_targets), int(ranking.n_non_targets)
    total = count_non_targets(m, n_kept, *thinning)
    scores = np.delete(ranking.items.y_score, ranking.items.targets)
    gaps = _Gaps(ranking, scores, total)
    gaps.warn_of_tail()
    size = max(1, _BLOCK // gaps.kept.size)
    drawn = [
        [
            [[made.value(one) for made in metrics] for one in rankings]
            for rankings in gaps.draw(part, rng)
        ]
        for part in np.diff([*range(0, n_draws, size), n_draws])
    ]
    values = np.concatenate(drawn, axis=1)
    results = []
    for i, made in enumerate(metrics):
        # without removed non-targets, the order determines the value
        likely, resampled, *extreme = values[..., i]
        means = [float(one.mean()) for one in (extreme or [likely])]
        results.append(
            DeploymentEstimate(
                metric=made.name,
                n_samples=m + n_kept,
                n_targets=m,
                n_non_targets=total,
                prevalence=m / (m + total),
                plug_in=made.value(plug_in(ranking, total)),
                bounds=(min(means), max(means)),
                estimate=float(likely.mean()),
                scale=gaps.tail.scale if gaps.tail else "order",
                _values=likely,
                _resampled=resampled,
            )
        )
    return results


class _Gaps:
    """Possible positions of removed non-targets among the groups with targets.

    F kept non-targets have F + 1 gaps, numbered from the top. The place of a score is
    the number of gaps above it. Each group begins at one place and ends at another.
    """

    def __init__(self, ranking: Ranking, scores: NDArray[Any], total: int) -> None:
        groups = self.groups = ranking.groups
        self.levels = ranking.levels.astype(float)
        self.total, self.n_kept = total, scores.size
        above = groups.above - groups.hits_above
        tied = groups.size - groups.hits
        ends = np.stack([above, above + tied], axis=1).ravel()
        #: Kept non-targets above the first group, in it, between it and the second, ...
        self.kept = np.diff(ends, prepend=0, append=self.n_kept)
        # in a gap with targets, all removed non-targets are below them, or above
        self.highest, self.lowest = ends.astype(float), ends + 1.0
        # in the middle of the gap; targets above all kept ones divide the first
        in_first = np.cumsum((above == 0) & (tied == 0))
        begin = above + np.where(above == 0, in_first / (in_first[-1] + 1), 0.5)
        scores = np.sort(scores)[::-1].astype(float)
        self.tail = self._fit(scores)
        self.n_beyond = 0  # scores of targets in the tail
        if self.tail is not None:
            self.n_beyond = int(np.count_nonzero(self.levels > self.tail.u))
            # between two kept ones, interpolated by the scores
            place = np.interp(-self.levels, -scores, np.arange(1.0, scores.size + 1))
            begin = np.where(tied > 0, begin, place)
        end = np.where(tied > 0, above + tied + 0.5, begin)
        self.middle = np.stack([begin, end], axis=1).ravel()

    def _fit(self, scores: NDArray[np.float64]) -> ScoreTail | None:
        """Fit the tail of the kept non-targets, if there are enough without ties."""
        if not self.total > self.n_kept >= 2 * _LEAST:
            return None
        k = round(min(max(_TAIL * self.n_kept, _LEAST), _MOST))
        beyond = scores[scores > scores[k]]
        if np.unique(beyond).size <= k / 2:
            return None
        return ScoreTail(beyond, scores[k], beyond.size / self.n_kept)

    def warn_of_tail(self) -> None:
        """Warn if few kept non-targets are above half of the targets."""
        above = np.repeat(self.highest[::2], self.groups.hits)
        if self.total > self.n_kept and np.median(above) < _FEW:
            model = "the tail of their scores" if self.tail else "their order alone"
            msg = (
                f"Fewer than {_FEW} non-targets stand above half of the targets: the "
                f"estimate rests on {model}. See its bounds."
            )
            warn(msg, UserWarning)

    def draw(self, n_draws: int, rng: np.random.Generator) -> Iterator[list[Ranking]]:
        """Draw complete rankings: with these targets, with new ones, and extreme ones.

        The last two have the worst and the best places, if non-targets were removed.
        """
        hits, m = self.groups.hits, self.groups.hits.sum()
        extreme = []
        if self.total < self.n_kept:
            counts = rng.multivariate_hypergeometric(
                self.kept, self.total, n_draws, method="marginals"
            )
        else:
            places = (self.lowest, self.highest)
            shares = [self._shares(place, n_draws, rng) for place in places]
            shares.append(self._likely_shares(n_draws, rng))
            *extreme, counts = [self._filled(share, rng) for share in shares]
        given = np.tile(hits, (n_draws, 1))
        yield self._rankings(counts, given)
        yield self._rankings(counts, rng.multinomial(m, hits / m, size=n_draws))
        yield from (self._rankings(one, given) for one in extreme)

    def _filled(self, shares: NDArray[np.float64], rng: np.random.Generator) -> Counts:
        """Draw the numbers of non-targets from the shares of the removed ones."""
        chance = np.clip(np.diff(shares, prepend=0.0, append=1.0, axis=1), 0, 1)
        chance /= chance.sum(axis=1, keepdims=True)  # rounding errors of the sum
        removed: Counts = rng.multinomial(self.total - self.n_kept, chance)
        return self.kept + removed

    def _shares(
        self, places: NDArray[np.float64], n_draws: int, rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Draw the shares of the removed non-targets above the places.

        All divisions of R items into F + 1 gaps are equally likely if the shares have a
        Dirichlet distribution, which is drawn by gamma variates, and the items are then
        drawn by shares.
        """
        width = np.diff(places, prepend=0.0, append=self.n_kept + 1.0)
        sums = rng.gamma(width, size=(n_draws, width.size)).cumsum(axis=1)
        shares: NDArray[np.float64] = sums[:, :-1] / sums[:, -1:]
        return shares

    def _likely_shares(
        self, n_draws: int, rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Draw the shares above likely places, in the tail from its distribution."""
        if self.tail is None:
            return self._shares(self.middle, n_draws, rng)
        first = self.tail.n_exceeding + 1.0  # the place where the tail ends
        rest = np.maximum(self.middle[2 * self.n_beyond :], first)
        shares = self._shares(np.append(first, rest), n_draws, rng)
        drawn = self.tail.draw(self.levels[: self.n_beyond], n_draws, rng)
        in_tail = shares[:, :1] * np.repeat(drawn, 2, axis=1)
        return np.concatenate([in_tail, shares[:, 1:]], axis=1)

    def _rankings(self, counts: Counts, hits: Counts) -> list[Ranking]:
        """Return rankings from the numbers of non-targets above, in and between groups.

        `hits` are the numbers of targets in the groups, in one row for each ranking.
        """
        ends, rankings = counts.cumsum(axis=1), []
        for above, through, held in zip(
            ends[:, :-1:2], ends[:, 1::2], hits, strict=True
        ):
            there = held > 0
            hits_above = (held.cumsum() - held)[there]
            rankings.append(
                with_non_targets(
                    hits_above,
                    held[there],
                    self.levels[there],
                    above[there],
                    through[there],
                    self.total,
                )
            )
        return rankings
