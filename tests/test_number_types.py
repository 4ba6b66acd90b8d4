"""Numbers of every NumPy type, wherever a parameter takes one, mean Python's number.

The judge is the same call with Python's number: what is returned, printed and pickled
must be the same, type and all.
"""

import dataclasses
import inspect
import pickle
import re
import warnings
from fractions import Fraction

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import skrank
import skrank.null

INTS = [np.int8, np.uint8, np.int64, np.uint64]
FLOATS = [np.float16, np.float32, np.float64, np.longdouble]

# What each number may be. Products with the length of the ranking, and sums with one
# more, are beyond the narrow types; 0.1 is none of the numbers that floats can be.
CUTOFF, POSITIVE = (100, 0.1), (3, 0.1)
NUMBERS = {
    "t": CUTOFF,
    "k": CUTOFF,
    "alpha": POSITIVE,
    "beta": POSITIVE,
    "inflation": (2, 1.5),
    "recall": (1, 0.7),
    "precision": (1, 0.7),
    "benefit": POSITIVE,
    "cost": POSITIVE,
    "margin": POSITIVE,
    "ratio": POSITIVE,
    "parts": (100,),
    "confidence_level": (0.9,),
    "power": (0.9,),
    "significance_level": (0.1,),
    "undefined": (-1, 0.1),
    "n_missed": (100,),
    "n_unlisted": (100,),
    "count": (100,),
    "n_samples": (120,),
    "n_targets": (20,),
    "n_resamples": (127,),
    "random_state": (7,),
    "n_jobs": (1,),
    "cv": (3,),
    "chunk_size": (100,),
    "size": (3,),
    "baseline": (0,),
    "depth": (100, 0.1),
    "x": (1, 0.1),
    "q": (1, 0.1),
    "tie_sizes": (100,),
}
# Where a number is none of the metric's, or only one kind is meant.
SPECIAL = {"RandomSelectionNull.tail statistic": (1, 0.1)}
# Names and labels are compared, so that True is 1; scikit-learn checks the folds.
MAY_BE_BOOL = {"baseline", "cv"}
# Arrays are taken, also those of no dimension.
ARRAYS = {"depth", "x", "q", "tie_sizes"}


def callables():
    """Yield what is public by name: functions, classes, and methods of these."""
    for module in (skrank, skrank.null):
        for name in module.__all__:
            value = getattr(module, name)
            if not inspect.isclass(value):
                yield name, value
            elif not name.endswith(("Display", "Metric")):  # gains take arrays
                yield from methods(name, value)


def methods(name, cls):
    """Yield the methods; records are made by the package alone."""
    is_record = dataclasses.is_dataclass(cls) or issubclass(cls, tuple)
    for attribute in dir(cls):
        method = inspect.getattr_static(cls, attribute)
        method = getattr(method, "__func__", method)
        private = attribute.startswith("_") and (attribute != "__init__" or is_record)
        if private or not inspect.isfunction(method):
            continue
        if method.__module__.startswith("skrank"):
            yield f"{name}.{attribute}", method


def parameters():
    """Yield the names of callables and of their parameters."""
    for name, function in dict(callables()).items():
        for parameter in inspect.signature(function).parameters:
            if parameter not in ("self", "cls"):
                yield name, parameter


def values_of(name, parameter):
    return SPECIAL.get(f"{name} {parameter}", NUMBERS.get(parameter, ()))


# -- the calls ------------------------------------------------------------------------

RNG = np.random.default_rng(3)
N = 400
Y = (np.arange(N) % 13 == 0).astype(int)
S = RNG.normal(size=N).round(2) + Y
S_B = 0.5 * S + RNG.normal(size=N).round(2)


NONE = np.zeros(N, dtype=int)
X = np.column_stack([S, S_B])
FITTED = GaussianNB().fit(X, Y)
TEN, TEN_S = np.arange(10) < 3, np.arange(10.0)[::-1]
NEEDED = {"t": 20, "k": 20, "recall": 0.5, "precision": 0.5}
NEEDED |= {"benefit": 9, "cost": 1}
NULL = skrank.RandomSelectionNull(20, 10, "recall@8")  # one atom is at 0.1


def needed(name, given):
    """Settings that a callable cannot do without, unless they are given."""
    wanted = inspect.signature(dict(callables())[name]).parameters
    return {
        key: value
        for key, value in NEEDED.items()
        if key in wanted and wanted[key].default is inspect.Parameter.empty
    } | given


def metric(name):
    function = getattr(skrank, name)
    labels = lambda given: NONE if "undefined" in given else Y  # noqa: E731
    return lambda **given: function(labels(given), S, **needed(name, given))


def scorer(name):
    factory = getattr(skrank, name)
    more = {"metric": "rie"} if name == "make_metric_scorer" else {}

    def call(**given):
        made = factory(**more, **needed(name, given))
        y = NONE if "undefined" in given else Y
        return made.__name__, repr(made), pickle.dumps(made), made(FITTED, X, y)

    return call


