"""What users name or give is shown in one short line, and no two alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skrank import average_precision
from skrank._utils._table import align
from skrank._utils._text import as_text, brief, listed


@given(st.lists(st.text(), min_size=2, max_size=2, unique=True))
def test_names_print_alike_only_if_they_are(names):
    shown = [as_text(name, reserved=("all",)) for name in names]
    assert shown[0] != shown[1]
    for text in shown:
        assert text.isprintable()
        assert text not in ("", "all")


def test_what_is_no_text_is_printed_on_one_line():
    class Name:
        def __str__(self):
            return "two\n  lines"

    assert as_text(Name()) == "two lines"
    assert as_text(3.0) == "3.0"


def test_an_error_shows_what_was_got_in_short():
    assert brief("a\n\x1b") == r"'a\n\x1b'"
    assert len(brief("x" * 10**6)) < 120
    with pytest.raises(ValueError, match="got int with a number of too many digits"):
        average_precision([0, 1], [0.1, 0.2], pos_label=10**5000)


def test_long_rows_of_names_say_how_many_are_left_out():
    assert listed(["a", "b"], 5) == "a, b"
    assert listed(["a", "b", "c"], 2) == "a, b and 1 more"
    assert listed(["x" * 49] * 9, 8).endswith(" and 5 more")


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
