"""Leaderboard: which rankings may be the best, and the range of each rank.

All statements follow from the adjusted p-values of all pairs, so they do not contradict
each other, and with the given probability all of them are right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skrank._utils._numbers import format_pvalue, numbers, percent
from skrank._utils._printed import Printed, Shown
from skrank._utils._signature import signature_of
from skrank._utils._table import data_frame
from skrank._utils._text import as_text

Floats = NDArray[np.float64]


@signature_of()
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RankingLeaderboard(Printed):
    """Leaderboard with ranges of ranks: the result of RankingComparisonTable.

    Arrays and tuples have one entry for each ranking, best first.

    Attributes
    ----------
    names : tuple of str
        Names of the rankings.
    values : ndarray of shape (n_rankings,)
        Values of the metric.
    pvalues : ndarray of shape (n_rankings,)
        Smallest Holm-adjusted p-value of the comparisons with better rankings; 1 for
        the first.
    rank_low, rank_high : ndarray of shape (n_rankings,)
        Range of the rank: 1 plus the number of significantly better rankings, and the
        number of rankings that are not significantly worse.
    letters : tuple of str
        Rankings that share a letter are not significantly different.
    metric : str
        Metric by its printed name.
    confidence_level : float
        Probability that all ranges contain the true ranks.

    See Also
    --------
    RankingComparisonTable : Creates this object; see its method `leaderboard`.

    Examples
    --------
    >>> import numpy as np
    >>> from skrank import RankingComparison
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.arange(500) < 20
    >>> scores = {f"shift {d}": rng.normal(d * y_true) for d in (0, 1, 1.2, 3)}
    >>> table = RankingComparison(random_state=0).compare_all(y_true, scores)
    >>> print(table.leaderboard())
    Leaderboard of 4 rankings by average_precision
      best    1 of 4 may be the best
      pvalue  by Holm for all pairs, against better rankings
      rank    95 % for all ranges together
      ranking    value      pvalue    rank  letters
      shift 3    0.8703          1       1        a
      shift 1    0.2810  <= 0.0006  2 to 3        b
      shift 1.2  0.1601  <= 0.0006  2 to 3        b
      shift 0    0.0364  <= 0.0006       4        c
    """

    names: tuple[str, ...]
    values: Floats
    pvalues: Floats
    rank_low: NDArray[np.intp]
    rank_high: NDArray[np.intp]
    letters: tuple[str, ...]
    metric: str
    confidence_level: float
    _is_limit: NDArray[np.bool_]

    @property
    def best(self) -> tuple[str, ...]:
        """Rankings that are not significantly worse than any other.

        Returns
        -------
        best : tuple of str
            Names of the rankings whose p-value is not at most 1 minus the confidence
            level. It can be undefined (NaN).
        """
        kept = ~(self.pvalues <= 1 - self.confidence_level)
        return tuple(
            name for name, is_kept in zip(self.names, kept, strict=True) if is_kept
        )

    def _shown(self) -> Shown:
        header = ("ranking", "value", "pvalue", "rank", "letters")
        level = percent(self.confidence_level)
        facts = [
            ("best", f"{len(self.best)} of {len(self.names)} may be the best"),
            ("pvalue", "by Holm for all pairs, against better rankings"),
            ("rank", f"{level} for all ranges together"),
        ]
        title = f"Leaderboard of {len(self.names)} rankings by {self.metric}"
        columns = (
            map(as_text, self.names),
            numbers(self.values),
            shown_holm(self),
            shown_ranks(self),
            self.letters,
        )
        return Shown(title, facts, [header, *zip(*columns, strict=True)])

    def to_frame(self) -> Any:
        """Return the leaderboard as a data frame.

        Returns
        -------
        frame : pandas.DataFrame
            A row for each ranking, best first, with the columns "name", "value",
            "pvalue", "rank_low", "rank_high" and "letters".

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        columns = {"name": self.names, "value": self.values, "pvalue": self.pvalues}
        ranks = {"rank_low": self.rank_low, "rank_high": self.rank_high}
        return data_frame({**columns, **ranks, "letters": self.letters})


