"""Scorer factories: a metric, its settings bound, as scikit-learn's ``scoring=``.

What comes in are a metric's settings. What goes out is a scorer made by
:func:`sklearn.metrics.make_scorer`, so that searches, cross-validation and curves treat
it as their own: it is pickled, cloned, routed, and computes the predictions of a fold
once for all scorers of a multi-metric search. There is no arithmetic here.

A scorer ranks by ``decision_function``, else ``predict_proba``, else, for regressors
and plain rankers, ``predict``.
"""

from skrank.metrics._scorers._factories import (
    make_average_precision_at_k_scorer,
    make_average_precision_scorer,
    make_metric_scorer,
    make_precision_at_t_scorer,
    make_recall_at_t_scorer,
)
from skrank.metrics._scorers._rare_target_scorers import make_rare_target_scorers

__all__ = [
    "make_average_precision_at_k_scorer",
    "make_average_precision_scorer",
    "make_metric_scorer",
    "make_precision_at_t_scorer",
    "make_rare_target_scorers",
    "make_recall_at_t_scorer",
]
