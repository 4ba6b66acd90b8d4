"""A receipt answers as the items do, to the last bit, or is refused."""

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

import skrank
from cases import METRICS, metric_function
from skrank import MetricInterval, RandomSelectionTest, RankCounts, Ranking
from skrank.ranking._receipt import _digest

RNG = np.random.default_rng(0)
N = 3000
Y = RNG.random(N) < 0.03
NORMAL = RNG.normal(size=N) + 2 * Y

# labels, scores, and targets that were never scored
CASES = {
    "untied": (Y, NORMAL, 0),
    "neighbours": (Y, np.round(7 / (1 + np.exp(-NORMAL))) / 7, 0),
    "single precision, some missed": (Y, NORMAL.astype(np.float32), 4),
    "integers": (Y, np.round(3 * NORMAL).astype(np.int8), 0),
    "large integers": (Y, np.round(3 * NORMAL + 99).astype(np.uint64) + 2**63, 0),
    "zeros of both signs": (Y, np.where(NORMAL > 1, NORMAL, NORMAL * 0), 0),
    "one tie": (Y, np.full(N, 0.3), 0),
    "only targets": (np.ones(9, dtype=bool), NORMAL[:9], 0),
    "two items": (np.array([0, 1]), np.array([0.5, 0.25]), 0),
}


def both(case, path):
    """Return a ranking, and what its receipt tells."""
    y_true, y_score, n_missed = CASES[case]
    ranking = Ranking.from_predictions(y_true, y_score, n_missed=n_missed)
    ranking.to_json(path / "receipt.json")
    return ranking, Ranking.from_json(path / "receipt.json")


def answer(ask, ranking):
    """Print what is answered, to the last digit, or why there is no answer."""
    try:
        return repr(ask(ranking))
    except ValueError as error:
        return str(error)


def assert_equal_answers(first, second):
    """All that counts can answer, to the last bit, is the same of both."""
    asked = [metric_function(metric) for metric in METRICS]
    asked += [
        lambda one: skrank.hit_curve(one).hits.tolist(),
        lambda one: skrank.hit_curve(one, ties="optimistic").t.tolist(),
        lambda one: skrank.operating_points(one).score.tolist(),
        lambda one: RandomSelectionTest().from_predictions(one).log10_pvalue,
        lambda one: (
            RandomSelectionTest("recall@20", ties="threshold")
            .from_predictions(one)
            .log10_pvalue
        ),
        lambda one: MetricInterval(random_state=0).from_predictions(one),
        lambda one: MetricInterval("recall@20", method="jackknife").from_predictions(
            one
        ),
    ]
    for ask in asked:
        assert answer(ask, first) == answer(ask, second)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("case", CASES)
def test_all_answers_are_the_same(case, tmp_path):
    ranking, read = both(case, tmp_path)
    assert repr(ranking) == repr(read)
    read.to_json(tmp_path / "again.json")
    written = [(tmp_path / f"{name}.json").read_text() for name in ("receipt", "again")]
    assert written[0] == written[1]
    assert_equal_answers(ranking, read)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("case", CASES)
def test_receipts_of_counts_answer_as_the_counts(case, tmp_path):
    """They differ from those of the ranking in memory by the hashes alone."""
    y_true, y_score, _ = CASES[case]
    counts = RankCounts.from_arrays(y_true, y_score, chunk_size=700)
    counts.to_json(tmp_path / "counts.json")
    Ranking.from_predictions(y_true, y_score).to_json(tmp_path / "ranking.json")
    contents = [
        json.loads((tmp_path / f"{name}.json").read_text())
        for name in ("counts", "ranking")
    ]
    assert contents[0].pop("hashes") is None
    for content in contents:
        content.pop("digest")
        content.pop("hashes", None)
    assert contents[0] == contents[1]
    assert_equal_answers(counts, Ranking.from_json(tmp_path / "counts.json"))


def test_a_ranking_without_targets(tmp_path):
    path = tmp_path / "receipt.json"
    Ranking.from_predictions([0, 0, 0], [1.0, 2.0, 2.0]).to_json(path)
    with pytest.warns(UndefinedMetricWarning):
        assert np.isnan(skrank.average_precision(Ranking.from_json(path)))


def test_long_rankings_of_which_stretches_are_known(tmp_path):
    rng = np.random.default_rng(1)
    n = 2_500_000
    y_true = np.zeros(n, dtype=bool)
    y_true[rng.choice(n, 300, replace=False)] = True
    y_score = (rng.normal(size=n) + 3 * y_true).astype(np.float32)
    ranking = Ranking.from_predictions(y_true, y_score)
    ranking.to_json(tmp_path / "receipt.json")
    read = Ranking.from_json(tmp_path / "receipt.json")
    test = RandomSelectionTest()
    a, b = (test.from_predictions(one) for one in (ranking, read))
    assert a.log10_pvalue == b.log10_pvalue
    assert skrank.average_precision(read) == skrank.average_precision(y_true, y_score)


def test_what_is_in_a_receipt(tmp_path):
    """Enough for the docs to say: some kB, ranks and scores of the targets, no more."""
    rng = np.random.default_rng(2)
    y_true = np.zeros(200_000, dtype=bool)
    y_true[:400] = True
    y_score = rng.normal(size=200_000) + y_true
    path = tmp_path / "receipt.json"
    Ranking.from_predictions(y_true, y_score).to_json(path)
    assert path.stat().st_size < 20_000
    content = json.loads(path.read_text())
    assert content["groups"]["score"] == np.sort(y_score[:400])[::-1].tolist()
    order = np.argsort(-y_score)
    assert content["groups"]["above"] == np.flatnonzero(y_true[order]).tolist()
    assert content["ties"] == {"size": [1], "count": [200_000], "stretch": [False]}


