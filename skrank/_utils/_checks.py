"""Checks of settings. Each function returns the checked value or raises a ValueError.

Every error message has the name of the parameter, the rule, and the given value.
"""

import math
import re
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np

from skrank._utils._numbers import DECIMAL
from skrank._utils._rounding import ROUNDING
from skrank._utils._text import brief

TIES = ("expected", "together", "optimistic", "pessimistic")
NORMALIZE = ("min", "relevant", "hits")


def invalid(name: str, rule: str, got: str = "", advice: str = "") -> ValueError:
    """Return an error with the parameter, the rule, the given value, and advice."""
    parameter, mark, column = name.partition("[")  # such as y_score['a']
    said = f"`{parameter}`{mark}{column} must {rule}"
    if got:
        said += f"; got {got}"
    return ValueError(f"{said}. {advice}".rstrip())


def hard_labels(name: str, got: str) -> ValueError:
    """Return the error for scores that are labels, which do not order items."""
    rule = "rank the items, as decision_function or predict_proba do"
    advice = (
        "For a threshold use ThresholdChoice(recall=0.9).from_cv(model, X, y), not "
        "TunedThresholdClassifierCV."
    )
    return invalid(name, rule, f"hard labels, {got}", advice)


def check_depth(
    name: str, depth: float, total: Any, *, whole: bool = True, beyond: bool = False
) -> Any:
    """Convert `t` or `k` to a depth: a number of items, or of units of weight.

    `total` is the size of a ranking, or an array of sizes. A depth must not be larger
    than the size, unless `beyond` allows it.
    """
    if isinstance(depth, int):
        if not beyond and depth > total * (1 + ROUNDING):
            got = f"{name}={brief(int(depth))} for a ranking of {total:.15g}"
            raise invalid(name, "not reach beyond the ranking", got)
        return depth
    exact = total * depth  # 0.07 * 100 is 7.000000000000001, which is not 8 items
    if not whole:
        return exact
    if isinstance(exact, np.ndarray):
        is_near = abs(exact - np.rint(exact)) <= ROUNDING * exact
        return np.where(is_near, np.rint(exact), np.ceil(exact)).astype(np.intp)
    nearest = round(exact)
    is_near = abs(exact - nearest) <= ROUNDING * exact
    return nearest if is_near else math.ceil(exact)


def check_cutoff(name: str, depth: Any) -> int | float:
    """Check the form of `t` or `k`: a count from 1, or a fraction in (0, 1] or "5%"."""
    if isinstance(depth, str) and re.fullmatch(f"{DECIMAL} ?%", depth):
        return check_cutoff(name, float(depth.rstrip("% ")) / 100)
    if is_whole(depth) and int(depth) >= 1:
        return int(depth)
    share = real_number(depth) if isinstance(depth, float | np.floating) else math.nan
    if 0 < share <= 1:
        return share
    rule = (
        "be an int of at least 1 (a number of items) or a float in "
        "(0, 1] (a fraction of the ranking, or a text such as '5%')"
    )
    raise invalid(name, rule, brief(depth))


def check_option(name: str, value: object, options: tuple[str | None, ...]) -> None:
    """Check that an argument is one of the named options."""
    if not isinstance(value, str | None) or value not in options:
        raise invalid(name, f"be one of {', '.join(map(repr, options))}", brief(value))


def check_flag(name: str, value: Any) -> bool:
    """Check that an argument is True or False, and not another value."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise invalid(name, "be True or False", brief(value))


def check_count(name: str, value: Any, *, least: int) -> int:
    """Check that an argument is a whole number of at least `least`."""
    if is_whole(value) and int(value) >= least:
        return int(value)
    raise invalid(name, f"be an int of at least {least}", brief(value))


def check_number(
    name: str,
    value: Any,
    rule: str = "be a finite number",
    is_valid: Callable[[float], bool] = math.isfinite,
) -> float:
    """Check that an argument is a number that a rule allows."""
    number = real_number(value)
    if is_valid(number):
        return number
    raise invalid(name, rule, brief(value))


def check_positive(name: str, value: Any) -> float:
    """Check that an argument is a finite number above 0."""
    rule = "be a finite number above 0"
    return check_number(name, value, rule, lambda x: 0 < x < math.inf)


def check_not_negative(name: str, value: Any) -> float:
    """Check that an argument is a finite number of at least 0."""
    rule = "be a finite number of at least 0"
    return check_number(name, value, rule, lambda x: 0 <= x < math.inf)


def check_fraction(name: str, value: Any) -> float:
    """Check that an argument is a number between 0 and 1."""
    return check_number(name, value, "be a number between 0 and 1", lambda x: 0 < x < 1)


def check_share(name: str, value: Any) -> float:
    """Check that an argument is a share, above 0, up to 1."""
    rule = "be a number above 0, up to 1"
    return check_number(name, value, rule, lambda x: 0 < x <= 1)


def check_undefined(value: Any) -> float | str:
    """Check the value for an undefined metric: a number or "raise"."""
    if isinstance(value, str) and value == "raise":
        return value
    if is_real(value):
        return real_number(value)
    raise invalid("undefined", 'be a number or "raise"', brief(value))


def check_generator(random_state: Any) -> np.random.Generator:
    """Convert scikit-learn's `random_state` to a generator."""
    source = check_random_state(random_state)
    if isinstance(source, np.random.RandomState):
        source = source.randint(0, 2**32, size=4, dtype=np.uint32)
    return np.random.default_rng(source)


def check_random_state(random_state: Any) -> Any:
    """Check scikit-learn's `random_state`; return it unchanged, or as an int."""
    sources = np.random.RandomState | np.random.Generator
    if random_state is None or isinstance(random_state, sources):
        return random_state
    if is_whole(random_state) and int(random_state) >= 0:
        return int(random_state)
    rule = "be None, a non-negative int, a RandomState or a Generator"
    raise invalid("random_state", rule, brief(random_state))


def check_jobs(n_jobs: Any) -> int | None:
    """Check a number of joblib jobs."""
    if n_jobs is None or (is_whole(n_jobs) and n_jobs != 0):
        return n_jobs if n_jobs is None else int(n_jobs)
    raise invalid("n_jobs", "be an int other than 0, or None", brief(n_jobs))


def is_whole(value: Any) -> bool:
    """Whether a value is an int of Python or NumPy, and not a bool."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_real(value: Any) -> bool:
    """Whether a value is a number of Python or NumPy, and not a bool."""
    return isinstance(value, Real) and not isinstance(value, bool)


def real_number(value: Any) -> float:
    """Return the Python number that is meant, or NaN if there is none.

    NumPy scalars are converted, because narrow types would overflow, and print their
    type. A single-precision number becomes the shortest decimal that prints the same,
    such as 0.07.
    """
    if not is_real(value):
        return math.nan
    try:
        return float(str(value) if isinstance(value, np.floating) else value)
    except OverflowError:  # an int or a fraction larger than all floats
        return math.inf if value > 0 else -math.inf
