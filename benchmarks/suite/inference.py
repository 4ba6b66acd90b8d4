"""Questions that ask about more than the list: chance, and other rankings."""

from skrank import (
    MetricInterval,
    RandomSelectionNull,
    RandomSelectionTest,
    RankingComparison,
    SearchSelectionTest,
)
from suite.lists import make_list

DRAWS = {"n_resamples": 999, "random_state": 0}


class Chance:
    """Test against random selection, by length and prevalence."""

    params = ([10**3, 10**5, 10**6], [0.0002, 0.001])
    param_names = ("n_samples", "prevalence")
    timeout = 300

    def setup(self, n_samples, prevalence):
        """Make the ranking."""
        self.y_true, self.y_score = make_list(n_samples, prevalence)

    def time_test(self, *_):
        """Time of one test."""
        RandomSelectionTest().from_predictions(self.y_true, self.y_score)

    def peakmem_test(self, *_):
        """Memory of one test."""
        RandomSelectionTest().from_predictions(self.y_true, self.y_score)


class NullDistribution:
    """The null distribution, which is asked before there are data."""

    params = ([(1000, 20), (1000, 100), (14_906, 304), (100_000, 200)],)
    param_names = ("items and targets",)

    def setup(self, sizes):
        """Make the null."""
        self.null = RandomSelectionNull(*sizes)

    def time_critical_value(self, _):
        """Time to invert the tail."""
        self.null.isf(0.01)

    def time_draws(self, _):
        """Time of a thousand draws."""
        self.null.rvs(1000, random_state=0)


class Resampling:
    """How sure one is of a value, a difference, a winner."""

    params = ([(1000, 0.1), (10_000, 0.01), (100_000, 0.002)],)
    param_names = ("items and prevalence",)

    def setup(self, sizes):
        """Make a ranking and two rankings of it."""
        self.y_true, self.a, self.b = make_list(*sizes, n_rankings=2)

    def time_moderated(self, _):
        """Standard error by influences."""
        MetricInterval().from_predictions(self.y_true, self.a)

    def time_bootstrap(self, _):
        """Standard error by resampled rankings."""
        question = MetricInterval(method="bootstrap", **DRAWS)
        question.from_predictions(self.y_true, self.a)

    def time_comparison(self, _):
        """Difference by influences."""
        RankingComparison().from_predictions(self.y_true, {"A": self.a, "B": self.b})

    def time_swap(self, _):
        """Difference by exchanged ranks."""
        question = RankingComparison(method="permutation", **DRAWS)
        question.from_predictions(self.y_true, {"A": self.a, "B": self.b})

    def time_best_of_two(self, _):
        """Best of two against the null maximum."""
        question = SearchSelectionTest(**DRAWS)
        question.from_predictions(self.y_true, {"a": self.a, "b": self.b})
