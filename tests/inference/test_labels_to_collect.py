"""Plans of labels, for one model and several, and labels that came back.

Judges: tops by `sorted` and shares in rational numbers, the list without its labelled
items, all samples of a small stratum, and frequencies over seeds.
"""

import itertools
import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chisquare

from cases import runs
from skrank import (
    RankingComparison,
    SampledMetricInterval,
    average_precision,
    labels_to_collect,
    labels_to_compare,
)
from skrank._utils._columns import Items
from skrank.ranking._plan_check import strata_of_plan

pd = pytest.importorskip("pandas")
RNG = np.random.default_rng(0)
N = 300
A = RNG.normal(size=N)
B = A + RNG.normal(size=N)
TIED = np.round(2 * A)
SOME = RNG.random(N) < 0.2
DESIGNS = {
    "one model": {"y_score": A},
    "ties and cutoffs": {"y_score": TIED, "t": [20, 0.3]},
    "two models": {"y_score": {"a": A, "b": TIED}},
    "two tops": {"y_score": {"a": A, "b": B}, "t": 20},
    "labelled": {"y_score": A, "t": 50, "labelled": SOME},
    "all": {"y_score": {"a": A, "b": B}, "t": [9, 15], "labelled": SOME},
}


def plan_of(name, budget, **others):
    return labels_to_collect(budget=budget, **DESIGNS[name], **others)


def ranks_above(scores):
    """Return for each item how many are above it, and how many are in its tie."""
    ordered = sorted(scores, reverse=True)
    return [(ordered.index(one), ordered.count(one)) for one in scores]


@pytest.mark.parametrize("name", DESIGNS)
def test_plans_of_all_budgets_are_nested(name):
    before = None
    for budget in range(72, N + 10):
        plan = plan_of(name, budget, random_state=5)
        to_label = plan["to_label"].to_numpy()
        known = DESIGNS[name].get("labelled", np.zeros(N, bool))
        assert to_label.sum() == min(budget, np.sum(~known))
        assert not np.any(to_label & known)
        shares = plan[~known].groupby("stratum")[["to_label", "chance"]].mean()
        assert np.allclose(shares["to_label"], shares["chance"])
        assert before is None or not np.any(before & ~to_label)
        before = to_label


@pytest.mark.parametrize("y_score", [A, TIED], ids=["distinct", "tied"])
def test_labels_go_to_the_strata_in_proportion(y_score):
    # by one divisor: no label would be due before another one in place of it (Webster)
    for budget in range(40, N, 7):
        plan = labels_to_collect(y_score, budget)
        ordered = plan.sort_values("rank")["stratum"]
        weights = np.bincount(ordered, (np.arange(N) + 1) ** -0.5)
        counts = np.bincount(plan["stratum"], plan["to_label"])
        sizes = np.bincount(plan["stratum"])
        last = (weights / (counts - 0.5))[counts > np.minimum(sizes, 4)]
        following = (weights / (counts + 0.5))[counts < sizes]
        assert last.min() >= following.max() * (1 - 1e-9)


@pytest.mark.parametrize("name", ["ties and cutoffs", "two models", "all"])
def test_chances_are_those_of_the_plan(name):
    n_runs = runs(300)
    seen = sum(plan_of(name, 90, random_state=i)["to_label"] for i in range(n_runs))
    plan = plan_of(name, 90)
    chance, inside = plan["chance"], (plan["chance"] < 1) & (plan["stratum"] >= 0)
    error = (seen / n_runs - chance) / np.sqrt(chance * (1 - chance) / n_runs)
    # the numbers of a stratum add up, so that its items have a variance below 1
    sizes = plan[inside].groupby("stratum").size()
    expected = math.sqrt(1 + sizes.size / sizes.sum())
    assert error[inside].std() * expected == pytest.approx(1, abs=0.15)
    is_top = (plan["stratum"] >= 0) & (chance == 1)
    assert np.all(seen[is_top] == n_runs)
    assert np.all(seen[plan["stratum"] < 0] == 0)


def test_all_samples_of_a_stratum_are_equally_likely():
    subsets = list(itertools.combinations(range(6), 4))
    seen = [
        tuple(np.flatnonzero(labels_to_collect(A[:6], 4, random_state=i)["to_label"]))
        for i in range(750)
    ]
    assert chisquare([seen.count(one) for one in subsets]).pvalue > 0.001


