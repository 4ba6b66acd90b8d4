"""The null distribution of a metric, and the engines that compute it.

What comes in is the shape of a list: how many items, how many targets, which ties. What
goes out is what random selection would do to a metric on such a list: its mean, its
spread, and the probability of doing at least as well as a ranking did.
"""

from skrank.null._distribution import MeanNull, RandomSelectionNull
from skrank.null._tail import TailProbability

__all__ = ["MeanNull", "RandomSelectionNull", "TailProbability"]
