"""Tables of any library are counted as the same columns in memory are.

The judge is `RankCounts.from_arrays` on the arrays that the table was made of.
"""

import pickle
import sys
import types

import numpy as np
import pytest

from cases import assert_same_answers
from skrank import RankCounts, average_precision, precision_at_t

pa = pytest.importorskip("pyarrow")
csv = pytest.importorskip("pyarrow.csv")
dataset = pytest.importorskip("pyarrow.dataset")
parquet = pytest.importorskip("pyarrow.parquet")
pd = pytest.importorskip("pandas")


def columns_of(n=3000, dtype=np.float64):
    """Labels and scores with ties, and the scores of another ranking."""
    rng = np.random.default_rng(0)
    y = (np.arange(n) % 50 == 0).astype(np.int64)
    s = (rng.normal(size=n) + y).round(1).astype(dtype)
    return y, s, (s + rng.normal(size=n)).round(2).astype(dtype)


def table_of(columns):
    """Table of pyarrow that has columns nobody asks for, too."""
    y, s, other = columns
    return pa.table({"id": np.arange(y.size), "y": y, "s": s, "other": other})


def in_files(write, suffix, names):
    """What writes a table in parts, and returns what names them."""

    def made(table, folder):
        for i in range(3):
            write(table.slice(i * 1100, 1100), folder / f"part-{i}{suffix}")
        return names(folder)

    return made


def polars_of(table):
    return pytest.importorskip("polars").from_arrow(table)


def lazy_of(table, _):
    lazy = polars_of(table).lazy()
    if not hasattr(lazy, "collect_batches"):
        pytest.skip("needs a Polars whose lazy frames give batches")
    return lazy


def relation_of(table, _):
    return pytest.importorskip("duckdb").from_arrow(table)


class Relation:
    """What DuckDB gives: names, a choice by expressions of SQL, and a stream."""

    def __init__(self, table):
        self.table, self.columns = table, table.column_names

    def project(self, *expressions):
        names = [one[1:-1].replace('""', '"') for one in expressions]
        return Relation(self.table.select(names))

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def dask_of(table, _):
    dd = pytest.importorskip("dask.dataframe")
    return dd.from_pandas(table.to_pandas(), npartitions=4)


def gzipped(table, folder):
    with pa.output_stream(str(folder / "t.csv.gz")) as file:
        csv.write_csv(table, file)
    return str(folder / "t.csv.gz")


def one_file(table, folder):
    parquet.write_table(table, folder / "t.parquet", row_group_size=700)
    return folder / "t.parquet"


SOURCES = {
    "pyarrow": lambda table, _: table,
    "record batch": lambda table, _: table.combine_chunks().to_batches()[0],
    "small batches": lambda table, _: pa.Table.from_batches(table.to_batches(7)),
    "stream": lambda table, _: lambda: table.to_reader(100),
    "capsule": lambda table, _: types.SimpleNamespace(
        __arrow_c_stream__=table.__arrow_c_stream__
    ),
    "pandas": lambda table, _: table.to_pandas(),
    "polars": lambda table, _: polars_of(table),
    "polars lazy": lazy_of,
    "polars lazy, called": lambda table, _: lambda: lazy_of(table, _),
    "relation": lambda table, _: Relation(table),
    "duckdb": relation_of,
    "dask": dask_of,
    "parquet": one_file,
    "parquet, a dataset": lambda table, folder: dataset.dataset(
        one_file(table, folder)
    ),
    "parquet, a pattern": in_files(
        parquet.write_table, ".parquet", lambda folder: str(folder / "part-*.parquet")
    ),
    "parquet, a folder": in_files(parquet.write_table, ".parquet", lambda one: one),
    "csv": in_files(csv.write_csv, ".csv", lambda folder: folder / "part-*.csv"),
    "csv, a list": in_files(
        csv.write_csv, ".CSV", lambda folder: sorted(folder.iterdir())
    ),
    "csv.gz": gzipped,
}


