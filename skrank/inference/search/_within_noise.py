"""Refit rule of a search: the simplest candidate not significantly below the best."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from functools import partial
from numbers import Real
from typing import Any

import numpy as np
from scipy.stats import t as student

from skrank._utils._checks import check_fraction, check_positive, invalid
from skrank._utils._text import brief, listed
from skrank.inference.variability._folds import corrected_error


def within_noise(
    complexity: str | Callable[[Mapping[str, Any]], Any],
    *,
    scorer: str = "score",
    significance_level: float = 0.05,
    ratio: float | None = None,
) -> Callable[[Mapping[str, Any]], int]:
    """Choose the simplest of equally good candidates in a search; else use refit=True.

    The rule compares each candidate with the candidate that has the best mean score, on
    the folds. Of the candidates that are not significantly worse, the simplest is
    refitted. Such a candidate is not necessarily as good: with few targets, the folds
    can only show large differences.

    Parameters
    ----------
    complexity : str or callable
        Complexity of a candidate. The name of a parameter if smaller values are
        simpler, such as "C"; the name with a minus sign if larger values are simpler,
        such as "-n_neighbors"; or a function of the parameters of a candidate that
        returns a number or another sortable value. The values of a parameter must be
        numbers, or None for no limit, which is larger than all numbers. Of equally
        simple candidates, the candidate with the best mean score is chosen.
    scorer : str, default="score"
        Name of the scorer, for a search with several scorers.
    significance_level : float, default=0.05
        Level of the one-sided test, between 0 and 1. A smaller level allows simpler
        candidates.
    ratio : float, default=None
        Number of held-out items of a fold divided by the number of items to which the
        model is fitted. None uses ``1 / (K - 1)``, which is correct for K folds. Pass
        it for repeated folds: 0.25 for five folds, for any number of repetitions.

    Returns
    -------
    refit : callable
        Function of ``cv_results_`` that returns ``best_index_``, for the parameter
        `refit` of :class:`sklearn.model_selection.GridSearchCV`.

    Raises
    ------
    ValueError
        If a setting is outside its range. The returned function raises it if the search
        has no such scorer, if a candidate has no such parameter or a string as its
        value, if there are fewer than two folds, or if no score is finite.

    See Also
    --------
    RankingComparisonTable.leaderboard : The best of several rankings of test data.
    SearchSelectionTest : Whether the best candidate is better than random selection.

    Notes
    -----
    If the differences on the K folds have the mean d and the standard deviation s, the
    statistic is ``d / (s sqrt(1 / K + ratio))``, with Student's t distribution with K -
    1 degrees of freedom. The ratio accounts for training items that folds share ([1]_,
    section 4.1). For R repetitions, s is the standard deviation within repetitions,
    with R (K - 1) degrees of freedom, and the square root is multiplied by ``sqrt(0.8 +
    0.2 / R)``, because the means of repetitions are correlated. A candidate with a
    missing score is left out.

    References
    ----------
    .. [1] Nadeau and Bengio (2003), "Inference for the generalization error", *Machine
       Learning* 52, 239-281.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from skrank import make_average_precision_scorer, within_noise
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> search = GridSearchCV(
    ...     KNeighborsClassifier(),
    ...     {"n_neighbors": [5, 15, 25, 45, 75]},
    ...     scoring=make_average_precision_scorer(pos_label=0),
    ...     refit=within_noise("-n_neighbors", significance_level=0.01),
    ... ).fit(X, y)
    >>> search.cv_results_["mean_test_score"].round(3)
    array([0.952, 0.965, 0.964, 0.967, 0.962])
    >>> search.best_params_
    {'n_neighbors': 75}
    """
    if not (isinstance(complexity, str) or callable(complexity)):
        rule = "be the name of a parameter or a function of the parameters"
        raise invalid("complexity", rule, brief(complexity))
    level = check_fraction("significance_level", significance_level)
    if ratio is not None:
        ratio = check_positive("ratio", ratio)
    return partial(
        _simplest, complexity=complexity, scorer=scorer, level=level, ratio=ratio
    )


def _simplest(
    cv_results: Mapping[str, Any],
    *,
    complexity: str | Callable[[Mapping[str, Any]], Any],
    scorer: str,
    level: float,
    ratio: float | None,
) -> int:
    """Return the index of the simplest candidate that is not significantly worse."""
    found = [re.fullmatch(r"split\d+_test_(.+)", name) for name in cv_results]
    columns = [cv_results[one[0]] for one in found if one and one[1] == scorer]
    if len(columns) < 2:
        names = list(dict.fromkeys(one[1] for one in found if one))
        rule = f"be a scorer of the search, {listed(names, 10)}, of two folds or more"
        raise invalid("scorer", rule, f"{scorer!r} with {len(columns)} folds")
    scores = np.stack(columns, axis=1)
    known = np.isfinite(scores).all(axis=1)
    if not known.any():
        raise invalid("cv_results", "contain finite scores", "none")
    means = np.where(known, scores.mean(axis=1), -math.inf)
    best = int(np.argmax(means))
    share = 1 / (len(columns) - 1) if ratio is None else ratio
    # repeated folds, one repetition after the other; or other splits
    n_folds = round(1 + 1 / share)
    repetition = np.arange(len(columns)) // n_folds
    if len(columns) % n_folds:
        repetition = np.zeros_like(repetition)

    def is_as_good(i: int) -> bool:
        """Whether a candidate is equal on all folds, or not significantly worse."""
        lost = scores[best] - scores[i]
        error, freedom = corrected_error(lost, share, repetition)
        return bool(lost.mean() <= student.isf(level, freedom) * error)

    as_good = [i for i in np.flatnonzero(known).tolist() if is_as_good(i)]
    params = cv_results["params"]
    key = _key_of(complexity, params)
    return int(min(as_good, key=lambda i: (key(params[i]), -means[i])))


def _key_of(
    complexity: str | Callable[[Mapping[str, Any]], Any], params: Any
) -> Callable[[Mapping[str, Any]], Any]:
    """Return the function by which candidates are sorted, the simplest first."""
    if not isinstance(complexity, str):
        return complexity
    name, sign = complexity.removeprefix("-"), -1 if complexity[:1] == "-" else 1
    advice = "A function of the parameters can be given."
    for i, one in enumerate(params):
        if name not in one:
            rule = "be a parameter of all candidates of the search"
            got = f"{name!r} where candidate {i} has {listed(sorted(one), 10)}"
            raise invalid("complexity", rule, got, advice)
        if not isinstance(one[name], Real | None):
            got = f"{brief(one[name])} as {name!r} of candidate {i}"
            raise invalid("complexity", "be a parameter of numbers", got, advice)
    return lambda one: sign * (math.inf if one[name] is None else one[name])
