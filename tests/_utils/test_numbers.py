"""Numbers in print: whole digits, one width a column, limits of drawn p-values."""

import re

import numpy as np
import pytest

from skrank._utils._numbers import (
    format_counted_pvalue,
    format_pvalue,
    interval,
    number,
    numbers,
    percent,
)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (1_234_567.0, "1234567"),
        (120_213.4, "120213"),
        (9_999.7, "10000"),
        (8100.0, "8100"),
        (0.71392, "0.7139"),
        (0.000225394, "0.0002254"),
        (9.2e-05, "9.2e-05"),
        (0.0, "0"),
        (-522.24, "-522.2"),
        (np.inf, "inf"),
        (np.nan, "nan"),
    ],
)
def test_a_number_has_four_digits_and_all_whole_ones(value, said):
    assert number(value) == said


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([0.7139, 0.4721, 0.118], ["0.7139", "0.4721", "0.1180"]),
        ([0.007426, 0.000583, 0.000092], ["0.007426", "0.000583", "0.000092"]),
        ([0.5705, 1.4e-6], ["0.5705", "1.4e-06"]),  # not eight decimals
        ([133.333, 0.25, 0.0], ["133.3", "0.2", "0.0"]),
        ([75.0, 142.0], ["75", "142"]),
        ([1.0, 0.0], ["1.0000", "0.0000"]),
        ([120_213.4, 3.2], ["120213", "3"]),
        ([np.nan, 0.5], ["-", "0.5000"]),
        ([-0.0, 0.5], ["0.0000", "0.5000"]),
        ([1e-9, 2e-9], ["1e-09", "2e-09"]),
        ([], []),
    ],
)
def test_the_numbers_of_a_column_have_the_same_decimals(values, said):
    assert numbers(values) == said


def test_columns_over_all_sizes():
    # each number is printed to one part in a thousand of the largest one, with its sign
    rng = np.random.default_rng(0)
    for _ in range(500):
        values = rng.normal(size=4) * 10.0 ** rng.integers(-9, 9, 4)
        found = np.array([float(text) for text in numbers(values)])
        assert np.abs(found - values).max() <= 1e-3 * np.abs(values).max()
        assert np.all(np.sign(found)[found != 0] == np.sign(values)[found != 0])
        decimals = {
            len(text.partition(".")[2]) for text in numbers(values) if "e" not in text
        }
        assert len(decimals) <= 1


def test_intervals_and_percentages():
    assert interval(0.0682, 0.96371) == "0.0682 to 0.9637"
    assert interval(-np.inf, 1.2961) == "-inf to 1.296"
    assert interval(np.nan, np.nan) == "unknown"
    assert percent(0.95) == "95 %"
    assert percent(0.07) == "7 %"  # 100 * 0.07 is 7.000000000000001
    assert percent(8.1e-5, 2) == "0.0081 %"
    assert percent(0.996, 2) == "100 %"
    assert percent(0.995) == "99.5 %"


def test_a_pvalue_that_no_draw_reached_is_a_limit():
    assert format_counted_pvalue(1 / 10_000, 9999) == "<= 0.0001"
    assert format_counted_pvalue(2 / 10_000, 9999) == "0.0002"
    assert format_counted_pvalue(1 / 500, 499, "p") == "p <= 0.002"
    assert format_pvalue(-30.0, called="p") == "p = 1.0e-30"
    assert re.fullmatch(r"<= 0\.0003", format_pvalue(np.log10(3e-4), is_limit=True))
