"""Windows that hold the paths of a tail: what they leave out, and one hump."""

import math

import numpy as np
import pytest

import oracles
from cases import METRICS, SMALL_LISTS, TIES, named, oracle_settings
from skrank import RandomSelectionNull
from skrank.null import MeanNull, _coarse, _grid, _inversion, _windows
from skrank.null._centred import OutOfReachError
from skrank.null._choice import TailQuery

# few items on top, of which each target counts the more the more there are
pytestmark = pytest.mark.slow

TWO_HUMPS = [
    ([8, 400, 1592, 3000], 25, 12.0),
    ([20, 1, 900, 79, 4000], 40, 15.0),
    ([100, 100, 100, 100, 4600], 12, 9.0),
]


def narrowed(null, value, sign=1):
    asked = TailQuery(null._facts, value, sign)
    return _windows.solve(asked._event, asked._limits)


@pytest.mark.parametrize("case", METRICS)
@pytest.mark.parametrize("ties", TIES)
def test_bounds_by_every_tilt_hold_all_tails(case, ties):
    # of all placements, in rational numbers
    metric, settings = METRICS[case]
    for sizes, m in SMALL_LISTS:
        null = RandomSelectionNull(
            sum(sizes), m, tie_sizes=sizes, ties=ties, **named(metric, **settings)
        )
        chain = null._terms[0].chain
        if chain.ends.size == 1:
            continue
        exact = oracles.null_distribution(
            sizes, m, metric, ties=ties, **oracle_settings(case, sum(sizes))
        )
        for value in sorted(exact):
            p = float(oracles.tail(exact, value))
            event = TailQuery(null._facts, float(value), 1)._event
            ways = _windows._ways(event, [chain.possible()])
            for tilt in (0.0, 1.0, 5.0):
                (bounds,) = _windows._log_bounds_at(ways, tilt, 0.0)
                for row in np.split(bounds, _windows._starts(ways[0].steps)):
                    assert p <= np.exp(row).sum() * (1 + 1e-9)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize(("sizes", "m", "z"), TWO_HUMPS)
def test_two_humps_against_enumeration(sizes, m, z, ties):
    null = RandomSelectionNull(sum(sizes), m, tie_sizes=sizes, ties=ties)
    value = null.mean() + z * null.std()
    exact = null.tail(value, method="exact").log_pvalue
    solution = narrowed(null, value)
    log_p, _, error = _inversion.tail(solution)
    assert abs(math.expm1(log_p - exact)) <= 3 * error
    assert error < 0.15  # few values, far apart
    assert exact <= solution.log_upper <= exact + 5


@pytest.mark.parametrize("z", [-1.0, 1.0, 8.0])
@pytest.mark.parametrize("ties", TIES)
def test_what_is_left_out_is_no_more_than_the_sum_of_its_bounds(monkeypatch, ties, z):
    sizes = [5, 20, 75, 400, 500, 1000]
    null = RandomSelectionNull(2000, 60, tie_sizes=sizes, ties=ties)
    value, sign = null.mean() + z * null.std(), int(np.sign(z))
    log_p, _, error = _inversion.tail(narrowed(null, value, sign))
    monkeypatch.setattr(_windows, "_LEFT_OUT", 4.0)
    solution = narrowed(null, value, sign)
    less, _, _ = _inversion.tail(solution)
    lost = -math.expm1(less - log_p)
    assert -3 * error <= lost <= solution.error + 3 * error
    assert solution.error > 0


@pytest.mark.parametrize(
    "lists", [[([30, 70, 100], 8)] * 3, [([10, 20, 90], 8), ([200, 100, 50], 9)]]
)
@pytest.mark.parametrize("ties", TIES)
def test_means_of_lists_against_enumeration(lists, ties):
    mean = MeanNull(
        [RandomSelectionNull(sum(s), m, tie_sizes=s, ties=ties) for s, m in lists]
    )
    for z in (-1.0, 0.5, 2.0, 5.0):
        value, sign = mean.mean() + z * mean.std(), int(np.sign(z))
        side = "greater" if sign > 0 else "less"
        exact = mean.tail(value, alternative=side, method="exact").log_pvalue
        log_p, _, error = _inversion.tail(narrowed(mean, value, sign))
        assert abs(math.expm1(log_p - exact)) <= 3 * error + 1e-3


