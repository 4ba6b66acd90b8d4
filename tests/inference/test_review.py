"""How many targets are left of a list that is read by a ranking that changes.

Judges: the definition of the evidence in rational numbers, the largest probability of
an error over all readers who know every label, the sequential p-value of one sample,
and lists that are ranked again after each batch.
"""

import json
import math
from fractions import Fraction
from functools import cache, partial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import hypergeom

from cases import assert_share, runs
from skrank import ReviewProgress, SampledMetricInterval

# batches of (n_read, n_targets, at_random), in which totals become impossible at once,
# by chosen batches, and by random ones
REVIEWS = {
    "one sample": (30, [(8, 2, True)]),
    "chosen, then random": (30, [(6, 4, False), (7, 1, True)]),
    "in turn": (24, [(3, 2, False), (5, 1, True), (4, 3, False), (6, 1, True)]),
    "random in two halves": (20, [(4, 1, True), (5, 0, True)]),
    "nothing found": (20, [(5, 0, False), (10, 0, True)]),
    "targets only": (12, [(3, 3, True), (2, 2, False), (4, 4, True)]),
    "no targets, then many": (16, [(6, 0, True), (5, 5, False), (2, 0, True)]),
    "all read": (9, [(4, 1, True), (5, 2, True)]),
}


def progress_of(n, batches):
    progress = ReviewProgress(n)
    for n_read, n_targets, at_random in batches:
        progress = progress.update(n_read, n_targets, at_random=at_random)
    return progress


@cache
def chance(unread, left, n_read, x):
    """Return the chance of x targets in a random batch."""
    if not 0 <= left <= unread or not 0 <= left - x <= unread - n_read:
        return Fraction(0)
    ways = math.comb(left, x) * math.comb(unread - left, n_read - x)
    return Fraction(ways, math.comb(unread, n_read))


def evidence(n, batches, total, others, prior=lambda k: 1):
    """Return the evidence against a total, by the definition.

    Each random batch multiplies it by the chance of the batch under the other totals
    that are possible before it, weighted by the prior and the batches so far, divided
    by its chance under the total. Others that cannot be true have a chance of 0.
    """
    unread, found, value = n, 0, Fraction(1)
    weights = {k: Fraction(prior(k)) for k in others}
    for n_read, x, at_random in batches:
        weights = {k: w for k, w in weights.items() if found <= k <= found + unread}
        if at_random and weights:
            chances = {k: chance(unread, k - found, n_read, x) for k in weights}
            mixture = sum(weights[k] * chances[k] for k in weights)
            mixture /= sum(weights.values())
            value *= mixture / chance(unread, total - found, n_read, x)
            weights = {k: weights[k] * chances[k] for k in weights if chances[k]}
        unread, found = unread - n_read, found + x
    return value


def possible(n, batches):
    """Return the totals that agree with all batches, and the number found."""
    found = sum(x for _, x, _ in batches)
    unread = n - sum(n_read for n_read, _, _ in batches)
    return range(found, found + unread + 1), found


@pytest.mark.parametrize("name", REVIEWS)
def test_pvalues_and_limits_are_those_of_the_definition(name):
    n, batches = REVIEWS[name]
    totals, found = possible(n, batches)
    progress = progress_of(n, batches)
    fewer = {k: evidence(n, batches, k, range(k)) for k in totals}
    more = {
        k: evidence(
            n, batches, k, range(k + 1, n + 1), lambda one: Fraction(1, 1 + one)
        )
        for k in totals
    }
    for at_most in range(len(totals) + 1):
        worst = [1 / fewer[k] for k in totals if k > found + at_most]
        expected = float(min(1, max(worst, default=0)))
        assert progress.remaining_pvalue(at_most) == pytest.approx(expected, rel=1e-9)
    for level in (0.5, 0.8, 0.95):
        bound = 2 / Fraction(1 - level)
        high = max(k for k in totals if k == found or fewer[k] < bound)
        low = min(k for k in totals if k == totals[-1] or more[k] < bound)
        if low <= high:
            limits = low - found, high - found
            assert progress.remaining(level) == limits
            shares = [Fraction(found, found + k) if found + k else 1 for k in limits]
            assert_allclose(progress.recall_so_far(level)[::-1], [*map(float, shares)])
        else:
            with pytest.warns(UserWarning, match="The batches contradict each other"):
                assert math.isnan(progress.remaining(level).low)