@pytest.mark.parametrize("source", SOURCES)
def test_sources(source, tmp_path):
    y, s, other = columns_of()
    table = SOURCES[source](table_of((y, s, other)), tmp_path)
    counts = RankCounts.from_table(table)
    assert_same_answers(counts, (y, s))
    several = RankCounts.from_table(table, "y", ["other", "s"])
    assert list(several) == ["other", "s"]
    for name, scores in (("s", s), ("other", other)):
        expected = average_precision(RankCounts.from_arrays(y, scores))
        assert average_precision(pickle.loads(pickle.dumps(several[name]))) == expected


@pytest.mark.parametrize("source", ["pyarrow", "pandas", "polars", "duckdb", "csv"])
@pytest.mark.parametrize(
    ("of_labels", "pos_label"),
    [
        (lambda y: y == 1, None),
        (lambda y: y.astype(np.int8), 1),
        (lambda y: 2.0 * y - 1, None),
        (lambda y: y + 3, 4),
        (lambda y: np.where(y, "hit", "miss"), "hit"),
    ],
    ids=["bool", "int8", "float", "other integers", "text"],
)
def test_labels(source, of_labels, pos_label, tmp_path):
    y, s, other = columns_of()
    table = SOURCES[source](table_of((of_labels(y), s, other)), tmp_path)
    counts = RankCounts.from_table(table, pos_label=pos_label)
    assert average_precision(counts) == average_precision(y, s)


@pytest.mark.parametrize("source", ["pandas", "polars"])
def test_categories_as_labels(source):
    y, s, _ = columns_of()
    text = pd.Series(np.where(y, "hit", "miss"))
    table = pa.table({"y": pa.array(text.astype("category")), "s": s})
    counts = RankCounts.from_table(SOURCES[source](table, None), pos_label="hit")
    assert average_precision(counts) == average_precision(y, s)


@pytest.mark.parametrize("dtype", ["f4", "f2", "i8", "i2", "u1"])
def test_types_of_scores(dtype):
    y, s, _ = columns_of()
    s = (10 * s + 100).astype(dtype)
    counts = RankCounts.from_table(pa.table({"y": y, "s": s}))
    assert_same_answers(counts, (y, s))


@pytest.mark.parametrize("size", [None, 100_000, 1_500_000])
def test_batches_of_any_size(size):
    columns = columns_of(2_300_000, np.float32)
    table = pa.table(dict(zip("ys", columns[:2], strict=True)))
    counts = RankCounts.from_table(lambda: table.to_reader(size))
    assert average_precision(counts) == average_precision(*columns[:2])
    expected = precision_at_t(*columns[:2], t=1000, ties="threshold")
    assert precision_at_t(counts, t=1000, ties="threshold") == expected


def test_batches_without_items_or_targets():
    y, s, _ = columns_of()
    batches = table_of(columns_of()).to_batches(1000)
    none = batches[0].slice(0, 0)
    table = pa.Table.from_batches([none, *batches[::-1], none])
    assert average_precision(RankCounts.from_table(table)) == average_precision(y, s)
    without = table_of((0 * y, s, s))
    assert RankCounts.from_table(without).n_targets == 0


def test_names_of_all_kinds(tmp_path):
    y, s, _ = columns_of()
    frame = pa.table({'the "label"': y, "a, b": s, "select": s})
    for source in ("pyarrow", "pandas", "polars", "relation", "parquet"):
        table = SOURCES[source](frame, tmp_path)
        counts = RankCounts.from_table(table, 'the "label"', ["a, b", "select"])
        assert average_precision(counts["a, b"]) == average_precision(y, s)


def test_a_file_that_is_named_like_a_pattern(tmp_path):
    y, s, _ = columns_of()
    csv.write_csv(table_of(columns_of()), tmp_path / "part[1].csv")
    counts = RankCounts.from_table(tmp_path / "part[1].csv")
    assert average_precision(counts) == average_precision(y, s)


def test_columns_that_are_not_asked_are_not_converted():
    mixed = pd.Series([1, "a", None, object()], dtype=object)
    frame = pd.DataFrame({"mixed": mixed, "y": [1, 0, 1, 0], "s": np.arange(4.0)})
    assert RankCounts.from_table(frame).n_targets == 2


