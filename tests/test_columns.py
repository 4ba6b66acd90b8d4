"""Columns of items at the public entrances: the value of plain arrays, or an error.

Each entrance gets each of its columns in each form. A form that holds the same values
must give the same answer, and any other must be a ValueError that names the parameter.
The judge is the entrance itself, asked of plain arrays.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression

from skrank import (
    HitCurveDisplay,
    MetricInterval,
    NullDistributionDisplay,
    PrecisionRecallDisplay,
    RandomSelectionTest,
    RankCounts,
    Ranking,
    RankingComparison,
    RankingEvaluation,
    RankingMonitor,
    RankingReport,
    SampledMetricInterval,
    ThresholdChoice,
    average_precision,
    expected_profit,
    hit_curve,
    labels_to_collect,
    make_average_precision_scorer,
    operating_points,
)
from skrank._utils._columns import factorize

N = 60
RNG = np.random.default_rng(0)
Y = (RNG.random(N) < 0.3).astype(int)
DATA = {
    "y_true": Y,
    "y_score": RNG.normal(Y),
    "groups": np.arange(N) % 4,
    "clusters": np.arange(N) % 20,
    "folds": np.arange(N) % 5,
    "sample_weight": RNG.integers(1, 4, N) / 2,
    "benefit": RNG.integers(1, 50, N).astype(float),
}
DATA["strata"] = np.argsort(np.argsort(-DATA["y_score"])) // 20
FEW = {"n_resamples": 100, "random_state": 0}
X = np.column_stack([DATA["y_score"], RNG.normal(size=N)])
MODEL = LogisticRegression().fit(X, Y)


def evaluated(y_true, y_score):
    return RankingEvaluation().add(y_true, y_score).to_dict()


def counted(y_true, y_score):
    return average_precision(RankCounts.from_chunks([(y_true, y_score)]))


def ranked(y_true, y_score, **others):
    return average_precision(Ranking.from_predictions(y_true, y_score, **others))


def compared(y_true, y_score, **others):
    scores = {"a": y_score, "b": np.arange(float(N))}
    test = RankingComparison(**FEW)
    return test.from_predictions(y_true, scores, **others).to_dict()


def chosen(y_true, y_score, groups, benefit):
    choice = ThresholdChoice(benefit=benefit, cost=5, **FEW)
    return choice.from_predictions(y_true, y_score, groups=groups).to_dict()


def monitored(y_true, y_score, groups):
    monitor = RankingMonitor("recall@5", reference=0.3)
    return monitor.from_predictions(y_true, y_score, groups=groups).to_dict()


def profit(y_true, y_score, **others):
    return expected_profit(y_true, y_score, cost=3, t=5, **others)


def chance(y_true, y_score, **others):
    test = RandomSelectionTest(n_resamples=99)
    return test.from_predictions(y_true, y_score, **others).to_dict()


def interval(y_true, y_score, **others):
    return MetricInterval(**FEW).from_predictions(y_true, y_score, **others).to_dict()


def reported(y_true, y_score, **others):
    asked = RankingReport(t=5, pvalue=False)
    report = asked.from_predictions(y_true, y_score, **others)
    return report.to_frame().drop(columns="name").to_dict()  # that of the column


def curve(y_true, y_score, **others):
    return hit_curve(y_true, y_score, **others).hits.tolist()


def points(y_true, y_score, **others):
    return operating_points(y_true, y_score, **others).recall.tolist()


def displayed(y_true, y_score, **others):
    display = HitCurveDisplay.from_predictions(y_true, y_score, **others)
    return lines_of(display)


def lines_of(display):
    lines = [np.asarray(one.get_xydata()).tolist() for one in display.ax_.lines]
    plt.close(display.figure_)
    return lines


def drawn_precision(y_true, y_score):
    return lines_of(PrecisionRecallDisplay.from_predictions(y_true, y_score))


def drawn_null(y_true, y_score):
    return lines_of(NullDistributionDisplay.from_predictions(y_true, y_score))


def sampled(y_true, y_score, strata):
    ask = SampledMetricInterval("recall@5", **FEW)
    return ask.from_predictions(y_true, y_score, strata=strata).to_dict()


def updated(y_true, y_score):
    monitor = RankingMonitor("recall@5", reference=0.3)
    return monitor.update(y_true, y_score, group="monday").to_dict()


def counted_more(y_true, y_score):
    first = RankCounts()
    first.update(y_true, y_score)
    counts = first.second_pass()
    counts.update(y_true, y_score)
    return average_precision(counts)


def counted_in_parts(y_true, y_score):
    return average_precision(
        RankCounts.from_predictions(y_true, y_score, chunk_size=20)
    )


def planned(y_score):
    plan = labels_to_collect(y_score, budget=40)
    return plan.reset_index(drop=True).to_dict()


def scored(y_true, **others):
    return make_average_precision_scorer()(MODEL, X, y_true, **others)


def of_estimator(y_true, **others):
    return MetricInterval(**FEW).from_estimator(MODEL, X, y_true, **others).to_dict()


def of_folds(y_true, **others):
    found = MetricInterval(**FEW).from_cv(MODEL, X, y_true, cv=2, **others)
    return found.to_dict()


# (entrance, its columns)
BOTH = ["y_true", "y_score"]
ENTRANCES = [
    (average_precision, [*BOTH, "sample_weight"]),
    (average_precision, [*BOTH, "groups"]),
    (ranked, [*BOTH, "sample_weight"]),
    (curve, [*BOTH, "sample_weight"]),
    (points, [*BOTH, "sample_weight"]),
    (profit, [*BOTH, "benefit"]),
    (profit, [*BOTH, "benefit", "groups"]),
    (chosen, [*BOTH, "benefit", "groups"]),
    (chance, [*BOTH, "groups"]),
    (chance, [*BOTH, "clusters"]),
    (chance, [*BOTH, "strata"]),
    (interval, [*BOTH, "folds"]),
    (interval, [*BOTH, "sample_weight"]),
    (interval, [*BOTH, "groups", "clusters"]),
    (compared, [*BOTH, "clusters"]),
    (compared, [*BOTH, "folds"]),
    (reported, [*BOTH, "groups"]),
    (reported, [*BOTH, "clusters"]),
    (monitored, [*BOTH, "groups"]),
    (evaluated, [*BOTH]),
    (counted, [*BOTH]),
    (counted_more, [*BOTH]),
    (counted_in_parts, [*BOTH]),
    (updated, [*BOTH]),
    (sampled, [*BOTH, "strata"]),
    (planned, ["y_score"]),
    (displayed, [*BOTH]),
    (displayed, [*BOTH, "groups"]),
    (drawn_precision, [*BOTH]),
    (drawn_null, [*BOTH]),
    (scored, ["y_true", "sample_weight"]),
    (of_estimator, ["y_true", "groups"]),
    (of_folds, ["y_true", "groups"]),
]

ORDER = RNG.permutation(N)
SAME = {
    "list": lambda x: x.tolist(),
    "tuple": lambda x: tuple(x.tolist()),
    "column": lambda x: x[:, None],
    "nested lists": lambda x: x[:, None].tolist(),
    "pandas": pd.Series,
    "frame": lambda x: pd.DataFrame({"x": x}),
    "polars": pl.Series,
    "objects": lambda x: x.astype(object),
    "strided": lambda x: np.repeat(x, 2)[::2],
    "nothing masked": np.ma.array,
}
OTHER = {
    "masked": lambda x: np.ma.array(x, mask=np.arange(N) == 7),
    "rows": lambda x: x[None],
    "three columns": lambda x: np.stack([x, x, x], axis=1),
    "short": lambda x: x[1:],
    "long": lambda x: np.append(x, x[:1]),
    "empty": lambda x: x[:0],
    "generator": lambda x: (one for one in x.tolist()),
    "set": lambda x: set(x.tolist()),
    "ragged": lambda x: [[1, 2], [3], *x.tolist()],
    "missing": lambda x: np.where(np.arange(N) == 7, np.nan, x),
    "None inside": lambda x: [None, *x.tolist()[1:]],
    "NaN inside": lambda x: [np.nan, *x.tolist()[1:]],
    "a text inside": lambda x: ["a", *x.tolist()[1:]],
}


NO_LABEL = ("missing", "None inside", "NaN inside")


def asked(entrance, given):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return entrance(**given)


CASES = [
    (entrance, name, columns) for entrance, columns in ENTRANCES for name in columns
]
cases = pytest.mark.parametrize(
    ("entrance", "name", "columns"),
    CASES,
    ids=[f"{one.__name__}-{'+'.join(all_)}-{name}" for one, name, all_ in CASES],
)


@cases
def test_columns_of_the_same_values(entrance, name, columns):
    given = {one: DATA[one] for one in columns}
    plain = str(asked(entrance, given))
    for form, change in SAME.items():
        if form == "objects" and name == "y_true" and entrance is of_folds:
            continue  # scikit-learn fits no numbers that are objects
        found = asked(entrance, given | {name: change(DATA[name])})
        assert str(found) == plain, form


@cases
def test_columns_of_other_values(entrance, name, columns):
    given = {one: DATA[one] for one in columns}
    for form, change in OTHER.items():
        several = (interval, reported, displayed, drawn_precision, planned, sampled)
        if form == "three columns" and name == "y_score" and entrance in several:
            continue  # the scores of three models
        if (entrance, name) == (sampled, "y_true") and form in NO_LABEL:
            continue
        if form in ("short", "long") and "y_true" not in columns:
            continue
        with pytest.raises(ValueError, match=rf"`(y|y_true|{name}|rankings)`"):
            print(form, str(asked(entrance, given | {name: change(DATA[name])}))[:99])


@cases
def test_columns_of_pandas_go_by_the_index_or_are_refused(entrance, name, columns):
    given = {one: pd.Series(DATA[one]) for one in columns}
    plain = str(asked(entrance, {one: DATA[one] for one in columns}))
    assert str(asked(entrance, given)) == plain
    if len(given) == 1:
        return  # a column alone may have any index
    for series in (given[name].iloc[ORDER], given[name].set_axis(range(1, N + 1))):
        with pytest.raises(ValueError, match="must have the index of `y_true`"):
            asked(entrance, given | {name: series})


TEXTS = {
    "list": list,
    "NumPy": np.array,
    "objects": lambda x: np.array(x, dtype=object),
    "categories": lambda x: pd.Series(x, dtype="category"),
    "unused category": lambda x: pd.Categorical(x, categories=["z", *sorted(set(x))]),
    "pandas": pd.Series,
    "Arrow": lambda x: pd.Series(x, dtype="string[pyarrow]"),
    "polars": pl.Series,
}


@pytest.mark.parametrize("form", TEXTS)
@pytest.mark.parametrize("n_texts", [1, 2, 3, 4, 30])
def test_texts_have_the_numbers_of_their_order(form, n_texts):
    """The judge is Python's list of sorted texts; runs, and items in any order."""
    numbers = np.random.default_rng(n_texts).integers(n_texts, size=N)
    for order in (numbers, np.sort(numbers)):
        items = [f"{7 * number % n_texts} é" for number in order.tolist()]
        distinct, codes = factorize("groups", TEXTS[form](items))
        assert distinct == sorted(set(items))
        assert [distinct[code] for code in codes.tolist()] == items
        assert all(type(one) is str for one in distinct)


@pytest.mark.parametrize("form", ["list", "objects", "categories", "pandas", "Arrow"])
@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
@pytest.mark.parametrize("place", [0, 1, N - 1])
def test_missing_texts_are_refused(form, missing, place):
    items = ["a", "b"] * (N // 2)
    items[place] = missing
    with pytest.raises(ValueError, match=f"1 missing, the first at position {place}"):
        average_precision(TEXTS[form](items), DATA["y_score"], pos_label="a")
    items[place] = 1
    if form in ("list", "objects"):
        with pytest.raises(ValueError, match="none missing; got labels of"):
            average_precision(TEXTS[form](items), DATA["y_score"], pos_label="a")


def test_equal_groups_share_their_result():
    """A group has the result that it has alone."""
    group, y = np.repeat(np.arange(3), 20), np.tile(DATA["y_true"][:20], 3)
    score = np.tile(np.arange(20.0), 3)
    score[40:] = -score[40:]
    parts = RandomSelectionTest().from_predictions(y, score, groups=group).parts
    assert parts[0] is parts[1]
    for part, items in zip(parts, np.split(np.arange(N), 3), strict=True):
        alone = RandomSelectionTest().from_predictions(y[items], score[items])
        assert part.pvalue == alone.pvalue
