"""Engine "inversion": the characteristic function, inverted along the saddlepoint.

With the centred sum E and K(u) = log E exp(u E), for any tilt u > 0

    P(E >= 0) = exp(K(u)) * E_u[exp(-u E) 1{E >= 0}]
              = exp(K(u)) / (2 pi) * integral of phi(w) / (u + i w) dw

where E_u and phi belong to the tilted distribution. Near the saddlepoint the integrand
is like a normal density, so that a few dozen frequencies of the trapezoidal rule give
many digits (Daniels 1954, *Annals of Mathematical Statistics* 25, 631-650, has the
integral; Abate and Whitt 1992, *Queueing Systems* 10, 5-88, section 5, its
discretisation). The lumpier the distribution, the more slowly phi decays and the more
frequencies it takes.

What is reported as error is the sum of three: the frequencies left out, estimated from
the last ones; the period of the rule, bounded; and the blocks of the fine chain.
"""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from skrank.null._centred import Tail, refine
from skrank.null._tilting import Solution, Tilted

_ALIAS = 1e-5  # of the probability: what the period may add
_BEHIND = 2.0  # K at the tilt of the contour
_GOOD = 4e-3  # relative size of the frequencies left out at which to stop
_FIRST, _LUMPY = 12, 1000  # frequencies at least, and of all hits that vary together
_MAX_FREQUENCIES = 2**15
_FEW_FREQUENCIES = 2**12  # where other engines may follow
_LOOK, _SLOW = 384, 0.3  # frequencies after which such an error is left to them
_MIN_FREQUENCIES = 512  # to be allowed; from there on as many as can be
_WORK = 4e9  # done in this: frequencies times the cells of a pass
BATCH_ITEMS = 2**20  # cells times frequencies of one step; bounds the memory
_FEW_GROUPS = 64  # the distribution may be near a lattice, whose frequencies return:
_LATTICE = 4096, 2 * 10**7  # then so many, where that is this work or less
_MUCH = 0.25  # of the variance, from one tie
_TIED = 0.05, 256.0  # variances of its hits: with fewer there is none, with more others
_BEYOND = 1.5  # times the frequency where such hits are in step


def tail(solution: Solution, *, patient: bool = True) -> Tail:
    """Probability that the centred sum is at least zero, with an estimate of the error.

    Without patience it gives up where many frequencies would be needed.
    """
    tilt = _positive(solution)
    parts, merging = solution.tilted(tilt)
    answers = _finer(solution, parts, tilt, patient=patient)
    (total, error), _ = refine(answers, _GOOD)
    if total <= 0:
        return Tail(0.0, error=math.inf)
    log_mgf = sum(part.centred.copies * part.log_mgf for part in parts)
    log_p = min(0.0, log_mgf + math.log(total))
    return Tail(log_p, error=error + _ALIAS + merging)