def test_splitting_a_random_batch_changes_nothing():
    whole = progress_of(300, [(40, 20, False), (90, 7, True)])
    parts = progress_of(300, [(40, 20, False), (50, 5, True), (40, 2, True)])
    for at_most in range(160):
        expected = whole.remaining_pvalue(at_most)
        assert parts.remaining_pvalue(at_most) == pytest.approx(expected, rel=1e-9)
    assert parts.remaining() == whole.remaining()


def largest_mean(n, total, readers_evidence):
    """Return the largest mean of the evidence over all readers who know every label.

    After each batch the reader stops, or reads any items, or a random batch: the
    largest mean over the targets that it can have, by backward induction.
    """

    def largest(batches):
        totals, found = possible(n, batches)
        unread, left = len(totals) - 1, total - found
        best = readers_evidence(batches)
        for n_read in range(1, unread + 1):
            xs = range(max(0, n_read - unread + left), min(n_read, left) + 1)
            best = max(best, *(largest((*batches, (n_read, x, False))) for x in xs))
            after = sum(
                chance(unread, left, n_read, x) * largest((*batches, (n_read, x, True)))
                for x in xs
            )
            best = max(best, after)
        return best

    return largest(())


@pytest.mark.parametrize("total", range(6))
@pytest.mark.parametrize("side", ["fewer", "more"])
def test_mean_evidence_is_at_most_one_for_every_reader(side, total):
    n = 5  # a reader who stops at once has 1
    others = range(total) if side == "fewer" else range(total + 1, n + 1)
    prior = (lambda k: 1) if side == "fewer" else (lambda k: Fraction(1, 1 + k))
    of = partial(evidence, n, total=total, others=others, prior=prior)
    assert largest_mean(n, total, of) == 1


@pytest.mark.parametrize("side", ["p-value", "upper limit", "lower limit"])
@pytest.mark.parametrize("total", [1, 3, 5])
def test_no_reader_who_knows_every_label_errs_too_often(total, side):
    """Judge: the largest probability of an error ever, over all readers."""
    n, alpha = 6, 0.3

    def errs(batches):
        progress, (_, found) = progress_of(n, batches), possible(n, batches)
        left = total - found
        if side == "p-value":
            return left > 0 and progress.remaining_pvalue(left - 1) <= alpha
        low, high = progress.remaining(1 - 2 * alpha)
        return left > high if side == "upper limit" else left < low

    worst = largest_mean(n, total, lambda one: Fraction(errs(one)))
    assert worst <= Fraction(alpha)


@pytest.mark.parametrize(("n", "top", "r"), [(60, 0, 12), (50, 14, 9), (40, 20, 20)])
def test_one_random_batch_is_the_sequential_pvalue_of_a_sample(n, top, r):
    rng = np.random.default_rng(0)
    for _ in range(5):
        y = (rng.random(n) < np.where(np.arange(n) < top, 0.5, 0.2)).astype(float)
        y[0] = 0
        seen = np.arange(n) < top
        rest = rng.permutation(np.flatnonzero(~seen))
        label = np.where(seen, y, np.nan)
        label[rest[:r]] = y[rest[:r]]
        result = SampledMetricInterval("precision@1", n_resamples=100).from_predictions(
            label, -np.arange(n), strata=~seen
        )
        progress = ReviewProgress(n)
        if top:
            progress = progress.update(top, int(y[:top].sum()))
        progress = progress.update(r, int(y[rest[:r]].sum()), at_random=True)
        for at_most in range(n - top - r + 2):
            expected = result.remaining_pvalue(at_most, sequential=True)
            assert progress.remaining_pvalue(at_most) == pytest.approx(expected)