def test_numbers_are_those_of_the_items():
    # budgets of one stratum: the items do not depend on the model
    plans = [labels_to_collect(one, 4, random_state=3)["to_label"] for one in (A, B)]
    assert plans[0].equals(plans[1])
    both = [labels_to_collect(one, 90, random_state=3)["to_label"] for one in (A, B)]
    other = labels_to_collect(B, 90, random_state=4)["to_label"]
    assert (both[0] | both[1]).sum() < (both[0] | other).sum()


@pytest.mark.parametrize(
    ("one", "other"), [(A, B), (TIED, B), (TIED, np.round(B))], ids="abc"
)
def test_tops_of_all_models_are_labelled(one, other):
    places = [ranks_above(one), ranks_above(other)]
    # whole ties: those that the cutoff divides are left to the rest
    top = [min(a + k, b + m) <= 12 for (a, k), (b, m) in zip(*places, strict=True)]
    top = np.array(top)
    # the rest, by the better of two mean ranks
    better = np.array(
        [
            min(a + (k + 1) / 2, b + (m + 1) / 2)
            for (a, k), (b, m) in zip(*places, strict=True)
        ]
    )
    table = {"a": one, "b": -other}
    budget = int(top.sum()) + 70
    plan = labels_to_collect(table, budget, t=[5, 12], lower_is_better=["b"])
    assert np.array_equal(plan["stratum"] == 0, top)
    assert plan["to_label"][top].all()
    rest = labels_to_collect(-better[~top], 70)
    for name in ("stratum", "chance"):
        assert np.array_equal(plan[name][~top], rest[name] + (name == "stratum"))
    assert np.array_equal(plan["rank"], pd.Series(better).rank())
    least = f"`budget` must be at least {top.sum() + 4} for {top.sum()} items in the "
    with pytest.raises(ValueError, match=least + "top 12 of any model"):
        labels_to_collect(table, top.sum() + 3, t=12, lower_is_better=["b"])
    plan = labels_to_collect(table, top.sum() + 4, t=12, lower_is_better=["b"])
    assert plan["to_label"].sum() == top.sum() + 4


def test_tops_that_are_the_whole_list():
    plan = labels_to_collect({"a": A[:20], "b": -A[:20]}, 20, t=10)
    assert plan["to_label"].all()
    with pytest.raises(ValueError, match="`budget` must be at least 20"):
        labels_to_collect({"a": A[:20], "b": -A[:20]}, 19, t=10)


GAPS = np.where(SOME, 1.0, np.nan)
FORMS = {
    "labels": GAPS,
    "list": [1 if one else None for one in SOME],
    "texts": ["spam" if one else None for one in SOME],
    "truths": [False if one else None for one in SOME],
    "nullable": pd.array(np.where(SOME, 1, pd.NA), dtype="Int64"),
    "marks": pd.Series(SOME),
    "nullable marks": pd.array(SOME, dtype="boolean"),
    "list of marks": SOME.tolist(),
}


@pytest.mark.parametrize("form", FORMS)
def test_labelled_items_are_a_stratum_of_their_own(form):
    for t in (None, 50):
        plan = labels_to_collect(A, 80, t=t, labelled=FORMS[form])
        assert np.array_equal(plan["stratum"] == -1, SOME)
        assert np.all(plan["chance"][SOME] == 1)
        # the others are as a list of their own, in which the top 50 are fewer
        cut = t and sum(place < t for place, _ in np.array(ranks_above(A))[~SOME])
        rest = labels_to_collect(A[~SOME], 80, t=cut)
        for name in ("stratum", "chance"):
            assert np.array_equal(plan[name][~SOME], rest[name])
        assert np.array_equal(plan["rank"], pd.Series(-A).rank())


def test_labelled_tops_cost_nothing():
    table = {"a": A, "b": B}
    top = labels_to_collect(table, 200, t=20)["stratum"] == 0
    plan = labels_to_collect(table, 40, t=20, labelled=top)
    assert plan["to_label"].sum() == 40
    assert np.array_equal(plan["stratum"] == -1, top)
    half = top & (np.arange(N) % 2 == 0)
    plan = labels_to_collect(table, 60, t=20, labelled=half)
    assert np.array_equal(plan["stratum"] == 0, top & ~half)
    assert plan["to_label"].sum() == 60
    decides = labels_to_compare(table, 20)["to_label"]
    plan = labels_to_compare(table, 20, labelled=half)
    assert np.array_equal(plan["to_label"], decides & ~half)
    assert np.array_equal(plan["stratum"] == -1, half)