def test_hashes_tell_labels_and_scores(tmp_path):
    y_true, y_score = [0, 1, 1, 0, 0], np.array([0.0, 2.0, 1.0, -0.0, 1.0])

    def hashes(y_true, y_score):
        Ranking.from_predictions(y_true, y_score).to_json(tmp_path / "one.json")
        return json.loads((tmp_path / "one.json").read_text())["hashes"]

    one = hashes(y_true, y_score)
    assert hashes(np.array(y_true, dtype=bool), y_score + 0.0) == one
    moved = hashes(y_true, np.roll(y_score, 3))
    assert moved["y_true"] == one["y_true"]
    assert moved["y_score"] != one["y_score"]
    assert hashes([0, 1, 0, 0, 1], y_score)["y_true"] != one["y_true"]


def test_receipts_of_receipts_have_no_hashes_either(tmp_path):
    path, again = tmp_path / "receipt.json", tmp_path / "again.json"
    RankCounts.from_arrays([0, 1, 1, 0], [0.1, 0.9, 0.4, 0.4]).to_json(path)
    ranking = Ranking.from_json(path)
    ranking.to_json(again)
    assert again.read_text() == path.read_text()
    assert skrank.average_precision(ranking) == pytest.approx((1 + 5 / 6) / 2)


def test_unfinished_counts_have_no_receipt(tmp_path):
    counts = RankCounts()
    counts.update([0, 1], [0.5, 0.25])
    with pytest.raises(ValueError, match="`RankCounts` must see all items twice"):
        counts.to_json(tmp_path / "receipt.json")


def test_weights_are_refused(tmp_path):
    ranking = Ranking.from_predictions([0, 1], [1.0, 2.0], sample_weight=[1, 2])
    with pytest.raises(ValueError, match="`to_json` must be asked of a ranking witho"):
        ranking.to_json(tmp_path / "receipt.json")


def change(content, place, value):
    """Put a value, or a function of what is there, in a place of a receipt."""
    *path, last = place
    for name in path:
        content = content[name]
    content[last] = value(content[last]) if callable(value) else value


DOCTORED = [
    (["format"], "other", "no receipt"),
    (["version"], 2, "version 2"),
    (["n_samples"], "5", "`n_samples` that is missing, or no int"),
    (["n_samples"], 6, "ties that do not add up to the 6 items"),
    (["n_targets"], 1, "groups that do not hold the 1 targets"),
    (["n_missed"], -1, "groups that do not hold"),
    (["score_type"], "float16", "scores of type float16"),
    (["score_type"], "int8", "scores that are not of type int8"),
    (["groups"], [], "`groups` that is missing, or no dict"),
    (["groups", "score", 0], float("inf"), "scores that are not of type float64"),
    (["groups", "score"], lambda x: x[::-1], "groups that are not in order"),
    (["groups", "above"], lambda x: x[:1], "groups whose entries differ"),
    (["groups", "above", 1], 0, "groups that are not in order"),
    (["groups", "above", 0], 0.5, "`above` with other than whole numbers"),
    (["groups", "above", 1], 2, "groups that are no ties"),
    (["groups", "size", 1], 1, "groups that are no ties"),
    (["groups", "hits", 0], 2, "groups that do not hold the 2 targets"),
    (["ties", "size"], [], "ties whose entries differ in number"),
    (["ties", "size", 0], 0, "ties whose entries differ in number"),
    (["ties", "stretch", 0], 1, "`stretch` with other than true and false"),
    (["ties", "stretch", 0], True, "ties that are not told apart at the top"),
    (["hashes", "y_true"], None, "`y_true` that is missing, or no str"),
    (["hashes"], 5, "`hashes` that is missing, or no dict"),
]


@pytest.mark.parametrize(("place", "value", "reason"), DOCTORED)
def test_doctored_receipts_are_refused(place, value, reason, tmp_path):
    """Even with a digest that was made again."""
    path = tmp_path / "receipt.json"
    Ranking.from_predictions([0, 1, 1, 0, 0], [0.1, 0.9, 0.4, 0.4, 0.2]).to_json(path)
    assert Ranking.from_json(path).n_samples == 5
    content = json.loads(path.read_text())
    del content["digest"]
    change(content, place, value)
    path.write_text(json.dumps(content))
    if place[0] not in ("format", "version"):
        with pytest.raises(ValueError, match="got other content than its digest says"):
            Ranking.from_json(path)
    path.write_text(json.dumps({**content, "digest": _digest(content)}))
    with pytest.raises(ValueError, match=f"`receipt` must be as .*{reason}"):
        Ranking.from_json(path)


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"3", b"\x00\x01", b"PAR1\xb4"])
def test_other_files_are_refused(text, tmp_path):
    path = tmp_path / "receipt.json"
    path.write_bytes(text)
    with pytest.raises(ValueError, match="`receipt` must be as `to_json` has written"):
        Ranking.from_json(path)


@pytest.mark.parametrize("case", CASES)
def test_receipts_follow_their_schema(case, tmp_path):
    jsonschema = pytest.importorskip("jsonschema")
    schema = Path(__file__).parents[2] / "doc/_static/receipt-1.schema.json"
    both(case, tmp_path)
    RankCounts.from_arrays(*CASES[case][:2]).to_json(tmp_path / "counts.json")
    for name in ("receipt", "counts"):
        receipt = json.loads((tmp_path / f"{name}.json").read_text())
        jsonschema.validate(receipt, json.loads(schema.read_text()))
