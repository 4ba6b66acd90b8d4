"""Windows that hold the paths which make out a tail, and no others.

For any tilt u >= 0 the chance of a path through h hits at one depth whose centred E is
not negative is bounded by Chernoff's inequality (1952, *Annals of Mathematical
Statistics* 23, 493-507) for that path alone,

    P(H = h, E >= 0) <= E[exp(u E) 1{H = h}] = exp(K(u)) * P_u(H = h)

with P_u the tilted distribution. The least of these over some tilts, added up over the
h at one depth, bounds the tail; an h whose bound is far below that is left out.

A distribution tilted as a whole may have two humps on both sides of the observed value,
as where a tie on top counts the more the more hits it holds: neither is part of the
tail, one is too low and one too rare. Without the paths of either, a single hump is
left. Between humps that are far apart each h has its own best tilt, so that the bounds
at few tilts are above the tail by orders of magnitude: more are taken where windows
drawn from a few have failed.

Where the numbers of hits are many, every few of them are enough to find the windows,
and need not be followed one by one inside of these either: see `Chain.strides`. What
was found in strides too long to be right is not believed.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skrank.null._centred import OutOfReachError, TailEvent, refine
from skrank.null._chain import Chain
from skrank.null._steps import Step, Windows
from skrank.null._tilting import (
    Solution,
    Tilted,
    Way,
    centre,
    newton,
    normal_tail,
    total,
)

_MOST_GROUPS = 256  # each of which costs every pass the same, however few its hits
_MOST_VISITS = 2**22  # numbers of hits at all depths
_FEW_CELLS, _MOST_CELLS = 2**20, 2**22  # of a pass: up to .1 s, and half a second
_MOST_STRIDED = 2**23  # of one in strides, where nothing else may know: seconds
_MOST_CLOSING = 2**19  # of the last group, where ways to fill it are tabled
# Eighths of powers of two, times the tilt that centres the whole: a few tilts at first,
# then those between them, and between these.
_TILTS = (-16, 17, 4), (-14, 15, 4), (-15, 16, 2)
_LEFT_OUT = 18.0  # logarithm of the bound of the tail, over those that are left out
# Strides in a standard deviation: to find what is part of the tail, the first for which
# there is room; to follow that, until p feels them no more.
_COARSE, _FINE = (1.0, 0.5, 0.25), (1.0, 2.0, 4.0)
_MISLED = 5.0  # by how much K may differ in those that have found the windows
_FELT = 0.02  # relative error of p at which no more tilts or shorter strides are tried
_UNDERFLOW = 1e-300  # of a tilted chance, which is no less for a bound
_FIRST, _DEEPER = -40.0, 3.0  # chances that are left out at first, if cells are many

_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Narrowed(Solution):
    """The tilt of rankings within windows; `log_upper` is a bound of the tail."""

    log_upper: float = 0.0

    def drawn(self, tilt: float) -> list[Tilted]:
        """Tilt all rankings, unless in strides, which hold no draws."""
        if any(step.stride > 1 for way in self.ways for step in way.steps):
            raise OutOfReachError
        return self.tilted(tilt)[0]


def solve(event: TailEvent, log_bounds: tuple[float, float]) -> Narrowed:
    """Find windows for a tail between two bounds, and the tilt within them.

    A dozen passes, or some forty, up chains without blocks, within windows that leave
    out what is unlikely without a tilt: as much as can be, if the tail is not as
    unlikely.
    O(n_groups * hits above * hits in a group) for each, in strides where that is long.
    """
    if not all(_is_short(part.chain) for part in event.parts):
        raise OutOfReachError
    found, centred = refine(_deeper(event, log_bounds), 0.0)
    if found is None or centred > 0:
        raise OutOfReachError
    return found


def _deeper(
    event: TailEvent, log_bounds: tuple[float, float]
) -> Iterator[tuple[Narrowed | None, float]]:
    """Leave out ever less, and tell how far what is left out is from negligible."""
    floor = lowest = log_bounds[0] - _LEFT_OUT
    likely = _likely(event, floor)
    if _n_cells(likely) > _FEW_CELLS:
        floor = max(min(_FIRST, log_bounds[1] - 2 * _LEFT_OUT), lowest)
        likely = _likely(event, floor)
    while True:
        found, most = _within(event, likely, floor)
        enough = -math.inf if found is None else max(most - _LEFT_OUT, lowest)
        yield found, floor - enough
        if floor == lowest:
            return
        floor = _DEEPER * floor if found is None else most - 2 * _LEFT_OUT
        floor = max(floor, lowest)
        likely = _likely(event, floor)


def _is_short(chain: Chain) -> bool:
    """Whether every number of hits can be looked at, and no order is left open."""
    groups = chain.ends.size
    many = not 1 < groups <= _MOST_GROUPS or groups * chain.n_targets > _MOST_VISITS
    return not (many or chain.merged.any() or chain.terminal_size[1] > _MOST_CLOSING)


def _likely(event: TailEvent, floor: float) -> list[Windows]:
    """Leave out what is so unlikely in all rankings together."""
    floor -= math.log(sum(part.copies for part in event.parts))
    return [part.chain.likely(floor)[0] for part in event.parts]


def _n_cells(windows: Sequence[Windows]) -> int:
    return sum(one.n_cells for one in windows)


def _ways(event: TailEvent, windows: Sequence[Windows]) -> list[Way]:
    pairs = zip(event.parts, windows, strict=True)
    return [Way(p, list(p.chain.steps(w, upwards=True))) for p, w in pairs]


def _strided(
    event: TailEvent, windows: Sequence[Windows], per_deviation: float
) -> list[Way]:
    """Ways in strides, so many of them in a standard deviation of the hits."""
    lattices = [
        part.chain.lattice(
            one, part.chain.strides(per_deviation), np.zeros_like(one.widest)
        )
        for part, one in zip(event.parts, windows, strict=True)
    ]
    if sum(lattice.n_cells for lattice in lattices) > _MOST_STRIDED:
        raise OutOfReachError
    pairs = zip(event.parts, lattices, strict=True)
    return [Way(part, list(part.chain.steps_on(lattice))) for part, lattice in pairs]


def _fitting(
    event: TailEvent, windows: Sequence[Windows], scales: Sequence[float]
) -> Iterator[tuple[float, list[Way]]]:
    """Ways in strides of some lengths, but for those for which there is no room."""
    for per_deviation in scales:
        try:
            ways = _strided(event, windows, per_deviation)
        except OutOfReachError:
            continue
        yield per_deviation, ways


def _within(
    event: TailEvent, likely: Sequence[Windows], floor: float
) -> tuple[Narrowed | None, float]:
    """Bound the tail, narrow the windows, and find the tilt within them.

    None where nothing is as extreme in windows that leave out what is so unlikely. What
    is had in strides is no bound, but nearly one.
    """
    look = _look(event, likely)
    if sum(way.centred.copies * way.most() for way in look.ways) < 0:
        return None, 0.0
    try:
        return refine(_narrower(event, look, floor), _FELT)[0]
    except OutOfReachError:
        return None, 0.0


class _Look(NamedTuple):
    """Ways over all that is likely, in strides unless `per_deviation` is None."""

    ways: list[Way]
    per_deviation: float | None

    def misleads(
        self, event: TailEvent, windows: Sequence[Windows], tilt: float, value: float
    ) -> bool:
        """Whether the strides are felt where K is known, so that bounds are none."""
        if self.per_deviation is None:
            return False
        again = total(_strided(event, windows, self.per_deviation), tilt).value
        return abs(again - value) > _MISLED


def _look(event: TailEvent, likely: Sequence[Windows]) -> _Look:
    """Follow every number of hits, or as many as there is room for."""
    if _n_cells(likely) <= _MOST_CELLS:
        return _Look(_ways(event, likely), None)
    for per_deviation, ways in _fitting(event, likely, _COARSE):
        return _Look(ways, per_deviation)
    raise OutOfReachError


def _narrower(
    event: TailEvent, look: _Look, floor: float
) -> Iterator[tuple[tuple[Narrowed, float], float]]:
    """Narrow the windows by bounds at more and more tilts, and tell the error.

    Where the whole has two humps, there is another tilt for each number of hits, and
    what few tilts leave of its bound hides which of them count.
    """
    ways, start = look.ways, total(look.ways, 0.0)
    tilt, _ = newton(partial(total, ways), start)
    bounds, level = _log_bounds_at(ways, 0.0, event.slack), math.inf
    for tilts in _all_tilts(tilt):
        for one in tilts:
            lower = _log_bounds_at(ways, one, event.slack)
            bounds = list(map(np.minimum, bounds, lower))
        by_row = list(map(_by_row, ways, bounds))
        most = min(_log_sum(row) for rows in by_row for row in rows)
        level = min(most, level)
        windows, log_left_out = _narrowed(ways, by_row, level - _LEFT_OUT)
        try:
            inside, error = _fine(event, windows, tilt)
            root, found = centre(partial(total, inside), total(inside, tilt), tilt)
            if look.misleads(event, windows, root, found.value):
                error = math.inf
        except OutOfReachError:  # they hold too little
            level -= 2 * (most - level + _LEFT_OUT)
            continue
        level = normal_tail(root, found)
        log_left_out = float(np.logaddexp(log_left_out, floor))
        error += math.exp(min(log_left_out - level, 700.0))
        log_upper = 0.0 if look.per_deviation else float(np.logaddexp(most, floor))
        spread = math.sqrt(start.curvature)
        narrowed = Narrowed(event, inside, root, found, spread, error, log_upper)
        yield (narrowed, most), error


def _fine(
    event: TailEvent, windows: Sequence[Windows], tilt: float
) -> tuple[list[Way], float]:
    """Ways over all numbers of hits, or in so short strides that twice those do.

    And by how much the tilted distribution feels the strides.
    """
    if _n_cells(windows) <= _MOST_CELLS:
        return _ways(event, windows), 0.0
    return refine(_shorter(event, windows, tilt), _FELT)


def _shorter(
    event: TailEvent, windows: Sequence[Windows], tilt: float
) -> Iterator[tuple[list[Way], float]]:
    """Ways in ever shorter strides, and by how much those twice as long are felt."""
    twice = math.inf
    for _, ways in _fitting(event, windows, _FINE):
        value = total(ways, tilt).value
        yield ways, math.expm1(min(abs(value - twice), 700.0))
        twice = value


def _all_tilts(tilt: float) -> list[_Floats]:
    """Tilts of the bounds beside none at all, by the one that centres the whole."""
    if tilt <= 0:
        return [np.zeros(0)]
    return [tilt * 2.0 ** (np.arange(*eighths) / 8) for eighths in _TILTS]


def _by_row(way: Way, bounds: _Floats) -> list[_Floats]:
    """Split bounds: over the hits after a group, those in it, and so on up."""
    return np.split(bounds, _starts(way.steps))


def _log_bounds_at(ways: Sequence[Way], tilt: float, slack: float) -> list[_Floats]:
    """Chernoff's bounds at one tilt, those of a ranking one after the other."""
    lists = [way.tilted(tilt) for way in ways]
    pairs = zip(ways, lists, strict=True)
    whole = sum(way.centred.copies * one.log_mgf for way, one in pairs) + tilt * slack
    rows = ([c for _, *both in one.marginals() for c in both] for one in lists)
    chances = (np.maximum(np.concatenate(row), _UNDERFLOW) for row in rows)
    return [whole + np.log(chance) for chance in chances]


