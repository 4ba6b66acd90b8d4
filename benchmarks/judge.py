"""Tail probabilities of null distributions, by code that is independent of skrank.

If there are few numbers of targets in the ties, all are enumerated with their
probabilities; otherwise importance sampling is used. It counts the targets in ties and
in blocks of ranks, which are wider at larger depths. A proposal draws these counts from
binomial distributions, given that they sum to m. A mixture of proposals is fitted to
the draws that reach the statistic (cross-entropy method). It starts from several ways
in which a random ranking can reach the statistic, and these stay in the mixture: a rare
event with two such ways would otherwise lose one, and the standard error would not show
it.
"""

import math
import time
from functools import lru_cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, gammaln, logit, logsumexp
from scipy.stats import binom

SLACK = 1e-12  # values that are nearer to each other, relatively, are equal
# values nearer than this, beside that of a perfect ranking, may be equal or not: a
# statistic that has such neighbours, with more of p than this, is not asked about
NEAR, NEGLIGIBLE = 1e-10, 0.005
SE, SECONDS = 0.015, 10.0  # what the judge must know p to, and how long it may take
WISHED, SOON = 0.004, 1.0  # it goes on to know p so well while that takes so long
MOST_NUMBERS = 10**7  # of what is enumerated
GROWTH = 1.2  # of blocks of ranks, from one to the next
TOP = ("recall_at_t", "precision_at_t", "enrichment_factor")


def log_comb(n, k):
    """Logarithm of the binomial coefficient; -inf where there is no way."""
    return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)


@lru_cache(maxsize=100_000)
def mean_of_first(above, size, hits):
    """Mean of 1 / rank of the first of some hits in a tie, in random order."""
    j = np.arange(1, size + 1)
    ways = log_comb(size - j, hits - 1) - log_comb(size, hits)
    return (np.exp(ways) / (above + j)).sum()


class Setup:
    """A ranking, its ties, and the metric; values as defined in the user guide."""

    def __init__(self, n, m, metric, ties, sizes, settings):
        self.n, self.m, self.metric, self.ties = n, m, metric, ties
        self.sizes, self.settings = sizes, settings
        self.above = np.cumsum(sizes) - sizes
        self.group_of = np.repeat(np.arange(sizes.size), sizes)
        depth = settings.get("k", settings.get("t", n))
        if ties == "together":  # the cutoff moves to the end of a tie
            depth = (self.above + sizes)[self.group_of[depth - 1]]
        self.cut = int(depth)

    def values(self, places):
        """Values of rankings; a row of `places` has the sorted places, from 0."""
        hits = Hits(self, places)
        if self.metric in ("rie", "bedroc"):
            return self._enhancement(hits)
        if self.metric == "reciprocal_rank":
            return hits.first()
        if self.metric in TOP:
            share = self.cut * self.m / self.n
            divisor = {TOP[0]: self.m, TOP[1]: self.cut, TOP[2]: share}[self.metric]
            return hits.above_cut() / divisor
        divisors = {"min": min(self.m, self.cut), "hits": hits.above_cut().clip(1)}
        divisor = divisors.get(self.settings.get("normalize"), self.m)
        return hits.precisions().sum(axis=1) / divisor

    def _enhancement(self, hits):
        """Mean of exp(-alpha r / n) over that of all; BEDROC puts it on [0, 1]."""
        alpha, share = self.settings["alpha"], self.m / self.n
        rates = np.exp(-alpha * np.arange(1, self.n + 1) / self.n)
        means = np.add.reduceat(rates, self.above) / self.sizes
        gains = means[hits.group] if self.ties == "expected" else rates[hits.rank - 1]
        value = gains.mean(axis=1) / rates.mean()
        if self.metric == "rie":
            return value
        most = math.expm1(-alpha * share) / (share * math.expm1(-alpha))
        least = math.expm1(alpha * share) / (share * math.expm1(alpha))
        return (value - least) / (most - least)


