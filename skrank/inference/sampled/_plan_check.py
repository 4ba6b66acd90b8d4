"""A plan of labels beside the labels that came back."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skrank._utils._checks import invalid
from skrank._utils._columns import Items, as_numbers
from skrank._utils._text import brief, listed
from skrank._utils._warnings import warn

#: Stratum of the items that had a label before the plan.
KNOWN = -1


def strata_of_plan(
    plan: Any, is_labelled: NDArray[np.bool_], of_items: Items
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return the strata of a plan, and which labels are a sample of them.

    Labels of items that were not planned are no sample: someone chose the items after
    the plan was drawn. They are left out, as a stratum without the targets that were
    found by hand would still be judged by a sample that holds some of them, and seem to
    have too many. They count if all items of their stratum have a label.
    """
    # iteration over pyarrow's columns gives no names
    names = getattr(plan, "column_names", getattr(plan, "columns", ()))
    if not {"stratum", "to_label"} <= {*map(str, names)}:
        rule = "be a column, or a plan with the columns stratum and to_label"
        raise invalid("strata", rule, brief(plan))
    strata = of_items.read("strata", plan["stratum"], as_numbers)
    planned = of_items.read("strata", plan["to_label"], as_numbers) != 0
    was_known = strata == KNOWN
    if not is_labelled[was_known].all():
        rule = f"have the labels that were there before the plan, in stratum {KNOWN}"
        got = f"{np.sum(was_known & ~is_labelled)} of {was_known.sum()} blank"
        raise invalid("y_true", rule, got)
    blank = planned & ~is_labelled
    if blank.any():
        names, counts = np.unique(strata[blank], return_counts=True)
        of_strata = [f"{h}: {k}" for h, k in zip(names, counts, strict=True)]
        warn(
            f"{blank.sum()} of {planned.sum()} planned items have no label (by "
            f"stratum, {listed(of_strata, 5)}). A blank means that nobody looked, for "
            "a reason that has nothing to do with the label. If somebody looked and "
            "could not decide, or if targets stay blank more often, the labels are no "
            "random sample, and the values are wrong; too few targets are then "
            "estimated. Label these items, at least as well as possible.",
            UserWarning,
        )
    is_whole = ~np.isin(strata, strata[~is_labelled])
    is_sampled = is_labelled & (planned | was_known | is_whole)
    extra = np.flatnonzero(is_labelled & ~is_sampled)
    if extra.size:
        warn(
            f"{extra.size} labelled items were not planned, the first at position "
            f"{extra[0]}; their labels are left out. Items that somebody chose are no "
            "random sample, and would bias the result. Give labels that are there "
            "before a plan to `labelled` of labels_to_collect, which counts them. "
            "Labels that are added later count if all items of their stratum have one, "
            "or by a larger plan of the same seed that contains the items.",
            UserWarning,
        )
    return strata, is_sampled
