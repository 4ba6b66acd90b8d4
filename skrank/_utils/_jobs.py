"""Run work in parallel with joblib."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from skrank._utils._text import track


def run_jobs(
    engine: Callable[..., Any],
    tasks: Iterable[tuple[Any, ...]],
    *,
    total: int,
    label: str,
    n_jobs: int | None,
    progress: bool = False,
) -> list[Any]:
    """Call ``engine(*task)`` for each of `total` tasks; return the results in order."""
    shown = track(tasks, total=total, label=label, progress=progress)
    answers: list[Any] = Parallel(n_jobs=n_jobs)(
        delayed(engine)(*task) for task in shown
    )
    return answers


def run_draws(
    engine: Callable[[int, int], Any],
    n_draws: int,
    portion: int,
    generator: np.random.Generator,
    *,
    n_jobs: int | None = None,
    progress: bool = False,
) -> list[Any]:
    """Call ``engine(size, seed)`` for portions of the draws.

    Each portion has its own seed, so the results do not depend on the jobs.
    """
    portion = max(1, portion)
    sizes = [min(portion, n_draws - start) for start in range(0, n_draws, portion)]
    seeds = generator.integers(2**63, size=len(sizes)).tolist()
    return run_jobs(
        engine,
        zip(sizes, seeds, strict=True),
        total=len(sizes),
        label="draws",
        n_jobs=n_jobs,
        progress=progress,
    )