class Hits:
    """Where the targets of some rankings are, as the rule for ties sees it."""

    def __init__(self, setup, places):
        self.setup, self.group = setup, setup.group_of[places]
        self.size, self.above = setup.sizes[self.group], setup.above[self.group]
        start = setup.m * np.arange(len(places))[:, None]
        key = (self.group + setup.sizes.size * start).ravel()
        first = np.flatnonzero(np.diff(key, prepend=-1))
        number = np.diff(first, append=key.size)
        self.inside = np.repeat(number, number).reshape(places.shape)
        self.before = np.repeat(first, number).reshape(places.shape) - start
        index = np.arange(setup.m) - self.before + 1
        self.rank = self.above + {
            "optimistic": index,
            "pessimistic": self.size - self.inside + index,
        }.get(setup.ties, self.size)

    def above_cut(self):
        """Number of hits above the cutoff."""
        if self.setup.ties == "expected":
            return ((self.setup.cut - self.above) / self.size).clip(0, 1).sum(axis=1)
        return (self.rank <= self.setup.cut).sum(axis=1)

    def first(self):
        """Reciprocal rank of the first hit."""
        if self.setup.ties != "expected":
            return 1 / self.rank[:, 0]
        columns = (self.above[:, 0], self.size[:, 0], self.inside[:, 0])
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return np.array([mean_of_first(*row) for row in rows])

    def precisions(self):
        """Precision at each hit above the cutoff."""
        setup = self.setup
        if setup.ties == "expected":
            return self._mean_precisions()
        last = self.before + self.inside
        found = last if setup.ties == "together" else np.arange(1, setup.m + 1)
        return np.where(self.rank <= setup.cut, found, 0) / self.rank

    def _mean_precisions(self):
        """Mean of (hits above + 1 + those before it in the tie) / rank, by place."""
        ranks = np.arange(1, self.setup.n + 1)
        weights = (ranks <= self.setup.cut) / ranks
        beyond = weights * (ranks - 1 - self.setup.above[self.setup.group_of])
        first, rest = (
            np.add.reduceat(each, self.setup.above)[self.group]
            for each in (weights, beyond)
        )
        spread = (self.inside - 1) / np.maximum(self.size - 1, 1)
        return ((self.before + 1) * first + spread * rest) / self.size


def compared(setup, values, statistic, sign):
    """Whether values are as extreme as the statistic, and whether rounding decides."""
    off = sign * (values - statistic)
    perfect = setup.values(np.arange(setup.m)[None])[0]
    doubtful = abs(off) <= NEAR * max(abs(perfect), abs(statistic))
    slack = SLACK * abs(statistic)
    return off >= -slack, doubtful & (abs(off) > slack)


def exact_tail(setup, statistic, sign):
    """Logarithm of a tail probability; None for too many, nan if hung on rounding."""
    sizes = setup.sizes
    if setup.metric in TOP:  # these see what is above, in, and below one tie
        group = setup.group_of[setup.cut - 1]
        starts = sorted({0, group, min(group + 1, sizes.size - 1)})
        sizes = np.add.reduceat(sizes, starts)
    counts = shared_out(sizes, setup.m)
    if counts is None:
        return None
    ways = log_comb(sizes, counts).sum(axis=1) - log_comb(setup.n, setup.m)
    values = setup.values(first_places(counts, np.cumsum(sizes) - sizes)[0])
    beyond, doubtful = compared(setup, values, statistic, sign)
    tail, doubt = logsumexp(ways, b=beyond), logsumexp(ways, b=doubtful)
    return math.nan if doubt > tail + math.log(NEGLIGIBLE) else float(tail)


def shared_out(sizes, m):
    """All ways to share out m targets over ties, a row each; None if too many."""
    counts, left = np.zeros((1, 0), dtype=int), np.array([m])
    for size, room in zip(sizes, sizes.sum() - np.cumsum(sizes), strict=True):
        least = np.maximum(left - room, 0)
        number = np.minimum(left, size) - least + 1
        if number.sum() * (sizes.size + m) > MOST_NUMBERS:
            return None
        row = np.repeat(np.arange(left.size), number)
        skipped = (np.cumsum(number) - number)[row]
        hits = least[row] + np.arange(row.size) - skipped
        counts, left = np.column_stack([counts[row], hits]), left[row] - hits
    return counts


