"""Labels and scores of a file, which is text with a header or parquet.

Polars reads all cells as text, and raises an error for a stray quote, where other
readers join rows. Numbers are converted here. A label stays the text that it is.
"""

import gzip
import re
import sys
import warnings
import zlib
from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skrank._utils._checks import invalid
from skrank._utils._optional import load
from skrank._utils._text import as_text, brief, in_short, listed
from skrank.ranking._input import (
    MISSING,
    check_scores,
    missing_labels,
    oriented,
    warn_of_minus_one,
)

# What to do about missing labels that are refused
_ADVICE = {
    "refuse": "--drop-missing-labels leaves these rows out; --strata reports on the "
    "whole list, if the others are a random sample of each stratum.",
    "complete": "Monitor a day when its labels are complete.",
}
_Rows = NDArray[np.intp]


def read_score_file(
    path: str,
    scores: Mapping[str, tuple[str, bool]],
    others: Mapping[str, str | None],
    pos_label: str | None = None,
    missing: str = "refuse",
    *,
    separator: str | None = None,
    decimal: str = ".",
) -> tuple[dict[str, Any], int]:
    """Return arguments of `from_predictions`, and the number of rows left out.

    `scores` has the column of each ranking, and whether lower is better in it. `others`
    has those of "y_true", "groups" and "clusters", or None. A path "-" is standard
    input. The separator is that of the name of the file if it is not given.
    """
    polars = load("polars", "files of scores need polars: pip install skrank[report]")
    errors = polars.exceptions.PolarsError, EOFError, OSError, ValueError, zlib.error
    texts = {name: at for name, at in others.items() if at is not None}
    try:
        if path == "-" and sys.stdin is None:
            raise OSError("it is closed")
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        if data.startswith(b"\x1f\x8b"):
            data = gzip.decompress(data)
        by_name = "\t" if path.lower().endswith((".tsv", ".tsv.gz")) else ","
        names = [*texts.values(), *(at for at, _ in scores.values())]
        table, rows = _read(polars, data, separator or by_name, names)
        label = texts.pop("y_true")
        labels = _texts(polars, table[label])
        is_target, kept = _targets(label, labels, rows, pos_label, missing)
        table, rows = {at: one.filter(kept) for at, one in table.items()}, rows[kept]
        read: dict[str, Any] = {"y_true": is_target, "y_score": {}}
        for name, (at, lower) in scores.items():
            numbers = _numbers(polars, at, table[at], rows, decimal)
            numbers = check_scores(numbers, _where(at))
            read["y_score"][name] = oriented(numbers, lower)
        for name, at in texts.items():
            cells = _texts(polars, table[at])
            _check_missing(at, rows[cells.is_in(MISSING).to_numpy()])
            read[name] = cells.to_numpy()
    except errors as error:
        said = "standard input" if path == "-" else as_text(path)
        raise ValueError(f"{said}: {in_short(str(error), 400)}") from error
    return read, int(np.count_nonzero(~kept))


def _read(
    polars: Any, data: bytes, separator: str, names: list[str]
) -> tuple[dict[str, Any], _Rows]:
    """Return columns by name, and the row below the header of each item."""
    if data.startswith(b"PAR1"):
        frame = polars.read_parquet(data)
        header = frame.columns
    else:
        if b"\r" in data.partition(b"\n")[0].rstrip(b"\r"):  # of Excel for Mac
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        _check_text(data, separator)
        try:  # all columns, as the errors of others are not found
            frame = polars.read_csv(
                data, separator=separator, has_header=False, infer_schema=False
            )
        except polars.exceptions.ComputeError as error:
            said = _describe_bad_text(data.decode(errors="replace"), separator)
            raise ValueError(f"{said}.") from error
        header, frame = [cell or "" for cell in frame.row(0)], frame.slice(1)
    header = [name.strip() for name in header]
    for name in names:
        if header.count(name) != 1:
            got = "several" if name in header else "none"
            shown = listed([*map(as_text, header)], 20)
            msg = f"there must be one column {brief(name)}; got {got} among {shown}."
            lower = {} if name in header else {one.lower(): one for one in header}
            for close in get_close_matches(name.lower(), lower, 1):
                msg += f" Did you mean {brief(lower[close])}?"
            raise ValueError(msg)
    blank = frame.select(polars.all_horizontal(polars.all().is_null())).to_series()
    if blank.all():
        raise ValueError("there must be rows below the header; got none.")
    frame = frame.filter(~blank)
    columns = {name: frame.to_series(header.index(name)) for name in names}
    return columns, 1 + np.flatnonzero(~blank)


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
    header = data.partition(b"\n")[0].decode(errors="replace")
    marks = [one for one in ",;\t|" if one in header]
    if marks and separator not in header:
        rule = f"cells must be separated by {separator!r}"
        advice = f"Give --separator {marks[0]!r}"
        if marks[0] == ";":
            advice += ", and --decimal ',' for decimal commas"
        raise ValueError(f"{rule}; got {marks[0]!r} in the header. {advice}.")