def _starts(steps: Sequence[Step]) -> NDArray[np.intp]:
    """Where the rows of bounds begin, but the first one."""
    sizes = [
        ((step.next_most - step.next_least) // step.next_stride + 1, step.gain.shape[0])
        for step in reversed(steps)
    ]
    return np.cumsum(sizes)[:-1]


def _narrowed(
    ways: Sequence[Way], bounds: Sequence[Sequence[_Floats]], floor: float
) -> tuple[list[Windows], float]:
    """Leave out what is bounded below the floor; and the logarithm of how much."""
    cuts = [_cut(*one, floor) for one in zip(ways, bounds, strict=True)]
    copies = np.array([way.centred.copies for way in ways])
    left_out = _log_sum(np.log(copies) + [outside for _, outside in cuts])
    return [narrow for narrow, _ in cuts], left_out


def _cut(way: Way, rows: Sequence[_Floats], floor: float) -> tuple[Windows, float]:
    """Leave out numbers of hits that are bounded so far down; and the sum of these.

    In strides each of them stands for those up to the next ones, on both sides.
    """
    least, most, widest = (part.copy() for part in way.centred.chain.possible())
    left_out = [-np.inf]
    steps, pairs = reversed(way.steps), zip(rows[::2], rows[1::2], strict=True)
    for index, (step, (after, inside)) in enumerate(zip(steps, pairs, strict=True)):
        kept, wide = np.flatnonzero(after > floor), np.flatnonzero(inside > floor)[-1]
        first, last = step.next_least + step.next_stride * kept[[0, -1]]
        room = step.next_stride - 1
        least[index + 1] = max(least[index + 1], first - room)
        most[index + 1] = min(most[index + 1], last + room)
        widest[index] = step.fewest + step.stride * (wide + 1) - 1
        left_out += [*after[: kept[0]], *after[kept[-1] + 1 :], *inside[wide + 1 :]]
    return Windows(least, most, widest), _log_sum(np.array(left_out))


def _log_sum(logchance: _Floats) -> float:
    return float(np.logaddexp.reduce(logchance, initial=-np.inf))
