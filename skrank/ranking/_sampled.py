"""Rankings of which only some items have labels, as a sample in strata of ranks.

The input is labels that are missing where nobody looked, scores, and the stratum of
each item. The output are counts: of the items, labels and targets of each stratum, and
of its blocks. A block is the part of a tie in one stratum, if the tie holds a label, or
a run of items without labels between two such ties. All that is known of the ranking
follows from the blocks, whose number is at most twice that of the labels, for any
number of items.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from skrank._utils._checks import check_flag, invalid
from skrank._utils._columns import (
    as_column,
    as_numbers,
    factorize,
    is_missing,
    items_of,
)
from skrank._utils._text import brief, listed
from skrank._utils._warnings import warn
from skrank.ranking._input import (
    MISSING,
    check_same_kind,
    check_scores,
    kind_of_labels,
    mark_targets,
    missing_labels,
    oriented,
    unknown_label,
)
from skrank.ranking._level_counts import LevelCounts
from skrank.ranking._sample_checks import warn_of_no_sample

Counts = NDArray[np.intp]
# Texts, in small letters, that stand for the label of an item that nobody looked at
_NOBODY = {
    *(one.lower() for one in MISSING),
    *("?", "missing", "unknown", "unlabelled", "unlabeled"),
}


class _Chunk(NamedTuple):
    """Checked columns; `strata` are labels and codes, or None without strata."""

    is_labelled: NDArray[np.bool_]
    is_target: NDArray[np.bool_]  # of the labelled items
    scores: NDArray[Any]
    strata: tuple[list[Any], Counts] | None


@dataclass(frozen=True, slots=True, eq=False)
class SampledRanking:
    """Counts of strata and of their blocks, best first.

    Attributes
    ----------
    strata : tuple
        Labels of the strata.
    is_given : bool
        Whether strata were given. Otherwise they are the items with and without labels.
    n_items, n_labelled, n_found : ndarray of shape (n_strata,)
        Items, labels and targets that were found.
    stratum, above, size : ndarray of shape (n_blocks,)
        Stratum of each block, the items above its tie or run, and the items in it.
    in_tie : ndarray of shape (n_blocks,)
        Whether the items of the block are tied.
    unlabelled, hits : ndarray of shape (n_blocks,)
        Items without labels, and targets that were found.
    """

    strata: tuple[Any, ...]
    is_given: bool
    n_items: Counts
    n_labelled: Counts
    n_found: Counts
    stratum: Counts
    above: Counts
    size: Counts
    in_tie: NDArray[np.bool_]
    unlabelled: Counts
    hits: Counts

    @property
    def n_samples(self) -> int:
        """Number of items."""
        return int(self.n_items.sum())

    @property
    def sampled(self) -> Counts:
        """Numbers of the strata of which not all items have labels."""
        return np.flatnonzero(self.n_labelled < self.n_items)

    @property
    def lengths(self) -> Counts:
        """Items in each block, of shape (n_blocks,)."""
        begin = np.cumsum(self.n_items) - self.n_items
        first = np.maximum(self.above, begin[self.stratum])
        lengths: Counts = np.diff(first, append=self.n_samples)
        return lengths

    @classmethod
    def from_chunks(
        cls,
        chunks: Any,
        *,
        pos_label: object = None,
        lower_is_better: bool = False,
    ) -> Self:
        """Count labels, scores and strata, which are read twice; O(n log r).

        The first pass collects the scores of the r labelled items, the second one
        counts the items above and equal to each.
        """
        lower = check_flag("lower_is_better", lower_is_better)
        found: list[tuple[Any, ...]] = []
        extent: dict[Any, list[Any]] = {}  # items, lowest and highest score
        seen = _Labels(pos_label)
        is_given: bool | None = None
        for chunk in chunks() if callable(chunks) else chunks:
            data = _checked(_columns_of(chunk), seen, lower=lower)
            if is_given not in (None, data.strata is not None):
                raise invalid("chunks", "all have strata, or none", "both kinds")
            is_given = data.strata is not None
            labels, codes = _codes(data)
            for code, label in enumerate(labels):
                scores = data.scores[codes == code]
                n, low, high = extent.get(label, [0, scores[0], scores[0]])
                ends = [min(low, scores.min()), max(high, scores.max())]
                extent[label] = [n + scores.size, *ends]
            names = np.empty(len(labels), dtype=object)
            names[:] = labels
            at = data.is_labelled
            found.append((data.scores[at], data.is_target, names[codes[at]]))
        if not any(scores.size for scores, _, _ in found):
            raise invalid("y_true", "have a label for some item", "none")
        types = sorted({str(scores.dtype) for scores, _, _ in found})
        if len(types) > 1:
            raise invalid("y_score", "have one type in all chunks", listed(types, 5))
        scores, marks, names = (np.concatenate(one) for one in zip(*found, strict=True))
        strata = sorted(extent, key=lambda one: extent[one][:0:-1], reverse=True)
        _check_runs(strata, extent, bool(is_given))
        # ties that hold a label, or that the end of a stratum cuts
        cut = [extent[one][1] for one in strata[:-1]]
        levels = np.unique(np.append(scores, np.array(cut, dtype=scores.dtype)))
        counts = LevelCounts(levels)
        for chunk in chunks() if callable(chunks) else chunks:
            counts.add(oriented(check_scores(chunk[1]), lower))
        n_items = np.array([extent[label][0] for label in strata])
        if counts.n_samples != n_items.sum():
            got = f"{n_items.sum()} and {counts.n_samples}"
            raise invalid("chunks", "hold the same items when read again", got)
        seen.check_found(bool(marks.any()), counts.n_samples)
        number = {label: i for i, label in enumerate(strata)}
        above = counts.n_samples - counts.below - counts.level_with
        ranking = cls._of(
            (tuple(strata), bool(is_given)),
            n_items,
            (above[::-1], counts.level_with[::-1]),
            levels.size - 1 - np.searchsorted(levels, scores),
            np.fromiter(map(number.__getitem__, names), np.intp, names.size),
            marks,
        )
        warn_of_no_sample(ranking)
        return ranking

    @classmethod
    def _of(
        cls,
        strata: tuple[tuple[Any, ...], bool],
        n_items: Counts,
        ties: tuple[Counts, Counts],
        level: Counts,
        stratum: Counts,
        marks: NDArray[np.bool_],
    ) -> Self:
        """Divide the ranking at the ends of strata and of ties that hold labels."""
        above, tied = ties
        ends = np.append(0, np.cumsum(n_items))
        cuts = np.unique(np.concatenate([ends, above, above + tied]))
        first, length = cuts[:-1], np.diff(cuts)
        tie = np.maximum(np.searchsorted(above, first, side="right") - 1, 0)
        in_tie = (above[tie] <= first) & (first < above[tie] + tied[tie])
        # a labelled item is in the block that begins with its tie, or with its stratum
        start = np.maximum(above[level], ends[stratum])
        block = np.searchsorted(first, start, side="right") - 1
        labelled = np.bincount(block, minlength=first.size)
        names, is_given = strata
        n_strata = len(names)
        return cls(
            strata=names,
            is_given=is_given,
            n_items=n_items,
            n_labelled=np.bincount(stratum, minlength=n_strata),
            n_found=np.bincount(stratum[marks], minlength=n_strata),
            stratum=np.searchsorted(ends, first, side="right") - 1,
            above=np.where(in_tie, above[tie], first),
            size=np.where(in_tie, tied[tie], length),
            in_tie=in_tie,
            unlabelled=length - labelled,
            hits=np.bincount(block[marks], minlength=first.size),
        )


class _Labels:
    """Labels of the items that somebody looked at, over all chunks."""

    def __init__(self, pos_label: object) -> None:
        self._pos_label = pos_label
        self._distinct: set[Any] = set()
        self._kind = ""

    def mark(self, known: Any) -> NDArray[np.bool_]:
        """Return whether each label is that of a target."""
        self._kind = check_same_kind(self._kind, kind_of_labels(known))
        self._distinct.update(factorize("y_true", known)[0])
        texts = {one for one in self._distinct if isinstance(one, str)}
        texts -= {self._pos_label}
        nobody = {one for one in texts if one.strip().lower() in _NOBODY}
        nobody |= texts & {*missing_labels(self._distinct, self._pos_label)}
        if nobody:
            raise _not_looked_at(min(nobody))
        if self._pos_label is None and self._has_minus_one:
            raise _not_looked_at(-1)
        return mark_targets(known, self._pos_label, whole=False)

    def check_found(self, any_target: bool, n_samples: int) -> None:
        """Check that the label of the targets is one of those seen."""
        if not any_target and self._pos_label is not None and len(self._distinct) > 1:
            raise unknown_label(self._pos_label, n_samples)
        if self._pos_label == 1 and self._has_minus_one:
            warn(
                "The label -1 counts as a non-target, as 0 does. If it says that "
                "nobody looked, the result is wrong: give NaN for these items, as "
                "np.where(y_true == -1, np.nan, y_true).",
                UserWarning,
            )

    @property
    def _has_minus_one(self) -> bool:
        return {-1, 0} <= self._distinct


def _not_looked_at(label: Any) -> ValueError:
    """Return the error for a label that says that there is none."""
    nothing = "np.nan" if label == -1 else "None"
    rule = "be NaN, None or NA for the items that nobody looked at"
    advice = (
        f"Give np.where(y_true == {label!r}, {nothing}, y_true) and keep these items, "
        "which are a part of the list. If a class has this label, rename it."
    )
    return invalid("y_true", rule, f"the label {label!r}", advice)


def _columns_of(chunk: Any) -> tuple[Any, ...]:
    """Return labels, scores and strata, which may be left out."""
    if not isinstance(chunk, tuple | list) or len(chunk) not in (2, 3):
        rule = "hold tuples (y_true, y_score, strata), or (y_true, y_score)"
        raise invalid("chunks", rule, brief(chunk))
    return (*chunk, None)[:3]


def _checked(columns: tuple[Any, ...], seen: _Labels, *, lower: bool) -> _Chunk:
    """Check a chunk of columns against each other."""
    y_true, y_score, strata = columns
    has_mask = hasattr(y_true, "isna")  # nullable arrays of pandas
    labels = np.asarray(y_true, dtype=object) if has_mask else y_true
    labels = as_column("y_true", labels)
    of_items = items_of(y_true, labels.size)
    scores = check_scores(of_items.read("y_score", y_score, as_numbers))
    scores = oriented(scores, lower)
    if strata is not None:
        strata = of_items.read("strata", strata, factorize)
    is_labelled = ~is_missing(labels)
    marks = np.zeros(0, dtype=bool)
    if is_labelled.any():
        known = labels[is_labelled]
        marks = seen.mark(known.tolist() if known.dtype == object else known)
    return _Chunk(is_labelled, marks, scores, strata)


def _codes(data: _Chunk) -> tuple[list[Any], Counts]:
    """Return the strata; without these, all labelled items and all others."""
    if data.strata is not None:
        return data.strata
    names, codes = factorize("strata", np.where(data.is_labelled, 0, 1))
    return [("labelled", "not labelled")[name] for name in names], codes


def _check_runs(strata: list[Any], extent: dict[Any, list[Any]], given: bool) -> None:
    """Check that no item of a stratum has a better score than one of the next above."""
    for one, below in pairwise(strata):
        if extent[one][1] >= extent[below][2]:
            continue
        if given:
            rule = "be runs of ranks, each with better scores than the next one"
            got = f"{brief(one)} and {brief(below)}, whose scores overlap"
            raise invalid("strata", rule, got)
        rule = "tell how the labelled items were chosen, unless they are the top of "
        rule += "the list"
        advice = (
            "Are all of the top t labelled, and a random sample of the others? Give "
            "two strata, as rank >= t with rank 0 for the best item. Is one random "
            "sample of the whole list labelled? Give one stratum, as np.zeros(n). Was "
            "the sample a plan of labels_to_collect? Give its strata. Items that were "
            "chosen by hand, or labelled because they are targets, are no sample: "
            "their labels must be NaN, unless their whole stratum is labelled."
        )
        raise invalid("strata", rule, "None", advice)
