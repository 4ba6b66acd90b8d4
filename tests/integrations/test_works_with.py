"""The code of the page "Works with", for packages that install in seconds."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score, train_test_split

from skrank import (
    RandomSelectionTest,
    average_precision,
    make_average_precision_scorer,
    make_metric,
)

# warnings of other packages are theirs
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="module")
def data():
    X, y = make_classification(
        4000, weights=[0.97], class_sep=0.6, flip_y=0, random_state=1
    )
    return train_test_split(X, y, stratify=y, random_state=0)


@pytest.mark.parametrize("metric", [average_precision, make_metric("recall@20")])
def test_xgboost_stops_at_the_best(data, metric):
    xgboost = pytest.importorskip("xgboost")
    X_train, X_val, y_train, y_val = data
    stop = xgboost.callback.EarlyStopping(
        rounds=20, metric_name=metric.__name__, maximize=True
    )
    model = xgboost.XGBClassifier(
        n_estimators=200, max_depth=3, eval_metric=metric, callbacks=[stop], n_jobs=1
    )
    model.fit(X_train, y_train, eval_set=[(X_val, y_val)], verbose=False)
    history = model.evals_result()["validation_0"][metric.__name__]
    assert model.best_iteration == np.argmax(history) > 0
    scores = model.predict_proba(X_val)[:, 1]
    assert model.best_score == pytest.approx(metric(y_val, scores), abs=1e-4)
    assert RandomSelectionTest().from_estimator(model, X_val, y_val).pvalue < 1e-10


def test_lightgbm_stops_at_the_best(data):
    lightgbm = pytest.importorskip("lightgbm")
    X_train, X_val, y_train, y_val = data

    def evaluate(y_true, y_score):
        return "average_precision", average_precision(y_true, y_score), True

    model = lightgbm.LGBMClassifier(
        n_estimators=200, num_leaves=7, metric="None", verbose=-1, n_jobs=1
    )
    model.fit(
        X_train,
        y_train,
        eval_set=[(X_val, y_val)],
        eval_metric=evaluate,
        callbacks=[lightgbm.early_stopping(20, verbose=False)],
    )
    history = model.evals_result_["valid_0"]["average_precision"]
    assert model.best_iteration_ == 1 + np.argmax(history) > 1
    assert RandomSelectionTest().from_estimator(model, X_val, y_val).pvalue < 1e-10


def test_pipelines_of_imbalanced_learn(data):
    pipeline = pytest.importorskip("imblearn.pipeline")
    sampling = pytest.importorskip("imblearn.under_sampling")
    X_train, X_val, y_train, y_val = data
    sampler = sampling.RandomUnderSampler(random_state=0)
    model = pipeline.make_pipeline(sampler, LogisticRegression())
    scorer = make_average_precision_scorer()
    assert cross_val_score(model, X_train, y_train, scoring=scorer).min() > 0.3
    test = RandomSelectionTest()
    result = test.from_estimator(model.fit(X_train, y_train), X_val, y_val)
    assert result.n_samples == X_val.shape[0]
    assert result.pvalue < 1e-10


def test_a_study_of_optuna(data):
    optuna = pytest.importorskip("optuna")
    X_train, _, y_train, _ = data

    def objective(trial):
        model = LogisticRegression(C=trial.suggest_float("C", 1e-4, 10, log=True))
        scorer = make_average_precision_scorer()
        return cross_val_score(model, X_train, y_train, scoring=scorer).mean()

    sampler = optuna.samplers.RandomSampler(seed=0)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.optimize(objective, n_trials=4)
    assert study.best_value == max(trial.value for trial in study.trials)
