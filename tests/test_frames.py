"""Results as data frames of other libraries: the judge is the frame of pandas."""

import sys

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

from skrank import (
    MetricInterval,
    RandomSelectionTest,
    RankingComparison,
    SearchSelectionTest,
    hit_curve,
    hit_curve_band,
    operating_points,
    ranking_report,
)

pytestmark = pytest.mark.contract

pd = pytest.importorskip("pandas")
RNG = np.random.default_rng(0)
Y = np.arange(60) % 3 == 0
A, B = RNG.normal(2.0 * Y), RNG.normal(1.0 * Y)
GROUPS = np.where(np.arange(60) < 30, "first", "second")


def searched():
    """Search of two candidates."""
    X = np.column_stack([A, B])
    search = GridSearchCV(
        LogisticRegression(), {"C": [0.1, 1.0]}, scoring="average_precision", cv=3
    )
    return SearchSelectionTest(n_resamples=9, random_state=0).from_search(
        search.fit(X, Y), X, Y
    )


RESULTS = {
    "curve": lambda: hit_curve(Y, A),
    "points": lambda: operating_points(Y, A),
    "band": lambda: hit_curve_band(Y, A, t=[5, 20], random_state=0),
    "interval": lambda: MetricInterval().from_predictions(Y, A),
    "test": lambda: RandomSelectionTest().from_predictions(Y, A),
    "tests": lambda: RandomSelectionTest().from_predictions(Y, A, groups=GROUPS),
    "comparison": lambda: RankingComparison(method="paired_t").from_predictions(
        Y, A, B, groups=GROUPS
    ),
    "comparisons": lambda: RankingComparison().compare_all(
        Y, {"a": A, "b": B, "c": -A}
    ),
    "search": searched,
    "report": lambda: ranking_report(Y, {"a": A, "b": B}, random_state=0),
}


@pytest.mark.parametrize("result", RESULTS)
def test_frames_have_the_columns_of_the_result(result):
    frame = RESULTS[result]().to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert len(frame)
    assert frame.columns.is_unique


def test_frames_need_pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="`to_frame` needs pandas, which is not"):
        hit_curve(Y, A).to_frame()
