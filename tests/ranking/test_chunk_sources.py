"""Sources of chunks that are not the same in both passes: the right value or an error.

The judge of the values is scikit-learn, on the whole ranking; the judge of what must be
refused is the sorted content of the chunks, as tuples of Python.
"""

import contextlib
import csv
import itertools
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from skrank import RankCounts, average_precision

SCORES = (-0.0, 0.0, 0.25, 0.5, 1.0, 2.0, 7.0)


@st.composite
def chunked(draw):
    """A ranking of both classes, with ties, in chunks of which some are empty."""
    n = draw(st.integers(2, 12))
    items = draw(
        st.lists(
            st.tuples(st.integers(0, 1), st.sampled_from(SCORES)),
            min_size=n,
            max_size=n,
        ).filter(lambda items: len({label for label, _ in items}) == 2)
    )
    cuts = sorted(draw(st.lists(st.integers(0, n), max_size=4)))
    return [items[a:b] for a, b in itertools.pairwise([0, *cuts, n])]


def as_columns(items):
    labels, scores = zip(*items, strict=True) if items else ((), ())
    return np.array(labels, dtype=int), np.array(scores, dtype=float)


def flat(chunks):
    return list(itertools.chain.from_iterable(chunks))


def content(items):
    """What a chunk holds, in any order."""
    return sorted((float(label), float(score)) for label, score in items)


def contents(chunks):
    return [content(chunk) for chunk in chunks]


def expected_value(chunks):
    return average_precision_score(*as_columns(flat(chunks)))


# Faults: each takes the chunks and two positions, and returns the chunks of one pass


def on_item(change):
    """Return a fault that changes an item of some chunk, to a ranking of items."""

    def fault(chunks, i, j):
        full = [k for k, chunk in enumerate(chunks) if chunk]
        where = full[i % len(full)]
        chunk = list(chunks[where])
        j %= len(chunk)
        chunk[j : j + 1] = change(*chunk[j])
        return [*chunks[:where], chunk, *chunks[where + 1 :]]

    return fault


def swap(chunks, i, j):
    chunks = list(chunks)
    i, j = i % len(chunks), j % len(chunks)
    chunks[i], chunks[j] = chunks[j], chunks[i]
    return chunks


def without(chunks, i, j):
    return [chunk for k, chunk in enumerate(chunks) if k != i % len(chunks)]


def twice(chunks, i, j):
    i %= len(chunks)
    return [*chunks[: i + 1], *chunks[i:]]


def one_for_another(chunks, i, j):
    chunks = list(chunks)
    chunks[i % len(chunks)] = chunks[j % len(chunks)]
    return chunks


def with_an_empty_one(chunks, i, j):
    i %= len(chunks) + 1
    return [*chunks[:i], [], *chunks[i:]]


def split(chunks, i, j):
    i %= len(chunks)
    middle = j % (len(chunks[i]) + 1)
    return [*chunks[:i], chunks[i][:middle], chunks[i][middle:], *chunks[i + 1 :]]


def swapped_labels(chunks, i, j):
    """Give the labels of two items to each other, in one chunk or in two."""
    items = flat(chunks)
    i, j = i % len(items), j % len(items)
    if i == j:
        return chunks
    (a, one), (b, other) = items[i], items[j]
    items[i], items[j] = (b, one), (a, other)
    rest = iter(items)
    return [list(itertools.islice(rest, len(chunk))) for chunk in chunks]


