"""Null distribution of a metric: of one ranking, or of the mean over several.

Their methods are those of `NullDistribution` (`_base`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skrank._utils._checks import check_count, check_number, invalid
from skrank._utils._columns import as_column
from skrank._utils._text import brief
from skrank.metrics._definitions import AnyMetric, Metric, make_null_metric
from skrank.null._base import NullDistribution
from skrank.null._chain import Chain
from skrank.null._tilted import Term
from skrank.ranking._ties import TieGroups, tie_groups, untied


class RandomSelectionNull(NullDistribution):
    """Null distribution of a metric; to test a ranking use RandomSelectionTest.

    The scores and their ties are fixed. `n_targets` target labels are assigned to the
    `n_samples` items, and all assignments are equally likely. The methods are named and
    defined as in the distributions of ``scipy.stats``.

    Parameters
    ----------
    n_samples : int
        Number of items in the ranking.
    n_targets : int
        Number of targets among them, from 1 to ``n_samples - 1``.
    metric : str or Metric, default="average_precision"
        Metric by its printed name, such as "average_precision@50", "recall@5%" or
        "bedroc(alpha=20)" (:ref:`metric_names`), or an object made by
        :func:`make_metric`, which has its own tie rule. "max_f_score",
        "breakeven_point", "k_at_recall", "precision_at_recall", "recall_at_precision",
        "wss" and "ks_statistic" have no null distribution and are not accepted.
    tie_sizes : array-like of shape (n_ties,), dtype=int, default=None
        Sizes of the ties, best first; an item with a unique score is a tie of size 1.
        The sum is `n_samples`. None means no ties.
    ties : {"expected", "together", "optimistic", "pessimistic"}, default="expected"
        Tie rule of the metric.

    Raises
    ------
    ValueError
        If an argument is outside its range.

    See Also
    --------
    skrank.RandomSelectionTest : Creates the distribution from the scores of a ranking.

    Examples
    --------
    Mean, standard deviation and critical value at the level of 1 % of average precision
    with 20 targets among 1000 items:

    >>> from skrank import RandomSelectionNull
    >>> null = RandomSelectionNull(1000, 20)
    >>> print(f"{null.mean():.4f}, {null.std():.4f}, {null.isf(0.01):.4f}")
    0.0264, 0.0114, 0.0767

    The mean is above the prevalence of 0.02, and the upper tail is heavy. One random
    ranking in 192 is at least five standard deviations above the mean. For a normal
    distribution it is one in three million.

    >>> print(f"{1 / null.pvalue(null.mean() + 5 * null.std()):.0f}")
    192
    """

    def __init__(
        self,
        n_samples: int,
        n_targets: int,
        metric: str | AnyMetric = "average_precision",
        *,
        tie_sizes: ArrayLike | None = None,
        ties: str = "expected",
    ) -> None:
        self.n_samples = check_count("n_samples", n_samples, least=2)
        self.n_targets = check_count("n_targets", n_targets, least=1)
        if self.n_targets >= self.n_samples:
            msg = (
                "`n_targets` must leave items that are not targets; "
                f"got {self.n_targets} targets among {self.n_samples} items."
            )
            raise ValueError(msg)
        self._set_chain(
            make_null_metric(metric, ties), _check_sizes(tie_sizes, self.n_samples)
        )

    @classmethod
    def of_ties(
        cls, groups: TieGroups, n_targets: int, metric: Metric
    ) -> RandomSelectionNull:
        """Create the distribution of a ranking from its ties.

        Parameters
        ----------
        groups : TieGroups
            Ties of the ranking.
        n_targets : int
            Number of targets.
        metric : Metric
            The metric.

        Returns
        -------
        null : RandomSelectionNull
            Null distribution of the metric.
        """
        null = cls.__new__(cls)
        null.n_samples, null.n_targets = groups.n_samples, n_targets
        null._set_chain(metric, groups)
        return null

    def _set_chain(self, metric: Metric, groups: TieGroups) -> None:
        self._terms = (Term(Chain(metric, groups, self.n_targets), 1.0, 1),)

    def __repr__(self) -> str:
        """Name the metric and the size of the ranking."""
        name = self._terms[0].chain.metric.name
        return f"<RandomSelectionNull of {name}: {self.n_targets} of {self.n_samples}>"


class MeanNull(NullDistribution):
    """Null distribution of the mean of a metric over several rankings.

    The labels of each ranking are permuted independently of the other rankings. Means,
    variances and cumulant generating functions therefore add. The folds of a
    cross-validation are not independent, and their mean can vary more. `inflation`
    spreads the distribution about its mean. Values that would be beyond the smallest or
    the largest possible value are set to this value.

    Parameters
    ----------
    nulls : sequence of RandomSelectionNull
        Null distributions of the single rankings, of one metric.
    inflation : float, default=1.0
        Standard deviation of the mean over the rankings, divided by that of independent
        rankings. At least 1.

    Raises
    ------
    ValueError
        If `nulls` is empty, or has other distributions than those of single rankings by
        one metric, or if `inflation` is below 1.

    See Also
    --------
    skrank.RandomSelectionNull : Null distribution of one ranking.

    Examples
    --------
    The chance level is higher for short rankings. Compare five folds of 200 items with
    4 targets each, and one ranking of 1000 items with 20 targets:

    >>> from skrank import RandomSelectionNull
    >>> from skrank.null import MeanNull
    >>> folds = MeanNull([RandomSelectionNull(200, 4)] * 5)
    >>> whole = RandomSelectionNull(1000, 20)
    >>> print(f"{folds.mean():.4f}, {whole.mean():.4f}")
    0.0440, 0.0264

    The following values of the mean are significant at 1 %, for independent rankings
    and for the folds of a cross-validation:

    >>> wider = MeanNull(folds.nulls, inflation=2**0.5)
    >>> print(f"{folds.isf(0.01):.3f}, {wider.isf(0.01):.3f}")
    0.117, 0.147
    """

    def __init__(
        self, nulls: Sequence[RandomSelectionNull], *, inflation: float = 1.0
    ) -> None:
        if len(nulls) == 0:
            msg = "`nulls` must contain at least one null distribution; got none."
            raise ValueError(msg)
        self.inflation = check_number("inflation", inflation)
        if self.inflation < 1:
            msg = f"`inflation` must be 1 or more; got {brief(inflation)}."
            raise ValueError(msg)
        self.nulls = tuple(nulls)
        self._terms = _alike([_chain_of(null, nulls[0]) for null in nulls])

    def __repr__(self) -> str:
        """Name the metric and the number of rankings."""
        name = self._terms[0].chain.metric.name
        wider = f", inflation {self.inflation:.4g}" if self.inflation > 1 else ""
        return f"<MeanNull of {name}: {len(self.nulls)} rankings{wider}>"


def _chain_of(null: Any, first: RandomSelectionNull) -> Chain:
    """Check that a distribution is that of one ranking, by the metric of the first."""
    if not isinstance(null, RandomSelectionNull):
        got = f"a {type(null).__name__}"
        raise invalid("nulls", "contain a RandomSelectionNull for each ranking", got)
    (term,), (other,) = null._terms, first._terms
    names = [one.chain.metric.name for one in (other, term)]
    if names[0] != names[1]:
        raise invalid("nulls", "have one metric", " and ".join(names))
    return term.chain


def _alike(chains: list[Chain]) -> tuple[Term, ...]:
    """Return the distinct chains and their frequencies."""
    found: dict[Any, list[Chain]] = {}
    for chain in chains:
        found.setdefault(_key(chain), []).append(chain)
    weight = 1 / len(chains)
    return tuple(Term(same[0], weight, len(same)) for same in found.values())


def shared(nulls: Sequence[RandomSelectionNull]) -> list[RandomSelectionNull]:
    """Make equal distributions one object, which computes its properties once.

    Parameters
    ----------
    nulls : sequence of RandomSelectionNull
        Null distributions of single rankings.

    Returns
    -------
    nulls : list of RandomSelectionNull
        The first of each that are equal, in their places.
    """
    found: dict[Any, RandomSelectionNull] = {}
    return [found.setdefault(_key(null._terms[0].chain), null) for null in nulls]


def _key(chain: Chain) -> Any:
    """Return what equal chains share."""
    groups = chain.ends.tobytes(), chain.merged.tobytes()
    return chain.metric, chain.n_samples, chain.n_targets, groups


def _check_sizes(tie_sizes: ArrayLike | None, n_samples: int) -> TieGroups:
    """Check the sizes of the tie groups and convert them."""
    if tie_sizes is None:
        return untied(n_samples)
    sizes = as_column("tie_sizes", tie_sizes)
    valid = sizes.dtype.kind in "iu"
    inside = valid and sizes.min() >= 1 and sizes.max() <= n_samples
    if not inside or sizes.sum() != n_samples:
        msg = (
            "`tie_sizes` must be positive ints that sum to `n_samples`; "
            f"got {brief(tie_sizes)} for {n_samples} items."
        )
        raise ValueError(msg)
    ends = np.cumsum(sizes, dtype=np.intp)
    nowhere = np.zeros(0, dtype=np.intp)
    return tie_groups(ends, nowhere, nowhere, n_samples)
