"""Null distributions of metrics under random selection.

The input is the numbers of items and targets, and the ties. The output is the
distribution of a metric: mean, standard deviation, tail probabilities, quantiles and
draws.

The modules in the order of reading:

    1. `_distribution`: the classes of one ranking and of a mean; `_base`: their
       methods; `_quantile`: the search of a quantile
    2. `_tail`: a tail probability, and the choice of its method
    3. `_chain`: a ranking as a Markov chain over tie groups; `_lattice`: the numbers of
       hits that are followed; `_tilted`: the event "value >= s" as a sum over the chain
    4. `_moments`: mean and variance; `_ends`: least and largest value; `_pairs`: gains
       as sums over pairs of hits
    5. methods: `_counting` with `_atoms`; `_walk` to the tilt and `_inversion`, with
       `_many` for many rankings; `_sums`; `_sampling`; `_limits`
"""

from skrank.null._distribution import MeanNull, RandomSelectionNull
from skrank.null._tail import TailProbability

__all__ = ["MeanNull", "RandomSelectionNull", "TailProbability"]
