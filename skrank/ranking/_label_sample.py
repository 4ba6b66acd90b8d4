"""Labels of some items of a list, and the ranks of all items by each model.

The list is divided into strata by any rule that does not look at labels. The labelled
items of each stratum are a random sample of its items, or all of them, or none.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from skrank._utils._checks import invalid
from skrank._utils._columns import (
    as_column_with_gaps,
    factorize,
    items_of,
)
from skrank._utils._warnings import warn
from skrank.ranking._input import (
    MISSING,
    check_last,
    mark_targets,
    missing_labels,
    read_scores,
    unknown_label,
)
from skrank.ranking._plan_check import column_names, strata_of_plan
from skrank.ranking._sample_checks import warn_of_no_sample

Codes = NDArray[np.intp]
# Texts, in small letters, that stand for the label of an item that nobody looked at
_NOBODY = {
    *(one.lower() for one in MISSING),
    *("?", "missing", "unknown", "unlabelled", "unlabeled"),
}


class ModelRanks(NamedTuple):
    """Ranks of all items by a model.

    `above` and `size`, of shape (n_samples,), are the number of items with a better
    score than each item, and of those with the same score. `order` are the items, best
    first.
    """

    above: Codes
    size: Codes
    order: Codes

    @classmethod
    def of(cls, scores: NDArray[Any]) -> Self:
        """Rank items by their scores; O(n log n)."""
        order = np.argsort(scores)[::-1]
        ordered = scores[order]
        first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
        if first.size == scores.size:  # no ties
            size, starts = np.broadcast_to(np.intp(1), first.shape), first
        else:
            sizes = np.diff(first, append=scores.size)
            size, starts = np.empty((2, scores.size), dtype=np.intp)
            size[order], starts = np.repeat(sizes, sizes), np.repeat(first, sizes)
        above = np.empty(scores.size, dtype=np.intp)
        above[order] = starts
        return cls(above, size, order)

    @property
    def rank(self) -> NDArray[np.float64]:
        """Mean rank of each item over the orders of its tie."""
        return np.asarray(self.above + (self.size + 1) / 2)

    def share_above(self, depth: Any, items: Any = slice(None)) -> NDArray[np.float64]:
        """Return the share of the orders in which items are above a depth."""
        share = (depth - self.above[items]) / self.size[items]
        return np.asarray(np.clip(share, 0, 1))


@dataclass(frozen=True, eq=False)
class LabelSample:
    """The labels of a list of which some are missing, and its ranks by each model.

    Attributes
    ----------
    names : tuple
        Names of the strata.
    is_given : bool
        Whether strata were given. Otherwise they are the items with and without labels.
    stratum : ndarray of shape (n_samples,)
        Number of the stratum of each item.
    targets, others : ndarray of shape (n_targets,) or (n_others,)
        Labelled items that are targets, and that are none.
    models : dict from names to ModelRanks
        Ranks of all items.
    """

    names: tuple[Any, ...]
    is_given: bool
    stratum: Codes
    targets: Codes
    others: Codes
    models: Mapping[Any, ModelRanks]

    @property
    def n_samples(self) -> int:
        """Number of items."""
        return self.stratum.size

    @cached_property
    def is_labelled(self) -> NDArray[np.bool_]:
        """Whether each item has a label."""
        found = np.zeros(self.n_samples, dtype=bool)
        found[self.targets] = found[self.others] = True
        return found

    @cached_property
    def n_items(self) -> Codes:
        """Numbers of items of the strata."""
        return np.bincount(self.stratum, minlength=len(self.names))

    @cached_property
    def n_found(self) -> Codes:
        """Numbers of targets that were found in the strata."""
        return np.bincount(self.stratum[self.targets], minlength=len(self.names))

    @cached_property
    def n_labelled(self) -> Codes:
        """Numbers of labelled items of the strata."""
        others = self.stratum[self.others]
        return self.n_found + np.bincount(others, minlength=len(self.names))

    @property
    def sampled(self) -> Codes:
        """Numbers of the strata of which not all items have labels."""
        return np.flatnonzero(self.n_labelled < self.n_items)

    def only(self, *names: Any) -> Self:
        """Return the sample with the ranks of some models."""
        return replace(self, models={name: self.models[name] for name in names})

    @classmethod
    def from_columns(
        cls,
        y_true: Any,
        scores: Mapping[Any, Any],
        strata: Any = None,
        *,
        pos_label: object = None,
        lower_is_better: Collection[Any] = (),
        missing: str = "error",
        score_names: Mapping[Any, str],
    ) -> Self:
        """Check columns against each other, and rank by each model; O(n log n)."""
        is_labelled, labels = as_column_with_gaps("y_true", y_true)
        of_items = items_of(y_true, labels.size)
        ranks, given = {}, {"missing": check_last(missing)}
        for name, values in scores.items():
            low = name in lower_is_better
            column, _ = read_scores(
                of_items, score_names[name], values, lower_is_better=low, **given
            )
            ranks[name] = ModelRanks.of(column)
        is_given = strata is not None
        if len(column_names(strata)) > 1:  # a plan
            strata, is_labelled = strata_of_plan(strata, is_labelled, of_items)
        if not is_labelled.any():
            raise invalid("y_true", "contain at least one label", "none")
        marks = _marks(labels[is_labelled], pos_label, labels.size)
        if strata is None:
            names, codes = ["labelled", "not labelled"], 1 - is_labelled.astype(np.intp)
            names = names[: 1 + int(codes.max())]
        else:
            names, codes = of_items.read("strata", strata, factorize)
            names, codes = _best_first(names, codes, next(iter(ranks.values())))
        places = np.flatnonzero(is_labelled)
        # neither the order of the rows nor that of the models counts in the draws
        above = np.sort([one.above[places] for one in ranks.values()], axis=0)
        order = np.lexsort([*above, codes[places]])
        places, marks = places[order], marks[order]
        sample = cls(
            names=tuple(names),
            is_given=is_given,
            stratum=codes,
            targets=places[marks],
            others=places[~marks],
            models=ranks,
        )
        warn_of_no_sample(sample)
        return sample


def _best_first(
    names: list[Any], codes: Codes, ranks: ModelRanks
) -> tuple[list[Any], Codes]:
    """Return strata in the order of the ranks, if they are runs of these."""
    ordered = codes[ranks.order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    if starts.size > len(names):
        return names, codes
    number = np.empty(len(names), dtype=np.intp)
    number[ordered[starts]] = np.arange(len(names))
    return [names[code] for code in ordered[starts].tolist()], number[codes]


def _marks(known: Any, pos_label: object, n_samples: int) -> NDArray[np.bool_]:
    """Return whether each label is that of a target."""
    found = known.tolist() if known.dtype == object else known
    distinct = {*factorize("y_true", found)[0]}
    texts = {one for one in distinct if isinstance(one, str)} - {pos_label}
    nobody = {one for one in texts if one.strip().lower() in _NOBODY}
    nobody |= texts & {*missing_labels(distinct, pos_label)}
    if nobody:
        raise _not_looked_at(min(nobody))
    has_minus_one = {-1, 0} <= distinct
    if pos_label is None and has_minus_one:
        raise _not_looked_at(-1)
    marks = mark_targets(found, pos_label, whole=False)
    if not marks.any() and pos_label is not None and len(distinct) > 1:
        raise unknown_label(pos_label, n_samples)
    if pos_label == 1 and has_minus_one:
        warn(
            "The label -1 counts as a non-target, as 0 does. If it means that the "
            "label is unknown, the result is wrong: use NaN for these items, as "
            "np.where(y_true == -1, np.nan, y_true).",
            UserWarning,
        )
    return marks


def _not_looked_at(label: Any) -> ValueError:
    """Return the error for a label that says that there is none."""
    nothing = "np.nan" if label == -1 else "None"
    rule = "be NaN, None or NA for unlabelled items"
    advice = (
        f"Pass np.where(y_true == {label!r}, {nothing}, y_true) and keep these items, "
        "which are a part of the list. If a class has this label, rename it."
    )
    return invalid("y_true", rule, f"the label {label!r}", advice)