FAULTS = {
    "none": lambda chunks, i, j: chunks,
    "chunk dropped": without,
    "chunk repeated": twice,
    "chunk for another": one_for_another,
    "chunks swapped": swap,
    "cut off": lambda chunks, i, j: chunks[: i % len(chunks)],
    "exhausted": lambda chunks, i, j: [],
    "empty chunk": with_an_empty_one,
    "split": split,
    "joined": lambda chunks, i, j: [flat(chunks)],
    "order in chunks": lambda chunks, i, j: [chunk[::-1] for chunk in chunks],
    "labels swapped": swapped_labels,
    "item dropped": on_item(lambda label, score: []),
    "item repeated": on_item(lambda label, score: [(label, score)] * 2),
    "label": on_item(lambda label, score: [(1 - label, score)]),
    "other label": on_item(lambda label, score: [(2, score)]),
    "score": on_item(lambda label, score: [(label, score + 0.25)]),
    "nan": on_item(lambda label, score: [(label, float("nan"))]),
    "sign": on_item(lambda label, score: [(label, -score)]),
}
ARE_THE_SAME = {"none", "order in chunks"}


# Sources: each is made of the chunks of the looks at it, one after the other


class Looks:
    """Chunks that are others at every look, and how often they were looked at."""

    def __init__(self, looks):
        self.looks = looks
        self.n_looks = 0

    def next_look(self):
        self.n_looks += 1
        chunks = self.looks[min(self.n_looks, len(self.looks)) - 1]
        return [as_columns(chunk) for chunk in chunks]


class Iterable(Looks):
    def __iter__(self):
        return iter(self.next_look())


class Sized(Iterable):
    """Asking for the length is no look."""

    def __len__(self):
        return len(self.looks[0])


class WithoutLength(Iterable):
    def __len__(self):
        raise TypeError


class LazyIterable(Looks):
    def __iter__(self):
        yield from self.next_look()


class Rewound(Looks):
    """All iterators share a position, which goes back when one is made."""

    def __iter__(self):
        self.rest = self.next_look()
        return self.read()

    def read(self):
        while self.rest:
            yield self.rest.pop(0)


class Factory(Looks):
    def __call__(self):
        return iter(self.next_look())


class FactoryOfLists(Looks):
    def __call__(self):
        return self.next_look()


class SameBuffers(Looks):
    """All chunks of a length come in the same arrays."""

    def __call__(self):
        buffers = {}
        for columns in self.next_look():
            kept = buffers.setdefault(columns[0].size, columns)
            for buffer, column in zip(kept, columns, strict=True):
                buffer[:] = column
            yield kept


SOURCES = (
    Iterable,
    Sized,
    WithoutLength,
    LazyIterable,
    Rewound,
    Factory,
    FactoryOfLists,
    SameBuffers,
)


def counted(count):
    """Return average precision by scikit-learn's rule for ties; None if refused."""
    try:
        return average_precision(count(), ties="threshold", undefined="raise")
    except ValueError:
        return None


def check(chunks, looks, count):
    """Check the value where both passes are alike, and the refusal elsewhere."""
    found = counted(count)
    if contents(looks[0]) == contents(looks[1]):
        assert found == pytest.approx(expected_value(chunks), rel=1e-12)
    else:
        assert found is None
    return found


@pytest.mark.slow
@pytest.mark.parametrize("kind", FAULTS)
@settings(max_examples=25)
@given(data=st.data())
def test_a_fault_in_either_pass(kind, data):
    chunks = data.draw(chunked())
    i, j = (data.draw(st.integers(0, 50)) for _ in range(2))
    looks = [chunks, FAULTS[kind](chunks, i, j)]
    if data.draw(st.booleans()):
        looks.reverse()
    given_chunks = data.draw(st.sampled_from(SOURCES))(looks)
    n_jobs = data.draw(st.sampled_from([None, 2]))
    found = check(
        chunks, looks, lambda: RankCounts.from_chunks(given_chunks, n_jobs=n_jobs)
    )
    assert given_chunks.n_looks <= 2
    if kind in ARE_THE_SAME:
        assert found is not None
    if found is not None:
        assert given_chunks.n_looks == 2