def test_limits_contain_those_of_one_look():
    """Judge: limits that may be looked at once, by the hypergeometric distribution."""
    for n, r, x in [(10_000, 1000, 10), (4000, 800, 20), (300, 60, 0), (300, 60, 60)]:
        progress = ReviewProgress(n).update(r, x, at_random=True)
        totals = np.arange(x, n - r + x + 1)
        once = (hypergeom.cdf(x, n, totals, r) > 0.025) & (
            hypergeom.sf(x - 1, n, totals, r) > 0.025
        )
        low, high = progress.remaining()
        assert low <= totals[once][0] - x
        assert high >= totals[once][-1] - x


def test_nothing_is_known_without_a_random_batch():
    progress = ReviewProgress(100).update(30, 12).update(20, 1)
    assert progress.remaining() == (0, 50)
    assert progress.recall_so_far() == (13 / 63, 1)
    assert progress.remaining_pvalue(49) == progress.recall_pvalue(0.3) == 1
    assert progress.remaining_pvalue(50) == progress.recall_pvalue(13 / 63) == 0
    assert "Nothing is known about the unread items" in progress.conclusion()


def test_all_is_known_when_all_is_read():
    progress = ReviewProgress(10).update(4, 1, at_random=True).update(6, 0)
    assert progress.remaining() == (0, 0)
    assert progress.recall_so_far() == (1, 1)
    assert progress.remaining_pvalue(0) == progress.recall_pvalue(1.0) == 0
    assert "Between 0 and 0 were not found" in progress.conclusion()


@pytest.mark.parametrize(
    ("recall", "at_most"),
    [
        (0.95, 3),
        (57 / 61, 4),
        (0.9, 6),
        (1, 0),
        (0.95001, 2),
        (1e-320, 50),
    ],
)
def test_a_recall_is_the_largest_number_that_may_be_left(recall, at_most):
    """Judge: 57 of 60 are 0.95, by hand."""
    progress = ReviewProgress(150).update(60, 54).update(40, 3, at_random=True)
    expected = progress.remaining_pvalue(at_most)
    assert progress.recall_pvalue(recall) == expected


def test_an_update_leaves_the_progress_before_as_it_was():
    before = ReviewProgress(200).update(50, 20)
    printed, state = str(before), before.state()
    after = before.update(40, 2, at_random=True)
    other = before.update(40, 0, at_random=True)
    assert (str(before), before.state()) == (printed, state)
    assert after.n_targets == 22
    assert other.remaining_pvalue(20) < after.remaining_pvalue(20)


@pytest.mark.parametrize("name", REVIEWS)
def test_a_state_continues_as_the_progress(name):
    progress = progress_of(*REVIEWS[name])
    state = progress.state()
    again = ReviewProgress(**json.loads(json.dumps(state)))
    assert str(again) == str(progress)
    assert again.state() == state
    assert again.remaining_pvalue(1) == progress.remaining_pvalue(1)
    state["batches"].clear()
    assert progress.state() != state


def test_samples_that_are_not_random_leave_no_number():
    """Judge: the upper limit after 200 of 400 items without a target is below 100."""
    progress = ReviewProgress(400).update(200, 0, at_random=True)
    assert progress.remaining().high < 100
    progress = progress.update(100, 100).update(50, 49, at_random=True)
    with pytest.warns(UserWarning, match="The batches contradict each other"):
        left = progress.remaining()
    with pytest.warns(UserWarning, match="The batches contradict each other"):
        recall = progress.recall_so_far()
    assert np.isnan([*left, *recall]).all()
    assert "The batches contradict each other" in progress.conclusion()
    assert "unknown" in str(progress)


