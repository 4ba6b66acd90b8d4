"""What the displays of one ranking share: how they come by curves and draw them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._utils._checks import check_fraction
from skrank.curves import CurveBand, HitCurve, curve_of, in_fractions, spread_counts
from skrank.displays import _drawing
from skrank.displays._downsample import downsample
from skrank.inference._random_selection import RandomSelectionTest, null_of
from skrank.metrics._definitions import AveragePrecision
from skrank.ranking._cv_results import folds_of_cv_results
from skrank.ranking._input import check_ranking_input
from skrank.ranking._ranking import Ranking, rank
from skrank.ranking._response import target_scores
from skrank.ranking._several import keep_both_classes

_MANY = 10  # curves above which they are thin lines of one colour

_Floats = NDArray[np.float64]


class CurveDisplay(ABC):
    """A view of the hit curve of one ranking, or of several on one scale.

    Subclasses say what the view is, and how its axes are called.
    """

    def __init__(
        self,
        curve: HitCurve | Sequence[HitCurve],
        *,
        average_precision: float | Sequence[float] | None = None,
        log10_pvalue: float | Sequence[float] | None = None,
        name: str | Sequence[str] | None = None,
    ) -> None:
        self.curve = curve
        self.average_precision = average_precision
        self.log10_pvalue = log10_pvalue
        self.name = name

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # noqa: N803
        y: ArrayLike,
        *,
        pos_label: object = None,
        detector_targets: str | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the ranking that a fitted estimator gives.

        Parameters
        ----------
        estimator : estimator instance
            Fitted classifier, regressor, ranker or outlier detector. It ranks by
            ``decision_function``, else ``predict_proba``, else ``predict``.
        X : array-like of shape (n_samples, n_features)
            Items to rank; not those it was fitted on.
        y : array-like of shape (n_samples,)
            Their labels.
        pos_label : int, float, bool or str, default=None
            Label of the targets; None understands {0, 1}, {-1, 1} and bool.
        detector_targets : {"outliers", "inliers"}, default=None
            What the targets are to an outlier detector, which must be stated for one.
        name : str, default=None
            What the legend calls the curve; None is the name of the estimator's class.
        **kwargs : dict
            Passed to `from_predictions`.

        Returns
        -------
        display : the display
            With the data, and what was drawn.

        Raises
        ------
        ValueError
            If the estimator can only give labels, is an outlier detector of unstated
            orientation, or the input is not valid for `from_predictions`.
        """
        _drawing.need_matplotlib()
        y_score = target_scores(
            estimator, X, y, pos_label=pos_label, detector_targets=detector_targets
        )
        name = type(estimator).__name__ if name is None else name
        return cls.from_predictions(
            y, y_score, pos_label=pos_label, name=name, **kwargs
        )

    @classmethod
    @abstractmethod
    def from_predictions(cls, *args: Any, **kwargs: Any) -> Self:
        """Draw a ranking given as labels and scores."""

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,  # noqa: N803
        y: ArrayLike,
        *,
        n_jobs: int | None = None,
        pos_label: object = None,
        detector_targets: str | None = None,
        pvalue: bool | None = None,
        ax: Any = None,
        name: str | Sequence[str] | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the rankings of the held-out folds of a cross-validation, a line each.

        Parameters
        ----------
        cv_results : dict
            What :func:`sklearn.model_selection.cross_validate` returns with
            ``return_estimator=True, return_indices=True``.
        X : array-like of shape (n_samples, n_features)
            The items that were cross-validated.
        y : array-like of shape (n_samples,)
            Their labels.
        n_jobs : int, default=None
            Number of jobs to predict in.
        pos_label : int, float, bool or str, default=None
            Label of the targets; None understands {0, 1}, {-1, 1} and bool.
        detector_targets : {"outliers", "inliers"}, default=None
            What the targets are to an outlier detector.
        pvalue : bool, default=None
            Whether the legend has the p-value of each fold against random selection;
            None leaves it out as `from_predictions` does, and where there are more than
            ten folds.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        name : str or sequence of str, default=None
            What the legend calls the model; or each fold of `cv_results`, also of those
            left out. More than ten folds are thin lines of one colour, and one entry of
            the legend.
        **kwargs : dict
            Passed to `plot`.

        Returns
        -------
        display : the display
            With a list of curves, one a fold, in fractions of the ranking, and what was
            drawn. Folds without targets, or of targets alone, are left out with a
            warning.

        Raises
        ------
        ValueError
            If estimators or indices are missing, folds reach beyond `X`, no fold holds
            targets and non-targets, or there is not one name for each fold.
        """
        _drawing.need_matplotlib()
        lists = keep_both_classes(
            folds_of_cv_results(
                cv_results,
                X,
                y,
                n_jobs=n_jobs,
                pos_label=pos_label,
                detector_targets=detector_targets,
            )
        )
        numbers = [number for number, *_ in lists]
        names = _names_of_folds(name, numbers, len(cv_results["estimator"]))
        if len(lists) > _MANY and pvalue is None:
            pvalue = False
        measured = [
            cls._measure(is_target, y_score, pvalue=pvalue, as_fraction=True)
            for _, is_target, y_score in lists
        ]
        columns = {key: [one[key] for one in measured] for key in measured[0]}
        return cls(**columns, name=names).plot(ax, **kwargs)

    @abstractmethod
    def plot(self, *args: Any, **kwargs: Any) -> Self:
        """Draw the curves."""

    @classmethod
    def _measure(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        pvalue: bool | None,
        pos_label: object = None,
        as_fraction: bool = False,
    ) -> dict[str, Any]:
        """Make the data of a display: the curve, its average precision, its p-value."""
        ranking = rank(check_ranking_input(y_true, y_score, pos_label=pos_label))
        data = cls._curves(ranking, as_fraction=as_fraction)
        data["average_precision"] = AveragePrecision().value(ranking)
        data["log10_pvalue"] = None
        if pvalue is None:
            pvalue = null_of(ranking, AveragePrecision())._is_quick
        if pvalue:
            test = RandomSelectionTest(random_state=0)
            result = test.from_predictions(y_true, y_score, pos_label=pos_label)
            data["log10_pvalue"] = result.log10_pvalue
        return data

    @staticmethod
    def _curves(ranking: Ranking, *, as_fraction: bool) -> dict[str, Any]:
        curve = curve_of(ranking)
        return {"curve": in_fractions(curve) if as_fraction else curve}

    @staticmethod
    def _view(curve: HitCurve) -> tuple[_Floats, _Floats]:
        """Turn depths and hits into what is drawn."""
        return downsample(curve)

    def _listed(self, value: Any) -> list[Any]:
        """One value for each curve."""
        return list(value) if _is_listed(value) else [value] * self._count()

    def _count(self) -> int:
        """Count the curves."""
        return 1 if isinstance(self.curve, HitCurve) else len(self.curve)

    def _unlisted(self, artists: list[Any]) -> Any:
        """Return a ranking for several curves, the one artist for one curve."""
        return artists[0] if isinstance(self.curve, HitCurve) else artists

    def _start(self, ax: Any) -> None:
        """Remember where it is drawn; a new figure if that is not said."""
        self.ax_ = _drawing.new_axes() if ax is None else ax
        self.figure_ = self.ax_.figure

    def _check(
        self, ax: Any, chance_band_level: float | None, name: Any, line_kw: Any
    ) -> None:
        """Check what is asked for, before anything is drawn."""
        _drawing.check_axes(ax)
        if chance_band_level is not None:
            check_fraction("chance_band_level", chance_band_level)
        self._check_lengths(name=name, line_kw=line_kw)
        self._mark = self._mark_of_curves(ax)

    def _check_lengths(self, **settings: Any) -> None:
        """Check that rankings have a value for each curve."""
        count = self._count()
        if count == 0:
            msg = "`curve` must be one curve or a ranking of at least one; got none."
            raise ValueError(msg)
        given = {**vars(self), **{k: v for k, v in settings.items() if v is not None}}
        for key in ("points", "name", "average_precision", "log10_pvalue", "line_kw"):
            size = len(self._listed(given.get(key)))
            if size != count:
                msg = (
                    f"`{key}` must have one value for each curve; "
                    f"got {size} for {count}."
                )
                raise ValueError(msg)

    def _mark_of_curves(self, ax: Any) -> str:
        """Mark of the curves, which are in the same units as others in the axes."""
        fractions = {one.unit < 1 for one in self._listed(self.curve)}
        if len(fractions) > 1:
            msg = (
                "`curve` must hold curves in the same units, items or fractions of the "
                "list; got both."
            )
            raise ValueError(msg)
        return _drawing.mark_of_curves(ax, fractions=fractions.pop())

    def _draw_curves(self, name: Any, line_kw: Any, views: Any = None) -> None:
        """Draw the curves themselves, unless there are other views of them."""
        drawn = views or [self._view(curve) for curve in self._listed(self.curve)]
        lines = [
            _drawing.draw_curve(self.ax_, x, y, line_kw=kw, **style)
            for (x, y), style, kw in zip(
                drawn, self._styles(name), self._listed(line_kw), strict=True
            )
        ]
        self.line_ = self._unlisted(lines)

    def _styles(self, name: Any) -> list[dict[str, Any]]:
        """What each curve is called, and looks like if there are many."""
        said = name if name is not None else self.name
        facts = said, self.average_precision, self.log10_pvalue
        labels = list(map(_drawing.describe, *map(self._listed, facts)))
        if len(labels) <= _MANY:
            return [{"label": label, "gid": self._mark} for label in labels]
        group = None if _is_listed(said) else said
        values = self._listed(self.average_precision)
        together = _drawing.describe_many(group, len(labels), values)
        return _drawing.styles_of_many(self.ax_, self._mark, labels, together)

    def _draw_perfect(self, perfect_kw: Any) -> None:
        """Draw the curve of rankings that have all targets first."""
        style = {**_drawing.PERFECT, "label": "perfect"}
        lines = [
            _drawing.draw_line(self.ax_, *self._view(one.perfect()), style, perfect_kw)
            for one in self._listed(self.curve)
        ]
        self.perfect_ = self._unlisted(lines)

    def _draw_chance(
        self, chance_band_level: float | None, chance_level_kw: Any
    ) -> None:
        """Draw chance level and within its band."""
        style = {**_drawing.CHANCE, "label": "chance level"}
        lines = [
            _drawing.draw_line(
                self.ax_, *self._view(_random(one)), style, chance_level_kw
            )
            for one in self._listed(self.curve)
        ]
        self.chance_level_ = self._unlisted(lines)
        self._draw_chance_band(chance_band_level)

    def _draw_chance_band(self, chance_band_level: float | None) -> None:
        """Draw the chance band on the first ranking, unless it has weights."""
        self.chance_band_ = None
        curves = self._listed(self.curve)
        if chance_band_level is None or curves[0].tie_ends is None:
            return
        band = self._chance_band(chance_band_level)
        if band.x.size == 1:  # one target has one recall, over which nothing is filled
            return
        which = " (first ranking)" if len(set(map(_size, curves))) > 1 else ""
        label = f"chance, {100 * band.confidence_level:g} %{which}"
        style = {**_drawing.CHANCE_BAND, "label": label}
        limits = band.x, band.low, band.high
        self.chance_band_ = _drawing.draw_band(self.ax_, *limits, style)

    def _chance_band(self, chance_band_level: float) -> CurveBand:
        """Limits of chance without ties, which all rankings of the data set share."""
        first = self._listed(self.curve)[0]
        n_samples, _ = _size(first)
        untied: HitCurve = replace(first, tie_ends=spread_counts(n_samples))
        return untied.chance_band(chance_band_level)


def _is_listed(value: Any) -> bool:
    """Whether it is several values; a text and keywords are one."""
    return isinstance(value, Iterable) and not isinstance(value, str | Mapping)


def _names_of_folds(name: Any, numbers: list[int], n_folds: int) -> Any:
    """Name the folds that are left, or all together if they are many."""
    if _is_listed(name):
        names = list(name)
        if len(names) != n_folds:
            msg = (
                "`name` must have one value for each fold of `cv_results`; "
                f"got {len(names)} for {n_folds}."
            )
            raise ValueError(msg)
        return [names[number] for number in numbers]
    before = f"{name}, " if name else ""
    if len(numbers) > _MANY:
        return f"{before}{len(numbers)} folds"
    return [f"{before}fold {number}" for number in numbers]


def _size(curve: HitCurve) -> tuple[int, int]:
    """Items of the ranking that chance has, and targets among them."""
    return round(curve.t[-1] / curve.unit), round(curve.hits[-1] / curve.unit)


def _random(curve: HitCurve) -> HitCurve:
    """Curve of random selection, on average."""
    return replace(curve, t=curve.t[[0, -1]], hits=curve.hits[[0, -1]])
