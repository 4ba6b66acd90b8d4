"""Columns of a file of scores, text with a header or parquet, as pyarrow reads them.

Pandas would shift or drop the cells of rows that are longer than the header.
"""

import math
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
            table = _read(pa, path.lower(), source, [target, *scores], separator)
            if not table.num_rows:
                msg = "there must be rows below the header; got none."
                raise ValueError(msg)
            numbers = {name: _numbers(pa, name, table[name]) for name in scores}
            return _targets(pa, target, table[target], pos_label), numbers
        except (pa.ArrowException, OSError, ValueError) as error:
            msg = f"{said}: {in_short(str(error), 400)}"
            raise ValueError(msg) from error


def _read(
    pa: Any, path: str, source: Any, names: list[str], separator: str | None
) -> Any:
    """Read some columns, whose names may stand between blanks in the file."""
    if path.endswith(".parquet"):
        from pyarrow import parquet

        file = parquet.ParquetFile(source)
        there = _find(file.schema_arrow.names, names)
        return file.read(columns=there).select(there).rename_columns(names)
    from pyarrow import csv

    if separator is None:
        separator = "\t" if path.endswith((".tsv", ".tsv.gz")) else ","
    compression = "gzip" if path.endswith(".gz") else None
    text = pa.input_stream(source, compression).read()
    options = (
        csv.ReadOptions(use_threads=False),  # so that errors tell the row
        csv.ParseOptions(delimiter=separator, newlines_in_values=True),
    )
    header = csv.open_csv(pa.BufferReader(text), *options).schema.names
    there = _find(header, names)
    needed = csv.ConvertOptions(
        include_columns=there, column_types={there[0]: pa.string()}
    )
    table = csv.read_csv(pa.BufferReader(text), *options, needed)
    return table.rename_columns(names)


def _find(header: list[str], names: list[str]) -> list[str]:
    """Columns of the file that have these names, each of which must be there once."""
    stripped = [name.strip() for name in header]
    there = listed([*map(as_text, stripped)], 20)
    if len(names) < 2 or names[0] in names[1:]:
        got = "that of the labels" if names[1:] else "none"
        msg = f"`--score` must name a column to rank by, one of {there}; got {got}."
        raise ValueError(msg)
    for name in names:
        if stripped.count(name) != 1:
            got = "several" if name in stripped else "none"
            hint = "" if header[1:] else " Does `--separator` separate the columns?"
            msg = f"there must be one column {brief(name)}; got {got} among {there}."
            raise ValueError(msg + hint)
    return [header[stripped.index(name)] for name in names]


def _numbers(pa: Any, name: str, column: Any) -> NDArray[Any]:
    """Make an array of a column of numbers; integers stay integers."""
    kind, is_ = column.type, pa.types
    if not (is_.is_integer(kind) or is_.is_floating(kind) or is_.is_boolean(kind)):
        try:
            column = column.cast(pa.float64())
        except pa.ArrowException as error:
            msg = f"column {brief(name)} must hold numbers; got: {error}"
            raise ValueError(msg) from error
    numbers: NDArray[Any] = column.to_numpy()
    is_finite = np.isfinite(numbers.astype(np.float64))
    if not is_finite.all():
        msg = (
            f"column {brief(name)} must hold a finite number in each row; got none in "
            f"row {is_finite.argmin() + 1} below the header."
        )
        raise ValueError(msg)
    return numbers


def _targets(
    pa: Any, name: str, column: Any, pos_label: str | None
) -> NDArray[np.bool_]:
    """Say which items are targets: those labelled 1, true, or `pos_label`."""
    coded = column.cast(pa.string()).combine_chunks().dictionary_encode("encode")
    labels = [(label or "").strip() for label in coded.dictionary.to_pylist()]
    meanings, codes = [*map(_meaning, labels)], coded.indices.to_numpy()
    where, got = f"column {brief(name)}", listed([*map(repr, labels)], 5)
    if "" in labels or len(set(meanings)) > 2:
        msg = f"{where} must hold two labels, none missing; got {got}."
        raise ValueError(msg)
    target = 1.0 if pos_label is None else _meaning(pos_label.strip())
    is_plain = set(meanings) <= {0, 1} or set(meanings) <= {-1, 1}
    if target not in meanings if pos_label is not None else not is_plain:
        msg = (
            f"`--pos-label` must name the label of the targets in {where}, one of "
            f"{got}, unless they are 0 and 1, -1 and 1, or true and false; got "
            f"{brief(pos_label)}."
        )
        raise ValueError(msg)
    is_target: NDArray[np.bool_] = np.array([one == target for one in meanings])[codes]
    return is_target


def _meaning(label: str) -> float | str:
    """Labels that are the same number, or the same truth, are the same."""
    text = {"true": "1", "false": "0"}.get(label.lower(), label)
    try:
        number = float(text)
    except ValueError:
        return text
    return text if math.isnan(number) else number
