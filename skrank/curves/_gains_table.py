"""Gains table: the targets in parts of a ranking, best part first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skrank._utils._numbers import number, numbers, percent
from skrank._utils._printed import Printed, Shown
from skrank._utils._signature import signature_of
from skrank._utils._table import data_frame

Floats = NDArray[np.float64]


@signature_of()
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GainsTable(Printed):
    """Gains table, such as deciles: the result of HitCurve.gains_table.

    Each array has one entry for each part.

    Attributes
    ----------
    labels : tuple of int or str
        Numbers of the parts, or the depths or scores at which they end.
    items, targets : ndarray of shape (n_parts,)
        Numbers of items and targets in the part. If a tie crosses two parts, the tie
        rule of the curve divides its targets.
    lowest_score : ndarray of shape (n_parts,)
        Score of the last item of the part: the lowest score, or the highest if lower
        scores are better. As a threshold, it selects all items down to the end of the
        part. NaN for items without a score, and for items that were only counted.
    rate, lift : ndarray of shape (n_parts,)
        Share of targets in the part (response rate), and this share divided by the
        prevalence.
    t, hits : ndarray of shape (n_parts,)
        Numbers of items and targets down to the end of the part.
    n_samples, n_targets : float
        Number of items and of targets, including targets that were never scored.
    recall : ndarray of shape (n_parts,)
        Share of all targets that are found down to the end of the part, also called
        gain.
    cumulative_rate, cumulative_lift : ndarray of shape (n_parts,)
        Rate and lift down to the end of the part.
    ks : ndarray of shape (n_parts,)
        Share of the targets minus share of the non-targets, down to the end of the
        part. The largest value is the Kolmogorov-Smirnov statistic at these depths. NaN
        without non-targets.
    low, high : ndarray of shape (n_parts,)
        Confidence interval of `recall`; NaN with weights.
    chance_low, chance_high : ndarray of shape (n_parts,)
        Range of `recall` under random selection of the scored items; NaN with weights.
    confidence_level : float
        Level of the interval and of the range.

    See Also
    --------
    hit_curve : Computes the curve; its method `gains_table` creates this table.

    Examples
    --------
    >>> import numpy as np
    >>> from skrank import hit_curve
    >>> rng = np.random.default_rng(0)
    >>> y_true = rng.random(1000) < 0.05
    >>> table = hit_curve(y_true, rng.normal(1.5 * y_true)).gains_table(parts=5)
    >>> print(table)
    Gains table
      ranking      1000 items, 45 targets
      of the part  items, lowest score, targets, rate (share of targets), lift
      cumulative   recall, interval, cum. lift, KS
      interval     95 % confidence interval of recall
      part  items   score  targets   rate  lift  recall   interval  cum. lift    KS
      1     200     0.948       36  0.180  4.00   0.800  0.67-0.90       4.00  0.63
      2     200     0.308        3  0.015  0.33   0.867  0.75-0.94       2.17  0.49
      3     200    -0.229        4  0.020  0.44   0.956  0.86-0.99       1.59  0.37
      4     200    -0.869        1  0.005  0.11   0.978  0.90-1.00       1.22  0.19
      5     200    -3.197        1  0.005  0.11   1.000  1.00-1.00       1.00  0.00
    >>> print(table.conclusion()[:67])
    The first 200 of 1000 items (20 %) contain 36 of 45 targets (80 %),
    """

    labels: tuple[int | str, ...]
    items: Floats
    targets: Floats
    lowest_score: NDArray[Any]
    rate: Floats
    lift: Floats
    t: Floats
    hits: Floats
    n_samples: float
    n_targets: float
    recall: Floats
    cumulative_rate: Floats
    cumulative_lift: Floats
    ks: Floats
    low: Floats
    high: Floats
    chance_low: Floats
    chance_high: Floats
    confidence_level: float
    _lower: bool = False

    def conclusion(self) -> str:
        """Return a sentence about the first part.

        Returns
        -------
        conclusion : str
            The numbers of items and targets, the lift, and the range of the targets
            under random selection.
        """
        at = int(np.flatnonzero(self.t)[0])  # no item may have the first scores
        n, m, t, hits = self.n_samples, self.n_targets, self.t[at], self.hits[at]
        first = f"The first {number(t, 6)} of {number(n, 6)} items"
        said = (
            f"{first} ({percent(t / n, 2)}) contain {number(hits)} of {number(m, 6)} "
            f"targets ({percent(hits / m, 2)})"
        )
        if n > self.t[-1]:  # the range is that of the scored targets alone
            return f"{said}."
        times = number(self.cumulative_lift[at], 2)
        said += f", {times} times as many as random selection finds on average."
        low, high = self.chance_low[at] * m, self.chance_high[at] * m
        if np.isnan(low):
            return said
        cases = f"{number(100 * self.confidence_level)} of 100 cases"
        return (
            f"{said} Random selection finds {number(low)} to {number(high)} in {cases}."
        )

    def _shown(self) -> Shown:
        n, m = number(self.n_samples, 6), number(self.n_targets, 6)
        first = str(self.labels[0])
        is_depth = first != "1" and not first.startswith((">=", "<="))
        columns: dict[str, Any] = {"to" if is_depth else "part": self.labels}
        columns["items"] = numbers(self.items, 6)
        score = f"{'highest' if self._lower else 'lowest'} score, "
        if np.isnan(self.lowest_score).all():
            score = ""
        else:
            columns["score"] = numbers(self.lowest_score)
        columns |= {
            "targets": numbers(self.targets),
            "rate": numbers(self.rate, 3),
            "lift": _fixed(self.lift, 2),
        }
        before = len(columns)
        columns["recall"] = _fixed(self.recall, 3)
        if not np.isnan(self.low[0]):
            limits = zip(self.low, self.high, strict=True)
            columns["interval"] = [f"{low:.2f}-{high:.2f}" for low, high in limits]
        columns["cum. lift"] = _fixed(self.cumulative_lift, 2)
        columns["KS"] = [f"{round(one, 2) + 0.0:.2f}" for one in self.ks]
        rows = [list(map(str, row)) for row in zip(*columns.values(), strict=True)]
        facts = [
            ("ranking", f"{n} items, {m} target{'' if m == '1' else 's'}"),
            ("of the part", f"items, {score}targets, rate (share of targets), lift"),
            ("cumulative", ", ".join([*columns][before:])),
        ]
        if "interval" in columns:
            level = percent(self.confidence_level)
            facts.append(("interval", f"{level} confidence interval of recall"))
        return Shown("Gains table", facts, [list(columns), *rows])

    def to_frame(self) -> Any:
        """Return the table as a data frame.

        Returns
        -------
        frame : pandas.DataFrame
            Table with a row for each part, and the columns "part", "items", "targets",
            "lowest_score", "rate", "lift", "t", "hits", "recall", "low", "high",
            "chance_low", "chance_high", "cumulative_rate", "cumulative_lift" and "ks".

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        names = ("items", "targets", "lowest_score", "rate", "lift", "t", "hits")
        others = ("recall", "low", "high", "chance_low", "chance_high")
        last = ("cumulative_rate", "cumulative_lift", "ks")
        columns = {name: getattr(self, name) for name in (*names, *others, *last)}
        return data_frame({"part": self.labels, **columns})


def _fixed(values: Floats, decimals: int) -> list[str]:
    """Print values with so many decimals; a dash is that of a part without items."""
    return ["-" if np.isnan(one) else f"{one:.{decimals}f}" for one in values]
