"""Labels and scores of a file, which is text with a header or parquet.

Polars reads all cells as text, and raises an error for a stray quote, where other
readers join rows. Numbers are converted here. A label stays the text that it is.

Text is read in pieces, so that few of its cells are in memory at once: first all
labels, which tell the rows that are left out, and then the scores of the others.
"""

import gzip
import io
import re
import sys
import warnings
import zlib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skrank._utils._checks import invalid
from skrank._utils._columns import Items
from skrank._utils._optional import load
from skrank._utils._text import as_text, brief, in_short, listed
from skrank.ranking._input import (
    MISSING,
    missing_labels,
    read_scores,
    warn_of_minus_one,
)

# What to do about missing labels that are refused
_ADVICE = {
    "refuse": "--drop-missing-labels leaves these rows out; --strata reports on the "
    "whole list, if the others are a random sample of each stratum.",
    "complete": "--wait leaves these days, and all after them, to a later run.",
}
# Bytes of text that are read at once. Set by 5 million rows: with half of them these
# take 1.2 times as long, and with eight times as many, 60 MB more.
_PIECE = 2**19

_Rows = NDArray[np.intp]
_Marks = NDArray[np.bool_]


def read_score_file(
    path: str,
    scores: Sequence[tuple[str, bool]],
    others: Mapping[str, str | None],
    pos_label: str | None = None,
    missing: str = "refuse",
    *,
    copied: Sequence[str] = (),
    missing_scores: str = "error",
    separator: str | None = None,
    decimal: str = ".",
) -> tuple[dict[str, Any], int]:
    """Return arguments of `from_predictions`, and the number of rows left out.

    `scores` has the column of each ranking, or a pattern of columns, and whether lower
    is better in it. `others` has those of "y_true", "groups" and "clusters", or None.
    That of "labelled" becomes marks of the rows with a label, and `copied` columns are
    texts. A path "-" is standard input. The separator is that of the name of the file
    if it is not given.
    Rows without a score are an error, or "last", below all others.
    """
    polars = load("polars", "files of scores need polars: pip install skrank[report]")
    errors = polars.exceptions.PolarsError, EOFError, OSError, ValueError, zlib.error
    by_name = "\t" if path.lower().endswith((".tsv", ".tsv.gz")) else ","
    texts = {name: at for name, at in others.items() if at is not None}
    columns = {at: _Texts(polars) for at in (*texts.values(), *copied)}
    label, marked = texts.pop("y_true", None), texts.pop("labelled", None)
    try:
        with opened(path) as file:
            source = _Source(polars, file, separator or by_name)
            filled, ranked = source.read_texts(columns, scores)
            of_scores = [at for at, _ in ranked]
            read: dict[str, Any] = {"y_score": {}}
            if copied:
                read["copied"] = {at: columns[at].values() for at in copied}
            kept = np.ones(np.count_nonzero(filled), dtype=bool)
            if label is not None:
                read["y_true"], kept = _targets(
                    label, columns[label], filled, pos_label, missing
                )
            if marked is not None:
                labels = columns[marked]
                read["labelled"] = ~labels.among(missing_labels(labels.counts(), None))
            chosen = filled.copy()
            chosen[filled] = kept
            size = int(np.count_nonzero(kept))
            kind = polars, missing_scores == "last", decimal
            numbers = {at: _Numbers(at, *kind, size) for at in of_scores}
            source.read_numbers(numbers, chosen)
            again = {at: one for at, one in numbers.items() if one.is_doubtful}
            source.read_numbers(again, chosen)
        for at, lower in ranked:
            name = score_name(at, lower)
            if name in read["y_score"]:
                rule = "name columns that are printed differently"
                raise invalid("--score", rule, f"{brief(name)} twice")
            found = read["y_score"][name] = numbers[at].values()
            read_scores(Items(size), _where(at), found, missing=missing_scores)
        read["lower_is_better"] = [score_name(*one) for one in ranked if one[1]]
        read["missing"] = missing_scores
        for name, at in texts.items():
            _check_missing(at, filled, kept & columns[at].among(MISSING))
            read[name] = columns[at].values()[kept]
    except errors as error:
        said = "standard input" if path == "-" else as_text(path)
        raise ValueError(f"{said}: {in_short(str(error), 400)}") from error
    return read, int(np.count_nonzero(~kept))


def score_name(column: str, lower_is_better: bool) -> str:
    """Return the printed name of a column of scores."""
    return f"{column} (lower)" if lower_is_better else column


