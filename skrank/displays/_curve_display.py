"""Base class of the displays of curves: data and drawing."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from skrank._utils._checks import (
    check_cutoff,
    check_depth,
    check_flag,
    check_fraction,
    invalid,
)
from skrank._utils._numbers import percent
from skrank._utils._text import as_text
from skrank.curves._hit_curve import HitCurve, curve_of, in_fractions
from skrank.displays import _drawing
from skrank.displays._entrances import FromFolds
from skrank.inference.random_selection._random_selection import RandomSelectionTest
from skrank.metrics._definitions import AveragePrecision
from skrank.ranking._ranking import Ranking
from skrank.ranking._rankings import Rankings

# Number of curves of one display above which they are thin lines of one colour: there
# are six colours and five styles, and a longer legend hides the axes.
MANY = 10

Array = NDArray[Any]
Heights = tuple[Array, ...]  # positions and heights of a line


@dataclass(eq=False, repr=False)
class CurveDisplay(FromFolds):
    """Base class of displays of the hit curve of one ranking, or of several.

    Subclasses define what is drawn, and the labels of the axes.
    """

    curve: HitCurve | Sequence[HitCurve]
    _: KW_ONLY
    average_precision: float | Sequence[float] | None = None
    log10_pvalue: float | Sequence[float] | None = None
    name: str | Sequence[str] | None = None
    mean: bool = False

    _refuses: ClassVar[dict[str, str]] = {
        "strata": "chance is random selection among all items"
    }

    @classmethod
    def from_rankings(
        cls,
        rankings: Any,
        *,
        as_fraction: bool = False,
        pvalue: bool | None = None,
        ax: Any = None,
        name: str | Sequence[str] | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw rankings.

        Parameters
        ----------
        rankings : Rankings, Ranking, RankCounts, sequence of them, or mapping
            One ranking, or a mapping from names of models to rankings, or the rankings
            of groups or folds by one model, such as a sequence. The rankings of groups
            are drawn as thin lines, with their mean. Folds are drawn in fractions of
            the ranking.
        as_fraction : bool, default=False
            Whether depths and hits are fractions of the ranking. By default they are
            numbers of items.
        pvalue : bool, default=None
            Whether to show the p-value against random selection in the legend. None
            omits it if it can take more than about two seconds (few targets in a very
            long ranking), for weighted items, for groups, and for more than ten folds.
            It is never shown with clusters or strata, because it would ignore them.
        ax : matplotlib Axes, default=None
            Axes to draw on. None creates a new figure.
        name : str or sequence of str, default=None
            Name of the curve in the legend, or a name for each model or fold, including
            folds that are left out. More than ten folds are drawn as thin lines of one
            colour, with one entry in the legend.
        **kwargs : dict
            Keyword arguments of `plot`.

        Returns
        -------
        display : the display
            Display with the data and the matplotlib artists. Groups without targets,
            and folds without targets or without non-targets, are left out with a
            warning.

        Raises
        ------
        ValueError
            If there are no targets, if no group or fold contains both targets and
            non-targets, or if the number of names differs from the number of folds.
        """
        # shared: as_fraction pvalue_of_curve ax
        _drawing.check_call(cls.from_rankings, kwargs, cls.plot)
        rankings = Rankings.from_rankings(rankings)
        return cls._of(rankings, as_fraction, pvalue, name).plot(ax, **kwargs)

    @classmethod
    def _of(cls, rankings: Rankings, as_fraction: Any, pvalue: Any, name: Any) -> Self:
        """Return the display of rankings, before it is drawn."""
        rankings = rankings.returned("the figure")
        pvalue = cls._pvalue_of(rankings, pvalue)
        measure = partial(cls._measure, as_fraction=as_fraction, pvalue=pvalue)
        if rankings.kind == "one" and len(rankings.names) == 1:
            return cls(**measure(rankings.single[0]), name=name)
        if rankings.kind == "one":
            name = list(map(as_text, rankings.names)) if name is None else name
            return cls(**_listed_by_key(map(measure, rankings.parts[0])), name=name)
        asked = rankings.defined_for(AveragePrecision())
        if rankings.kind == "groups":
            data = _listed_by_key(measure(one, pvalue=False) for one in asked.single)
            if pvalue is not None and check_flag("pvalue", pvalue):
                result = RandomSelectionTest(random_state=0).from_rankings(asked)
                data["log10_pvalue"] = [result.log10_pvalue] * len(data["curve"])
            return cls(**data, name=name, mean=True)
        names, is_many = cls._names_of_folds(rankings, asked, name)
        if is_many and pvalue is None:
            measure = partial(measure, pvalue=False)
        data = _listed_by_key(measure(one, as_fraction=True) for one in asked.single)
        return cls(**data, name=names)

    @staticmethod
    def _pvalue_of(rankings: Rankings, pvalue: bool | None) -> bool | None:
        """Leave out the p-value of items that are not independent."""
        if rankings.clusters is None and rankings.strata is None:
            return pvalue
        if pvalue:
            rule = (
                "be None or False with clusters or strata, which the p-value of the "
                "legend ignores; use RandomSelectionTest"
            )
            raise invalid("pvalue", rule, repr(pvalue))
        return False

    @staticmethod
    def _names_of_folds(
        rankings: Rankings, asked: Rankings, name: Any
    ) -> tuple[Any, bool]:
        """Return the names of what is drawn of folds, and whether it is much."""
        count, is_many = len(rankings.parts), len(asked.parts) > MANY
        before = f"{name}, " if name is not None else ""
        unit = "group" if rankings.grouped else "fold"
        if is_many and not _is_listed(name):
            return f"{before}{len(asked.parts)} {unit}s", is_many
        names = [f"{before}{unit} {as_text(label)}" for label in rankings.labels]
        if _is_listed(name):
            names = list(name)
        if len(names) != count:
            rule = f"be one for each of {count} {unit}s"
            raise invalid("name", rule, f"{len(names)}")
        kept = dict(zip(rankings.labels, names, strict=True))
        return [kept[label] for label in asked.labels], is_many

    @classmethod
    def _measure(
        cls, ranking: Ranking, *, as_fraction: bool, pvalue: bool | None
    ) -> dict[str, Any]:
        """Return the data of a display: curve, average precision, p-value."""
        as_fraction = check_flag("as_fraction", as_fraction)
        curve, metric, test = curve_of(ranking), AveragePrecision(), None
        if check_flag("pvalue", not ranking.weighted if pvalue is None else pvalue):
            test = RandomSelectionTest(random_state=0).from_rankings(ranking)
        return {
            "curve": in_fractions(curve) if as_fraction else curve,
            "average_precision": metric.value(ranking),
            "log10_pvalue": test and test.log10_pvalue,
        }

    def _one_per_curve(self, value: Any) -> list[Any]:
        """Return one value for each curve."""
        count = 1 if isinstance(self.curve, HitCurve) else len(self.curve)
        return list(value) if _is_listed(value) else [value] * count

    def _one_or_all(self, artists: list[Any]) -> Any:
        """Return the artist of a single curve, or a list for several."""
        return artists[0] if isinstance(self.curve, HitCurve) else artists

    def _check(
        self, ax: Any, top: Any, chance_band_level: Any, name: Any, line_kw: Any
    ) -> float | None:
        """Check the arguments before anything is drawn; return the last depth shown."""
        _drawing.check_axes(ax)
        if chance_band_level is not None:
            check_fraction("chance_band_level", chance_band_level)
        curves = self._one_per_curve(self.curve)
        if not curves:
            raise invalid("curve", "be a hit curve or a list of them", "none")
        given = {**vars(self), "line_kw": line_kw}
        if name is not None:
            given["name"] = name
        for key in ("points", "name", "average_precision", "log10_pvalue", "line_kw"):
            size, n = len(self._one_per_curve(given.get(key))), len(curves)
            if size != n:
                raise invalid(key, "have one value for each curve", f"{size} for {n}")
        self._mark = self._mark_of_curves(ax)
        if top is None:
            return None
        cut = check_cutoff("top", top)
        depths = (check_depth("top", cut, c.t[-1] / c.unit) * c.unit for c in curves)
        return float(max(depths))

    def _mark_of_curves(self, ax: Any) -> str:
        """Return the mark of curves with the same units."""
        shared = f"{_drawing.CURVE} in "
        curves = self._one_per_curve(self.curve)
        marks = {shared + ("fractions" if c.unit < 1 else "items") for c in curves}
        drawn = {_drawing.gid(line) for line in ([] if ax is None else ax.lines)}
        if len(marks | {one for one in drawn if one.startswith(shared)}) > 1:
            raise invalid("ax", "have all curves in items, or all in fractions", "both")
        return marks.pop()

    def _start(self, ax: Any) -> None:
        """Set the axes; a new figure if there are none."""
        self.ax_ = _drawing.new_axes() if ax is None else ax
        self.figure_ = self.ax_.figure

    def _draw_curves(self, name: Any, line_kw: Any, views: Iterable[Heights]) -> None:
        """Draw the curves."""
        styles, keywords = self._styles(name), self._one_per_curve(line_kw)
        views = list(views)
        lines = [
            _drawing.draw_curve(self.ax_, x, y, kw, **style)
            for (x, y), style, kw in zip(views, styles, keywords, strict=True)
        ]
        self.line_ = self._one_or_all(lines)
        self.mean_ = None
        if self.mean:
            said = self.name if name is None else name
            style = {"color": lines[0].get_color(), "linestyle": "-", "linewidth": 2.5}
            style["label"] = _drawing.describe(
                "mean" if said is None else f"{said}, mean",
                float(np.mean(self._one_per_curve(self.average_precision))),
                self._one_per_curve(self.log10_pvalue)[0],
            )
            self.mean_ = _drawing.draw_line(self.ax_, *self._mean(views), **style)

    def _mean(self, views: list[Heights]) -> Heights:
        """Return the mean of the curves."""
        return mean_of(views)

    def _styles(self, name: Any) -> list[dict[str, Any]]:
        """Return the name of each curve, and its style if there are many."""
        said = self.name if name is None else name
        facts = said, self.average_precision, self.log10_pvalue
        labels = list(map(_drawing.describe, *map(self._one_per_curve, facts)))
        if len(labels) <= MANY and not self.mean:
            return [{"label": label, "gid": self._mark} for label in labels]
        # thin lines of one colour; the first stands for all in the legend
        values = [
            v for v in self._one_per_curve(self.average_precision) if v is not None
        ]
        group = "" if _is_listed(said) else _drawing.plain(said)
        together = group or f"{len(labels)} curves"
        if self.mean:
            together = f"{len(labels)} rankings"
        if values:
            together += f", AP {min(values):#.3g} to {max(values):#.3g}"
        number = _drawing.count_curves(self.ax_)
        color = _drawing.COLORS[number % len(_drawing.COLORS)]
        line = {"color": color, "linestyle": "-", "linewidth": 0.8, "alpha": 0.7}
        if self.mean:  # they are behind it
            line["alpha"] = 0.3
        unnamed = [{"label": f"_{label}", "gid": None} for label in labels[1:]]
        named: dict[str, Any] = {"label": together, "gid": self._mark}
        return [{**line, **one} for one in (named, *unnamed)]

    def _draw_chance_band(self, chance_band_level: float | None) -> None:
        """Draw the chance band of the first ranking, unless it has weights.

        The band of one ranking does not apply to the mean over several.
        """
        self.chance_band_ = None
        curves = self._one_per_curve(self.curve)
        if chance_band_level is None or curves[0].tie_ends is None or self.mean:
            return
        limits = self._chance_limits(chance_band_level)
        if limits[0].size == 1:  # one target has one value of recall: nothing to fill
            return
        sizes = {(round(c.t[-1] / c.unit), round(c.hits[-1] / c.unit)) for c in curves}
        which = " (first ranking)" if len(sizes) > 1 else ""
        self.chance_band_ = _drawing.draw_shared(
            _drawing.draw_band,
            self.ax_,
            *limits,
            label=f"chance, {percent(chance_band_level)}{which}",
            # transparent grey: light on white, dark on black
            **{"color": "0.5", "alpha": 0.2, "zorder": 0.6},
        )

    @abstractmethod
    def _chance_limits(self, level: float) -> Heights:
        """Return the chance band without ties, which the rankings share."""