def _targets(
    name: str, labels: Any, rows: _Rows, pos_label: str | None, missing: str
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return which of the kept rows are targets, and which rows are kept.

    Missing labels are refused (see `_ADVICE`), dropped, or kept as NaN.
    A text such as NA may be the class of the non-targets, if there is no other.
    """
    counts = Counter(labels.to_list())
    absent = missing_labels(counts, pos_label)
    known = counts.keys() - absent
    is_missing = labels.is_in(absent).to_numpy()
    if absent and missing in _ADVICE:
        if pos_label is None or len(known) > 1:
            _check_missing(name, rows[is_missing], _ADVICE[missing])
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
    if not is_plain if pos_label is None else pos_label not in counts:
        ordered = [f"{one!r} ({n})" for one, n in reversed(counts.most_common())]
        rule = (
            f"name the label of the targets in {_where(name)}, one of "
            f"{listed(ordered, 5)}, unless they are 0 and 1, -1 and 1, or true and "
            "false"
        )
        raise invalid("--pos-label", rule, brief(pos_label))
    if pos_label in ("1", "1.0") and known >= {f"-{pos_label}", "0" + pos_label[1:]}:
        warn_of_minus_one()
    wanted = [pos_label]
    if pos_label is None:
        wanted, labels = ["1", "1.0", "true"], labels.str.to_lowercase()
    is_target = labels.is_in(wanted).to_numpy()
    if missing == "keep":
        return np.where(is_missing, np.nan, is_target), np.ones(len(labels), dtype=bool)
    return is_target[~is_missing], ~is_missing


def _numbers(polars: Any, name: str, column: Any, rows: _Rows, decimal: str) -> Any:
    """Return finite numbers; integers of up to 64 bits stay integers."""
    kind = column.dtype
    if kind.is_float() or (kind.is_integer() and "128" not in str(kind)):
        cells, numbers, is_number = column, column, column.is_not_null()
    else:
        decimal = decimal if kind == polars.String else "."
        cells, point = _texts(polars, column), re.escape(decimal)
        is_number = cells.str.contains(
            rf"^[+-]?([0-9]+{point}?[0-9]*|{point}[0-9]+)([eE][+-]?[0-9]+)?$"
        )
        plain = cells.str.replace(decimal, ".", literal=True)
        numbers = plain.cast(polars.Float64, strict=False)
    is_bad = ~(is_number & numbers.is_finite().fill_null(False)).to_numpy()
    if is_bad.any():
        got = f"{brief(cells.filter(is_bad)[0])} in row {rows[is_bad][0]} below the"
        advice = ""
        if decimal == "." and "," in got:
            advice = "--decimal ',' reads decimal commas."
        rule = "hold a finite number in each row"
        raise invalid(_where(name), rule, f"{got} header", advice)
    if cells is not numbers:
        cells = plain
        if cells.str.contains(r"^[+-]?[0-9]+$").all():
            for whole in (polars.Int64, polars.UInt64):
                integers = cells.cast(whole, strict=False)
                if not integers.null_count():
                    return integers.to_numpy()
        # texts of up to 15 characters differ as numbers, but for the largest and least
        size = numbers.abs()
        is_long = cells.str.len_chars() > 15
        is_long |= (size >= 2.0**53) | (size < 1e-300)
        long, values = cells.filter(is_long).unique(), numbers.filter(is_long)
        if len(long) > values.n_unique():
            exact = set(map(Decimal, long.to_list()))
            if len(exact) > values.n_unique():
                rule = "hold numbers that stay distinct in double precision"
                raise invalid(_where(name), rule, f"several like {min(exact):.20g}")
    return numbers.to_numpy()


def _texts(polars: Any, column: Any) -> Any:
    """Return cells without blanks around them, and nulls as empty texts."""
    return column.cast(polars.String).str.strip_chars().fill_null("")


def _check_missing(name: str, rows: _Rows, advice: str = "") -> None:
    """Raise an error if there are rows without a value."""
    if rows.size:
        first = ", ".join(map(str, rows[:5].tolist())) + ", ..." * (rows.size > 5)
        got = f"{rows.size} missing, in row {first} below the header"
        raise invalid(_where(name), "hold a value in each row", got, advice)


def _where(name: str) -> str:
    return f"column {in_short(as_text(name))}"
