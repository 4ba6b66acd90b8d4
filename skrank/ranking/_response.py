"""Scores of a fitted estimator, oriented so that higher scores mean likelier targets.

The scores are the output of the first method in ``RESPONSE_METHODS`` that the estimator
has. An error is raised for an estimator that only gives labels, and for an outlier
detector without `detector_targets`.
"""

from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import (
    BaseEstimator,
    OutlierMixin,
    is_classifier,
    is_outlier_detector,
    is_regressor,
)
from sklearn.utils.validation import check_is_fitted

from skrank._utils._checks import check_option, invalid
from skrank._utils._columns import (
    as_array,
    as_column_with_gaps,
    as_numbers,
    check_order,
    rows,
)
from skrank._utils._text import as_text, brief
from skrank.ranking._input import check_known_classes, count_labels, mark_targets

RESPONSE_METHODS = ("decision_function", "predict_proba", "predict")


class Orientation(NamedTuple):
    """How an estimator's output is converted to scores of the targets.

    `method` gives the output; `target_class` is the index of the target class among the
    `n_classes` of a classifier, and `label` its label; all other output is multiplied
    by `sign`.
    """

    method: str
    target_class: int | None = None
    n_classes: int = 2
    sign: int = 1
    label: object = None

    @property
    def of_two(self) -> bool:
        """Whether the scores are those of a classifier of two classes."""
        return self.target_class is not None and self.n_classes == 2

    @property
    def name(self) -> str:
        """What the scores are, in words."""
        minus, column = self._parts
        shown = f" of class {as_text(self.label)}" if column else ""
        return f"{'minus ' if minus else ''}{self.method}{shown}"

    @property
    def code(self) -> str:
        """What the scores are, in code."""
        minus, column = self._parts
        return f"{'-' if minus else ''}estimator.{self.method}(X){column}"

    @property
    def _parts(self) -> tuple[bool, str]:
        """Whether the output is negated, and the code of the column that is taken."""
        if self.of_two and self.method != "predict_proba":
            return self.target_class == 0, ""
        column = "" if self.target_class is None else f"[:, {self.target_class}]"
        return self.sign < 0, column

    def marks(self, y_true: ArrayLike, pos_label: object) -> NDArray[np.bool_]:
        """Return whether each item is a target; a known class may have no items."""
        return mark_targets(y_true, pos_label, whole=self.target_class is None)

    def scores(self, output: Any) -> Any:
        """Return the scores of the items from the output of the method."""
        name = f"estimator.{self.method}(X)"
        minus, column = self._parts
        values: Any = (as_array if column else as_numbers)(name, output)
        of_classes = self.target_class is not None and self.method == "predict"
        if of_classes and (values.dtype.kind != "f" or not np.any(values % 1)):
            rule = "have decision_function or predict_proba, as labels do not rank"
            raise invalid("estimator", rule, f"a classifier whose {name} is labels")
        if not column:
            return -values if minus else values
        if values.ndim != 2 or values.shape[1] != self.n_classes:
            rule = (
                f"have a {self.method} of shape (n_samples, {self.n_classes}), one "
                "column per class"
            )
            raise invalid("estimator", rule, f"shape {values.shape}")
        return values[:, self.target_class]


def target_scores(
    estimator: Any,
    X: Any,  # noqa: N803
    y_true: ArrayLike,
    *,
    pos_label: object = None,
    detector_targets: str | None = None,
) -> Any:
    """Return scores for the target class, by the first response method that exists."""
    return oriented_scores(estimator, X, y_true, pos_label, detector_targets)[1]


def oriented_scores(
    estimator: Any,
    X: Any,  # noqa: N803
    y_true: ArrayLike,
    pos_label: object,
    detector_targets: str | None,
) -> tuple[Orientation, Any]:
    """Return how the output points to the targets, and the scores of the items."""
    points = orientation(estimator, X, y_true, pos_label, detector_targets)
    return points, points.scores(getattr(estimator, points.method)(X))


