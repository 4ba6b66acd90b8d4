"""Columns of a file of scores: text with a header, or parquet.

What comes in is a path and the names of the columns that are needed; what goes out is
an array for each. Only these columns are kept, and whole numbers stay whole numbers.

Every error says the file, the rule, and what was got, with its line.
"""

import csv
import gzip
import io
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

STDIN = "-"
_SEPARATORS = {".csv": ",", ".tsv": "\t"}
_GZIP = b"\x1f\x8b"  # first bytes of what is packed
_BLOCK = 2**12  # rows that are read at once; they stay in the processor's cache
_EXACT = 2**53  # whole numbers up to here are floats without loss
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
    plain = Path(path.lower().removesuffix(".gz"))
    if path != STDIN and plain.suffix not in _SEPARATORS:
        msg = (
            f"{path} must end in .csv, .tsv (both also with .gz) or .parquet, or be "
            f"read with `--separator`; got {plain.suffix!r}."
        )
        raise ValueError(msg)
    return _SEPARATORS.get(plain.suffix, ",")


@contextmanager
def _open_text(path: str) -> Iterator[Iterable[str]]:
    """Open a file, packed or not, or the standard input, which stays open."""
    with _open_bytes(path) as source:
        is_packed = path.lower().endswith(".gz") or (
            path == STDIN and source.peek(len(_GZIP)).startswith(_GZIP)
        )
        plain: Any = gzip.GzipFile(fileobj=source) if is_packed else source
        with io.TextIOWrapper(plain, encoding="utf-8-sig", newline="") as lines:
            yield lines


def _open_bytes(path: str) -> io.BufferedReader:
    """Open a file, or the standard input, which stays open when this is closed."""
    if path != STDIN:
        return open(path, "rb")
    if sys.stdin is None:
        msg = "the standard input must be open to be read; got a closed one."
        raise ValueError(msg)
    return open(sys.stdin.fileno(), "rb", closefd=False)


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
        _refuse_empty(path)
    joined = {name: _join(path, name, parts) for name, parts in blocks.items()}
    return ScoreFile(Labels(list(codes), np.concatenate(coded)), joined)


def _refuse_empty(path: str) -> NoReturn:
    msg = f"{path} must hold rows below its header; got none."
    raise ValueError(msg)


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
    unit: str = "line",
) -> NDArray[np.intp]:
    """Number the labels; new ones join `codes`."""
    labels = [label.strip() for label in labels]
    for label in dict.fromkeys(labels):
        codes.setdefault(label, len(codes))
    if "" in codes:
        where = f"{unit} {lines[labels.index('')]}"
        msg = f"{path} must have a label in column {name!r}; got none in {where}."
        raise ValueError(msg)
    return np.array([codes[label] for label in labels])


def _numbers(
    path: str, name: str, cells: Sequence[str], lines: Sequence[int]
) -> NDArray[Any]:
    """Make numbers of cells; whole ones stay whole."""
    text = "".join(cells)
    kinds = (np.int64, np.uint64, np.float64) if "_" not in text else ()
    for kind in kinds:
        if kind is np.uint64 and "-" in text:  # old NumPy turns -1 into 2**64 - 1
            continue
        try:
            numbers: NDArray[Any] = np.array(cells, dtype=kind)
        except (ValueError, OverflowError):
            continue
        if kind is np.float64:
            large = np.flatnonzero(np.abs(numbers) >= _EXACT).tolist()
            _check_digits(path, name, [cells[i] for i in large])
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


def _join(path: str, name: str, parts: list[NDArray[Any]]) -> NDArray[Any]:
    """Join blocks of numbers; whole ones lose no digits beside others."""
    kinds = {part.dtype.kind for part in parts}
    if len(kinds) == 1:
        return np.concatenate(parts)
    if "f" not in kinds and all(part.min() >= 0 for part in parts):
        return np.concatenate(parts, dtype=np.uint64, casting="unsafe")
    for part in parts:
        if part.dtype.kind != "f":
            large = part[(part > _EXACT) | (part < -_EXACT)]
            _check_digits(path, name, map(str, large.tolist()))
    return np.concatenate(parts, dtype=np.float64)


def _check_digits(path: str, name: str, cells: Iterable[str]) -> None:
    """Refuse whole numbers that would come to be others."""
    for cell in cells:
        digits = cell.strip()
        if digits.lstrip("+-").isdecimal() and float(digits) != int(digits):
            msg = (
                f"{path} must have whole numbers of 64 bits, or up to 2**53 beside "
                f"others, in column {name!r}; got {digits}, which would lose digits."
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
        msg = f"{path} needs pyarrow: pip install skrank[parquet]"
        raise ImportError(msg) from error
    names = [target, *scores]
    with open(path, "rb") as opened, _readable(path, "in parquet", pa.ArrowException):
        file = parquet.ParquetFile(opened)
        there = file.schema_arrow.names
        places = _places(path, [name.strip() for name in there], names)
        table = file.read(columns=[there[place] for place in places])
        columns = {
            name: table[there[place]] for name, place in zip(names, places, strict=True)
        }
        labels = columns[target].cast(pa.string())
        for name in scores:
            if pa.types.is_decimal(columns[name].type):
                columns[name] = columns[name].cast(pa.float64())
    if table.num_rows == 0:
        _refuse_empty(path)
    for name, column in columns.items():
        if column.null_count:
            msg = (
                f"{path} must have no empty cells in column {name!r}; "
                f"got {column.null_count}."
            )
            raise ValueError(msg)
    return ScoreFile(
        _labels_of_parquet(path, target, labels),
        {name: columns[name].to_numpy() for name in scores},
    )


def _labels_of_parquet(path: str, name: str, column: Any) -> Labels:
    """Number the labels of a column of text, each where it stands first."""
    coded = column.combine_chunks().dictionary_encode()
    each = coded.indices.to_numpy()
    rows = (np.unique(each, return_index=True)[1] + 1).tolist()
    codes: dict[str, int] = {}
    numbers = _encode(path, name, coded.dictionary.to_pylist(), rows, codes, "row")
    return Labels(list(codes), numbers[each])
