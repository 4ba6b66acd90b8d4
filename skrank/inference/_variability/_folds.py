"""Corrected variance of the mean over folds, whose values are not independent.

The models of two folds of a cross-validation were fitted to mostly the same items. Let
s**2 be the variance of the values of J folds, n_test the number of held-out items, and
n_train the number of items that a model is fitted to. Nadeau and Bengio (2003,
"Inference for the generalization error", *Machine Learning* 52, 239-281, section 4.1)
estimate the variance of the mean by

    (1 / J + n_test / n_train) s**2

and use Student's t with J - 1 degrees of freedom. Bouckaert and Frank (2004) found that
it is also suitable for repeated folds.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray


def corrected_error(values: ArrayLike, ratio: float) -> float:
    """Standard error of the mean of the values of folds; NaN of a single one."""
    values = np.asarray(values)
    if values.size < 2:
        return math.nan
    return math.sqrt((1 / values.size + ratio) * values.var(ddof=1))


def sampling_error(errors: NDArray[np.float64], ratio: float) -> float:
    """Standard error of the mean for the given models, from the held-out items.

    The folds of one repetition hold out each item once, and there are 1 + 1 / ratio of
    them; further repetitions hold out the same items again.
    """
    return math.sqrt((errors**2).mean() * ratio / (1 + ratio))
