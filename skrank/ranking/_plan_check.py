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

_BLANK = (
    "A label may be missing only for a reason that is unrelated to it. If somebody "
    "could not decide, or if targets stay unlabelled more often, the labels are no "
    "random sample, and the number of targets is underestimated. Label these items as "
    "well as possible."
)
_UNPLANNED = (
    "Items that people chose are no random sample, and would bias the result. Pass "
    "labels that exist before a plan as `labelled` to labels_to_collect. Labels that "
    "were added later count if their whole stratum is labelled, or with a larger plan "
    "of the same seed that contains them."
)


def column_names(table: Any) -> list[str]:
    """Return the names of the columns of a table; none for a single column."""
    # iteration over pyarrow's columns gives no names
    names = getattr(table, "column_names", getattr(table, "columns", ()))
    return [*map(str, names)]


def is_plan(strata: Any) -> bool:
    """Whether strata have the columns of `labels_to_collect`."""
    return {"stratum", "to_label"} <= {*column_names(strata)}


def strata_of_plan(
    plan: Any, is_labelled: NDArray[np.bool_], of_items: Items
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return the strata of a plan, and which labels are a sample of them.

    Labels of items that were not planned are no sample: someone chose the items after
    the plan was drawn. They are left out, as a stratum without the targets that were
    found by hand would still be judged by a sample that holds some of them, and seem to
    have too many. They count if all items of their stratum have a label.
    """
    if not is_plan(plan):
        rule = "be a column, or a plan with the columns stratum and to_label"
        raise invalid("strata", rule, brief(plan))
    strata = of_items.read("strata", plan["stratum"], as_numbers)
    planned = of_items.read("strata", plan["to_label"], as_numbers) != 0
    was_known = strata == KNOWN
    if not is_labelled[was_known].all():
        rule = f"contain the labels that existed before the plan, in stratum {KNOWN}"
        got = f"{np.sum(was_known & ~is_labelled)} of {was_known.sum()} blank"
        raise invalid("y_true", rule, got)
    blank = planned & ~is_labelled
    if blank.any():
        counts = zip(*np.unique(strata[blank], return_counts=True), strict=True)
        where = listed([f"{h}: {k}" for h, k in counts], 5)
        said = f"{blank.sum()} of {planned.sum()} planned items have no label (by "
        said += f"stratum, {where}). {_BLANK}"
        warn(said, UserWarning)
    n_planned = np.sum(planned | was_known)
    if is_labelled.all() and n_planned < planned.size:
        said = f"All {planned.size} items have a label, but {n_planned} were planned. "
        said += "If 0 means that nobody inspected an item, the result is wrong: use "
        warn(f"{said}NaN for items without a label.", UserWarning)
    is_whole = ~np.isin(strata, strata[~is_labelled])
    is_sampled = is_labelled & (planned | was_known | is_whole)
    extra = np.flatnonzero(is_labelled & ~is_sampled)
    if extra.size:
        said = f"{extra.size} labelled items were not planned, the first at position "
        warn(f"{said}{extra[0]}; their labels are left out. {_UNPLANNED}", UserWarning)
    return strata, is_sampled