@contextmanager
def opened(path: str) -> Iterator[Any]:
    """Open a file, or standard input; either may be compressed by gzip."""
    given = sys.stdin if path == "-" else None
    if path == "-" and given is None:
        raise OSError("it is closed")
    with io.BytesIO(given.buffer.read()) if given else open(path, "rb") as opened:
        # the output of a program can be read once only
        file: Any = opened if opened.seekable() else io.BytesIO(opened.read())
        is_compressed = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        yield gzip.GzipFile(fileobj=file) if is_compressed else file


class _Source:
    """A file that is read as often as needed, in tables of some rows."""

    def __init__(self, polars: Any, file: Any, separator: str) -> None:
        self._polars, self._file, self._separator = polars, file, separator
        self._header: list[str] = []

    def read_texts(
        self, columns: Mapping[str, "_Texts"], scores: Sequence[tuple[str, bool]]
    ) -> tuple[_Marks, list[tuple[str, bool]]]:
        """Read columns of texts, and find those of `scores`, which may be patterns.

        Return which rows below the header are not blank, and the columns of scores. All
        columns are read, as the errors of others are not found later.
        """
        marks: list[_Marks] = []
        found: list[tuple[str, bool]] = []
        every = self._polars.all_horizontal(self._polars.all().is_null())
        for table in self._tables():
            if not marks:
                found = _columns_of_scores(self._header, scores, columns)
                _check_names(self._header, [*columns, *(name for name, _ in found)])
            marks.append(~table.select(every).to_series().to_numpy())
            for name, column in columns.items():
                cells = table.to_series(self._header.index(name))
                column.add(cells.filter(marks[-1]))
        filled = np.concatenate(marks)
        if not filled.any():
            raise ValueError("there must be rows below the header; got none.")
        return filled, found

    def read_numbers(self, columns: Mapping[str, "_Numbers"], chosen: _Marks) -> None:
        """Read columns of numbers in the chosen rows."""
        if not columns:
            return
        places = {name: self._header.index(name) for name in columns}
        read, start = sorted(places.values()), 0
        for table in self._tables(read):
            part = chosen[start : start + table.height]
            rows = start + 1 + np.flatnonzero(part)
            start += table.height
            for name, column in columns.items():
                cells = table.to_series(read.index(places[name]))
                column.add(cells.filter(part), rows)

    def _tables(self, columns: list[int] | None = None) -> Iterator[Any]:
        """Yield the rows below the header, with all columns or some."""
        self._file.seek(0)
        is_parquet = self._file.read(4) == b"PAR1"
        self._file.seek(0)
        if is_parquet:
            frame = self._polars.read_parquet(self._file.read(), columns=columns)
            self._header = self._header or [name.strip() for name in frame.columns]
            yield frame
            return
        head = b""
        for piece in self._pieces():
            if not self._header:
                _check_text(piece, self._separator)
            frame = self._parsed(head + piece, columns)
            if not self._header:
                self._header = [(cell or "").strip() for cell in frame.row(0)]
            head = head or piece[: _end_of_row(piece)]
            yield frame.slice(1)

    def _parsed(self, text: bytes, columns: list[int] | None) -> Any:
        try:
            return self._polars.read_csv(
                text,
                separator=self._separator,
                has_header=False,
                infer_schema=False,
                columns=columns,
            )
        except self._polars.exceptions.ComputeError as error:
            whole = b"".join(self._pieces()).decode(errors="replace")
            said = _describe_bad_text(whole, self._separator)
            raise ValueError(f"{said}.") from error

    def _pieces(self) -> Iterator[bytes]:
        """Yield the text in pieces that end with a row; the first may be empty."""
        self._file.seek(0)
        text, is_first, of_mac = b"", True, False
        while (read := self._file.read(_PIECE)) or text or is_first:
            text += read
            end = _end_of_rows(text) if read else len(text)
            if read and not end:
                continue
            if is_first:  # of Excel for Mac
                of_mac = b"\r" in text.partition(b"\n")[0].rstrip(b"\r")
            piece, text, is_first = text[:end], text[end:], False
            if of_mac:
                piece = piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
            yield piece


def _end_of_rows(text: bytes) -> int:
    """Return where the last row ends, or 0: the last line outside of quotes."""
    end = text.rfind(b"\n") + 1
    n_quotes = text.count(b'"', 0, end)
    while n_quotes % 2:
        before = text.rfind(b"\n", 0, end - 1) + 1
        n_quotes -= text.count(b'"', before, end)
        end = before
    return end


