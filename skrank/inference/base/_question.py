"""Base classes of tests and intervals: settings of a metric, and the entrances.

An object of these classes holds settings only. An entrance, ``from_...``, makes
`Rankings` of the data, and `from_rankings` answers for these with a frozen result.
"""

from __future__ import annotations

import inspect
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, ClassVar, Concatenate, Generic, ParamSpec, Self, TypeVar

import numpy as np

from skrank._utils._checks import (
    check_count,
    check_flag,
    check_generator,
    check_jobs,
    check_random_state,
    invalid,
)
from skrank._utils._columns import is_column
from skrank._utils._signature import leave_out
from skrank._utils._text import brief, listed
from skrank.inference.variability._resampling import Engine, Floats, draw_in_parallel
from skrank.metrics._definitions import AnyMetric, make_null_metric
from skrank.ranking._rankings import OF_SAMPLES, Rankings, labels_are_missing

Answer = TypeVar("Answer")
Given = ParamSpec("Given")

# what `from_rankings` of a class returns, by its docstring
RETURNED = re.compile(r"Returns\n +-+\n +(\w+ : .+)")


class Settings:
    """Base class of objects whose attributes are the arguments of their constructor."""

    #: Source of randomness.
    random_state: object

    def __repr__(self) -> str:
        """Print the settings as they would be written."""
        settings = (
            f"{name}={brief(value) if is_column(value) else repr(value)}"
            for name, value in self.get_params().items()
        )
        return f"{type(self).__name__}({', '.join(settings)})"

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the settings, as in scikit-learn estimators.

        Parameters
        ----------
        deep : bool, default=True
            Not used; no setting has settings of its own.

        Returns
        -------
        settings : dict
            Arguments of the constructor that create an object with the same settings.
        """
        names = inspect.signature(type(self)).parameters
        return {name: getattr(self, name) for name in names}

    def set_params(self, **settings: Any) -> Self:
        """Change settings, as in scikit-learn estimators.

        Parameters
        ----------
        **settings : dict
            Arguments of the constructor. They are checked together with the other
            settings.

        Returns
        -------
        self : object
            The object itself. It is unchanged if an error is raised.

        Raises
        ------
        ValueError
            If a setting is unknown or not valid.
        """
        known = self.get_params()
        for name in settings:
            if name not in known:
                own = listed([*known], 20)
                rule = f"be given settings of {type(self).__name__}: {own}"
                raise invalid("set_params", rule, brief(name))
        vars(self).update(vars(type(self)(**{**known, **settings})))
        return self

    def _generator(self) -> np.random.Generator:
        """Return the source of randomness."""
        return check_generator(self.random_state)

    def _seed(self) -> int:
        """Return a seed for draws that are made again."""
        return int(self._generator().integers(2**62))


class MetricSettings(Settings):
    """Base class with the settings of a metric; subclasses add other settings."""

    _least_resamples = 1

    #: Makes the metric; by default one that has a null distribution.
    _make: ClassVar[Callable[..., Any]] = staticmethod(make_null_metric)

    def __init__(
        self,
        metric: str | AnyMetric,
        ties: str,
        n_resamples: int,
        n_jobs: int | None,
        progress: bool,
        random_state: object,
    ) -> None:
        self.metric: Any = metric
        self.ties = self._make(metric, ties).ties
        least = self._least_resamples
        self.n_resamples = check_count("n_resamples", n_resamples, least=least)
        self.n_jobs = check_jobs(n_jobs)
        self.progress = check_flag("progress", progress)
        self.random_state = check_random_state(random_state)

    def _metric(self) -> Any:
        return self._make(self.metric, self.ties)

    def _draw(self, engine: Engine) -> Floats:
        """Draw values, by a generator of the same state each time."""
        return draw_in_parallel(
            engine,
            self.n_resamples,
            self._generator(),
            n_jobs=self.n_jobs,
            progress=self.progress,
        )

    def _drawn_error(self, engine: Engine) -> float:
        """Return the standard deviation of drawn values."""
        return float(self._draw(engine).std(ddof=1))


def _made_by(
    make: Callable[Given, Rankings],
) -> Callable[
    [Callable[[Any, Rankings], Answer]], Callable[Concatenate[Any, Given], Answer]
]:
    """Turn a method of a question into an entrance, with the parameters of `make`.

    Those that are settings of the question are left out.
    """
    every = inspect.signature(make).parameters
    held = {"repeated": "_repeated", "n_jobs": "n_jobs", "progress": "progress"}
    settings = {name: held[name] for name in held if name in every}
    asked = [one for name, one in every.items() if name not in settings]

    def entrance_of(answer: Callable[[Any, Rankings], Answer]) -> Any:
        self_alone = list(inspect.signature(answer).parameters.values())[:1]
        signature = inspect.Signature(self_alone + asked)

        @wraps(answer)
        def entrance(self: Any, *args: Any, **data: Any) -> Answer:
            try:
                signature.bind(self, *args, **data)
            except TypeError as error:
                called = f"{type(self).__name__}.{answer.__name__}()"
                raise TypeError(f"{called} {error}") from None
            own = {name: getattr(self, of) for name, of in settings.items()}
            return answer(self, make(*args, **data, **own))

        entrance.__signature__ = signature  # type: ignore[attr-defined]
        return entrance

    return entrance_of


class Question(Settings, ABC, Generic[Answer]):
    """A question about rankings, asked of data in any form."""

    #: Value of the metric where it is undefined, or "raise".
    undefined: float | str = math.nan

    #: What this question does not use beside plain items, each with the reason.
    _refuses: ClassVar[Mapping[str, str]] = {}
    #: Whether groups with missed targets are used: methods of their values can.
    _missed_in_groups: ClassVar[bool] = False
    #: Whether labels may be missing, if those that are not are a sample.
    _of_samples: ClassVar[bool] = False
    #: What to do if they are missing and may not be.
    _without_labels: ClassVar[str] = OF_SAMPLES
    #: Whether an item may be held out by several folds.
    _repeated: ClassVar[bool] = True

    def __init_subclass__(cls, **settings: Any) -> None:
        """Show in the entrances what the question uses and returns."""
        super().__init_subclass__(**settings)
        missed = {"n_missed"} if cls._missed_in_groups else set()
        missed |= {"strata"} if cls._of_samples else set()
        kind = RETURNED.search(cls.from_rankings.__doc__ or "")
        entrances = "from_predictions", "from_estimator", "from_cv", "from_cv_results"
        for name in entrances:
            answer = getattr(cls, name).__wrapped__
            entrance: Any = _made_by(getattr(Rankings, name))(answer)
            if kind and entrance.__doc__:
                entrance.__doc__ = entrance.__doc__.replace("result : object", kind[1])
            if not name.startswith("from_cv"):
                leave_out(entrance, {*cls._refuses} - missed)
            setattr(cls, name, entrance)

    @_made_by(Rankings.from_predictions)
    def from_predictions(self, rankings: Rankings) -> Answer:
        """Compute the result from labels and scores.

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
            Weights of the items, as in the metric functions. Only intervals use
            weights.
        n_missed : int or mapping, default=0
            Targets that were never scored. They count among the targets and have no
            rank. Intervals and comparisons of one ranking also need `n_unlisted`. With
            `groups`, pass a mapping from groups to numbers.
        n_unlisted : int or mapping, default=None
            Number of items that were never scored, including the missed targets. They
            rank below all others, as one tie. With `groups`, pass mappings from groups
            to numbers for both.

        Returns
        -------
        result : object
            Immutable. Rankings in which the metric is undefined, such as rankings
            without targets, are left out with a warning.

        Raises
        ------
        ValueError
            If labels, scores or another column are not valid, if there are no targets
            or no non-targets, or if the class does not support one of the arguments.
        """
        # shared: y_true y_score pos_label lower_is_better groups clusters strata folds
        #   sample_weight n_missed n_unlisted missing
        return self.from_rankings(rankings)

    @_made_by(Rankings.from_estimator)
    def from_estimator(self, rankings: Rankings) -> Answer:
        """Compute the result for the ranking of a fitted estimator.

        Parameters
        ----------
        estimator : estimator instance or mapping
            Fitted classifier, regressor, ranker or outlier detector, or a mapping from
            names to estimators. See :ref:`scores_of_estimators` for the method that
            computes the scores.
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
            Weights of the items, as in the metric functions. Only intervals use
            weights.
        n_missed : int or mapping, default=0
            Targets that were never scored. They count among the targets and have no
            rank. Intervals and comparisons of one ranking also need `n_unlisted`. With
            `groups`, pass a mapping from groups to numbers.
        n_unlisted : int or mapping, default=None
            Number of items that were never scored, including the missed targets. They
            rank below all others, as one tie. With `groups`, pass mappings from groups
            to numbers for both.

        Returns
        -------
        result : object
            Immutable, as from `from_predictions`.

        Raises
        ------
        ValueError
            If the estimator only predicts labels, if it is an outlier detector and
            `detector_targets` is None, or if the input is not valid for
            `from_predictions`.
        """
        # shared: estimator X y pos_label detector_targets groups clusters strata folds
        #   sample_weight n_missed n_unlisted
        return self.from_rankings(rankings)

    @_made_by(Rankings.from_cv)
    def from_cv(self, rankings: Rankings) -> Answer:
        """Cross-validate an estimator, and compute the result for the mean over folds.

        Parameters
        ----------
        estimator : estimator instance, mapping or list
            Classifier, regressor, ranker or outlier detector, or several of them in a
            mapping from names or in a list. They are cloned and fitted for each fold.
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

        Returns
        -------
        result : object
            Immutable. Folds without targets or without non-targets are left out with a
            warning.

        Raises
        ------
        ValueError
            As in `from_estimator`; also if no fold contains both targets and
            non-targets.
        """
        # shared: unfitted X_fit y cv cv_groups params groups pos_label detector_targets
        return self.from_rankings(rankings)

    @_made_by(Rankings.from_cv_results)
    def from_cv_results(self, rankings: Rankings) -> Answer:
        """Compute the result from the output of a finished cross-validation.

        Parameters
        ----------
        cv_results : dict, or mapping from names to dict
            Result of :func:`sklearn.model_selection.cross_validate` with
            ``return_estimator=True, return_indices=True``.
        X : array-like of shape (n_samples, n_features)
            Items for fitting and ranking.
        y : array-like of shape (n_samples,)
            Labels of the items.
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

        Returns
        -------
        result : object
            Immutable, as from `from_cv`.

        Raises
        ------
        ValueError
            If `cv_results` has no estimators or indices, and as in `from_cv`.
        """
        # shared: cv_results X_fit y groups pos_label detector_targets
        return self.from_rankings(rankings)

    @abstractmethod
    def _metric(self) -> Any:
        """Return the metric, which tells what rankings are asked."""

    @abstractmethod
    def from_rankings(self, rankings: Any) -> Answer:
        """Compute the result from existing rankings of one data set, or of several.

        Parameters
        ----------
        rankings : Rankings, Ranking, RankCounts, sequence of them, or mapping
            Rankings of any data, a single ranking, or a sequence with a ranking for
            each data set. For several models, pass a mapping from names to these.

        Returns
        -------
        result : object
            Immutable. The labels of several data sets are their numbers.

        Raises
        ------
        ValueError
            If the models differ in the number of data sets or targets, or, for one data
            set, in the number of items.
        """

    def _asked(self, rankings: Any) -> tuple[Rankings, Rankings]:
        """Return all rankings, and the parts for which the metric is defined."""
        every = self._read(rankings)
        # folds without a value are always left out
        fills = every.kind == "groups" or self.undefined == "raise"
        answer = self.undefined if fills else math.nan
        return every, every.defined_for(self._metric(), answer)

    def _completed(
        self, rankings: Rankings, asked: Rankings, *values: Any
    ) -> tuple[Rankings, list[Any]]:
        """Return the rankings that count, and their values.

        These are all groups if `undefined` is the value of those that were left out.
        """
        fill = math.nan if self.undefined == "raise" else float(self.undefined)
        every = asked.kind != "groups" or len(asked.rows) == len(rankings.rows)
        if math.isnan(fill) or every:
            return asked, [*values]
        defined = set(asked.rows)
        is_defined = np.array([part in defined for part in rankings.rows])
        found = []
        for one in values:
            whole = np.full((is_defined.size, *one.shape[1:]), fill)
            whole[is_defined] = one
            found.append(whole)
        return rankings, found

    def _read(self, rankings: Any) -> Rankings:
        """Return rankings of any data; refuse what the question does not use."""
        every = Rankings.from_rankings(rankings)
        if every.sample is not None:
            asked = f" for {type(self).__name__}"
            raise labels_are_missing(every.sample, asked, self._without_labels)
        given = {
            "groups": every.grouped,
            "clusters": every.clusters is not None,
            "strata": every.strata is not None,
            "sample_weight": every.weighted,
            "n_missed": any(one.n_missed for row in every.parts for one in row)
            and not (self._missed_in_groups and data_of(every) == "groups"),
        }
        for name, reason in self._refuses.items():
            if given[name]:
                rule = f"be left out for {type(self).__name__}: {reason}"
                raise invalid(name, rule)
        return every

    def _fields(self, asked: Rankings, *, by_fold: bool = False) -> dict[str, Any]:
        """Return the fields of a result that all questions have."""
        n_samples, n_targets = asked.sizes
        labels = tuple(dict.fromkeys(asked.folds)) if by_fold and asked.folds else ()
        return {
            "metric": self._metric().name,
            "n_samples": n_samples,
            "n_targets": n_targets,
            "kind": "groups" if asked.grouped and not labels else asked.kind,
            "labels": labels or asked.labels,
            "n_clusters": asked.n_clusters,
        }


class MetricQuestion(MetricSettings, Question[Answer]):
    """A question about one metric of rankings, which may draw."""


def check_values_suffice(
    method: str, of_values: Sequence[str], asked: Rankings, counted: Rankings
) -> None:
    """Refuse a method that looks at single items, which do not tell all here."""
    reasons = {
        "n_missed": bool(asked.n_missed),
        "lists of different items": any(
            one.n_samples != row[0].n_samples for row in asked.parts for one in row
        ),
        "a value for `undefined`": counted is not asked,
    }
    reason = next((name for name, is_so in reasons.items() if is_so), None)
    if reason is not None and method not in of_values:
        rule = f"be one of {', '.join(map(repr, of_values))} with {reason}"
        raise invalid("method", rule, repr(method))


def data_of(rankings: Rankings) -> str:
    """Return the kind of data, by which a method is chosen."""
    if rankings.clusters is not None:
        return "groups with clusters" if rankings.kind == "groups" else "clusters"
    if rankings.weighted and rankings.kind != "folds":
        return "weights" if rankings.kind == "one" else "groups with weights"
    return rankings.kind


def choose_method(method: str, usual: Sequence[str], data: str) -> str:
    """Return the method for a kind of data; "auto" is the first of the usual ones."""
    if method not in ("auto", *usual):
        names = ", ".join(map(repr, dict.fromkeys(("auto", *usual))))
        said = {
            "one": "one data set, without `groups`",
            "weights": "weighted items",
            "clusters": "`clusters`",
            "groups": "several data sets",
            "groups with weights": "weighted items in several data sets",
            "groups with clusters": "`groups` with `clusters`",
            "folds": "the folds of a cross-validation",
            "values": "values without `ratio`",
            "values of folds": "values with `ratio`",
        }
        raise invalid("method", f"be one of {names} for {said[data]}", repr(method))
    return usual[0] if method == "auto" else method
