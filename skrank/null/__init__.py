"""Null distributions of metrics under random selection.

The input is the numbers of items and targets, and the ties. The output is the
distribution of a metric: mean, standard deviation, tail probabilities, quantiles and
draws.
"""

from skrank.null._distribution import MeanNull, RandomSelectionNull
from skrank.null._tail import TailProbability

__all__ = ["MeanNull", "RandomSelectionNull", "TailProbability"]
