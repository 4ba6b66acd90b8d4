"""Tail probability by inversion of the characteristic function, at the saddlepoint.

With the centred sum E and K(u) = log E exp(u E), for any tilt u > 0

    P(E >= 0) = exp(K(u)) * E_u[exp(-u E) 1{E >= 0}]
              = exp(K(u)) / (2 pi) * integral of phi(w) / (u + i w) dw

where E_u and phi belong to the tilted distribution. Near the saddlepoint the integrand
resembles a normal density, so a few dozen frequencies of the trapezoidal rule give many
digits (Daniels 1954, *Annals of Mathematical Statistics* 25, 631-650, has the integral;
Abate and Whitt 1992, *Queueing Systems* 10, 5-88, section 5, its discretisation). If
few hits determine the sum, phi decays slowly, and more frequencies are needed.

The reported error is the sum of three parts: the omitted frequencies, estimated from
the last ones; the period of the rule, by a bound; and the part that is not on the
lattice.
"""

import math

import numpy as np
from numpy.typing import NDArray

from skrank.null._lattice import BATCH_ITEMS, FEW_GROUPS, require_positive
from skrank.null._many import Many
from skrank.null._tilted import FirstHitWay
from skrank.null._walk import Solution, tolerance

_ALIAS = 1e-5  # relative error by the period
# Minimal numbers of frequencies, and of hits that vary together.
_FIRST, _TOGETHER = 12, 1000
# Frequencies, and frequencies times cells: some seconds. And frequencies of the largest
# chains, which are sufficient far from the mean.
_MOST, _WORK, _LEAST = 2**14, 8e7, 128
# Variances of the hits of a tie, and its least share of the variance of the sum, with
# which the sum is nearly on a lattice; and how many of its periods are followed. By
# benchmarks/judged_distributions.py: without them p of some large ties is 5 % wrong.
_TIE, _SHARE, _PERIODS = (0.05, 256), 0.25, 1.5
# Root of the sum of squares of atoms that may have one phase: a hundred equal ones. And
# the coefficient of variation of the power of phi, which is 1 for random phases.
_LARGE, _PEAKED = 0.1, 1.7
# Product of the tilt and the deviation of E from which on no atom at zero matters.
_STEEP = 12.0


