"""Numbers of a file keep their order in the array, or are refused.

The judge is the order of the texts as decimals, which have no rounding; of parquet that
of the numbers as pyarrow has them, as fractions.
"""

import datetime
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from skrank.report._score_file import find_targets, read_score_file

FAR = 2**64


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("numbers")


def ranks(numbers):
    """Ranks of exact numbers, ties alike."""
    place = {number: i for i, number in enumerate(sorted(set(numbers)))}
    return [place[number] for number in numbers]


def ranks_of(scores):
    return np.unique(scores, return_inverse=True)[1].tolist()


def read_text(folder, cells):
    rows = "".join(f'{i % 2},"{cell}"\n' for i, cell in enumerate(cells))
    (folder / "t.csv").write_text(f"y,a\n{rows}", encoding="utf-8")
    return read_score_file(str(folder / "t.csv"), "y", ["a"]).scores["a"]


def keeps_order(read, exact):
    """Whether the order is kept; an error must be needed, and say where."""
    try:
        scores = read()
    except ValueError as error:
        said = str(error)
        assert "t.csv" in said or "t.parquet" in said
        assert "column 'a'" in said
        assert any(unit in said for unit in ("line", "row"))
        assert len(said) < 500
        is_lost = len(set(map(float, exact))) < len(set(exact))
        whole = [one for one in map(Fraction, exact) if one.denominator == 1]
        assert is_lost or any(one != int(float(one)) for one in whole)
        return False
    assert ranks_of(scores) == ranks(exact)
    return True


# Texts

near = st.builds(
    lambda base, step: base + step,
    st.sampled_from([0, 1, 2**53, -(2**53), 2**60, 10**17, 2**63, -(2**63), 2**64]),
    st.integers(-3, 3),
)
tails = st.text("0123456789", min_size=0, max_size=3)
spellings = st.one_of(
    near.map(str),
    near.map("{:+d}".format),
    near.map(" {} ".format),
    st.builds("{}.{}".format, near, tails.map(lambda tail: tail + "0")),
    st.builds("0.{}{}".format, st.sampled_from(["1", "3" * 15, "3" * 20]), tails),
    st.builds("{}e{}".format, near, st.integers(-340, 290)),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(0, 1).map("{:.17g}".format),
    st.floats(0, 1).map("{:.18e}".format),
    st.decimals(-3, 3, places=30).map(str),
    st.sampled_from(["-0", "0.0", "-0.0", ".5", "5.", "5E-1", "1e-999", "1e-400"]),
)


@pytest.mark.parametrize("block", [2, 4096])
@given(cells=st.lists(spellings, min_size=1, max_size=8))
@example(cells=["0.1", "0.1000000000000000055511151231257827021181583404541015625"])
@example(cells=["0", "1e-400"])
@example(cells=["2305843009213693951.5", "2305843009213693952.0"])
@example(cells=["9007199254740993", "9007199254740992.0"])
@example(cells=["1152921504606846976", "1152921504606847000.5"])
@example(cells=["1152921504606846976", "0.5", "1152921504606846976"])
def test_texts_have_the_order_of_decimals(folder, block, cells):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("skrank.report._score_file._BLOCK", block)
        keeps_order(lambda: read_text(folder, cells), list(map(Decimal, cells)))


def test_numbers_beyond_all_decimals_are_told_apart(folder):
    wild = ["1e-99999999999999999999", "1e-99999999999999999998"]
    with pytest.raises(ValueError, match="got two in lines 2 and 3 that are both 0.0"):
        read_text(folder, wild)
    assert read_text(folder, wild[:1] * 2).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("form", ["", ".17g", ".18e", ".25f"])
@given(numbers=st.lists(st.floats(0.01, 100), min_size=1, max_size=30))
def test_floats_are_read_however_they_are_printed(folder, form, numbers):
    cells = [format(number, form) for number in numbers]
    assert read_text(folder, cells).tolist() == numbers


@given(numbers=st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=9))
def test_whole_numbers_are_read_as_they_are(folder, numbers):
    assert read_text(folder, numbers).tolist() == numbers