def mean_of(views: Iterable[Heights]) -> Heights:
    """Mean height of curves, each of which goes on as it ends.

    Parameters
    ----------
    views : iterable of tuple of ndarray
        Places and heights of each curve.

    Returns
    -------
    view : tuple of ndarray
        Places of all curves, and the mean height there.
    """
    views = list(views)
    x = np.unique(np.concatenate([one[0] for one in views]))
    return x, np.mean([np.interp(x, *one) for one in views], axis=0)  # type: ignore[call-overload]


def thin(curve: HitCurve) -> Heights:
    """Return depths and hits that draw a curve of any length; O(n_points).

    Of the points in one cell of each of three scales (depths, their logarithms, hits),
    the first and the last are kept; a cell is less than half of one of a thousand
    pixels. Depths are added for lines that are straight in items and curved on another
    scale.
    """
    t, hits = curve.t[1:], curve.hits[1:]
    cells = np.floor(
        [2000 * (t / t[-1]), 2000 * (hits / curve.n_targets), np.log(t) / 5e-4]
    )
    is_next = np.any(np.diff(cells) != 0, axis=0)
    kept = t[np.append(True, is_next) | np.append(is_next, True)]
    added = np.geomspace(min(curve.unit, t[0]), t[-1], 2000)
    x = np.append(0.0, np.union1d(kept, added))
    return x, np.interp(x, curve.t, curve.hits)


def _listed_by_key(each: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Convert the data of each curve to lists for all."""
    measured = list(each)
    return {key: [one[key] for one in measured] for key in measured[0]}


def _is_listed(value: Any) -> bool:
    """Whether it is a sequence of values; text and keywords are single values."""
    return isinstance(value, Iterable) and not isinstance(value, str | Mapping)
