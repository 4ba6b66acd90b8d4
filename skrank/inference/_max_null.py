"""How often random selection does as well as candidates, and as the best of them.

What comes in is the joint null distribution of the candidates and their z-scores; what
goes out is counts over draws of labels, and the best value of each draw.
"""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from skrank._utils._jobs import run_draws
from skrank.null._joint import JointNull

_BATCH_ITEMS = 2**15  # targets drawn in one task
_SLACK = 1e-9  # in standard deviations: equal values may be rounded apart

_Floats = NDArray[np.float64]
_Ints = NDArray[np.intp]


def count_draws(
    null: JointNull,
    zscores: _Floats,
    wider: float,
    n_resamples: int,
    generator: np.random.Generator,
    *,
    n_jobs: int | None,
    progress: bool,
) -> tuple[_Ints, _Ints, _Floats]:
    """Count draws in which a candidate, or any, does as well; their best values."""
    found = run_draws(
        partial(_by_chance, null, zscores, wider),
        n_resamples,
        _BATCH_ITEMS // sum(one.n_targets for one in null.lists),
        generator,
        n_jobs=n_jobs,
        progress=progress,
    )
    alone, best, null_maxima = zip(*found, strict=True)
    return sum(alone), sum(best), np.concatenate(null_maxima)


def _by_chance(
    null: JointNull, zscores: _Floats, wider: float, size: int, seed: int
) -> tuple[_Ints, _Ints, _Floats]:
    """Draw labels for all candidates; count as `count_draws` does."""
    values = null.draw(size, np.random.default_rng(seed))
    drawn, level = null.zscores(values), zscores[:, None] - _SLACK
    alone = (drawn >= level).sum(axis=1)
    best = (drawn.max(axis=0) >= level).sum(axis=1)
    mean = null.mean[:, None]
    wide = (mean + wider * (values - mean)).max(axis=0)
    return alone, best, np.clip(wide, *null.ends)
