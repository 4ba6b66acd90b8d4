"""What a metric is if it is undefined, or if items have weights.

Whether a metric is defined depends on the classes that a ranking has
(`AnyMetric.is_defined`). The caller chooses what to return if it is not.

A weighted item is retrieved with its whole weight. Without ties, all tie rules then
give the same value. There is no closed form of the mean over the orders of a tie with
unequal weights, so such a tie is retrieved as a whole, with a warning. An error would
make a scorer fail for all candidates of a search.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from skrank._utils._checks import invalid
from skrank._utils._warnings import warn
from skrank.ranking._group_labels import (
    warn_of_unlisted,
)
from skrank.ranking._ranking import Ranking


def value_or(metric: Any, ranking: Ranking, answer: float | str) -> float:
    """Return the value of a ranking, or the answer if it is undefined.

    A warning refers to the caller of the metric.
    """
    if ranking.n_missed and metric.of_all_items:
        warn_of_unlisted(metric.name)
    if ranking.thinned:
        msg = (
            "`sample_weight` has one weight for all targets and a larger one for all "
            "non-targets, as if only a part of the non-targets was kept. "
            f"{metric.name} is then too high if targets rank above most of the "
            "non-targets, because the removed ones among the first items are missing. "
            "Recall, and precision at a fixed score, are not affected."
        )
        warn(msg, UserWarning)
    reason = why_undefined(ranking, metric)
    if reason is not None:
        return undefined(metric.name, reason, answer)
    metric = for_weights(metric, [ranking])
    return metric.value(ranking)  # type: ignore[no-any-return]


def for_weights(metric: Any, rankings: Sequence[Ranking]) -> Any:
    """Return the metric for weighted rankings; the same for others.

    It warns once of what the weights change, for all rankings and their resamples.
    """
    if not rankings[0].weighted:
        return metric
    depth = metric.cutoff_depth
    if isinstance(depth, int):
        msg = (
            f"`{metric.cutoff}`={depth} counts units of weight, not items. A float is "
            "a share of the total weight."
        )
        warn(msg, UserWarning)
    if metric.counts_ranks:
        rule = f"be None for {metric.name}, which counts items down to a rank"
        raise invalid("sample_weight", rule, "weights")
    if metric.orders_ties and metric.ties != "together":
        if any(ranking.shares_weight for ranking in rankings):
            _check_order(metric)
        return replace(metric, ties="together")  # no difference for single items
    return metric


def _check_order(metric: Any) -> None:
    """Check that ties of weighted items are retrieved whole; refuse other orders."""
    if metric.ties != "expected":
        rule = (
            f"be 'together' or 'expected' when {metric.name} is given sample_weight "
            "and a target is tied: the best and the worst order of weighted items in "
            "a tie are not computed"
        )
        raise invalid("ties", rule, f"ties={metric.ties!r}")
    msg = (
        f"{metric.name} retrieves ties as a whole, as with ties='together', because "
        "a target is tied and the mean over the orders of weighted items has no closed "
        "form. Set ties='together' to avoid this warning."
    )
    warn(msg, UserWarning)


def why_undefined(ranking: Ranking, metric: Any) -> str | None:
    """Return the reason of an undefined value, or None if there is a value."""
    if ranking.n_targets == 0:
        return "`y_true` must contain targets; got none"
    if not metric.is_defined(
        ranking.n_targets, ranking.n_non_targets + ranking.n_missed
    ):
        return "`y_true` must contain targets and non-targets; got nothing but targets"
    return None


def undefined(name: str, reason: str, undefined: float | str) -> float:
    """Return the answer for an undefined metric, and warn with the reason if NaN."""
    msg = f"{name} is undefined: {reason}."
    if undefined == "raise":
        raise ValueError(msg)
    answer = float(undefined)
    if math.isnan(answer):
        warn(msg)
    return answer
