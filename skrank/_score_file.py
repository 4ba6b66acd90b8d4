"""Columns of a file of scores: text with a header, or parquet.

What comes in is a path and the names of the columns that are needed; what goes out is
an array for each. Only these columns are kept, and whole numbers stay whole numbers.

Every error says the file, the rule, and what was got, with its line.
"""

import csv
import gzip
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

STDIN = "-"
_SEPARATORS = {".csv": ",", ".tsv": "\t"}
_BLOCK = 2**12  # rows that are read at once; they stay in the processor's cache
_SHOWN = 5  # labels that an error shows
_DAMAGES = (UnicodeDecodeError, csv.Error, gzip.BadGzipFile, zlib.error, EOFError)


class Labels(NamedTuple):
    """Labels as text: those that there are, and which of them each item has."""

    values: list[str]
    codes: NDArray[np.intp]


class ScoreFile(NamedTuple):
    """Columns of a file: labels, and scores by name."""

    labels: Labels
    scores: dict[str, NDArray[Any]]


def read_score_file(
    path: str, target: str, scores: Sequence[str], separator: str | None = None
) -> ScoreFile:
    """Read the column of labels and those of scores; "-" is the standard input."""
    if Path(path).suffix.lower() == ".parquet":
        return _read_parquet(path, target, scores)
    delimiter = separator or _separator(path)
    name = "standard input" if path == STDIN else path
    with _readable(name, "of text in UTF-8", *_DAMAGES), _open_text(path) as lines:
        table = csv.reader(lines, delimiter=delimiter, strict=True)
        return _read_text(name, table, target, scores)


def find_targets(
    labels: Labels, column: str, pos_label: str | None
) -> NDArray[np.bool_]:
    """Say which items are targets: those labelled 1, true, or `pos_label`."""
    meanings = [_meaning(value) for value in labels.values]
    found, got = set(meanings), _listed(labels.values)
    if len(found) > 2:
        msg = f"column {column!r} must have two labels; got {got}."
        raise ValueError(msg)
    if pos_label is None and not (found <= {0.0, 1.0} or found <= {-1.0, 1.0}):
        msg = (
            "`--pos-label` must name the label of the targets when labels are not 0 "
            f"and 1, -1 and 1, or true and false; got {got} in column {column!r}."
        )
        raise ValueError(msg)
    target = 1.0 if pos_label is None else _meaning(pos_label)
    if pos_label is not None and target not in found:
        msg = (
            f"`--pos-label` must be a label in column {column!r}, one of {got}; "
            f"got {pos_label!r}."
        )
        raise ValueError(msg)
    is_target = np.array([meaning == target for meaning in meanings])
    return is_target[labels.codes]


def _meaning(label: str) -> float | str:
    """Labels that mean the same number, or the same truth, are the same."""
    truth = {"true": 1.0, "false": 0.0}
    try:
        number = float(label)
    except ValueError:
        return truth.get(label.lower(), label)
    return number if np.isfinite(number) else label


def _listed(values: Sequence[str]) -> str:
    shown = ", ".join(map(repr, values[:_SHOWN]))
    more = len(values) - _SHOWN
    return f"{shown} and {more} more" if more > 0 else shown


# Text


def _separator(path: str) -> str:
    """Tell by the name of a file what separates its columns."""
    plain = Path(path.removesuffix(".gz"))
    if path != STDIN and plain.suffix.lower() not in _SEPARATORS:
        msg = (
            f"{path} must end in .csv, .tsv (both also with .gz) or .parquet, or be "
            f"read with `--separator`; got {plain.suffix!r}."
        )
        raise ValueError(msg)
    return _SEPARATORS.get(plain.suffix.lower(), ",")


@contextmanager
def _open_text(path: str) -> Iterator[Iterable[str]]:
    """Open a file, packed or not, or the standard input, which stays open."""
    form: dict[str, Any] = {"encoding": "utf-8-sig", "newline": ""}
    source: Any = path
    if path == STDIN:
        source, form["closefd"] = sys.stdin.fileno(), False
    opened = gzip.open if path.endswith(".gz") else open
    with opened(source, "rt", **form) as lines:
        yield lines


@contextmanager
def _readable(path: str, form: str, *damages: type[Exception]) -> Iterator[None]:
    """Say that a file is not what its name says."""
    try:
        yield
    except damages as error:
        msg = f"{path} must be a readable table {form}; got: {error}"
        raise ValueError(msg) from error


