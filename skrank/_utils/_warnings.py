"""Warnings that refer to the line of the user's code."""

import sys
import warnings

from sklearn.exceptions import UndefinedMetricWarning


def warn(message: str, category: type[Warning] = UndefinedMetricWarning) -> None:
    """Warn at the line of the user's code."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("skrank."):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
