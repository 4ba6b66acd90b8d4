"""Numbers that other programs give on their own data."""

import json
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import binomtest, ks_2samp
from sklearn.metrics import average_precision_score

from cases import DATA, docking_scores, read_rows
from skrank import (
    RandomSelectionTest,
    average_precision,
    average_precision_at_k,
    bedroc,
    enrichment_factor,
    ks_statistic,
    precision_at_t,
    r_precision,
    recall_at_t,
    reciprocal_rank,
    rie,
)


def test_trec_eval():
    # pytrec-eval-terrier 0.5.11, which runs trec_eval, at full precision: 36 topics,
    # targets that were never returned, in trec_eval's own order
    lists = {
        (row["set"], row["topic"]): (row["relevant"], int(row["n_relevant"]))
        for row in read_rows("trec_eval_lists.csv")
    }
    rows = read_rows("trec_eval_values.csv")
    for row in rows:
        relevant, n_relevant = lists[row["set"], row["topic"]]
        ours = trec_value(row["measure"], relevant, n_relevant)
        assert ours == pytest.approx(float(row["value"]), abs=1e-12), row
    assert len(rows) == 792


def trec_value(measure, relevant, n_relevant):
    """Our value of a trec_eval measure of a list, such as "0110"."""
    y_true = np.array(list(relevant), dtype=int)
    rank = np.arange(y_true.size)
    settings = {"n_missed": n_relevant - int(y_true.sum())}
    name, _, depth = measure.rpartition("_")
    whole = {
        "map": average_precision,
        "recip_rank": reciprocal_rank,
        "Rprec": r_precision,
    }.get(measure)
    if whole is not None:
        return whole(y_true, -rank, **settings)
    if name == "map_cut":
        return average_precision_at_k(
            y_true, -rank, k=int(depth), normalize="relevant", **settings
        )
    metric = {"P": precision_at_t, "recall": recall_at_t}[name]
    return metric(y_true, -rank, t=int(depth), **settings)


@pytest.mark.parametrize(
    ("name", "n_ranks"), [("p10n10", 20), ("pparg_vina", 153), ("pparg_surf", 153)]
)
def test_precrec(name, n_ranks):
    # precrec 0.14.4 (R): recall and precision at ranks, ties shared out
    if name == "p10n10":
        rows = read_rows("precrec_p10n10.csv")
        y_true = np.array([int(row["label"]) for row in rows])
        y_score = np.array([float(row["score"]) for row in rows])
    else:
        y_true, scores = docking_scores()
        y_score = scores[name.removeprefix("pparg_")]
    expected = [row for row in read_rows("precrec_values.csv") if row["list"] == name]
    assert len(expected) == n_ranks
    for row in expected:
        t = int(row["rank"])
        recall, precision = float(row["sensitivity"]), float(row["precision"])
        assert recall_at_t(y_true, y_score, t=t) == pytest.approx(recall, abs=1e-12)
        assert precision_at_t(y_true, y_score, t=t) == pytest.approx(
            precision, abs=1e-12
        )


def test_precrec_hits_with_ties():
    # stated in its tests: a tie's positives are shared out evenly
    for case in json.loads((DATA / "precrec_ties.json").read_text()):
        y_true, y_score = np.array(case["y"]), np.array(case["score"], dtype=float)
        for t, hits in enumerate(case["tp"][1:], 1):
            assert recall_at_t(y_true, y_score, t=t) == pytest.approx(
                hits / y_true.sum()
            )


def early(row, y_true, y_score):
    """Our value of a row of RDKit or enrichvs."""
    parameter = float(row["parameter"])
    if row["function"] == "enrichment":
        return enrichment_factor(y_true, y_score, t=parameter or 1)  # at least one row
    return {"rie": rie, "bedroc": bedroc}[row["function"]](
        y_true, y_score, alpha=parameter
    )


def test_rdkit_unit_tests():
    # RDKit's own tests state these, of 20 targets among 400; lists of one class have
    # no value here
    best = np.repeat([1, 0], [20, 380])
    lists = {"best": best, "worst": best[::-1]}
    rows = read_rows("rdkit_unit_tests.csv")
    for row in rows:
        ours = early(row, lists[row["list"]], -np.arange(400))
        expected = float(row["value"])
        assert ours == pytest.approx(expected, rel=1e-10, abs=1e-50), row
    assert len(rows) == 8