@pytest.mark.parametrize(
    "cell",
    ["", "x", "nan", "inf", "-inf", "1e999", "1_000", "0x10", "1,5", "1 5", "--1", "½"],
)
@pytest.mark.parametrize("first", ["7", "7.5"])
def test_what_is_no_number_is_refused_where_it_stands(folder, cell, first):
    with pytest.raises(ValueError, match=r"each cell of column 'a'; got .* in line 3"):
        read_text(folder, [first, cell])


@pytest.mark.parametrize(
    ("cells", "lines"),
    [
        (["0.3", "7", "0.30000000000000000001"], "lines 2 and 4"),
        (["1.5", "0.1", "1e-400", "0.0"], "lines 4 and 5"),
    ],
)
def test_lost_order_is_refused_with_both_lines(folder, cells, lines):
    with pytest.raises(ValueError, match=f"differ as floats of 64 .*{lines} that are"):
        read_text(folder, cells)


def test_labels_are_told_apart_by_all_digits(folder):
    labels = [2**53, 2**53 + 1]
    rows = "".join(f"{label},{i}\n" for i, label in enumerate(labels))
    (folder / "l.csv").write_text(f"y,a\n{rows}")
    table = read_score_file(str(folder / "l.csv"), "y", ["a"])
    for i, label in enumerate(labels):
        is_target = find_targets(table, "l.csv", "y", str(label))
        assert is_target.tolist() == [i == 0, i == 1]


# Parquet


def read_parquet(folder, column, **settings):
    import pyarrow as pa
    from pyarrow import parquet

    table = pa.table({"y": [i % 2 for i in range(len(column))], "a": column})
    parquet.write_table(table, folder / "t.parquet", **settings)
    return read_score_file(str(folder / "t.parquet"), "y", ["a"]).scores["a"]


def decimals(bits, scale):
    """Decimals of a type that has so many bits, as numbers at and near its ends."""
    digits = {128: 38, 256: 76}[bits] if bits > 64 else {32: 9, 64: 18}[bits]
    ends = st.sampled_from([0, 1, 2**53, 2**63, 2**64, 10**digits - 3])
    whole = st.builds(
        lambda end, step, sign: sign * min(abs(end + step), 10**digits - 1),
        ends,
        st.integers(-2, 2),
        st.sampled_from([-1, 1]),
    )
    return st.lists(
        whole.map(lambda number: Decimal(number).scaleb(-scale)), min_size=1, max_size=6
    )


@pytest.mark.parametrize("bits", [32, 64, 128, 256])
@pytest.mark.parametrize("scale", [0, 2, 9])
@settings(max_examples=20)
@given(data=st.data())
def test_decimals_of_parquet_keep_their_order(folder, bits, scale, data):
    pa = pytest.importorskip("pyarrow")
    make = getattr(pa, f"decimal{bits}", None)
    if make is None:
        pytest.skip("this pyarrow has no such decimals")
    import decimal

    with decimal.localcontext(prec=100):
        numbers = data.draw(decimals(bits, scale))
        digits = {32: 9, 64: 18, 128: 38, 256: 76}[bits]
        column = pa.array(numbers, make(digits, scale))
    keeps_order(lambda: read_parquet(folder, column), list(map(Fraction, numbers)))


def test_decimals_beyond_floats_are_refused(folder):
    pa = pytest.importorskip("pyarrow")
    numbers = [Decimal(f"{2**53 + i}.25") for i in range(4)]
    with pytest.raises(ValueError, match="differ as floats of 64 .* rows 2 and 3"):
        read_parquet(folder, pa.array(numbers, pa.decimal128(20, 2)))
    whole = [Decimal(2**63 + i) for i in range(4)]  # these are whole, of 64 bits
    assert read_parquet(folder, pa.array(whole, pa.decimal128(20, 0))).tolist() == whole


INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


@pytest.mark.parametrize("kind", INTEGERS)
@pytest.mark.parametrize("coded", [False, True])
@settings(max_examples=20)
@given(data=st.data())
def test_integers_of_parquet_are_read_as_they_are(folder, kind, coded, data):
    pa = pytest.importorskip("pyarrow")
    ends = np.iinfo(kind)
    integers = st.integers(int(ends.min), int(ends.max))
    numbers = data.draw(st.lists(integers, min_size=1, max_size=6))
    column = pa.array(numbers, getattr(pa, kind)())
    column = column.dictionary_encode() if coded else column
    assert read_parquet(folder, column).tolist() == numbers


