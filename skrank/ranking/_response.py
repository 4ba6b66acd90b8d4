"""Scores of a fitted estimator, oriented so that higher means a likelier target.

What comes in is any fitted estimator; what goes out is one score an item, or a
refusal. An estimator ranks by the first it has of the methods in ``RESPONSE_METHODS``.
Refused rather than guessed at are labels where scores belong, and the way in which an
outlier detector points.
"""

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier, is_outlier_detector, is_regressor
from sklearn.utils.validation import check_is_fitted

from skrank._utils._checks import check_option
from skrank._utils._text import brief

#: One tuple for all scorers: scikit-learn computes it once for all that share it.
RESPONSE_METHODS = ("decision_function", "predict_proba", "predict")
DETECTOR_TARGETS = ("outliers", "inliers")


@dataclass(frozen=True, slots=True)
class Orientation:
    """How an estimator's output points to the targets.

    `target_class` is the index of the target class of a classifier; the output of
    anything else is multiplied by `sign`.
    """

    target_class: int | None = None
    sign: int = 1


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
    points = orientation(estimator, y_true, pos_label, detector_targets)
    scores = np.asarray(getattr(estimator, names[0])(X))
    if points.target_class is None:
        return points.sign * scores
    if names[0] == "predict_proba":
        return scores[:, points.target_class]
    return scores if points.target_class == 1 else -scores


def orientation(
    estimator: Any,
    y_true: ArrayLike,
    pos_label: object = None,
    detector_targets: str | None = None,
) -> Orientation:
    """Find out how the estimator points to the targets, or refuse to guess."""
    check_estimator(estimator)
    labels = np.asarray(y_true)
    if is_classifier(estimator):
        return Orientation(target_class=_target_class(estimator, pos_label))
    if is_outlier_detector(estimator):
        return Orientation(
            sign=_detector_sign(estimator, labels, pos_label, detector_targets)
        )
    if hasattr(estimator, "predict_proba") or hasattr(estimator, "classes_"):
        msg = (
            "`estimator` must be a classifier to scikit-learn (see ClassifierMixin) if "
            f"it has classes; got {_type_name(estimator)}, which is not."
        )
        raise ValueError(msg)
    if is_regressor(estimator) and pos_label is not None:
        _check_regressor(estimator, labels, pos_label)
    return Orientation()


def check_estimator(estimator: Any) -> None:
    """Check that something is an estimator, and no class of estimators."""
    if isinstance(estimator, type):
        name = estimator.__name__
        msg = f"`estimator` must be an instance, as {name}(); got the class {name}."
        raise ValueError(msg)
    if not any(hasattr(estimator, name) for name in ("fit", *RESPONSE_METHODS)):
        msg = f"`estimator` must be an estimator; got {brief(estimator)}."
        raise ValueError(msg)


def check_detector_targets(detector_targets: str | None) -> None:
    """Check what the targets are to an outlier detector, if that is stated."""
    if detector_targets is not None:
        check_option("detector_targets", detector_targets, DETECTOR_TARGETS)


def _detector_sign(
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


def _target_class(estimator: Any, pos_label: object) -> int:
    """Index of the target class among the two that a classifier knows."""
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
            f"on y == target; got {brief(classes)}."
        )
        raise ValueError(msg)
    if pos_label is None and classes[1] == 1 and classes[0] in (0, -1):
        return 1
    if pos_label is None:
        msg = (
            "`pos_label` must name the target class of a classifier whose classes are "
            "not {0, 1}, {-1, 1} or bool; got pos_label=None, classes "
            f"{brief(classes)}."
        )
        raise ValueError(msg)
    if pos_label not in classes:
        msg = f"`pos_label` must be one of {brief(classes)}; got {brief(pos_label)}."
        raise ValueError(msg)
    return int(classes.index(pos_label))


def _check_regressor(estimator: Any, labels: NDArray[Any], pos_label: object) -> None:
    """A regressor's prediction points to the larger of two numbers."""
    labels = np.array(labels.tolist())
    if not isinstance(pos_label, Real) or labels.dtype.kind not in "biuf":
        return
    if np.any(labels > pos_label):
        msg = (
            "`pos_label` must be the larger label for a regressor, whose predictions "
            f"point to it; got pos_label={brief(pos_label)} with "
            f"{_type_name(estimator)}."
        )
        raise ValueError(msg)


def _type_name(estimator: Any) -> str:
    return type(estimator).__name__
