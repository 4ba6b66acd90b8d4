"""Warnings that point at the line of the caller, however deep they arise."""

import sys
import warnings

from sklearn.exceptions import UndefinedMetricWarning


def warn_undefined(message: str) -> None:
    """Warn of a value that is undefined, at the line that asked the package."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back and frame.f_globals["__name__"].startswith("skrank."):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, UndefinedMetricWarning, stacklevel=level)
