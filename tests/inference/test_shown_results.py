"""Results in notebooks: the table has the words of the print, and nothing else runs."""

import re
from html import unescape
from html.parser import HTMLParser

import numpy as np
import pytest

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


@pytest.mark.parametrize(
    "result",
    [
        MetricInterval().from_predictions(Y, A),
        RandomSelectionTest().from_predictions(Y, A),
        RandomSelectionTest().from_predictions(Y, A, groups=np.arange(300) % 3),
        RankingComparison().from_predictions(Y, A, B, names=NAMES),
        RankingComparison().compare_all(Y, dict(zip(NAMES, (A, B), strict=True))),
        SearchSelectionTest(n_resamples=99, random_state=0).from_predictions(
            Y, np.column_stack([A, B])
        ),
    ],
    ids=[*"ABCDEF"],
)
def test_notebooks_show_the_words_of_the_print(result):
    html = result._repr_html_()
    found = Tags(html)
    assert not found.open
    assert found.tags <= {"table", "caption", "tr", "th", "td"}
    words = re.findall(r"\S+", unescape(found.text))
    assert sorted(words) == sorted(re.findall(r"\S+", str(result)))
    assert repr(result) == str(result)