def question(name, ask, **settings):
    def call(**given):
        made = getattr(skrank, name)(**{**settings, **given})
        return repr(made), pickle.dumps(made), ask(made).to_dict()

    return call


def threshold_choice(**given):
    rule = {} if given.keys() & {"t", "recall", "precision"} else {"benefit": 9}
    rule |= {"cost": 0.05} if given.keys() & {"benefit"} or rule else {}
    rule = {"recall": 0.5} if "guarantee" in given else rule
    made = skrank.ThresholdChoice(**{"n_resamples": 20, **rule, **given})
    found = made.from_predictions(TEN.repeat(20), TEN_S.repeat(20))
    return repr(made), pickle.dumps(made), found.to_dict()


def null(**given):
    settings = {"n_samples": 120, "n_targets": 4, **given}
    if "tie_sizes" in given:
        settings |= {"n_samples": 200, "tie_sizes": np.array([given["tie_sizes"]] * 2)}
    null = skrank.RandomSelectionNull(**settings)
    return repr(null), pickle.dumps(null), null.mean(), null.std()


DRAWS = {"n_resamples": 20, "random_state": 0}
INTERVAL = skrank.MetricInterval().from_predictions(Y, S)
COMPARED = skrank.RankingComparison().from_predictions(Y, {"A": S, "B": S_B})
CALLS = {
    **{name: metric(name) for name in skrank.metrics.__all__},
    **{
        name: scorer(name)
        for name in skrank.__all__
        if name.startswith("make_") and "scorer" in name
    },
    "hit_curve_band": lambda **given: skrank.hit_curve_band(
        TEN.repeat(20),
        {"A": TEN_S.repeat(20), "B": (TEN_S % 4).repeat(20)},
        **{"t": 50, "random_state": 0, **given},
    ),
    "RankingReport.__init__": question(
        "RankingReport", lambda made: made.from_predictions(Y, S), pvalue=False
    ),
    "RandomSelectionTest.__init__": question(
        "RandomSelectionTest",
        lambda made: made.from_predictions(Y, S),
        **{**DRAWS, "method": "monte_carlo"},
    ),
    "MetricInterval.__init__": question(
        "MetricInterval",
        lambda made: made.from_predictions(Y, S),
        **{**DRAWS, "method": "bootstrap"},
    ),
    "RankingComparison.__init__": question(
        "RankingComparison",
        lambda made: made.from_predictions(Y, {"A": S, "B": S_B}),
        **{**DRAWS, "method": "permutation"},
    ),
    "SearchSelectionTest.__init__": question(
        "SearchSelectionTest", lambda made: made.from_predictions(Y, X), **DRAWS
    ),
    "ThresholdChoice.__init__": threshold_choice,
    "HitCurve.gains_table": lambda **given: (
        skrank.hit_curve(Y, S).gains_table(**given).to_frame().to_dict("list")
    ),
    "within_noise": lambda **given: pickle.dumps(skrank.within_noise("C", **given)),
    "RankingComparisonResult.equivalence_pvalue": COMPARED.equivalence_pvalue,
    "RankingComparisonResult.noninferiority_pvalue": COMPARED.noninferiority_pvalue,
    "MetricIntervalResult.confidence_interval": INTERVAL.confidence_interval,
    "RankingComparisonResult.sample_size": COMPARED.sample_size,
    "RankingComparison.compare_all": lambda **given: (
        skrank.RankingComparison().compare_all(Y, X, **given).to_dict()
    ),
    "MetricInterval.from_cv": lambda **given: (
        skrank.MetricInterval("recall@5")
        .from_cv(GaussianNB(), X, Y, **{"cv": 2, **given})
        .to_dict()
    ),
    "RandomSelectionNull.__init__": null,
    "MeanNull.__init__": lambda **given: skrank.null.MeanNull(
        [NULL, NULL], **given
    ).std(),
    "RandomSelectionNull.sf": NULL.sf,
    "RandomSelectionNull.ppf": NULL.ppf,
    "RandomSelectionNull.tail": lambda **given: NULL.tail(
        **{"statistic": 0.5, "method": "monte_carlo", "random_state": 0, **given}
    ),
    "RandomSelectionNull.rvs": lambda **given: NULL.rvs(**{"random_state": 0, **given}),
    "RankCounts.from_predictions": lambda **given: skrank.average_precision(
        skrank.RankCounts.from_predictions(Y, S, **given)
    ),
    "HitCurve.at": skrank.hit_curve(Y, np.zeros(N)).at,  # rises all along
    "OperatingPoints.f_score": skrank.operating_points(TEN, TEN_S).f_score,
    "RankingEvaluation.add_missed": lambda **given: (
        skrank.RankingEvaluation.from_predictions(Y, S)
        .add_missed(**{"count": 2, **given})
        .to_dict()
    ),
}


# the test against random selection takes no number for undefined groups
ASKED = [
    one
    for one in parameters()
    if one[0] in CALLS
    and values_of(*one)
    and one != ("RandomSelectionTest.__init__", "undefined")
]


# -- the property ---------------------------------------------------------------------


