"""Difference of two rankings of the same items: its standard error and distribution.

Each item has a level or a place in both rankings (see `Standing`). The influences of an
item on both rankings are paired, a bootstrap resample draws an item for both rankings,
and the permutation test (Yeh 2000) exchanges the two ranks of an item.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from skrank._utils._checks import invalid
from skrank._utils._rounding import ROUNDING, subtract
from skrank._utils._text import brief
from skrank.inference._paired._paired_result import PairedResult
from skrank.inference._variability._clusters import (
    Codes,
    ErrorOfTotals,
    error_of_totals,
    jackknife_totals,
)
from skrank.inference._variability._jackknife import jackknife_of
from skrank.inference._variability._moderation import reach_of
from skrank.inference._variability._resampling import (
    Engine,
    Floats,
    batches,
    resampled_frame,
    values_of_draws,
)
from skrank.inference._variability._sample import is_certain, same_order
from skrank.metrics._definitions import Frame, Measure, Metric
from skrank.ranking._ranking import Ranking
from skrank.ranking._standing import Standing, standing

Standings = tuple[Standing, Standing]
# Random exchanges of targets and of non-targets, of so many rankings.
Toss = Callable[..., tuple[NDArray[np.bool_], Iterable[NDArray[Any]]]]


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Rankings A and B. Methods that need single items require them in memory."""

    a: Ranking
    b: Ranking

    @property
    def rankings(self) -> tuple[Ranking, Ranking]:
        """Both rankings."""
        return self.a, self.b

    @property
    def n_samples(self) -> int:
        """Number of items."""
        return int(self.a.n_samples)

    @property
    def n_targets(self) -> int:
        """Number of targets among them."""
        return int(self.a.n_targets)

    @property
    def fewest(self) -> int:
        """Number of targets or of non-targets, whichever is smaller."""
        return min(self.n_targets, self.n_samples - self.n_targets)

    @property
    def targets(self) -> NDArray[np.intp]:
        """Positions of the targets, the same in both."""
        a, b = (getattr(one.items, "targets", None) for one in self.rankings)
        if a is None or b is None or not np.array_equal(a, b):
            rule = (
                "rank the same items, in the same order and in memory, for a method "
                "that looks at items one by one"
            )
            got = " and ".join(map(brief, self.rankings))
            raise invalid("rankings_a` and `rankings_b", rule, got)
        targets: NDArray[np.intp] = a
        return targets

    @property
    def y_scores(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Scores of the items."""
        a, b = (one.items.y_score for one in self.rankings)
        return a, b

    def scale(self, measure: Metric) -> float:
        """Value of a perfect ranking."""
        return reach_of(measure, measure.frame(self.a, self.n_targets)).best

    def is_certain(self, measure: Metric) -> bool:
        """Whether the values are equal in every sample."""
        if all(is_certain(measure, ranking) for ranking in self.rankings):
            return True
        same = np.array_equal(self.a.groups.above, self.b.groups.above)
        return same and hasattr(self.a.items, "y_score") and same_order(*self.y_scores)

    def standings(self) -> Standings:
        """Return the levels and places of the items in both rankings; O(n log m)."""
        targets = self.targets
        a, b = (
            standing(score, targets, np.unique(score[targets]))
            for score in self.y_scores
        )
        return a, b

    def standings_by_rank(self) -> Standings:
        """Return the same on one common axis of ranks; O(n log n).

        The rank of an item is the middle of its tie, so an exchange of the two ranks of
        an item changes nothing if the rankings agree.
        """
        targets, ranks = self.targets, [rankdata(score) for score in self.y_scores]
        levels = np.union1d(ranks[0][targets], ranks[1][targets])
        a, b = (standing(one, targets, levels) for one in ranks)
        return a, b

    def jackknife_error(self, measure: Measure) -> float:
        """Return the standard error of the difference of the two values; O(n).

        The influences of each item on both rankings are subtracted, as in DeLong,
        DeLong and Clarke-Pearson (1988) for areas under the ROC curve.
        """
        parts = []
        for ranking, items in zip(self.rankings, self.standings(), strict=True):
            found = jackknife_of(measure, ranking)
            parts.append((found.targets[items.levels], found.others[items.places]))
        (targets_a, others_a), (targets_b, others_b) = parts
        variance = np.square(targets_a - targets_b).sum()
        return float(np.sqrt(variance + np.square(others_a - others_b).sum()))

    def error_of_clusters(self, measure: Measure, codes: Codes) -> ErrorOfTotals:
        """Return the standard error of the difference from sums over clusters."""
        a, b = (jackknife_totals(measure, one, codes) for one in self.rankings)
        return error_of_totals(a - b)

    def bootstrap(self, measure: Metric) -> Engine:
        """Return a bootstrap of the differences of the values; O(n) for each draw."""
        frames = [resampled_frame(measure, ranking) for ranking in self.rankings]
        return partial(_bootstrap, measure, self.standings(), frames)

    def swaps(self, measure: Metric, codes: Codes | None = None) -> Engine:
        """Return permutations of the ranks; differences of the values, O(n) each.

        If an item is not exchanged for one ranking, it is not for the other. Items of a
        cluster are exchanged together.
        """
        frame = resampled_frame(measure, self.a)
        toss: Toss = _toss_items
        if codes is not None:
            of_targets = codes[self.targets]
            toss = partial(_toss_clusters, of_targets, np.delete(codes, self.targets))
        return partial(_swapped, measure, self.standings_by_rank(), frame, toss)


@dataclass(frozen=True, slots=True, eq=False)
class PairedValues:
    """Values of A and B, in one row for each data set, and perfect values."""

    values: NDArray[np.float64]
    scales: NDArray[np.float64]

    @property
    def differences(self) -> NDArray[np.float64]:
        """Values of A minus those of B."""
        return subtract(self.values[:, 0], self.values[:, 1], self.scales)

    @property
    def estimates(self) -> tuple[float, float]:
        """Means over the data sets."""
        a, b = self.values.mean(axis=0).tolist()
        return a, b

    @property
    def difference(self) -> float:
        """Mean of A minus that of B."""
        a, b = self.estimates
        return float(subtract(a, b, self.scale))

    @property
    def scale(self) -> float:
        """Largest of the perfect values."""
        return float(self.scales.max())


def values_of(pairs: list[Pair], measure: Metric) -> PairedValues:
    """Values of a measure on data sets."""
    return PairedValues(
        np.array([[measure.value(one) for one in pair.rankings] for pair in pairs]),
        np.array([pair.scale(measure) for pair in pairs]),
    )


def freedom_of_error(errors: list[float], pairs: list[Pair]) -> float:
    """Degrees of freedom of a standard error, combined from those of data sets.

    For one data set they are those of the smaller class. For several they are those of
    a sum of variances (Satterthwaite 1946). They are infinite if nothing varies.
    """
    variances = np.square(errors)
    freedoms = np.maximum([pair.fewest - 1 for pair in pairs], 1)
    noise = float((variances**2 / freedoms).sum())
    return float(variances.sum() ** 2 / noise) if noise > 0 else math.inf


def _bootstrap(
    measure: Metric,
    standings: Standings,
    frames: list[Frame],
    n_rankings: int,
    rng: np.random.Generator,
) -> Floats:
    a, b = standings
    m, n_non_targets = a.levels.size, a.places.size
    differences = []
    for size in batches(n_rankings, a.n_places + b.n_places):
        targets = rng.integers(m, size=(size, m))
        draws = (rng.integers(n_non_targets, size=n_non_targets) for _ in range(size))
        counts = [(_tally(a, drawn), _tally(b, drawn)) for drawn in draws]
        value_a, value_b = (
            values_of_draws(measure, items.levels[targets], np.stack(others), frame)
            for frame, items, others in zip(
                frames, standings, zip(*counts, strict=True), strict=True
            )
        )
        differences.append(value_a - value_b)
    return np.concatenate(differences)


def _swapped(
    measure: Metric,
    standings: Standings,
    frame: Frame,
    toss: Toss,
    n_rankings: int,
    rng: np.random.Generator,
) -> Floats:
    a, b = standings
    step, both = a.places - b.places, _tally(a) + _tally(b)
    differences = []
    for size in batches(n_rankings, a.n_places):
        target, coins = toss(size, a.levels.size, step.size, rng)
        others = np.stack(
            [np.bincount(b.places + step * one, minlength=both.size) for one in coins]
        )
        value_a = values_of_draws(
            measure, np.where(target, a.levels, b.levels), others, frame
        )
        value_b = values_of_draws(
            measure, np.where(target, b.levels, a.levels), both - others, frame
        )
        differences.append(value_a - value_b)
    return np.concatenate(differences)


def _tally(items: Standing, drawn: Any = slice(None)) -> NDArray[np.intp]:
    """Count the drawn non-targets on each place."""
    return np.bincount(items.places[drawn], minlength=items.n_places)


def _toss_items(
    size: int, n_targets: int, n_others: int, rng: np.random.Generator
) -> tuple[NDArray[np.bool_], Iterable[NDArray[np.uint8]]]:
    """Draw exchanges of targets and non-targets, a row for each ranking."""
    target = rng.integers(2, size=(size, n_targets), dtype=bool)
    return target, (_coins(n_others, rng) for _ in range(size))


def _toss_clusters(
    of_targets: Codes,
    of_others: Codes,
    size: int,
    n_targets: int,
    n_others: int,
    rng: np.random.Generator,
) -> tuple[NDArray[np.bool_], Iterable[NDArray[np.bool_]]]:
    """Draw the same with one exchange for each cluster."""
    n = 1 + max(of_targets.max(), of_others.max())
    toss = rng.integers(2, size=(size, n), dtype=bool)
    return toss[:, of_targets], (row[of_others] for row in toss)


def _coins(count: int, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Draw fair bits, eight from each random byte."""
    return np.unpackbits(
        rng.integers(256, size=count // 8 + 1, dtype=np.uint8), count=count
    )


def count_swaps(
    difference: float, draws: Floats, alternative: str, scale: float
) -> PairedResult:
    """P-value (C + 1) / (B + 1), and z-score by the root mean square of the draws.

    A permutation that changes nothing is as extreme as the observed difference. `scale`
    is the value of a perfect ranking.
    """
    slack = ROUNDING * scale
    extreme = {
        "greater": draws >= difference - slack,
        "less": draws <= difference + slack,
        "two-sided": np.abs(draws) >= abs(difference) - slack,
    }[alternative]
    log_p = math.log((np.count_nonzero(extreme) + 1) / (draws.size + 1))
    spread = float(np.sqrt(np.mean(draws**2)))
    if spread <= slack:  # no permutation changed the difference
        return PairedResult(math.nan, 0.0 if difference == 0 else math.nan, log_p)
    return PairedResult(math.nan, difference / spread, log_p)
