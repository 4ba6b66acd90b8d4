"""The hits among the top t, at many depths at once: how they vary together.

Recall at a cutoff is that of an empirical process whose cutoff is estimated, too (Ash
and Hughes-Oliver 2022). In their notation n items are ranked, m of them targets, t are
tested; k = hits/m, rho = t/n, pi = m/n, and Lambda is the probability that an item
scored at the cutoff is a target.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Added to correlations of 1, which neighbouring depths may have but for rounding.
_RIDGE = 1e-8


@dataclass(frozen=True, slots=True, eq=False)
class Overlap:
    """What tops of one ranking share with tops of another, or with its own.

    Rows are depths in the one, columns in the other: the targets and the items that are
    in both. Ties that reach across a cutoff are shared out.
    """

    hits: Floats
    items: Floats


def covariance(
    overlap: Overlap,
    hits: tuple[Any, Any],
    depths: tuple[Any, Any],
    around: tuple[Any, Any],
    n_samples: float,
    n_targets: float,
) -> Any:
    """Covariances of the hits at two depths, of one ranking or of two.

    Of samples of as many targets and as many non-targets: with the hits h and the
    others f = t - h above a cutoff where an item is a target with the probability
    Lambda, the hits change by (1 - Lambda) for each target that moves above it, and by
    -Lambda for each other. So it is (1 - Lambda_1)(1 - Lambda_2)(h_12 - h_1 h_2 / m) +
    Lambda_1 Lambda_2 (f_12 - f_1 f_2 / (n - m)).
    """
    others = tuple(t - h for t, h in zip(depths, hits, strict=True))
    of_targets = overlap.hits - hits[0] * hits[1] / n_targets
    shared = overlap.items - overlap.hits
    of_others = shared - others[0] * others[1] / (n_samples - n_targets)
    kept = (1 - around[0]) * (1 - around[1])
    return kept * of_targets + around[0] * around[1] * of_others


def overlap(
    places: tuple[NDArray[np.intp], NDArray[np.intp]],
    targets: NDArray[np.intp],
    depths: NDArray[Any],
) -> Overlap:
    """Count what tops share at all depths, by `cut_places`; O(n + n_depths**3)."""
    shares = [_shares(place, depths) for place in places]
    size = tuple(share.shape[1] for share in shares)
    cells = np.ravel_multi_index(places, size)
    items, hits = (
        shares[0] @ np.bincount(kept, minlength=size[0] * size[1]).reshape(size)
        for kept in (cells, cells[targets])
    )
    return Overlap(hits @ shares[1].T, items @ shares[1].T)


def _shares(places: NDArray[np.intp], depths: NDArray[Any]) -> Floats:
    """Share of each place, column, that is among the top of each depth, row."""
    size = np.bincount(places, minlength=2 * depths.size + 1)
    start = np.cumsum(size) - size
    inside = (depths[:, np.newaxis] - start) / np.maximum(size, 1)
    shares: Floats = np.clip(inside, 0.0, 1.0)
    return shares


def critical_value(
    covariances: Floats, level: float, n_draws: int, rng: np.random.Generator
) -> float:
    """Quantile of the largest deviation, in standard errors, of normal variables.

    The sup-t band of Montiel Olea and Plagborg-Moller (2019); O(n_draws * n_depths**2).
    What does not vary has no deviation; 0 if nothing does.
    """
    varies = np.diag(covariances) > 0
    if not varies.any():
        return 0.0
    covariances = covariances[np.ix_(varies, varies)]
    errors = np.sqrt(np.diag(covariances))
    correlations = covariances / np.outer(errors, errors)
    root = np.linalg.cholesky(correlations + _RIDGE * np.eye(errors.size))
    draws = rng.standard_normal((n_draws, errors.size)) @ root.T
    return float(np.quantile(np.abs(draws).max(axis=1), level))
