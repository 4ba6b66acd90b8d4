"""Numbers that other programs give on their own data; skipped where absent."""

import csv
import gzip
import json

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.metrics import average_precision_score

from skrank import (
    RandomSelectionTest,
    average_precision,
    average_precision_at_k,
    precision_at_t,
    recall_at_t,
)


def read_rows(path):
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt") as lines:
        return list(csv.DictReader(lines))


def test_trec_eval(peer_numbers):
    # pytrec-eval-terrier 0.5.11, which runs trec_eval, at full precision: 37 topics,
    # targets that were never returned, in trec_eval's own order
    lists, n_relevant = {}, {}
    for row in read_rows(peer_numbers / "trec_eval" / "ranked_arrays.csv.gz"):
        key = row["set"], row["topic"]
        lists.setdefault(key, []).append((int(row["rank"]), int(row["relevant"])))
    rows = read_rows(
        peer_numbers / "pytrec_eval" / "full_precision_terrier_0.5.11.csv.gz"
    )
    for row in rows:
        if row["measure"] == "num_rel":
            n_relevant[row["set"], row["topic"]] = int(float(row["value"]))
    checked = 0
    for row in rows:
        key = row["set"], row["topic"]
        if key not in lists or n_relevant[key] == 0:
            continue
        ours = trec_value(row["measure"], lists[key], n_relevant[key])
        if ours is not None:
            assert ours == pytest.approx(float(row["value"]), abs=1e-12), row
            checked += 1
    assert checked > 300


def trec_value(measure, items, n_relevant):
    """Our value of a trec_eval measure, where we have it and the cut is in the list."""
    rank, y_true = np.array(items).T
    settings = {"n_missed": n_relevant - int(y_true.sum())}
    name, _, depth = measure.rpartition("_")
    if measure == "map":
        return average_precision(y_true, -rank, **settings)
    if not depth.isdigit() or int(depth) > rank.size:
        return None
    if name == "map_cut":
        return average_precision_at_k(
            y_true, -rank, k=int(depth), normalize="relevant", **settings
        )
    metric = {"P": precision_at_t, "recall": recall_at_t}.get(name)
    return metric and metric(y_true, -rank, t=int(depth), **settings)


@pytest.mark.parametrize("name", ["P10N10", "pparg_vina", "pparg_surf"])
def test_precrec(peer_numbers, rare_data, name):
    # precrec 0.14.4 (R): true positives and precision at every rank, ties shared out
    folder = peer_numbers / "precrec"
    if name == "P10N10":
        rows = read_rows(folder / "P10N10.csv")
        y_true = np.array([int(row["label"]) for row in rows])
        y_score = np.array([float(row["score"]) for row in rows])
        expected = read_rows(folder / "P10N10_basic.csv")
    else:
        rows = read_rows(rare_data / "pparg_docking_scores.csv.gz")
        y_true = np.array([int(row["active"]) for row in rows])
        y_score = np.array([float(row[name[-4:]]) for row in rows])
        expected = read_rows(folder / f"{name}_basic.csv.gz")
    y_true = (y_true == 1).astype(int)
    for row in expected[1 :: max(1, len(expected) // 150)]:
        t = int(row["rank"])
        recall, precision = float(row["sensitivity"]), float(row["precision"])
        assert recall_at_t(y_true, y_score, t=t) == pytest.approx(recall, abs=1e-12)
        assert precision_at_t(y_true, y_score, t=t) == pytest.approx(
            precision, abs=1e-12
        )


def test_precrec_confusion_with_ties(peer_numbers):
    # stated in its tests: a tie's positives are shared out evenly
    cases = json.loads((peer_numbers / "precrec" / "cases.json").read_text())
    for case in cases["confusion"]:
        y_true, y_score = np.array(case["y"]), np.array(case["score"], dtype=float)
        for t, hits in enumerate(case["tp"][1:], 1):
            assert recall_at_t(y_true, y_score, t=t) == pytest.approx(
                hits / y_true.sum()
            )


def test_lingpipe(peer_numbers):
    # its own unit test, with a positive that is never returned
    case = json.loads((peer_numbers / "lingpipe" / "cases.json").read_text())
    checked = 0
    for row in case["expected"]:
        if row["measure"] == "average_precision":
            value = average_precision(case["y"], case["score"], n_missed=case["misses"])
        elif row["measure"] == "precision_at_k" and 1 <= row["k"] <= 10:
            value = precision_at_t(case["y"], case["score"], t=row["k"], n_missed=1)
        else:
            continue
        assert value == pytest.approx(row["expected"], abs=row["tol"])
        checked += 1
    assert checked == 4


def test_muv_pvalues_against_label_permutations(rare_data):
    # real tasks of 0.2 % targets, a rounded feature as score: scikit-learn scores 1,000
    # permutations of the labels
    data = np.load(rare_data / "muv_bcut.npz")
    rng = np.random.default_rng(0)
    for task, feature in ((13, 0), (4, 4)):
        known = data["Y"][:, task] >= 0
        y_true = data["Y"][known, task]
        y_score = np.round(data["X"][known, feature].astype(float), 2)
        result = RandomSelectionTest(ties="threshold").from_predictions(y_true, y_score)
        draws = [
            average_precision_score(rng.permutation(y_true), y_score)
            for _ in range(1000)
        ]
        count = int(np.sum(np.array(draws) >= result.statistic - 1e-12))
        assert binomtest(count, 1000, result.pvalue).pvalue > 1e-3