@settings(max_examples=100)
@given(data=st.data())
def test_a_fault_in_any_of_many_looks(data):
    """Whoever looks once more than needed sees another ranking."""
    chunks = data.draw(chunked())
    kinds = data.draw(st.lists(st.sampled_from(list(FAULTS)), min_size=4, max_size=4))
    i, j = (data.draw(st.integers(0, 50)) for _ in range(2))
    looks = [FAULTS[kind](chunks, i, j) for kind in kinds]
    source = data.draw(st.sampled_from(SOURCES))(looks)
    found = counted(lambda: RankCounts.from_chunks(source))
    assert source.n_looks <= 2
    # two passes that are alike are the ranking, whatever a third would see
    if found is not None:
        assert contents(looks[0]) == contents(looks[1])
        assert found == pytest.approx(expected_value(looks[0]), rel=1e-12)


@settings(max_examples=100)
@given(data=st.data())
def test_a_fault_in_passes_that_are_shared_out(data):
    """Parts may see the items in any chunks; together they must see the same."""
    chunks = data.draw(chunked())
    i, j = (data.draw(st.integers(0, 50)) for _ in range(2))
    looks = [chunks, FAULTS[data.draw(st.sampled_from(list(FAULTS)))](chunks, i, j)]
    looks[1] = data.draw(st.permutations(looks[1]))
    if data.draw(st.booleans()):
        looks.reverse()
    same = content(flat(looks[0])) == content(flat(looks[1]))

    def count():
        empty = RankCounts()
        first = sum((updated(chunk, empty) for chunk in looks[0]), empty)
        empty = first.second_pass()
        return sum((updated(chunk, empty) for chunk in looks[1]), empty)

    found = counted(count)
    if same:
        assert found == pytest.approx(expected_value(chunks), rel=1e-12)
    else:
        assert found is None


def updated(chunk, empty):
    """A part of a pass, which sees one chunk."""
    part = pickle.loads(pickle.dumps(empty))
    part.update(*as_columns(chunk))
    return part


# Columns that are sliced


