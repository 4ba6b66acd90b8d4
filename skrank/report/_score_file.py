"""Columns of a file of scores, text with a header or parquet, as pyarrow reads them.

Pandas would shift or drop the cells of rows that are longer than the header.
"""

import math
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skrank._utils._checks import invalid
from skrank._utils._text import as_text, brief, in_short, listed


def read_score_file(
    path: str,
    target: str,
    scores: Sequence[str],
    pos_label: str | None = None,
    separator: str | None = None,
) -> tuple[NDArray[np.bool_], dict[str, NDArray[Any]]]:
    """Say which items are targets, and read the columns of scores; "-" is stdin."""
    try:
        import pyarrow as pa
    except ImportError as error:
        msg = "files of scores need pyarrow: pip install skrank[report]"
        raise ImportError(msg) from error
    said = "standard input" if path == "-" else as_text(path)
    with open(path, "rb") if path != "-" else sys.stdin.buffer as source:
        try:
            table = _read(pa, path.lower(), source, separator)
            if not table.num_rows:
                raise ValueError("there must be rows below the header; got none.")
            columns = _find(table, [target, *scores])
            numbers = {name: _numbers(pa, name, columns[name]) for name in scores}
            return _targets(pa, target, columns[target], pos_label), numbers
        except (pa.ArrowException, OSError, ValueError) as error:
            raise ValueError(f"{said}: {in_short(str(error), 400)}") from error


def _read(pa: Any, path: str, source: Any, separator: str | None) -> Any:
    """Read a table; in text only an empty cell is a missing value."""
    if path.endswith(".parquet"):
        from pyarrow import parquet

        return parquet.ParquetFile(source).read()
    from pyarrow import csv

    if separator is None:
        separator = "\t" if path.endswith((".tsv", ".tsv.gz")) else ","
    return csv.read_csv(
        pa.input_stream(source, "gzip" if path.endswith(".gz") else None),
        csv.ReadOptions(use_threads=False),  # so that errors tell the row
        csv.ParseOptions(delimiter=separator, newlines_in_values=True),
        csv.ConvertOptions(null_values=[""]),
    )


def _find(table: Any, names: list[str]) -> dict[str, Any]:
    """Columns of these names, which may stand between blanks in the file."""
    header = [name.strip() for name in table.column_names]
    there = listed([*map(as_text, header)], 20)
    if len(names) < 2 or names[0] in names[1:]:
        got = "that of the labels" if names[1:] else "none"
        raise invalid("--score", f"name a column to rank by, one of {there}", got)
    for name in names:
        if header.count(name) != 1:
            got = "several" if name in header else "none"
            hint = "" if header[1:] else " Does `--separator` separate the columns?"
            msg = f"there must be one column {brief(name)}; got {got} among {there}."
            raise ValueError(msg + hint)
    return {name: table.column(header.index(name)) for name in names}


def _numbers(pa: Any, name: str, column: Any) -> NDArray[Any]:
    """Make an array of a column of numbers; integers stay integers."""
    kind, is_, where = column.type, pa.types, f"column {as_text(name)}"
    if not (is_.is_integer(kind) or is_.is_floating(kind) or is_.is_boolean(kind)):
        try:
            column = column.cast(pa.float64())
        except pa.ArrowException as error:
            raise invalid(where, "hold numbers", str(error)) from error
    numbers: NDArray[Any] = column.to_numpy()
    is_finite = np.isfinite(numbers.astype(np.float64))
    if not is_finite.all():
        got = f"none in row {is_finite.argmin() + 1} below the header"
        raise invalid(where, "hold a finite number in each row", got)
    return numbers


def _targets(pa: Any, name: str, column: Any, pos_label: str | None) -> NDArray[Any]:
    """Say which items are targets: those labelled 1, true, or `pos_label`."""
    coded = column.cast(pa.string()).combine_chunks().dictionary_encode("encode")
    labels = [(label or "").strip() for label in coded.dictionary.to_pylist()]
    meanings, codes = [*map(_meaning, labels)], coded.indices.to_numpy()
    where, got = f"column {as_text(name)}", listed([*map(repr, labels)], 5)
    if "" in labels or len(set(meanings)) > 2:
        raise invalid(where, "hold two labels, none missing", got)
    target = 1.0 if pos_label is None else _meaning(pos_label.strip())
    is_plain = set(meanings) <= {0, 1} or set(meanings) <= {-1, 1}
    if target not in meanings if pos_label is not None else not is_plain:
        rule = (
            f"name the label of the targets in {where}, one of {got}, unless they are "
            "0 and 1, -1 and 1, or true and false"
        )
        raise invalid("--pos-label", rule, brief(pos_label))
    is_target: NDArray[Any] = np.array([one == target for one in meanings])[codes]
    return is_target


def _meaning(label: str) -> float | str:
    """Labels that are the same number, or the same truth, are the same."""
    text = {"true": "1", "false": "0"}.get(label.lower(), label)
    try:
        number = float(text)
    except ValueError:
        return text
    return text if math.isnan(number) else number
