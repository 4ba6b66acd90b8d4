"""What a screen can show of a curve, however many points it has.

What comes in is an exact curve; what goes out is a line that looks the same to a
fraction of a pixel, on linear and on logarithmic scales, and after zooming into the
top of the ranking.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skrank.curves import HitCurve

_Floats = NDArray[np.float64]

_CELLS = 2000  # of an axis on a linear scale
_WIDTH = 5e-4  # of a cell on a logarithmic scale, relative to where it stands
_BENDS = 2000  # points added, where a line straight in one view is bent in another


def downsample(curve: HitCurve) -> tuple[_Floats, _Floats]:
    """Depths and hits along a curve, so close that every view of them is smooth."""
    start = min(curve.unit, curve.t[1])
    t = np.append(0, close_depths(np.append(start, curve.t[1:])))
    return t, np.interp(t, curve.t, curve.hits)


def close_depths(depths: NDArray[Any]) -> _Floats:
    """Add depths between the first and the last, none far from its neighbours."""
    between: _Floats = np.geomspace(depths[0], depths[-1], _BENDS)[1:-1]
    close: _Floats = np.union1d(depths, between)
    return close


def thin(x: _Floats, y: _Floats) -> tuple[_Floats, _Floats]:
    """Leave out points of a line that share their pixel with others; O(n).

    x ascends. Of the points in each cell of x the first, the last, the lowest and the
    highest stay, and where y ascends also the first and the last in each cell of y.
    """
    kept = np.zeros(x.size, dtype=bool)
    with np.errstate(divide="ignore"):
        scales = [_linear_cells(x), np.floor(np.log(np.maximum(x, 0)) / _WIDTH)]
    if np.all(y[1:] >= y[:-1]):
        scales.append(_linear_cells(y))
    for cells in scales:
        kept[_extremes(cells, y)] = True
    return x[kept], y[kept]


def _linear_cells(values: _Floats) -> _Floats:
    """Number the cells of a linear scale."""
    low, high = values.min(), values.max()
    cells: _Floats = np.floor((values - low) * (_CELLS / ((high - low) or 1.0)))
    return cells


def _extremes(cells: _Floats, y: _Floats) -> NDArray[np.intp]:
    """First, last, lowest and highest point of each run of equal cells."""
    first = np.flatnonzero(np.append(True, cells[1:] != cells[:-1]))
    sizes = np.diff(np.append(first, y.size))
    run = np.repeat(np.arange(first.size), sizes)
    found = [first, first + sizes - 1]
    for extreme in (np.minimum, np.maximum):
        at = np.flatnonzero(y == extreme.reduceat(y, first)[run])
        found.append(at[np.diff(run[at], prepend=-1) > 0])
    return np.concatenate(found)
