"""The refit rule `within_noise`, against the corrected t test written out."""

import pickle

import numpy as np
import pytest
from scipy.stats import t as student
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.neighbors import KNeighborsClassifier

from skrank import make_average_precision_scorer, within_noise


def results_of(scores, params, metric="score"):
    scores = np.asarray(scores, dtype=float)
    columns = {f"split{i}_test_{metric}": one for i, one in enumerate(scores.T)}
    return {"params": params, f"mean_test_{metric}": scores.mean(axis=1), **columns}


def as_good(scores, best, level, ratio, repeats=1):
    """Candidates that are not significantly worse, one by one.

    The means over repetitions have .8 of the variance of one, and more of few.
    """
    found = []
    for i, row in enumerate(scores):
        d = np.reshape(scores[best] - row, (repeats, -1))
        n_folds = d.shape[1]
        variance = d.var(axis=1, ddof=1).mean() * (0.8 + 0.2 / repeats)
        error = np.sqrt((1 / n_folds + ratio) * variance)
        freedom = repeats * (n_folds - 1)
        pvalue = student.sf(d.mean() / error, freedom) if error else 1.0
        if pvalue > level or not d.any():
            found.append(i)
    return found


@pytest.mark.parametrize("level", [0.01, 0.05, 0.3])
@pytest.mark.parametrize(
    ("ratio", "repeats"), [(None, 1), (0.1, 1), (0.5, 2), (1.0, 3)]
)
def test_against_the_test_written_out(level, ratio, repeats):
    rng = np.random.default_rng(0)
    sizes = set()
    for _ in range(30):
        scores = rng.normal(size=(8, 1)) * 0.1 + rng.normal(size=(8, 6)) * 0.15
        params = [{"C": c} for c in rng.permutation(8)]
        rule = within_noise("C", significance_level=level, ratio=ratio)
        best = int(scores.mean(axis=1).argmax())
        kept = as_good(scores, best, level, ratio or 1 / 5, repeats)
        sizes.add(len(kept))
        expected = min(kept, key=lambda i, given=params: given[i]["C"])
        assert rule(results_of(scores, params)) == expected
    assert len(sizes) > 1


def test_ways_to_say_what_is_simple():
    scores = [[0.5, 0.6, 0.5], [0.51, 0.59, 0.5], [0.5, 0.6, 0.51], [0.1, 0.1, 0.2]]
    params = [{"k": k, "w": w} for k, w in ((3, 1), (9, 2), (5, 1), (99, 0))]
    found = results_of(scores, params)
    assert within_noise("k")(found) == 0
    assert within_noise("-k")(found) == 1
    assert within_noise(lambda one: one["k"] - 5 * one["w"])(found) == 0
    # of equally simple ones the better
    assert within_noise("w")(found) == 2


def test_no_limit_is_larger_than_all_numbers():
    alike = results_of([[0.5, 0.5]] * 3, [{"depth": d} for d in (None, 4, 2)])
    assert within_noise("depth")(alike) == 2
    assert within_noise("-depth")(alike) == 0


def test_a_search():
    X, y = load_breast_cancer(return_X_y=True)
    grid = {"n_neighbors": [1, 3, 5, 9, 15, 25, 45, 75]}
    scorer = make_average_precision_scorer()
    settings = {"scoring": scorer, "refit": within_noise("-n_neighbors")}
    search = GridSearchCV(KNeighborsClassifier(), grid, **settings)
    search = pickle.loads(pickle.dumps(clone(search))).fit(X[:, :5], y)
    scores = np.stack(
        [search.cv_results_[f"split{i}_test_score"] for i in range(5)], axis=1
    )
    kept = as_good(scores, scores.mean(axis=1).argmax(), 0.05, 1 / 4)
    assert search.best_index_ == max(kept)
    assert search.best_params_ == {"n_neighbors": grid["n_neighbors"][max(kept)]}
    assert search.predict(X[:5, :5]).shape == (5,)
    several = RandomizedSearchCV(
        KNeighborsClassifier(),
        grid,
        n_iter=8,
        random_state=0,
        scoring={"AP": scorer, "accuracy": "accuracy"},
        refit=within_noise("-n_neighbors", scorer="AP"),
    ).fit(X[:, :5], y)
    assert several.best_params_ == search.best_params_


def test_candidates_that_failed_are_left_out():
    scores = [[np.nan, 0.9], [0.5, 0.6], [0.5, 0.5]]
    rule = within_noise("C")
    assert rule(results_of(scores, [{"C": c} for c in (0, 2, 1)])) == 2
    with pytest.raises(
        ValueError, match="`cv_results` must contain finite scores; got no"
    ):
        rule(results_of(np.full((2, 3), np.nan), [{"C": 1}, {"C": 2}]))


def test_refusals():
    found = results_of([[0.5, 0.6], [0.4, 0.5]], [{"C": 1}, {"C": 2}])
    with pytest.raises(
        ValueError, match="`complexity` must be the name of a parameter"
    ):
        within_noise(3)
    message = "parameter of all candidates.*; got 'gamma' where candidate 0 has C. A fu"
    with pytest.raises(ValueError, match=message):
        within_noise("gamma")(found)
    del found["params"][1]["C"]
    with pytest.raises(ValueError, match="got 'C' where candidate 1 has"):
        within_noise("-C")(found)
    both = found | results_of([[0.5, 0.6], [0.4, 0.5]], found["params"], "my_score")
    message = (
        "`scorer` must be a scorer of the search, score, my_score, of .*; got 'AP'"
    )
    with pytest.raises(ValueError, match=message):
        within_noise("C", scorer="AP")(both)
    for value in ("sqrt", (10, 10), ["l1"]):
        alike = results_of([[0.5, 0.5]] * 2, [{"C": 1}, {"C": value}])
        with pytest.raises(
            ValueError, match="a parameter of numbers; got .* candidate 1"
        ):
            within_noise("C")(alike)
    with pytest.raises(ValueError, match="`significance_level` must be a number betwe"):
        within_noise("C", significance_level=5)
    with pytest.raises(ValueError, match="`ratio` must be a finite number above 0"):
        within_noise("C", ratio=0)
