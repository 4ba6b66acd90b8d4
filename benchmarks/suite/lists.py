"""Rankings to time questions on."""

import numpy as np


def make_list(n_samples, prevalence, n_rankings=1):
    """Labels, and scores of one or more rankings that know a little."""
    rng = np.random.default_rng(0)
    y_true = np.zeros(n_samples, dtype=np.int64)
    n_targets = max(2, round(n_samples * prevalence))
    y_true[rng.choice(n_samples, n_targets, replace=False)] = 1
    return y_true, *(rng.normal(y_true) for _ in range(n_rankings))