def plain(value):
    """What a value says, down to the types of its numbers."""
    if isinstance(value, np.ndarray):
        return ["array", str(value.dtype), value.tolist()]
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, tuple | list):
        return [type(value).__name__, *map(plain, value)]
    if dataclasses.is_dataclass(value):
        return {
            one.name: plain(getattr(value, one.name))
            for one in dataclasses.fields(value)
        }
    return repr(value)


def outcome(name, parameter, value):
    """What a call comes to, or the error it raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "With `n_missed` alone")
        return plain(CALLS[name](**{parameter: value}))


def types_of(number):
    """Types that have the number, or one that prints like it; the narrowest first."""
    if isinstance(number, float):
        return FLOATS
    return [one for one in INTS if np.iinfo(one).min <= number <= np.iinfo(one).max]


@pytest.mark.parametrize(("name", "parameter"), ASKED, ids=str)
def test_numbers_of_every_type_are_those_of_python(name, parameter):
    """The same as Python's number gives, or refused if Python's kind of it is."""
    values = values_of(name, parameter)
    for number in values:
        expected = outcome(name, parameter, number)
        for kind in types_of(number):
            assert outcome(name, parameter, kind(number)) == expected, kind
    if not any(isinstance(number, float) for number in values):
        for kind in [float, *FLOATS] if parameter != "baseline" else []:
            with pytest.raises(ValueError, match=re.escape(parameter)):
                outcome(name, parameter, kind(values[0] + 0.5))


@pytest.mark.parametrize("kind", INTS)
@pytest.mark.parametrize("name", ["recall_at_t", "average_precision_at_k"])
def test_a_cutoff_times_the_length_may_be_beyond_its_type(name, kind):
    """The judge counts the targets in the top, which a sort brings to the front."""
    t, n = (100, 700) if kind(0).itemsize < 4 else (2**15, 2**17 + 1)
    y_true = np.arange(n)[::-1] % 7 == 0
    y_score = np.random.default_rng(0).permutation(n)
    hits = y_true[np.argsort(-y_score)][:t]
    precision = hits.cumsum() / np.arange(1, t + 1)
    expected = {
        "recall_at_t": hits.sum() / y_true.sum(),
        "average_precision_at_k": (precision * hits).sum() / min(t, y_true.sum()),
    }
    found = getattr(skrank, name)(y_true, y_score, **{name[-1]: kind(t)})
    assert found == pytest.approx(expected[name], rel=1e-12)


@pytest.mark.parametrize(("name", "parameter"), ASKED, ids=str)
def test_what_is_no_number_is_refused_by_name(name, parameter):
    """Truth values and texts; an array of no dimension is its number, or refused."""
    if parameter in MAY_BE_BOOL:
        pytest.skip("True is 1 to what compares or counts it")
    number = values_of(name, parameter)[-1]
    for wrong in (np.True_, np.False_, "5", np.array(True)):
        with pytest.raises(ValueError, match=f"`{parameter}`"):
            outcome(name, parameter, wrong)
    if parameter in ARRAYS:
        expected = outcome(name, parameter, number)
        assert outcome(name, parameter, np.array(number)) == expected
    else:
        with pytest.raises(ValueError, match=f"`{parameter}`"):
            outcome(name, parameter, np.array(number))


BEYOND = [10**400, -(10**400), Fraction(10**400), np.longdouble("1e4000")]
NOTHING = np.longdouble("1e-4000")  # 0.0 as a float of Python's


@pytest.mark.parametrize("number", [*BEYOND, NOTHING], ids=range(5))
@pytest.mark.parametrize(
    ("name", "parameter"),
    [
        ("rie", "alpha"),
        ("recall_at_t", "t"),
        ("k_at_recall", "recall"),
        ("hit_curve_band", "confidence_level"),
        ("RandomSelectionNull.tail", "statistic"),
    ],
)
def test_numbers_beyond_the_floats_are_refused(name, parameter, number):
    if number is NOTHING and parameter == "statistic":
        return  # a value that may be 0
    with pytest.raises(ValueError, match=f"`{parameter}`"):
        outcome(name, parameter, number)


def test_answers_beyond_the_floats_are_infinite():
    for number in BEYOND:
        found = CALLS["average_precision"](undefined=number)
        assert found == (np.inf if number > 0 else -np.inf)


@pytest.mark.parametrize("kind", [*INTS, *FLOATS])
def test_arrays_of_every_type_mean_the_numbers_of_python(kind):
    """Judged by the same call with a list of Python's numbers."""
    numbers = [5, 100] if kind in INTS else [0.1, 0.7]
    array = np.array(numbers, kind)
    assert outcome("hit_curve_band", "t", array) == outcome(
        "hit_curve_band", "t", numbers
    )
    curve = skrank.hit_curve(Y, np.zeros(N), as_fraction=kind in FLOATS)
    np.testing.assert_array_equal(curve.at(array), curve.at(numbers))
    probabilities = np.array([0.0, 1.0] if kind in INTS else numbers, kind)
    expected = NULL.isf([float(str(one)) for one in probabilities])
    np.testing.assert_array_equal(NULL.isf(probabilities), expected)
