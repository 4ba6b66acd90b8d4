"""Runs and judgments of TREC by the command.

The judges are the numbers of pytrec-eval-terrier for 37 lists, and loops over the lines
of small files.
"""

import csv
import gzip
import io
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import ttest_rel

from cases import read_rows
from skrank import precision_at_t
from skrank.report._command_line import main

pytestmark = [
    pytest.mark.contract,
    pytest.mark.filterwarnings("ignore:With fewer than 12 targets"),
]
pytest.importorskip("polars")

# what trec_eval calls the metrics
MEASURES = {
    "map": "average_precision",
    "P_10": "precision@10",
    "P_100": "precision@100",
    "recall_10": "recall@10",
    "recall_100": "recall@100",
    "map_cut_20": "average_precision@20(normalize=relevant)",
    "Rprec": "r_precision",
    "recip_rank": "reciprocal_rank",
}
NAMED = [one for name in [*MEASURES.values()][5:] for one in ("--metric", name)]


def write(path, lines):
    text = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return str(path)


def told(capsys, arguments, status=0):
    """Run a command; return its table as rows, and what it said."""
    assert main(["report", *map(str, arguments)]) == status
    out, err = capsys.readouterr()
    return [*csv.DictReader(io.StringIO(out))], err


def files_of_lists(folder, name):
    """Write a run and judgments of the lists of a set, with relevant missed ones."""
    lists = [one for one in read_rows("trec_eval_lists.csv") if one["set"] == name]
    run, qrels = [], []
    for one in lists:
        marks, query = one["relevant"], one["topic"]
        for i, mark in enumerate(marks):
            run.append(f"{query}\tQ0\td{i}\t{i}\t  {1000 - i}\tstandard more words")
            qrels.append(f"{query} 0 d{i} {3 * int(mark)}")
        n_missed = int(one["n_relevant"]) - marks.count("1")
        qrels += [f"{query}  0  missed{i}  1 " for i in range(n_missed)]
    shuffled = np.random.default_rng(0).permutation(run)
    return write(folder / "run.gz", shuffled), write(folder / "qrels.txt", qrels)


@pytest.mark.parametrize("name", ["results_test", "rag2024_31topics"])
def test_means_and_values_of_queries_are_those_of_pytrec_eval(tmp_path, capsys, name):
    run, qrels = files_of_lists(tmp_path, name)
    rows, said = told(capsys, [run, "--qrels", qrels, *NAMED, "--csv", "-"])
    values = [one for one in read_rows("trec_eval_values.csv") if one["set"] == name]
    (row,) = rows
    assert row["name"] == "standard"
    by_measure = {
        measure: {
            v["topic"]: float(v["value"]) for v in values if v["measure"] == measure
        }
        for measure in MEASURES
    }
    for measure, metric in MEASURES.items():
        mean = np.mean([*by_measure[measure].values()])
        assert float(row[metric]) == pytest.approx(mean, abs=1e-12), measure
    # a topic without relevant documents is left out, and is 0 for trec_eval
    assert ("its means are 30/31 of these" in said) == (name == "rag2024_31topics")
    rows, _ = told(capsys, [run, "--qrels", qrels, "--by-group", "--csv", "-"])
    ours = {row["group"]: float(row["AP standard"]) for row in rows}
    assert ours == pytest.approx(by_measure["map"], abs=1e-12)


QRELS = ["q1 0 a 1", "q1 0 b 0", "q1 0 c 2", "q2 0 a 1", "q2 0 z -1", "q3 0 x 1"]
QRELS += ["q4 0 b 1", "q4 0 e 0"]
ONE = ["q1 Q0 u 1 9.5 one", "q1 Q0 a 2 9.0 one", "q1 Q0 b 3 8.0 one"]
ONE += ["q2 Q0 z 1 7 one", "q2 Q0 a 2 6 one", "q3 Q0 x 1 1 one", "q4 Q0 e 1 2 one"]
TWO = ["q1 Q0 c 1 3 two", "q1 Q0 a 2 2 two", "q2 Q0 y 1 1 two", "q4 Q0 b 1 1 two"]


