"""Corrected variance of the mean over folds, whose values are not independent.

The models of two folds of a cross-validation were fitted to mostly the same items. Let
s**2 be the variance of the values of K folds, n_test the number of held-out items, and
n_train the number of items that a model is fitted to. Nadeau and Bengio (2003,
"Inference for the generalization error", *Machine Learning* 52, 239-281, section 4.1)
estimate the variance of the mean by

    (1 / K + n_test / n_train) s**2

and use Student's t with K - 1 degrees of freedom. R repetitions of the K folds have the
same items, and their means are correlated, so that the mean over them has the variance

    (1 / K + n_test / n_train) s**2 (c + (1 - c) / R)

where s**2 is the mean of the variances within the repetitions, with R (K - 1) degrees
of freedom. With J = R K in place of K in the first formula, as Bouckaert and Frank
(2004) proposed, c would be near 1/2.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Correlation of the means over two repetitions: .63 to .88 for the differences of two
# equal models in 12 cells of benchmarks/coverage_of_folds.py. There .06 of the p-values
# are at most .05 in the worst cell, and .12 with half of it.
_CORRELATION = 0.8


def corrected_error(
    values: ArrayLike, ratio: float, repetition: ArrayLike | None = None
) -> tuple[float, float]:
    """Standard error of a mean over folds, or NaN of one, and degrees of freedom.

    `ratio` is the number of held-out items for each item of a fit, and `repetition` the
    number of the repetition of each fold. If each has one fold, as of random splits,
    the variance is that of all folds.
    """
    values = np.asarray(values)
    n = values.size
    if n < 2:
        return math.nan, n - 1.0
    codes = np.zeros(n, dtype=np.intp) if repetition is None else np.asarray(repetition)
    sizes = np.bincount(codes)
    if sizes.max() == 1:
        codes, sizes = np.zeros_like(codes), np.array([n])
    means = np.bincount(codes, values) / np.maximum(sizes, 1)
    freedom = float(n - np.count_nonzero(sizes))
    variance = np.sum((values - means[codes]) ** 2) / freedom
    share = 1 / n + ratio
    if ratio > 0:
        n_folds = 1 + 1 / ratio
        repeats = n / n_folds
        kept = _CORRELATION + (1 - _CORRELATION) / repeats
        share = max(share, (1 / n_folds + ratio) * kept) if repeats > 1 else share
    return math.sqrt(share * variance), freedom


def sampling_error(errors: NDArray[np.float64], ratio: float) -> float:
    """Standard error of the mean for the given models, from the held-out items.

    The folds of one repetition hold out each item once, and there are 1 + 1 / ratio of
    them; further repetitions hold out the same items again.
    """
    return math.sqrt((errors**2).mean() * ratio / (1 + ratio))
