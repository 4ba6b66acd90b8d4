"""What all values of a distribution share: moments, ends, sizes, exact tables."""

import math
from functools import cached_property

import numpy as np

from skrank.null import _ends, _enumeration, _levels
from skrank.null._centred import Term, slack_at
from skrank.null._chain import Chain
from skrank.null._chances import log_binomial
from skrank.null._moments import MOST_CELLS, moments
from skrank.ranking._ties import DETAILED

_FEW_GROUPS, _FEW_CELLS = 64, 2**17  # of rankings that need no strides
_FEW_TARGETS, _APART = (
    100,
    300,
)  # and the items to each of them, of a lumpy distribution
_COARSE_CELLS = 2**24  # of a pass of the coarse chain, where strides fail
_LIGHT_CELLS = 2**20  # and of one that takes less than plain draws
_LUMPY_TIES = 8  # to each target: ties that do not make a distribution lumpy are more
_WINDOW = 12  # deviations of the hits that count
_SPARSE, _QUICK_ITEMS = 2000, 2**16  # items to a target, and in all: slow if more
_QUICK_CELLS = 2**21  # of the lattice of ties that are not merged
# Ties whose windows are narrow, and cells of a pass over some more, hit by hit.
_QUICK_TIES, _QUICK_HITS = 10, 2**24