def by_loops(run, depth):
    """AP, and the share of the first documents with a line in the qrels."""
    relevant, judged, lists = {}, {}, {}
    for query, _, document, relevance in map(str.split, QRELS):
        judged.setdefault(query, set()).add(document)
        relevant.setdefault(query, set()).update([document] * (int(relevance) > 0))
    for query, _, document, _, score, _ in map(str.split, run):
        lists.setdefault(query, []).append((-float(score), document))
    values, shares = {}, []
    for query in relevant:
        documents = [document for _, document in sorted(lists.get(query, []))]
        hits, total = 0, Fraction(0)
        for rank, document in enumerate(documents, 1):
            if document in relevant[query]:
                hits += 1
                total += Fraction(hits, rank)
        values[query] = total / len(relevant[query])
        top = documents[:depth]
        if top:
            n_judged = sum(document in judged[query] for document in top)
            shares.append(Fraction(n_judged, len(top)))
    return values, sum(shares) / len(shares)


def two_runs(folder):
    paths = [write(folder / "1.txt", ONE), write(folder / "2.txt", TWO)]
    return [*paths, "--qrels", write(folder / "q.txt", QRELS)]


def test_runs_are_compared_by_their_values_of_queries(tmp_path, capsys):
    asked = [*two_runs(tmp_path), "--at", "2"]
    rows, said = told(capsys, [*asked, "--csv", "-"])
    assert said == ""
    each = [by_loops(run, 2) for run in (ONE, TWO)]
    for row, name, (values, share) in zip(rows, ("one", "two"), each, strict=True):
        assert row["name"] == name
        mean = float(sum(values.values()) / len(values))
        assert float(row["average_precision"]) == pytest.approx(mean, abs=1e-12)
        assert float(row["judged@2"]) == pytest.approx(float(share), abs=1e-12)
        assert float(row["low"]) < mean < float(row["high"])
        assert not row["zscore"]  # a random order of which documents?
    rows, _ = told(capsys, [*asked, "--by-group", "--csv", "-"])
    for name, (values, _) in zip(("one", "two"), each, strict=True):
        ours = {row["group"]: float(row[f"AP {name}"]) for row in rows}
        assert ours == pytest.approx({k: float(one) for k, one in values.items()})
    assert main(["report", *asked]) == 0
    shown = capsys.readouterr().out
    assert "7 targets" not in shown
    assert "5 targets, ranked or missed" in shown
    assert "means over 4 groups" in shown
    assert "Differences in average precision" in shown
    assert "judged@2" in shown
    assert "lift" not in shown
    # the test of pairs of values of queries
    values = np.array([[*map(float, one.values())] for one, _ in each])

    (pair,) = [
        line.split() for line in shown.splitlines() if line.startswith("  one  two")
    ]
    assert float(pair[-2]) == pytest.approx(ttest_rel(*values).pvalue, rel=0.01)


def test_the_best_run_comes_first_with_its_judged_share(tmp_path, capsys):
    asked = [*two_runs(tmp_path), "--at", "2", "--csv", "-"]
    given, _ = told(capsys, asked)
    ordered, _ = told(capsys, [*asked, "--sort"])
    values = [float(row["average_precision"]) for row in ordered]
    assert values == sorted(values, reverse=True)
    assert sorted(map(str, given)) == sorted(map(str, ordered))
    lowest, _ = told(capsys, [*asked, "--sort", "--compare-by", "precision@2"])
    assert [row["name"] for row in lowest] != ["", ""]


def test_judged_is_precision_of_the_mark_that_an_item_was_judged(tmp_path, capsys):
    # the line of the guide, with lists as long as the depth
    rng = np.random.default_rng(0)
    query, score = np.repeat(np.arange(5), 8), rng.random(40)
    document = np.tile(np.arange(8), 5)
    is_judged, relevant = rng.random(40) < 0.6, rng.random(40) < 0.5
    lines = zip(query, document, relevant, is_judged, strict=True)
    qrels = [f"{q} 0 {d} {int(y)}" for q, d, y, seen in lines if seen]
    qrels += [f"{q} 0 never 1" for q in range(5)]
    cells = zip(query, document, score, strict=True)
    run = [f"{q} Q0 {d} 1 {s:.17g} tag" for q, d, s in cells]
    paths = write(tmp_path / "run.txt", run), write(tmp_path / "q.txt", qrels)
    asked = [paths[0], "--qrels", paths[1], "--at", "3", "--csv", "-"]
    (row,), _ = told(capsys, asked)
    ours = precision_at_t(is_judged, score, t=3, groups=query)
    assert float(row["judged@3"]) == pytest.approx(ours, abs=1e-12)