def _end_of_row(text: bytes) -> int:
    """Return where the first row ends."""
    end = text.find(b"\n") + 1
    while text.count(b'"', 0, end) % 2:
        end = text.find(b"\n", end) + 1
    return end or len(text)


def _columns_of_scores(
    header: list[str], scores: Sequence[tuple[str, bool]], others: Collection[str]
) -> list[tuple[str, bool]]:
    """Return the columns of names and of patterns, which take what nobody named.

    Names and patterns without a column stay, and are an error later.
    """
    taken = {*others, *(name for name, _ in scores)}
    found: list[tuple[str, bool]] = []
    for name, lower in scores:
        matches = [one for one in dict.fromkeys(header) if fnmatchcase(one, name)]
        if name in header or not matches:
            found.append((name, lower))
            continue
        found += [(one, lower) for one in matches if one not in taken]
        taken.update(matches)
    return found or [*scores]


def _check_names(header: list[str], names: Collection[str]) -> None:
    """Check that there is one column of each name."""
    for name in names:
        if header.count(name) != 1:
            got = "several" if name in header else "none"
            shown = listed([*map(as_text, header)], 20)
            msg = f"there must be one column {brief(name)}; got {got} among {shown}."
            lower = {} if name in header else {one.lower(): one for one in header}
            bare = re.sub(r"[*?\[\]]", "", name.lower())
            for close in get_close_matches(bare, lower, 1):
                msg += f" Did you mean {brief(lower[close])}?"
            raise ValueError(msg)


def _describe_bad_text(text: str, separator: str) -> str:
    """Return what is wrong in text that is no table."""
    width, row, cells, is_open = 0, 0, 1, 0
    for line in text.split("\n"):
        parts = line.split('"')  # every other part is in quotes
        cells += sum(part.count(separator) for part in parts[is_open::2])
        is_open ^= (len(parts) - 1) % 2
        if width and cells > width and not is_open:
            header = in_short(text.partition("\n")[0])
            where = f"{cells} in row {row} below the header {header!r}"
            return f"no row may have more cells than the header, {width}; got {where}"
        if not is_open:
            width, row, cells = width or cells, row + 1, 1
    return "text must be UTF-8 with closed quotes"


def _check_text(data: bytes, separator: str) -> None:
    """Check that the data are text with this separator."""
    others = {
        b"PK": "a zip archive, as are workbooks of Excel (xlsx)",
        b"BZh": "compressed by bzip2 (bz2)",
        b"\xfd7zXZ": "compressed by xz",
        b"\x28\xb5\x2f\xfd": "compressed by zstd",
        b"\xff\xfe": "text in UTF-16",
        b"\xfe\xff": "text in UTF-16",
    }
    kinds = [kind for magic, kind in others.items() if data.startswith(magic)]
    if kinds or b"\0" in data[:4096]:
        rule = "the file must be csv or tsv (UTF-8, also gz) or parquet"
        raise ValueError(f"{rule}; got one that is {[*kinds, 'binary'][0]}.")
    header = data.partition(b"\n")[0].decode("utf-8-sig", errors="replace")
    if data and not header.strip():
        raise ValueError("the first line must contain the header; got an empty line.")
    marks = [one for one in ",;\t|" if one in header]
    if marks and separator not in header:
        rule = f"cells must be separated by {separator!r}"
        advice = f"Give --separator {marks[0]!r}"
        if marks[0] == ";":
            advice += ", and --decimal ',' for decimal commas"
        raise ValueError(f"{rule}; got {marks[0]!r} in the header. {advice}.")


class _Texts:
    """Texts of a column, of some rows at a time, as numbers of the distinct ones."""

    def __init__(self, polars: Any) -> None:
        self._polars = polars
        self._numbers: dict[str, int] = {}
        self._parts: list[NDArray[np.unsignedinteger]] = []

    def add(self, column: Any) -> None:
        """Add more cells."""
        if len(column) == 0:
            return
        cells = _texts(self._polars, column)
        found, numbers = cells.unique(maintain_order=True), self._numbers
        of_found = [numbers.setdefault(one, len(numbers)) for one in found.to_list()]
        kind = self._polars.UInt32
        part = cells.replace_strict(found, of_found, return_dtype=kind).to_numpy()
        self._parts.append(part.astype(np.min_scalar_type(len(numbers))))

    @cached_property
    def _codes(self) -> NDArray[np.unsignedinteger]:
        return np.concatenate(self._parts)

    def counts(self) -> Counter[str]:
        """Return the distinct texts, in the order of the rows, and their numbers."""
        counts = np.bincount(self._codes, minlength=len(self._numbers)).tolist()
        return Counter(dict(zip(self._numbers, counts, strict=True)))

    def among(self, texts: Collection[str]) -> _Marks:
        """Return whether the text of each row is one of some."""
        found: _Marks = np.array([one in texts for one in self._numbers])[self._codes]
        return found

    def values(self) -> NDArray[Any]:
        """Return the texts."""
        texts = np.array([*self._numbers], dtype=object)
        found: NDArray[Any] = texts[self._codes]
        return found