class Facts:
    """What is known of the mean value over one ranking or several independent ones."""

    def __init__(self, terms: tuple[Term, ...]) -> None:
        self.terms = terms
        self.chains = [term.chain for term in terms]
        self._list_ends: dict[int, list[tuple[float, float]]] = {}

    @cached_property
    def moments(self) -> tuple[float, float]:
        """Mean and variance: those of independent rankings add."""
        mean = variance = 0.0
        for chain, weight, count in self.terms:
            one = self._list_moments(chain)
            mean += count * weight * one[0]
            variance += count * weight**2 * one[1]
        return mean, variance

    def _list_moments(self, chain: Chain) -> tuple[float, float]:
        if chain.measure.counted_hits == 1 and chain.n_cells > MOST_CELLS:
            return _enumeration.first_hit_moments(chain)
        return moments(chain)

    @cached_property
    def atoms(self) -> _enumeration.Atoms | None:
        """The distribution value by value, where that is quick."""
        return _enumeration.distribution(self.terms, _enumeration.FEW_PATHS)

    @property
    def ends(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Least and largest value, each with the logarithm of its probability."""
        return self.end(-1), self.end(1)

    def end(self, sign: int) -> tuple[float, float]:
        """Return the end on one side."""
        value = logchance = 0.0
        pairs = zip(self.terms, self.list_ends(sign), strict=True)
        for (_, weight, copies), one in pairs:
            value += copies * weight * one[0]
            logchance += copies * one[1]
        return value, min(logchance, 0.0)  # but for rounding

    def list_ends(self, sign: int) -> list[tuple[float, float]]:
        """Return those of each ranking."""
        if sign not in self._list_ends:
            self._list_ends[sign] = [self._list_end(one, sign) for one in self.chains]
        return self._list_ends[sign]

    def _list_end(self, chain: Chain, sign: int) -> tuple[float, float]:
        large, askable = self.is_large, self.is_askable
        return _ends.end(chain, sign, large=large, askable=askable)

    @cached_property
    def log_lists(self) -> float:
        """Logarithm of the number of rankings."""
        return sum(
            copies * float(log_binomial(chain.n_samples, chain.n_targets))
            for chain, _, copies in self.terms
        )

    @cached_property
    def to_come(self) -> list[_enumeration.ToCome | None]:
        """What is still to come down each ranking, where its paths must be counted."""
        if self.is_single:
            return [_enumeration.to_come(self.chains[0])]
        pairs = zip(self.chains, self.list_distributions, strict=True)
        return [_enumeration.to_come(c) if null is None else None for c, null in pairs]

    @cached_property
    def list_distributions(self) -> list[_enumeration.Atoms | None]:
        """Distribution of each ranking value by value, where that is quick."""
        return [_enumeration.list_distribution(chain) for chain in self.chains]

    @property
    def is_summable(self) -> bool:
        """Whether there are several rankings, whose values are few."""
        return not self.is_single and None not in self.list_distributions

    @property
    def is_single(self) -> bool:
        """Whether there is one ranking."""
        return len(self.terms) == 1 and self.terms[0].copies == 1

    @property
    def is_long(self) -> bool:
        """Whether a ranking is longer than what is known item by item."""
        return max(chain.n_samples for chain in self.chains) > DETAILED

    @property
    def has_few_groups(self) -> bool:
        """Whether no ranking has many groups."""
        return all(chain.ends.size < _FEW_GROUPS for chain in self.chains)

    @cached_property
    def is_large(self) -> bool:
        """Whether hits are followed in strides."""
        if self.has_few_groups:
            return max(chain.n_cells for chain in self.chains) > _FEW_CELLS
        return max(chain.n_targets for chain in self.chains) > _levels.MANY

    @property
    def is_rare(self) -> bool:
        """Whether targets are so few and far between that the distribution is lumpy."""
        chain = self.chains[0]
        few = chain.n_targets <= _FEW_TARGETS
        return self.is_single and few and chain.n_samples > _APART * chain.n_targets

    @cached_property
    def is_feasible(self) -> bool:
        """Whether every number of hits can be followed."""
        if not self.is_large:
            return True
        return max(chain.coarsest.n_cells for chain in self.chains) <= _COARSE_CELLS

    @property
    def is_lumpy(self) -> bool:
        """Whether few ties hold targets now and then, in rankings slow to follow.

        Plain draws then tell more, and sooner.
        """
        return any(map(_is_lumpy, self.chains))

    @cached_property
    def is_quick(self) -> bool:
        """Whether a tail is known within some two seconds, as a rule."""
        return all(map(_is_quick, self.chains))

    @cached_property
    def is_askable(self) -> bool:
        """Whether the ways to fill the last groups are few enough to be tabled."""
        return all(chain.is_closable for chain in self.chains)

    def is_likely(self, statistic: float, sign: int) -> bool:
        """Whether the mean is as extreme, so that the rest is what is asked for."""
        mean, _ = self.moments
        return statistic < mean if sign > 0 else statistic >= mean

    def deviations(self, statistic: float) -> float:
        """Return how many standard deviations a value is from the mean."""
        mean, variance = self.moments
        return abs(statistic - mean) / math.sqrt(variance) if variance else math.inf

    def slack(self, statistic: float) -> float:
        """Return by how much rounding may move a value near `statistic`."""
        return slack_at(self.terms, statistic)

    def __str__(self) -> str:
        """Name the metric and the size."""
        chain, lists = self.chains[0], sum(term.copies for term in self.terms)
        size = f"{chain.n_targets} of {chain.n_samples}"
        return f"{chain.measure.name}, {size if lists == 1 else f'{lists} rankings'}"


def _is_lumpy(chain: Chain) -> bool:
    n, m = chain.n_samples, chain.n_targets
    few = chain.ends.size <= _LUMPY_TIES * m and n > _APART * m
    return few and chain.coarsest.n_cells > _LIGHT_CELLS


def _is_quick(chain: Chain) -> bool:
    """Judge a ranking by the engines that its shape is left to.

    Few targets far between take many frequencies, and ties that cannot be merged a
    lattice of their hits. Where the groups are few, windows hold what counts, unless
    ties are merged, as narrow ones are far down a long ranking, or hits are many.
    """
    n, m = chain.n_samples, chain.n_targets
    if chain.ends.size < _FEW_GROUPS:
        few = chain.ends.size <= _QUICK_TIES or chain.n_cells <= _QUICK_HITS
        return few and not chain.merged.any()
    if n > max(_SPARSE * m, _QUICK_ITEMS) or _is_lumpy(chain):
        return False
    if chain.untied or chain.measure.pairwise:
        return True
    return _lattice_cells(chain) <= _QUICK_CELLS


def _lattice_cells(chain: Chain) -> float:
    """Cells of a lattice of some strides to each deviation of the hits."""
    n, m = chain.n_samples, chain.n_targets
    share = m / n * (1 - m / n)
    inside = np.sqrt(chain.sizes * share)
    above = np.sqrt(chain.ends * share * (1 - chain.depths / n))
    stride = np.maximum(1, np.minimum(inside, above) / 2)
    rows = np.minimum(chain.sizes, _WINDOW * inside) / stride
    return float((1 + rows) @ (1 + _WINDOW * above / stride))