@pytest.mark.parametrize("column", ["surf", "icm", "vina", "minr", "maxz"])
def test_rdkit(column):
    # RDKit 2026.09.1, ties in the order of the file
    y_true, scores = docking_scores()
    y_true = y_true[np.argsort(-scores[column], kind="stable")]
    rows = [row for row in read_rows("rdkit_values.csv") if row["score"] == column]
    for row in rows:
        ours = early(row, y_true, -np.arange(y_true.size))
        assert ours == pytest.approx(float(row["value"]), rel=1e-10), row
    assert len(rows) == 25


@pytest.mark.parametrize("column", ["surf", "icm", "vina", "maxz"])
def test_enrichvs(column):
    # enrichvs 0.0.5 (R): RIE and BEDROC with ties in the order of the file; EF with
    # ties shared out, the hits interpolated at a depth that is not rounded
    y_true, scores = docking_scores()
    y_score = scores[column]
    in_order = y_true[np.argsort(-y_score, kind="stable")], -np.arange(y_true.size)
    rows = [row for row in read_rows("enrichvs_values.csv") if row["score"] == column]
    for row in rows:
        if row["function"] == "enrichment":
            depth = float(row["parameter"]) * y_true.size
            ours = interpolated_enrichment(y_true, y_score, depth)
        else:
            ours = early(row, *in_order)
        assert ours == pytest.approx(float(row["value"]), rel=1e-10), row
    assert len(rows) == 25


def interpolated_enrichment(y_true, y_score, depth):
    """EF at a depth that need not be whole, from our EF at the depths around it."""
    below, above = int(depth), int(depth) + 1
    low, high = (t * enrichment_factor(y_true, y_score, t=t) for t in (below, above))
    return (low + (depth - below) * (high - low)) / depth


@pytest.mark.slow
@pytest.mark.parametrize("task", ["MUV-846", "MUV-652"])
def test_muv_pvalues_against_label_permutations(task):
    # real tasks of 0.2 % targets, a rounded feature as score: scikit-learn scores 300
    # permutations of the labels
    rows = [row for row in read_rows("muv_rounded_feature.csv") if row["task"] == task]
    assert rows
    score = [float(row["score"]) for row in rows]
    actives = [int(row["actives"]) for row in rows]
    others = [int(row["inactives"]) for row in rows]
    y_true = np.repeat([1, 0], [sum(actives), sum(others)])
    y_score = np.repeat(score * 2, actives + others)
    rng = np.random.default_rng(0)
    result = RandomSelectionTest(ties="together").from_predictions(y_true, y_score)
    draws = [
        average_precision_score(rng.permutation(y_true), y_score) for _ in range(300)
    ]
    count = int(np.sum(np.array(draws) >= result.value - 1e-12))
    assert binomtest(count, 300, result.pvalue).pvalue > 1e-3


def test_scipy_has_the_statistic_of_ks_and_its_pvalue():
    # the line of the guide; its p-value by all orders of the labels
    rng = np.random.default_rng(0)
    for decimals in (0, 1, 9):
        y = np.arange(60) < 20
        score = np.round(rng.normal(1.0 * y), decimals)
        test = ks_2samp(score[y == 1], score[y == 0], alternative="less")
        assert ks_statistic(y, score) == pytest.approx(test.statistic, abs=1e-12)
    y, score = np.array([0, 1, 0, 1, 1, 0, 0, 0, 1, 0]), np.arange(10, 0, -1)
    found = ks_2samp(score[y == 1], score[y == 0], alternative="less").pvalue
    every = [
        ks_statistic(np.isin(np.arange(10), hits), score)
        for hits in combinations(range(10), 4)
    ]
    share = np.mean(np.array(every) >= ks_statistic(y, score) - 1e-12)
    assert found == pytest.approx(share, abs=1e-12)
    with pytest.raises(ValueError, match=r"ks_2samp\(score\[y == 1\].*'less'\)"):
        RandomSelectionTest("ks_statistic")
