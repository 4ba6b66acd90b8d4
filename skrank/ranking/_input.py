"""Check labels, scores and weights, and convert them to arrays.

The input is lists, arrays, pandas or polars columns, and labels of any kind. The output
are the positions of the targets, a one-dimensional numeric array of scores, and
weights. Labels, scores and weights are not checked again by later steps.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._utils._checks import check_count, check_option, hard_labels, invalid
from skrank._utils._columns import (
    Items,
    Texts,
    as_column,
    as_column_with_gaps,
    as_labels,
    as_numbers,
    factorize,
    items_of,
    mixed,
    plain_value,
)
from skrank._utils._text import brief, listed
from skrank._utils._warnings import warn

#: Texts of tables that stand for a missing value.
MISSING = (
    *("", "NA", "N/A", "#N/A", "#NA", "nan", "NaN", "NULL", "null", "None"),
    *("<NA>", r"\N"),
)
# What to do with items without a score
RANKED_LAST = "`missing`='last' ranks items without a score below all others."


@dataclass(frozen=True, slots=True, eq=False)
class RankingInput:
    """Checked input: positions of the targets, scores, weights, and missed targets.

    Items of weight 0, and with "missed" items without a score, are left out: `kept`
    marks the others, and is None for all. `failed` are the positions, among all items,
    of the targets without a score. Other columns must fit `of_items`, which are all.
    Below the score `lowest`, if it is not None, items have no score of their own.
    `turned` is the type of the scores as they were given, if lower ones are better, and
    else None.
    """

    targets: NDArray[np.intp]
    y_score: NDArray[Any]
    weight: NDArray[np.float64] | None = None
    n_missed: int = 0
    kept: NDArray[np.bool_] | None = None
    of_items: Items | None = None
    failed: NDArray[np.intp] | None = None
    lowest: Any = None
    turned: np.dtype[Any] | None = None

    @property
    def is_target(self) -> NDArray[np.bool_]:
        """Return whether each item is a target."""
        marks = np.zeros(self.y_score.size, dtype=bool)
        marks[self.targets] = True
        return marks


def check_ranking_input(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
    n_missed: Any = 0,
    n_unlisted: Any = None,
    score_name: str = "y_score",
    lower_is_better: bool = False,
    missing: str | None = None,
    whole: bool = True,
) -> RankingInput:
    """Check labels, scores and weights against each other; O(n), without sorting.

    A part of a ranking that is not `whole` may have scores that look like hard labels,
    and may lack the class of the targets. Unlisted items are appended. For `missing`
    see `read_scores`.
    """
    labels = as_labels("y_true", y_true)
    of_items = items_of(y_true, labels.size)
    scores, has_score = read_scores(
        of_items,
        score_name,
        y_score,
        lower_is_better=lower_is_better,
        missing=missing,
        labels=labels,
        whole=whole,
    )
    weight = None
    if sample_weight is not None:
        weight = of_items.read("sample_weight", sample_weight, _as_weights)
        weight = None if np.all(weight == 1) else weight
    targets = _targets_of(labels, y_true, pos_label, whole=whole)
    data = RankingInput(
        targets,
        scores,
        weight,
        of_items=of_items,
        lowest=None if has_score is None else scores[has_score].min(),
        turned=scores.dtype if lower_is_better else None,
    )
    if missing == "missed":
        given = {"sample_weight": sample_weight, "n_unlisted": n_unlisted}
        _check_missed_alone(given)
        if has_score is not None:
            failed = targets[~has_score[targets]]
            data = replace(_only(data, has_score), failed=failed)
            n_missed = check_count("n_missed", n_missed, least=0) + failed.size
    if weight is not None and not weight.all():
        data = _only(data, weight > 0)
    return with_unlisted(data, n_missed, n_unlisted)


def read_scores(
    of_items: Items,
    name: str,
    values: Any,
    *,
    lower_is_better: bool = False,
    missing: str | None = None,
    labels: Any = None,
    whole: bool = True,
) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """Return scores of which higher ones are better, and which items have one.

    The second is None if all have a score. Scores of others are one number below all,
    for "last" and "missed" as `missing`, and an error for "error". None is an error for
    callers that have no such argument.
    """
    has_score = None
    if check_missing(missing) not in (None, "error"):
        has_score, column = of_items.read(name, values, as_column_with_gaps)
        has_score = None if has_score.all() else has_score
    if has_score is None:
        advice = "" if missing is None else RANKED_LAST
        scores = of_items.read(name, values, partial(as_numbers, advice=advice))
        if isinstance(labels, np.ndarray):
            _check_not_swapped(labels, scores, name)
        _check_order(scores, name, advice, whole=whole)
        return oriented(scores, lower_is_better), None
    if not has_score.any():
        raise invalid(name, "contain at least one score", "none")
    found = as_numbers(name, column[has_score])
    _check_order(found, name, whole=whole)
    low, found = _level_below(oriented(found, lower_is_better), "items without a score")
    scores = np.full(has_score.size, low, found.dtype)
    scores[has_score] = found
    return scores, has_score


def check_missing(missing: Any) -> Any:
    """Check what items without a score are to be."""
    if missing is not None:
        check_option("missing", missing, ("error", "last", "missed"))
    return missing


def check_last(missing: Any) -> Any:
    """Check likewise where there are no missed targets."""
    if check_missing(missing) == "missed":
        rule = "be 'error' or 'last' here, where missed targets have no rank"
        raise invalid("missing", rule, repr(missing))
    return missing


def _check_missed_alone(given: dict[str, Any]) -> None:
    """Refuse columns and counts that missed targets lack."""
    for name, values in given.items():
        if values is not None:
            rule = "be left out with `missing`='missed'"
            raise invalid(name, rule, brief(values), RANKED_LAST)


def _only(data: RankingInput, kept: NDArray[np.bool_]) -> RankingInput:
    """Leave out items as if they were absent."""
    weight = None if data.weight is None else data.weight[kept]
    return replace(
        data,
        targets=np.flatnonzero(data.is_target[kept]),
        y_score=data.y_score[kept],
        weight=None if weight is None or np.all(weight == 1) else weight,
        kept=kept,
    )


def check_unlisted(n_missed: Any, n_unlisted: Any) -> tuple[int, int | None]:
    """Check the numbers of missed targets and of unlisted items."""
    missed = check_count("n_missed", n_missed, least=0)
    if n_unlisted is None:
        return missed, None
    unlisted = check_count("n_unlisted", n_unlisted, least=0)
    if unlisted < missed:
        rule = f"be at least `n_missed`, {missed}, which it contains"
        raise invalid("n_unlisted", rule, str(unlisted))
    return missed, unlisted


def with_unlisted(data: RankingInput, n_missed: Any, n_unlisted: Any) -> RankingInput:
    """Add missed targets, and append the unlisted items if their number is known."""
    missed, unlisted = check_unlisted(n_missed, n_unlisted)
    if unlisted is None:
        return replace(data, n_missed=missed)
    return append_unlisted(data, missed, unlisted)


def append_unlisted(data: RankingInput, missed: int, unlisted: int) -> RankingInput:
    """Append the unlisted items of a ranking below all others, the targets first.

    Their score is the next one below all scores. In O(n), with the unlisted items.
    """
    low, scores = _level_below(data.y_score, "`n_unlisted` items")
    lowest = data.lowest
    if lowest is None:
        lowest = scores.min() if scores.size else np.inf
    targets = scores.size + np.arange(missed)
    weight = data.weight
    if weight is not None:
        weight = np.append(weight, np.ones(unlisted))
    return replace(
        data,
        targets=np.append(data.targets, targets),
        y_score=np.append(scores, np.full(unlisted, low, scores.dtype)),
        weight=weight,
        lowest=lowest,
    )


def _level_below(scores: NDArray[Any], whose: str) -> tuple[Any, NDArray[Any]]:
    """Return the next number below all scores, and the scores in a type that has it."""
    low: Any = -np.inf
    if not scores.size:
        low = 0
    elif scores.dtype.kind == "f":
        low = np.nextafter(scores.min(), scores.dtype.type(-np.inf))
    else:
        below, most = int(scores.min()) - 1, int(scores.max())
        for dtype in (scores.dtype, np.dtype(np.int64)):
            if np.iinfo(dtype).min <= below and most <= np.iinfo(dtype).max:
                low, scores = below, scores.astype(dtype, copy=False)
                break
    if low == -np.inf:
        rule = f"be above the smallest number of its type beside {whose}"
        raise invalid("y_score", rule, str(scores.min()))
    return low, scores


def mark_targets(
    y_true: ArrayLike, pos_label: object = None, *, whole: bool = True
) -> NDArray[np.bool_]:
    """Return whether each item is a target, before the items are ranked."""
    labels = as_labels("y_true", y_true)
    marks = np.zeros(labels.size, dtype=bool)
    targets = _targets_of(labels, y_true, pos_label, whole=whole, known=not whole)
    marks[targets] = True
    return marks


def _targets_of(
    labels: Any,
    y_true: ArrayLike,
    pos_label: object,
    *,
    whole: bool,
    known: bool = False,
) -> NDArray[np.intp]:
    """Return the positions of the targets; the default is {0, 1}, {-1, 1}, bool.

    All other labels, of any number of classes, are non-targets. A `pos_label` that no
    item has is an error, with three exceptions: a part of a data set that is not
    `whole`, classes that an estimator knows, and items that all have one label.

    `labels` is `y_true` as an array, in which large integers of a list may have lost
    digits, or as `Texts`. An estimator may have told that the classes are `known`.
    """
    if pos_label is not None and np.ndim(pos_label) != 0:  # type: ignore[arg-type]
        raise invalid("pos_label", "be one label", brief(pos_label))
    are_objects = labels.dtype.kind == "O" and not isinstance(labels, Texts)
    # nullable columns, and lists of several kinds
    if are_objects and all(
        isinstance(plain_value(one), bool | int | float) for one in labels
    ):
        labels = np.asarray(list(map(plain_value, labels.tolist())))
    if labels.dtype.kind == "f" and np.isnan(labels.min()):
        raise mixed("y_true", labels.tolist())
    is_list = isinstance(y_true, list | tuple) and labels.dtype.kind == "f"
    are_numbers = labels.dtype.kind in "biuf"
    if is_list and abs(labels).max() >= 2.0**53:
        are_numbers = False
    if pos_label is None:
        ones = _find_ones(labels) if are_numbers else None
        if ones is None:
            rule = (
                "name the label of the targets when labels are not {0, 1}, {-1, 1} or "
                "bool"
            )
            got = f"None for labels {count_labels(y_true)}"
            grades = are_numbers and labels.min() == 0 and np.all(labels % 1 == 0)
            advice = "For grades give y_true >= the lowest grade of a target."
            raise invalid("pos_label", rule, got, advice if grades else "")
        return ones
    codes, target = labels, pos_label
    if are_numbers:
        if pos_label == 1 and not known and labels.min() == -1 and np.any(labels == 0):
            warn_of_minus_one()
    else:
        given: Any = y_true if isinstance(y_true, list | tuple) else labels
        distinct, codes = factorize("y_true", given)
        _check_missing(distinct, codes, pos_label)
        target = distinct.index(pos_label) if pos_label in distinct else -1
    targets: NDArray[np.intp] = np.flatnonzero(codes == target)
    if whole and targets.size == 0 and np.any(codes != codes[0]):
        got = f"{brief(pos_label)} for labels {count_labels(y_true)}"
        raise invalid("pos_label", "be one of the labels in `y_true`", got)
    return targets


def unknown_label(pos_label: object, n_samples: int) -> ValueError:
    """Return the error for a label of the targets that no item of several parts has."""
    got = f"{brief(pos_label)}, which none of {n_samples} items has"
    return invalid("pos_label", "be one of the labels in `y_true`", got)


def _check_missing(
    distinct: list[Any], codes: NDArray[np.intp], pos_label: object
) -> None:
    """Refuse texts that stand for missing labels beside two other labels."""
    missing = missing_labels(distinct, pos_label)
    if not missing or len(distinct) - len(missing) < 2:
        return
    at = np.flatnonzero(np.isin(codes, list(map(distinct.index, missing))))
    got = f"{at.size} of {listed([*map(repr, missing)], 5)}, the first at"
    rule = "contain labels, none missing"
    advice = (
        "Leave these items out, or give the labels another name if they are a class."
    )
    where = ", ".join(map(str, at[:3].tolist()))
    raise invalid("y_true", rule, f"{got} positions {where}", advice)


def missing_labels(labels: Collection[Any], pos_label: object) -> list[Any]:
    """Return the labels that stand for a missing one."""
    texts = {one: str(one).strip() for one in labels if one != pos_label}
    # texts that stand for it beside two others; "-" may be that beside "+"
    unknown = ("?", "-", ".", "missing", "unknown", "Missing", "Unknown")
    found = [one for one, text in texts.items() if text in (*MISSING, *unknown)]
    if len(labels) - len(found) < 2:
        return [one for one in found if texts[one] in MISSING]
    return found


def mark_labelled(labelled: Any, of_items: Items) -> NDArray[np.bool_]:
    """Return which items have a label, by booleans or by labels with gaps."""
    if labelled is None:
        return np.zeros(of_items.size, dtype=bool)
    marks: NDArray[np.bool_]
    marks, column = of_items.read("labelled", labelled, as_column_with_gaps)
    distinct = {*column[marks].tolist()}
    if marks.all() and all(isinstance(one, bool) for one in distinct):
        marks = column.astype(bool)
    nobody = missing_labels(distinct, None)
    if nobody or marks.all():
        rule = "be True or False, or NaN, None or NA for items without a label"
        got = f"the label {brief(nobody[0])}" if nobody else "a label for all items"
        raise invalid("labelled", rule, got)
    return marks


def warn_of_minus_one() -> None:
    """Warn that a label, which often means unknown, is that of a non-target."""
    warn(
        "The label -1 counts as a non-target, as 0 does. Leave these items out if "
        "their labels are unknown.",
        UserWarning,
    )


def check_known_classes(y_true: ArrayLike, classes: Sequence[Any]) -> None:
    """Check that the labels and the classes of an estimator have some in common."""
    known, found = set(classes), factorize("y_true", y_true)[0]
    if known.isdisjoint(found):
        rule = f"have some of the classes {listed([*map(brief, classes)], 10)}"
        raise invalid("y_true", rule, f"labels {count_labels(y_true)}")


def kind_of_labels(y_true: ArrayLike) -> str:
    """Return whether the labels of a chunk are numbers or texts, with the first."""
    array = as_column("y_true", y_true)
    first = plain_value(array[0])
    kind = "numbers" if isinstance(first, int | float) else "texts"
    return f"{kind} as {brief(first)}"


def check_same_kind(known: str, new: str) -> str:
    """Check that the labels of two chunks are of one kind; return the first known."""
    if known and new and known[:5] != new[:5]:
        rule = "have labels of one kind in all chunks, numbers or texts"
        raise invalid("y_true", rule, f"{new} after {known}")
    return known or new


def _find_ones(labels: NDArray[Any]) -> NDArray[np.intp] | None:
    """Return the positions of ones among zeros or minus ones; None for other labels."""
    is_set = labels if labels.dtype.kind == "b" else labels != 0
    targets: NDArray[np.intp] = is_set.nonzero()[0]
    if targets.size < labels.size:
        valid = np.count_nonzero(labels[targets] != 1) == 0
    else:
        targets = np.flatnonzero(labels == 1)
        n_others = labels.size - targets.size
        valid = np.count_nonzero(labels == -1) == n_others
    return targets if valid else None


def count_labels(y_true: ArrayLike, known: Sequence[Any] = ()) -> str:
    """Return the labels and their numbers of items, the rarest first, for an error.

    Labels in `known` may have no items.
    """
    distinct, codes = factorize("y_true", y_true)
    found = dict(zip(distinct, np.bincount(codes).tolist(), strict=True))
    counts = dict.fromkeys(known, 0) | found
    rarest = sorted(counts, key=counts.__getitem__)
    return listed([f"{brief(label)} ({counts[label]})" for label in rarest], 10)


def check_scores(y_score: ArrayLike, name: str = "y_score") -> NDArray[Any]:
    """Return finite numbers that can order items and are not hard labels."""
    scores = as_numbers(name, y_score)
    _check_order(scores, name, whole=True)
    return scores


def _check_order(
    scores: NDArray[Any], name: str, advice: str = "", *, whole: bool
) -> None:
    low, high = scores.min(), scores.max()
    if scores.dtype.kind == "f":
        if math.isfinite(low) and math.isfinite(high):
            return
        finite = np.isfinite(scores)
        got = (
            f"{np.isnan(scores).sum()} NaN and {np.isinf(scores).sum()} infinite of "
            f"{scores.size}, the first at position {finite.argmin()}"
        )
        has_nan = np.isnan(scores).any()
        raise invalid(name, "be finite", got, advice if has_nan else "")
    if scores.dtype.kind == "b" or (whole and _are_labels(scores, low, high)):
        got = "booleans" if scores.dtype.kind == "b" else f"integers {{{low}, {high}}}"
        raise hard_labels(name, got)


def _are_labels(scores: NDArray[Any], low: Any, high: Any) -> bool:
    """Return whether all integers are 0 or 1, or -1 or 1."""
    if high != 1:
        return False
    return bool(low == 0 or (low == -1 and np.count_nonzero(scores) == scores.size))


def small_integers(scores: NDArray[Any]) -> set[int] | None:
    """Return the distinct scores of a part if all are integers from -1 to 1, or None.

    These may be labels.
    """
    if scores.dtype.kind == "f" or not -1 <= scores.min() <= scores.max() <= 1:
        return None
    return set(np.unique(scores).tolist())


def check_both_classes(n_targets: int, n_samples: int) -> None:
    """Check that a ranking has targets and non-targets."""
    if not 0 < n_targets < n_samples:
        items = "1 item" if n_samples == 1 else f"{n_samples} items"
        got = f"{n_targets} target{'s' * (n_targets != 1)} among {items}"
        raise invalid(
            "y_true", "contain targets and non-targets to test a ranking", got
        )


def _check_not_swapped(
    labels: NDArray[Any], scores: NDArray[Any], score_name: str
) -> None:
    """Raise an error if labels have more than two numbers and all scores are labels."""
    first = labels[:1000]  # a sample is enough; other input is refused in any case
    if (
        first.dtype.kind == "f"
        and np.unique(first).size > 2
        and np.isin(scores[:1000], (-1, 0, 1)).all()
        and np.unique(scores).size <= 2
    ):
        rule = f"contain labels, and `{score_name}` scores"
        got = "scores as labels and labels as scores: the two look swapped"
        raise invalid("y_true", rule, got)


def _as_weights(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """Convert to finite weights, not negative and not all 0."""
    weight = as_numbers(name, values).astype(np.float64, copy=False)
    with np.errstate(over="ignore"):
        low, total = weight.min(), weight.sum()
    lightest = 1e-300  # the sum must be a divisor without overflow
    if not (low >= 0 and lightest <= total < np.inf):
        rule = (
            "be finite, not negative, and not all zero, with a sum of at least "
            f"{lightest}"
        )
        raise invalid(name, rule, f"minimum {low} and sum {total}")
    return weight


def oriented(scores: NDArray[Any], lower_is_better: bool) -> NDArray[Any]:
    """Return scores for which higher is better."""
    if not lower_is_better:
        return scores
    # the smallest integer has no negative, but all integers have a complement
    return ~scores if scores.dtype.kind in "iu" else -scores
