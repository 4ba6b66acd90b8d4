"""Draws of the targets without a label, with one more label in some of the strata.

There are three draws of each stratum: those as the sample is, those with one more item
that is no target, and those with one more target. A `Choice` says which of them the
strata have, and exchanges those of one stratum at a time. What follows from a stratum
by itself is computed once for each of the three, and an exchange changes sums over the
strata in this place only, so that the time is proportional to the number of strata.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skrank.ranking._sampled import SampledRanking

Floats = NDArray[np.float64]
Counts = NDArray[np.intp]

# Labels below which all strata have one more item together. The smallest coverage over
# all numbers of targets of two strata with five labels each is then .96; with half of
# it, strata with 4 to 8 labels have .89.
FEW = 10
# Numbers of the draws of a stratum
_BASE, _LESS, _MORE = range(3)


@dataclass(frozen=True, eq=False)
class Exchanged:
    """Numbers of the strata, and those by which the number of one is replaced.

    `usual` is of shape (n_draws, n_strata). Column i of `other`, of shape (n_draws,
    n_exchanges), takes the place of column `at[i]`.
    """

    usual: Floats
    other: Floats
    at: Counts

    @cached_property
    def better(self) -> Floats:
        """Usual sums over the strata that are better, (n_draws, n_strata)."""
        return np.asarray(self.usual.cumsum(axis=1) - self.usual)

    @cached_property
    def change(self) -> Floats:
        """What each exchange adds to the number, (n_draws, n_exchanges)."""
        return np.asarray(self.other - self.usual[:, self.at])

    @property
    def sums(self) -> Floats:
        """Sums over the strata, of shape (n_draws, n_exchanges)."""
        return np.asarray(self.usual.sum(axis=1)[:, None] + self.change)


class Choice(NamedTuple):
    """Which draws the strata have, `usual`, and stratum `at[i]` after exchange i."""

    usual: Counts
    at: Counts
    other: Counts

    def of(self, drawn: Floats) -> Exchanged:
        """Return numbers of the strata by their draws, the first axis of `drawn`."""
        every = np.arange(self.usual.size)
        usual, other = drawn[self.usual, :, every], drawn[self.other, :, self.at]
        return Exchanged(usual.T, other.T, self.at)


def as_drawn(extra: Floats) -> tuple[Choice, Floats]:
    """Return draws of one kind, and the choice that leaves them as they are."""
    first = np.zeros(1, dtype=np.intp)
    return Choice(np.zeros(extra.shape[1], dtype=np.intp), first, first), extra[None]


def choices(ranking: SampledRanking) -> Iterator[Choice]:
    """Return in which strata one more item was labelled.

    Of the strata with many labels all have one more that is no target; or one has a
    target more, and the others one that is no target, or none. Those of few labels all
    have: a target in the better ones and none in the others, or the reverse.
    """
    number, is_few = np.arange(ranking.n_items.size), ranking.n_labelled < FEW
    few = [h for h in ranking.sampled if is_few[h]]
    many = np.array([h for h in ranking.sampled if not is_few[h]], dtype=np.intp)
    more = np.full(many.size, _MORE)
    # at most 16 of the strata that may be the last better one, for many strata
    at = np.unique(np.rint(np.linspace(0, len(few) - 1, 16))).astype(int)
    for end in [few[i] for i in at] if few else [-1]:
        for better, worse in ((_MORE, _LESS), (_LESS, _MORE))[: 1 + bool(few)]:
            side = np.where(number <= end, better, worse)
            none = np.where(is_few, side, _LESS)
            others = many if many.size > 1 else many[:0]
            yield Choice(
                none, np.append(0, others), np.append(none[0], more[: others.size])
            )
            if many.size:
                yield Choice(np.where(is_few, side, _BASE), many, more)
