"""Numbers in print: single numbers, columns of a table, intervals, shares, p-values.

Numbers have four significant digits, and large ones all their whole digits. The numbers
of a column have the same decimals, by the largest one; a number that would then have no
digit left is printed with an exponent.
"""

import math
from collections.abc import Iterable

import numpy as np

#: Pattern of a number without sign and exponent.
DECIMAL = r"(?:\d+\.?\d*|\.\d+)"


def number(value: float, digits: int = 4) -> str:
    """Print a number with significant digits; it has no exponent if it is large."""
    text = f"{value:.{digits}g}"
    return f"{value:.0f}" if "e+" in text and abs(value) < 1e15 else text


def numbers(values: Iterable[float], digits: int = 4) -> list[str]:
    """Print numbers with the same decimals; a dash is an undefined number.

    Whole numbers have none if one is above 1.
    """
    values = [float(value) + 0.0 for value in values]
    sizes = [abs(value) for value in values if value and math.isfinite(value)]
    largest = max(sizes, default=1.0)
    decimals = max(0, digits - math.ceil(math.log10(largest)))
    if largest > 1 and all(size.is_integer() for size in sizes):
        decimals = 0
    if decimals > 7:  # all are below 0.001
        return ["-" if math.isnan(value) else number(value, digits) for value in values]
    return [_fixed(value, decimals) for value in values]


def _fixed(value: float, decimals: int) -> str:
    if math.isnan(value):
        return "-"
    is_tiny = 0 < abs(value) < 10.0**-decimals
    return f"{value:.1e}" if is_tiny else f"{value:.{decimals}f}"


def interval(low: float, high: float) -> str:
    """Print two limits with the same decimals."""
    first, last = numbers((low, high))
    return "unknown" if math.isnan(low) else f"{first} to {last}"


def percent(share: float, digits: int = 15) -> str:
    """Print a share as a percentage."""
    return f"{number(100 * share, digits)} %"


def format_pvalue(
    log10_pvalue: float, *, is_limit: bool = False, called: str = ""
) -> str:
    """Print a p-value from its logarithm, also if it underflows.

    It is a limit if no random draw was as extreme as the observation. `called` comes
    before it, with a sign between them.
    """
    said = "<= " if is_limit else ""
    if called:
        said = f"{called} {said or '= '}"
    if not log10_pvalue < -4 - 1e-9 or math.isinf(log10_pvalue):
        return f"{said}{10**log10_pvalue:.2g}"
    exponent = math.floor(log10_pvalue + math.log10(20 / 19.9))  # 9.95 rounds to 10
    mantissa = max(1.0, 10 ** (log10_pvalue - exponent))
    return f"{said}{mantissa:.1f}e{exponent:03d}"


def format_counted_pvalue(pvalue: float, n_draws: int, called: str = "") -> str:
    """Print a p-value of (C + 1) / (B + 1) of B random draws."""
    is_limit = pvalue * (n_draws + 1) < 1.5
    return format_pvalue(float(np.log10(pvalue)), is_limit=is_limit, called=called)
