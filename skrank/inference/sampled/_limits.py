"""Limits of numbers of targets, of metrics, and of hits, over the draws of a sample."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skrank._utils._warnings import warn
from skrank.inference.sampled._draws import Choice, Exchanged, Floats
from skrank.inference.sampled._placements import Cut, Placements

# Draws, of those with the most extreme values, at which the bound of a metric may
# begin: all of them with 3,000 draws at a level of 95 %
_CORNERS = 64


class ChosenDraws:
    """Targets without a label by stratum, `extra`, and in all strata, `left`.

    If the draws of one stratum only differ, all values of the numbers of targets
    between the limits of this number are between the limits. Otherwise the same number
    of draws is outside on each side.
    """

    def __init__(self, choice: Choice, drawn: Floats, level: float) -> None:
        self.extra, self._level = choice.of(drawn), level
        self.left = self.extra.sums
        varies = np.ptp(drawn, axis=1, keepdims=True) > 0
        self._n_varying = choice.of(varies.astype(float)).sums[0]
        n_draws = len(self.left)
        self._n_out = _surely_outside((1 - level) / 2, n_draws)
        if math.floor((1 - level) / 2 * n_draws) < 1:
            warn(
                f"The limits are the most extreme ones of {n_draws} draws: the "
                f"confidence level {level:.6g} needs `n_resamples` of "
                f"{math.ceil(2 / (1 - level))}.",
                UserWarning,
            )

    def limits(
        self, low: Floats, high: Floats, base: Floats | None = None
    ) -> list[tuple[float, float]]:
        """Return limits of values for each exchange, of shape (n_draws, n_exchanges).

        With `base` the values need not be monotone in the targets of the strata. A draw
        then counts with the most extreme value of all draws between it and `base`, in
        each stratum. This bound is monotone.
        """
        usual: dict[int, Floats] = {}
        if base is not None:  # by stratum, those first that tell draws apart
            order = np.argsort(-np.ptp(self.extra.usual, axis=0))
            away = (self.extra.usual - base).T[order]
            usual = dict(zip(order.tolist(), away, strict=True))
        found = []
        for i, h in enumerate(self.extra.at.tolist()):
            least, most = low[:, i], -high[:, i]
            if self._n_varying[i] == 1:
                inside = self._inside(i)
                ends = [one[inside].min() for one in (least, most)]
            elif base is None or not self._n_varying[i]:
                ends = [one[self._n_out] for one in np.sort([least, most])]
            else:
                changed = usual | {h: self.extra.other[:, i] - base[h]}
                ends = [
                    _outermost([*changed.values()], one, self._n_out)
                    for one in (least, most)
                ]
            found.append((float(ends[0]), -float(ends[1])))
        return found

    def band(
        self, placements: Placements, depths: NDArray[Any], *, together: bool
    ) -> list[tuple[Floats, Floats]]:
        """Return limits of the hits above depths for each exchange.

        The number of draws outside is that of each depth, or of some depth for depths
        `together`.
        """
        most = _surely_outside(1 - self._level, len(self.left)) if together else None
        sides = [
            _HitsOfSide(placements, depths, self.extra.usual, side, self._n_out)
            for side in ("last", "first")
        ]
        found = []
        for i, h in enumerate(self.extra.at):
            old, new = self.extra.usual[:, h], self.extra.other[:, i]
            changes = [one.exchanged(h, old, new) for one in sides]
            if self._n_varying[i] == 1:
                inside = self._inside(i)
                ends = [
                    one.values(*change)[:, inside].min(axis=1)
                    for one, change in zip(sides, changes, strict=True)
                ]
            else:
                ends = _joint_limits(
                    [
                        one.tails(*change)
                        for one, change in zip(sides, changes, strict=True)
                    ],
                    len(self.left),
                    most,
                )
            found.append((ends[0], -ends[1]))
        return found

    def _inside(self, number: int) -> NDArray[np.intp]:
        """Return the draws between limits of the number of targets."""
        n_draws = len(self.left)
        n_out = math.floor((1 - self._level) / 2 * n_draws)
        return np.argsort(self.left[:, number])[n_out : n_draws - n_out]


class _HitsOfSide:
    """Hits above depths of draws with targets on the last, or the first, places.

    Arrays are of shape (n_depths, n_draws). The hits with targets on the first places
    are negative, so that the least ones are sought on both sides.
    """

    def __init__(
        self,
        placements: Placements,
        depths: NDArray[Any],
        usual: Floats,
        side: str,
        n_out: int,
    ) -> None:
        self._placements, self._side, self._n_out = placements, side, n_out
        cuts, share = placements.cuts(depths)
        # both ends are the same without a divided tie
        self._cuts: tuple[Cut, ...] = cuts if share.any() else cuts[:1]
        self._share = share[:, None]
        itself = Exchanged(usual, usual[:, :1], np.zeros(1, dtype=np.intp))
        self._ends = [
            np.ascontiguousarray(placements.hits_down_to(itself, *one, side).T)
            for one in self._cuts
        ]
        self._usual = self._between(self._ends, slice(None))
        self._tails = _tails(self._usual, n_out)

    def exchanged(
        self, h: int, old: Floats, new: Floats
    ) -> tuple[NDArray[np.intp], Floats]:
        """Return the depths at which an exchange changes the hits, and these."""
        at = self._placements
        rooms = [at.room_above(*one, h)[:, None] for one in self._cuts]
        rows = np.flatnonzero(rooms[-1])
        ends = [
            end[rows]
            + at.in_room(new, h, room[rows], self._side)
            - at.in_room(old, h, room[rows], self._side)
            for end, room in zip(self._ends, rooms, strict=True)
        ]
        return rows, self._between(ends, rows)

    def values(self, rows: NDArray[np.intp], hits: Floats) -> Floats:
        """Return the hits above all depths after an exchange."""
        values = self._usual.copy()
        values[rows] = hits
        return values

    def tails(
        self, rows: NDArray[np.intp], hits: Floats
    ) -> tuple[Floats, NDArray[np.intp]]:
        """Return the least hits above all depths after an exchange, and their draws."""
        smallest, draws = self._tails[0].copy(), self._tails[1].copy()
        smallest[rows], draws[rows] = _tails(hits, self._n_out)
        return smallest, draws

    def _between(self, ends: list[Floats], rows: Any) -> Floats:
        """Return the hits above the depths, which may divide ties."""
        hits = ends[0]
        if len(ends) > 1:
            hits = hits + self._share[rows] * (ends[1] - hits)
        return hits if self._side == "last" else -hits


def _tails(values: Floats, n_out: int) -> tuple[Floats, NDArray[np.intp]]:
    """Return the `n_out` + 1 smallest values of each row, sorted, and their places."""
    place = np.argpartition(values, n_out, axis=1)[:, : n_out + 1]
    smallest = np.take_along_axis(values, place, axis=1)
    order = np.argsort(smallest, axis=1)
    return (
        np.take_along_axis(smallest, order, axis=1),
        np.take_along_axis(place, order, axis=1),
    )


def _joint_limits(
    tails: list[tuple[Floats, NDArray[np.intp]]], n_draws: int, most: int | None
) -> list[Floats]:
    """Return the smallest values below which at most `most` draws are, in some row."""
    n_out = tails[0][0].shape[1] - 1
    if most is not None:
        outermost = np.full(n_draws, n_out + 1)
        for smallest, draws in tails:
            # the number of values up to each one, if the tail has all of these
            ranks = np.full(smallest.shape, n_out + 1)
            is_last = smallest[:, :-1] < smallest[:, 1:]
            ranks[:, :-1][is_last] = np.nonzero(is_last)[1] + 1
            ranks = np.minimum.accumulate(ranks[:, ::-1], axis=1)[:, ::-1]
            np.minimum.at(outermost, draws.ravel(), ranks.ravel())
        n_out = int(np.sort(outermost)[most]) - 1
    return [smallest[:, n_out] for smallest, _ in tails]


def _surely_outside(share: float, n_draws: int) -> int:
    """Return the number of draws that is a share of all, less its standard error.

    With the share itself, the least coverage of AP over three strata with five labels
    each is .952 for 2,000 draws instead of .967, by the chance of the draws.
    """
    error = math.sqrt(share * (1 - share) * n_draws)
    return max(0, math.floor(share * n_draws - error))


def _outermost(away: list[Floats], values: Floats, n_out: int) -> float:
    """Return the smallest value below which at most `n_out` draws count."""
    order = np.argsort(values)
    at = np.unique(np.linspace(0, n_out, _CORNERS).astype(int))
    corners = order[at]
    # pairs of a corner and of a draw that is as far from the base in all strata so far
    end = away[0][corners, None]
    corner, draw = np.nonzero(np.sign(end) * away[0] >= np.abs(end))
    for one in away[1:]:
        if corner.size == at.size:  # each corner by itself
            break
        end = one[corners][corner]
        is_beyond = np.sign(end) * one[draw] >= np.abs(end)
        corner, draw = corner[is_beyond], draw[is_beyond]
    first = np.full(values.size, at.size)
    np.minimum.at(first, draw, corner)
    counted = np.bincount(first, minlength=at.size).cumsum()[: at.size]
    last = int(np.argmax((counted > n_out) | (at == n_out)))
    return float(values[order[at[max(0, last - (at[last] > last))]]])