@pytest.mark.parametrize(("ties", "z"), [("threshold", 20), ("expected", 30)])
def test_a_long_list_of_unlike_ties_against_certified_bounds(ties, z):
    # ties of 2, 1, 65 and 36 items among some of thousands, as of nearest neighbours
    sizes = [247, 2137, 3308, 16509, 2, 117, 3332, 65, 1, 5437, 1828, 10348]
    sizes += [2234, 16827, 7900, 21195, 971, 1105, 3132, 3269, 36]
    null = RandomSelectionNull(sum(sizes), 300, tie_sizes=sizes, ties=ties)
    value = null.mean() + z * null.std()
    tail = null.tail(value)
    assert tail.method == "inversion"
    asked = TailQuery(null._facts, value, 1)
    lower, upper = _grid.tail(
        asked._event, asked._limits, 0.0, _grid.MANY_MOVES
    ).log_bounds
    assert upper - lower < 0.2
    assert lower - tail.error <= tail.log_pvalue <= upper + tail.error


def test_what_takes_too_many_cells_is_left_to_others():
    for null in (
        RandomSelectionNull(1000, 20),
        RandomSelectionNull(10**6, 10**5, tie_sizes=[10**4] * 100),
    ):
        value = null.mean() + null.std()
        with pytest.raises(OutOfReachError):
            narrowed(null, value)
        assert null.tail(value).doubt < 0.05


@pytest.mark.parametrize("z", [3.0, 12.0, 40.0])
def test_windows_found_in_several_looks_are_as_good(monkeypatch, z):
    null = RandomSelectionNull(2000, 60, tie_sizes=[5, 20, 75, 400, 500, 1000])
    value = null.mean() + z * null.std()
    at_once, _, error = _inversion.tail(narrowed(null, value))
    monkeypatch.setattr(_windows, "_FEW_CELLS", 0)
    monkeypatch.setattr(_windows, "_FIRST", -20.0)
    solution = narrowed(null, value)
    assert solution.error < 1e-4
    assert _inversion.tail(solution).log_p == pytest.approx(at_once, abs=3 * error)


@pytest.mark.parametrize("z", [3.0, 12.0, 40.0])
@pytest.mark.parametrize("ties", TIES)
def test_windows_found_in_strides_are_as_good(monkeypatch, ties, z):
    sizes = [150, 30, 900, 2000, 700, 3000, 4000, 5000, 4220]
    null = RandomSelectionNull(20_000, 2000, tie_sizes=sizes, ties=ties)
    value = null.mean() + z * null.std()
    at_once, _, error = _inversion.tail(narrowed(null, value))
    strided = _windows._strided
    seen = []

    def spy(*args):
        seen.append(strided(*args))
        return seen[-1]

    monkeypatch.setattr(_windows, "_strided", spy)
    monkeypatch.setattr(_windows, "_FEW_CELLS", 0)
    monkeypatch.setattr(_windows, "_MOST_CELLS", 60_000)
    solution = narrowed(null, value)
    assert max(step.stride for ways in seen for step in ways[0].steps) >= 4
    assert solution.error < 0.01
    assert solution.log_upper == 0.0  # nothing is proven in strides
    log_p, _, other = _inversion.tail(solution)
    assert abs(math.expm1(log_p - at_once)) <= 3 * (error + other)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("z", [3.0, 12.0])
def test_lists_followed_in_strides_to_the_end(monkeypatch, ties, z):
    sizes = [150, 30, 900, 2000, 700, 3000, 4000, 5000, 4220]
    null = RandomSelectionNull(20_000, 2000, tie_sizes=sizes, ties=ties)
    value = null.mean() + z * null.std()
    at_once, _, error = _inversion.tail(narrowed(null, value))
    monkeypatch.setattr(_windows, "_COARSE", (2.0,))
    monkeypatch.setattr(_windows, "_FINE", (2.0, 4.0))
    asked = TailQuery(null._facts, value, 1)
    likely = _windows._likely(asked._event, asked._limits.lower - 18)
    exact = _windows._n_cells
    monkeypatch.setattr(_windows, "_n_cells", lambda windows: 10 * exact(windows) ** 2)
    solution, _ = _windows._within(asked._event, likely, asked._limits.lower - 18)
    assert max(step.stride for step in solution.ways[0].steps) >= 2
    log_p, _, other = _inversion.tail(solution)
    assert abs(math.expm1(log_p - at_once)) <= 3 * (error + other)
    with pytest.raises(OutOfReachError):  # whose hits are drawn one by one
        solution.drawn(solution.tilt)
    drawn = TailQuery(null._facts, value, 1, size=2000).named("importance_sampling")
    assert abs(math.expm1(drawn.log_pvalue - at_once)) <= 4 * drawn.error + error


