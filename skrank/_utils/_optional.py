"""Import optional libraries when they are needed."""

from importlib import import_module
from typing import Any


def load(module: str, missing: str) -> Any:
    """Import a module of an optional library, or raise an error with `missing`."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(missing) from error