def marks_and_scores(
    estimator: Any,
    X: Any,  # noqa: N803
    y_true: ArrayLike,
    pos_label: object,
    detector_targets: str | None,
    *,
    gaps: bool = False,
) -> tuple[NDArray[Any], Any, Orientation]:
    """Return whether each item is a target, its score, and what the scores are.

    The result is ranked without `pos_label`. A class of the estimator may have no
    items. With `gaps` labels may be missing, as the marks then are.
    """
    check_order(X, y_true)
    known, labels = as_column_with_gaps("y", y_true if gaps else [0])
    if not known.any():
        raise invalid("y", "contain at least one label", "none")
    if not known.all():
        found = labels[known].tolist()
        points, scores = oriented_scores(
            estimator, X, found, pos_label, detector_targets
        )
        marks = np.full(labels.size, np.nan)
        marks[known] = points.marks(found, pos_label)
        return marks, scores, points
    points, scores = oriented_scores(estimator, X, y_true, pos_label, detector_targets)
    return points.marks(y_true, pos_label), scores, points


def orientation(
    estimator: Any,
    X: Any,  # noqa: N803
    y_true: ArrayLike,
    pos_label: object = None,
    detector_targets: str | None = None,
) -> Orientation:
    """Return how the estimator's output points to the targets, or raise an error."""
    check_estimator(estimator)
    check_detector_targets(detector_targets)
    name = type(estimator).__name__
    methods = [method for method in RESPONSE_METHODS if hasattr(estimator, method)]
    if not methods:
        rule = f"have one of the methods {', '.join(RESPONSE_METHODS)}"
        raise invalid("estimator", rule, name)
    is_detector = is_outlier_detector(estimator)
    classes: Any = getattr(estimator, "classes_", None)  # rankers may have empty ones
    has_classes = hasattr(classes, "__len__") and len(classes) > 0
    ranks_classes = has_classes and not is_detector and methods != ["predict"]
    if is_classifier(estimator) or ranks_classes:
        label, target, n_classes = _target_class(estimator, y_true, pos_label)
        if n_classes > 2 and "predict_proba" in methods:
            # decision functions often compare the classes of an item, and rank items
            # worse: AP of ten digits .69, and .76 by probabilities (logistic
            # regression)
            methods = ["predict_proba"]
        elif n_classes > 2 and _is_one_against_one(estimator):
            rule = 'have decision_function_shape="ovr" for more than two classes'
            raise invalid("estimator", rule, f'"ovo", no predict_proba, in {name}')
        return Orientation(methods[0], target, n_classes, label=label)
    if is_detector:
        _check_detector(estimator, y_true, pos_label, detector_targets)
        larger = "outliers" if _scores_outliers_higher(estimator, X) else "inliers"
        return Orientation(methods[0], sign=1 if larger == detector_targets else -1)
    kind = getattr(estimator, "_estimator_type", None)  # its tags may not have it
    predicts_numbers = is_regressor(estimator) or kind in ("regressor", "ranker")
    if predicts_numbers:
        methods = ["predict"]
    elif has_classes or hasattr(estimator, "predict_proba"):
        rule = "be a classifier for scikit-learn, or have classes_ and scores of them"
        raise invalid("estimator", rule, f"{name}, which is not")
    if pos_label is not None and predicts_numbers:
        _check_regressor(estimator, y_true, pos_label)
    return Orientation(methods[0])


def check_estimator(estimator: Any) -> None:
    """Check that the argument is an estimator, and not a class."""
    if isinstance(estimator, type):
        name = estimator.__name__
        raise invalid("estimator", f"be an instance, as {name}()", f"the class {name}")
    if not any(hasattr(estimator, name) for name in ("fit", *RESPONSE_METHODS)):
        raise invalid("estimator", "be an estimator", brief(estimator))
    marks = [hasattr(estimator, one) for one in ("__sklearn_tags__", "_estimator_type")]
    if not (isinstance(estimator, BaseEstimator) or any(marks)):
        rule = (
            "be an estimator of scikit-learn, or else pass its scores of the targets "
            "to from_predictions, as in from_predictions(y, scores)"
        )
        raise invalid("estimator", rule, type(estimator).__name__)


def check_detector_targets(detector_targets: str | None) -> None:
    """Check what the targets are to an outlier detector, if it is given."""
    check_option("detector_targets", detector_targets, (None, "outliers", "inliers"))


