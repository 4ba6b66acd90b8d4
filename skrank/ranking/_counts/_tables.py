"""Read columns of a table in chunks from any source of Arrow batches.

The stream is opened again for each pass, with the required columns only. Small batches
are combined and large ones are divided, so that chunks have a suitable size.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from glob import glob, has_magic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skrank._utils._checks import invalid
from skrank._utils._optional import load_arrow
from skrank._utils._text import as_text, brief, in_short, listed

# Items of a chunk, as in `RankCounts.from_arrays`.
_CHUNK = 2**20
# Number of batches that are read ahead. With a parquet file of 5e7 rows, a count takes
# 110 to 130 MiB in addition to the libraries; 190 with the default of 16 batches, 250
# with decoding in threads, and no less with 1. The times are equal.
_SCAN = {"batch_readahead": 2, "fragment_readahead": 1, "use_threads": False}


class TablePieces:
    """Columns of a table in pieces, which are read again for each pass."""

    def __init__(self, source: Any, names: Sequence[str]) -> None:
        arrow, self._dataset = load_arrow(), load_arrow("pyarrow.dataset")
        if isinstance(source, arrow.RecordBatchReader):
            rule = (
                "be read twice: the table that the stream is of, or a function that "
                "returns a new stream whenever it is called"
            )
            raise invalid("source", rule, "a RecordBatchReader, which is read once")
        paths = source if isinstance(source, list) else [source]
        is_path = all(isinstance(one, str | os.PathLike) for one in paths)
        self._source = open_files(*paths) if is_path else source
        self._names = list(names)
        self._arrow = arrow

    def __iter__(self) -> Iterator[Any]:
        """Yield tables of pyarrow, all but the last of about the size of a chunk."""
        for batches in _gather(self._batches()):
            table = self._arrow.Table.from_batches(batches)
            n_pieces = max(1, table.num_rows // _CHUNK)
            size = max(1, -(-table.num_rows // n_pieces))
            for start in range(0, table.num_rows, size):
                yield table.slice(start, size)

    def _batches(self) -> Iterable[Any]:
        """Yield the batches of a new stream, with the required columns."""
        names = self._names
        source = self._source() if callable(self._source) else self._source
        if isinstance(source, self._dataset.Dataset):
            check_columns(names, source.schema.names)
            _check_types(source, names[1:])
            scanner = source.scanner(columns=names, **_SCAN)
            return scanner.to_reader()  # type: ignore[no-any-return]
        is_lazy = hasattr(source, "collect_batches")
        if not is_lazy and not hasattr(source, "__arrow_c_stream__"):
            rule = (
                "be a table that gives its batches by `__arrow_c_stream__`, a lazy "
                "frame of Polars, a dataset of pyarrow, a data frame of dask, the name "
                "of a parquet or CSV file, or a function that returns a table"
            )
            raise invalid("source", rule, type(source).__name__)
        source = _narrowed(source, names)
        frames = source.collect_batches() if is_lazy else [source]
        return self._of_streams(frames)

    def _of_streams(self, frames: Iterable[Any]) -> Iterator[Any]:
        for frame in frames:
            stream = self._arrow.RecordBatchReader.from_stream(frame)
            check_columns(self._names, stream.schema.names)
            yield from stream


class TableChunks(TablePieces):
    """Labels and scores of a table as arrays without missing values."""

    def __iter__(self) -> Iterator[tuple[NDArray[Any], ...]]:
        """Read the columns from the first row."""
        row = 0
        for table in super().__iter__():
            columns = [_as_array(name, table[name], row) for name in self._names]
            row += table.num_rows
            yield tuple(columns)


def release_memory() -> None:
    """Release memory that pyarrow keeps after reading, about 80 MiB."""
    load_arrow().default_memory_pool().release_unused()


def check_columns(names: Sequence[str], there: Sequence[str]) -> None:
    """Check that each column is in the table exactly once."""
    for name in names:
        count = list(there).count(name)
        if count != 1:
            got = "several" if count else "none"
            rule = f"name a column each, of {listed([*map(as_text, there)], 20)}"
            raise invalid("y_true and y_score", rule, f"{got} called {brief(name)}")


def open_files(*paths: Any) -> Any:
    """Open the dataset of one file or folder, or of several files."""
    dataset, files = load_arrow("pyarrow.dataset"), []
    for path in map(os.fspath, paths):
        is_pattern = has_magic(path) and not os.path.exists(path)
        files += sorted(glob(path, recursive=True)) if is_pattern else [path]
    if not files:
        raise invalid("source", "name files that there are", brief([*paths]))
    if files[0].lower().endswith((".csv", ".csv.gz")):
        missing = load_arrow("pyarrow.csv").ConvertOptions(strings_can_be_null=True)
        kind = dataset.CsvFileFormat(convert_options=missing)
    else:  # with pre-buffering, all data that was read stays in memory
        options = dataset.ParquetFragmentScanOptions(pre_buffer=False)
        kind = dataset.ParquetFileFormat(default_fragment_scan_options=options)
    return dataset.dataset(files[0] if len(files) == 1 else files, format=kind)


def _check_types(dataset: Any, scores: list[str]) -> None:
    """Check that scores have one type in all files, which else would be converted."""
    for fragment in dataset.get_fragments():
        there = fragment.physical_schema
        for name in scores:
            expected = dataset.schema.field(name).type
            if name in there.names and there.field(name).type != expected:
                got = f"{there.field(name).type} in {fragment} beside {expected}"
                raise invalid(in_short(name), "have one type in all files", got)


def _narrowed(source: Any, names: list[str]) -> Any:
    """Return the table with the required columns, for libraries that select."""
    if hasattr(source, "collect_schema"):
        there = source.collect_schema().names()
    else:
        there = getattr(source, "column_names", getattr(source, "columns", None))
    if there is None:
        return source
    check_columns(names, there)
    if hasattr(source, "project"):  # expressions of SQL
        quoted = [name.replace('"', '""') for name in names]
        return source.project(*(f'"{name}"' for name in quoted))
    return source[names] if hasattr(source, "loc") else source.select(names)


def _gather(batches: Iterable[Any]) -> Iterator[list[Any]]:
    """Combine batches to the size of a chunk or more."""
    held, n_rows = [], 0
    for batch in batches:
        held.append(batch)
        n_rows += batch.num_rows
        if n_rows >= _CHUNK:
            yield held
            held, n_rows = [], 0
    if held:
        yield held


def _as_array(name: str, column: Any, row: int) -> NDArray[Any]:
    """Return an array of a column without missing values; `row` is its first row."""
    if not column.null_count:
        values = _values_of(column)
        if values.dtype.kind != "f" or not np.isnan(values.min()):
            return values
    missing = column.is_null(nan_is_null=True).to_numpy()
    got = f"none in row {row + int(missing.argmax())}, counted from 0"
    raise invalid(in_short(str(name)), "hold a value in each row", got)


def _values_of(column: Any) -> NDArray[Any]:
    """Return the values of a column, with one object for each distinct text."""
    is_ = load_arrow().types
    if is_.is_string(column.type) or is_.is_large_string(column.type):
        column = column.dictionary_encode()
    values: NDArray[Any]
    if hasattr(
        column.type, "index_type"
    ):  # categories: pyarrow 17 decodes some types only
        values = np.concatenate([_decoded(chunk) for chunk in column.chunks])
    else:
        values = column.to_numpy()
    return values


def _decoded(chunk: Any) -> NDArray[Any]:
    """Return the array of the categories of items."""
    categories: NDArray[Any] = np.array(chunk.dictionary.to_pylist(), dtype=object)
    values: NDArray[Any] = categories[chunk.indices.to_numpy()]
    return values
