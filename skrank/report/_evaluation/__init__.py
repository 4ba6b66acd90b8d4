"""Evaluation of cases that come in pieces: all curves and metrics of one ranking."""

from skrank.report._evaluation._evaluation import RankingEvaluation
from skrank.report._evaluation._text import MaxFScorePoint

__all__ = ["MaxFScorePoint", "RankingEvaluation"]