def test_names_of_runs_are_tags_or_files(tmp_path, capsys):
    qrels = write(tmp_path / "q.txt", QRELS)
    first, second = write(tmp_path / "a.txt.gz", ONE), write(tmp_path / "b.txt", ONE)
    rows, _ = told(capsys, [first, second, "--qrels", qrels, "--csv", "-"])
    assert [row["name"] for row in rows] == ["a.txt", "b.txt"]
    (tmp_path / "more").mkdir()
    third = write(tmp_path / "more" / "b.txt", ONE)
    rows, _ = told(capsys, [second, third, "--qrels", qrels, "--csv", "-"])
    assert [row["name"] for row in rows] == [second, third]
    _, said = told(capsys, [second, second, "--qrels", qrels], 2)
    assert "`file` must name each run only once" in said


def test_queries_without_judgments_are_left_out(tmp_path, capsys):
    more = write(tmp_path / "more.txt", [*ONE, "q9 Q0 a 1 1 one"])
    plain = write(tmp_path / "plain.txt", ONE)
    qrels = write(tmp_path / "q.txt", QRELS)
    rows, said = told(capsys, [more, "--qrels", qrels, "--csv", "-"])
    assert "1 queries of" in said
    assert "are not in the qrels" in said
    assert (rows, "") == told(capsys, [plain, "--qrels", qrels, "--csv", "-"])


@pytest.mark.parametrize(
    ("run", "qrels", "message"),
    [
        (
            QRELS,
            QRELS,
            "run.txt: each line must contain query, Q0, document, rank, score",
        ),
        (ONE, ONE, "qrels.txt: each line must contain query, iteration, document, rel"),
        ([*ONE, "", "q1 Q0 v 4 nan one"], QRELS, "got 'q1 Q0 v 4 nan one' in line 9"),
        ([*ONE, "q1 Q0 v 4 high one"], QRELS, "in line 8"),
        ([*ONE, ONE[1]], QRELS, "several of document 'a' of query 'q1'"),
        (ONE, [*QRELS, "q1 0 a 0"], "qrels.txt: the file must have one line for each"),
        (ONE, [*QRELS, "q1 0 v yes"], "got 'q1 0 v yes' in line 9"),
        (ONE, ["q1 0 a 0"], "`--qrels` must contain relevant documents; got none"),
        (["q9 Q0 a 1 1 one"], QRELS, "must contain queries of the qrels with relevant"),
        ([], QRELS, "run.txt: the file must have lines; got none"),
    ],
)
def test_bad_files(tmp_path, capsys, run, qrels, message):
    paths = write(tmp_path / "run.txt", run), write(tmp_path / "qrels.txt", qrels)
    _, said = told(capsys, [paths[0], "--qrels", paths[1]], 2)
    assert message in said
    assert said.count("error") == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--target", "y"], "`--target` must be left out with `--qrels`"),
        (["--score", "s"], "`--score` must be left out with `--qrels`"),
        (["--lower-is-better", "s"], "`--score` must be left out with `--qrels`"),
        (["--group", "q"], "`--group` must be left out with `--qrels`"),
        (["--missing", "last"], "`--missing` must be left out with `--qrels`"),
        (["--threshold", "t=3"], "`--threshold` must be left out with `--qrels`"),
        (["--gains", "4"], "`--gains` must be left out with `--qrels`"),
        (["--drop-missing-labels"], "`--drop-missing-labels` must be left out with"),
        (["--at", "1%"], "`--at` must be a number of documents with `--qrels`; got 1%"),
    ],
)
def test_options_of_files_of_scores_are_refused(tmp_path, capsys, options, message):
    assert message in told(capsys, [*two_runs(tmp_path), *options], 2)[1]


def test_the_judgments_are_not_replaced(tmp_path, capsys):
    asked = two_runs(tmp_path)
    for path in (asked[-1], asked[1]):
        said = told(capsys, [*asked, "--csv", path], 2)[1]
        assert "name another file than that of the input" in said


def test_pages_and_metrics(tmp_path, capsys):
    page = tmp_path / "page.html"
    asked = [*two_runs(tmp_path), "--compare-by", "ndcg@10", "--html", str(page)]
    assert main(["report", *asked, "--by-group"]) == 0
    assert "ndcg@10 one" in capsys.readouterr().out
    assert "ndcg@10" in page.read_text()
