"""Metrics and curves: one ranking of one ranking."""

import numpy as np

from skrank import (
    average_precision,
    average_precision_at_k,
    hit_curve,
    max_f_score,
    operating_points,
    precision_at_t,
    recall_at_t,
)
from suite.lists import make_list

QUESTIONS = {
    "average_precision": average_precision,
    "average_precision_at_k": lambda y, s: average_precision_at_k(y, s, k=100),
    "recall_at_t": lambda y, s: recall_at_t(y, s, t=100),
    "precision_at_t": lambda y, s: precision_at_t(y, s, t=100),
    "max_f_score": max_f_score,
    "hit_curve": hit_curve,
    "operating_points": operating_points,
}


class Questions:
    """Metrics and curves by length and prevalence."""

    params = (list(QUESTIONS), [10**3, 10**5, 10**6], [0.001, 0.02])
    param_names = ("question", "n_samples", "prevalence")

    def setup(self, question, n_samples, prevalence):
        """Make the ranking."""
        self.ask = QUESTIONS[question]
        self.y_true, self.y_score = make_list(n_samples, prevalence)

    def time_question(self, *_):
        """Time of one call."""
        self.ask(self.y_true, self.y_score)


class Types:
    """Average precision by types of labels and scores, and by distinct scores."""

    params = (["float64", "float32", "int64"], ["int64", "bool"], [0, 21])
    param_names = ("scores", "labels", "distinct")

    def setup(self, scores, labels, distinct):
        """Make the ranking; whole numbers of a thousandth."""
        y_true, y_score = make_list(10**6, 0.02)
        if distinct:
            y_score = np.clip(np.rint(y_score * 4), -10, distinct - 11)
        if scores == "int64":
            y_score = np.rint(1000 * y_score)
        self.y_true, self.y_score = y_true.astype(labels), y_score.astype(scores)

    def time_average_precision(self, *_):
        """Time of one call."""
        average_precision(self.y_true, self.y_score)


class Memory:
    """Peak memory, the ranking included."""

    params = (["average_precision", "hit_curve", "precision_at_t"],)
    param_names = ("question",)

    def setup(self, question):
        """Make a ranking of 80 MB."""
        self.ask = QUESTIONS[question]
        self.y_true, self.y_score = make_list(10**7, 0.001)

    def peakmem_question(self, *_):
        """Memory of one call."""
        self.ask(self.y_true, self.y_score)
