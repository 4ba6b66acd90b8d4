"""Quantile of a smooth distribution, by secants of the logarithm of its tail.

The first guess is that of a gamma distribution with the same least value, mean and
variance. Below the mean, the logarithm of the tail is nearly linear in the logarithm of
the distance from the least value, and the secants use this distance.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.stats import gamma

from skrank._utils._warnings import warn
from skrank.null._tail import TailProbability
from skrank.null._walk import tolerance

# Largest number of tails, and of those only bounded; the relative error of quantiles,
# and the part of the support at its ends where no tail is asked first.
_MOST_TAILS, _MOST_BOUNDED, _RESOLVED, _NEAREST = 20, 2, 5e-4, 0.02
# Errors of quantiles in standard deviations, if the tails are exact, or estimated.
_ROUNDING, _CLOSE = 1e-7, 1e-4


class Shape(NamedTuple):
    """Ends, mean and standard deviation of a distribution."""

    least: float
    most: float
    mean: float
    std: float


def search_quantile(
    tail_of: Callable[[float], TailProbability], shape: Shape, log_p: float, sign: int
) -> float:
    """Return the least value whose tail above it has at most a log-probability.

    With sign -1, the least value whose tail up to it has at least that. Where the tail
    is only bounded, the value is taken for too extreme.
    """
    value, slope = _first_guess(shape, log_p, sign)
    secants = _Secants(shape, slope, near=value < shape.mean)
    asked, bounded = 0, 0
    while True:
        tail = tail_of(value)
        exact = tail.method == "exact"
        asked += not exact
        sure, most_p = tail.log_bounds or (0.0, 0.0)
        if tail.method == "bounds" and sure <= log_p <= most_p:
            bounded += 1
            if bounded > _MOST_BOUNDED:
                _warn_of_range(secants.low, secants.high, value)
                return value
            value = (value + (secants.low if sign > 0 else secants.high)) / 2
            continue
        lack = sign * (tail.log_pvalue - log_p)
        width = secants.narrow(value, lack)
        # no finer than the probabilities themselves are known
        resolved = max(tolerance(log_p) / 10, tail.error or 0.0)
        if -resolved <= lack <= 0 and tail.method not in ("exact", "bounds"):
            break
        if width <= (_ROUNDING if exact else _CLOSE) * shape.std:
            break
        if asked == _MOST_TAILS:
            _warn_of_range(secants.low, secants.high, secants.high)
            break
        value = secants.next(value, lack, may_step=exact)
    if tail.method == "bounds":
        _warn_of_range(secants.low, secants.high, secants.high)
    return secants.high


def _first_guess(shape: Shape, log_p: float, sign: int) -> tuple[float, float]:
    """Return the quantile of a gamma distribution, and the slope of its log-tail."""
    least, most, mean, std = shape
    away, q = mean - least, math.exp(log_p)
    like = gamma((away / std) ** 2, least, std**2 / away)
    value = like.isf(q) if sign > 0 else like.ppf(q)
    lowest, highest = least + away * _NEAREST, most - (most - least) * _NEAREST
    value = min(max(value, lowest), highest)
    slope = -like.pdf(value) * (value - least if value < mean else 1.0)
    return value, slope / max(q, np.finfo(float).tiny)


class _Secants:
    """Root of a decreasing lack between `low` and `high`, by the method of Illinois.

    If the root is `near` the least value, places are logarithms of the distance to it.
    """

    def __init__(self, shape: Shape, slope: float, *, near: bool) -> None:
        self.low, self.high = shape.least, shape.most
        self._least, self._near = shape.least, near
        self._slope, self._furthest = slope, shape.std
        # the last place and lack on either side of the root
        self._points: list[tuple[float, float] | None] = [None, None]
        self._side: int | None = None
        self._halve = False

    def narrow(self, value: float, lack: float) -> float:
        """Move the end on the side of a value; return the distance that is left."""
        if lack > 0:
            self.low = value
        else:
            self.high = value
        return self.high - self.low

    def next(self, value: float, lack: float, *, may_step: bool) -> float:
        """Return the next value, in the middle every second time if there are steps."""
        place, side = math.log(value - self._least) if self._near else value, lack > 0
        over = self._points[1 - side]
        if over is not None and side == self._side:
            over = self._points[1 - side] = over[0], over[1] / 2
        last = over or self._points[side]
        if last is not None and place != last[0]:
            self._slope = (lack - last[1]) / (place - last[0])
        self._points[side], self._side = (place, lack), side
        place -= (lack + _RESOLVED / 2) / min(self._slope, -1e-300)
        if self._near:
            place = self._least + math.exp(min(place, 0.0))
        step = place - value
        if over is None:
            step = min(max(step, -self._furthest), self._furthest)
            self._furthest *= 2
        self._halve = may_step and not self._halve
        value += step
        if not self.low < value < self.high or self._halve:
            return (self.low + self.high) / 2
        return value


def _warn_of_range(low: float, high: float, found: float) -> None:
    """Warn if a quantile is not accurate enough."""
    msg = (
        f"The quantile is known to be at least {low:.4g}, and at most {high:.4g}. The "
        f"value that is returned is {found:.4g}."
    )
    warn(msg, RuntimeWarning)