def test_labels_that_decide_between_models():
    for i in range(60):
        rng = np.random.default_rng(i)
        n, n_models, t = rng.integers(3, 12), rng.integers(2, 4), rng.integers(1, 12)
        t = min(n, t)
        scores = rng.integers(5, 5 + rng.integers(2, 9), (n, n_models))
        shares = np.array(
            [
                [min(max(Fraction(int(t - above), tied), 0), 1) for above, tied in one]
                for one in (ranks_above(column.tolist()) for column in scores.T)
            ]
        )
        expected = [len({*one}) > 1 for one in shares.T]
        plan = labels_to_compare(scores, int(t))
        assert plan["to_label"].tolist() == expected
        assert plan["stratum"].tolist() == [int(not one) for one in expected]
        assert plan["chance"].tolist() == [float(one) for one in expected]
        # all other labels leave the differences of hits as they are
        y = rng.integers(0, 2, n)
        assert np.ptp(shares[:, ~np.array(expected)], axis=0).sum() == 0
        hits = (shares * y).sum(axis=1)
        seen = (shares * y)[:, expected].sum(axis=1)
        assert np.all(hits - hits[0] == seen - seen[0])
    several = labels_to_compare(scores, [1, n])["to_label"]
    assert several.equals(labels_to_compare(scores, 1)["to_label"])


def test_forms_of_tables_and_their_index():
    index = pd.Index(np.arange(N) + 7, name="number")
    table = pd.DataFrame({"a": A, "b": B}, index=index)
    expected = labels_to_collect(np.column_stack([A, B]), 90, t=20)
    for one in (table, {"a": table["a"], "b": B}, {"a": A.tolist(), "b": table["b"]}):
        plan = labels_to_collect(one, 90, t=20)
        assert plan.index.equals(index)
        pd.testing.assert_frame_equal(plan.reset_index(drop=True), expected)
    lower = labels_to_collect(-table, 90, t=20, lower_is_better=True)
    pd.testing.assert_frame_equal(lower, plan)
    single = labels_to_collect(table[["a"]], 90, t=20)
    pd.testing.assert_frame_equal(single, labels_to_collect(table["a"], 90, t=20))


TABLE = {"a": A, "b": B}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"y_score": {"a": A, "b": B[1:]}}, r"`y_score`\['b'\] must have as many"),
        (
            {"y_score": {"a": pd.Series(A), "b": pd.Series(B)[::-1]}},
            r"`y_score`\['b'\] must have the index of `y_score\['a'\]`",
        ),
        ({"y_score": {"a": A, "b": B * np.nan}}, r"`y_score`\['b'\] must be finite"),
        ({"lower_is_better": ["c"]}, "`lower_is_better` must be True, False or names"),
        ({"labelled": np.ones(N)}, "`labelled` must be True or False, or NaN"),
        ({"labelled": np.ones(N, bool)}, "got a label for all items"),
        ({"labelled": ["", *["x"] * (N - 1)]}, "`labelled` must.*got the label ''"),
        ({"y_score": np.arange(20.0).reshape(4, 5)}, "`y_score` must have a row for"),
        (
            {"y_score": pd.DataFrame(TABLE), "labelled": pd.Series(SOME)[::-1]},
            r"`labelled` must have the index of `y_score\['a'\]`",
        ),
        ({"labelled": SOME[1:]}, r"`labelled` must have as many items as `y_score"),
    ],
)
def test_plans_that_cannot_be_made(arguments, message):
    arguments = {"y_score": TABLE, **arguments}
    with pytest.raises(ValueError, match=message):
        labels_to_collect(budget=50, **arguments)
    with pytest.raises(ValueError, match=message):
        labels_to_compare(t=5, **arguments)


def test_one_model_has_no_other():
    for one in (A, {"a": A}, A[:, None]):
        with pytest.raises(
            ValueError, match="`y_score` must contain scores of two models"
        ):
            labels_to_compare(one, 5)


def check(plan, is_labelled):
    return strata_of_plan(plan, np.asarray(is_labelled), Items(len(plan)))


