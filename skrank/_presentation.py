"""How things are shown: progress, tables, names and p-values in print.

What is optional, pandas and tqdm, is known here only and loaded on demand.
"""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np


def track(
    tasks: Iterable[Any], *, total: int | None, label: str, progress: bool
) -> Iterable[Any]:
    """Show a bar of progress over the tasks, if wanted."""
    if not progress:
        return tasks
    try:
        from tqdm.auto import tqdm
    except ImportError as error:
        msg = "`progress` must be False where tqdm is not installed; got True."
        raise ImportError(msg) from error
    return tqdm(tasks, total=total, desc=label)  # type: ignore[no-any-return]


def data_frame(columns: dict[str, Any]) -> Any:
    """Make a pandas DataFrame; pandas is needed for this alone."""
    try:
        import pandas as pd
    except ImportError as error:
        msg = "`to_frame` needs pandas, which is not installed; see also `to_dict`."
        raise ImportError(msg) from error
    return pd.DataFrame(columns)


def as_text(name: Any) -> str:
    """Print what something is called, in one line and with plain numbers."""
    with np.printoptions(legacy="1.21"):  # 3.0 where newer ones print np.float64(3.0)
        return " ".join(str(name).split())


def format_pvalue(log10_pvalue: float) -> str:
    """Print a p-value of any depth, or none."""
    if not log10_pvalue <= -4 or math.isinf(log10_pvalue):
        return f"{10**log10_pvalue:.2g}"
    exponent = math.floor(log10_pvalue + math.log10(20 / 19.9))  # 9.95 rounds to 10
    mantissa = max(1.0, 10 ** (log10_pvalue - exponent))
    return f"{mantissa:.1f}e{exponent:03d}"