def first_places(counts, starts):
    """Put targets on the first places of the cells; also the cell of each."""
    rows, m = len(counts), counts[0].sum()
    cell = np.repeat(np.tile(np.arange(starts.size), rows), counts.ravel())
    cell = cell.reshape(rows, m)
    before = np.cumsum(counts, axis=1) - counts
    return starts[cell] + np.arange(m) - np.take_along_axis(before, cell, 1), cell


class Cells:
    """Ties and blocks of ranks, which get wider down the ranking."""

    def __init__(self, setup):
        self.m, self.n = setup.m, setup.n
        ends = setup.above + setup.sizes
        kept = np.diff(np.log(ends) // math.log(GROWTH), append=math.inf) > 0
        kept |= (setup.sizes > 0.2 * ends) | (self.n <= 60)
        edges = {0, *ends[kept].tolist(), setup.above[setup.group_of[setup.cut - 1]]}
        edges = np.array(sorted(edges))
        self.starts, self.sizes = edges[:-1], np.diff(edges)
        self.tied = setup.group_of[self.starts] == setup.group_of[edges[1:] - 1]
        self.middle = self.starts + (self.sizes + 1) / 2

    def place(self, counts, rng):
        """Draw places uniformly inside the cells; inside a tie any are as good."""
        if 10 * self.m > self.n:
            return self._place_dense(counts, rng)
        places, cell = first_places(counts, self.starts)
        again = ~self.tied[cell]
        # what is drawn twice is drawn again, until all differ
        while (rows := np.flatnonzero(again.any(axis=1))).size:
            some, redrawn = places[rows], cell[rows][again[rows]]
            drawn = (rng.random(redrawn.size) * self.sizes[redrawn]).astype(int)
            some[again[rows]] = self.starts[redrawn] + drawn
            places[rows] = some = np.sort(some, axis=1)
            again[rows] = np.diff(some, axis=1, prepend=-1) == 0
        return places

    def _place_dense(self, counts, rng):
        """Take the first of all items of each cell, in random order."""
        cell = np.repeat(np.arange(self.sizes.size), self.sizes)
        order = np.argsort(cell + rng.random((len(counts), self.n)), axis=1)
        taken = np.arange(self.n) - self.starts[cell] < counts[:, cell]
        return np.sort(order[taken].reshape(-1, self.m), axis=1)


class Proposal:
    """Independent binomial numbers of hits in the cells, given that they sum to m."""

    def __init__(self, cells, logits):
        logits = logits - logits.max()
        odds = brentq(  # by which the sum is m on average
            lambda odds: (cells.sizes * expit(logits + odds)).sum() - cells.m, -300, 300
        )
        self.cells, self.logits = cells, np.clip(logits + odds, -60, 30)
        rates, hits = expit(self.logits)[:, None], np.arange(cells.m + 1)
        self.masses = binom.pmf(hits, cells.sizes[:, None], rates)
        self.below = [np.eye(1, cells.m + 1)[0]]  # of sums over the cells from the last
        for mass in self.masses[::-1]:
            self.below.append(np.convolve(mass, self.below[-1])[: cells.m + 1])
        empty = -(cells.sizes * np.logaddexp(0, self.logits)).sum()
        total = math.log(self.below[-1][-1])
        self.constant = empty - total + log_comb(cells.n, cells.m)

    def draw(self, number, rng):
        """Draw counts, cell by cell, given what is left for the cells below."""
        left, counts = np.full(number, self.cells.m), []
        sums = zip(self.cells.sizes, self.masses, self.below[-2::-1], strict=True)
        for size, mass, below in sums:
            hits = np.arange(min(size, self.cells.m) + 1)
            padded = np.append(below, np.zeros(hits.size))  # for indices below zero
            some, row = np.unique(left, return_inverse=True)
            steps = np.cumsum(mass[hits] * padded[some[:, None] - hits], axis=1)
            steps = steps / steps[:, -1:] + np.arange(some.size)[:, None]
            level = row + rng.random(number) * (1 - 1e-12)
            at = np.searchsorted(steps.ravel(), level, side="right")
            counts.append(np.minimum(at - row * hits.size, hits[-1]))
            left = left - counts[-1]
        return np.column_stack(counts)


def directions(setup, cells):
    """Ways to draw targets up or down the ranking, as weights of cells."""
    yield -np.log(cells.middle)
    yield 1 / cells.middle
    yield (cells.middle <= setup.cut).astype(float)
    wide = cells.tied & (cells.sizes > max(1, 0.02 * cells.n))
    for tie in np.argsort(-cells.sizes * wide)[: min(2, wide.sum())]:
        yield (np.arange(wide.size) == tie).astype(float)
        yield (cells.middle < cells.middle[tie]).astype(float)


def steered(setup, cells, direction, statistic, rng):
    """Proposal along a direction whose mean reaches the statistic, or None."""
    sign, span = 0, np.ptp(direction)
    if not span:
        return None
    for strength in [0, *np.geomspace(0.2, 60, 18)]:
        proposal = Proposal(cells, sign * strength * direction / span)
        found = setup.values(cells.place(proposal.draw(60, rng), rng))
        off = found.mean() - statistic
        sign = sign or (1 if off < 0 else -1)
        if strength and sign * off >= 0:
            return proposal
    return None


class Sampler:
    """Weighted draws for one tail probability, from a mixture of proposals."""

    def __init__(self, setup, statistic, sign, rng):
        self.setup, self.cells = setup, Cells(setup)
        self.value, self.sign, self.rng = statistic, sign, rng
        self.batch = int(np.clip(4e5 / setup.m, 500, 5000))
        ways = directions(setup, self.cells)
        found = [steered(setup, self.cells, way, statistic, rng) for way in ways]
        random_rankings = Proposal(self.cells, np.zeros(self.cells.sizes.size))
        self.starts = [part for part in found if part] + [random_rankings]
        self.parts = 2 * self.starts
        self.shares = np.full(len(self.parts), 1 / len(self.parts))

    def draw(self):
        """Counts, ratios, and weights: of draws beyond the statistic, and in doubt."""
        each = self.rng.multinomial(self.batch, self.shares)
        drawn = zip(self.parts, each, strict=True)
        counts = np.vstack([part.draw(some, self.rng) for part, some in drawn if some])
        # logarithms of the parts' probabilities over those of random rankings
        ratios = np.array([counts @ part.logits + part.constant for part in self.parts])
        ratios += np.log(self.shares)[:, None]
        weights = np.exp(-logsumexp(ratios, axis=0))
        values = self.setup.values(self.cells.place(counts, self.rng))
        found = compared(self.setup, values, self.value, self.sign)
        return counts, ratios, weights * found[0], weights * found[1]

    def fit(self):
        """Give each part the mean counts of the draws that it accounts for."""
        counts, ratios, weights, _ = self.draw()
        if not weights.any():
            return
        shares = np.exp(ratios - logsumexp(ratios, axis=0)) * weights
        totals = shares.sum(axis=1)
        kept = np.flatnonzero(totals[: -len(self.starts)] > 1e-3 * totals.sum())
        means = shares[kept] @ counts / totals[kept][:, None] / self.cells.sizes
        rates = 0.95 * means + 0.05 * self.cells.m / self.cells.n
        parts = [Proposal(self.cells, logit(r.clip(1e-9, 1 - 1e-6))) for r in rates]
        rest = np.full(len(self.starts), 0.2 / len(self.starts))
        shares = np.append(0.8 * totals[kept] / totals[kept].sum(), rest)
        self.parts, self.shares = parts + self.starts, shares / shares.sum()


def sampled_tail(setup, statistic, sign, rng, se=SE, seconds=SECONDS):
    """Logarithm of a tail probability, and its standard error; None if not known."""
    began, spent = time.perf_counter(), 0.0
    sampler = Sampler(setup, statistic, sign, rng)
    for _ in range(8):
        sampler.fit()
    drawn = []
    while spent < seconds:
        drawn.append(sampler.draw()[2:])
        spent = time.perf_counter() - began
        weights, doubt = np.hstack(drawn)
        if len(drawn) < 4 or weights.max() >= 0.01 * weights.sum():
            continue
        error = weights.std() / weights.mean() / math.sqrt(weights.size)
        if error <= (min(se, WISHED) if spent < SOON else se):
            hangs = doubt.sum() > NEGLIGIBLE * weights.sum()
            return None if hangs else (math.log(weights.mean()), error)
    return None