WRONG = [
    ({"n_read": 0, "n_targets": 0}, "`n_read` must be an int of at least 1; got 0"),
    ({"n_read": 2.5, "n_targets": 0}, "`n_read` must be an int"),
    ({"n_read": 81, "n_targets": 0}, "`n_read` must be at most 80, .*; got 81"),
    ({"n_read": 5, "n_targets": 6}, "`n_targets` must be at most 5, .*; got 6"),
    ({"n_read": 5, "n_targets": -1}, "`n_targets` must be an int of at least 0"),
    ({"n_read": 5, "n_targets": 1, "at_random": "no"}, "`at_random` must be True or"),
]


@pytest.mark.parametrize(("batch", "message"), WRONG)
def test_batches_that_cannot_be_read(batch, message):
    progress = ReviewProgress(100).update(20, 3)
    with pytest.raises(ValueError, match=message):
        progress.update(**batch)
    state = progress.state()
    state["batches"].append({"at_random": False, **batch})
    with pytest.raises(ValueError, match=message):
        ReviewProgress(**state)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda one: ReviewProgress(0), "`n_samples` must be an int of at least 1"),
        (lambda one: ReviewProgress(9, [3]), "`batches` must have n_read, .*; got 3"),
        (lambda one: ReviewProgress(9, [{"n_read": 3}]), "`batches` must have n_read"),
        (lambda one: one.remaining(95), "`confidence_level` must be a number between"),
        (lambda one: one.recall_so_far(0), "`confidence_level`"),
        (lambda one: one.remaining_pvalue(-1), "`at_most` must be an int of at least"),
        (lambda one: one.remaining_pvalue(0.5), "`at_most`"),
        (lambda one: one.recall_pvalue(0), "`recall` must be a number above 0, up to"),
        (lambda one: one.recall_pvalue(95), "`recall`"),
    ],
)
def test_wrong_questions(ask, message):
    with pytest.raises(ValueError, match=message):
        ask(ReviewProgress(100).update(20, 3, at_random=True))


LISTS = {
    "random": [(0.0, 1.0)],
    "fair": [(2.0, 1.0)],
    "two topics": [(3.5, 0.85), (-1.5, 0.15)],
    "perfect": [(50.0, 1.0)],
}


def read(kind, n, m, policy, recall, rng, size=25):
    """Read with a model that is fitted again after each batch, until p <= 0.05.

    `policy` is the chance of a random batch, or a rule after 100 items in a row without
    a target: "random" reads the rest in random order, and "back" until a target is
    found. Return whether the recall was not reached, and the share that was read.
    """
    x, y = rng.normal(size=(n, 5)), np.arange(n) < m
    shift, share = np.transpose(LISTS[kind])
    x[:m, 0] += np.repeat(shift, np.rint(share * m).astype(int))
    is_read, dry, progress = np.zeros(n, bool), 0, ReviewProgress(n)
    while not is_read.all() and progress.recall_pvalue(recall) > 0.05:
        rest = np.flatnonzero(~is_read)
        at_random = dry >= 100 if isinstance(policy, str) else rng.random() < policy
        order = rng.permutation(rest)
        if not at_random and 0 < y[is_read].sum() < is_read.sum():
            towards = x[is_read & y].mean(axis=0) - x[is_read & ~y].mean(axis=0)
            order = rest[np.argsort(-x[rest] @ towards)]
        batch = order[:size]
        found = int(y[batch].sum())
        if not (at_random and policy == "random"):
            dry = 0 if found else dry + size
        is_read[batch] = True
        progress = progress.update(batch.size, found, at_random=at_random)
    return y[is_read].sum() < recall * m - 1e-9, is_read.mean()


@pytest.mark.nightly
@pytest.mark.parametrize("recall", [0.7, 0.95])
@pytest.mark.parametrize("policy", [0.1, 0.3, "random", "back"])
@pytest.mark.parametrize("kind", LISTS)
def test_reading_stops_too_early_in_few_lists(kind, policy, recall):
    given = kind, 1000, 200, policy, recall
    seen = [read(*given, np.random.default_rng(i)) for i in range(runs(40))]
    assert_share([wrong for wrong, _ in seen], most=0.05)