@pytest.mark.parametrize("width", [16, 32, 64])
@settings(max_examples=20)
@given(data=st.data())
def test_floats_of_parquet_are_read_as_they_are(folder, width, data):
    pa = pytest.importorskip("pyarrow")
    floats = st.floats(width=width, allow_nan=False, allow_infinity=False)
    numbers = data.draw(st.lists(floats, min_size=1, max_size=6))
    column = pa.array(np.array(numbers, f"f{width // 8}"))
    assert read_parquet(folder, column).tolist() == numbers


OTHERS = {
    "text": ["1", "2"],
    "bytes": [b"1", b"2"],
    "timestamp": [datetime.datetime(2000, 1, day) for day in (1, 2)],
    "date": [datetime.date(2000, 1, day) for day in (1, 2)],
    "time": [datetime.time(hour) for hour in (1, 2)],
    "duration": [datetime.timedelta(hour) for hour in (1, 2)],
    "list": [[1.0], [2.0]],
    "struct": [{"x": 1.0}, {"x": 2.0}],
}


@pytest.mark.parametrize("kind", OTHERS)
def test_columns_of_parquet_that_are_no_numbers_are_refused(folder, kind):
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(ValueError, match="`column a` must hold real numbers.*parquet"):
        read_parquet(folder, pa.array(OTHERS[kind]))


def test_fixed_lists_and_coded_texts_are_refused(folder):
    pa = pytest.importorskip("pyarrow")
    lists = pa.array([[1.0], [2.0]], pa.list_(pa.float64(), 1))
    for column in (lists, pa.array(["1", "2"]).dictionary_encode()):
        with pytest.raises(ValueError, match="`column a` must hold real numbers"):
            read_parquet(folder, column)


@pytest.mark.parametrize("kind", [*INTEGERS, "float16", "float32", "float64", "null"])
def test_nullable_columns_say_where_they_are_empty(folder, kind):
    pa = pytest.importorskip("pyarrow")
    full = [np.float16(1), np.float16(2)] if kind == "float16" else [1, 2]
    column = pa.array(
        [None] * 3 if kind == "null" else [*full, None], getattr(pa, kind)()
    )
    row = 1 if kind == "null" else 3
    rule = f"empty cells in column 'a'; got {column.null_count}. The first is in row"
    with pytest.raises(ValueError, match=f"{rule} {row}"):
        read_parquet(folder, column)


@pytest.mark.parametrize("cell", [math.nan, math.inf, -math.inf])
def test_floats_of_parquet_that_are_not_finite_say_where(folder, cell):
    pa = pytest.importorskip("pyarrow")
    rule = f"a number in each cell of column 'a'; got {cell} in row 2"
    with pytest.raises(ValueError, match=rule):
        read_parquet(folder, pa.array([1.0, cell, cell]))


def test_flipped_bits_of_checked_pages_are_found(folder):
    """Judge: the bytes that differ between files of other data, and checksums."""
    pa = pytest.importorskip("pyarrow")
    scores = np.arange(64) * 1.5
    read_parquet(folder, pa.array(scores), write_page_checksum=True, compression="none")
    path = folder / "t.parquet"
    whole = path.read_bytes()
    start = whole.index(scores[1:9].tobytes())  # a page of the column
    for place in range(start, start + 64, 7):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"t\.parquet must be a readable table in"):
            read_score_file(str(path), "y", ["a"])


def test_flipped_bits_anywhere_end_clearly(folder):
    """No bit of a file, not even one that no checksum covers, makes a traceback."""
    pa = pytest.importorskip("pyarrow")
    read_parquet(folder, pa.array(np.arange(9) * 1.5), write_page_checksum=True)
    path = folder / "t.parquet"
    whole = path.read_bytes()
    said = []
    for place in range(0, len(whole), 3):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        path.write_bytes(damaged)
        try:
            read_score_file(str(path), "y", ["a"])
        except ValueError as error:
            said.append(str(error))
    assert all("t.parquet" in one and len(one) < 500 for one in said)
    assert len(said) > len(whole) / 9
