"""Conversion of all kinds of input to a ranking.

A ranking is returned as it is. Labels and scores in memory are checked and ranked.
`RankCounts` of a data set that is larger than memory are finished. Dask collections are
counted partition by partition.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from numpy.typing import ArrayLike

from skrank._utils._checks import invalid
from skrank._utils._columns import is_dask
from skrank._utils._text import brief
from skrank.ranking._counts import RankCounts, read_counts
from skrank.ranking._input import check_ranking_input
from skrank.ranking._ranking import Ranking, rank

Labels: TypeAlias = ArrayLike | RankCounts | Ranking
# a number, or numbers by group
CountOf: TypeAlias = int | Mapping[Any, int]


def as_ranking(
    y_true: Labels,
    y_score: ArrayLike | None = None,
    *,
    pos_label: object = None,
    lower_is_better: bool = False,
    missing: str | None = None,
    sample_weight: ArrayLike | None = None,
    n_missed: CountOf = 0,
    n_unlisted: CountOf | None = None,
    reach: Callable[[int, int], float] | None = None,
) -> Ranking:
    """Return the ranking of labels and scores in memory or in dask, or of counts.

    `reach` is the depth, for given numbers of items and targets, down to which tie
    groups are needed.
    """
    if isinstance(y_true, RankCounts | Ranking):
        name = f"a {type(y_true).__name__}"
        _refuse(name, y_score=y_score, pos_label=pos_label, sample_weight=sample_weight)
        _refuse(name, n_unlisted=n_unlisted, lower_is_better=lower_is_better or None)
        _refuse(name, missing=None if missing == "error" else missing)
    if isinstance(y_true, RankCounts):
        return read_counts(y_true, n_missed)
    if isinstance(y_true, Ranking):
        _refuse("a Ranking, which has its own", n_missed=n_missed or None)
        return y_true
    y_true, y_score = columns_of(y_true, y_score)
    if is_dask(y_true) or is_dask(y_score):
        given: Any = {"sample_weight": sample_weight, "n_unlisted": n_unlisted}
        given["lower_is_better"] = lower_is_better or None
        given["missing"] = None if missing == "error" else missing
        _refuse("in dask, where items are counted", **given)
        counts = RankCounts.from_predictions(y_true, y_score, pos_label=pos_label)
        return read_counts(counts, n_missed)
    data = check_ranking_input(
        y_true,
        y_score,
        pos_label=pos_label,
        lower_is_better=lower_is_better,
        missing=missing,
        sample_weight=sample_weight,
        n_missed=n_missed,
        n_unlisted=n_unlisted,
    )
    if reach is None:
        return rank(data)
    return rank(data, reach(data.y_score.size, data.targets.size + data.n_missed))


def columns_of(
    y_true: Labels, y_score: ArrayLike | None, name: str = "groups"
) -> tuple[ArrayLike, ArrayLike]:
    """Return labels and scores of the items, which counts do not have."""
    if isinstance(y_true, RankCounts | Ranking):
        rule = (
            f"be left out where `y_true` is a {type(y_true).__name__}, whose items "
            "cannot be told apart"
        )
        raise invalid(name, rule, brief(y_true))
    if y_score is None:
        rule = "be given with `y_true`, unless that is a Ranking or RankCounts"
        raise invalid("y_score", rule, f"y_true of type {type(y_true).__name__} alone")
    return y_true, y_score


def _refuse(kind: str, **given: Any) -> None:
    """Raise an error for arguments that a ranking or counts do not take."""
    for name, value in given.items():
        if value is not None:
            rule = f"be left out where `y_true` is {kind}"
            raise invalid(name, rule, type(value).__name__)