def _targets(
    name: str, labels: _Texts, filled: _Marks, pos_label: str | None, missing: str
) -> tuple[NDArray[Any], _Marks]:
    """Return which of the kept rows are targets, and which rows are kept.

    Missing labels are refused (see `_ADVICE`), dropped, or kept as NaN. Of a monitor,
    "complete" or "wait", there need not be targets, as a day may have none.
    A text such as NA may be the class of the non-targets, if there is no other.
    """
    counts = labels.counts()
    absent = missing_labels(counts, pos_label)
    known = counts.keys() - absent
    is_missing = labels.among(absent)
    if absent and missing in _ADVICE:
        if pos_label is None or known - {pos_label}:
            _check_missing(name, filled, is_missing, _ADVICE[missing])
        said = f"{is_missing.sum()} items with the label {absent[0]!r}"
        warnings.warn(f"{said} count as non-targets.", stacklevel=2)
        is_missing[:] = False
    codings = [
        {"0", "1"},
        {"-1", "1"},
        {"0.0", "1.0"},
        {"-1.0", "1.0"},
        {"false", "true"},
    ]
    is_plain = any({one.lower() for one in known} <= coding for coding in codings)
    if pos_label not in (None, *counts) and missing in ("complete", "wait"):
        warnings.warn(f"No row has the label {brief(pos_label)}.", stacklevel=2)
    elif not is_plain if pos_label is None else pos_label not in counts:
        ordered = [f"{one!r} ({n})" for one, n in reversed(counts.most_common())]
        rule = (
            f"name the label of the targets in {_where(name)}, one of "
            f"{listed(ordered, 5)}, unless they are 0 and 1, -1 and 1, or true and "
            "false"
        )
        raise invalid("--pos-label", rule, brief(pos_label))
    if pos_label in ("1", "1.0") and known >= {f"-{pos_label}", "0" + pos_label[1:]}:
        warn_of_minus_one()
    wanted = [one for one in counts if one.lower() in ("1", "1.0", "true")]
    if pos_label is not None:
        wanted = [pos_label]
    is_target = labels.among(wanted)
    if missing in ("keep", "wait"):
        return np.where(is_missing, np.nan, is_target), np.ones_like(is_missing)
    return is_target[~is_missing], ~is_missing


