"""Text representation of progress, names, values and sizes.

All text from users, such as names of models, is converted here. Characters that cannot
be shown are escaped, and long text is shortened.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import islice
from typing import Any

import numpy as np

from skrank._utils._numbers import number
from skrank._utils._optional import load

_LONG = 100  # letters of a value in an error message: more than one line


def track(
    tasks: Iterable[Any], *, total: int | None, label: str, progress: bool
) -> Iterable[Any]:
    """Show a progress bar of the tasks, if requested."""
    if not progress:
        return tasks
    missing = "`progress` must be False where tqdm is not installed; got True."
    bar: Iterable[Any] = load("tqdm.auto", missing).tqdm(tasks, total=total, desc=label)
    return bar


def columns_of(rows: Sequence[dict[str, Any]]) -> dict[str, list[Any]]:
    """Convert rows with the same keys to columns."""
    return {name: [row[name] for row in rows] for name in rows[0]}


def as_text(name: Any, reserved: Collection[str] = ()) -> str:
    """Print a name in one line, so that different names are printed differently.

    A text with invisible characters, or one that is reserved, is printed in quotes, as
    by Python's repr; so is a text that begins with a quote. Other values are printed in
    one line, with plain numbers.
    """
    text = str(name)
    if not isinstance(name, str):
        with np.printoptions(legacy="1.21"):  # 3.0 instead of np.float64(3.0)
            text = " ".join(str(name).split())
    is_plain = text.isprintable() and " ".join(text.split()) == text
    if is_plain and text and text[0] not in "'\"" and text not in reserved:
        return text
    return repr(text)


def brief(value: Any) -> str:
    """Print a value for an error message, as by repr, in one short line."""
    try:
        text = repr(value)
    except ValueError:  # Python does not print numbers of thousands of digits
        text = f"{type(value).__name__} with a number of too many digits"
    return in_short(text)


def in_short(text: str, most: int = _LONG) -> str:
    """Print text in one line, shortened in the middle; escape control characters."""
    line = re.sub(r"\s*\n\s*", " ", _ends(text, 2 * most))
    seen = "".join(one if one.isprintable() else repr(one)[1:-1] for one in line)
    return _ends(seen, most)


def _ends(text: str, most: int) -> str:
    """Leave out the middle of a long text."""
    half = most // 2
    return text if len(text) <= most else f"{text[:half]}...{text[-half:]}"


def listed(texts: Sequence[str], most: int) -> str:
    """Print the first of some texts in one line, and the number of the others."""
    first = [in_short(text, _LONG // 2) for text in islice(texts, most)]
    while sum(map(len, first)) > 200:  # about three lines
        first.pop()
    more = len(texts) - len(first)
    return ", ".join(first) + (f" and {more} more" if more else "")


def format_size(
    n_samples: int,
    n_targets: int,
    n_missed: int = 0,
    n_clusters: int = 0,
    n_labelled: int = 0,
) -> str:
    """Print the numbers of items, targets, missed targets and clusters.

    With `n_labelled` only so many items have labels, among which the targets are.
    """
    if n_labelled:
        plural = "" if n_targets == 1 else "s"
        found = f"{n_targets} target{plural} found"
        return f"{n_samples} items, {n_labelled} labelled, {found}"
    clusters = f", {n_clusters} clusters" if n_clusters else ""
    missed = f", {n_missed} of them missed" if n_missed else ""
    prevalence = f"prevalence {number(n_targets / n_samples)}"
    plural = "" if n_targets == 1 else "s"
    targets = f"{n_targets} target{plural}{missed} ({prevalence})"
    return f"{n_samples} items, {targets}{clusters}"