def _finer(
    solution: Solution, parts: list[Tilted], tilt: float, *, patient: bool
) -> Iterator[tuple[tuple[float, float], float]]:
    """Sum more and more frequencies; the error counts once they are enough to judge."""
    width = 2 * math.pi / _period(solution, tilt)
    phi = np.zeros(0, dtype=complex)
    sizes = [move.gain.size for part in parts for move in part.moves]
    cells, batch = sum(sizes), max(8, BATCH_ITEMS // max(sizes, default=1))
    least = _least_frequencies(solution, parts, cells, width)
    count = min(least, batch)
    most = min(max(_WORK / max(cells, 1), _MIN_FREQUENCIES), _MAX_FREQUENCIES)
    if not patient:
        most = min(most, _FEW_FREQUENCIES)
    while phi.size < most:
        phi = np.append(phi, characteristic(parts, phi.size, count, width))
        total, error = _invert(phi, tilt, width)
        yield (total, error), error if phi.size >= least else math.inf
        if not patient and phi.size >= _LOOK and error > _SLOW:
            return
        count = min(phi.size, batch)


def _least_frequencies(
    solution: Solution, parts: list[Tilted], cells: int, width: float
) -> int:
    """Return the number of frequencies before which none are taken to be the last.

    A distribution made out by few hits is lumpy: what has vanished may come back.
    """
    whole = solution.event.parts
    first = max(_FIRST, math.ceil(_LUMPY / _n_alike(parts)))
    if sum(x.copies * x.chain.ends.size for x in whole) < _FEW_GROUPS:
        return max(first, min(_LATTICE[0], _LATTICE[1] // max(cells, 1)))
    return max(first, _echo(parts, solution.cumulants.curvature, width))


def _n_alike(parts: list[Tilted]) -> float:
    """Return how many hits, if all counted as much, would vary as the sum does.

    That is (sum of v)**2 / sum of v**2 for variances v of single hits, at least 1.
    """
    total = squares = 1e-300
    for part in parts:
        gained, held = part.variances()
        total += part.centred.copies * float(gained.sum())
        squares += part.centred.copies * float((gained**2 / np.maximum(held, 1)).sum())
    return max(1.0, total**2 / squares)


def _echo(parts: list[Tilted], variance: float, width: float) -> int:
    """Return the number of frequencies at which the hits of one tie are in step again.

    That is where a tie with few hits makes out much of the variance: the distribution
    is then nearly a lattice, with humps as far apart as one hit in the tie counts.
    """
    least = 0.0
    for part in parts:
        pairs = zip(reversed(part.moves), part.marginals(), strict=True)
        for (step, _, gain), (_, _, chance) in pairs:
            hits = step.stride * np.arange(chance.size)
            away = chance * (hits - chance @ hits)
            spread = float(away @ hits)
            if not _TIED[0] <= spread <= _TIED[1]:
                continue
            hit = abs(float(away @ gain[:, gain.shape[1] // 2])) / spread
            if spread * hit**2 > _MUCH * variance:
                least = max(least, _BEYOND * 2 * math.pi / (hit * width))
    return math.ceil(least)


def _invert(
    phi: NDArray[np.complex128], tilt: float, width: float
) -> tuple[float, float]:
    """Sum of the trapezoidal rule, negative frequencies included, and its error.

    What the terms to come will add is judged by what the last half of them, and half of
    what the quarter before them, has added. Of an atom at zero the integral counts
    half; what phi stays at shows the other half.
    """
    frequency = width * np.arange(phi.size)
    terms = (phi / (tilt + 1j * frequency)).real * width / math.pi
    terms[0] /= 2
    late = slice(phi.size // 2, None)
    half_atom = max(0.0, float(phi.real[late].mean())) / 2
    total = float(terms.sum()) + half_atom
    before = float(terms[phi.size // 4 : phi.size // 2].sum())
    left = max(
        abs(float(terms[late].sum())),
        abs(before) / 2,
        float(np.hypot.reduce(terms[late])),
    )
    rounding = 1e-14 * float(np.abs(terms).sum())
    error = left + rounding + half_atom
    return total, error / abs(total) if abs(total) > 0 else math.inf


def _positive(solution: Solution) -> float:
    """Tilt of the contour: the saddlepoint, unless it is near the pole at zero.

    Then so far to the right that the period need not be long, but not so far that the
    tilted distribution leaves the observed value behind, for then digits would be lost.
    """
    if solution.tilt > 0.1 / solution.spread:
        return solution.tilt
    tilt = 0.5 / solution.spread
    while solution.at(tilt).value > _BEHIND:
        tilt /= 2
    return tilt


def _period(solution: Solution, tilt: float) -> float:
    """Period of the trapezoidal rule, so long that what lies beyond does not count.

    Values beyond the period appear inside it, at most with weight 1: their tilted
    chance is bounded by Chernoff's inequality, at some tilt further on, three standard
    deviations or less where the distribution is heavy. Negative values appear with the
    weight exp(-tilt * (value + period)), at most exp(-back * (value + period)) for any
    step back from the tilt: three standard deviations, or all the way to the
    distribution without it.
    """
    here = solution.cumulants if tilt == solution.tilt else solution.at(tilt)
    small = -math.log(_ALIAS)
    at_saddlepoint = solution.cumulants
    depth = at_saddlepoint.value - math.log1p(
        2.5 * abs(solution.tilt) * math.sqrt(at_saddlepoint.curvature)
    )
    left = (small - depth) / tilt
    back = here.reach(tilt)
    if back < tilt:
        left = min(left, (solution.at(tilt - back).value - depth + small) / back)

    def chernoff(further: float) -> float:
        there = solution.at(tilt + further)
        return (there.value - here.value + small) / further

    further = here.reach(tilt)
    right = chernoff(further)
    while right > left:
        further /= 2
        shorter = chernoff(further)
        if shorter > 0.9 * right:
            break
        right = shorter
    return max(right, left)


def characteristic(
    parts: list[Tilted], start: int, count: int, width: float
) -> NDArray[np.complex128]:
    """Characteristic function of the sum of the parts at some of the frequencies."""
    phi = np.ones(count, dtype=complex)
    for part in parts:
        phi *= part.characteristic(start, count, width) ** part.centred.copies
    return phi
