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
from numpy.typing import ArrayLike, NDArray

from skrank._utils._checks import check_flag, invalid
from skrank._utils._columns import (
    as_column,
    check_index,
    check_length,
    factorize,
    is_missing,
)
from skrank._utils._text import brief, listed
from skrank.ranking._counting import LevelCounts
from skrank.ranking._input import check_scores, mark_targets, oriented

Counts = NDArray[np.intp]


class _Chunk(NamedTuple):
    """Checked columns; `strata` is None without strata."""

    is_labelled: NDArray[np.bool_]
    is_target: NDArray[np.bool_]  # of the labelled items
    scores: NDArray[Any]
    strata: Any


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

    @classmethod
    def from_chunks(
        cls,
        chunks: Any,
        *,
        pos_label: object = None,
        lower_is_better: bool = False,
        whole: bool = False,
    ) -> Self:
        """Count labels, scores and strata, which are read twice; O(n log r).

        The first pass collects the scores of the r labelled items, the second one
        counts the items above and equal to each. A chunk may be the `whole` list.
        """
        lower = check_flag("lower_is_better", lower_is_better)
        found: list[tuple[Any, ...]] = []
        extent: dict[Any, list[Any]] = {}  # items, lowest and highest score
        for chunk in chunks() if callable(chunks) else chunks:
            data = _checked(*chunk, pos_label=pos_label, lower=lower, whole=whole)
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
        _check_runs(strata, extent, data.strata is not None)
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
        number = {label: i for i, label in enumerate(strata)}
        above = counts.n_samples - counts.below - counts.level_with
        return cls._of(
            (tuple(strata), data.strata is not None),
            n_items,
            (above[::-1], counts.level_with[::-1]),
            levels.size - 1 - np.searchsorted(levels, scores),
            np.fromiter(map(number.__getitem__, names), np.intp, names.size),
            marks,
        )

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


def _checked(
    y_true: Any,
    y_score: Any,
    strata: ArrayLike | None = None,
    *,
    pos_label: object,
    lower: bool,
    whole: bool,
) -> _Chunk:
    """Check a chunk of columns against each other."""
    check_index("y_score", y_score, y_true)
    check_index("strata", strata, y_true)
    if hasattr(y_true, "isna"):  # nullable arrays of pandas, which have a mask
        y_true = np.asarray(y_true, dtype=object)
    labels = as_column("y_true", y_true)
    scores = oriented(check_scores(y_score), lower)
    check_length("y_score", scores.size, labels.size)
    if strata is not None:
        check_length("strata", np.shape(strata)[0], labels.size)
    is_labelled = ~is_missing(labels)
    marks = np.zeros(0, dtype=bool)
    if is_labelled.any():
        known = labels[is_labelled]
        if known.dtype == object:
            known = known.tolist()
        marks = mark_targets(known, pos_label, whole=whole)
    return _Chunk(is_labelled, marks, scores, strata)


def _codes(data: _Chunk) -> tuple[list[Any], Counts]:
    """Return the strata; without these, all labelled items and all others."""
    if data.strata is not None:
        return factorize("strata", data.strata)
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
        rule = "tell of which items the labels are a random sample, unless they are "
        rule += "those of the top of the list"
        advice = (
            "Labels of a sample of all items have one stratum, as np.zeros(n); those "
            "of a top and a sample of the rest have two. See labels_to_collect."
        )
        raise invalid("strata", rule, "None", advice)
