"""Labels and scores of a file, as text with a header or parquet.

Pyarrow reads the file in chunks: into memory if it is small, else twice, to be counted.
Pandas is not used, because it shifts or drops cells of rows that are longer than the
header.
"""

import math
import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skrank._utils._checks import invalid
from skrank._utils._optional import load_arrow
from skrank._utils._text import as_text, brief, in_short, listed
from skrank.ranking._counts import (
    TablePieces,
    count_chunks,
    open_files,
    release_memory,
)
from skrank.ranking._input import check_scores, oriented, small_integers

# Number of scores of all rankings that are held in memory, so that rankings can be
# compared: 36 MiB of the 500 of a report. Half as many would leave out comparisons that
# take 0.3 s.
MOST_HELD = 2**22


def read_score_file(
    path: str,
    target: str,
    scores: Mapping[str, tuple[str, bool]],
    pos_label: str | None = None,
    separator: str | None = None,
    *,
    group: str | None = None,
    cluster: str | None = None,
    most: float = MOST_HELD,
    progress: bool = False,
) -> tuple[Any, dict[str, Any] | None, dict[str, NDArray[Any]]]:
    """Read the arguments of `ranking_report` from a file; "-" is standard input.

    `scores` has the column of each ranking, and whether lower is better in it; `group`
    and `cluster` name columns, which are returned last as "groups" and "clusters". With
    more than `most` scores in all, the rankings are counted, unless there are such
    columns.
    """
    asked = {"groups": group, "clusters": cluster}
    texts = {kind: name for kind, name in asked.items() if name is not None}
    arrow = load_arrow()
    try:
        file = _ScoreFile(path, target, scores, pos_label, separator, texts)
        most = math.inf if texts else most
        try:
            found = file.read(most, progress)
        except arrow.ArrowInvalid:
            file.read_floats()
            found = file.read(most, progress)
    except (arrow.ArrowException, OSError, ValueError) as error:
        said = "standard input" if path == "-" else as_text(path)
        raise ValueError(f"{said}: {in_short(str(error), 400)}") from error
    release_memory()
    return found


class _ScoreFile:
    """Labels and scores in chunks, which are read again for each pass."""

    def __init__(
        self,
        path: str,
        target: str,
        scores: Mapping[str, tuple[str, bool]],
        pos_label: str | None,
        separator: str | None,
        texts: Mapping[str, str],
    ) -> None:
        self.target, self.scores, self.texts = target, scores, texts
        self.pos_label = pos_label
        lower = path.lower()
        if separator is None:
            separator = "\t" if lower.endswith((".tsv", ".tsv.gz")) else ","
        self.separator = separator
        self.compression = "gzip" if lower.endswith(".gz") else None
        self.content: Any = path
        self.columns: dict[str, str] = {}  # names of the columns in the header
        self.types: dict[str, Any] = {}  # of text; others are those of the first rows
        if lower.endswith(".parquet"):
            os.stat(path)  # it finds the error in the file
            self.source = open_files(path)
            header = self.source.schema.names
        else:
            with open(path, "rb") if path != "-" else sys.stdin.buffer as file:
                # pipes are read once, and arrow opens names in UTF-8 only
                is_named = path == path.encode(errors="replace").decode()
                if path == "-" or not (is_named and os.path.isfile(path)):
                    self.content = load_arrow().py_buffer(file.read())
            self.source = self._open_text
            header = self._open_text().schema.names
        named = [target, *(column for column, _ in scores.values())]
        self.columns = _find(header, [*named, *texts.values()])
        text = load_arrow().string()
        self.types = {self.columns[one]: text for one in (target, *texts.values())}

    def _open_text(self) -> Any:
        """Open a table of text, in which only empty cells are missing values."""
        csv = load_arrow("pyarrow.csv")
        return csv.open_csv(
            load_arrow().input_stream(self.content, self.compression),
            csv.ReadOptions(use_threads=False),  # so that errors have the row
            csv.ParseOptions(delimiter=self.separator, newlines_in_values=True),
            csv.ConvertOptions(
                null_values=[""],
                column_types=self.types,
                include_columns=list(self.columns.values()),
            ),
        )

    def read_floats(self) -> None:
        """Read all numbers of text as floats, also if the first are integers."""
        floats = dict.fromkeys(self.columns.values(), load_arrow().float64())
        self.types = floats | self.types

    def read(
        self, most: float, progress: bool
    ) -> tuple[Any, dict[str, Any] | None, dict[str, NDArray[Any]]]:
        """Return labels, scores and texts in memory, or counted rankings."""
        held: list[tuple[NDArray[Any], ...]] = []
        n_held = 0
        for chunk in self:
            held.append(chunk)
            n_held += chunk[0].size * len(self.scores)
            if n_held > most:
                break
        else:
            if not held:
                raise ValueError("there must be rows below the header; got none.")
            is_target, *columns = map(np.concatenate, zip(*held, strict=True))
            texts = columns[len(self.scores) :]
            held_scores = dict(zip(self.scores, columns, strict=False))
            return is_target, held_scores, dict(zip(self.texts, texts, strict=True))
        del held
        names = [as_text(name) for name in (self.target, *self.scores)]
        counted = count_chunks(self, None, names=names, progress=progress)
        rankings = [one.ranking() for one in counted]
        return dict(zip(self.scores, rankings, strict=True)), None, {}

    def __iter__(self) -> Iterator[tuple[NDArray[Any], ...]]:
        """Yield labels and scores, for which higher is better."""
        labels = _Labels(self.target, self.pos_label)
        small: dict[str, set[int] | None] = {}
        row = 1
        for table in TablePieces(self.source, [*self.columns.values()]):
            numbers = {}
            for column, _ in self.scores.values():
                cells = table[self.columns[column]]
                numbers[column] = _numbers(column, cells, row)
                small[column] = small_integers(
                    numbers[column], small.get(column, set())
                )
            is_target = labels.are_targets(table[self.columns[self.target]])
            texts = [
                _texts(name, table[self.columns[name]], row)
                for name in self.texts.values()
            ]
            row += table.num_rows
            yield (
                is_target,
                *(oriented(numbers[one], lower) for one, lower in self.scores.values()),
                *texts,
            )
        labels.check_all()
        for column, values in small.items():
            if values:  # these may be labels, unless there are others
                check_scores(np.array([*values]), _where(column))


