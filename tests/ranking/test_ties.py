"""The tie structure of long rankings: bounded, and the same by any way."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skrank.ranking._ties import DETAILED, TieGroups, is_wide, tie_groups, untied

NOWHERE = np.zeros(0, dtype=np.intp)
# tie groups of three million items: narrow ones, and some that are wide where they are
LONG = np.concatenate(
    [
        np.full(300_000, 3),
        [400_000],  # reaches across DETAILED
        np.full(1000, 200),
        [30_000],
        [100, 20_000, 1],
        np.full(50_000, 11),
    ]
)


def known_above(sizes, depth):
    """Ends of the groups that begin above a depth."""
    ends = np.cumsum(sizes)
    return ends[: 1 + np.searchsorted(ends, depth)]


def all_ties(sizes):
    ends = np.cumsum(sizes)
    return ends - sizes, ends


@given(st.lists(st.integers(1, 5), min_size=1, max_size=20))
def test_a_short_ranking_is_known_whole(sizes):
    ends = np.cumsum(sizes)
    ties = tie_groups(ends, NOWHERE, NOWHERE, int(ends[-1]))
    assert ties.ends.tolist() == ends.tolist()
    assert not ties.merged.any()
    assert ties.whole
    assert ties.n_samples == sum(sizes)
    assert ties.untied == (max(sizes) == 1)
    for depth in range(1, sum(sizes) + 1):
        assert ties.group_end(depth) == min(end for end in ends if end >= depth)


def test_the_rule_by_a_loop_over_the_groups():
    # what the rule says of each group, one by one
    n = int(LONG.sum())
    ties = tie_groups(known_above(LONG, DETAILED), *all_ties(LONG), n)
    found = dict(zip(ties.ends.tolist(), ties.merged.tolist(), strict=True))
    start, kept = 0, set()
    for size in LONG.tolist():
        wide = size >= max(start / 128, n / 2**13)
        if start < DETAILED or wide:
            kept.add(start + size)
        start += size
    assert {end for end, merged in found.items() if not merged} == kept
    assert {1_300_000, 1_530_000, 1_550_100} <= kept
    assert ties.ends[-1] == n
    assert np.all(np.diff(ties.ends) > 0)


@pytest.mark.parametrize("depth", [DETAILED, 1_400_000, 1_520_000, 1_550_050, 10**9])
def test_the_same_however_much_was_known(depth):
    n = int(LONG.sum())
    least = tie_groups(known_above(LONG, DETAILED), *all_ties(LONG), n)
    start, end = (np.tile(part, 2)[::-1] for part in all_ties(LONG))
    more = tie_groups(known_above(LONG, depth), start, end, n)
    assert more.ends.tolist() == least.ends.tolist()
    assert more.merged.tolist() == least.merged.tolist()


@pytest.mark.parametrize(
    "n", [DETAILED, DETAILED + 1, DETAILED + 2000, 10**7, 10**8, 10**10]
)
def test_stretches_take_a_thousandth_of_their_depth(n):
    ties = untied(n)
    assert ties.untied
    assert ties.n_samples == n
    assert ties.ends.size < DETAILED + 10_000
    assert ties.ends[:DETAILED].tolist() == list(range(1, DETAILED + 1))
    assert not ties.merged[:DETAILED].any()
    assert ties.merged[DETAILED:].all()
    sizes = np.diff(ties.ends)[DETAILED - 1 :]
    assert np.all(sizes >= 1)
    assert np.all(sizes <= 1 + ties.ends[DETAILED - 1 : -1] / 1023)


def test_inside_a_stretch_nothing_is_tied():
    ties = tie_groups(
        np.array([DETAILED]), np.array([10**7]), np.array([2 * 10**7]), 10**8
    )
    assert [ties.group_end(depth) for depth in (5, 5_000_001, 10**7, 10**7 + 1)] == [
        DETAILED,
        5_000_001,
        10**7,
        2 * 10**7,
    ]
    assert not ties.untied


def test_a_tie_may_reach_to_the_end_or_follow_at_once():
    ends = np.array([DETAILED])
    start, end = np.array([DETAILED, 2 * DETAILED]), np.array([2 * DETAILED, 2**22])
    ties = tie_groups(ends, start, end, 2**22)
    assert ties.ends.tolist() == [DETAILED, 2 * DETAILED, 2**22]
    assert isinstance(ties, TieGroups)
    assert not ties.merged.any()


def test_wide_is_by_depth_and_by_the_whole():
    start = np.array([1280, 1280, 12800, 12800])
    size = np.array([10, 9, 100, 99])
    assert is_wide(start, size, 10 * 2**13).tolist() == [True, False, True, False]
    assert is_wide(start, size, 100 * 2**13).tolist() == [False, False, True, False]
