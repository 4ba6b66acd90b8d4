"""Scores on a device: the answers of NumPy, and what is on the device stays there."""

import sys

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import skrank
from cases import METRICS, metric_function
from skrank import MetricInterval, RandomSelectionTest, Ranking, make_metric_scorer

xp = pytest.importorskip("array_api_strict", minversion="2.2")
if np.lib.NumpyVersion(np.__version__) < "2.0.0":
    reason = "array-api-strict reads arrays by a setting that NumPy 2 has"
    pytest.skip(reason, allow_module_level=True)
RNG = np.random.default_rng(0)
N = 500
Y = RNG.random(N) < 0.1
NORMAL = RNG.normal(size=N) + Y
SCORES = {
    "untied": NORMAL,
    "ties": np.round(NORMAL, 1),
    "single precision": NORMAL.astype(np.float32),
    "integers": np.round(4 * NORMAL).astype(np.int64),
    "small integers": np.round(4 * NORMAL).astype(np.int8),
    "zeros of both signs": np.where(NORMAL > 1, NORMAL, NORMAL * 0),
}
# one whose arrays NumPy cannot read
DEVICE = xp.Device("device1")


def answer(ask, y_true, y_score):
    """Return what is answered, or why nothing is."""
    try:
        return ask(y_true, y_score)
    except ValueError as error:
        return str(error)


@pytest.mark.parametrize("scores", SCORES)
def test_answers_are_those_of_numpy(scores):
    y_score = SCORES[scores]
    there = xp.asarray(y_score, device=DEVICE)
    with pytest.raises(RuntimeError):
        np.asarray(there)
    asked = [metric_function(metric) for metric in METRICS]
    asked += [
        lambda y, s: skrank.precision_at_t(y, s, t=40, ties="threshold"),
        lambda y, s: skrank.hit_curve(y, s).hits.tolist(),
        lambda y, s: skrank.operating_points(y, s).score.tolist(),
        lambda y, s: RandomSelectionTest().from_predictions(y, s).log10_pvalue,
        lambda y, s: repr(MetricInterval().from_predictions(y, s)),
        lambda y, s: repr(MetricInterval("recall@9").from_predictions(y, s)),
        lambda y, s: repr(
            MetricInterval("recall@9", ties="threshold", method="jackknife")
            .from_predictions(y, s)
            .confidence_interval
        ),
        lambda y, s: repr(Ranking.from_predictions(y, s, n_missed=2)),
        lambda y, s: Ranking.from_predictions(y, s).group_end(33),
    ]
    for ask in asked:
        expected = answer(ask, Y, y_score)
        assert answer(ask, Y, there) == expected
        assert answer(ask, xp.asarray(Y, device=DEVICE), there) == expected


def test_labels_of_any_kind():
    there = xp.asarray(NORMAL, device=DEVICE)
    expected = skrank.average_precision(Y, NORMAL)
    signs = xp.asarray(np.where(Y, 1, -1), device=DEVICE)
    assert skrank.average_precision(signs, there) == expected
    texts = np.where(Y, "hit", "no")
    assert skrank.average_precision(texts, there, pos_label="hit") == expected


def test_scorers_take_what_estimators_give():
    """As scikit-learn's scorers do where array API dispatch is enabled."""
    X = RNG.normal(size=(N, 3)) + Y[:, None]
    expected = make_metric_scorer("recall@50")(
        LinearDiscriminantAnalysis().fit(X, Y), X, Y
    )

    class Discriminant(LinearDiscriminantAnalysis):
        """Gives its decisions on the device."""

        def decision_function(self, X):
            return xp.asarray(super().decision_function(X), device=DEVICE)

    class Likely(Discriminant):
        """Gives its probabilities on the device, and has no other response."""

        decision_function = property()

        def predict_proba(self, X):
            share = LinearDiscriminantAnalysis.predict_proba(self.of, X)
            return xp.asarray(share, device=DEVICE)

    assert make_metric_scorer("recall@50")(Discriminant().fit(X, Y), X, Y) == expected
    scorer = make_metric_scorer("recall@50", pos_label=False)
    plain = scorer(LinearDiscriminantAnalysis().fit(X, Y), X, Y)
    assert scorer(Discriminant().fit(X, Y), X, Y) == plain
    likely = Likely().fit(X, Y)
    likely.of = LinearDiscriminantAnalysis().fit(X, Y)
    assert make_metric_scorer("recall@50")(likely, X, Y) == expected


@pytest.mark.parametrize(
    ("y_score", "settings", "message"),
    [
        (np.append(NORMAL[1:], np.nan), {}, "`y_score` must be finite"),
        (NORMAL[:, None], {}, "`y_score` must be one-dimensional; got shape"),
        (NORMAL[1:], {}, "`y_score` must have as many items as `y_true`"),
        (Y, {}, "`y_score` must hold real numbers that rank; got .*bool"),
        (Y.astype(np.int64), {}, "`y_score` must rank the items.*hard labels"),
        (2 * Y.astype(np.int64) - 1, {}, "`y_score` must rank the items.*hard labels"),
        (NORMAL, {"sample_weight": np.ones(N)}, "`sample_weight` must be left out"),
    ],
)
def test_bad_scores_are_refused(y_score, settings, message):
    there = xp.asarray(y_score, device=DEVICE)
    with pytest.raises(ValueError, match=message):
        skrank.average_precision(Y, there, **settings)


def test_what_is_needed_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "array_api_compat", None)
    with pytest.raises(ImportError, match="need array-api-compat: pip install skrank"):
        skrank.average_precision(Y, xp.asarray(NORMAL, device=DEVICE))


def test_torch():
    """Tensors of the host, which NumPy reads."""
    torch = pytest.importorskip("torch")
    for y_score in (NORMAL, NORMAL.astype(np.float32), np.round(4 * NORMAL)):
        tensor, labels = torch.asarray(y_score), torch.asarray(Y)
        for metric in METRICS:
            function = metric_function(metric)
            assert function(labels, tensor) == function(Y, y_score)
