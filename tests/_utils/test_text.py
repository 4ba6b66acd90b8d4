"""What users name or give is shown in one short line, and no two alike.

The judge is Python's own table of Unicode: what `str.isprintable` says of a letter.
"""

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from skrank import average_precision
from skrank._utils._table import align
from skrank._utils._text import as_text, brief, in_short, listed
from skrank.displays._drawing import plain

CATEGORIES = ["Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs", "L", "M", "N", "P", "S"]
STEERING = [
    "\x1b[2J",
    "\x1b]0;title\x07",
    "a\nb",
    "a\rb",
    "a\tb",
    "\x7f",
    "\x9b31m",
    "\u202eabc",
    "\u2066abc",
    "a\u200bb",
    "\ufeff",
    "\u2028",
    "\ud800",
    "\x00",
    "by chance",
    "'by chance'",
    "",
    " ",
    "A",
    "list",
    "difference",
    "z",
    "p",
    "total",
    "-",
    "\\x1b",
    "<b>",
    "a  b",
]
texts = st.text(st.characters(categories=CATEGORIES), max_size=6)
names = st.one_of(st.sampled_from(STEERING), texts)


# Names


@given(name=names)
def test_names_are_one_line_that_is_seen(name):
    assert as_text(name).isprintable()
    assert as_text(name).strip() == as_text(name) != ""
    assert plain(name).isprintable()


@given(pair=st.lists(names, min_size=2, max_size=2, unique=True))
@example(pair=["a\nb", "a\\nb"])
@example(pair=["a\nb", "'a\\nb'"])
@example(pair=["by chance", "'by chance'"])
@example(pair=["", "''"])
def test_names_that_differ_print_differently(pair):
    one, other = (as_text(name, reserved=["by chance"]) for name in pair)
    assert one != other
    assert "by chance" not in (one, other)


def test_names_in_common_use_are_printed_as_they_are():
    for name in (
        "model a",
        "Größe (µm)",
        "模型",
        "it's",
        'the "best"',
        "C:\\temp",
        "3.5",
    ):
        assert as_text(name) == name


def test_what_is_no_text_is_printed_on_one_line():
    class Name:
        def __str__(self):
            return "two\n  lines"

    assert as_text(Name()) == "two lines"
    assert as_text(3.0) == "3.0"


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (["a" * 60 + "1", "a" * 60 + "2"], True),
        (["a" * 60, "a" * 61], False),  # nothing that is left out tells them apart
    ],
)
def test_long_names_are_shortened_where_they_stay_different(names, shown):
    lines = align([(name, "1") for name in names], n_names=1)
    assert lines[0].split() != lines[1].split()
    assert all(("..." in line) is shown for line in lines)


# Values in errors

LONG = 10**6
HUGE = [
    "x" * LONG,
    "\x1b[2J\n" * LONG,
    b"x" * LONG,
    list(range(LONG)),
    np.zeros(900),
    dict.fromkeys(range(LONG)),
    10**5000,
    [10**5000],
    -(10**300),
    (1,) * LONG,
]


@pytest.mark.parametrize("value", HUGE, ids=range(len(HUGE)))
def test_values_are_short(value):
    assert len(brief(value)) < 120
    assert brief(value).isprintable()


@given(value=st.one_of(names, st.integers(), st.floats(), st.lists(names, max_size=3)))
def test_short_values_are_those_that_python_writes(value):
    assume(len(repr(value)) <= 100)
    assert brief(value) == repr(value)


@given(text=st.text(st.characters(categories=CATEGORIES)), most=st.integers(10, 50))
def test_short_texts(text, most):
    short = in_short(text, most)
    assert short.isprintable()
    assert len(short) <= most + 3
    if text.isprintable() and len(text) <= most:
        assert short == text


@given(texts=st.lists(st.text(max_size=300), max_size=40), most=st.integers(1, 30))
def test_lists_are_short_and_count_the_rest(texts, most):
    said = listed(texts, most)
    assert said.isprintable()
    assert len(said) < 350
    letters = [f"{i}" for i in range(len(texts))]
    shown = ", ".join(letters[:most])
    rest = f" and {len(texts) - most} more" if len(texts) > most else ""
    assert listed(letters, most) == shown + rest


def test_an_int_of_too_many_digits_is_told():
    with pytest.raises(ValueError, match="got int with a number of too many digits"):
        average_precision([0, 1], [0.1, 0.2], pos_label=10**5000)