@pytest.mark.parametrize("part", [0.02, 0.1, 0.3, 0.6])
@pytest.mark.parametrize("ties", ["expected", "optimistic"])
def test_windows_by_more_tilts_in_strides_are_as_good(monkeypatch, ties, part):
    # the judge follows every number of hits; far up the whole has two humps
    sizes = [20, 480, 1500, 900, 3100, 2000, 700, 3300, 6000, 2000, 4000, 6000]
    null = RandomSelectionNull(30_000, 300, tie_sizes=sizes, ties=ties)
    value = null.mean() + part * (null.support()[1] - null.mean())
    whole, _, error = _inversion.tail(narrowed(null, value))
    monkeypatch.setattr(_windows, "_FEW_CELLS", 2**13)
    monkeypatch.setattr(_windows, "_MOST_CELLS", 2**14)
    monkeypatch.setattr(_windows, "_MOST_STRIDED", 2**16)
    solution = narrowed(null, value)
    log_p, _, other = _inversion.tail(solution)
    assert abs(math.expm1(log_p - whole)) <= 3 * (error + other)


@pytest.mark.parametrize("part", [0.6, 0.9])
def test_strides_so_long_that_they_mislead_are_not_believed(monkeypatch, part):
    # in dense ties what follows on a hit changes by much from one to the next
    sizes = np.diff([0, 40, 300, 420, 900, 1000, 1300, 1900, 2500, 3000, 4200, 5000])
    null = RandomSelectionNull(5000, 1000, tie_sizes=sizes)
    value = null.mean() + part * (null.support()[1] - null.mean())
    whole, _, error = _inversion.tail(narrowed(null, value))
    monkeypatch.setattr(_windows, "_FEW_CELLS", 2**13)
    monkeypatch.setattr(_windows, "_MOST_CELLS", 2**14)
    monkeypatch.setattr(_windows, "_MOST_STRIDED", 2**15)
    try:
        log_p, _, other = _inversion.tail(narrowed(null, value))
    except OutOfReachError:
        return
    assert abs(log_p - whole) <= math.log1p(3 * (error + other)) or other > 0.5


@pytest.mark.parametrize("most", [2**13, 2**14])
def test_strides_as_short_as_there_is_room_for(monkeypatch, most):
    # the judge follows every number of hits
    sizes = [150, 30, 900, 2000, 700, 3000, 4000, 5000, 4220]
    null = RandomSelectionNull(20_000, 2000, tie_sizes=sizes)
    value = null.mean() + 3 * null.std()
    whole, _, error = _inversion.tail(narrowed(null, value))
    for name in ("_FEW_CELLS", "_MOST_CELLS"):
        monkeypatch.setattr(_windows, name, 0)
    monkeypatch.setattr(_windows, "_MOST_STRIDED", most)
    log_p, _, other = _inversion.tail(narrowed(null, value))
    assert abs(math.expm1(log_p - whole)) <= 3 * (error + other)


def test_what_no_windows_hold_is_left_to_others(monkeypatch):
    null = RandomSelectionNull(2000, 60, tie_sizes=[5, 20, 75, 400, 500, 1000])
    beyond = TailQuery(null._facts, 2 * null.support()[1], 1)._event
    with pytest.raises(OutOfReachError):
        _windows.solve(beyond, (-50.0, -40.0))
    value = null.mean() + 3 * null.std()
    before = null.tail(value)

    def no_room(*_):
        raise OutOfReachError

    monkeypatch.setattr(_windows, "_fine", no_room)
    with pytest.raises(OutOfReachError):
        narrowed(null, value)
    other = null.tail(value)
    doubt = 3 * (before.doubt + other.doubt)
    assert other.log_pvalue == pytest.approx(before.log_pvalue, abs=doubt)


def test_many_targets_in_some_ties_are_answered_far_up():
    # leaves of a tree on a million items, of a model so good that p is 1e-1500
    ends = np.sort(np.random.default_rng(0).choice(10**6 - 1, 59, replace=False)) + 1
    sizes = np.diff([0, *ends, 10**6])
    null = RandomSelectionNull(10**6, 3000, tie_sizes=sizes)
    tails = [null.tail(null.mean() + z * null.std()) for z in (150, 500, 2000)]
    assert all(tail.method == "inversion" and tail.error < 0.05 for tail in tails)
    assert tails[0].log_pvalue > tails[1].log_pvalue > tails[2].log_pvalue