def test_progress(capsys):
    pytest.importorskip("tqdm")
    RankCounts.from_table(table_of(columns_of()), progress=True)
    shown = capsys.readouterr().err
    assert "first pass" in shown
    assert "second pass: 100%" in shown


# Errors


def with_missing(column, row, value=None):
    """Columns as lists, one of which lacks a value."""
    y, s, other = (list(values.tolist()) for values in columns_of(100))
    named = {"y": y, "s": s, "other": other}
    named[column][row] = value
    return named


@pytest.mark.parametrize("column", ["y", "s"])
@pytest.mark.parametrize("source", ["pyarrow", "stream", "pandas", "polars", "parquet"])
def test_missing_values_are_told_by_their_first_row(source, column, tmp_path):
    named = with_missing(column, 40)
    named[column][70] = None
    table = SOURCES[source](pa.table(named), tmp_path)
    message = f"`{column}` must hold a value in each row; got none in row 40, counted f"
    with pytest.raises(ValueError, match=message):
        RankCounts.from_table(table)


def test_a_category_that_is_missing():
    text = pa.array(["hit", "miss", None, "miss"])
    table = pa.table({"y": text.dictionary_encode(), "s": np.arange(4.0)})
    with pytest.raises(ValueError, match="`y` must hold a value in each row.* row 2"):
        RankCounts.from_table(table, pos_label="hit")


@pytest.mark.parametrize("column", ["y", "s"])
def test_nan_is_a_missing_value(column):
    table = pa.table(with_missing(column, 40, float("nan")))
    with pytest.raises(ValueError, match=f"`{column}` must hold a value.* row 40, c"):
        RankCounts.from_table(
            table.cast(pa.schema(dict.fromkeys(("y", "s", "other"), pa.float64())))
        )


@pytest.mark.parametrize("cell", ["", "NA"])
def test_empty_cells_of_text_are_missing_values(tmp_path, cell):
    (tmp_path / "t.csv").write_text(f"y,s\nhit,0.5\n{cell},0.7\n")
    with pytest.raises(
        ValueError, match="`y` must hold a value in each row.* row 1, c"
    ):
        RankCounts.from_table(tmp_path / "t.csv", pos_label="hit")


def test_rows_are_counted_over_all_chunks():
    n = 2_300_000
    s = np.arange(float(n))
    s[n - 5] = np.nan
    with pytest.raises(ValueError, match=f"`s` must hold.* in row {n - 5}, counted"):
        RankCounts.from_table(pa.table({"y": s == 3, "s": s}))


@pytest.mark.parametrize("source", SOURCES)
def test_columns_that_are_not_there(source, tmp_path):
    table = SOURCES[source](table_of(columns_of()), tmp_path)
    message = "name a column each, of id, y, s, other; got none called 'label'"
    with pytest.raises(ValueError, match=message):
        RankCounts.from_table(table, "label")
    with pytest.raises(ValueError, match="got none called 'best'"):
        RankCounts.from_table(table, y_score=["s", "best"])


def test_columns_of_one_name():
    s = np.arange(4.0)
    table = pa.Table.from_arrays([s > 2, s, s], ["y", "s", "s"])
    for one in (
        table,
        types.SimpleNamespace(__arrow_c_stream__=table.__arrow_c_stream__),
    ):
        with pytest.raises(ValueError, match="of y, s, s; got several called 's'"):
            RankCounts.from_table(one)


@pytest.mark.parametrize("names", [[], ["s", "s"], ["s", "y"], "y"])
def test_names_that_do_not_go_together(names):
    with pytest.raises(
        ValueError, match="`y_score` must name each column of scores on"
    ):
        RankCounts.from_table(table_of(columns_of()), "y", names)


def test_columns_in_place_of_their_names():
    y, s, other = columns_of()
    table = table_of((y, s, other))
    for names in ((y, s), ("y", s), (["y"], "s"), ("y", [s, other])):
        with pytest.raises(ValueError, match="`y_true and y_score` must be names of"):
            RankCounts.from_table(table, *names)


