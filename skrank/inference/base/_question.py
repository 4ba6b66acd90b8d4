"""Base classes of tests and intervals: settings of a metric, and the entrances.

An object of these classes holds settings only. An entrance, ``from_...``, makes
`Rankings` of the data, and `from_rankings` answers for these with a frozen result.
"""

from __future__ import annotations

import inspect
import math
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
from skrank.ranking._rankings import Rankings, labels_are_missing

Answer = TypeVar("Answer")
Given = ParamSpec("Given")


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
        """Return the settings, as estimators of scikit-learn do.

        Parameters
        ----------
        deep : bool, default=True
            Without effect: no setting has settings.

        Returns
        -------
        settings : dict
            Arguments that make an object with the same settings.
        """
        names = inspect.signature(type(self)).parameters
        return {name: getattr(self, name) for name in names}

    def set_params(self, **settings: Any) -> Self:
        """Change settings, as for estimators of scikit-learn.

        Parameters
        ----------
        **settings : dict
            Arguments of the constructor, which checks them with those that stay.

        Returns
        -------
        self : object
            This object. If an error is raised, it is as before.

        Raises
        ------
        ValueError
            If there is no such setting, or if one is not valid.
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
    #: Whether an item may be held out by several folds.
    _repeated: ClassVar[bool] = True

    def __init_subclass__(cls, **settings: Any) -> None:
        """Show in the entrances only what the question uses."""
        super().__init_subclass__(**settings)
        missed = {"n_missed"} if cls._missed_in_groups else set()
        missed |= {"strata"} if cls._of_samples else set()
        for name in ("from_predictions", "from_estimator"):
            answer = getattr(cls, name).__wrapped__
            entrance = _made_by(getattr(Rankings, name))(answer)
            setattr(cls, name, leave_out(entrance, {*cls._refuses} - missed))

    @_made_by(Rankings.from_predictions)
    def from_predictions(self, rankings: Rankings) -> Answer:
        """Answer for labels and scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,), Ranking or RankCounts
            Labels of the items; both targets and non-targets. A Ranking or RankCounts
            replaces labels and scores.
        y_score : array-like of shape (n_samples,), mapping, data frame or array of \
            shape (n_samples, n_models), default=None
            Scores of the items; a higher score means a likelier target. A mapping from
            names to scores, or columns, are the scores of several models. Required
            unless `y_true` is a Ranking or RankCounts.
        pos_label : int, float, bool or str, default=None
            Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
        lower_is_better : bool or sequence of str, default=False
            Whether lower scores mean likelier targets, such as docking energies: for
            all models, or for those that are named.
        missing : {"error", "last", "missed"}, default="error"
            Items whose score is NaN, None or NA, such as compounds whose docking
            failed, are an error, rank below all others as one tie ("last"), or are left
            out, with the targets among them counted as `n_missed` ("missed").
        groups : array-like of shape (n_samples,), default=None
            Ranking that each item belongs to, such as its query or its day. Items are
            ranked within each ranking, cutoffs apply to each, and the value is the
            mean. A cross-validation holds out whole groups. If items depend on each
            other across rankings, such as those of a machine over the days, give these
            as `clusters` as well (:ref:`clusters_over_groups`).
        clusters : array-like of shape (n_samples,), default=None
            Cluster of each item, such as the patient of an image. Items of one cluster
            may depend on each other (:ref:`clusters`).
        strata : array-like of shape (n_samples,), default=None
            Stratum of each item, such as its hospital. A test against random selection
            permutes labels within strata. A comparison uses it if labels are missing,
            and those of each stratum are of a random sample (:ref:`sampled_labels`); it
            may then be a plan of :func:`labels_to_collect`.
        folds : array-like of shape (n_samples,), default=None
            Fold in which each item was held out, if the scores are those of models that
            were fitted to the other folds. The items of each fold are ranked.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the items, as in the metric functions. Only intervals use them.
        n_missed : int or mapping, default=0
            Targets that were never scored. They count among the targets and have no
            rank. Intervals and comparisons of one ranking also need `n_unlisted`. With
            `groups`, it maps groups to numbers.
        n_unlisted : int or mapping, default=None
            Items that were never scored, with the missed targets among them. They rank
            below all others, as one tie. With `groups`, both map groups to numbers.

        Returns
        -------
        result : frozen result
            The answer. Rankings in which the metric is undefined, such as those without
            targets, are left out with a warning.

        Raises
        ------
        ValueError
            If labels, scores or another column are not valid, if a class is absent, or
            if the question does not use one of the arguments.
        """
        # shared: y_true y_score pos_label lower_is_better groups clusters strata folds
        #   sample_weight n_missed n_unlisted missing
        return self.from_rankings(rankings)

    @_made_by(Rankings.from_estimator)
    def from_estimator(self, rankings: Rankings) -> Answer:
        """Answer for the ranking of a fitted estimator.

        Parameters
        ----------
        estimator : estimator instance or mapping
            Fitted classifier, regressor, ranker or outlier detector, or a mapping from
            names to several. For the method that gives the scores see
            :ref:`scores_of_estimators`.
        X : array-like of shape (n_samples, n_features)
            Items to rank, other than those on which the estimator was fitted.
        y : array-like of shape (n_samples,)
            Their labels.
        pos_label : int, float, bool or str, default=None
            Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
        detector_targets : {"outliers", "inliers"}, default=None
            What the targets are to an outlier detector. Required for an outlier
            detector. Other estimators are not affected.
        groups : array-like of shape (n_samples,), default=None
            Ranking that each item belongs to, such as its query or its day. Items are
            ranked within each ranking, cutoffs apply to each, and the value is the
            mean. A cross-validation holds out whole groups. If items depend on each
            other across rankings, such as those of a machine over the days, give these
            as `clusters` as well (:ref:`clusters_over_groups`).
        clusters : array-like of shape (n_samples,), default=None
            Cluster of each item, such as the patient of an image. Items of one cluster
            may depend on each other (:ref:`clusters`).
        strata : array-like of shape (n_samples,), default=None
            Stratum of each item, such as its hospital. A test against random selection
            permutes labels within strata. A comparison uses it if labels are missing,
            and those of each stratum are of a random sample (:ref:`sampled_labels`); it
            may then be a plan of :func:`labels_to_collect`.
        folds : array-like of shape (n_samples,), default=None
            Fold in which each item was held out, if the scores are those of models that
            were fitted to the other folds. The items of each fold are ranked.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the items, as in the metric functions. Only intervals use them.
        n_missed : int or mapping, default=0
            Targets that were never scored. They count among the targets and have no
            rank. Intervals and comparisons of one ranking also need `n_unlisted`. With
            `groups`, it maps groups to numbers.
        n_unlisted : int or mapping, default=None
            Items that were never scored, with the missed targets among them. They rank
            below all others, as one tie. With `groups`, both map groups to numbers.

        Returns
        -------
        result : frozen result
            The answer, as from `from_predictions`.

        Raises
        ------
        ValueError
            If the estimator only gives labels, if it is an outlier detector and
            `detector_targets` is None, or if the input is not valid for
            `from_predictions`.
        """
        # shared: estimator X y pos_label detector_targets groups clusters strata folds
        #   sample_weight n_missed n_unlisted
        return self.from_rankings(rankings)

    @_made_by(Rankings.from_cv)
    def from_cv(self, rankings: Rankings) -> Answer:
        """Cross-validate an estimator, and answer for the mean over the folds.

        Parameters
        ----------
        estimator : estimator instance, mapping or list
            Classifier, regressor, ranker or outlier detector, or several, by name or in
            a list. They are cloned and fitted for each fold.
        X : array-like of shape (n_samples, n_features)
            Items to fit and to rank.
        y : array-like of shape (n_samples,)
            Their labels.
        cv : int, cross-validation generator or iterable, default=5
            As in :func:`sklearn.model_selection.cross_validate`. An int makes
            stratified folds for a classifier, and with `groups` or `cv_groups` folds of
            whole groups.
        cv_groups : array-like of shape (n_samples,), default=None
            Units that are held out whole, such as patients; by default those of
            `groups`.
        params : dict, default=None
            Parameters of ``fit``, such as ``{"sample_weight": w}``, as in
            :func:`sklearn.model_selection.cross_validate`. They do not change the
            metric.
        groups : array-like of shape (n_samples,), default=None
            Ranking that each item belongs to, such as its query or its day. Items are
            ranked within each ranking, cutoffs apply to each, and the value is the
            mean. A cross-validation holds out whole groups. If items depend on each
            other across rankings, such as those of a machine over the days, give these
            as `clusters` as well (:ref:`clusters_over_groups`).
        pos_label : int, float, bool or str, default=None
            Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
        detector_targets : {"outliers", "inliers"}, default=None
            What the targets are to an outlier detector. Required for an outlier
            detector. Other estimators are not affected.

        Returns
        -------
        result : frozen result
            The answer. Folds without targets or without non-targets are left out with a
            warning.

        Raises
        ------
        ValueError
            As in `from_estimator`; also if no fold holds targets and non-targets.
        """
        # shared: unfitted X_fit y cv cv_groups params groups pos_label detector_targets
        return self.from_rankings(rankings)

    @_made_by(Rankings.from_cv_results)
    def from_cv_results(self, rankings: Rankings) -> Answer:
        """Answer for the folds of a cross-validation whose estimators are fitted.

        Parameters
        ----------
        cv_results : dict, or mapping from names to several
            Result of :func:`sklearn.model_selection.cross_validate` with
            ``return_estimator=True, return_indices=True``.
        X : array-like of shape (n_samples, n_features)
            Items to fit and to rank.
        y : array-like of shape (n_samples,)
            Their labels.
        groups : array-like of shape (n_samples,), default=None
            Ranking that each item belongs to, such as its query or its day. Items are
            ranked within each ranking, cutoffs apply to each, and the value is the
            mean. A cross-validation holds out whole groups. If items depend on each
            other across rankings, such as those of a machine over the days, give these
            as `clusters` as well (:ref:`clusters_over_groups`).
        pos_label : int, float, bool or str, default=None
            Label of the targets. None accepts {0, 1}, {-1, 1} and bool labels.
        detector_targets : {"outliers", "inliers"}, default=None
            What the targets are to an outlier detector. Required for an outlier
            detector. Other estimators are not affected.

        Returns
        -------
        result : frozen result
            The answer, as from `from_cv`.

        Raises
        ------
        ValueError
            If estimators or indices are missing, and as in `from_cv`.
        """
        # shared: cv_results X_fit y groups pos_label detector_targets
        return self.from_rankings(rankings)

    @abstractmethod
    def _metric(self) -> Any:
        """Return the metric, which tells what rankings are asked."""

    @abstractmethod
    def from_rankings(self, rankings: Any) -> Answer:
        """Answer for existing rankings of one data set, or of several.

        Parameters
        ----------
        rankings : Rankings, Ranking, RankCounts, sequence of them, or mapping
            Rankings of any data; or one ranking, or a sequence with one for each data
            set. Several models need a mapping, which has these by name.

        Returns
        -------
        result : frozen result
            The answer. The labels of several data sets are their numbers.

        Raises
        ------
        ValueError
            If the models differ in the numbers of data sets or of targets, or of items
            for one data set.
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
            raise labels_are_missing(every.sample, f" for {type(self).__name__}")
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