class _Labels:
    """The labels of a column, and the label of the targets."""

    def __init__(self, name: str, pos_label: str | None) -> None:
        self.name, self.pos_label = name, pos_label
        self.target = 1.0 if pos_label is None else _meaning(pos_label.strip())
        self.seen: Counter[str] = Counter()

    def are_targets(self, column: Any) -> NDArray[np.bool_]:
        """Return which items are targets: label 1, true, or `pos_label`."""
        text = column.cast(load_arrow().string()).combine_chunks()
        coded = text.dictionary_encode("encode")
        labels = [(label or "").strip() for label in coded.dictionary.to_pylist()]
        codes: NDArray[np.intp] = coded.indices.to_numpy()
        for label, count in zip(
            labels, np.bincount(codes, minlength=len(labels)).tolist(), strict=True
        ):
            self.seen[label] += count
        if "" in self.seen:
            raise invalid(_where(self.name), "hold labels, none missing", self.got)
        if self.pos_label is None and len(set(map(_meaning, self.seen))) > 2:
            self.check_all()  # not only after all of a column that may hold scores
        is_target = np.array([_meaning(one) == self.target for one in labels])
        return is_target[codes]

    @property
    def got(self) -> str:
        """Print the labels and their frequencies, the rarest first."""
        rarest = reversed(self.seen.most_common())
        return listed([f"{label!r} ({count})" for label, count in rarest], 5)

    def check_all(self) -> None:
        """Check that the label of the targets is known."""
        meanings = set(map(_meaning, self.seen))
        is_plain = meanings <= {0, 1} or meanings <= {-1, 1}
        is_known = is_plain if self.pos_label is None else self.target in meanings
        if meanings and not is_known:
            rule = (
                f"name the label of the targets in {_where(self.name)}, one of "
                f"{self.got}, unless they are 0 and 1, -1 and 1, or true and false"
            )
            raise invalid("--pos-label", rule, brief(self.pos_label))


def _find(there: list[str], names: list[str]) -> dict[str, str]:
    """Return the columns of these names, with or without surrounding blanks."""
    header = [name.strip() for name in there]
    shown = listed([*map(as_text, header)], 20)
    if len(names) < 2 or names[0] in names[1:]:
        got = "that of the labels" if names[1:] else "none"
        raise invalid("--score", f"name a column to rank by, one of {shown}", got)
    for name in names:
        if header.count(name) != 1:
            got = "several" if name in header else "none"
            hint = "" if header[1:] else " Does `--separator` separate the columns?"
            msg = f"there must be one column {brief(name)}; got {got} among {shown}."
            raise ValueError(msg + hint)
    return {name: there[header.index(name)] for name in names}


def _numbers(name: str, column: Any, row: int) -> NDArray[Any]:
    """Return an array of a column of numbers; integers stay integers."""
    arrow = load_arrow()
    kind, is_ = column.type, arrow.types
    if not (is_.is_integer(kind) or is_.is_floating(kind) or is_.is_boolean(kind)):
        try:
            column = column.cast(arrow.float64())
        except arrow.ArrowException as error:
            raise invalid(_where(name), "hold numbers", str(error)) from error
    numbers: NDArray[Any] = column.to_numpy()
    is_finite = np.isfinite(numbers.astype(np.float64))
    if not is_finite.all():
        got = f"none in row {row + is_finite.argmin()} below the header"
        raise invalid(_where(name), "hold a finite number in each row", got)
    return check_scores(numbers, _where(name), whole=False)


def _texts(name: str, column: Any, row: int) -> NDArray[Any]:
    """Return the texts of a column, none of them empty; equal ones are one object."""
    text = column.cast(load_arrow().string()).combine_chunks()
    coded = text.dictionary_encode("encode")
    labels = [(one or "").strip() for one in coded.dictionary.to_pylist()]
    texts: NDArray[Any] = np.array(labels, dtype=object)[coded.indices.to_numpy()]
    if "" in labels:
        got = f"none in row {row + int((texts == '').argmax())} below the header"
        raise invalid(_where(name), "hold a text in each row", got)
    return texts


def _where(name: str) -> str:
    return f"column {in_short(as_text(name))}"


def _meaning(label: str) -> float | str:
    """Return equal values for labels that are the same number or truth value."""
    text = {"true": "1", "false": "0"}.get(label.lower(), label)
    try:
        number = float(text)
    except ValueError:
        return text
    return text if math.isnan(number) else number