@pytest.mark.parametrize("name", DESIGNS)
def test_a_plan_that_came_back_needs_no_words(name):
    plan = plan_of(name, 100)
    labelled = plan["to_label"] | (plan["stratum"] == -1)
    for form in (plan, plan.astype({"to_label": int, "stratum": float})):
        strata, is_sampled = check(form, labelled)
        assert np.array_equal(strata, plan["stratum"])
        assert np.array_equal(is_sampled, labelled)


def test_blank_and_unplanned_labels_are_named():
    plan = plan_of("labelled", 100)
    labelled = np.array(plan["to_label"] | SOME)
    planned = np.flatnonzero(plan["to_label"] & (plan["chance"] < 1))[:3]
    labelled[planned] = False
    h = plan["stratum"].to_numpy()
    by_stratum = ", ".join(
        f"{one}: {np.sum(h[planned] == one)}" for one in sorted({*h[planned]})
    )
    with pytest.warns(UserWarning, match=f"3 of 100 planned .*{by_stratum}") as said:
        strata, is_sampled = check(plan, labelled)
    assert len(said) == 1
    assert np.array_equal(is_sampled, labelled)
    labelled[planned] = True
    others = np.flatnonzero(~labelled)[[3, 8]]
    labelled[others] = True
    with pytest.warns(UserWarning, match=f"2 labelled items .* position {others[0]};"):
        strata, is_sampled = check(plan, labelled)
    assert np.array_equal(np.flatnonzero(labelled & ~is_sampled), others)
    assert np.array_equal(strata, h)
    # all items of a stratum: nothing is estimated there
    labelled[others] = False
    labelled |= h == h[others[0]]
    strata, is_sampled = check(plan, labelled)
    assert np.array_equal(is_sampled, labelled)


def test_labels_before_the_plan_must_come_back():
    plan = plan_of("labelled", 100)
    with pytest.raises(ValueError, match="`y_true` must contain the labels that"):
        check(plan, plan["to_label"])
    for bad in (plan.drop(columns="stratum"), plan["to_label"], 3):
        with pytest.raises(ValueError, match="`strata` must be a column, or a plan"):
            strata_of_plan(bad, SOME, Items(N))
    with pytest.raises(ValueError, match="`strata` must have as many"):
        strata_of_plan(plan[1:], SOME, Items(N))


@pytest.mark.parametrize("before", [False, True])
def test_labels_by_hand_do_not_bias_the_number_of_targets(before):
    """Judge: the mean over all samples of a list of which every target is known."""
    y = np.array([1, 1, 1, 0, 0, 0, 0, 0])
    by_hand = np.array([1, 1, 0, 0, 0, 0, 0, 0], dtype=bool)
    free = np.flatnonzero(~(by_hand & before))
    estimates = []
    for chosen in itertools.combinations(free, 3):
        to_label = np.isin(np.arange(8), chosen)
        stratum = np.where(by_hand & before, -1, 0)
        plan = pd.DataFrame({"stratum": stratum, "to_label": to_label})
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "[12] labelled items were not planned")
            strata, is_sampled = check(plan, to_label | by_hand)
        parts = [(strata == one, is_sampled & (strata == one)) for one in {*strata}]
        estimates.append(sum(n.sum() * y[seen].mean() for n, seen in parts))
    assert np.mean(estimates) == pytest.approx(3)


def test_zeros_for_items_that_nobody_inspected_have_a_warning():
    """The frame of a plan shows the mistake: more labels than it asks for."""
    rng = np.random.default_rng(0)
    y = np.arange(500) < 30
    scores = {"a": rng.normal(2 * y), "b": rng.normal(y)}
    plan = labels_to_collect(scores, budget=100)
    filled = np.where(plan["to_label"], y, 0)
    said = "All 500 items have a label, but 100 were planned"
    with pytest.warns(UserWarning, match=said):
        SampledMetricInterval().from_predictions(filled, scores["a"], strata=plan)
    with pytest.warns(UserWarning, match=said):
        RankingComparison().from_predictions(filled, scores, strata=plan)
    whole = labels_to_collect(scores, budget=500)
    found = RankingComparison().from_predictions(y.astype(float), scores, strata=whole)
    values = [average_precision(y, one) for one in scores.values()]
    assert [found.value_a, found.value_b] == pytest.approx(values)
