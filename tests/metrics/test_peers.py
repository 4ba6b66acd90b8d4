"""Numbers that other programs give on their own data; skipped where absent."""

import json

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.metrics import average_precision_score

from cases import read_rows
from skrank import (
    RandomSelectionTest,
    average_precision,
    average_precision_at_k,
    bedroc,
    enrichment_factor,
    precision_at_t,
    r_precision,
    recall_at_t,
    reciprocal_rank,
    rie,
)


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
    assert checked > 340


def trec_value(measure, items, n_relevant):
    """Our value of a trec_eval measure, where we have it and the cutoff is reached."""
    rank, y_true = np.array(items).T
    settings = {"n_missed": n_relevant - int(y_true.sum())}
    name, _, depth = measure.rpartition("_")
    whole = {
        "map": average_precision,
        "recip_rank": reciprocal_rank,
        "Rprec": r_precision,
    }.get(measure)
    if whole is not None:
        return whole(y_true, -rank, **settings)
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


# What RDKit and enrichvs call our metrics, and the name of the parameter
EARLY = {
    "enrichment": (enrichment_factor, "t"),
    "CalcEnrichment": (enrichment_factor, "t"),
    "rie": (rie, "alpha"),
    "CalcRIE": (rie, "alpha"),
    "bedroc": (bedroc, "alpha"),
    "CalcBEDROC": (bedroc, "alpha"),
}


def test_rdkit_unit_tests(peer_numbers):
    # RDKit's own tests state these; lists of one class have no value here
    cases = json.loads((peer_numbers / "rdkit_scoring" / "cases.json").read_text())
    best = np.repeat([1, 0], [cases["n_pos"], cases["n"] - cases["n_pos"]])
    lists = {"best": best, "worst": best[::-1]}
    checked = 0
    for case in cases["expected"]:
        if case.get("list") not in lists or case["expect"] == "ValueError":
            continue
        if case["fn"] in EARLY:
            metric, name = EARLY[case["fn"]]
            value = case.get("alpha") or case["fraction"] or 1  # at least one row
            ours = metric(lists[case["list"]], -np.arange(cases["n"]), **{name: value})
            assert ours == pytest.approx(case["expect"], rel=1e-10, abs=1e-50), case
            checked += 1
    assert checked == 8


def pparg_list(folder, column):
    """Labels and scores of a column of docking scores."""
    rows = read_rows(folder / "pparg_docking_scores.csv.gz")
    return (
        np.array([int(row["active"]) for row in rows]),
        np.array([float(row[column]) for row in rows]),
    )


@pytest.mark.parametrize("column", ["surf", "icm", "vina", "minr", "maxz"])
def test_rdkit(peer_numbers, rare_data, column):
    # RDKit 2026.09.1, ties in the order of the file
    y_true, y_score = pparg_list(rare_data, column)
    y_true = y_true[np.argsort(-y_score, kind="stable")]
    rows = read_rows(peer_numbers / "rdkit_scoring" / "outputs_rdkit_2026.09.1.csv")
    checked = 0
    for row in rows:
        if row["data"] == f"pparg_{column}" and row["measure"] in EARLY:
            metric, name = EARLY[row["measure"]]
            ours = metric(
                y_true, -np.arange(y_true.size), **{name: float(row["param"])}
            )
            assert ours == pytest.approx(float(row["value"]), rel=1e-10), row
            checked += 1
    assert checked == 25


@pytest.mark.parametrize("column", ["surf", "icm", "vina", "maxz"])
def test_enrichvs(peer_numbers, rare_data, column):
    # enrichvs 0.0.5 (R): RIE and BEDROC with ties in the order of the file; EF with
    # ties shared out, the hits interpolated at a depth that is not rounded
    y_true, y_score = pparg_list(rare_data, column)
    in_order = y_true[np.argsort(-y_score, kind="stable")], -np.arange(y_true.size)
    checked = 0
    for row in read_rows(peer_numbers / "enrichvs" / "outputs_0.0.5.csv"):
        if row["data"] != f"pparg_{column}":
            continue
        param = float(row["param"])
        if row["measure"] == "enrichment_factor":
            ours = interpolated_enrichment(y_true, y_score, param * y_true.size)
        elif row["measure"] in EARLY:
            ours = EARLY[row["measure"]][0](*in_order, alpha=param)
        else:
            continue
        assert ours == pytest.approx(float(row["value"]), rel=1e-10), row
        checked += 1
    assert checked == 25


def interpolated_enrichment(y_true, y_score, depth):
    """EF at a depth that need not be whole, from our EF at the depths around it."""
    below, above = int(depth), int(depth) + 1
    low, high = (t * enrichment_factor(y_true, y_score, t=t) for t in (below, above))
    return (low + (depth - below) * (high - low)) / depth


@pytest.mark.slow
def test_muv_pvalues_against_label_permutations(rare_data):
    # real tasks of 0.2 % targets, a rounded feature as score: scikit-learn scores 300
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
            for _ in range(300)
        ]
        count = int(np.sum(np.array(draws) >= result.statistic - 1e-12))
        assert binomtest(count, 300, result.pvalue).pvalue > 1e-3
