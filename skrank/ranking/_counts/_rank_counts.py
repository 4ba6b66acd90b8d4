"""Mergeable counts of a ranking, as users see them."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NoReturn, Self

from numpy.typing import ArrayLike
from scipy.sparse import issparse

from skrank._utils._checks import check_count
from skrank._utils._columns import as_column, is_dask
from skrank._utils._text import brief
from skrank.ranking._counts._chunk import read_chunk
from skrank.ranking._counts._dask import count_partitions
from skrank.ranking._counts._drivers import Chunks, Slices, count_chunks
from skrank.ranking._counts._passes import FirstPass, SecondPass
from skrank.ranking._ranking import Ranking

_CHUNK_SIZE = 2**20  # items


class RankCounts:
    """Counts of a ranking that is too large for memory, made in two passes.

    They stand for `y_true` and `y_score` in every metric, in :func:`hit_curve`,
    :func:`operating_points` and ``RandomSelectionTest.from_predictions``, which
    answer exactly as from the whole ranking. Only the scores of the targets are kept,
    and about a million of the best scores.

    `from_arrays` and `from_chunks` make both passes. To share the work out otherwise,
    begin with an empty ``RankCounts()``: the first pass learns the scores of the
    targets by `update`; `second_pass` then returns empty counts that know them, and
    these are given the same items again, in any order and in any chunks. In either
    pass, partial results are merged by ``+`` or ``sum``.

    Parameters
    ----------
    pos_label : int, float, bool or str, default=None
        Label of the targets; None understands {0, 1}, {-1, 1} and bool.

    See Also
    --------
    RankingEvaluation : A ranking in pieces that fits into memory.

    Notes
    -----
    A metric asks of a ranking how many items stand above and level with each target
    (see :func:`average_precision`). Both are sums over the items, once the scores of
    the targets are known. A pass takes O(n log m) for n items with m targets at most,
    and memory O(m) and that of a chunk.

    What the two passes saw is compared: the number of items and of targets, the targets
    on each score, and checksums of the scores modulo 2**64 that do not depend on their
    order. Until they agree the counts cannot be read. `from_arrays` and `from_chunks`
    also compare each chunk.

    How all items are tied, targets or not, is known down to 2**20 items; further down,
    where a tie holds a target, or is wider than 1/128 of its depth and 1/8192 of the
    list. That is enough for the test against random selection. ``ties="threshold"``
    with a cutoff further down has no answer outside such ties.

    One object must not be shared by threads: give each its own, and add them up.

    All scores must be of one type, since single and double precision, or integers and
    floats, need not be equal where they are meant to be.

    Examples
    --------
    Two workers have a half of the ranking each:

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

    Each counts its half against the targets of both:

    >>> counts, other = first.second_pass(), first.second_pass()
    >>> counts.update(*left)
    >>> counts
    RankCounts(second pass: 4 of 8 items, 2 of 3 targets)
    >>> other.update(*right)
    >>> average_precision(counts + other)
    0.7
    >>> average_precision([*left[0], *right[0]], [*left[1], *right[1]])
    0.7
    """

    def __init__(self, *, pos_label: object = None) -> None:
        self.pos_label = pos_label
        self._pass: FirstPass | SecondPass = FirstPass()

    @classmethod
    def from_arrays(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        pos_label: object = None,
        chunk_size: int | None = None,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> Self:
        """Count a ranking given as two columns, in memory or not.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels, in anything that has a length and can be sliced: arrays, memory
            maps, datasets of HDF5 or zarr, columns of data frames; or in a dask array
            or column, whose partitions then are the chunks.
        y_score : array-like of shape (n_samples,)
            Scores, likewise; higher means a likelier target.
        pos_label : int, float, bool or str, default=None
            Label of the targets; None understands {0, 1}, {-1, 1} and bool.
        chunk_size : int, default=None
            Number of items to read at a time; None is 2**20.
        n_jobs : int, default=None
            Number of threads, as in joblib, whose ``parallel_config`` may set it;
            another backend of its is passed over for threads. Slices of what is no
            array, list or column of pandas are copied if there are several threads.
        progress : bool, default=False
            Whether to show a bar of progress for each pass; it needs tqdm. With dask
            use ``dask.diagnostics.ProgressBar``.

        Returns
        -------
        counts : RankCounts
            Complete counts.

        Raises
        ------
        ValueError
            If the input is not a ranking, as in :func:`average_precision`; if it
            changed between the passes, which names the chunk; if slices hold fewer
            items than the length says; if `y_true` and `y_score` are split otherwise,
            or settings of this method are given with dask, whose scheduler has its own.
        RuntimeError
            If a cluster of dask has had no workers for as long as its setting
            ``distributed.scheduler.no-workers-timeout`` says in this process, 5 minutes
            where that is not set; if a partition has cost it too many workers, see
            ``distributed.scheduler.allowed-failures``; or if it was closed meanwhile.
        """
        if is_dask(y_true) or is_dask(y_score):
            _refuse_settings(chunk_size=chunk_size, n_jobs=n_jobs, progress=progress)
            return cls._of(pos_label, count_partitions(y_true, y_score, pos_label))
        size = _CHUNK_SIZE
        if chunk_size is not None:
            size = check_count("chunk_size", chunk_size, least=1)
        y_true, y_score = _sliceable("y_true", y_true), _sliceable("y_score", y_score)
        length = _common_length(y_true, y_score)
        return cls._of(
            pos_label,
            count_chunks(
                Slices(y_true, y_score, size),
                pos_label,
                n_jobs=n_jobs,
                progress=progress,
                n_expected=length,
            ),
        )

    @classmethod
    def from_chunks(
        cls,
        chunks: Chunks,
        *,
        pos_label: object = None,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> Self:
        """Count a ranking given in chunks.

        Parameters
        ----------
        chunks : iterable of (y_true, y_score), or callable that returns one
            Labels and scores of the chunks, such as a ranking; they are gone over
            twice, and a callable is called twice, once for each pass. Chunks of 100,000
            items and more are quickest.
        pos_label : int, float, bool or str, default=None
            Label of the targets; None understands {0, 1}, {-1, 1} and bool.
        n_jobs : int, default=None
            Number of threads, as in joblib, whose ``parallel_config`` may set it;
            another backend of its is passed over for threads. As many chunks are held
            at a time, as copies if more than one, so that `chunks` may fill the same
            arrays again.
        progress : bool, default=False
            Whether to show a bar of progress for each pass; it needs tqdm.

        Returns
        -------
        counts : RankCounts
            Complete counts.

        Raises
        ------
        ValueError
            If `chunks` can be gone over only once, as generators; if the chunks are not
            a ranking, as in :func:`average_precision`; or if they changed between the
            passes, which names the chunk.

        Examples
        --------
        >>> from skrank import RankCounts, recall_at_t
        >>> def read():
        ...     yield [1, 0, 0], [0.9, 0.2, 0.5]
        ...     yield [0, 1, 0, 0], [0.4, 0.3, 0.1, 0.0]
        >>> recall_at_t(RankCounts.from_chunks(read), t=3)
        0.5
        """
        counted = count_chunks(chunks, pos_label, n_jobs=n_jobs, progress=progress)
        return cls._of(pos_label, counted)

    @property
    def n_samples(self) -> int:
        """Number of items seen in this pass.

        Returns
        -------
        n_samples : int
            Count of the items.
        """
        return self._pass.seen.n_samples

    @property
    def n_targets(self) -> int:
        """Number of targets seen in this pass.

        Returns
        -------
        n_targets : int
            Count of the targets.
        """
        return self._pass.seen.n_targets

    def update(self, y_true: ArrayLike, y_score: ArrayLike) -> None:
        """Take a chunk of the ranking.

        Parameters
        ----------
        y_true : array-like of shape (n_chunk,)
            Labels of the chunk, which may be empty and may be all alike.
        y_score : array-like of shape (n_chunk,)
            Their scores, all chunks of one type.

        Raises
        ------
        ValueError
            If the chunk is not valid, does not go with those before it, or has in the
            second pass a target with a score that no target had in the first, or more
            items or targets than are left. The counts are then as they were.
        """
        self._pass.add(read_chunk(y_true, y_score, self.pos_label))

    def second_pass(self) -> Self:
        """Return empty counts for the second pass, once the first has seen all items.

        Returns
        -------
        counts : RankCounts
            To be given the same items again. Copies of it can be shared out.

        Raises
        ------
        ValueError
            If this is not a first pass, if it has seen no items, or if what it has seen
            are hard labels where scores belong.
        """
        if isinstance(self._pass, SecondPass):
            msg = f"`second_pass` must be asked of a first pass; got {brief(self)}."
            raise ValueError(msg)
        return self._of(self.pos_label, self._pass.plan().blank())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NoReturn:
        """Refuse to stand for a column, wherever items are looked at one by one."""
        msg = (
            "`y_true` and `y_score` must be given item by item here; got counts, which "
            "metrics, curves and `RandomSelectionTest` can read, and which are drawn "
            f"as in HitCurveDisplay(hit_curve(counts)).plot(): {brief(self)}."
        )
        raise ValueError(msg)

    def __add__(self, other: object) -> Self:
        """Return the counts of both parts of a ranking."""
        if not isinstance(other, RankCounts):
            return NotImplemented
        if self.pos_label != other.pos_label:
            msg = (
                "`pos_label` must be the same in all parts; "
                f"got {brief(self.pos_label)} and {brief(other.pos_label)}."
            )
            raise ValueError(msg)
        total: Any = self._pass.blank()
        part: Any
        for part in (self._pass, other._pass):
            if type(part) is not type(total):
                both = f"{brief(self)} and {brief(other)}"
                msg = f"`+` needs parts in the same pass; got {both}."
                raise ValueError(msg)
            total.merge(part)
        return self._of(self.pos_label, total)

    def __radd__(self, other: object) -> Self:
        """Begin a sum, as ``sum`` does, with 0."""
        return self if other == 0 else NotImplemented

    def __repr__(self) -> str:
        """Print the pass, and the items and targets it has seen."""
        return f"{type(self).__name__}({_describe(self._pass)})"

    @classmethod
    def _of(cls, pos_label: object, counted: FirstPass | SecondPass) -> Self:
        counts = cls(pos_label=pos_label)
        counts._pass = counted
        return counts


def read_counts(counts: RankCounts, n_missed: int = 0) -> Ranking:
    """Ranking of a ranking that was counted to the end."""
    if isinstance(counts._pass, FirstPass):
        msg = (
            "`RankCounts` must see all items twice before they are read, see "
            f"`second_pass`; got 0 items of {counts.n_samples} in the second pass."
        )
        raise ValueError(msg)
    ranking = counts._pass.ranking()
    missed = check_count("n_missed", n_missed, least=0)
    return replace(ranking, n_targets=ranking.n_targets + missed, n_missed=missed)


def _describe(counted: FirstPass | SecondPass) -> str:
    """Say which pass it is, and how far it has come."""
    seen = counted.seen
    if isinstance(counted, FirstPass):
        return f"first pass: {seen.n_samples} items, {seen.n_targets} targets"
    whole = counted.plan.seen
    if seen == whole:
        return f"complete: {whole.n_samples} items, {whole.n_targets} targets"
    return (
        f"second pass: {seen.n_samples} of {whole.n_samples} items, "
        f"{seen.n_targets} of {whole.n_targets} targets"
    )


def _sliceable(name: str, column: Any) -> Any:
    """Turn what has a length but no slices into an array, or refuse it."""
    if issparse(column) or isinstance(column, deque | Mapping):
        return as_column(name, column)  # type: ignore[arg-type]
    return column


def _common_length(y_true: Any, y_score: Any) -> int:
    """Length of two columns, which must have one and the same."""
    for name, values in (("y_true", y_true), ("y_score", y_score)):
        needed = {"__len__", "__getitem__"}
        if not needed <= set(dir(values)) or hasattr(type(values), "__dask_graph__"):
            msg = (
                f"`{name}` must have a length and be sliceable, or else be given in "
                f"chunks to `from_chunks`; got {type(values).__name__}."
            )
            raise ValueError(msg)
    if len(y_true) != len(y_score):
        msg = (
            "`y_score` must have as many items as `y_true`; "
            f"got {len(y_score)} and {len(y_true)}."
        )
        raise ValueError(msg)
    return len(y_score)


def _refuse_settings(**settings: Any) -> None:
    """Refuse settings beside collections of dask."""
    given = [name for name, value in settings.items() if value]
    if given:
        msg = (
            f"`{given[0]}` must be left out with dask, where partitions are the "
            "chunks, the scheduler shares out the work, and its ProgressBar shows "
            f"it; got {brief(settings[given[0]])}."
        )
        raise ValueError(msg)
