"""The report: all that is to be said of some rankings, as text, table and page."""

from skrank.report._report import ranking_report
from skrank.report._result import RankingReport

__all__ = ["RankingReport", "ranking_report"]