@pytest.mark.parametrize("short", [1e-9, 1e-4, 0.05])
def test_what_is_all_but_perfect_is_known_within_its_error(short):
    # by enumeration: next to the best value one ranking, or few, are left
    null = RandomSelectionNull(2000, 60, tie_sizes=[40, 20, 440, 500, 1000])
    value = null.support()[1] * (1 - short)
    exact = null.tail(value, method="exact").log_pvalue
    log_p, _, error = _inversion.tail(narrowed(null, value))
    assert abs(math.expm1(log_p - exact)) <= 3 * error


def test_a_deep_tail_of_too_many_cells_is_left_to_others(monkeypatch):
    null = RandomSelectionNull(2000, 60, tie_sizes=[5, 20, 75, 400, 500, 1000])
    monkeypatch.setattr(_windows, "_MOST_CELLS", 10)
    monkeypatch.setattr(_windows, "_MOST_STRIDED", 10)
    with pytest.raises(OutOfReachError):
        narrowed(null, null.mean() + 12 * null.std())


def test_windows_of_likely_hits_alone_do_not_reach_a_deep_tail():
    null = RandomSelectionNull(2000, 60, tie_sizes=[400] * 5)
    asked = TailQuery(null._facts, null.mean() + 14 * null.std(), 1)
    likely = _windows._likely(asked._event, -2.0)
    found, _ = _windows._within(asked._event, likely, -2.0)
    assert found is None
    assert narrowed(null, null.mean() + 14 * null.std()).error < 1e-4


def test_a_list_nearly_as_bad_as_can_be_takes_a_chain_of_bounded_size(monkeypatch):
    null = RandomSelectionNull(2000, 60)
    least, _ = null.support()
    asked = TailQuery(null._facts, least + 1e-4 * (null.mean() - least), -1)
    assert _coarse.solve(asked._event).tilt > 0
    monkeypatch.setattr(_coarse, "_MOST_CELLS", 10)
    with pytest.raises(OutOfReachError):
        _coarse.solve(asked._event)


@pytest.mark.parametrize("left", [1e-3, 4.7e-4, 1e-4])
def test_weights_so_steep_that_rough_chains_mislead(left):
    """Near the best, where blocks of hits hide what they add; the grid is the judge."""
    sizes = np.ones(359, dtype=int)
    sizes[40:320:20] = 2
    null = RandomSelectionNull(
        373, 167, "bedroc(alpha=20.0)", tie_sizes=sizes, ties="threshold"
    )
    most = null.support()[1]
    asked = TailQuery(null._facts, most - left * (most - null.mean()), 1)
    lower, upper = _grid.tail(
        asked._event, asked._limits, 0.05, _grid.MAX_MOVES
    ).log_bounds
    assert upper - lower < 0.2
    found = asked.named("inversion")
    slack = 3 * found.error
    assert lower - slack <= found.log_pvalue <= upper + slack


def test_a_large_tie_on_top_that_rough_chains_mislead():
    null = RandomSelectionNull(
        385, 189, "bedroc(alpha=160.9)", tie_sizes=[96] + [1] * 289, ties="threshold"
    )
    most = null.support()[1]
    asked = TailQuery(null._facts, most - 2.296e-4 * (most - null.mean()), 1)
    lower, upper = asked.named("grid").log_bounds
    assert upper - lower < 0.1
    found = asked.named("inversion")
    assert lower - 3 * found.error <= found.log_pvalue <= upper + 3 * found.error


def test_rough_chains_that_mislead_are_replaced(monkeypatch):
    """Every number of hits gives the same; where those are too many, none does."""
    short, long = (
        TailQuery(null._facts, null.mean() + 3 * null.std(), 1)._event
        for null in (RandomSelectionNull(1000, 100), RandomSelectionNull(10_000, 400))
    )
    before = _inversion.tail(_coarse.solve(short))
    monkeypatch.setattr(_coarse, "_MISLED", (-1.0, 0.0))
    after = _inversion.tail(_coarse.solve(short))
    assert after.log_p == pytest.approx(before.log_p, abs=before.error + after.error)
    with pytest.raises(OutOfReachError):
        _coarse.solve(long)


def test_finer_blocks_of_a_long_list_have_the_same_tilt(monkeypatch):
    null = RandomSelectionNull(10_000, 400)
    event = TailQuery(null._facts, null.mean() + 3 * null.std(), 1)._event
    tilt, answers = _coarse.solve(event).tilt, iter([False, True])
    monkeypatch.setattr(_coarse._Rough, "is_right", property(lambda _: next(answers)))
    assert _coarse.solve(event).tilt == pytest.approx(tilt, rel=0.05)
