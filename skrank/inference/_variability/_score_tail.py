"""Tail of a distribution of scores beyond the observed scores.

The tail has the generalised Weibull type. Beyond a high quantile u, which a share p0 of
the items exceeds, ``-log S(x) = y0 (1 + theta z)^(1 / theta)`` with ``z = (x - u) / g``
and ``y0 = -log p0`` (de Valk 2016). The model holds far beyond the largest score: theta
is 1/2 for normal tails, 1 for exponential tails, and 1 for Pareto tails on the scale of
the logarithm.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

Array = NDArray[np.float64]

# Scales, and the logarithms of their derivatives.
_SCALES: dict[str, tuple[Callable[[Array], Array], Callable[[Array], Array]]] = {
    "raw": (lambda x: x, np.zeros_like),
    "log": (np.log, lambda x: -np.log(x)),
    "logit": (logit, lambda x: -np.log(x) - np.log1p(-x)),
}
# The prior of theta is normal. Set by benchmarks/thinned_negatives.py: with a standard
# deviation of 0.25 the estimate for normal scores is biased by -10 %, and a flat prior
# makes intervals wider
_THETA, _THETA_SD = 0.75, 0.5
_THETAS = np.linspace(-0.5, 2.5, 61)  # within 3 standard deviations; none of them is 0
_THETAS = _THETAS + 1e-6
_STEPS = np.linspace(-2, 2, 81)  # of log g around its value for an exponential tail


class ScoreTail:
    """Posterior distribution of the tail, from the scores that exceed u.

    The scale is not known either: each has the weight of its marginal likelihood, with
    the prior of log g flat, which is the same for all scales.

    Parameters
    ----------
    exceeding : ndarray of shape (n_exceeding,)
        Scores above u; at least two different ones.
    u : float
        The quantile.
    p0 : float
        Share of the items that exceed it.
    """

    def __init__(self, exceeding: Array, u: float, p0: float) -> None:
        self.u, self.n_exceeding, self.y0 = u, exceeding.size, -np.log(p0)
        self._fits = {}
        for name, (scale, log_slope) in _SCALES.items():
            if (u <= 0 and name != "raw") or (exceeding.max() >= 1 and name == "logit"):
                continue
            excess = scale(exceeding) - scale(np.array(u))
            middle = np.log(self.y0 * np.median(excess) / np.log(2))
            likelihood = self._log_likelihood(excess, np.exp(middle + _STEPS))
            likelihood += log_slope(exceeding).sum()
            prior = -0.5 * ((_THETAS - _THETA) / _THETA_SD) ** 2
            self._fits[name] = middle, likelihood + prior[:, None]
        best = max(fit.max() for _, fit in self._fits.values())
        total = {
            name: np.exp(fit - best).sum() for name, (_, fit) in self._fits.items()
        }
        self._weights = np.array(list(total.values())) / sum(total.values())

    @property
    def scale(self) -> str:
        """The scale with the largest likelihood."""
        return list(self._fits)[int(self._weights.argmax())]

    def draw(self, at: Array, n_draws: int, rng: np.random.Generator) -> Array:
        """Draw the shares of the items beyond u that are above some scores."""
        shares = []
        counts = rng.multinomial(n_draws, self._weights)
        for (name, (middle, fit)), count in zip(
            self._fits.items(), counts, strict=True
        ):
            chance = np.exp(fit - fit.max()).ravel()
            drawn = rng.choice(chance.size, count, p=chance / chance.sum())
            row, column = np.unravel_index(drawn, fit.shape)
            g = np.exp(middle + _STEPS[column])
            scale, _ = _SCALES[name]
            with np.errstate(divide="ignore"):  # the logit of 1 is infinite
                excess = scale(np.minimum(at, 1.0) if name == "logit" else at)
            log_y = self._log_y(excess - scale(np.array(self.u)), _THETAS[row], g)
            with np.errstate(over="ignore"):
                shares.append(np.exp(self.y0 - np.exp(log_y)))
        return np.concatenate(shares)

    def _log_y(self, excess: Array, theta: Any, g: Any) -> Array:
        """Logarithm of -log S, a row for each theta; infinite beyond the end."""
        inside = 1 + theta[:, None] * excess / g[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            log_y = np.log(self.y0) + np.log(inside) / theta[:, None]
        return np.where(inside > 0, log_y, np.inf)

    def _log_likelihood(self, excess: Array, steps: Array) -> Array:
        """Log-likelihood of each theta and g."""
        found = np.empty((_THETAS.size, steps.size))
        for i, theta in enumerate(_THETAS):
            log_y = self._log_y(excess, np.full(steps.size, theta), steps)
            with np.errstate(over="ignore", invalid="ignore"):
                slope = (1 - theta) * log_y + theta * np.log(self.y0)
                terms = slope - np.log(steps)[:, None] + self.y0 - np.exp(log_y)
            found[i] = np.where(np.isfinite(log_y), terms, -np.inf).sum(axis=1)
        return found
