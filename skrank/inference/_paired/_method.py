"""The methods of a comparison: what each goes with, and how it is asked."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from skrank.inference._paired._at_cutoff import error_at_cut, weigh_at_cut
from skrank.inference._paired._data_sets import FOLD_TESTS, LIST_TESTS
from skrank.inference._paired._items import (
    Draw,
    bootstrap_error,
    freedom_of_error,
    jackknife_error,
    swap_test,
)
from skrank.inference._paired._pair import PairedRankings, PairedValues
from skrank.inference._paired._paired_result import (
    PairedResult,
    certainty,
    from_error,
)
from skrank.metrics._definitions import AveragePrecisionAtK, Metric

# Methods by what they are made of: a standard error, which adds up over data sets; the
# targets or ranks of a single data set; one value for each of several data sets, or
# folds.
_BY_ERROR = ("jackknife", "bootstrap", "binomial", "empirical_process", "chemmodlab")
_ONE_LIST = ("permutation", "mcnemar", "posterior")
_OVER_LISTS = tuple(LIST_TESTS)
_AT_CUT = ("mcnemar", "posterior", "binomial", "empirical_process", "chemmodlab")
_OVER_FOLDS = tuple(FOLD_TESTS)
METHODS = ("auto", *_BY_ERROR, *_ONE_LIST, *_OVER_LISTS, *_OVER_FOLDS)

# Methods of others, with the normal quantiles that they have.
_AS_PUBLISHED = ("binomial", "chemmodlab")

# What a comparison is made on, as errors name it, and the methods that go with it.
_FITTING = {
    "one data set, without `groups`": (*_BY_ERROR, *_ONE_LIST),
    "several data sets": (*_BY_ERROR, *_OVER_LISTS),
    "the folds of a cross-validation": _OVER_FOLDS,
}
ONE_DATA_SET, SEVERAL_DATA_SETS, FOLDS = _FITTING


def check_method(method: str, measure: Metric) -> None:
    """Check that the method has a meaning for the metric and its ties."""
    if method in _AT_CUT and measure.ordered:
        msg = (
            "`metric` must be recall, precision or the enrichment factor at a "
            f"cutoff, or 'r_precision', for method {method!r}; got {measure.name}."
        )
        raise ValueError(msg)
    if method in _AT_CUT and measure.ties != "expected":
        msg = (
            f"`ties` must be 'expected' for method {method!r}, which shares out "
            f"the hits of a tie at the cutoff; got {measure.ties!r}."
        )
        raise ValueError(msg)
    if method == "jackknife" and not measure.smooth:
        msg = (
            f"`method` must not be {method!r} for {measure.name}, which may jump "
            "when one item is left out; choose 'permutation' or 'bootstrap'."
        )
        raise ValueError(msg)


def choose_method(method: str, measure: Metric, data: str) -> str:
    """Turn "auto" into a method, and check that it goes with the data."""
    usual = {
        ONE_DATA_SET: "jackknife" if measure.smooth else "permutation",
        SEVERAL_DATA_SETS: "paired_t",
        FOLDS: "corrected_t",
    }
    method = usual[data] if method == "auto" else method
    if method not in _FITTING[data]:
        listed = ", ".join(map(repr, _FITTING[data]))
        msg = f"`method` must be one of {listed} for {data}; got {method!r}."
        raise ValueError(msg)
    return method


def check_data_sets(method: str, n_rankings: int) -> None:
    """Check that data sets are enough for a method that takes them for a sample."""
    if method in _OVER_LISTS and n_rankings < 2:
        msg = (
            "`groups` must make two data sets or more of both classes for "
            f"method {method!r}; got {n_rankings}."
        )
        raise ValueError(msg)


@dataclass(frozen=True, slots=True)
class PairedQuestion:
    """What is asked of pairs of rankings; `make_draw` begins the draws anew."""

    measure: Any
    alternative: str
    prior: float
    make_draw: Callable[[], Draw]

    def ask(
        self,
        method: str,
        pairs: list[PairedRankings],
        lists: PairedValues,
        *,
        grouped: bool,
    ) -> PairedResult:
        """Ask a method about the differences, or about the data sets."""
        measure = self.measure
        if all(pair.is_certain(measure) for pair in pairs):
            return certainty(method)
        if method in LIST_TESTS:
            return LIST_TESTS[method](lists, self.alternative)
        if method == "permutation":
            return swap_test(pairs[0], measure, self.alternative, self.make_draw())
        if method in _ONE_LIST:
            return weigh_at_cut(method, pairs[0], measure, self.alternative, self.prior)
        errors = [self._error(method, pair) for pair in pairs]
        error = float(np.linalg.norm(errors)) / len(errors)
        freedom = math.inf
        if method not in _AS_PUBLISHED:
            freedom = freedom_of_error(errors, pairs)
        others = self._without_error(len(pairs), grouped=grouped)
        return from_error(
            lists.difference, error, lists.scale, self.alternative, freedom, others
        )

    def _without_error(self, n_rankings: int, *, grouped: bool) -> tuple[str, ...]:
        """Methods that need no standard error, of those that this call would take."""
        if grouped:
            return ("sign", "wilcoxon") if n_rankings > 1 else ()
        measure = self.measure
        at_cut = not measure.ordered
        if measure.ties == "expected":
            return ("permutation", "mcnemar") if at_cut else ("permutation",)
        moves = measure.ties == "threshold" and (
            at_cut or isinstance(measure, AveragePrecisionAtK)
        )
        return () if moves else ("permutation",)

    def _error(self, method: str, pair: PairedRankings) -> float:
        """Standard error of the difference on one data set.

        A single target, or a single non-target, does not tell how targets or
        non-targets vary.
        """
        if pair.is_certain(self.measure):
            return 0.0
        if min(pair.targets.size, pair.n_samples - pair.targets.size) < 2:
            return math.nan
        if method == "jackknife":
            return jackknife_error(pair, self.measure)
        if method == "bootstrap":
            return bootstrap_error(pair, self.measure, self.make_draw())
        return error_at_cut(method, pair, self.measure)
