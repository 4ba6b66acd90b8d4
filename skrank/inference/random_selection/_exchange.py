"""Random labels for items in strata and in clusters.

Labels of items are permuted within their stratum. Labels of clusters are permuted as
blocks of exchangeable data (Winkler et al. 2015, *NeuroImage* 123, 253-268): the labels
of a cluster, in the order of its items, move to another cluster of the same size.
Clusters of different sizes are not exchangeable: if clusters with targets are larger,
the sizes have information on the labels.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skrank._utils._checks import invalid
from skrank._utils._jobs import run_draws
from skrank.metrics._definitions import Frame, Metric
from skrank.null._sampling import draw_places
from skrank.ranking._ranking import HitGroups, Ranking
from skrank.ranking._standing import items_above

_Ints = NDArray[Any]
_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Exchange:
    """Units, which are clusters or single items, and the blocks in which they move.

    `items` are the positions of the items, unit after unit; those of a unit begin at
    `start`. `blocks` has the units of each block with unequal labels, and those of them
    with targets. `fixed` are the positions of the targets that do not move, and
    `description` is that of the permutation in print.
    """

    is_target: NDArray[np.bool_]
    items: _Ints
    start: _Ints
    size: _Ints
    blocks: tuple[tuple[_Ints, _Ints], ...]
    fixed: _Ints
    description: str

    def draw(self, n_draws: int, generator: np.random.Generator) -> tuple[_Ints, _Ints]:
        """Positions of the targets of all draws, and the draw of each."""
        found, rows = [], []
        every = np.arange(n_draws)
        for units, donors in self.blocks:
            places = draw_places(units.size, donors.size, n_draws, generator)
            taken = units[generator.permuted(places, axis=1)]
            # the units that receive labels, with the order of the items of the donor
            size = self.size[taken].ravel()
            within = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
            at = np.repeat(self.start[taken].ravel(), size) + within
            row = np.repeat(np.repeat(every, donors.size), size)
            from_donor = np.tile(self.start[donors], n_draws)
            moved = self.is_target[self.items[np.repeat(from_donor, size) + within]]
            found.append(self.items[at[moved]])
            rows.append(row[moved])
        found.append(np.tile(self.fixed, n_draws))
        rows.append(np.repeat(every, self.fixed.size))
        return np.concatenate(found), np.concatenate(rows)


def exchange_of(
    is_target: NDArray[np.bool_],
    codes: _Ints | None,
    strata: _Ints | None,
    groups: _Ints,
) -> Exchange:
    """Return the exchange of labels; an error if nothing can move.

    Labels stay in the group of their item, such as a day: clusters have labels to
    exchange if they have as many items in each group.
    """
    n = is_target.size
    units = np.arange(n) if codes is None else codes
    items, size = np.lexsort((groups, units)), np.bincount(units)
    start = np.cumsum(size) - size
    hits = np.bincount(units, is_target).astype(np.intp)
    stratum = np.zeros(size.size, dtype=np.intp)
    if strata is not None:
        stratum = strata[items[start]]
        if np.any(strata != stratum[units]):
            rule = "be the same for all items of a cluster"
            raise invalid("strata", rule, "clusters that lie in several strata")
    blocks, moves = [], np.zeros(size.size, dtype=bool)
    for alike in _divide(np.arange(size.size), np.column_stack([stratum, size])):
        rows = items[start[alike][:, None] + np.arange(size[alike[0]])]
        for members in _divide(alike, groups[rows]):
            labels = is_target[
                items[start[members][:, None] + np.arange(rows.shape[1])]
            ]
            if np.any(labels != labels[0]):
                blocks.append((members, members[hits[members] > 0]))
                moves[members] = True
    if not blocks:
        raise _nothing_moves(codes is not None)
    fixed = np.flatnonzero(is_target & ~moves[units])
    description = "labels of items"
    if codes is not None:
        description = "labels of whole clusters, between clusters of equal size"
        description += " in each group" if groups.any() else ""
    if strata is not None:
        description += f", within {strata.max() + 1} strata"
    if not moves.all() and codes is not None:
        description += f"; {moves.sum()} of {moves.size} clusters are permuted"
    return Exchange(is_target, items, start, size, tuple(blocks), fixed, description)


def _divide(units: _Ints, key: NDArray[Any]) -> list[_Ints]:
    """Divide units by the rows of a key."""
    block = np.unique(key, axis=0, return_inverse=True)[1].ravel()
    order = np.argsort(block, kind="stable")
    return np.split(units[order], np.cumsum(np.bincount(block))[:-1])


class NothingMovesError(ValueError):
    """No labels can be exchanged."""


def _nothing_moves(clustered: bool) -> NothingMovesError:
    if not clustered:
        rule = "have a stratum with targets and non-targets"
        return NothingMovesError(invalid("strata", rule, "none such"))
    rule = "have two of equal size with different labels"
    got = "none (with `groups`, the size in each group must be equal)"
    advice = (
        "To permute labels within clusters, give them as `strata`. Or keep the same "
        "number of items of each cluster."
    )
    return NothingMovesError(invalid("clusters", rule, got, advice))


def exchanged_values(
    metric: Metric,
    rankings: Sequence[Ranking],
    exchange: Exchange,
    groups: _Ints,
    n_draws: int,
    generator: np.random.Generator,
    *,
    progress: bool,
) -> _Floats:
    """Mean values of the rankings with permuted labels; O(m log m) each.

    `groups` is the ranking of each item, or -1.
    """
    above = np.zeros(groups.size, dtype=np.intp)
    for number, ranking in enumerate(rankings):
        above[groups == number] = items_above(ranking.items.y_score)
    most = sum(one.items.targets.size for one in rankings), len(rankings)
    portion = 2**20 // max(most)  # targets of the draws of a task; limits the memory
    engine = partial(_values, metric, rankings, exchange, groups, above)
    drawn = run_draws(engine, n_draws, portion, generator, progress=progress)
    return np.concatenate(drawn)


def _values(
    metric: Metric,
    rankings: Sequence[Ranking],
    exchange: Exchange,
    groups: _Ints,
    above: _Ints,
    n_draws: int,
    seed: int,
) -> _Floats:
    targets, draw = exchange.draw(n_draws, np.random.default_rng(seed))
    counted = groups[targets] >= 0
    targets, draw = targets[counted], draw[counted]
    # tie groups with targets, in the order of the draws and rankings, best first
    n_rankings, size = len(rankings), groups.size
    row = draw * n_rankings + groups[targets]
    start, hits = np.unique(row * size + above[targets], return_counts=True)
    row, depth = np.divmod(start, size)
    place = groups[groups >= 0] * size + above[groups >= 0]
    ties = np.bincount(place)[row % n_rankings * size + depth]
    m = np.bincount(row, hits, n_draws * n_rankings).astype(np.intp)
    hits_above = np.cumsum(hits) - hits - (np.cumsum(m) - m)[row]
    found = HitGroups(depth, ties, hits_above, hits)
    # clusters differ in size, and so draws differ in their numbers of targets
    number = np.tile(np.arange(n_rankings), n_draws)
    shapes, which = np.unique(m * n_rankings + number, return_inverse=True)
    frames = [
        metric.frame(rankings[shape % n_rankings], int(shape // n_rankings))
        for shape in shapes.tolist()
    ]
    sizes, cuts = (np.array(one)[which] for one in list(zip(*frames, strict=True))[::2])
    values = metric.values(found, row, m.size, Frame(sizes, m, cuts))
    means: _Floats = values.reshape(n_draws, n_rankings).mean(axis=1)
    return means
