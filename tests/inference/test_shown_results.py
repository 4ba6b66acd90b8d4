"""What all questions and results have in common, as objects.

In notebooks the table has the words of the print, and nothing else runs.
"""

import copy
import dataclasses
import inspect
import json
import pickle
import re
from html import unescape
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_equal
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB

from skrank import (
    MetricInterval,
    RandomSelectionTest,
    RankingComparison,
    Rankings,
    SampledMetricInterval,
    SearchSelectionTest,
    ThresholdChoice,
    average_precision,
)

RNG = np.random.default_rng(0)
Y = np.arange(300) < 40
A, B = RNG.normal(size=(2, 300)) + 1.5 * Y
NAMES = ("<script>a</script>", "b & c")
DRAWS = {"n_resamples": 99, "random_state": 0}
DAY = np.arange(300) % 3
RANK = np.argsort(np.argsort(-A))

# question -> how it is asked
ASKED = {
    "interval": (MetricInterval(**DRAWS), lambda ask: ask.from_predictions(Y, A)),
    "bootstrap": (
        MetricInterval(method="bootstrap", **DRAWS),
        lambda ask: ask.from_predictions(Y, A),
    ),
    "sample": (
        SampledMetricInterval(n_resamples=100),
        lambda ask: ask.from_predictions(
            np.where(RANK % 10 == 0, Y, np.nan), A, strata=RANK >= 100
        ),
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
    # three blanks within a row are a semicolon
    words = re.findall(r"\S+", unescape(found.text).replace(";", " "))
    assert sorted(words) == sorted(re.findall(r"\S+", str(result).replace(";", " ")))
    assert repr(result) == str(result)


@pytest.mark.parametrize("question", ASKED)
def test_a_question_stays_as_it_was_and_its_result_is_frozen_and_travels(question):
    ask, answer = ASKED[question]
    before = repr(ask)
    result, again = answer(ask), answer(ask)
    assert_equal(again.to_dict(), result.to_dict())
    assert repr(ask) == before
    # written as it is made
    names = {type(ask).__name__: type(ask), "nan": np.nan}
    assert_equal(vars(eval(before, names)), vars(ask))
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(result, dataclasses.fields(result)[0].name, None)
    for name in ("null_maxima", "pvalues", "adjusted_pvalues", "zscores", "values"):
        if isinstance(getattr(result, name, None), np.ndarray):
            with pytest.raises(ValueError, match="read-only"):
                getattr(result, name)[0] = 0.0
    pickled = pickle.dumps(result)
    assert_equal(pickle.loads(pickled).to_dict(), result.to_dict())
    assert len(pickled) < 30_000  # the ends of the ranking, not what was computed


QUESTIONS = {
    "test": RandomSelectionTest(**DRAWS),
    "interval": MetricInterval(**DRAWS),
    "comparison": RankingComparison(**DRAWS),
    "search": SearchSelectionTest(**DRAWS),
    "depth": ThresholdChoice(t=5, **DRAWS),
    "profit": ThresholdChoice(benefit=5, cost=1, **DRAWS),
}
SAMPLE = SampledMetricInterval("recall@50", random_state=3)
PAIR = np.arange(300) // 2
BOTH = {"one": GaussianNB(), "other": GaussianNB(var_smoothing=1.0)}
FITTED = {name: model.fit(np.c_[A, B], Y) for name, model in BOTH.items()}
DATA = {
    "items": {},
    "groups": {"groups": DAY},
    "folds": {"folds": DAY},
    "groups in folds": {"groups": DAY % 2, "folds": PAIR % 3},
    "clusters": {"clusters": PAIR},
    "strata": {"strata": DAY},
    "strata and groups": {"strata": PAIR % 2, "groups": DAY},
    "strata and clusters": {"strata": PAIR % 2, "clusters": PAIR},
    "clusters over groups": {"clusters": PAIR // 50, "groups": DAY},
    "weights": {"sample_weight": 1 + DAY},
    "missed": {"n_missed": 2},
    "unlisted": {"n_missed": 2, "n_unlisted": 50},
    "unlisted by group": {
        "groups": DAY,
        "n_missed": {0: 1},
        "n_unlisted": {0: 3, 1: 2, 7: 4},
    },
    "estimators": {"estimator": FITTED},
    "cross-validation": {"estimator": BOTH, "cv": 3},
    "cross-validation of groups": {"estimator": BOTH, "cv": 3, "groups": DAY % 6},
}


# which questions use a column, if not all do
ANSWERED = {
    "clusters": {"test", "interval", "comparison"},
    "clusters over groups": {"interval", "comparison"},
    "strata": {"test"},
    "strata and groups": {"test"},
    "strata and clusters": {"test"},
    "weights": {"interval"},
    "missed": {"test"},
}


def rankings_of(kind):
    given = dict(DATA[kind])
    if "estimator" not in given:
        return Rankings.from_predictions(Y, {"one": A, "other": B}, **given)
    make = Rankings.from_cv if "cv" in given else Rankings.from_estimator
    return make(given.pop("estimator"), np.c_[A, B], Y, **given)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", DATA)
@pytest.mark.parametrize("question", QUESTIONS)
def test_results_of_all_data_are_printed_copied_and_tables(question, kind):
    ask, rankings = QUESTIONS[question], rankings_of(kind)
    if question not in ("comparison", "search"):
        rankings = rankings.only("one")
    if question not in ANSWERED.get(kind, QUESTIONS):
        with pytest.raises(ValueError, match="^`[a-z_]+` must "):
            ask.from_rankings(rankings)
        return
    result = ask.from_rankings(rankings)
    fields = result.to_dict()
    assert json.dumps({name: [value] for name, value in fields.items()})
    frame = result.to_frame()
    assert isinstance(frame, pd.DataFrame)
    rows = {"search": 2, "depth": 1, "profit": 1}.get(question, result.n_rankings)
    assert len(frame) == rows
    for other in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
        assert_equal(other.to_dict(), fields)
        pd.testing.assert_frame_equal(other.to_frame(), frame)
        assert str(other) == repr(other) == str(result)
        assert other._repr_html_() == result._repr_html_()


@pytest.mark.parametrize("ask", [*QUESTIONS.values(), SAMPLE])
def test_scikit_learn_copies_questions(ask):
    copied = clone(ask)
    assert type(copied) is type(ask)
    assert copied is not ask
    assert copied.get_params() == ask.get_params() == vars(ask)
    assert repr(copied) == repr(ask)
    assert copied.set_params(n_resamples=200, random_state=7) is copied
    settings = {**ask.get_params(), "n_resamples": 200, "random_state": 7}
    assert vars(copied) == vars(type(ask)(**settings))
    before = repr(copied)
    for wrong in ({"n_resample": 9}, {"n_resamples": 0, "random_state": 8}):
        with pytest.raises(ValueError, match="`set_params`|`n_resamples`"):
            copied.set_params(**wrong)
        assert repr(copied) == before
    made = inspect.signature(type(ask)).parameters
    assert list(made) == list(ask.get_params())
    order = [repr(ask).index(f"{name}=") for name in made]
    assert order == sorted(order)


def test_values_of_groups_that_are_tested_together():
    result = RandomSelectionTest(**DRAWS).from_predictions(
        Y, A, groups=DAY, strata=PAIR % 2
    )
    frame = result.to_frame()
    alone = [
        average_precision(Y[i], A[i])
        for i in (np.flatnonzero(j == DAY) for j in (0, 1, 2))
    ]
    assert list(frame["ranking"]) == [0, 1, 2]
    assert list(frame["value"]) == pytest.approx(alone)
    assert frame["value"].mean() == pytest.approx(result.value)


@pytest.mark.parametrize("ask", [*QUESTIONS.values(), SAMPLE])
def test_errors_of_python_name_no_class_that_nobody_knows(ask):
    for name in dir(ask):
        if name.startswith("from_"):
            with pytest.raises(
                TypeError, match=rf"^({type(ask).__name__}\.)?{name}\(\)"
            ):
                getattr(ask, name)(wrong=True)


def test_results_of_other_scores_are_not_equal():
    """They agree in metric, method and sizes, and differ in what was found."""
    one, other = (MetricInterval().from_predictions(Y, score) for score in (A, B))
    assert one.value != other.value
    assert one != other
    assert len({one, other}) == 2
    compare = RankingComparison(n_resamples=9).from_predictions
    assert len({compare(Y, {"A": a, "B": b}) for a, b in ((A, B), (B, A))}) == 2


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ASKED)
def test_results_are_pages_and_latex(name, tmp_path):
    question, ask = ASKED[name]
    result = ask(question)
    title, *rows = str(result).splitlines()
    page = result.to_html()
    assert page.startswith("<!DOCTYPE html>")
    words = unescape(re.sub(r"<[^>]+>", " ", page)).replace(";", " ")
    for row in [title, *rows]:
        assert " ".join(row.replace(";", " ").split()) in " ".join(words.split())
    latex = result.to_latex()
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") == 1
    body = latex.split(r"\toprule")[1].split(r"\bottomrule")[0]
    columns = re.search(r"\\begin{tabular}{(\w+)}", latex)[1]
    for row in body.replace("\\midrule\n", "").strip().splitlines():
        assert len(re.findall(r"(?<!\\)&", row)) == len(columns) - 1
    assert result.to_latex(tmp_path / "t.tex") is None
    assert (tmp_path / "t.tex").read_text("utf-8") == latex
    assert result.to_html(tmp_path / "t.html") is None
    assert (tmp_path / "t.html").read_text("utf-8") == page