def shown_holm(board: RankingLeaderboard) -> list[str]:
    """Return the adjusted p-values as text."""
    with np.errstate(divide="ignore"):  # labels that decide have p-values of 0
        each = zip(np.log10(board.pvalues).tolist(), board._is_limit, strict=True)
    return [format_pvalue(p, is_limit=bool(limit)) for p, limit in each]


def shown_ranks(board: RankingLeaderboard) -> list[str]:
    """Return the ranges of the ranks as text, such as "1" or "2 to 3"."""
    return [
        f"{low}" if low == high else f"{low} to {high}"
        for low, high in zip(board.rank_low, board.rank_high, strict=True)
    ]


def leaderboard_of(
    names: Sequence[str],
    values: Floats,
    differences: Floats,
    log10_pvalues: Floats,
    is_limit: NDArray[np.bool_],
    *,
    metric: str,
    confidence_level: float,
) -> RankingLeaderboard:
    """Make the leaderboard from all pairs.

    Parameters
    ----------
    names : sequence of str
        Names of the k rankings.
    values : ndarray of shape (k,)
        Their values.
    differences, log10_pvalues : ndarray of shape (k, k)
        How much better the ranking of the row is than that of the column, with the
        decimal logarithm of the adjusted p-value, which is NaN if it is undefined.
    is_limit : ndarray of shape (k, k)
        Whether more draws may give a smaller p-value.
    metric : str
        Name of the metric.
    confidence_level : float
        Probability that all statements are right, between 0 and 1.

    Returns
    -------
    leaderboard : RankingLeaderboard
        The rankings, best first.
    """
    k = len(names)
    # an undefined p-value shows no difference, and is not shown as 1
    pvalues = np.nan_to_num(10.0**log10_pvalues, nan=1.0)
    against = np.where(differences > 0, pvalues, 1.0)
    better = against <= 1 - confidence_level
    unknown = (np.isnan(log10_pvalues) & (differences > 0)).any(axis=0)
    order = np.argsort(-differences.sum(axis=1), kind="stable")  # by value
    low, high = 1 + better.sum(axis=0), k - better.sum(axis=1)
    least = against.argmin(axis=0), np.arange(k)
    smallest = np.where(unknown & ~better.any(axis=0), np.nan, against[least])
    return RankingLeaderboard(
        names=tuple(names[i] for i in order),
        values=values[order],
        pvalues=smallest[order],
        rank_low=low[order],
        rank_high=high[order],
        letters=_letters(better[np.ix_(order, order)]),
        metric=metric,
        confidence_level=confidence_level,
        _is_limit=(is_limit[least] & (against[least] < 1))[order],
    )


def _letters(better: NDArray[np.bool_]) -> tuple[str, ...]:
    """Letters that two rankings share unless one is better (Piepho 2004).

    Each column of rankings begins with all, is divided where two are different, and is
    left out if another column contains it.
    """
    k = len(better)
    columns = [frozenset(range(k))]
    for i, j in zip(*np.nonzero(better), strict=True):
        divided = []
        for column in columns:
            both = {i, j} <= column
            divided += [column - {i}, column - {j}] if both else [column]
        kept = dict.fromkeys(divided)
        columns = [one for one in kept if not any(one < other for other in kept)]
    columns.sort(key=sorted)
    signs = [letter_of(number) for number in range(len(columns))]
    return tuple(
        "".join(sign for sign, one in zip(signs, columns, strict=True) if i in one)
        for i in range(k)
    )


def letter_of(number: int) -> str:
    """Return a letter, and with a number behind it after the first 26."""
    turn, place = divmod(number, 26)
    return "abcdefghijklmnopqrstuvwxyz"[place] + (str(turn) if turn else "")
