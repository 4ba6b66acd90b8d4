"""What the functions of all metrics take, written once."""

from __future__ import annotations

import inspect
from collections.abc import Collection
from functools import wraps
from typing import Any, TypedDict

from numpy.typing import ArrayLike

from skrank.metrics._definitions._base import (
    AnyMetric,
    Function,
    refuse_estimators,
)
from skrank.metrics._definitions._names import example_of
from skrank.ranking._as_ranking import CountOf


class Shared(TypedDict, total=False):
    """Arguments of a metric beside labels, scores and its settings."""

    pos_label: object
    lower_is_better: bool
    missing: str
    sample_weight: ArrayLike | None
    groups: ArrayLike | None
    n_missed: CountOf
    n_unlisted: CountOf | None
    undefined: float | str


def unweighted_function(function: Function) -> Function:
    """Show likewise those of a metric that counts items down to a rank."""
    return metric_function(function, left_out=("sample_weight",))


def metric_function(function: Function, left_out: Collection[str] = ()) -> Function:
    """Show the arguments of every metric in a signature, in place of `shared`.

    An estimator in place of labels is an error that names the scorer of the metric.
    """
    function = refuse_estimators(function, lambda *_: example_of(function.__name__))
    own = dict(inspect.signature(function).parameters)
    del own["shared"]
    ties = [own.pop("ties")] if "ties" in own else []
    every = inspect.signature(AnyMetric.__call__).parameters
    names = [name for name in Shared.__annotations__ if name not in left_out]
    before, after = ([every[name] for name in part] for part in (names[:3], names[3:]))
    public = inspect.Signature([*own.values(), *before, *ties, *after])

    @wraps(function)
    def called(*args: Any, **given: Any) -> float:
        for name in given:
            if name not in public.parameters:
                said = f"got an unexpected keyword argument {name!r}"
                raise TypeError(f"{function.__name__}() {said}")
        return function(*args, **given)

    called.__signature__ = public  # type: ignore[attr-defined]
    return called  # type: ignore[return-value]
