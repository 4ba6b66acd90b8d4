"""Scores of a fitted estimator, oriented so that higher means a likelier target.

What comes in is any fitted estimator; what goes out is one score an item, or a
refusal. An estimator ranks by the first it has of the methods in ``RESPONSE_METHODS``.
Refused rather than guessed at are labels where scores belong, and the way in which an
outlier detector points.
"""

from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import is_classifier, is_outlier_detector, is_regressor
from sklearn.utils.validation import check_is_fitted

from skrank._utils._checks import check_option, invalid
from skrank._utils._text import brief
from skrank.ranking._device import namespace_of, to_host

RESPONSE_METHODS = ("decision_function", "predict_proba", "predict")


class Orientation(NamedTuple):
    """How an estimator's output points to the targets.

    `method` gives the output; `target_class` is the index of the target class of a
    classifier; the output of anything else is multiplied by `sign`.
    """

    method: str
    target_class: int | None = None
    sign: int = 1

    def scores(self, output: Any) -> Any:
        """Scores of the items, from what the method gave, where that is."""
        values: Any = output if namespace_of(output) else np.asarray(output)
        if self.target_class is None:
            return self.sign * values
        if self.method == "predict_proba":
            if values.ndim != 2 or values.shape[1] != 2:
                rule = "have a predict_proba of shape (n_samples, 2) for two classes"
                raise invalid("estimator", rule, f"shape {values.shape}")
            return values[:, self.target_class]
        return values if self.target_class == 1 else -values


def target_scores(
    estimator: Any,
    X: Any,  # noqa: N803
    y_true: ArrayLike,
    *,
    pos_label: object = None,
    detector_targets: str | None = None,
) -> Any:
    """Scores for the target class, by the first response method there is."""
    points = orientation(estimator, y_true, pos_label, detector_targets)
    return points.scores(getattr(estimator, points.method)(X))


def orientation(
    estimator: Any,
    y_true: ArrayLike,
    pos_label: object = None,
    detector_targets: str | None = None,
) -> Orientation:
    """Find out how the estimator points to the targets, or refuse to guess."""
    check_estimator(estimator)
    check_detector_targets(detector_targets)
    name = type(estimator).__name__
    methods = [method for method in RESPONSE_METHODS if hasattr(estimator, method)]
    if not methods:
        rule = f"have one of the methods {', '.join(RESPONSE_METHODS)}"
        raise invalid("estimator", rule, name)
    if is_classifier(estimator):
        if methods == ["predict"]:
            rule = "have decision_function or predict_proba, since labels do not rank"
            raise invalid("estimator", rule, f"the classifier {name} without them")
        return Orientation(methods[0], _target_class(estimator, pos_label))
    if is_outlier_detector(estimator):
        sign = _detector_sign(estimator, y_true, pos_label, detector_targets)
        return Orientation(methods[0], sign=sign)
    if hasattr(estimator, "predict_proba") or hasattr(estimator, "classes_"):
        rule = "be a classifier to scikit-learn (see ClassifierMixin) if it has classes"
        raise invalid("estimator", rule, f"{name}, which is not")
    if pos_label is not None and is_regressor(estimator):
        _check_regressor(estimator, y_true, pos_label)
    return Orientation(methods[0])


def check_estimator(estimator: Any) -> None:
    """Check that something is an estimator, and no class of estimators."""
    if isinstance(estimator, type):
        name = estimator.__name__
        raise invalid("estimator", f"be an instance, as {name}()", f"the class {name}")
    if not any(hasattr(estimator, name) for name in ("fit", *RESPONSE_METHODS)):
        raise invalid("estimator", "be an estimator", brief(estimator))


def check_detector_targets(detector_targets: str | None) -> None:
    """Check what the targets are to an outlier detector, if that is stated."""
    check_option("detector_targets", detector_targets, (None, "outliers", "inliers"))


def _detector_sign(
    estimator: Any,
    y_true: ArrayLike,
    pos_label: object,
    detector_targets: str | None,
) -> int:
    """scikit-learn's detectors score inliers higher; users mostly look for outliers."""
    name = type(estimator).__name__
    if detector_targets is None:
        rule = (
            'be "outliers" or "inliers" for an outlier detector, which scores inliers '
            "higher"
        )
        raise invalid("detector_targets", rule, f"detector_targets=None with {name}")
    labels = np.asarray(y_true)
    if pos_label is None and labels.dtype.kind in "if" and np.any(labels == -1):
        rule = (
            "be -1 or 1 for an outlier detector and labels {-1, 1}, of which -1 may "
            "mean outlier"
        )
        raise invalid("pos_label", rule, f"pos_label=None with {name}")
    return -1 if detector_targets == "outliers" else 1


def _target_class(estimator: Any, pos_label: object) -> int:
    """Index of the target class among the two that a classifier knows."""
    if not hasattr(estimator, "classes_"):
        check_is_fitted(estimator)
    classes = to_host(estimator.classes_).tolist()
    if len(classes) != 2:
        rule = "know two classes, the target and the rest, as if fitted on y == target"
        raise invalid("estimator", rule, brief(classes))
    if pos_label is None:
        if classes[1] == 1 and classes[0] in (0, -1):
            return 1
        rule = (
            "name the target class of a classifier whose classes are not {0, 1}, "
            "{-1, 1} or bool"
        )
        raise invalid("pos_label", rule, f"pos_label=None, classes {brief(classes)}")
    if pos_label not in classes:
        raise invalid("pos_label", f"be one of {brief(classes)}", brief(pos_label))
    return int(classes.index(pos_label))


def _check_regressor(estimator: Any, y_true: ArrayLike, pos_label: object) -> None:
    """A regressor's prediction points to the larger of two numbers."""
    labels = np.array(np.asarray(y_true).tolist())
    is_number = isinstance(pos_label, Real) and labels.dtype.kind in "biuf"
    if is_number and np.any(labels > pos_label):
        rule = "be the larger label for a regressor, whose predictions point to it"
        got = f"pos_label={brief(pos_label)} with {type(estimator).__name__}"
        raise invalid("pos_label", rule, got)
