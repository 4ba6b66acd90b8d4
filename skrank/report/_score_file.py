"""Columns of a file of scores: text with a header, or parquet.

What comes in is a path and the names of the columns that are needed; what goes out is
an array for each. Only these columns are kept. Whole numbers stay whole numbers, and
numbers that differ in the file differ in the array, or are refused.

Every error says the file, the rule, and what was got, with its line.
"""

import csv
import gzip
import io
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal, InvalidOperation
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from skrank._utils._text import as_text, brief, in_short, listed

STDIN = "-"
_SEPARATORS = {".csv": ",", ".tsv": "\t"}
_GZIP = b"\x1f\x8b"  # first bytes of what is packed
_BLOCK = 2**12  # rows that are read at once; they stay in the processor's cache
_EXACT = 2**53  # whole numbers up to here are floats without loss
_LABELS, _NAMES = 5, 20  # labels and names of columns that an error shows
_PATH = 200  # letters of a path that an error shows
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
    with _open_text(path) as lines:
        table = csv.reader(lines, delimiter=delimiter, strict=True)
        with _readable_text(said(path), table):
            return _read_text(said(path), table, target, scores)


def said(path: str) -> str:
    """Name of a file in what is said of it."""
    return "standard input" if path == STDIN else in_short(as_text(path), _PATH)


def find_targets(
    table: ScoreFile, path: str, column: str, pos_label: str | None
) -> NDArray[np.bool_]:
    """Say which items are targets: those labelled 1, true, or `pos_label`."""
    labels = table.labels
    meanings = [_meaning(value) for value in labels.values]
    found, got = set(meanings), listed([*map(repr, labels.values)], _LABELS)
    where = f"column {brief(column)}"
    if len(found) > 2:
        msg = f"{said(path)}: {where} must have two labels; got {got}."
        raise ValueError(msg)
    if pos_label is None and not (found <= {0, 1} or found <= {-1, 1}):
        msg = (
            "`--pos-label` must name the label of the targets when labels are not 0 "
            f"and 1, -1 and 1, or true and false; got {got} in {where} of {said(path)}."
        )
        raise ValueError(msg)
    target = 1 if pos_label is None else _meaning(pos_label)
    if pos_label is not None and target not in found:
        msg = (
            f"`--pos-label` must be a label in {where}, one of {got}; "
            f"got {brief(pos_label)}."
        )
        raise ValueError(msg)
    is_target = np.array([meaning == target for meaning in meanings])
    return is_target[labels.codes]


def _meaning(label: str) -> Decimal | str:
    """Labels that mean the same number, or the same truth, are the same."""
    truth = {"true": Decimal(1), "false": Decimal(0)}
    try:
        number = Decimal(label)
    except InvalidOperation:
        return truth.get(label.lower(), label)
    return number if number.is_finite() else label


# Text


