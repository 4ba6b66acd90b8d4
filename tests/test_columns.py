"""Columns of items at the public entrances: the value of plain arrays, or an error.

Each entrance gets each of its columns in each form. A form that holds the same values
must give the same answer, and any other must be a ValueError that names the parameter.
The judge is the entrance itself, asked of plain arrays.
"""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from skrank import (
    MetricInterval,
    RandomSelectionTest,
    RankCounts,
    Ranking,
    RankingComparison,
    RankingEvaluation,
    RankingMonitor,
    ThresholdChoice,
    average_precision,
    expected_profit,
    hit_curve,
    operating_points,
    ranking_report,
)

N = 60
RNG = np.random.default_rng(0)
Y = (RNG.random(N) < 0.3).astype(int)
DATA = {
    "y_true": Y,
    "y_score": RNG.normal(Y),
    "groups": np.arange(N) % 4,
    "clusters": np.arange(N) % 20,
    "strata": np.arange(N) % 3,
    "folds": np.arange(N) % 5,
    "sample_weight": RNG.integers(1, 4, N) / 2,
    "benefit": RNG.integers(1, 50, N).astype(float),
}
FEW = {"n_resamples": 99, "random_state": 0}


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
    monitor = RankingMonitor("recall@5", against=0.3)
    return monitor.from_predictions(y_true, y_score, groups=groups).to_dict()


def profit(y_true, y_score, **others):
    return expected_profit(y_true, y_score, cost=3, t=5, **others)


def chance(y_true, y_score, **others):
    test = RandomSelectionTest(n_resamples=99)
    return test.from_predictions(y_true, y_score, **others).to_dict()


def interval(y_true, y_score, **others):
    return MetricInterval(**FEW).from_predictions(y_true, y_score, **others).to_dict()


def reported(y_true, y_score, **others):
    report = ranking_report(y_true, y_score, t=5, pvalue=False, **others)
    return report.to_frame().drop(columns="name").to_dict()  # that of the column


def curve(y_true, y_score, **others):
    return hit_curve(y_true, y_score, **others).hits.tolist()


def points(y_true, y_score, **others):
    return operating_points(y_true, y_score, **others).recall.tolist()


# (entrance, columns beside labels and scores)
ENTRANCES = [
    (average_precision, ["sample_weight"]),
    (average_precision, ["groups"]),
    (ranked, ["sample_weight"]),
    (curve, ["sample_weight"]),
    (points, ["sample_weight"]),
    (profit, ["benefit"]),
    (profit, ["benefit", "groups"]),
    (chosen, ["benefit", "groups"]),
    (chance, ["groups"]),
    (chance, ["clusters"]),
    (chance, ["strata"]),
    (interval, ["folds"]),
    (interval, ["sample_weight"]),
    (interval, ["groups", "clusters"]),
    (compared, ["clusters"]),
    (compared, ["folds"]),
    (reported, ["groups"]),
    (reported, ["clusters"]),
    (monitored, ["groups"]),
    (evaluated, []),
    (counted, []),
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
}


def asked(entrance, given):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return entrance(**given)


CASES = [
    (entrance, name, others)
    for entrance, others in ENTRANCES
    for name in ("y_true", "y_score", *others)
]
cases = pytest.mark.parametrize(
    ("entrance", "name", "others"),
    CASES,
    ids=[f"{one.__name__}-{'+'.join(more)}-{name}" for one, name, more in CASES],
)


@cases
def test_columns_of_the_same_values(entrance, name, others):
    given = {one: DATA[one] for one in ("y_true", "y_score", *others)}
    plain = str(asked(entrance, given))
    for form, change in SAME.items():
        found = asked(entrance, given | {name: change(DATA[name])})
        assert str(found) == plain, form


@cases
def test_columns_of_other_values(entrance, name, others):
    given = {one: DATA[one] for one in ("y_true", "y_score", *others)}
    for form, change in OTHER.items():
        if form == "three columns" and name == "y_score" and entrance is reported:
            continue  # the scores of three models
        with pytest.raises(ValueError, match=rf"`(y_true|{name}|rankings)`"):
            print(form, asked(entrance, given | {name: change(DATA[name])}))


@cases
def test_columns_of_pandas_go_by_the_index_or_are_refused(entrance, name, others):
    columns = ("y_true", "y_score", *others)
    given = {one: pd.Series(DATA[one]) for one in columns}
    plain = str(asked(entrance, {one: DATA[one] for one in columns}))
    assert str(asked(entrance, given)) == plain
    for series in (given[name].iloc[ORDER], given[name].set_axis(range(1, N + 1))):
        with pytest.raises(ValueError, match="must have the index of `y_true`"):
            asked(entrance, given | {name: series})
