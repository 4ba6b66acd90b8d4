"""What all questions and results have in common, as objects.

In notebooks the table has the words of the print, and nothing else runs.
"""

import dataclasses
import pickle
import re
from html import unescape
from html.parser import HTMLParser

import numpy as np
import pytest
from numpy.testing import assert_equal

from skrank import (
    MetricInterval,
    RandomSelectionTest,
    RankingComparison,
    SearchSelectionTest,
)

RNG = np.random.default_rng(0)
Y = np.arange(300) < 40
A, B = RNG.normal(size=(2, 300)) + 1.5 * Y
NAMES = ("<script>a</script>", "b & c")
DRAWS = {"n_resamples": 99, "random_state": 0}
DAY = np.arange(300) % 3

# question -> how it is asked
ASKED = {
    "interval": (MetricInterval(**DRAWS), lambda ask: ask.from_predictions(Y, A)),
    "bootstrap": (
        MetricInterval(method="bootstrap", **DRAWS),
        lambda ask: ask.from_predictions(Y, A),
    ),
    "test": (RandomSelectionTest(), lambda ask: ask.from_predictions(Y, A)),
    "draws": (
        RandomSelectionTest(method="monte_carlo", **DRAWS),
        lambda ask: ask.from_predictions(Y, A),
    ),
    "groups": (
        RandomSelectionTest(),
        lambda ask: ask.from_predictions(Y, A, groups=DAY),
    ),
    "comparison": (
        RankingComparison(**DRAWS),
        lambda ask: ask.from_predictions(Y, dict(zip(NAMES, (A, B), strict=True))),
    ),
    "comparisons": (
        RankingComparison(**DRAWS),
        lambda ask: ask.compare_all(Y, dict(zip(NAMES, (A, B), strict=True))),
    ),
    "search": (
        SearchSelectionTest(**DRAWS),
        lambda ask: ask.from_predictions(Y, np.column_stack([A, B])),
    ),
}


class Tags(HTMLParser):
    """Tags of a piece of HTML, and its text."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.open, self.text = set(), [], ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += f" {data}"


@pytest.mark.parametrize("question", ASKED)
def test_notebooks_show_the_words_of_the_print(question):
    ask, answer = ASKED[question]
    result = answer(ask)
    html = result._repr_html_()
    found = Tags(html)
    assert not found.open
    assert found.tags <= {"table", "caption", "tr", "th", "td"}
    words = re.findall(r"\S+", unescape(found.text))
    assert sorted(words) == sorted(re.findall(r"\S+", str(result)))
    assert repr(result) == str(result)


@pytest.mark.parametrize("question", ASKED)
def test_a_question_stays_as_it_was_and_its_result_is_frozen_and_travels(question):
    ask, answer = ASKED[question]
    before = repr(ask)
    result, again = answer(ask), answer(ask)
    assert_equal(again.to_dict(), result.to_dict())
    assert repr(ask) == before
    # written as it is made
    assert vars(eval(before, {type(ask).__name__: type(ask)})) == vars(ask)
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(result, dataclasses.fields(result)[0].name, None)
    for name in ("null_maxima", "pvalues", "adjusted_pvalues", "zscores", "values"):
        if isinstance(getattr(result, name, None), np.ndarray):
            with pytest.raises(ValueError, match="read-only"):
                getattr(result, name)[0] = 0.0
    pickled = pickle.dumps(result)
    assert_equal(pickle.loads(pickled).to_dict(), result.to_dict())
    assert len(pickled) < 30_000  # the ends of the ranking, not what was computed


def test_results_of_other_scores_are_not_equal():
    """They agree in metric, method and sizes, and differ in what was found."""
    one, other = (MetricInterval().from_predictions(Y, score) for score in (A, B))
    assert one.value != other.value
    assert one != other
    assert len({one, other}) == 2
    compare = RankingComparison(n_resamples=9).from_predictions
    assert len({compare(Y, A, B), compare(Y, B, A)}) == 2