def _read_text(path: str, table: Any, target: str, scores: Sequence[str]) -> ScoreFile:
    """Read block by block; rows are kept no longer than that."""
    header = [name.strip() for name in next(table, [])]
    take = itemgetter(*_places(path, header, [target, *scores]))
    codes: dict[str, int] = {}
    coded: list[NDArray[np.intp]] = []
    blocks: dict[str, list[NDArray[Any]]] = {name: [] for name in scores}
    rows = _rows(path, table, len(header), take)
    while block := list(islice(rows, _BLOCK)):
        lines, cells = zip(*block, strict=True)
        labels, *columns = zip(*cells, strict=True)
        coded.append(_encode(path, target, labels, lines, codes))
        for name, column in zip(scores, columns, strict=True):
            blocks[name].append(_numbers(path, name, column, lines))
    if not coded:
        msg = f"{path} must hold rows below its header; got none."
        raise ValueError(msg)
    joined = {name: np.concatenate(parts) for name, parts in blocks.items()}
    return ScoreFile(Labels(list(codes), np.concatenate(coded)), joined)


def _places(path: str, header: Sequence[str], names: Sequence[str]) -> list[int]:
    """Places of the columns, each of which must be there once."""
    if not any(header):
        msg = f"{path} must start with a header that names the columns; got none."
        raise ValueError(msg)
    listed = ", ".join(header)
    if len(names) < 2:
        msg = f"`--score` must name a column to rank by, one of {listed}; got none."
        raise ValueError(msg)
    for name in names:
        if header.count(name) != 1:
            got = "none" if name not in header else "several"
            msg = f"{path} must have one column {name!r}; got {got} among {listed}."
            if len(header) == 1:
                msg += " Should `--separator` say what separates the columns?"
            raise ValueError(msg)
    return [header.index(name) for name in names]


def _rows(
    path: str, table: Any, width: int, take: Callable[[list[str]], tuple[str, ...]]
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Lines and the cells to take from them; empty lines are no rows."""
    for row in table:
        if len(row) == width:
            yield table.line_num, take(row)
        elif row:
            msg = (
                f"{path} must have {width} cells in each line, as in its header; "
                f"got {len(row)} in line {table.line_num}."
            )
            raise ValueError(msg)


def _encode(
    path: str,
    name: str,
    labels: Sequence[str],
    lines: Sequence[int],
    codes: dict[str, int],
) -> NDArray[np.intp]:
    """Number the labels; new ones join `codes`."""
    labels = [label.strip() for label in labels]
    for label in dict.fromkeys(labels):
        codes.setdefault(label, len(codes))
    if "" in codes:
        line = lines[labels.index("")]
        msg = f"{path} must have a label in column {name!r}; got none in line {line}."
        raise ValueError(msg)
    return np.array([codes[label] for label in labels])


def _numbers(
    path: str, name: str, cells: Sequence[str], lines: Sequence[int]
) -> NDArray[Any]:
    """Make numbers of cells; whole ones stay whole."""
    kinds = (np.int64, np.float64) if "_" not in "".join(cells) else ()
    for kind in kinds:
        try:
            numbers = np.array(cells, dtype=kind)
        except (ValueError, OverflowError):
            continue
        if np.isfinite(numbers).all():
            return numbers
    cell, line = next(
        pair for pair in zip(cells, lines, strict=True) if not _is_number(pair[0])
    )
    msg = (
        f"{path} must have a number in each cell of column {name!r}; "
        f"got {cell!r} in line {line}."
    )
    raise ValueError(msg)


def _is_number(cell: str) -> bool:
    """Whether a cell is a finite number; to Python 1_000 is one, to others not."""
    try:
        return "_" not in cell and bool(np.isfinite(float(cell)))
    except ValueError:
        return False


# Parquet


def _read_parquet(path: str, target: str, scores: Sequence[str]) -> ScoreFile:
    """Read columns of a parquet file; pyarrow is needed for this alone."""
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        msg = f"{path} needs pyarrow, which is not installed; text does not."
        raise ImportError(msg) from error
    names = [target, *scores]
    with open(path, "rb") as opened, _readable(path, "in parquet", pa.ArrowException):
        file = parquet.ParquetFile(opened)
        _places(path, file.schema_arrow.names, names)
        table = file.read(columns=names)
        coded = table[target].cast(pa.string()).combine_chunks().dictionary_encode()
    for name in names:
        if table[name].null_count:
            msg = (
                f"{path} must have no empty cells in column {name!r}; "
                f"got {table[name].null_count}."
            )
            raise ValueError(msg)
    labels = Labels(coded.dictionary.to_pylist(), coded.indices.to_numpy())
    return ScoreFile(labels, {name: table[name].to_numpy() for name in scores})
