"""`Rankings`: what every question reads, wherever the data come from.

The input is labels and scores, fitted estimators, the folds of a cross-validation, or
existing rankings. The output is a table: a row for each part (the one ranking, the
groups, or the folds) and a column for each model. Questions, reports and displays read
nothing else of the data.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._utils._checks import check_jobs, invalid
from skrank._utils._columns import (
    Items,
    as_array,
    as_column,
    as_column_with_gaps,
    check_index,
    check_order,
    factorize,
    has_index,
    is_dask,
    items_of,
    rows,
)
from skrank._utils._jobs import run_jobs
from skrank._utils._signature import signature_of
from skrank._utils._text import as_text, brief, track
from skrank._utils._warnings import warn
from skrank.ranking._as_ranking import CountOf, as_ranking, columns_of
from skrank.ranking._counts import RankCounts
from skrank.ranking._folds import (
    check_held_out,
    check_held_out_once,
    fit_folds,
    held_out,
    make_folds,
    needs_groups,
    repetition_of,
    with_whole_groups,
)
from skrank.ranking._group_labels import (
    Outside,
    both_classes,
    failed_by_group,
    group_codes,
    is_given,
    items_of_groups,
    kept_codes,
    outside_of_groups,
    take_parts,
)
from skrank.ranking._input import (
    RankingInput,
    check_both_classes,
    check_known_classes,
    check_ranking_input,
    mark_targets,
)
from skrank.ranking._label_sample import LabelSample
from skrank.ranking._plan_check import is_plan
from skrank.ranking._ranking import Ranking, rank
from skrank.ranking._response import Orientation, marks_and_scores, oriented_scores
from skrank.ranking._score_table import (
    MODEL,
    is_table,
    lower_columns,
    models_by_name,
)

Codes = NDArray[np.intp]


class Model(NamedTuple):
    """A model: its name, and what its scores are.

    `output` is that of an estimator, and None for scores that were given. Those of
    which lower ones are better were turned.
    """

    name: Any
    output: Orientation | None = None
    lower_is_better: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """What is ranked together: the rankings by each model, and what the items are.

    `items` are their positions among all items, and None for one part and for rankings
    that were made before. `label` is the group, or None without groups, and `fold` the
    number of the fold, or None without folds.
    """

    rankings: tuple[Ranking, ...]
    items: Codes | None = None
    label: Any = None
    fold: int | None = None


@signature_of("models", "rows")
@dataclass(frozen=True, eq=False, repr=False)
class Rankings:
    """Rankings of several models or groups, sorted once; for one model use Ranking.

    Pass the rankings to `from_rankings` of tests, intervals, comparisons and displays.
    The items are then ranked only once. Create rankings with `from_predictions`,
    `from_estimator`, `from_cv`, `from_cv_results`, `from_sample` or `from_classes`.

    Attributes
    ----------
    names : tuple
        Names of the models.
    parts : list of tuple of Ranking
        The rankings of each part by each model.
    kind : {"one", "groups", "folds"}
        Whether there is a single part, a part for each group, or a part for each fold
        of a cross-validation (or for each group in each fold).
    labels : tuple
        Labels of the parts; empty for a single part.

    See Also
    --------
    Ranking : Ranking of one part by one model.

    Examples
    --------
    >>> from skrank import MetricInterval, RandomSelectionTest, Rankings
    >>> y_true, y_score = [1, 0, 1, 0, 0, 0], [0.9, 0.8, 0.7, 0.3, 0.2, 0.1]
    >>> rankings = Rankings.from_predictions(y_true, y_score)
    >>> rankings
    <Rankings of 6 items, 2 targets>
    >>> round(RandomSelectionTest().from_rankings(rankings).pvalue, 3)
    0.133
    >>> round(MetricInterval().from_rankings(rankings).value, 3)
    0.833
    """

    # `clusters` and `strata` are codes of all items. `ratio` is the number of held-out
    # items for each item of a fit. `of_classes` tells whether each model is a class,
    # with targets of its own. `pos_label` is that which was given. `of_items` are all
    # items, which columns of settings must fit. `sample` holds the labels and the ranks
    # if labels are missing; there are no parts then.
    models: tuple[Model, ...]
    rows: tuple[Part, ...]
    clusters: Codes | None = None
    strata: Codes | None = None
    ratio: float = 0.0
    of_classes: bool = False
    pos_label: object = None
    of_items: Items | None = None
    sample: LabelSample | None = None

    @property
    def names(self) -> tuple[Any, ...]:
        """Names of the models."""
        return tuple(model.name for model in self.models)

    @cached_property
    def parts(self) -> list[tuple[Ranking, ...]]:
        """The rankings of each part by each model."""
        return [part.rankings for part in self._whole]

    @property
    def _whole(self) -> tuple[Part, ...]:
        """The parts, which need the labels of all items."""
        if self.sample is not None:
            raise labels_are_missing(self.sample)
        return self.rows

    @property
    def kind(self) -> str:
        """Whether there is one part, one for each group, or one for each fold."""
        if self._whole[0].fold is not None:
            return "folds"
        return "groups" if self.grouped else "one"

    @property
    def grouped(self) -> bool:
        """Whether the parts are given by the user's `groups`."""
        return self._whole[0].label is not None

    @cached_property
    def labels(self) -> tuple[Any, ...]:
        """Labels of the parts; empty for a single part."""
        if self.grouped:
            return tuple(part.label for part in self.rows)
        return self.folds

    @property
    def folds(self) -> tuple[int, ...]:
        """Fold of each part; empty without folds."""
        return tuple(part.fold for part in self.rows if part.fold is not None)

    @property
    def items(self) -> list[Codes]:
        """Positions of the items of each part; empty if they are not known."""
        return [part.items for part in self.rows if part.items is not None]

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any = None,
        *,
        pos_label: object = None,
        lower_is_better: bool | Sequence[str] = False,
        missing: str = "error",
        groups: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        strata: ArrayLike | None = None,
        folds: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        n_missed: CountOf = 0,
        n_unlisted: CountOf | None = None,
    ) -> Self:
        """Rank items by the scores of one model, or of several.

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
        rankings : Rankings
            The rankings.

        Raises
        ------
        ValueError
            If labels, scores or another column are not valid, or if their lengths or
            pandas indices differ.
        """
        # shared: y_true y_score pos_label lower_is_better groups clusters strata folds
        #   sample_weight n_missed n_unlisted missing
        columns = {
            "groups": groups,
            "clusters": clusters,
            "strata": strata,
            "folds": folds,
            "sample_weight": sample_weight,
        }
        counts: dict[str, Any] = {"n_missed": n_missed, "n_unlisted": n_unlisted}
        in_table = is_table(y_score)
        in_dask = (is_dask(y_true) or is_dask(y_score)) and not in_table
        if isinstance(y_true, Ranking | RankCounts) or in_dask:
            _check_without_items(y_true, y_score, columns, lower_is_better, missing)
            ranking = as_ranking(y_true, y_score, pos_label=pos_label, **counts)
            return cls((Model(MODEL),), (Part((ranking,)),))
        y_true, y_score = columns_of(y_true, y_score)
        _check_combination(columns, counts, missing)
        if strata is not None and (
            is_plan(strata) or not as_column_with_gaps("y_true", y_true)[0].all()
        ):
            given: dict[str, Any] = {**columns, **counts, "pos_label": pos_label}
            given |= {"lower_is_better": lower_is_better, "missing": missing}
            return cls.from_sample(y_true, y_score, **given)
        models, names = _columns_of_models(y_score)
        lower = lower_columns(lower_is_better, models)
        if missing == "missed" and groups is not None and len(models) > 1:
            rule = "be 'error' or 'last' with `groups` and several models"
            raise invalid("missing", rule, repr(missing))
        inputs = tuple(
            check_ranking_input(
                y_true,
                one,
                pos_label=pos_label,
                sample_weight=sample_weight,
                score_name=names[name],
                lower_is_better=name in lower,
                missing=missing,
                **({} if groups is not None else counts),
            )
            for name, one in models.items()
        )
        found = cls(
            tuple(Model(name, None, name in lower) for name in models),
            (),
            clusters=_codes("clusters", clusters, inputs[0]),
            strata=_codes("strata", strata, inputs[0]),
            pos_label=pos_label,
            of_items=inputs[0].of_items,
        )
        grouping = None
        if groups is not None:
            labels, codes = group_codes(inputs[0], groups)
            failed = failed_by_group(inputs[0], groups)
            outside = outside_of_groups(labels, n_missed, n_unlisted, failed)
            grouping = _Grouping(codes, outside.labels, outside)
        if folds is None:
            return found._divided([inputs], [], grouping)
        labels, codes = group_codes(inputs[0], folds, "folds")
        _check_several("folds", labels)
        held = items_of_groups(codes, len(labels))
        each = [tuple(take_parts(data, held)) for data in inputs]
        size = codes.size
        ratio = float(np.mean([one.size / (size - one.size) for one in held]))
        parts = list(zip(*each, strict=True))
        return replace(found, ratio=ratio)._divided(parts, held, grouping)

    @classmethod
    def from_sample(
        cls,
        y_true: ArrayLike,
        y_score: Any,
        *,
        strata: ArrayLike | None = None,
        pos_label: object = None,
        lower_is_better: bool | Sequence[str] = False,
        missing: str = "error",
        **unused: Any,
    ) -> Self:
        """Rank items if only a random sample of them has labels.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels of the items; NaN, None or NA for items without a label.
        y_score : array-like of shape (n_samples,), mapping, data frame or array of \
            shape (n_samples, n_models)
            Scores of all items by one model, or by several.
        strata : array-like of shape (n_samples,) or plan, default=None
            Stratum of each item, or the plan of :func:`labels_to_collect`.
        pos_label, lower_is_better, missing : object
            As in `from_predictions`.
        **unused : object
            Other columns of `from_predictions`, which raise an error.

        Returns
        -------
        rankings : Rankings
            Rankings for comparisons and :class:`SampledMetricInterval`.

        Raises
        ------
        ValueError
            If a column is not valid, or if a column is passed that is not supported.
        """
        for name, values in unused.items():
            if (
                is_given(values)
                if name in ("n_missed", "n_unlisted")
                else values is not None
            ):
                rule = f"be left out for labels of a sample: {_UNUSED[name]}"
                raise invalid(name, rule, brief(values))
        models, names = _columns_of_models(y_score)
        lower = lower_columns(lower_is_better, models)
        sample = LabelSample.from_columns(
            y_true,
            models,
            strata,
            pos_label=pos_label,
            lower_is_better=lower,
            missing=missing,
            score_names=names,
        )
        every = tuple(Model(name, None, name in lower) for name in models)
        return cls(every, (), pos_label=pos_label, sample=sample)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # noqa: N803
        y: ArrayLike,
        *,
        pos_label: object = None,
        detector_targets: str | None = None,
        groups: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        strata: ArrayLike | None = None,
        folds: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        n_missed: CountOf = 0,
        n_unlisted: CountOf | None = None,
    ) -> Self:
        """Rank items by a fitted estimator, or by several.

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
        rankings : Rankings
            The rankings.

        Raises
        ------
        ValueError
            If an estimator only predicts labels, if it is an outlier detector and
            `detector_targets` is None, or if the input is not valid for
            `from_predictions`.
        """
        # shared: estimator X y pos_label detector_targets groups clusters strata folds
        #   sample_weight n_missed n_unlisted
        named = named_estimators(estimator)
        data: dict[str, Any] = {
            "groups": groups,
            "clusters": clusters,
            "strata": strata,
            "folds": folds,
            "sample_weight": sample_weight,
        }
        for name, values in data.items():  # the marks of the targets have no index
            check_index(name, values, y)
        gaps = strata is not None
        found = [
            marks_and_scores(one, X, y, pos_label, detector_targets, gaps=gaps)
            for one in named.values()
        ]
        marks, columns, outputs = zip(*found, strict=True)
        scores = dict(zip(named, columns, strict=True))
        is_one = list(named) == [MODEL]
        ranked = cls.from_predictions(
            marks[0],
            scores[MODEL] if is_one else scores,
            n_missed=n_missed,
            n_unlisted=n_unlisted,
            **data,
        )
        every = items_of(y, len(marks[0]))
        models = tuple(map(Model, named, outputs))
        return replace(ranked, models=models, pos_label=pos_label, of_items=every)

    @classmethod
    def from_cv(
        cls,
        estimator: Any,
        X: Any,  # noqa: N803
        y: ArrayLike,
        *,
        cv: Any = 5,
        cv_groups: ArrayLike | None = None,
        params: Mapping[str, Any] | None = None,
        repeated: bool = True,
        n_jobs: int | None = None,
        progress: bool = False,
        groups: ArrayLike | None = None,
        pos_label: object = None,
        detector_targets: str | None = None,
    ) -> Self:
        """Fit an estimator, or several, on the folds of a cross-validation.

        The held-out items of each fold are ranked.

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
        repeated : bool, default=True
            Whether items can be held out more than once.
        n_jobs : int, default=None
            Number of joblib jobs.
        progress : bool, default=False
            Whether to show a progress bar; needs tqdm.
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
        rankings : Rankings
            The rankings of the held-out items.

        Raises
        ------
        ValueError
            If there are no folds, if an item is held out twice and `repeated` is False,
            and as in `from_estimator`.
        """
        # shared: unfitted X_fit y cv cv_groups params groups pos_label detector_targets
        check_order(X, y)
        named = named_estimators(estimator)
        labels = _Labels.of(y, pos_label)
        grouping = _grouping("groups", groups, labels.of_items)
        given = _grouping("cv_groups", cv_groups, labels.of_items)
        units, codes = given or grouping, None
        if units is not None:
            cv = with_whole_groups(cv, len(units.labels))
            codes = units.codes if given or needs_groups(cv) else None
        folds = make_folds(
            cv, named.values(), X, labels.values, codes, repeated=repeated
        )
        shown = track(named, total=len(named), label="fits", progress=progress)

        def fit(name: Any) -> Mapping[str, Any]:
            return fit_folds(named[name], X, y, folds, n_jobs, params)

        data = X, labels, grouping
        return cls._of_folds(shown, fit, *data, n_jobs, pos_label, detector_targets)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[Any, Any],
        X: Any,  # noqa: N803
        y: ArrayLike,
        *,
        repeated: bool = True,
        n_jobs: int | None = None,
        groups: ArrayLike | None = None,
        pos_label: object = None,
        detector_targets: str | None = None,
    ) -> Self:
        """Rank the held-out items of a finished cross-validation.

        Parameters
        ----------
        cv_results : dict, or mapping from names to dict
            Result of :func:`sklearn.model_selection.cross_validate` with
            ``return_estimator=True, return_indices=True``.
        X : array-like of shape (n_samples, n_features)
            Items for fitting and ranking.
        y : array-like of shape (n_samples,)
            Labels of the items.
        repeated : bool, default=True
            Whether items can be held out more than once.
        n_jobs : int, default=None
            Number of joblib jobs that predict.
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
        rankings : Rankings
            The rankings of the held-out items.

        Raises
        ------
        ValueError
            If `cv_results` has no estimators or indices, if several results have
            different folds, if an item is held out twice and `repeated` is False, and
            as in `from_estimator`.
        """
        # shared: cv_results X_fit y groups pos_label detector_targets
        check_order(X, y)
        named = cv_results
        if not isinstance(named, Mapping):
            named = dict(enumerate(named))
        if not all(isinstance(one, Mapping) for one in named.values()):
            named = {MODEL: cv_results}
        if not repeated:
            for results in named.values():
                check_held_out_once(held_out(results), "cv_results")
        labels = _Labels.of(y, pos_label)
        data = X, labels, _grouping("groups", groups, labels.of_items)
        results_of = named.__getitem__
        return cls._of_folds(
            named, results_of, *data, n_jobs, pos_label, detector_targets
        )

    @classmethod
    def from_rankings(cls, rankings: Any) -> Self:
        """Collect existing rankings of one data set, or of several.

        Parameters
        ----------
        rankings : Rankings, Ranking, RankCounts, sequence of them, or mapping
            One ranking, or a sequence with a ranking for each part. For several models,
            pass a mapping from names to these. Methods that use single items need a
            :class:`Ranking` of each model, with the same items in the same order. For
            other methods, the models can rank different items, such as the results of
            two search engines for a query, if there are several parts and the number of
            targets, including missed targets, is the same.

        Returns
        -------
        rankings : Rankings
            The rankings. The labels of several parts are their numbers.

        Raises
        ------
        ValueError
            If the models differ in the number of parts or targets, or, for a single
            part, in the number of items.
        """
        if isinstance(rankings, cls):
            return rankings
        named = rankings if isinstance(rankings, Mapping) else {MODEL: rankings}
        single = any(isinstance(one, Ranking | RankCounts) for one in named.values())
        columns = [
            [*one] if hasattr(one, "__iter__") and not single else [one]
            for one in named.values()
        ]
        if not all(isinstance(r, Ranking | RankCounts) for c in columns for r in c):
            rule = "be Rankings, or contain Ranking and RankCounts alone"
            raise invalid("rankings", rule, type(rankings).__name__)
        if not any(columns):
            raise invalid("rankings", "contain at least one ranking", brief(rankings))
        columns = [[as_ranking(one) for one in column] for column in columns]
        weighted = [one.weighted for column in columns for one in column]
        if any(weighted) and not all(weighted):
            got = f"{sum(weighted)} of {len(weighted)} with weights"
            raise invalid("rankings", "have weights in all rankings, or in none", got)
        # the lists of several parts may have different items, of the same targets
        sizes = {
            tuple((one.n_samples if single else 0, one.n_targets) for one in column)
            for column in columns
        }
        if len(sizes) > 1:
            got = " beside ".join(map(brief, columns))
            what = "items" if single else "targets, scored or missed"
            raise invalid("rankings", f"contain rankings of the same {what}", got)
        models, rows = tuple(map(Model, named)), zip(*columns, strict=True)
        if single:
            return cls(models, tuple(map(Part, rows)))
        # as those of `groups`, whose lists may end before a cutoff
        cut = (tuple(replace(one, several=True) for one in row) for row in rows)
        return cls(models, tuple(Part(row, label=i) for i, row in enumerate(cut)))

    @classmethod
    def from_classes(cls, y_true: ArrayLike, y_score: Any, classes: ArrayLike) -> Self:
        """Rank the items for each class against the other classes.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Classes of the items.
        y_score : array-like of shape (n_samples, n_classes)
            Scores of each class.
        classes : array-like of shape (n_classes,)
            Class of each column of `y_score`, such as ``estimator.classes_``.

        Returns
        -------
        rankings : Rankings
            A ranking for each class, whose items are the targets. Classes without
            items, and a class that contains all items, are left out with a warning.

        Raises
        ------
        ValueError
            If `classes` does not name each column once, or if no item has one of the
            classes.
        """
        labels = as_column("classes", classes).tolist()
        scores = as_array("y_score", y_score)
        if scores.ndim != 2 or np.shape(classes) != scores.shape[1:]:
            rule = "name the class of each column of scores, as estimator.classes_ does"
            got = f"shape {np.shape(classes)} for scores of shape {scores.shape}"
            raise invalid("classes", rule, got)
        names = [str(label) for label in labels]
        if len(set(names)) < len(names):
            raise invalid("classes", "be different, also as text", brief(labels))
        check_known_classes(y_true, labels)
        check_index("y_score", y_score, y_true)
        inputs = [
            check_ranking_input(
                mark_targets(y_true, label, whole=False),
                scores[:, column],
                score_name=f"y_score[:, {column}]",
            )
            for column, label in enumerate(labels)
        ]
        sizes = [(data.targets.size, data.y_score.size) for data in inputs]
        kept = both_classes(sizes, grouped=False)
        row = tuple(rank(inputs[i]) for i in kept)
        models = tuple(Model(names[i]) for i in kept)
        return cls(models, (Part(row),), of_classes=True)

    @classmethod
    def _of_folds(
        cls,
        names: Iterable[Any],
        results_of: Callable[[Any], Mapping[str, Any]],
        X: Any,  # noqa: N803
        labels: _Labels,
        grouping: _Grouping | None,
        n_jobs: int | None,
        pos_label: object,
        detector_targets: str | None,
    ) -> Self:
        """Rank the held-out items of each fold by the estimators fitted for it.

        The estimators of a model are released before those of the next are fitted.
        """
        y, jobs = labels.values, check_jobs(n_jobs)
        scores_of = partial(
            oriented_scores, pos_label=pos_label, detector_targets=detector_targets
        )
        models: list[Model] = []
        columns: list[list[RankingInput]] = []
        held: list[Codes] = []
        ratio = 0.0
        for name in names:
            with _naming(name):
                results = results_of(name)
                test = held_out(results)
                if not models:
                    held = check_held_out(test, X)
                    sizes = zip(test, results["indices"]["train"], strict=True)
                    ratio = float(np.mean([len(out) / len(fit) for out, fit in sizes]))
                elif len(held) != len(test) or not all(map(np.array_equal, held, test)):
                    rule = (
                        "be of the same folds, as by a `cv` with a fixed random_state"
                    )
                    raise invalid("cv_results", rule, "others")
                tasks = zip(results["estimator"], test, strict=True)
                found = run_jobs(
                    scores_of,
                    ((one, rows(X, index), y[index]) for one, index in tasks),
                    total=len(test),
                    label="folds",
                    n_jobs=jobs,
                )
                column = [
                    check_ranking_input(labels.is_target[index], score)
                    for index, (_, score) in zip(test, found, strict=True)
                ]
                columns.append(column)
                models.append(Model(name, found[0][0]))
        made = cls(
            tuple(models),
            (),
            ratio=ratio,
            pos_label=pos_label,
            of_items=labels.of_items,
        )
        return made._divided(list(zip(*columns, strict=True)), held, grouping)

    def _divided(
        self,
        inputs: Sequence[Sequence[RankingInput]],
        held: list[Codes],
        grouping: _Grouping | None,
    ) -> Self:
        """Rank the items of all folds, or of all groups in them.

        `inputs` has the items of each fold for each model, or all items, if no items
        were `held` out.
        """
        grouped = grouping is not None
        if not held and not grouped:
            return replace(self, rows=(Part(tuple(map(rank, inputs[0]))),))
        first = inputs[0][0]
        every = held or [np.arange(first.y_score.size)]
        if first.failed is not None:  # other columns have these items as well
            assert first.kept is not None
            every = [np.flatnonzero(first.kept)]
        # folds have nothing outside their lists
        outside = None if grouping is None or held else grouping.outside
        rows: list[Part] = []
        for fold, (labels, places) in enumerate(_within_folds(every, grouping)):
            columns = [
                [
                    replace(rank(one), several=grouped)
                    for one in take_parts(data, places, outside)
                ]
                for data in inputs[fold]
            ]
            items, number = every[fold], fold if held else None
            each = zip(zip(*columns, strict=True), places, labels, strict=True)
            rows += (Part(row, items[at], label, number) for row, at, label in each)
        return replace(self, rows=tuple(rows))

    def __repr__(self) -> str:
        """Print the numbers of models, parts, items and targets."""
        models = f"{len(self.names)} models, " if len(self.names) > 1 else ""
        if self.sample is not None:
            n, labelled = self.sample.n_samples, self.sample.n_labelled.sum()
            return f"<Rankings of {models}{n} items, {labelled} labelled>"
        n, m = self.sizes
        parts = f"{len(self.parts)} {self.kind}, " if self.kind != "one" else ""
        if self.kind == "folds":
            grouped = f" of {len(self.parts)} groups" if self.grouped else ""
            parts = f"{len(set(self.folds))} folds{grouped}, "
        return f"<Rankings of {models}{parts}{n} items, {m} targets>"

    @property
    def sizes(self) -> tuple[int, int]:
        """Numbers of items and of targets, with missed targets; each counted once."""
        first = [row[0] for row in self.parts]
        if self.weighted:
            data = [one.items.data for one in first]
            return sum(i.y_score.size for i in data), sum(i.targets.size for i in data)
        if self.kind != "folds":
            n = sum(int(one.n_samples) + one.n_missed for one in first)
            return n, sum(int(one.n_targets) for one in first)
        targets = [
            i[one.items.targets] for i, one in zip(self.items, first, strict=True)
        ]
        n, m = (np.unique(np.concatenate(one)).size for one in (self.items, targets))
        return n, m

    @property
    def weighted(self) -> bool:
        """Whether the items have weights."""
        return bool(self.parts[0][0].weighted)

    @property
    def n_missed(self) -> int:
        """Number of targets that were never scored."""
        return sum(row[0].n_missed for row in self.parts)

    @property
    def n_clusters(self) -> int:
        """Number of clusters; 0 without clusters."""
        return 0 if self.clusters is None else int(self.clusters.max()) + 1

    @property
    def clusters_of_parts(self) -> tuple[list[Codes], list[Codes]]:
        """Clusters in each part, and the number of each item's cluster among them."""
        assert self.clusters is not None
        found = [
            np.unique(self.clusters[items], return_inverse=True) for items in self.items
        ]
        clusters, codes = map(list, zip(*found, strict=True))
        return clusters, codes

    @property
    def single(self) -> list[Ranking]:
        """The rankings of the only model, one for each part."""
        if len(self.names) > 1:
            got = f"{len(self.names)} by the names {brief(list(self.names))}"
            raise invalid("rankings", "be of one model here", got)
        return [row[0] for row in self.parts]

    def defined_for(self, metric: Any, undefined: float | str = math.nan) -> Self:
        """Leave out the parts in which a metric is undefined, with a warning.

        Parameters
        ----------
        metric : Metric
            Metric, such as from :func:`make_metric`.
        undefined : float or "raise", default=nan
            Value of the metric in these parts. NaN issues a warning, and "raise" raises
            an error.

        Returns
        -------
        rankings : Rankings
            The rankings in which the metric is defined: with targets, and for some
            metrics also with non-targets; all groups for precision at t.

        Raises
        ------
        ValueError
            If no ranking contains both targets and non-targets, or with "raise" if the
            metric is undefined in any ranking.
        """
        if self.kind == "one":
            n, m = self.sizes
            check_both_classes(m - self.n_missed, n - self.n_missed)
            return self

        def is_defined(n_targets: float, n_others: float) -> bool:
            if self.kind == "folds" and not self.grouped:  # one class says nothing
                return n_targets > 0 and n_others > 0
            return bool(metric.is_defined(n_targets, n_others))

        # lists of different items differ in what they missed
        others = [min(r.n_non_targets + r.n_missed for r in row) for row in self.parts]
        targets = [row[0].n_targets for row in self.parts]
        sizes = [(m, m + other) for m, other in zip(targets, others, strict=True)]
        kept = both_classes(
            sizes,
            grouped=self.grouped and bool(self.items),  # by the argument `groups`
            is_defined=is_defined,
            unit="groups" if self.grouped else self.kind,
            undefined=undefined,
        )
        return self._take(kept)

    def _take(self, kept: Sequence[int]) -> Self:
        """Return some of the parts, by their numbers in ascending order."""
        if len(kept) == len(self.parts):
            return self
        return replace(self, rows=tuple(self.rows[i] for i in kept))

    def returned(self, what: str) -> Self:
        """Leave out groups without returned items, with a warning.

        Parameters
        ----------
        what : str
            Where they are left out, such as "the test"; for the warning.

        Returns
        -------
        rankings : Rankings
            The rankings with items.
        """
        kept = [i for i, row in enumerate(self.parts) if all(r.n_samples for r in row)]
        if len(kept) < len(self.parts):
            warn(
                f"{len(self.parts) - len(kept)} of {len(self.parts)} groups have no "
                f"ranked items. They are left out of {what}.",
                UserWarning,
            )
        return self._take(kept)

    def only(self, *names: Any) -> Self:
        """Return the rankings of some models.

        Parameters
        ----------
        *names : str or int
            Names of the models.

        Returns
        -------
        rankings : Rankings
            The rankings of these models, in this order.
        """
        at = [self.names.index(name) for name in names]
        if self.sample is not None:
            models = tuple(self.models[i] for i in at)
            return replace(self, models=models, sample=self.sample.only(*names))
        rows = tuple(
            replace(part, rankings=tuple(part.rankings[i] for i in at))
            for part in self.rows
        )
        return replace(self, models=tuple(self.models[i] for i in at), rows=rows)

    @property
    def repetition(self) -> Codes | None:
        """Number of the repetition of each fold; None for other data."""
        if self.kind != "folds":
            return None
        of_parts = repetition_of(self.items)
        return of_parts[np.unique(self.folds, return_index=True)[1]]

    def by_fold(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return means over the parts of each fold, or the values without folds.

        Parameters
        ----------
        values : array-like of shape (n_parts,) or (n_parts, n_models)
            A value for each part.

        Returns
        -------
        means : ndarray of shape (n_folds,) or (n_folds, n_models)
            Means over the groups of each fold.
        """
        values = np.asarray(values, dtype=float)
        if self.kind != "folds":
            return values
        starts = np.unique(self.folds, return_index=True)[1]
        counts = np.diff(starts, append=len(self.folds))
        means: NDArray[np.float64] = (
            np.add.reduceat(values, starts, axis=0).T / counts
        ).T
        return means


# Numbers of items outside the list, which are 0 if they are not given
_COUNTS = ("n_missed", "n_unlisted")
# Columns without a use where labels are missing, and what to do instead
_UNUSED = {
    "groups": "analyse each group separately",
    "clusters": "single items are sampled",
    "folds": "analyse the held-out items of each fold separately",
    "sample_weight": "`strata` describes the sample",
    "n_missed": "missed targets have no rank",
    "n_unlisted": "unlisted items have no rank",
}


OF_SAMPLES = "SampledMetricInterval and RankingComparison accept a sample of labels."


def labels_are_missing(
    sample: LabelSample, asked: str = " here", advice: str = OF_SAMPLES
) -> ValueError:
    """Return the error of a question that needs the labels of all items."""
    n, labelled = sample.n_samples, int(sample.n_labelled.sum())
    if labelled == n:
        return invalid("strata", f"be a column{asked}", "a plan")
    rule = f"contain the labels of all items{asked}"
    return invalid("y_true", rule, f"{n - labelled} of {n} missing", advice)


def _columns_of_models(y_score: Any) -> tuple[dict[Any, Any], dict[Any, str]]:
    """Return the scores by model, and what they are called in errors."""
    models, names = models_by_name(y_score)
    indexed = [one for one in models.values() if has_index(one)]
    for name, one in models.items():  # also where the labels have no index
        check_index(names[name], one, (indexed or [one])[0])
    return models, names


@contextmanager
def _naming(model: Any) -> Iterator[None]:
    """Name the model in errors of its estimators."""
    try:
        yield
    except Exception as error:
        if model != MODEL:
            error.add_note(f"The model was {brief(model)}.")
        raise


def named_estimators(estimator: Any) -> Mapping[Any, Any]:
    """Return estimators by name."""
    if isinstance(estimator, Mapping):
        named = estimator
    elif hasattr(estimator, "fit") or not isinstance(estimator, Iterable):
        return {MODEL: estimator}
    else:
        estimators = list(estimator)
        named = {as_text(one): one for one in estimators}
        if len(named) < len(estimators):  # such as two that print alike
            named = {f"{as_text(one)} [{i}]": one for i, one in enumerate(estimators)}
    if not named:
        raise invalid("estimator", "contain at least one estimator", "none")
    return named


class _Labels(NamedTuple):
    """Labels of the items of a cross-validation, as they are read once."""

    values: NDArray[Any]
    is_target: NDArray[np.bool_]
    of_items: Items

    @classmethod
    def of(cls, y: ArrayLike, pos_label: object) -> Self:
        """Check labels; a fold may have no targets."""
        values = as_column("y", y)
        factorize("y", y)  # labels of one kind, none missing
        return cls(values, mark_targets(y, pos_label), items_of(y, values.size))


def _check_without_items(
    y_true: Any,
    y_score: Any,
    columns: Mapping[str, Any],
    lower_is_better: Any,
    missing: Any,
) -> None:
    """Refuse columns beside a ranking or dask, which have no items one by one."""
    for name, values in columns.items():
        if values is not None:
            columns_of(y_true, y_score, name)
            raise invalid(name, "be left out with dask", brief(values))
    if lower_is_better is not False:
        rule = "be False for a Ranking, RankCounts and dask"
        raise invalid("lower_is_better", rule, brief(lower_is_better))
    if missing != "error":
        rule = "be 'error' for a Ranking, RankCounts and dask"
        raise invalid("missing", rule, brief(missing))


def _check_combination(
    columns: Mapping[str, Any], counts: Mapping[str, Any], missing: str
) -> None:
    """Refuse columns that exclude each other, or that unlisted items lack."""
    if columns["folds"] is not None and columns["clusters"] is not None:
        rule = "be left out for folds, which `cv_groups` makes of whole clusters"
        raise invalid("clusters", rule, "clusters and folds")
    unlisted = [name for name, number in counts.items() if is_given(number)]
    for column in ("folds", "clusters", "strata"):
        if unlisted and columns[column] is not None:
            rule = f"be left out with `{column}`, which these items lack"
            raise invalid(unlisted[0], rule, brief(counts[unlisted[0]]))
        if missing == "missed" and columns[column] is not None:
            rule = f"be 'error' or 'last' with `{column}`, which missed targets lack"
            raise invalid("missing", rule, repr(missing))


class _Grouping(NamedTuple):
    """Group of each item; labels of all groups, with what is outside their lists."""

    codes: Codes
    labels: list[Any]
    outside: Outside | None = None


def _grouping(name: str, values: Any, of_items: Items) -> _Grouping | None:
    """Return the groups of a column; None without one."""
    if values is None:
        return None
    labels, codes = of_items.read(name, values, factorize)
    return _Grouping(codes, labels)


def _codes(name: str, values: ArrayLike | None, data: RankingInput) -> Codes | None:
    """Return the number of each item's cluster or stratum.

    The result is None without these, or if each item is its own cluster.
    """
    if values is None:
        return None
    labels, codes = kept_codes(data, values, name)
    _check_several(name, labels)
    return None if name == "clusters" and len(labels) == codes.size else codes


def _check_several(name: str, labels: Sequence[Any]) -> None:
    if len(labels) < 2:
        raise invalid(name, "contain two labels or more", f"{brief(labels[0])} alone")


def _within_folds(
    held: list[Codes], grouping: _Grouping | None
) -> list[tuple[list[Any], list[Codes]]]:
    """Return the labels of the parts of each fold, and their positions in it.

    Without groups, a fold is one part without a label. If a group is in several folds,
    its label has the number of the fold as well.
    """
    if grouping is None:
        return [([None], [np.arange(index.size)]) for index in held]
    codes, names = grouping.codes, grouping.labels
    if len(held) == 1 and held[0].size == codes.size:  # groups without items, too
        return [(names, items_of_groups(codes, len(names)))]
    found = [np.unique(codes[index], return_inverse=True) for index in held]
    every = np.concatenate([present for present, _ in found])
    sizes = np.concatenate([np.bincount(within) for _, within in found])
    cut = np.unique(every[sizes < np.bincount(codes)[every]])
    if cut.size:
        warn(
            f"{cut.size} of {len(names)} groups are split between folds, such as "
            f"{brief(names[cut[0]])}, and each part is ranked as a group. Keep groups "
            "whole, as an int for `cv` or GroupKFold does.",
            UserWarning,
        )
    is_repeated = np.unique(every).size < every.size
    return [
        (
            [(i, names[code]) if is_repeated else names[code] for code in present],
            items_of_groups(within, present.size),
        )
        for i, (present, within) in enumerate(found)
    ]
