"""Band along a curve: a chance band or a confidence band."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from skrank._utils._checks import check_fraction, invalid
from skrank._utils._numbers import number, percent
from skrank._utils._table import data_frame


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CurveBand:
    """Lower and upper limits along a curve: the result of hit_curve_band.

    Attributes
    ----------
    x : ndarray of shape (n_points,)
        Positions of the limits in ascending order: depths or values of recall.
    low, high : ndarray of shape (n_points,)
        Lower and upper limits at `x`.
    confidence_level : float
        Level of the limits, between 0 and 1.

    See Also
    --------
    hit_curve_band : Computes a confidence band.
    HitCurve.chance_band : Computes the band of random selection.

    Examples
    --------
    >>> from skrank import hit_curve
    >>> curve = hit_curve([1, 0, 1, 0, 0, 0, 0, 1], range(8, 0, -1))
    >>> band = curve.chance_band()
    >>> band
    <CurveBand of 95 %: 9 points from 0 to 8>
    """

    x: NDArray[Any]
    low: NDArray[Any]
    high: NDArray[Any]
    confidence_level: float

    def __repr__(self) -> str:
        """Print the level and the range of the band."""
        level = percent(self.confidence_level)
        ends = (
            f" from {number(self.x[0])} to {number(self.x[-1])}" if self.x.size else ""
        )
        return f"<CurveBand of {level}: {self.x.size} points{ends}>"

    def to_frame(self) -> Any:
        """Return the limits as a data frame.

        Returns
        -------
        frame : pandas.DataFrame
            Table with the columns "x", "low" and "high".

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return data_frame({"x": self.x, "low": self.low, "high": self.high})


def check_band_level(confidence_level: Any, weighted: bool) -> float:
    """Check the arguments of a chance band, which is defined for whole items only."""
    if weighted:
        raise invalid("sample_weight", "be None for a chance band", "weights")
    return check_fraction("confidence_level", confidence_level)