def _separator(path: str) -> str:
    """Tell by the name of a file what separates its columns."""
    plain = Path(path.lower().removesuffix(".gz"))
    if path != STDIN and plain.suffix not in _SEPARATORS:
        msg = (
            f"{said(path)} must end in .csv, .tsv (both also with .gz) or .parquet, or "
            f"be read with `--separator`; got {brief(plain.suffix)}."
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
def _readable_text(path: str, table: Any) -> Iterator[None]:
    """Say that a file is no text of a table, and up to where it is one."""
    try:
        yield
    except _DAMAGES as error:
        msg = (
            f"{path} must be a readable table of text in UTF-8; got: {error} "
            f"(after line {table.line_num})."
        )
        raise ValueError(msg) from error


def _read_text(path: str, table: Any, target: str, scores: Sequence[str]) -> ScoreFile:
    """Read block by block; rows are kept no longer than that."""
    header = [name.strip() for name in next(table, [])]
    take = itemgetter(*_places(path, header, [target, *scores]))
    codes: dict[str, int] = {}
    coded: list[NDArray[np.intp]] = []
    numbers = {name: _Numbers(path, name, "line") for name in scores}
    rows = _rows(path, table, len(header), take)
    while block := list(islice(rows, _BLOCK)):
        lines, cells = zip(*block, strict=True)
        labels, *columns = zip(*cells, strict=True)
        coded.append(_encode(path, target, labels, lines, codes))
        for name, column in zip(scores, columns, strict=True):
            numbers[name].add(column, np.array(lines))
    if not coded:
        _refuse_empty(path)
    joined = {name: column.joined() for name, column in numbers.items()}
    return ScoreFile(Labels(list(codes), np.concatenate(coded)), joined)


def _refuse_empty(path: str) -> NoReturn:
    msg = f"{path} must hold rows below its header; got none."
    raise ValueError(msg)


def _places(path: str, header: Sequence[str], names: Sequence[str]) -> list[int]:
    """Places of the columns, each of which must be there once."""
    if not any(header):
        msg = f"{path} must start with a header that names the columns; got none."
        raise ValueError(msg)
    there = listed([*map(as_text, header)], _NAMES)
    if len(names) < 2:
        msg = f"`--score` must name a column to rank by, one of {there}; got none."
        raise ValueError(msg)
    for name in names:
        if header.count(name) != 1:
            got = "none" if name not in header else "several"
            msg = f"{path} must have one column {brief(name)}; got {got} among {there}."
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
        column = brief(name)
        msg = f"{path} must have a label in column {column}; got none in {where}."
        raise ValueError(msg)
    return np.array([codes[label] for label in labels])


class _Numbers:
    """Numbers of a column, block by block; those that differ as text stay different.

    Whole numbers of 64 bits stay whole. Others are floats, which have an order as long
    as no two different numbers are the same float: of each cell that is not the
    shortest text for its float, a mark of the number that it stands for is kept beside.
    """

    def __init__(self, path: str, name: str, unit: str) -> None:
        self.path, self.column, self.unit = path, brief(name), unit
        self.numbers: list[NDArray[Any]] = []
        self.marks: list[NDArray[np.int64]] = []
        self.lines: list[NDArray[np.intp]] = []

    def add(self, cells: Sequence[str], lines: NDArray[np.intp]) -> None:
        """Make numbers of cells."""
        numbers = _whole(cells)
        marks = np.broadcast_to(np.int64(0), len(cells))  # which takes no memory
        if numbers is None:
            numbers = self._floats(cells, lines)
            marks = self._marks(cells, numbers, lines)
        self.numbers.append(numbers)
        self.marks.append(marks)
        self.lines.append(lines)

    def joined(self) -> NDArray[Any]:
        """Join the blocks."""
        kinds = {block.dtype.kind for block in self.numbers}
        if len(kinds) > 1:
            self._make_one_kind()
        numbers = np.concatenate(self.numbers)
        if any(marks.any() for marks in self.marks):
            self._check_order(numbers, np.concatenate(self.marks))
        return numbers

    def _floats(self, cells: Sequence[str], lines: NDArray[np.intp]) -> NDArray[Any]:
        """Make finite floats of cells."""
        try:
            numbers = np.array(list(map(_number, cells)))
        except ValueError:
            numbers = np.array([np.nan])
        if not np.isfinite(numbers).all():
            first = next(i for i, cell in enumerate(cells) if not _is_number(cell))
            self._refuse(cells[first], lines[first])
        return numbers

    def _marks(
        self, cells: Sequence[str], numbers: NDArray[Any], lines: NDArray[np.intp]
    ) -> NDArray[np.int64]:
        """Mark cells that have other digits than their floats need."""
        marks = np.zeros(len(cells), np.int64)
        for i, (cell, number) in enumerate(zip(cells, numbers.tolist(), strict=True)):
            if cell != (shortest := repr(number)):
                exact = _exact(cell)
                if _is_whole(cell) and exact != number:
                    self._refuse(cell, lines[i])
                if exact != Decimal(shortest):
                    marks[i] = hash((exact,))  # a number itself may have the hash 0
        return marks

    def _make_one_kind(self) -> None:
        """Turn whole numbers into those that hold all."""
        whole = [block for block in self.numbers if block.dtype.kind != "f"]
        if len(whole) == len(self.numbers) and min(map(np.min, whole)) >= 0:
            self.numbers = [block.astype(np.uint64) for block in whole]
            return
        for i, block in enumerate(self.numbers):
            if block.dtype.kind != "f":
                cells = list(map(str, block.tolist()))
                self.numbers[i] = block.astype(np.float64)
                self.marks[i] = self._marks(cells, self.numbers[i], self.lines[i])

    def _check_order(self, numbers: NDArray[Any], marks: NDArray[np.int64]) -> None:
        """Refuse different numbers that are the same float."""
        order = np.lexsort((marks, numbers))
        is_same = np.diff(numbers[order]) == 0
        lost = np.flatnonzero(is_same & (np.diff(marks[order]) != 0))
        if lost.size:
            pair = order[lost[0] : lost[0] + 2]
            first, second = np.sort(np.concatenate(self.lines)[pair]).tolist()
            msg = (
                f"{self.path} must have numbers in column {self.column} that "
                f"differ as floats of 64 bits; got two in {self.unit}s {first} and "
                f"{second} that are both {float(numbers[pair[0]])!r} there."
            )
            raise ValueError(msg)

    def _refuse(self, cell: str, line: int) -> NoReturn:
        """Say what is wrong with a cell."""
        where = f"{self.unit} {line}"
        if _is_whole(cell):
            msg = (
                f"{self.path} must have whole numbers of 64 bits, or up to 2**53 "
                f"beside others, in column {self.column}; got {in_short(cell.strip())},"
                f" which would lose digits, in {where}."
            )
        else:
            msg = (
                f"{self.path} must have a number in each cell of column "
                f"{self.column}; got {brief(cell)} in {where}."
            )
        raise ValueError(msg)


def _whole(cells: Sequence[str]) -> NDArray[Any] | None:
    """Make whole numbers of 64 bits of cells, if they are such."""
    if "_" in "".join(cells):
        return None
    try:
        numbers = list(map(int, cells))
    except ValueError:
        return None
    low, high = min(numbers), max(numbers)
    for kind in (np.int64, np.uint64):
        if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max:
            return np.array(numbers, dtype=kind)
    return None


def _number(cell: str) -> float:
    """Read a number; to Python 1_000 is one, to others not."""
    return float(cell) if "_" not in cell else np.nan


def _is_number(cell: str) -> bool:
    """Whether a cell is a finite number."""
    try:
        return bool(np.isfinite(_number(cell)))
    except ValueError:
        return False


def _is_whole(cell: str) -> bool:
    """Whether a cell is a number that is written as a whole one."""
    return re.fullmatch(r"[+-]?\d+", cell.strip()) is not None


def _exact(cell: str) -> Decimal | str:
    """Say what a cell stands for; numbers of any size but the wildest are decimals."""
    try:
        return Decimal(cell)
    except InvalidOperation:
        return cell.strip()


# Parquet


def _read_parquet(path: str, target: str, scores: Sequence[str]) -> ScoreFile:
    """Read columns of a parquet file; pyarrow is needed for this alone."""
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        msg = f"{said(path)} needs pyarrow: pip install skrank[parquet]"
        raise ImportError(msg) from error
    names, source = [target, *scores], said(path)
    with open(path, "rb") as opened, _readable_parquet(source, pa.ArrowException):
        file = parquet.ParquetFile(opened, page_checksum_verification=True)
        there = file.schema_arrow.names
        places = _places(source, [name.strip() for name in there], names)
        table = file.read(columns=[there[place] for place in places])
        columns = {
            name: table[there[place]] for name, place in zip(names, places, strict=True)
        }
        labels = columns[target].cast(pa.string())
    if table.num_rows == 0:
        _refuse_empty(source)
    for name, column in columns.items():
        _check_full(source, name, column)
    return ScoreFile(
        _labels_of_parquet(source, target, labels),
        {name: _numbers_of_parquet(source, name, columns[name], pa) for name in scores},
    )


@contextmanager
def _readable_parquet(path: str, arrow: type[Exception]) -> Iterator[None]:
    """Say that a file is damaged, or not in parquet."""
    try:
        yield
    except (arrow, OSError, UnicodeDecodeError) as error:
        got = in_short(str(error), _PATH)
        msg = f"{path} must be a readable table in parquet; got: {got}"
        raise ValueError(msg) from error


def _check_full(path: str, name: str, column: Any) -> None:
    """Check that there are no empty cells."""
    if column.null_count:
        row = column.is_null().index(True).as_py() + 1
        msg = (
            f"{path} must have no empty cells in column {brief(name)}; "
            f"got {column.null_count}. The first is in row {row}."
        )
        raise ValueError(msg)


def _labels_of_parquet(path: str, name: str, column: Any) -> Labels:
    """Number the labels of a column of text, each where it stands first."""
    coded = column.combine_chunks().dictionary_encode()
    each = coded.indices.to_numpy()
    rows = (np.unique(each, return_index=True)[1] + 1).tolist()
    codes: dict[str, int] = {}
    numbers = _encode(path, name, coded.dictionary.to_pylist(), rows, codes, "row")
    return Labels(list(codes), numbers[each])


def _numbers_of_parquet(path: str, name: str, column: Any, pa: Any) -> NDArray[Any]:
    """Make numbers of a column; decimals are read as their text is."""
    kind, is_ = column.type, pa.types
    if is_.is_decimal(kind):
        return _decimals(path, name, column)
    if not (is_.is_integer(kind) or is_.is_floating(kind) or is_.is_boolean(kind)):
        msg = (
            f"`column {in_short(name)}` must hold real numbers, none missing; "
            f"got {in_short(str(kind))} in {path}."
        )
        raise ValueError(msg)
    numbers: NDArray[Any] = column.to_numpy()
    wrong = np.flatnonzero(~np.isfinite(numbers))
    if wrong.size:
        msg = (
            f"{path} must have a number in each cell of column {brief(name)}; "
            f"got {numbers[wrong[0]]} in row {wrong[0] + 1}."
        )
        raise ValueError(msg)
    return numbers


def _decimals(path: str, name: str, column: Any) -> NDArray[Any]:
    """Make numbers of decimals, block by block."""
    numbers = _Numbers(path, name, "row")
    for start in range(0, len(column), _BLOCK):
        cells = [f"{cell:f}" for cell in column.slice(start, _BLOCK).to_pylist()]
        numbers.add(cells, np.arange(start, start + len(cells)) + 1)
    return numbers.joined()
