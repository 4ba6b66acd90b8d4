"""Scores of a fitted estimator, oriented so that higher means a likelier target.

What comes in is any fitted estimator; what goes out is one score an item, or a
refusal. An estimator ranks by the first it has of the methods in ``RESPONSE_METHODS``.
Refused rather than guessed at are labels where scores belong, and the way in which an
outlier detector points.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier, is_outlier_detector, is_regressor
from sklearn.utils.validation import check_is_fitted

from skrank._validation import check_option

#: One tuple for all scorers: scikit-learn computes it once for all that share it.
RESPONSE_METHODS = ("decision_function", "predict_proba", "predict")
DETECTOR_TARGETS = ("outliers", "inliers")


def target_scores(
    estimator: Any,
    X: Any,  # noqa: N803
    y_true: ArrayLike,
    *,
    pos_label: object = None,
    detector_targets: str | None = None,
) -> NDArray[Any]:
    """Scores for the target class, by the first response method there is."""
    check_detector_targets(detector_targets)
    names = [name for name in RESPONSE_METHODS if hasattr(estimator, name)]
    if not names:
        listed = ", ".join(RESPONSE_METHODS)
        msg = (
            f"`estimator` must have one of the methods {listed}; "
            f"got {_type_name(estimator)}."
        )
        raise ValueError(msg)
    sign = orientation(estimator, y_true, pos_label, detector_targets)
    scores = np.asarray(getattr(estimator, names[0])(X))
    return sign * (scores[:, 1] if names[0] == "predict_proba" else scores)


def orientation(
    estimator: Any,
    y_true: ArrayLike,
    pos_label: object = None,
    detector_targets: str | None = None,
) -> int:
    """1 if the estimator's scores point to the targets, -1 if away from them."""
    labels = np.asarray(y_true)
    if is_outlier_detector(estimator):
        return _detector_orientation(estimator, labels, pos_label, detector_targets)
    if is_classifier(estimator):
        return _classifier_orientation(estimator, pos_label)
    if is_regressor(estimator) and pos_label is not None:
        _check_regressor(estimator, labels, pos_label)
    return 1


def check_detector_targets(detector_targets: str | None) -> None:
    """Check what the targets are to an outlier detector, if that is stated."""
    if detector_targets is not None:
        check_option("detector_targets", detector_targets, DETECTOR_TARGETS)


def _detector_orientation(
    estimator: Any,
    labels: NDArray[Any],
    pos_label: object,
    detector_targets: str | None,
) -> int:
    """scikit-learn's detectors score inliers higher; users mostly look for outliers."""
    if detector_targets is None:
        msg = (
            '`detector_targets` must be "outliers" or "inliers" for an outlier '
            "detector, which scores inliers higher; got detector_targets=None with "
            f"{_type_name(estimator)}."
        )
        raise ValueError(msg)
    if pos_label is None and labels.dtype.kind in "if" and np.any(labels == -1):
        msg = (
            "`pos_label` must be -1 or 1 for an outlier detector and labels {-1, 1}, "
            "of which -1 may mean outlier; got pos_label=None with "
            f"{_type_name(estimator)}."
        )
        raise ValueError(msg)
    return -1 if detector_targets == "outliers" else 1


def _classifier_orientation(estimator: Any, pos_label: object) -> int:
    """A classifier's scores point to the second of its two classes."""
    if not any(hasattr(estimator, name) for name in RESPONSE_METHODS[:-1]):
        msg = (
            "`estimator` must have decision_function or predict_proba, since labels do "
            f"not rank; got the classifier {_type_name(estimator)} without them."
        )
        raise ValueError(msg)
    check_is_fitted(estimator)
    classes = np.asarray(estimator.classes_).tolist()
    if len(classes) != 2:
        msg = (
            "`estimator` must know two classes, the target and the rest, as if fitted "
            f"on y == target; got {classes}."
        )
        raise ValueError(msg)
    if pos_label is None and classes[1] == 1 and classes[0] in (0, -1):
        return 1
    if pos_label is None:
        msg = (
            "`pos_label` must name the target class of a classifier whose classes are "
            f"not {{0, 1}}, {{-1, 1}} or bool; got pos_label=None, classes {classes}."
        )
        raise ValueError(msg)
    if pos_label not in classes:
        msg = f"`pos_label` must be one of {classes}; got {pos_label!r}."
        raise ValueError(msg)
    return 1 if classes[1] == pos_label else -1


def _check_regressor(estimator: Any, labels: NDArray[Any], pos_label: object) -> None:
    """A regressor's prediction points to the larger of two numbers."""
    if labels.dtype.kind in "biuf" and np.any(labels > pos_label):
        msg = (
            "`pos_label` must be the larger label for a regressor, whose predictions "
            f"point to it; got pos_label={pos_label!r} with {_type_name(estimator)}."
        )
        raise ValueError(msg)


def _type_name(estimator: Any) -> str:
    return type(estimator).__name__