def _scores_outliers_higher(estimator: Any, X: Any) -> bool:  # noqa: N803
    """Whether larger scores mean outliers, by the labels that the detector predicts.

    Detectors of scikit-learn predict -1 for outliers and 1 for inliers, and score
    inliers higher. Those of PyOD predict 1 for outliers and 0 for inliers, and score
    outliers higher. Some items tell, unless all of them are predicted to be 1.
    """
    n_samples = X.shape[0] if hasattr(X, "shape") else len(X)
    for step in (max(1, n_samples // 1000), 1):
        if not hasattr(estimator, "predict"):
            break
        some = rows(X, np.arange(0, n_samples, step))
        labels = set(np.unique(np.asarray(estimator.predict(some))).tolist())
        if labels <= {-1, 1} and -1 in labels:
            return False
        if labels <= {0, 1} and 0 in labels:
            return True
    final = getattr(estimator, "best_estimator_", estimator)
    while hasattr(final, "steps"):
        final = final.steps[-1][1]
    if isinstance(final, OutlierMixin):
        return False
    rule = (
        "predict labels {-1, 1}, as in scikit-learn, or {0, 1}, as in PyOD, which show "
        "whether larger scores mean outliers; pass its scores to from_predictions"
    )
    raise invalid("estimator", rule, type(estimator).__name__)


def _check_detector(
    estimator: Any, y_true: ArrayLike, pos_label: object, detector_targets: str | None
) -> None:
    """Check that the targets are said to be outliers or inliers, by clear labels."""
    name = type(estimator).__name__
    if detector_targets is None:
        rule = (
            'be "outliers" or "inliers" for an outlier detector, whose scores point to '
            "outliers or to inliers"
        )
        raise invalid("detector_targets", rule, f"detector_targets=None with {name}")
    labels = np.asarray(y_true)
    if pos_label is None and labels.dtype.kind in "if" and np.any(labels == -1):
        rule = (
            "be -1 or 1 for an outlier detector and labels {-1, 1}, of which -1 may "
            "mean outlier"
        )
        raise invalid("pos_label", rule, f"pos_label=None with {name}")


def _is_one_against_one(estimator: Any) -> bool:
    """Whether the columns of a decision_function are pairs of classes.

    Three classes have three pairs, so the shape is not sufficient. Searches and
    pipelines have the parameter behind the names of their steps.
    """
    fitted = getattr(estimator, "best_estimator_", estimator)
    params = fitted.get_params() if hasattr(fitted, "get_params") else {}
    name = "decision_function_shape"
    shapes = [params[one] for one in params if one.endswith(name)]
    shapes.append(getattr(fitted, name, None))  # parameters of a frozen estimator
    return "ovo" in shapes


def _target_class(
    estimator: Any, y_true: ArrayLike, pos_label: object
) -> tuple[object, int, int]:
    """Return a classifier's target class, its index, and the number of classes."""
    if not hasattr(estimator, "classes_"):
        check_is_fitted(estimator)
    classes = as_array("estimator.classes_", estimator.classes_).tolist()
    if len(classes) < 2 or isinstance(classes[0], list):
        rule = "have at least two classes and one output"
        raise invalid("estimator", rule, brief(classes))
    check_known_classes(y_true, classes)
    if pos_label is None:
        if classes in ([0, 1], [-1, 1]):
            return classes[1], 1, 2
        rule = (
            "name the target class of a classifier whose classes are not {0, 1}, "
            "{-1, 1} or bool"
        )
        got = f"None for labels {count_labels(y_true, classes)}"
        raise invalid("pos_label", rule, got)
    if pos_label not in classes:
        raise invalid("pos_label", f"be one of {brief(classes)}", brief(pos_label))
    return pos_label, classes.index(pos_label), len(classes)


def _check_regressor(estimator: Any, y_true: ArrayLike, pos_label: object) -> None:
    """Check that the targets have the larger of two numbers, as regressors need."""
    labels = np.array(np.asarray(y_true).tolist())
    is_number = isinstance(pos_label, Real) and labels.dtype.kind in "biuf"
    if is_number and np.any(labels > pos_label):
        rule = (
            "be the larger label for a regressor, which predicts larger values for it"
        )
        got = f"pos_label={brief(pos_label)} with {type(estimator).__name__}"
        raise invalid("pos_label", rule, got)
