"""Confidence band of a hit curve, or of the difference of two hit curves.

The band contains the curve of another sample with the given probability. It is not the
chance band, which belongs to random selection.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.stats import beta, norm
from scipy.stats import t as student

from skrank._utils._checks import check_flag, check_fraction, check_generator, invalid
from skrank._utils._columns import refuse_dask
from skrank._utils._rounding import ROUNDING
from skrank.curves._band import CurveBand
from skrank.curves._depths import chosen_counts, spread_counts
from skrank.inference.variability._clusters import clusters_of_classes, satterthwaite
from skrank.inference.variability._jackknife import share_at_cut
from skrank.inference.variability._sample import is_one_tie, same_order, sample_of
from skrank.ranking._input import check_both_classes
from skrank.ranking._ranking import hits_at
from skrank.ranking._rankings import Rankings
from skrank.ranking._standing import cut_places

Floats = NDArray[np.float64]


def hit_curve_band(
    y_true: ArrayLike | Rankings,
    y_score: Any = None,
    *,
    t: float | Sequence[float] | None = None,
    confidence_level: float = 0.95,
    simultaneous: bool = True,
    pos_label: object = None,
    clusters: ArrayLike | None = None,
    random_state: object = 0,
) -> CurveBand:
    """Confidence band of a hit curve; at one depth use MetricInterval.

    Another sample of the same size from the same population, ranked by the same model,
    has another hit curve. A simultaneous band contains the curve of the population at
    all depths together with the probability `confidence_level`.

    With the scores of two models, the band is for the hits of A minus the hits of B. At
    depths where it excludes 0, one ranking finds more targets than sampling variation
    explains. Both rank the same items, so this band is narrower than the bands of the
    two curves suggest.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or Rankings
        Labels of the items; both targets and non-targets. Rankings of one or two models
        replace labels, scores and clusters.
    y_score : array-like of shape (n_samples,), mapping or DataFrame, default=None
        Scores of the items by a model, or a mapping or two columns with the scores of
        two models, A and B; a higher score means a likelier target.
    t : int, float or sequence of them, default=None
        Depths of the limits: ints are numbers of items, and floats in (0, 1] are
        fractions, rounded up. None uses about 500 depths. A simultaneous band is
        narrower with fewer depths.
    confidence_level : float, default=0.95
        Probability that the band contains the curve or the difference, between 0 and
        1.
    simultaneous : bool, default=True
        Whether the band covers all depths at once. If False, it covers each depth.
    pos_label : int, float, bool or str, default=None
        Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
    clusters : array-like of shape (n_samples,), default=None
        Cluster of each item, such as the patient of an image, if items depend on each
        other. The clusters are then the sampling units.
    random_state : int, RandomState, Generator or None, default=0
        Source of randomness of the simultaneous band, accurate to about 0.5 %.

    Returns
    -------
    band : CurveBand
        Depths in ascending order, with limits of h(t) or of ``h_A(t) - h_B(t)`` that
        are possible for these items. Divide by m for limits of recall. Simultaneous
        limits of h(t) increase with the depth, like h(t). Both limits equal the value
        if it cannot vary: at t = n, if all scores are equal, or if A and B have the
        same order.

    Raises
    ------
    ValueError
        If the input is not a ranking of two classes, if fewer than two clusters contain
        targets or non-targets, or if a setting is outside its range.

    See Also
    --------
    hit_curve : The curve, with its chance band.
    RankingComparison : Test of the difference in one metric.
    MetricInterval : Intervals of recall and precision at one depth.

    Notes
    -----
    The variance of recall is derived in :ref:`derivations` [1]_. It counts at least
    half a hit and half a miss above each depth. The covariance of the recalls at two
    depths is the covariance of their influences. The pointwise limits are Jeffreys
    limits [3]_ for a binomial share with the same variance, and normal limits for a
    difference. The simultaneous band uses the quantile of the largest deviation, as in
    the sup-t band [2]_. With `clusters`, influences are summed within clusters, and the
    limits use Student's t (:ref:`clusters`). See :ref:`validation_bands` for the
    coverage in simulations. Time is O(n log n + n_draws * n_depths**2), with at least
    10,000 draws.

    References
    ----------
    .. [1] Ash and Hughes-Oliver (2022), *Journal of Cheminformatics* 14, article 50.
    .. [2] Montiel Olea and Plagborg-Moller (2019), *J. Appl. Econometrics* 34, 1-17.
    .. [3] Brown, Cai and DasGupta (2001), *Statistical Science* 16, 101-133, section
       4.1.

    Examples
    --------
    >>> import numpy as np
    >>> from skrank import hit_curve_band
    >>> targets = [0, 2, 3, 9, 11, 30, 70, 150, 400, 800]
    >>> y_true = np.isin(np.arange(1000), targets)
    >>> y_score = -np.arange(1000.0)
    >>> band = hit_curve_band(y_true, y_score, t=[10, 100], random_state=0)
    >>> for t, low, high in zip(band.x, band.low, band.high):
    ...     print(f"{low:.1f} to {high:.1f} targets among the top {t}")
    1.4 to 7.2 targets among the top 10
    3.6 to 9.2 targets among the top 100

    >>> rng = np.random.default_rng(0)
    >>> y_true = np.arange(2000) < 100
    >>> a = rng.normal(size=2000) + 2.0 * y_true
    >>> b = rng.normal(size=2000) + 0.5 * y_true
    >>> band = hit_curve_band(y_true, {"A": a, "B": b}, t=[50, 200], random_state=0)
    >>> for t, low, high in zip(band.x, band.low, band.high):
    ...     print(f"top {t}: A finds {low:.0f} to {high:.0f} more targets")
    top 50: A finds 22 to 38 more targets
    top 200: A finds 35 to 63 more targets
    """
    level = check_fraction("confidence_level", confidence_level)
    together = check_flag("simultaneous", simultaneous)
    generator = check_generator(random_state)
    n_errors_of = partial(_n_errors, level, generator if together else None)
    rankings = y_true
    if not isinstance(rankings, Rankings):
        refuse_dask("y_true", y_true)
        refuse_dask("y_score", y_score)
        given: Any = {"pos_label": pos_label, "clusters": clusters}
        rankings = Rankings.from_predictions(y_true, y_score, **given)
    tops = _Tops(rankings, t)
    variances, n_errors = tops.spread(n_errors_of)
    if len(tops.rankings) == 1:
        one_tie = is_one_tie(tops.rankings[0])
        ends = (tops.hits[0],) * 2 if one_tie else (tops.least, tops.most)
        limits = tops.limits(variances, n_errors)
        if together:  # the curve increases, so it is also between these
            low, high = limits
            limits = np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1]
    else:
        a, b = (one.items.y_score for one in tops.rankings)
        most = 0 * tops.most if same_order(a, b) else tops.most - tops.least
        ends = -most, most
        difference, width = tops.hits[0] - tops.hits[1], n_errors * np.sqrt(variances)
        limits = difference - width, difference + width
    low, high = (np.clip(limit, *ends) for limit in limits)
    return CurveBand(tops.depths, low, high, level)


def _n_errors(
    level: float, generator: np.random.Generator | None, covariances: Floats
) -> float:
    """Return the number of standard errors from the center to a limit.

    With a generator, the limits hold at all depths at once.
    """
    if generator is None:
        return float(norm.isf((1 - level) / 2))
    # the critical value has an error of half a percent; with half as many draws, its
    # variance doubles. The maximum over many depths varies less than one deviation.
    draws = min(max(10_000, 2_000_000 // len(covariances)), 200_000)
    return critical_value(covariances, level, draws, generator)


class _Tops:
    """Tops at several depths, of one ranking or two, in samples of m targets.

    With the number of each item's cluster, in samples of as many clusters.
    """

    def __init__(self, rankings: Rankings, t: float | Sequence[float] | None) -> None:
        row, codes = rankings.parts[0], rankings.clusters
        if rankings.kind != "one" or rankings.weighted or rankings.n_missed:
            rule = (
                "contain one ranking for each model, without weights, and without "
                "`n_missed` unless `n_unlisted` is passed"
            )
            raise invalid("rankings", rule, repr(rankings))
        if len(row) > 2 or not all(one.has_items for one in row):
            rule = "be of one or two models, with items in memory"
            raise invalid("rankings", rule, repr(rankings))
        self.n, self.m = rankings.sizes
        check_both_classes(self.m, self.n)
        self.targets = row[0].items.targets
        self.depths = (
            spread_counts(self.n) if t is None else chosen_counts("t", t, self.n)
        )
        self.rankings = row
        self.places = [cut_places(one.items.y_score, self.depths) for one in row]
        self.hits = [hits_at(ranking, self.depths) for ranking in self.rankings]
        # Lambda, the probability that an item at the cutoff is a target
        self.around = [
            share_at_cut(sample_of(ranking), hits)
            for ranking, hits in zip(self.rankings, self.hits, strict=True)
        ]
        self.least = np.maximum(self.m - (self.n - self.depths), 0)
        self.most = np.minimum(self.depths, self.m)
        self.codes = codes
        # targets and non-targets are drawn independently
        self.drawn = self.m, self.n - self.m
        if codes is not None:
            self.drawn = clusters_of_classes(self.rankings[0], codes)

    def spread(self, n_errors_of: Callable[[Floats], float]) -> tuple[Floats, float]:
        """Return variances of the hits, or of their differences, and `n_errors`.

        The variances by clusters are increased, so that limits of the normal
        distribution are those of Student's t (Korn and Graubard 1998).
        """
        if self.codes is not None:
            covariances, freedom = self._of_clusters(self.codes)
            n_errors = n_errors_of(covariances)
            with np.errstate(invalid="ignore"):  # 0 / 0 if nothing varies
                wider = student.isf(norm.sf(n_errors), freedom) / n_errors
            return np.diag(covariances) * np.nan_to_num(wider, nan=1.0) ** 2, n_errors
        covariances = self.covariances(0, 0)
        if len(self.rankings) > 1:
            across = self.covariances(0, 1)
            covariances += self.covariances(1, 1) - across - across.T
            _clear_rounding(covariances, self.depths)
        return np.diag(covariances), n_errors_of(covariances)

    def _of_clusters(self, codes: NDArray[np.intp]) -> tuple[Floats, Floats]:
        """Return covariances of sums over clusters, and their degrees of freedom.

        A cluster with h_c of its m_c targets, and f_c of its g_c non-targets, in the
        top changes the hits by ``(1 - Lambda)(h_c - m_c h / m) - Lambda (f_c - g_c f /
        (n - m))``. The degrees of freedom are those of Satterthwaite, and below the
        number of clusters of a class.
        """
        if min(self.drawn) < 2:
            got = f"{self.drawn[0]} with targets and {self.drawn[1]} with non-targets"
            rule = "contain targets in two clusters or more, and non-targets in two"
            raise invalid("clusters", rule, got)
        others = np.delete(np.arange(self.n), self.targets)
        n_clusters, n_depths = int(codes.max()) + 1, self.depths.size
        terms = []
        for sign, places, hits, around in zip(
            (1, -1), self.places, self.hits, self.around, strict=False
        ):
            shares = _shares(places, self.depths).T
            classes = (
                (self.targets, hits / self.m, sign * (1 - around)),
                (others, (self.depths - hits) / others.size, -sign * around),
            )
            for items, found, weight in classes:
                cells = np.ones(items.size), (codes[items], places[items])
                held = csr_array(cells, shape=(n_clusters, len(shares)))
                terms.append((held, shares - found, weight))
        covariances, fourth = np.zeros((n_depths, n_depths)), np.zeros(n_depths)
        size = max(1, 2**22 // n_depths)  # 32 MB for each table
        for first in range(0, n_clusters, size):
            some = slice(first, first + size)
            totals = sum(held[some] @ moved * weight for held, moved, weight in terms)
            covariances += totals.T @ totals
            fourth += (totals**4).sum(axis=0)
        _clear_rounding(covariances, self.depths)
        squares = np.diag(covariances)
        effective = satterthwaite(squares, fourth, n_clusters)
        covariances *= n_clusters / (n_clusters - 1)
        for i in range(len(self.rankings)):
            covariances[np.diag_indices_from(covariances)] += self._lacking(i)
        return covariances, np.minimum(effective, min(self.drawn) - 1)

    def covariances(self, i: int, j: int) -> Floats:
        """Return covariances of the hits of rankings i and j, at all pairs of depths.

        The samples have the same numbers of targets and of non-targets. With the hits h
        and the non-targets f = t - h above a cutoff, the hits change by (1 - Lambda)
        for each target that moves above it, and by -Lambda for each non-target. The
        covariance is (1 - Lambda_1)(1 - Lambda_2)(h_12 - h_1 h_2 / m) + Lambda_1
        Lambda_2 (f_12 - f_1 f_2 / (n - m)).
        """
        both_hits, both = overlap(
            (self.places[i], self.places[j]), self.targets, self.depths
        )
        others = [self.depths - hits for hits in self.hits]
        of_targets = both_hits - np.outer(self.hits[i], self.hits[j]) / self.m
        of_others = (both - both_hits) - np.outer(others[i], others[j]) / (
            self.n - self.m
        )
        kept = np.outer(1 - self.around[i], 1 - self.around[j])
        found: Floats = kept * of_targets
        found += np.outer(self.around[i], self.around[j]) * of_others
        if i == j:
            found[np.diag_indices_from(found)] += self._lacking(i)
            _clear_rounding(found, self.depths)
        return found

    def limits(self, variances: Floats, n_errors: float) -> tuple[Floats, Floats]:
        """Return limits of the hits at `n_errors` standard errors from the estimate.

        The hits are a share of their largest possible number. The limits are those of
        Jeffreys for a binomial share with as many trials as give the same variance.
        """
        found, room = self.hits[0], np.maximum(self.most - self.least, 1)
        share = (self._kept(0) - self.least) / room
        varies, outside = variances > 0, norm.sf(n_errors)
        trials = share * (1 - share) * room**2 / np.where(varies, variances, 1)
        hits = trials * (found - self.least) / room
        misses = np.maximum(trials - hits, 0)
        null, few = beta(hits + 0.5, misses + 0.5), ROUNDING * (1 + trials)
        low = self.least + room * np.where(hits > few, null.ppf(outside), 0)
        high = self.least + room * np.where(misses > few, null.isf(outside), 1)
        # If no target is below the tie at the cutoff, there may be some in other
        # samples. If each target is above it with the share outside**(1/m), all m are
        # with the probability `outside`. Clusters with targets are counted in place of
        # targets.
        ends = self.rankings[0].items.group_ends(self.depths)
        none_below = hits_at(self.rankings[0], ends) == self.m
        kept = self.least + outside ** (1 / self.drawn[0]) * (found - self.least)
        low = np.where(none_below, np.minimum(low, kept), low)
        return (
            np.where(varies, np.minimum(low, found), found),
            np.where(varies, np.maximum(high, found), found),
        )

    def _kept(self, i: int) -> Floats:
        """Return the hits, at least half a hit from their minimum and maximum.

        Otherwise a top without targets, or with targets only, would have no variance.
        """
        least, most = self.least + 0.5, self.most - 0.5
        kept: Floats = np.clip(self.hits[i], least, np.maximum(least, most))
        return kept

    def _lacking(self, i: int) -> Floats:
        """Return the additional variance of tops nearly without targets or non-targets.

        It is the variance if all targets, or all non-targets, of a cluster were on one
        side.
        """
        m, rest = self.m, self.n - self.m
        size, size_of_rest = m / self.drawn[0], rest / self.drawn[1]

        def variance(hits: Floats) -> Floats:
            others, around = self.depths - hits, self.around[i]
            of_targets: Floats = (1 - around) ** 2 * (hits - hits**2 / m) * size
            of_others = around**2 * (others - others**2 / rest) * size_of_rest
            return of_targets + of_others

        lacking = variance(self._kept(i)) - variance(self.hits[i])
        whole = self.most == self.least  # all targets are found there
        return np.where(whole, 0.0, np.maximum(lacking, 0.0))


def overlap(
    places: tuple[NDArray[np.intp], NDArray[np.intp]],
    targets: NDArray[np.intp],
    depths: NDArray[Any],
) -> tuple[Floats, Floats]:
    """Return the numbers of targets and items in the tops of two rankings; O(n).

    The input is from `cut_places`. Rows are depths in the first ranking, columns depths
    in the second one. A tie that contains a cutoff is divided. The sums take
    O(n_depths**3).
    """
    shares = [_shares(place, depths) for place in places]
    shape = shares[0].shape[1], shares[1].shape[1]
    cells = np.ravel_multi_index(places, shape)
    items, hits = (
        shares[0] @ np.bincount(kept, minlength=shape[0] * shape[1]).reshape(shape)
        for kept in (cells, cells[targets])
    )
    return hits @ shares[1].T, items @ shares[1].T


def _shares(place: NDArray[np.intp], depths: NDArray[Any]) -> Floats:
    """Return the share of the items of each place in the top of each depth, a row."""
    size = np.bincount(place, minlength=2 * depths.size + 1)
    start = np.cumsum(size) - size
    inside = (depths[:, np.newaxis] - start) / np.maximum(size, 1)
    found: Floats = np.clip(inside, 0.0, 1.0)
    return found


def critical_value(
    covariances: Floats, level: float, n_draws: int, rng: np.random.Generator
) -> float:
    """Return the quantile of the largest absolute value of normal variables.

    This is the sup-t band of Montiel Olea and Plagborg-Moller (2019); O(n_draws *
    n_depths**2). Variables are divided by their standard errors. Variables without
    variance are left out; the result is 0 if none has variance.
    """
    varies = np.diag(covariances) > 0
    if not varies.any():
        return 0.0
    covariances = covariances[np.ix_(varies, varies)]
    errors = np.sqrt(np.diag(covariances))
    correlations = covariances / np.outer(errors, errors)
    # a ridge, because correlations of neighbouring depths may be 1 up to rounding
    root = np.linalg.cholesky(correlations + 1e-8 * np.eye(errors.size))
    draws = rng.standard_normal((n_draws, errors.size)) @ root.T
    return float(np.quantile(np.abs(draws).max(axis=1), level))


def _clear_rounding(covariances: Floats, depths: NDArray[Any]) -> None:
    """Set variances that are 0 up to rounding to 0, in place.

    Their rounding error is that of sums over so many items.
    """
    own = np.diag_indices_from(covariances)
    by_rounding = covariances[own] <= ROUNDING * depths
    covariances[own] = np.where(by_rounding, 0.0, covariances[own])