class _Numbers:
    """Finite numbers of some items of a column, of which a few are added at a time.

    Some may be missing, as NaN.
    """

    def __init__(
        self, name: str, polars: Any, has_gaps: bool, decimal: str, size: int
    ) -> None:
        self._polars, self._name, self._decimal = polars, name, decimal
        self._has_gaps = has_gaps
        self._n_added = 0
        self._numbers: NDArray[Any] = np.empty(size)
        # while all are integers of one type
        self._integers: NDArray[Any] | None = np.empty(size, dtype=np.int64)
        # texts that may differ although their numbers are equal, and their hashes
        self._is_long = np.zeros(size, dtype=bool)
        self._hashes = np.empty(size, dtype=np.uint64)
        self._exact: set[Decimal] | None = None

    def add(self, column: Any, rows: _Rows) -> None:
        """Add cells, which are in some rows below the header."""
        polars, kind = self._polars, column.dtype
        here = slice(self._n_added, self._n_added + len(column))
        self._n_added = here.stop
        if kind.is_float() or (kind.is_integer() and "128" not in str(kind)):
            self._check(column, column, column.is_not_null(), rows)
            self._numbers, self._integers = column.to_numpy(), None  # of one table
            return
        decimal = self._decimal if kind == polars.String else "."
        cells, point = _texts(polars, column), re.escape(decimal)
        is_number = cells.str.contains(
            rf"^[+-]?([0-9]+{point}?[0-9]*|{point}[0-9]+)([eE][+-]?[0-9]+)?$"
        )
        plain = cells.str.replace(decimal, ".", literal=True)
        numbers = plain.cast(polars.Float64, strict=False)
        self._check(cells, numbers, is_number, rows)
        # texts of up to 15 characters differ as numbers, but for the largest and least
        size = numbers.abs()
        is_long = plain.str.len_chars() > 15
        is_long |= (size >= 2.0**53) | (size < 1e-300)
        is_long = (is_number & is_long).fill_null(False)
        long = plain.filter(is_long)
        if self._exact is not None:
            self._exact.update(map(Decimal, long.unique().to_list()))
            return
        self._numbers[here] = numbers.to_numpy()
        self._is_long[here] = is_long.to_numpy()
        self._hashes[here][self._is_long[here]] = long.hash().to_numpy()
        self._add_integers(plain, here)

    def _add_integers(self, plain: Any, here: slice) -> None:
        """Add cells that are integers of up to 64 bits, as the others so far."""
        if self._integers is None:
            return
        part = self._whole(plain)
        if part is not None and part.dtype != self._integers.dtype:
            before = self._integers[: here.start]
            if min(int(one.min(initial=0)) for one in (before, part)) < 0:
                part = None
            self._integers = self._integers.view(np.uint64)
        if part is None:
            self._integers = None
        else:
            self._integers[here] = part

    def _check(self, cells: Any, numbers: Any, is_number: Any, rows: _Rows) -> None:
        """Check that all numbers are finite, or missing if they may be."""
        is_bad = ~(is_number & numbers.is_finite().fill_null(False)).to_numpy()
        if not is_bad.any():
            return
        is_gap = _texts(self._polars, cells).is_in(MISSING).to_numpy()
        if self._has_gaps:
            is_bad &= ~is_gap
        if is_bad.any():
            got = f"{brief(cells.filter(is_bad)[0])} in row {rows[is_bad][0]} below the"
            advice = ""
            if self._decimal == "." and "," in got:
                advice = "--decimal ',' reads decimal commas."
            elif is_gap[is_bad][0]:
                advice = "--missing last ranks rows without a score below all others."
            rule = "contain a finite number in each row"
            raise invalid(_where(self._name), rule, f"{got} header", advice)

    def _whole(self, plain: Any) -> NDArray[Any] | None:
        """Return integers of up to 64 bits, or None for other numbers."""
        if plain.str.contains(r"^[+-]?[0-9]+$").all():
            for whole in (self._polars.Int64, self._polars.UInt64):
                integers = plain.cast(whole, strict=False)
                if not integers.null_count():
                    found: NDArray[Any] = integers.to_numpy()
                    return found
        return None

    @cached_property
    def is_doubtful(self) -> bool:
        """Whether decimals must be compared exactly, for which cells are added again.

        There are then more texts than numbers among those of many digits.
        """
        if self._integers is not None or not self._is_long.any():
            return False
        is_doubtful = _n_distinct(self._hashes[self._is_long]) > self._n_long
        self._exact, self._n_added = set() if is_doubtful else None, 0
        return is_doubtful

    @cached_property
    def _n_long(self) -> int:
        """Number of different numbers of many digits."""
        return _n_distinct(self._numbers[self._is_long])

    def values(self) -> NDArray[Any]:
        """Return the numbers; integers of up to 64 bits stay integers."""
        if self._integers is not None:
            return self._integers
        if self._exact and len(self._exact) > self._n_long:
            rule = "contain numbers that stay distinct in double precision"
            got = f"several like {min(self._exact):.20g}"
            raise invalid(_where(self._name), rule, got)
        return self._numbers


def _n_distinct(values: NDArray[Any]) -> int:
    """Return the number of distinct values, which are sorted in place."""
    values.sort()
    return 1 + int(np.count_nonzero(values[1:] != values[:-1]))


def _texts(polars: Any, column: Any) -> Any:
    """Return cells without blanks around them, and nulls as empty texts."""
    return column.cast(polars.String).str.strip_chars().fill_null("")


def _check_missing(
    name: str, filled: _Marks, is_missing: _Marks, advice: str = ""
) -> None:
    """Raise an error if some of the filled rows are missing a value."""
    if is_missing.any():
        rows = 1 + np.flatnonzero(filled)[is_missing]
        first = ", ".join(map(str, rows[:5].tolist())) + ", ..." * (rows.size > 5)
        got = f"{rows.size} missing, in row {first} below the header"
        raise invalid(_where(name), "contain a value in each row", got, advice)


def _where(name: str) -> str:
    return f"column {in_short(as_text(name))}"