class Column:
    """A column that is another in the second pass, and may fill one array again."""

    def __init__(self, passes, size, *, in_buffer):
        self.passes = [np.asarray(values) for values in passes]
        self.buffer = np.empty(size, self.passes[0].dtype) if in_buffer else None
        self.n_chunks = -(-len(self) // size)
        self.n_read = 0

    def __len__(self):
        return len(self.passes[0])

    def __getitem__(self, piece):
        values = self.passes[self.n_read // self.n_chunks][piece]
        self.n_read += 1
        if self.buffer is None:
            return values
        self.buffer[: values.size] = values
        return self.buffer[: values.size]


IN_PLACE = ("none", "label", "score", "sign", "labels swapped", "other label", "nan")


@settings(max_examples=100)
@given(data=st.data())
def test_columns_that_change(data):
    items = flat(data.draw(chunked()))
    size = data.draw(st.integers(1, 5))
    i, j = (data.draw(st.integers(0, 50)) for _ in range(2))
    kind = data.draw(st.sampled_from(IN_PLACE))
    passes = [items, flat(FAULTS[kind]([items], i, j))]
    if data.draw(st.booleans()):
        passes.reverse()
    looks = [[p[k : k + size] for k in range(0, len(p), size)] for p in passes]
    in_buffer = data.draw(st.booleans())
    labels, scores = (
        Column([as_columns(p)[k] for p in passes], size, in_buffer=in_buffer)
        for k in (0, 1)
    )
    n_jobs = data.draw(st.sampled_from([None, 2]))
    check(
        [items],
        looks,
        lambda: RankCounts.from_arrays(labels, scores, chunk_size=size, n_jobs=n_jobs),
    )


class Shorter:
    """A column whose slices end before its length does."""

    def __init__(self, values, missing):
        self.values = values
        self.missing = missing

    def __len__(self):
        return len(self.values)

    def __getitem__(self, piece):
        return self.values[: len(self.values) - self.missing][piece]


@given(
    n=st.integers(2, 30),
    missing=st.integers(0, 30),
    size=st.integers(1, 7),
    n_jobs=st.sampled_from([None, 2]),
)
def test_slices_that_end_too_early(n, missing, size, n_jobs):
    y_true, y_score = np.arange(n) % 3 == 0, np.arange(n) % 7 + 0.5
    columns = Shorter(y_true, missing), Shorter(y_score, missing)

    def count():
        return RankCounts.from_arrays(*columns, chunk_size=size, n_jobs=n_jobs)

    found = counted(count)
    if missing:
        assert found is None
    else:
        expected = average_precision_score(y_true, y_score)
        assert found == pytest.approx(expected, rel=1e-12)


# What can be read once only


ONCE = {
    "iterator": iter,
    "generator": lambda chunks: (chunk for chunk in chunks),
    "map": lambda chunks: map(tuple, chunks),
    "zip": lambda chunks: zip(*zip(*chunks, strict=True), strict=True),
    "chain": itertools.chain,
    "islice": lambda chunks: itertools.islice(chunks, 2),
}


@pytest.mark.parametrize("kind", ONCE)
def test_what_can_be_read_once_is_refused_before_it_is_read(kind):
    chunks = [([1, 0], [0.5, 0.25]), ([0, 1], [2.0, 0.5])]
    once = ONCE[kind](chunks)
    with pytest.raises(
        ValueError, match="`chunks` must be gone over twice.*a function that returns"
    ):
        RankCounts.from_chunks(once)
    assert len(list(once)) == 2  # all of it is still there


def test_a_file_reader(tmp_path):
    path = tmp_path / "list.csv"
    path.write_text("1,0.5\n0,0.25\n0,2.0\n1,0.5\n")

    def chunks(rows):
        for label, score in rows:
            yield [int(label)], [float(score)]

    def read():
        with path.open() as file:
            yield from chunks(csv.reader(file))

    expected = average_precision_score([1, 0, 0, 1], [0.5, 0.25, 2.0, 0.5])
    found = average_precision(RankCounts.from_chunks(read), ties="threshold")
    assert found == pytest.approx(expected, rel=1e-12)
    with path.open() as file:
        reader = csv.reader(file)
        with pytest.raises(ValueError, match="gone over twice.*got no chunks"):
            RankCounts.from_chunks(lambda: chunks(reader))


class SameIterator:
    def __init__(self, chunks):
        self.iterator = iter(chunks)

    def __iter__(self):
        return self.iterator

    def __call__(self):
        return self.iterator


@pytest.mark.parametrize("called", [False, True])
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_one_iterator_for_both_passes(called, n_jobs):
    once = SameIterator([([1, 0], [0.5, 0.25]), ([0, 1], [2.0, 0.5])])
    source = once if called else type("", (), {"__iter__": once.__iter__})()
    with pytest.raises(ValueError, match="begins anew.*got no chunks in the second"):
        RankCounts.from_chunks(source, n_jobs=n_jobs)


@pytest.mark.parametrize("made", [None, 3])
def test_a_function_must_return_chunks(made):
    with pytest.raises(ValueError, match=f"gone over twice.*got {type(made).__name__}"):
        RankCounts.from_chunks(lambda: made)


def test_the_second_call_must_return_chunks_too():
    made = iter([[([1, 0], [0.5, 0.25])], None])
    with pytest.raises(ValueError, match="gone over twice.*got NoneType"):
        RankCounts.from_chunks(lambda: next(made))


# Other faults


class NoNumberOfChunks:
    """Some loaders have a length that cannot be asked for."""

    def __init__(self, chunks, error):
        self.chunks, self.error = chunks, error

    def __len__(self):
        raise self.error

    def __iter__(self):
        return iter(self.chunks)


def test_the_number_of_chunks_is_needed_by_nothing():
    chunks = [([1, 0], [0.5, 0.25]), ([0, 1], [2.0, 0.5])]
    expected = average_precision(RankCounts.from_chunks(chunks))
    source = NoNumberOfChunks(chunks, NotImplementedError())
    assert average_precision(RankCounts.from_chunks(source)) == expected


@pytest.mark.parametrize(
    "make",
    [
        list,
        lambda chunks: lambda: iter(chunks),
        lambda chunks: NoNumberOfChunks(chunks, TypeError()),
    ],
    ids=["list", "function", "without length"],
)
def test_progress_is_no_look(make, capsys):
    pytest.importorskip("tqdm")
    chunks = [([1, 0], [0.5, 0.25]), ([0, 1], [2.0, 0.5])]
    expected = average_precision(RankCounts.from_chunks(chunks))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # tqdm without widgets
        counts = RankCounts.from_chunks(make(chunks), progress=True)
    assert average_precision(counts) == expected
    assert "second pass" in capsys.readouterr().err


def test_a_source_whose_looks_are_counted_while_progress_is_shown(capsys):
    pytest.importorskip("tqdm")
    chunks = [[(1, 0.5), (0, 0.25)], [(0, 2.0), (1, 0.5)]]
    source = Sized([chunks, chunks, chunks[:1]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # tqdm without widgets
        RankCounts.from_chunks(source, progress=True, n_jobs=2)
    assert source.n_looks == 2
    assert "2/2" in capsys.readouterr().err


@settings(max_examples=50)
@given(data=st.data())
def test_a_pass_that_breaks_off_can_be_asked_for_again(data):
    """The error of the source is shown, and nothing half-counted stays."""
    chunks = data.draw(chunked())
    columns = [as_columns(chunk) for chunk in chunks]
    fails_at = data.draw(st.integers(0, 2 * len(chunks) - 1))
    read = itertools.count()

    def source():
        for chunk in columns:
            if next(read) == fails_at:
                raise OSError("disk")
            yield chunk

    with pytest.raises(OSError, match="disk"):
        RankCounts.from_chunks(source)
    found = average_precision(RankCounts.from_chunks(source), ties="threshold")
    assert found == pytest.approx(expected_value(chunks), rel=1e-12)


@given(data=st.data())
def test_chunks_of_another_type_in_either_pass(data):
    """Equal numbers of another type are refused, as documented."""
    chunks = [chunk for chunk in data.draw(chunked()) if chunk]
    other = data.draw(st.sampled_from([np.float32, np.longdouble, np.int64]))
    where = data.draw(st.integers(0, 2 * len(chunks) - 1))
    read = itertools.count()

    def source():
        for labels, scores in map(as_columns, chunks):
            yield labels, scores.astype(other if next(read) == where else float)

    with pytest.raises(ValueError, match="same type in all chunks"):
        RankCounts.from_chunks(source)


@given(data=st.data())
def test_changes_far_behind_the_point_are_noticed(data):
    """Long doubles that are exchanged in their last bits only."""
    if np.finfo(np.longdouble).nmant <= np.finfo(float).nmant:
        pytest.skip("no more digits here")
    numbers = st.integers(2, 5).map(np.longdouble)
    plain = np.array(data.draw(st.lists(numbers, min_size=4, max_size=9)))
    far = np.array(data.draw(st.lists(st.booleans(), min_size=4, max_size=4)))
    rest = np.zeros_like(plain)
    rest[:4] = far * np.spacing(np.longdouble(5))
    moved = plain + data.draw(st.permutations(rest))
    first = RankCounts()
    first.update([1, *[0] * (plain.size - 1)], plain + rest)
    counts = first.second_pass()
    with (
        pytest.raises(ValueError, match="`")
        if sorted(moved) != sorted(plain + rest) or moved[0] != (plain + rest)[0]
        else contextlib.nullcontext()
    ):
        counts.update([1, *[0] * (plain.size - 1)], moved)
        average_precision(counts)
