"""Base classes with the entrances of displays.

An entrance, ``from_...``, makes `Rankings` of data in any form, and `from_rankings`
draws these.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from inspect import Signature, signature
from typing import Any, ClassVar, Self, TypeVar

from skrank._utils._checks import invalid
from skrank._utils._signature import without
from skrank._utils._text import brief
from skrank.displays import _drawing
from skrank.ranking._rankings import Rankings
from skrank.ranking._score_table import MODEL

Entrance = TypeVar("Entrance", bound=Callable[..., Any])


def _as_of_rankings(entrance: Entrance) -> Entrance:
    """Show the parameters of the method of `Rankings` that has the same name."""
    first, *_, others = signature(entrance).parameters.values()
    every = signature(getattr(Rankings, entrance.__name__)).parameters
    shown = [one for name, one in every.items() if name != "repeated"]
    entrance.__signature__ = Signature([first, *shown, others])  # type: ignore[attr-defined]
    return entrance


class FromData(ABC):
    """Base class of displays of rankings."""

    #: What the figure does not use beside plain items, each with the reason.
    _refuses: ClassVar[Mapping[str, str]] = {}
    #: Whether an item may be held out by several folds.
    _repeated: ClassVar[bool] = True

    def __init_subclass__(cls, **settings: Any) -> None:
        """Show in the entrances only what the figure uses."""
        super().__init_subclass__(**settings)
        for name in ("from_predictions", "from_estimator"):
            shown = without(getattr(cls, name).__func__, cls._refuses)
            setattr(cls, name, classmethod(shown))

    @classmethod
    @abstractmethod
    def from_rankings(cls, rankings: Any, **kwargs: Any) -> Self:
        """Draw rankings."""

    @abstractmethod
    def plot(self, *args: Any, **kwargs: Any) -> Self:
        """Draw the data."""

    @classmethod
    def _drawn(
        cls,
        make: Callable[..., Rankings],
        data: Sequence[Any],
        given: dict[str, Any],
        called: str | None = None,
    ) -> Self:
        """Draw what `make` ranks by data and columns.

        The columns are among the keywords that are given, beside those of the figure.
        If there is one model, `called` is its usual name.
        """
        entrance, every = getattr(cls, make.__name__), {*signature(make).parameters}
        columns = {name: given.pop(name) for name in every & {*given} - {"repeated"}}
        _drawing.check_call(entrance, given, cls.from_rankings, cls.plot)
        for name, reason in cls._refuses.items():
            if columns.get(name) is not None:
                rule = f"be left out for {cls.__name__}: {reason}"
                raise invalid(name, rule, brief(columns[name]))
        if "repeated" in every:
            columns["repeated"] = cls._repeated
        rankings = make(*data, **columns)
        has_name = "name" in signature(cls.from_rankings).parameters
        if has_name and rankings.names == (MODEL,) and given.get("name") is None:
            given["name"] = called
        return cls.from_rankings(rankings, **given)

    @classmethod
    @_as_of_rankings
    def from_predictions(cls, y_true: Any, y_score: Any = None, **kwargs: Any) -> Self:
        """Draw the rankings of labels and scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,), Ranking or RankCounts
            Labels of the items; both targets and non-targets. A Ranking or RankCounts
            replaces labels and scores.
        y_score : array-like of shape (n_samples,), mapping, data frame or array of \
            shape (n_samples, n_models), default=None
            Scores of the items; a higher score means a likelier target. Pass the scores
            of several models as a mapping from names to scores, or as columns. Required
            unless `y_true` is a Ranking or RankCounts.
        pos_label : int, float, bool or str, default=None
            Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
        lower_is_better : bool or sequence of str, default=False
            Whether lower scores mean likelier targets, as for docking energies. A
            sequence of names applies to these models only.
        missing : {"error", "last", "missed"}, default="error"
            How to treat items whose score is NaN, None or NA, such as compounds whose
            docking failed. "error" raises an error. "last" ranks them below all others,
            as one tie. "missed" leaves them out and counts the targets among them as
            `n_missed`.
        groups : array-like of shape (n_samples,), default=None
            Ranking that each item belongs to, such as its query or its day. Items are
            ranked within each group, cutoffs apply to each group, and the value is the
            mean over the groups. A cross-validation holds out whole groups. If items of
            different groups depend on each other, such as the items of one machine on
            several days, also pass `clusters` (:ref:`clusters_over_groups`).
        clusters : array-like of shape (n_samples,), default=None
            Cluster of each item, such as the patient of an image. Items of one cluster
            may depend on each other (:ref:`clusters`).
        strata : array-like of shape (n_samples,), default=None
            Stratum of each item, such as its hospital. A test against random selection
            permutes labels within strata. A comparison uses strata if labels are
            missing: the labelled items of each stratum are then a random sample of it
            (:ref:`sampled_labels`), and a plan of :func:`labels_to_collect` is
            accepted.
        folds : array-like of shape (n_samples,), default=None
            Fold in which each item was held out, if its score comes from a model that
            was fitted to the other folds. Items are ranked within each fold.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the items, as in the metric functions. Weighted curves have
            neither a chance band nor a p-value.
        n_missed : int or mapping, default=0
            Targets that were never scored. They count among the targets and have no
            rank. Intervals and comparisons of one ranking also need `n_unlisted`. With
            `groups`, pass a mapping from groups to numbers.
        n_unlisted : int or mapping, default=None
            Number of items that were never scored, including the missed targets. They
            rank below all others, as one tie. With `groups`, pass mappings from groups
            to numbers for both.
        **kwargs : dict
            Keyword arguments of `from_rankings` and `plot`, such as `ax`.

        Returns
        -------
        display : the display
            Display with the data and the matplotlib artists.

        Raises
        ------
        ValueError
            If labels, scores or another column are not valid, if there are no targets,
            or if the display does not support one of the arguments.
        """
        # shared: y_true y_score pos_label lower_is_better groups clusters strata folds
        #   sample_weight_of_figure n_missed n_unlisted missing
        return cls._drawn(Rankings.from_predictions, (y_true, y_score), kwargs)

    @classmethod
    @_as_of_rankings
    def from_estimator(cls, estimator: Any, X: Any, y: Any, **kwargs: Any) -> Self:  # noqa: N803
        """Draw the ranking of a fitted estimator, or of several.

        Parameters
        ----------
        estimator : estimator instance or mapping
            Fitted classifier, regressor, ranker or outlier detector, or a mapping from
            names to estimators if the figure can show several models. See
            :ref:`scores_of_estimators` for the method that computes the scores.
        X : array-like of shape (n_samples, n_features)
            Items to rank; not the items to which the estimator was fitted.
        y : array-like of shape (n_samples,)
            Labels of the items.
        pos_label : int, float, bool or str, default=None
            Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
        detector_targets : {"outliers", "inliers"}, default=None
            Whether the targets are the outliers or the inliers of an outlier detector.
            Required for an outlier detector; no effect on other estimators.
        groups : array-like of shape (n_samples,), default=None
            Ranking that each item belongs to, such as its query or its day. Items are
            ranked within each group, cutoffs apply to each group, and the value is the
            mean over the groups. A cross-validation holds out whole groups. If items of
            different groups depend on each other, such as the items of one machine on
            several days, also pass `clusters` (:ref:`clusters_over_groups`).
        clusters : array-like of shape (n_samples,), default=None
            Cluster of each item, such as the patient of an image. Items of one cluster
            may depend on each other (:ref:`clusters`).
        strata : array-like of shape (n_samples,), default=None
            Stratum of each item, such as its hospital. A test against random selection
            permutes labels within strata. A comparison uses strata if labels are
            missing: the labelled items of each stratum are then a random sample of it
            (:ref:`sampled_labels`), and a plan of :func:`labels_to_collect` is
            accepted.
        folds : array-like of shape (n_samples,), default=None
            Fold in which each item was held out, if its score comes from a model that
            was fitted to the other folds. Items are ranked within each fold.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the items, as in the metric functions. Weighted curves have
            neither a chance band nor a p-value.
        n_missed : int or mapping, default=0
            Targets that were never scored. They count among the targets and have no
            rank. Intervals and comparisons of one ranking also need `n_unlisted`. With
            `groups`, pass a mapping from groups to numbers.
        n_unlisted : int or mapping, default=None
            Number of items that were never scored, including the missed targets. They
            rank below all others, as one tie. With `groups`, pass mappings from groups
            to numbers for both.
        **kwargs : dict
            Keyword arguments of `from_rankings` and `plot`, such as `ax`. Without
            `name`, the curve of a single estimator is named after its class.

        Returns
        -------
        display : the display
            Display with the data and the matplotlib artists.

        Raises
        ------
        ValueError
            If an estimator only predicts labels, if it is an outlier detector and
            `detector_targets` is None, or if the input is not valid for
            `from_predictions`.
        """
        # shared: estimator_of_figure X y pos_label detector_targets groups clusters
        #   strata folds sample_weight_of_figure n_missed n_unlisted
        called = type(estimator).__name__
        return cls._drawn(Rankings.from_estimator, (estimator, X, y), kwargs, called)


class FromFolds(FromData):
    """Base class of displays of rankings, and of the folds of a cross-validation."""

    @classmethod
    @_as_of_rankings
    def from_cv(cls, estimator: Any, X: Any, y: Any, **kwargs: Any) -> Self:  # noqa: N803
        """Cross-validate an estimator, and draw the rankings of the held-out folds.

        Parameters
        ----------
        estimator : estimator instance
            Classifier, regressor, ranker or outlier detector. It is cloned and fitted
            for each fold.
        X : array-like of shape (n_samples, n_features)
            Items for fitting and ranking.
        y : array-like of shape (n_samples,)
            Labels of the items.
        cv : int, cross-validation generator or iterable, default=5
            As in :func:`sklearn.model_selection.cross_validate`. An int makes
            stratified folds for a classifier, or folds of whole groups with `groups` or
            `cv_groups`.
        cv_groups : array-like of shape (n_samples,), default=None
            Units that are held out whole, such as patients. None uses `groups`.
        params : dict, default=None
            Parameters of ``fit``, such as ``{"sample_weight": w}``, as in
            :func:`sklearn.model_selection.cross_validate`. They do not change the
            metric.
        n_jobs : int, default=None
            Number of joblib jobs. The result does not depend on it.
        progress : bool, default=False
            Whether to show progress bars; needs tqdm.
        groups : array-like of shape (n_samples,), default=None
            Ranking that each item belongs to, such as its query or its day. Items are
            ranked within each group, cutoffs apply to each group, and the value is the
            mean over the groups. A cross-validation holds out whole groups. If items of
            different groups depend on each other, such as the items of one machine on
            several days, also pass `clusters` (:ref:`clusters_over_groups`).
        pos_label : int, float, bool or str, default=None
            Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
        detector_targets : {"outliers", "inliers"}, default=None
            Whether the targets are the outliers or the inliers of an outlier detector.
            Required for an outlier detector; no effect on other estimators.
        **kwargs : dict
            Keyword arguments of `from_rankings` and `plot`, such as `ax`.

        Returns
        -------
        display : the display
            Display with the data and the matplotlib artists.

        Raises
        ------
        ValueError
            As in `from_estimator`; also if no fold contains both targets and
            non-targets.
        """
        # shared: unfitted_of_figure X_fit y cv cv_groups params n_jobs progress groups
        #   pos_label detector_targets
        return cls._drawn(Rankings.from_cv, (estimator, X, y), kwargs)

    @classmethod
    @_as_of_rankings
    def from_cv_results(cls, cv_results: Any, X: Any, y: Any, **kwargs: Any) -> Self:  # noqa: N803
        """Draw the rankings of the folds of a finished cross-validation.

        Parameters
        ----------
        cv_results : dict, or mapping from names to dict
            Result of :func:`sklearn.model_selection.cross_validate` with
            ``return_estimator=True, return_indices=True``.
        X : array-like of shape (n_samples, n_features)
            Items for fitting and ranking.
        y : array-like of shape (n_samples,)
            Labels of the items.
        n_jobs : int, default=None
            Number of joblib jobs. The result does not depend on it.
        groups : array-like of shape (n_samples,), default=None
            Ranking that each item belongs to, such as its query or its day. Items are
            ranked within each group, cutoffs apply to each group, and the value is the
            mean over the groups. A cross-validation holds out whole groups. If items of
            different groups depend on each other, such as the items of one machine on
            several days, also pass `clusters` (:ref:`clusters_over_groups`).
        pos_label : int, float, bool or str, default=None
            Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
        detector_targets : {"outliers", "inliers"}, default=None
            Whether the targets are the outliers or the inliers of an outlier detector.
            Required for an outlier detector; no effect on other estimators.
        **kwargs : dict
            Keyword arguments of `from_rankings` and `plot`, such as `ax`.

        Returns
        -------
        display : the display
            Display with the data and the matplotlib artists.

        Raises
        ------
        ValueError
            If `cv_results` has no estimators or indices, if the indices do not fit `X`,
            and as in `from_cv`.
        """
        # shared: cv_results X_fit y n_jobs groups pos_label detector_targets
        return cls._drawn(Rankings.from_cv_results, (cv_results, X, y), kwargs)