def tail(solution: Solution | Many, log_sure: float = -math.inf) -> tuple[float, float]:
    """Logarithm of P(E >= 0), and an estimate of its relative error.

    The number of frequencies is increased. The error is judged when they are
    sufficient, relative to the tail including its certain part.
    """
    tilt, log_mgf = solution.tilt, solution.at(solution.tilt).value
    sure = math.exp(min(log_sure - log_mgf, 700.0))
    width = 2 * math.pi / _period(solution)
    phi = np.zeros(0, dtype=complex)
    sizes = solution.sizes
    affordable = min(_MOST, _WORK / sum(sizes))
    most = max(affordable, _LEAST)
    least = _least(solution, int(affordable / 8), width)
    batch, found, left = max(8, BATCH_ITEMS // max(sizes)), 0.0, math.inf
    is_smooth, allowed = _is_smooth(solution), 0.0
    while phi.size < most and (phi.size < least or left > allowed * (found + sure)):
        count = min(max(phi.size, least), batch)
        phi = np.append(phi, solution.phi(phi.size, count, width))
        sums = _invert(phi, tilt, width, is_smooth=is_smooth), (found, left)
        found, left = min(sums, key=lambda one: one[1])
        allowed = tolerance(log_mgf + math.log(max(found, 1e-300))) / 4
    log_p = min(0.0, log_mgf + math.log(require_positive(found)))
    return log_p, left / found + _ALIAS + solution.error


def _least(solution: Solution | Many, many: int, width: float) -> int:
    """Return the number of frequencies at which the sum may end at the earliest.

    If few hits determine the sum, its characteristic function may increase again: then
    it is followed for as `many` frequencies. If a tie determines it, the sum is nearly
    on a lattice of the gains of one hit of the tie: then it is followed until these are
    in phase.
    """
    if isinstance(solution, Many):
        return _FIRST
    # number of equal hits with the same variation as the sum, for variances v of single
    # hits: (sum of v)**2 / sum of v**2
    whole = squares = 1e-300
    in_phase = 0.0
    for one in solution.rankings:
        for move in one.moves:
            hits = one.hits(move)
            variance, held = move.variance(move.gain), move.variance(hits)
            whole += one.way.part.copies * variance
            squares += one.way.part.copies * variance**2 / max(held, 1.0)
            share = variance / solution.found.curvature
            if _TIE[0] < held < _TIE[1] and share > _SHARE:
                period = 2 * math.pi / math.sqrt(variance / held)  # of one hit's gain
                in_phase = max(in_phase, _PERIODS * period / width)
    first = max(_FIRST, math.ceil(_TOGETHER / max(1.0, whole**2 / squares)))
    first = max(first, math.ceil(min(in_phase, _MOST)))
    parts = [one.way.part for one in solution.rankings]
    groups = sum(part.copies * part.chain.ends.size for part in parts)
    if groups < FEW_GROUPS or isinstance(solution.rankings[0].way, FirstHitWay):
        return max(first, many)
    return first


def _invert(
    phi: NDArray[np.complex128], tilt: float, width: float, *, is_smooth: bool
) -> tuple[float, float]:
    """Sum of the trapezoidal rule with negative frequencies, and its error.

    The later half of the frequencies has decreasing factors, as if a little noise was
    added to the sum: values far below zero then have no effect, for any distribution
    (Lanczos 1956, *Applied Analysis*, chapter IV, has such factors). The integral
    counts an atom at zero by half; the limit of phi gives the other half.

    The omitted part is estimated from the sums of half and of a quarter of the
    frequencies, and from the size of phi at the later ones. If these have random
    phases, like the sum of many atoms, so has the rest. If they have peaks, the values
    are nearly on a lattice, and an atom as large as all of them may be anywhere.
    """
    count = phi.size
    frequency = width * np.arange(count)
    terms = (phi / (tilt + 1j * frequency)).real * width / math.pi
    terms[0] /= 2
    later = phi[count // 2 :]
    power = later.real**2 + later.imag**2
    half_atom = max(0.0, float(later.real.mean())) / 2
    # the root of the sum of squares of all atoms
    atoms = math.sqrt(float(power.mean()))
    sums = []
    for size in (count, count // 2, count // 4):
        place = np.arange(size) / max(size, 1)
        fading = np.cos(math.pi * np.clip(place - 0.5, 0, None)) ** 2
        sums.append(float(terms[:size] @ fading))
    rounding = 1e-14 * float(np.abs(terms).sum())
    change = max(abs(sums[0] - sums[1]), abs(sums[1] - sums[2]) / 4)
    beyond = max(0.0, math.pi / 2 - math.atan(0.75 * count * width / tilt))
    rest = atoms * math.sqrt(width * beyond / (2 * tilt)) / math.pi
    # for random phases the power varies as much as its mean, and not at all for one
    # lump away from zero, whose sum decreases by the factors
    varying = float(power.std()) / max(atoms**2, 1e-300)
    if is_smooth:
        return sums[0], max(rest * min(1.0, varying), change / 2) + rounding
    if atoms > _LARGE or varying > _PEAKED:
        return sums[0] + half_atom, change + rounding + atoms / 2
    unsure = atoms / math.sqrt(count) / 2  # standard error of the half of an atom
    # values near zero, which are no atom, have phases that change slowly
    before = max(0.0, float(phi[count // 4 : count // 2].real.mean())) / 2
    unsure = max(unsure, abs(half_atom - before))
    return sums[0] + half_atom, 2 * math.hypot(rest, unsure) + change / 2 + rounding


def _is_smooth(solution: Solution | Many) -> bool:
    """Whether values are felt across many hits of many groups, so that no atom is."""
    if isinstance(solution, Many) or isinstance(solution.rankings[0].way, FirstHitWay):
        return False
    parts = [one.way.part for one in solution.rankings]
    groups = sum(part.copies * part.chain.ends.size for part in parts)
    return (
        groups >= FEW_GROUPS / 2 and solution.root * solution.found.deviation > _STEEP
    )


def _period(solution: Solution | Many) -> float:
    """Period of the trapezoidal rule, long enough that values beyond it do not count.

    Values beyond the period appear inside it, with a weight of at most 1. Their tilted
    probability is bounded by Chernoff's inequality, at a larger tilt: by three standard
    deviations, or less for a heavy tail. Negative values appear with the weight
    exp(-tilt * (value + period)), which is at most exp(-back * (value + period)) for
    any smaller tilt: three standard deviations back, or at most to the distribution
    without a tilt.
    """
    tilt, small = solution.tilt, -math.log(_ALIAS)
    here, (value, _, curvature) = solution.at(tilt), solution.found
    depth = value - math.log1p(2.5 * abs(solution.root) * math.sqrt(curvature))
    left = (small - depth) / tilt
    back = here.tilt_step(tilt)
    if back < tilt:
        left = min(left, (solution.at(tilt - back).value - depth + small) / back)

    def chernoff(further: float) -> float:
        return (solution.at(tilt + further).value - here.value + small) / further

    further = here.tilt_step(tilt)
    return max(chernoff(further), left)