def test_sources_that_are_none(tmp_path):
    table = table_of(columns_of())
    with pytest.raises(ValueError, match="`source` must be read twice.*RecordBatchRe"):
        RankCounts.from_table(table.to_reader())
    others = (3, "int"), ({"y": [1]}, "dict"), ([table], "list"), (lambda: "t", "str")
    for other, kind in others:
        with pytest.raises(ValueError, match=f"`source` must be a table.*got {kind}"):
            RankCounts.from_table(other)
    for none in (str(tmp_path / "*.csv"), []):
        with pytest.raises(ValueError, match="`source` must name files that there are"):
            RankCounts.from_table(none)
    with pytest.raises(FileNotFoundError):
        RankCounts.from_table(tmp_path / "none.parquet")
    with pytest.raises(ValueError, match="`progress` must be True or False"):
        RankCounts.from_table(table, progress="yes")


def test_a_stream_that_is_given_twice():
    reader = table_of(columns_of()).to_reader()
    with pytest.raises(ValueError, match="same items in both passes.*got 0 items of 3"):
        RankCounts.from_table(lambda: reader)


def test_a_table_that_changes_between_the_passes():
    y, s, other = columns_of()
    turns = iter([table_of((y, s, other)), table_of((y, s + 1, other))])
    message = "`s` must give the targets the scores that they had.*which begins with it"
    with pytest.raises(ValueError, match=message):
        RankCounts.from_table(lambda: next(turns))


def test_files_with_scores_of_different_types(tmp_path):
    for i, dtype in enumerate(("f8", "f4")):
        columns = columns_of(100, dtype)
        parquet.write_table(table_of(columns), tmp_path / f"{i}.parquet")
    with pytest.raises(
        ValueError, match=r"`s` must have one type in all files; got fl"
    ):
        RankCounts.from_table(tmp_path)


def test_a_file_without_the_column_of_scores(tmp_path):
    table = table_of(columns_of())
    parquet.write_table(table, tmp_path / "0.parquet")
    parquet.write_table(table.drop_columns("s"), tmp_path / "1.parquet")
    with pytest.raises(
        ValueError, match="`s` must hold a value.* in row 3000, counted"
    ):
        RankCounts.from_table(tmp_path)


def test_streams_with_scores_of_different_types():
    y, s, other = columns_of()
    turns = iter([s, s.astype(np.float32)])
    with pytest.raises(ValueError, match="`s` must have the same type in both passes"):
        RankCounts.from_table(lambda: table_of((y, next(turns), other)))


@pytest.mark.parametrize(
    ("columns", "pos_label", "message"),
    [
        ({"y": [1, 0], "s": [0, 1]}, None, "`s` must rank the items.* hard labels"),
        ({"y": [1, 0], "s": [True, False]}, None, "`s` must rank the items.*booleans"),
        ({"y": [1, 2], "s": [0.1, 1]}, None, "`pos_label` must name the label"),
        ({"y": ["a", "b"], "s": [0.1, 1]}, None, "`pos_label` must name the label"),
        ({"y": [1, 0], "s": ["a", "b"]}, None, "`s` must hold real numbers"),
        ({"y": [1, 0], "s": [0.1, np.inf]}, None, "`s` must be finite"),
        ({"y": [], "s": []}, None, "`y` must hold at least one item"),
    ],
)
def test_columns_that_are_no_ranking(columns, pos_label, message):
    with pytest.raises(ValueError, match=message):
        RankCounts.from_table(pa.table(columns), pos_label=pos_label)


def test_dask_has_its_own_progress():
    frame = dask_of(table_of(columns_of()), None)
    with pytest.raises(ValueError, match="`progress` must be left out with dask"):
        RankCounts.from_table(frame, progress=True)


def test_without_pyarrow(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(
        ImportError, match=r"need pyarrow: pip install skrank\[report\]"
    ):
        RankCounts.from_table("t.csv")
