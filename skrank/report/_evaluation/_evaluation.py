"""An evaluation of a ranking: cases added piece by piece, then all curves and metrics.

What comes in are labels and scores, as they come; what goes out is what the metrics and
the curves say of all of them, from one ranking. There is no arithmetic here.
"""

from typing import Any

from skrank._utils._checks import check_flag
from skrank._utils._text import data_frame
from skrank._utils._warnings import warn
from skrank.curves import HitCurve, OperatingPoints, curve_of, points_of
from skrank.metrics._evaluate import undefined_text, why_undefined
from skrank.report._evaluation._methods import RankingMetrics
from skrank.report._evaluation._text import format_points, format_summary


class RankingEvaluation(RankingMetrics):
    """Evaluation of a ranking whose cases come piece by piece.

    It starts empty. Cases are added one by one or in arrays, and may be joined from
    several evaluations, as ``sum(parts)`` does. Whatever is asked is asked of all cases
    so far; they are ranked once, until something is added.

    Parameters
    ----------
    ties : {"expected", "threshold", "optimistic", "pessimistic"}, default="expected"
        Tie rule of the metrics that have one: within a tie the mean over all orders;
        the tie retrieved whole; its targets first; or last.
    pos_label : int, float, bool or str, default=None
        Label of the targets; None understands {0, 1}, {-1, 1} and bool.

    Raises
    ------
    ValueError
        If the tie rule is unknown.

    See Also
    --------
    average_precision : The metrics of one ranking, as functions.
    operating_points, hit_curve : The curves.

    Notes
    -----
    It does what LingPipe's ``ScoredPrecisionRecallEvaluation`` does, which takes tied
    cases in the order in which they were added.

    A metric without a value is NaN with an ``UndefinedMetricWarning``: there are no
    targets, or nothing else.

    Scores of different pieces must be comparable, and should be of one type: beside
    floats, integers become floats.

    Examples
    --------
    >>> from skrank import RankingEvaluation
    >>> evaluation = RankingEvaluation()
    >>> evaluation.add([0, 1, 0, 1, 1], [-1.21, -1.27, -1.39, -1.47, -1.60])
    <RankingEvaluation(ties='expected', pos_label=None) of 5 items, 3 targets>
    >>> evaluation.add([0, 0, 0, 1, 0], [-1.65, -1.79, -1.80, -2.01, -3.70])
    <RankingEvaluation(ties='expected', pos_label=None) of 10 items, 4 targets>
    >>> print(evaluation)
    Ranking evaluation
      list               10 items, 4 targets (prevalence 0.4)
      average precision  0.5111
      area under PR      0.5111, interpolated 0.5611
      area under ROC     0.5833, interpolated 0.5833
      maximum F1         0.6667 at score -1.6 (recall 0.75, precision 0.6)
      breakeven point    0.6
      R-precision        0.5
      reciprocal rank    0.5
      precision at 5     0.6
      precision at 10    0.4
    """

    def __init__(self, *, ties: str = "expected", pos_label: object = None) -> None:
        super().__init__(ties=ties, pos_label=pos_label)

    def operating_points(self, interpolate: bool = False) -> OperatingPoints:
        """Recall and precision of every threshold that retrieves another target.

        Parameters
        ----------
        interpolate : bool, default=False
            Whether to leave out points that another equals or beats in recall and
            precision.

        Returns
        -------
        points : OperatingPoints
            As of :func:`skrank.operating_points`.

        Raises
        ------
        ValueError
            If there are no targets, or `interpolate` is not True or False.
        """
        best = check_flag("interpolate", interpolate)
        points = points_of(self._cases.ranking())
        return points.not_dominated("precision") if best else points

    def roc_curve(self, interpolate: bool = False) -> OperatingPoints:
        """Recall and specificity of every threshold that retrieves another target.

        Parameters
        ----------
        interpolate : bool, default=False
            Whether to leave out points that another equals or beats in recall and
            specificity.

        Returns
        -------
        points : OperatingPoints
            Their ``recall``, or sensitivity, against their ``specificity``.

        Raises
        ------
        ValueError
            If there are no targets, or no others among the scored cases; or if
            `interpolate` is not True or False.
        """
        best = check_flag("interpolate", interpolate)
        ranking = self._cases.ranking()
        points = points_of(ranking)
        if not ranking.n_non_targets:
            msg = "`y_true` must hold others to make a ROC curve; got targets alone."
            raise ValueError(msg)
        return points.not_dominated("specificity") if best else points

    def hit_curve(self) -> HitCurve:
        """Curve of the targets found against the items looked at.

        Returns
        -------
        curve : HitCurve
            As of :func:`skrank.hit_curve`, with ties as set here; under "threshold" it
            is straight along a tie, as under "expected".

        Raises
        ------
        ValueError
            If there are no targets.
        """
        ties = "expected" if self.ties == "threshold" else self.ties
        return curve_of(self._cases.ranking(), ties)

    def to_dict(self) -> dict[str, float]:
        """Return counts and metrics as plain numbers.

        Returns
        -------
        fields : dict
            What is printed, under the names of the methods; "_interpolated" and the
            depth are added to the name. What is undefined is NaN, with one warning.
        """
        ranking, reported = self._cases.ranking(), self._reported().values()
        reasons = [reason for one in reported if (reason := one.why_undefined(ranking))]
        if reasons:
            warn(undefined_text("some metric", reasons[0]))
        return {**self._counts(), **self._metrics()}

    def to_frame(self, interpolate: bool = False, beta: float = 1.0) -> Any:
        """Return the operating points as a pandas DataFrame.

        Parameters
        ----------
        interpolate : bool, default=False
            Whether to leave out points that another equals or beats in recall and
            precision.
        beta : float, default=1.0
            How many times as much recall counts as precision.

        Returns
        -------
        frame : pandas.DataFrame
            The columns "score", "t", "hits", "recall", "precision", "f_score" and
            "specificity".

        Raises
        ------
        ImportError
            If pandas is not installed.
        ValueError
            If there are no targets, or a setting is outside its range.
        """
        points = self.operating_points(interpolate)
        before = ("score", "t", "hits", "recall", "precision")
        columns = {name: getattr(points, name) for name in before}
        columns["f_score"] = points.f_score(beta)
        return data_frame({**columns, "specificity": points.specificity})

    def format_curve(
        self,
        interpolate: bool = False,
        beta: float = 1.0,
        max_rows: int | None = None,
    ) -> str:
        """Return the operating points as a table to print.

        Parameters
        ----------
        interpolate : bool, default=False
            Whether to leave out points that another equals or beats in recall and
            precision.
        beta : float, default=1.0
            How many times as much recall counts as precision.
        max_rows : int, default=None
            Most rows to print, 2 or more, spread evenly over the points from the first
            to the last; None prints all.

        Returns
        -------
        table : str
            The columns threshold ("score"), items retrieved ("t"), precision, recall
            and F-score, best score first.

        Raises
        ------
        ValueError
            If there are no targets, or a setting is outside its range.
        """
        points = self.operating_points(interpolate)
        return format_points(points, beta, max_rows)

    def __repr__(self) -> str:
        """Print the settings, and how much there is."""
        missed = f", {self.n_missed} of them missed" if self.n_missed else ""
        return (
            f"<RankingEvaluation({self._settings()}) of {self.n_samples} items, "
            f"{self.n_targets} targets{missed}>"
        )

    def __str__(self) -> str:
        """Say what was found, in words and numbers."""
        reason = why_undefined(self._cases.ranking())
        if reason is not None:
            return format_summary(self._counts(), {}, None, reason)
        scored = self.n_targets > self.n_missed
        best = self._best_point() if scored else None
        return format_summary(self._counts(), self._metrics(), best)

    def _metrics(self) -> dict[str, float]:
        """Values of the metrics that are reported, NaN where they have none."""
        reported = self._reported()
        return {name: self._value_or_nan(one) for name, one in reported.items()}
