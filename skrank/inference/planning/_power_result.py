"""Result of `random_selection_power` and `comparison_power`."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from skrank._utils._checks import check_count
from skrank._utils._numbers import number
from skrank._utils._printed import Printed, Shown
from skrank._utils._table import data_frame
from skrank._utils._text import columns_of, format_size
from skrank.inference.planning._study import Studies, Study

#: Correlation of the scores of two good models, of which the answer is shown if it was
#: not given.
CORRELATED = 0.8


@dataclass(frozen=True, slots=True, repr=False, eq=False, kw_only=True)
class PowerResult(Printed):
    """Power with the size of the study: the result of the functions for power.

    Attributes
    ----------
    test : {"random selection test", "comparison"}
        The test.
    metric : str
        Name of the metric with its cutoff.
    solved : str
        Name of the argument that was computed.
    n_targets, n_samples : int
        Number of targets and of items of the study.
    value : float
        Value of the metric in the population; for a comparison, of model B.
    sample_value : float
        Mean of the value over the simulated studies. With few targets, the mean of
        average precision is above the value in the population.
    difference, sample_difference : float
        Difference A - B in the population, and its mean over the simulated studies; NaN
        for the test of one model.
    significance_level : float
        Significance level of the test.
    power : float
        Share of the simulated studies in which the test is significant.
    power_standard_error : float
        Standard error of `power` due to the number of simulated studies.
    asked_power : float
        Requested power; NaN if the power was computed. A difference from `power` is
        simulation error.
    solved_if_correlated : float
        Value of the computed argument if the scores of two models have a correlation of
        0.8 in each class, instead of the assumed 0. NaN if a correlation or a pilot was
        passed, and for the test of one model.
    study : Study
        Simulated population, with the attributes `prevalence`, `spread`, `correlation`,
        `n_distinct`, `n_studies` and `seed`. With a pilot, spread and correlation are
        NaN.

    See Also
    --------
    random_selection_power : Power of the test against random selection.
    comparison_power : Power of a comparison of two models.

    Examples
    --------
    >>> from skrank import random_selection_power
    >>> random_selection_power(n_targets=12, prevalence=0.01, value=0.05)
    Power of the random selection test of average_precision
      study       1200 items, 12 targets (prevalence 0.01)
      value       0.05 in the population, 0.0833 in samples
      scores      spread 1, no ties
      level       0.05
      power       0.86 (simulation error 0.005)
      solved for  power
    """

    test: str
    metric: str
    solved: str
    n_targets: int
    n_samples: int
    value: float
    sample_value: float
    difference: float = math.nan
    sample_difference: float = math.nan
    significance_level: float
    power: float
    power_standard_error: float
    asked_power: float = math.nan
    solved_if_correlated: float = math.nan
    study: Study

    def curve(self, n_targets: Iterable[int]) -> Any:
        """Return the power of studies of several sizes from the same population.

        Parameters
        ----------
        n_targets : iterable of int
            Numbers of targets, 2 or more.

        Returns
        -------
        frame : pandas.DataFrame
            A row for each size, with the columns "n_targets", "n_samples", "value",
            "sample_value", "power" and "power_standard_error", and for a comparison
            "difference" and "sample_difference". The models are the same for all sizes.
            If the cutoff is a number of items, their values in the population depend on
            the size.

        Raises
        ------
        ImportError
            If pandas is not installed.
        ValueError
            If a size is not valid.
        """
        sizes = [check_count("n_targets", one, least=2) for one in n_targets]
        rows = [power_at(self.study, self.significance_level, size) for size in sizes]
        return data_frame(columns_of(rows))

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain numbers and strings.

        Returns
        -------
        fields : dict
            All fields except `study`.
        """
        names = (one.name for one in fields(self))
        return {name: getattr(self, name) for name in names if name != "study"}

    def _shown(self) -> Shown:
        study, pair = self.study, len(self.study.shifts) == 2
        ties = f"{study.n_distinct} distinct" if study.n_distinct else "no ties"
        both = f", correlation {study.correlation:.3g}" if pair else ""
        of_scores = f"spread {study.spread:.3g}"
        if study.pilot is not None:
            of_scores, both = "drawn from the pilot", ""
        solved = self.solved
        if not math.isnan(self.solved_if_correlated):
            both += " (assumed)"
            other = number(self.solved_if_correlated, 3)
            solved += f"; {other} with correlation {CORRELATED}"
        rows = [("study", format_size(self.n_samples, self.n_targets))]
        for name in ("value", "difference")[: 1 + pair]:
            of_all, mean = getattr(self, name), getattr(self, f"sample_{name}")
            said = (
                f"{number(of_all, 3)} in the population, {number(mean, 3)} in samples"
            )
            rows.append(("value of B" if pair and name == "value" else name, said))
        rows += [
            ("scores", f"{of_scores}, {ties}{both}"),
            ("level", f"{self.significance_level:.3g}"),
            ("power", self._power()),
            ("solved for", solved),
        ]
        return Shown(f"Power of the {self.test} of {self.metric}", rows)

    def _power(self) -> str:
        """The power with its error, and the power that was asked for, in print."""
        error = f"simulation error {self.power_standard_error:.1g}"
        if math.isnan(self.asked_power):
            return f"{self.power:.3g} ({error})"
        return f"{self.asked_power:.3g} requested, {self.power:.3g} simulated ({error})"


def power_at(
    study: Study, level: float, n_targets: int, drawn: Studies | None = None
) -> dict[str, Any]:
    """Return the fields of a result that depend on the size, with studies of it."""
    drawn = drawn or study.draw(n_targets, level)
    (power, error), means = drawn.power(level), drawn.values.mean(axis=0)
    values, n = study.population(n_targets), study.n_samples(n_targets)
    found: dict[str, Any] = {"n_targets": n_targets, "n_samples": n}
    found |= {"value": float(values[-1]), "sample_value": float(means[-1])}
    if len(means) == 2:
        found["difference"] = float(values[0] - values[1])
        found["sample_difference"] = float(means[0] - means[1])
    return found | {"power": power, "power_standard_error": error}
