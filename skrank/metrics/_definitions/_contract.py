"""What a metric of the user's own must define: checks of its class and of its gain.

A class is checked when it is defined. Its gain is checked by examples when the metric
first meets a size of rankings. The tie rules are derived from the gain.
"""

from collections.abc import Callable
from functools import lru_cache, wraps
from math import inf, nan
from typing import Any

import numpy as np

from skrank._utils._checks import invalid
from skrank._utils._text import brief
from skrank.metrics._definitions._tie_sums import Array

# Sums of gains may be beyond the bounds by rounding, of some 1e-13 of a million gains.
SLACK = 1e-9
# Items of the ties that are checked, and how much their gain may differ from the mean
# over the orders, in largest gains. The gain of the middle of a tie is within .01
# unless it falls by 40 % within the tie; half of it would refuse a fall of 30 %.
_TIE, _APART = 32, 0.01


def check_class(cls: Any) -> None:
    """Check that a metric is complete."""
    for name in ("gain", "divisor"):
        if getattr(getattr(cls, name), "__isabstractmethod__", False):
            msg = f"{cls.__name__} must define `{name}`, as skrank.Metric describes"
            raise TypeError(msg)
    if not isinstance(getattr(cls, "template", None), str):
        msg = (
            f"{cls.__name__} must have a `template`, its printed name, as in "
            f"template = {cls.__name__.lower()!r}"
        )
        raise TypeError(msg)
    if cls.counted_hits is not None and cls.cutoff is not None:
        # the null distribution of a first hit has no mass below a cutoff
        msg = f"{cls.__name__} must have `counted_hits` or `cutoff`, not both"
        raise TypeError(msg)
    limits: Any = cls.bounds
    if not isinstance(limits, property):
        low, high = limits if isinstance(limits, tuple) else (nan, nan)
        if not low < high:
            msg = (
                f"`bounds` of {cls.__name__} must be its smallest and largest "
                f"value, as in bounds = 0.0, 1.0; got {limits!r}"
            )
            raise TypeError(msg)


def refuse_settings(self: Any, *args: Any, **settings: Any) -> None:
    """Refuse an `__init__`, whose settings copies and comparisons would lose."""
    msg = (
        f"{type(self).__name__} must have no `__init__`: a metric with a setting is a "
        "frozen dataclass. Write @dataclass(frozen=True) above the class and each "
        "setting with its type and default in its body, as in rate: float = 1.0"
    )
    raise TypeError(msg)


@lru_cache(maxsize=256)
def check_gain(metric: Any, frame: Any) -> None:
    """Check the gain and the divisor of a metric of the user's own, by examples.

    The null distribution combines items far down by the gain of a tie, and knows which
    of two rankings is better by the order of the gains. With another gain its p-values
    are wrong (.10 for .50 if the gain increases with the rank).
    """
    n, size = float(frame.n_samples), float(min(frame.n_samples, _TIE))
    near, far = np.geomspace(1, n, 32) - 1, np.linspace(0, n - 1, 32)
    every = np.union1d(np.rint(near), np.rint(far))
    top = np.array([0.0, (n - size) // 2, n - size])
    inside = (top[:, None] + np.arange(size)).ravel()
    below = every[every >= 1] if frame.n_targets > 1 else every[:0]
    parts = [
        # above, size, hits above, hits
        (every, 1.0, 0.0, 1.0),
        (below, 1.0, 1.0, 1.0),
        (every, 1.0, 0.0, 0.0),
        (top, size, 0.0, 1.0),
        (inside, 1.0, 0.0, 1.0),
    ]
    asked = [
        np.concatenate([np.broadcast_to(part[i], part[0].shape) for part in parts])
        for i in range(4)
    ]
    gain = np.asarray(metric.gain(*asked, frame), dtype=float)
    name = f"for {metric.name}"
    if gain.shape not in ((), asked[0].shape) or not np.isfinite(gain).all():
        rule = f"return a finite number for each tie {name}"
        raise invalid("gain", rule, f"{brief(gain)} for {asked[0].size} ties")
    ends = np.cumsum([part[0].size for part in parts])[:-1]
    first, second, none, ties, singles = np.split(
        np.broadcast_to(gain, asked[0].shape), ends
    )
    scale = np.abs(gain).max()
    for found, depth in ((first, every), (second, below)):
        up = np.flatnonzero(np.diff(found) > SLACK * scale)
        if up.size:
            low, high = up[0], up[0] + 1
            rule = f"not increase with the rank {name}"
            got = (
                f"{found[low]:g} below {depth[low]:g} items, and {found[high]:g} below "
                f"{depth[high]:g}"
            )
            raise invalid("gain", rule, got)
    if np.any(np.abs(none) > SLACK * scale):
        raise invalid("gain", f"be 0 {name} for a tie without targets", brief(none))
    means = singles.reshape(3, -1).mean(axis=1)
    apart = np.abs(ties - means) > _APART * scale
    if apart.any():
        at = int(apart.argmax())
        rule = f"be the mean over the orders in a tie {name}"
        got = (
            f"{ties[at]:.4g} for a target in a tie of {size:g} items, whose ranks have "
            f"a mean gain of {means[at]:.4g}"
        )
        raise invalid("gain", rule, got)
    divisor = metric.divisor(frame)
    if not (np.ndim(divisor) == 0 and 0 < divisor < inf):
        advice = ""
        if frame.n_targets == frame.n_samples:
            advice = "Set needs_both_classes = True if it is undefined without others."
        raise invalid("divisor", f"be a number above 0 {name}", brief(divisor), advice)


def with_tie_rules(gain: Callable[..., Array]) -> Callable[..., Array]:
    """Derive the tie rules: a tie of targets only has no order that matters."""

    @wraps(gain)
    def gain_by_rule(
        self: Any, above: Any, size: Any, hits_above: Any, hits: Any, frame: Any
    ) -> Array:
        if self.ties == "expected":
            return gain(self, above, size, hits_above, hits, frame)
        held = np.where(np.asarray(hits) > 0, hits, 1)
        if self.ties == "together":  # each as the last one of the tie
            last, found = above + size - 1, hits_above + held - 1
            return hits * gain(self, last, 1, found, 1, frame)
        start = above if self.ties == "optimistic" else above + size - held
        return gain(self, start, held, hits_above, hits, frame)

    return gain_by_rule
