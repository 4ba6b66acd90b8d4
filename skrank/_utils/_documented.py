"""Texts of parameters that several public functions share, written once.

A docstring names a text by a line in braces, such as ``{pos_label}``. The decorator
`documented` replaces the line when the module is imported.
"""

import inspect
from typing import TypeVar

Documented = TypeVar("Documented")

TEXTS = {
    "metric": """metric : str or Metric, default="average_precision"
    Metric by its printed name, such as "average_precision@50", "recall@5%" or
    "bedroc(alpha=20)" (:ref:`metric_names`), or an object of :func:`make_metric`
    with its own tie rule.""",
    "ties": """ties : {"expected", "threshold", "optimistic", "pessimistic"}, \
default="expected"
    Tie rule of the metric.""",
    "y_true": """y_true : array-like of shape (n_samples,), Ranking or RankCounts
    Labels of the items; both targets and non-targets. A Ranking or RankCounts
    replaces labels and scores.""",
    "y_score": """y_score : array-like of shape (n_samples,), mapping, data frame or \
array of shape (n_samples, n_models), default=None
    Scores of the items; a higher score means a likelier target. A mapping from
    names to scores, or columns, are the scores of several models. Required unless
    `y_true` is a Ranking or RankCounts.""",
    "pos_label": """pos_label : int, float, bool or str, default=None
    Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.""",
    "groups": """groups : array-like of shape (n_samples,), default=None
    Ranking that each item belongs to, such as its query or its day. Items are
    ranked within each ranking, cutoffs apply to each, and the value is the mean.
    If items depend on each other across rankings, such as those of a machine over
    the days, give these as `clusters` as well (:ref:`clusters_over_groups`).""",
    "clusters": """clusters : array-like of shape (n_samples,), default=None
    Cluster of each item, such as the patient of an image. Items of one cluster may
    depend on each other (:ref:`clusters`).""",
    "strata": """strata : array-like of shape (n_samples,), default=None
    Stratum of each item, such as its hospital. Only a test against random selection
    uses it: labels are permuted within strata.""",
    "folds": """folds : array-like of shape (n_samples,), default=None
    Fold in which each item was held out, if the scores are those of models that were
    fitted to the other folds. The items of each fold are ranked.""",
    "sample_weight": """sample_weight : array-like of shape (n_samples,), default=None
    Weights of the items, as in the metric functions. Only intervals use them.""",
    "n_missed": """n_missed : int, default=0
    Targets that were never scored. They count among the targets and have no rank.
    Only a test against random selection uses them.""",
    "estimator": """estimator : estimator instance or mapping
    Fitted classifier, regressor, ranker or outlier detector, or a mapping from names
    to several. For the method that gives the scores see
    :ref:`scores_of_estimators`.""",
    "unfitted": """estimator : estimator instance, mapping or list
    Classifier, regressor, ranker or outlier detector, or several, by name or in a
    list. They are cloned and fitted for each fold.""",
    "X": """X : array-like of shape (n_samples, n_features)
    Items to rank, other than those on which the estimator was fitted.""",
    "X_fit": """X : array-like of shape (n_samples, n_features)
    Items to fit and to rank.""",
    "y": """y : array-like of shape (n_samples,)
    Their labels.""",
    "detector_targets": """detector_targets : {"outliers", "inliers"}, default=None
    What the targets are to an outlier detector. Required for an outlier detector.
    Other estimators are not affected.""",
    "cv": """cv : int, cross-validation generator or iterable, default=5
    As in :func:`sklearn.model_selection.cross_validate`. An int makes stratified
    folds for a classifier.""",
    "cv_groups": """cv_groups : array-like of shape (n_samples,), default=None
    Groups for splitters that keep them together, such as
    :class:`sklearn.model_selection.GroupKFold`.""",
    "params": """params : dict, default=None
    Parameters of ``fit``, such as ``{"sample_weight": w}``, as in
    :func:`sklearn.model_selection.cross_validate`. They do not change the metric.""",
    "cv_results": """cv_results : dict, or mapping from names to several
    Result of :func:`sklearn.model_selection.cross_validate` with
    ``return_estimator=True, return_indices=True``.""",
    "data": """**data : dict
    `groups`, `clusters`, `strata`, `folds`, `sample_weight` and `n_missed`, as in
    `from_predictions`.""",
    "data_cv": """**data : dict
    `groups`, `pos_label` and `detector_targets`, as in the other entrances. Clusters
    are kept together by `cv_groups`, since the folds are the sample here.""",
    "as_fraction": """as_fraction : bool, default=False
    Whether depths and hits are fractions of the ranking. By default they are numbers
    of items.""",
    "pvalue_of_curve": """pvalue : bool, default=None
    Whether the legend has the p-value against random selection. None leaves it out if
    it may take more than about two seconds (few targets in a very long ranking), if
    items have weights, with groups, and with more than ten folds.""",
    "ax": """ax : matplotlib Axes, default=None
    Where to draw. None makes a new figure.""",
    "names": """names : pair of str, default=("A", "B")
    Names of A and B in print.""",
    "of_results": """metric, method : str
    Name of the metric with its cutoff; method, never "auto".
n_samples, n_targets, n_missed : int
    Number of items, of targets among them, and of targets that were never scored, in
    all rankings together. Items in several folds count once.
n_rankings : int
    Number of rankings: groups, folds, or the only one.
kind : {"one", "groups", "folds"}
    What the rankings are.
labels : tuple
    Labels of several rankings: the values of `groups`, or the numbers of the folds.
n_clusters : int
    Number of `clusters`; 0 if they are not given.""",
    "n_resamples": """n_resamples : int, default=9999
    Number of draws.""",
    "n_jobs": """n_jobs : int, default=None
    Number of joblib jobs. The result does not depend on it.""",
    "progress": """progress : bool, default=False
    Whether to show progress bars; needs tqdm.""",
    "random_state": """random_state : int, RandomState, Generator or None, default=None
    Source of randomness of methods that draw.""",
}


def documented(thing: Documented) -> Documented:
    """Fill the texts of a function, or of a class and its own methods."""
    own = [getattr(one, "__func__", one) for one in vars(thing).values()]
    for one in (thing, *filter(inspect.isfunction, own)):
        if one.__doc__ is not None:
            one.__doc__ = filled(one.__doc__)
    return thing


def filled(text: str) -> str:
    """Replace lines that name a text."""
    lines = []
    for line in text.splitlines():
        name = line.strip()
        found = TEXTS.get(name[1:-1]) if name[:1] + name[-1:] == "{}" else None
        indent = line[: len(line) - len(line.lstrip())]
        lines += [indent + one for one in found.splitlines()] if found else [line]
    return "\n".join(lines)
