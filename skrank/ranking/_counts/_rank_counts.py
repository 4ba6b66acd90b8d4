"""The public class `RankCounts`: mergeable counts of a ranking."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import Any, NoReturn, Self

from numpy.typing import ArrayLike

from skrank._utils._checks import check_count, check_flag, invalid
from skrank._utils._columns import is_dask
from skrank._utils._text import brief
from skrank.ranking._counts._chunks import Chunks, Slices, count_chunks
from skrank.ranking._counts._dask import count_partitions
from skrank.ranking._counts._passes import FirstPass, SecondPass
from skrank.ranking._ranking import Ranking


class RankCounts:
    """Ranking of data larger than memory, in two passes; if it fits, use Ranking.

    Counts replace `y_true` and `y_score` in every metric, in :func:`hit_curve`,
    :func:`operating_points`, and in ``from_predictions`` of
    :class:`RandomSelectionTest`, :class:`MetricInterval` and :class:`RankingReport`.
    All results are exactly the same as for the whole ranking. Only the scores of the
    targets and about a million of the best scores are kept.

    `from_predictions` and `from_chunks` make both passes. To divide the work in another
    way, start with an empty ``RankCounts()``. In the first pass, `update` collects the
    scores of the targets. Then `second_pass` returns empty counts with these scores. In
    the second pass, pass the same items to `update`, in any order and in any chunks. In
    both passes, ``+`` or ``sum`` merges partial results.

    Parameters
    ----------
    pos_label : int, float, bool or str, default=None
        Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.

    See Also
    --------
    RankingEvaluation : A ranking in pieces that fits into memory.

    Notes
    -----
    A metric needs the number of items above each target and the number of items tied
    with it (see :func:`average_precision`). Both numbers are sums over the items if the
    scores of the targets are known. A pass takes at most O(n log m) time for n items
    with m targets. Its memory is O(m) and one chunk.

    Both passes must contain the same items. The numbers of items and of targets at each
    score are compared, and the counts cannot be used until these numbers agree.

    All ties are known down to a depth of 2**20 items. Below, a tie is known if it
    contains a target, or if it is wider than 1/128 of its depth and 1/8192 of the
    ranking. This is sufficient for the test against random selection.
    ``ties="together"`` raises an error for a cutoff below 2**20 items that is outside
    the known ties.

    To count in several threads or processes, use a separate object for each of them,
    and add the objects.

    All scores must have the same type. The same number can differ between single and
    double precision, or between an integer and a float.

    Examples
    --------
    Each of two workers has half of the ranking:

    >>> from skrank import RankCounts, average_precision
    >>> left = [1, 0, 1, 0], [0.9, 0.7, 0.4, 0.3]
    >>> right = [0, 0, 1, 0], [0.8, 0.2, 0.4, 0.1]
    >>> first = RankCounts()
    >>> first.update(*left)
    >>> other = RankCounts()
    >>> other.update(*right)
    >>> first = first + other
    >>> first
    RankCounts(first pass: 8 items, 3 targets)

    Each worker counts its half against the targets of both halves:

    >>> counts, other = first.second_pass(), first.second_pass()
    >>> counts.update(*left)
    >>> counts
    RankCounts(second pass: 4 of 8 items, 2 of 3 targets)
    >>> other.update(*right)
    >>> round(average_precision(counts + other), 3)
    0.7
    >>> y_true, y_score = [*left[0], *right[0]], [*left[1], *right[1]]
    >>> round(average_precision(y_true, y_score), 3)
    0.7
    """

    def __init__(self, *, pos_label: object = None) -> None:
        self.pos_label = pos_label
        self._pass: FirstPass | SecondPass = FirstPass()

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        pos_label: object = None,
        chunk_size: int | None = None,
        progress: bool = False,
    ) -> Self:
        """Count a ranking from two arrays or columns, in memory or on disk.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels, in an object with a length that can be sliced: arrays, memory maps,
            datasets of HDF5 or zarr, and columns of data frames. A dask array or column
            is counted by its partitions.
        y_score : array-like of shape (n_samples,)
            Scores, in an object of the same type; a higher score means a likelier
            target.
        pos_label : int, float, bool or str, default=None
            Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
        chunk_size : int, default=None
            Number of items to read at a time. None means 2**20.
        progress : bool, default=False
            Whether to show a progress bar for each pass; needs tqdm. With dask, use
            ``dask.diagnostics.ProgressBar``.

        Returns
        -------
        counts : RankCounts
            Complete counts of both passes.

        Raises
        ------
        ValueError
            If the input is not a ranking, as in :func:`average_precision`; if it
            changed between the passes; if `y_true` and `y_score` have different
            partitions; or if `chunk_size` or `progress` is passed with dask. Errors of
            dask are raised unchanged.
        """
        progress = check_flag("progress", progress)
        if is_dask(y_true) or is_dask(y_score):
            if chunk_size is not None or progress:
                rule = (
                    "be left out with dask, whose partitions are the chunks, and whose "
                    "ProgressBar shows them"
                )
                name = "progress" if progress else "chunk_size"
                raise invalid(name, rule, brief(chunk_size or progress))
            return cls._of(pos_label, count_partitions(y_true, y_score, pos_label))
        size = 2**20  # with half of it the time is 10 % longer; more needs more memory
        if chunk_size is not None:
            size = check_count("chunk_size", chunk_size, least=1)
        slices = Slices(y_true, y_score, size)
        counted = count_chunks(
            slices,
            pos_label,
            progress=progress,
            total=len(slices.starts),
            n_expected=slices.n_samples,
        )
        return cls._of(pos_label, counted)

    @classmethod
    def from_chunks(
        cls, chunks: Chunks, *, pos_label: object = None, progress: bool = False
    ) -> Self:
        """Count a ranking from chunks.

        Parameters
        ----------
        chunks : iterable of (y_true, y_score), or callable that returns one
            Labels and scores of the chunks, such as a list. The chunks are read twice;
            a callable is called once for each pass. Chunks of at least 100,000 items
            are fastest.
        pos_label : int, float, bool or str, default=None
            Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
        progress : bool, default=False
            Whether to show a progress bar for each pass; needs tqdm.

        Returns
        -------
        counts : RankCounts
            Complete counts of both passes.

        Raises
        ------
        ValueError
            If `chunks` can be read only once, such as a generator; if the chunks are
            not a ranking, as in :func:`average_precision`; or if they changed between
            the passes.

        Examples
        --------
        >>> from skrank import RankCounts, recall_at_t
        >>> def read():
        ...     yield [1, 0, 0], [0.9, 0.2, 0.5]
        ...     yield [0, 1, 0, 0], [0.4, 0.3, 0.1, 0.0]
        >>> recall_at_t(RankCounts.from_chunks(read), t=3)
        0.5
        """
        progress = check_flag("progress", progress)
        counted = count_chunks(chunks, pos_label, progress=progress)
        return cls._of(pos_label, counted)

    @property
    def n_samples(self) -> int:
        """Number of items seen in this pass.

        Returns
        -------
        n_samples : int
            Number of items.
        """
        return self._pass.n_samples

    @property
    def n_targets(self) -> int:
        """Number of targets seen in this pass.

        Returns
        -------
        n_targets : int
            Number of targets.
        """
        return self._pass.n_targets

    def update(self, y_true: ArrayLike, y_score: ArrayLike) -> None:
        """Count a chunk of the ranking.

        Parameters
        ----------
        y_true : array-like of shape (n_chunk,)
            Labels of the chunk, which can be empty or contain a single class.
        y_score : array-like of shape (n_chunk,)
            Scores of the chunk. All chunks must have the same type.

        Raises
        ------
        ValueError
            If the chunk is not valid or does not fit the previous chunks. In the second
            pass also if a target has a score that no target had in the first pass, or
            if there are more items or targets than in the first pass. The counts are
            then unchanged.
        """
        self._pass.count(y_true, y_score, self.pos_label)

    def second_pass(self) -> Self:
        """Return empty counts for the second pass, after a complete first pass.

        Returns
        -------
        counts : RankCounts
            Counts for the second pass over the same items. Workers can use copies of
            them.

        Raises
        ------
        ValueError
            If this is not a first pass, if it contained no items or no item with the
            label `pos_label`, or if the scores are hard labels.
        """
        if isinstance(self._pass, SecondPass):
            raise invalid("second_pass", "be called on a first pass", brief(self))
        return self._of(self.pos_label, SecondPass(self._pass.plan(self.pos_label)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NoReturn:
        """Raise an error, because counts cannot be used as a column of items."""
        msg = (
            "`y_true` and `y_score` must be given item by item here; got "
            f"{brief(self)}. Pass counts to metrics, curves, `RandomSelectionTest`, "
            "`MetricInterval` and `RankingReport` in place of both, and draw them by "
            "HitCurveDisplay(hit_curve(counts)).plot()."
        )
        raise ValueError(msg)

    def __copy__(self) -> Self:
        """Return independent counts, since counts can be updated."""
        return deepcopy(self)

    def __add__(self, other: object) -> Self:
        """Return the counts of both parts of a ranking."""
        if not isinstance(other, RankCounts):
            return NotImplemented
        if self.pos_label != other.pos_label:
            got = f"{brief(self.pos_label)} and {brief(other.pos_label)}"
            raise invalid("pos_label", "be the same in all parts", got)
        if type(self._pass) is not type(other._pass):
            got = f"{brief(self)} and {brief(other)}"
            msg = f"`+` needs parts in the same pass; got {got}."
            raise ValueError(msg)
        total: Any = FirstPass()
        if isinstance(self._pass, SecondPass):
            total = SecondPass(self._pass.plan)
        for part in (self._pass, other._pass):
            total.merge(part)
        return self._of(self.pos_label, total)

    def __radd__(self, other: object) -> Self:
        """Support ``sum``, which begins with 0."""
        return self if other == 0 else NotImplemented

    def __repr__(self) -> str:
        """Print the pass, and the items and targets it has seen."""
        n, m = self.n_samples, self.n_targets
        said = f"first pass: {n} items, {m} targets"
        if isinstance(self._pass, SecondPass):
            every = self._pass.plan.n_samples, self._pass.plan.n_targets
            said = f"second pass: {n} of {every[0]} items, {m} of {every[1]} targets"
            if (n, m) == every:
                said = f"complete: {n} items, {m} targets"
        return f"{type(self).__name__}({said})"

    @classmethod
    def _of(cls, pos_label: object, counted: FirstPass | SecondPass) -> Self:
        counts = cls(pos_label=pos_label)
        counts._pass = counted
        return counts


def read_counts(counts: RankCounts, n_missed: Any = 0) -> Ranking:
    """Return the ranking of a data set that was counted completely."""
    if isinstance(counts._pass, FirstPass):
        rule = "receive all items in both passes before use; see `second_pass`"
        got = f"0 items of {counts.n_samples} in the second pass"
        raise invalid("RankCounts", rule, got)
    ranking = counts._pass.ranking()
    missed = check_count("n_missed", n_missed, least=0)
    return replace(ranking, n_targets=ranking.n_targets + missed, n_missed=missed)
