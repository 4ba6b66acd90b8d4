"""A ranking without its items, as a receipt in JSON.

A receipt has the number of items above and equal to each score of a target, these
scores, and the ties of all items. Metrics, curves, intervals and the random selection
test need nothing else. A receipt has a few kB. Its hashes identify the labels and
scores that it was made of, and its digest shows whether it was changed since.
"""

import hashlib
import json
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skrank._utils._checks import invalid
from skrank._utils._text import brief, in_short
from skrank.ranking._ties import DETAILED, TieGroups

_FORMAT, _VERSION = "skrank ranking", 1
_TYPES = (
    "float32",
    "float64",
    *(f"{kind}{8 * size}" for kind in ("int", "uint") for size in (1, 2, 4, 8)),
)
_MOST_TIES = 2**21  # twice those that are stored one by one; limits the memory
_Ints = NDArray[np.intp]


class Receipt(NamedTuple):
    """Counts of a ranking: its groups with targets, best first, and all its ties."""

    n_missed: int
    above: _Ints
    size: _Ints
    hits: _Ints
    levels: NDArray[Any]
    ties: TieGroups
    #: SHA-256 of the labels and of the scores, None where items were only counted.
    hashes: dict[str, str] | None


def hashes_of(targets: _Ints, y_score: NDArray[Any]) -> dict[str, str]:
    """Return hashes of labels, as one bit for each item, and of the scores; O(n)."""
    labels = np.zeros(y_score.size, dtype=bool)
    labels[targets] = True
    scores = y_score + y_score.dtype.type(0)  # 0.0 and -0.0 have the same hash
    stored = scores.astype(scores.dtype.newbyteorder("<"), copy=False)
    columns = {"y_true": np.packbits(labels), "y_score": stored}
    return {name: _sha256(column.tobytes()) for name, column in columns.items()}


def differences(one: Receipt, other: Receipt) -> list[str]:
    """Return what differs by name; reordered items differ in hashes only."""
    hashes = one.hashes or {}, other.hashes or {}
    pairs = {
        "number of items": (one.ties.n_samples, other.ties.n_samples),
        "number of targets": (one.hits.sum(), other.hits.sum()),
        "ranks of the targets": (
            (one.above.tolist(), one.size.tolist(), one.hits.tolist()),
            (other.above.tolist(), other.size.tolist(), other.hits.tolist()),
        ),
        "scores of the targets": (one.levels.tolist(), other.levels.tolist()),
        "ties": (one.ties.ends.tolist(), other.ties.ends.tolist()),
    }
    if all(hashes):
        for name, column in (("labels", "y_true"), ("scores", "y_score")):
            pairs[f"{name} in their order"] = hashes[0][column], hashes[1][column]
    return [name for name, (a, b) in pairs.items() if a != b]


def write_receipt(receipt: Receipt) -> str:
    """Write a receipt; consecutive ties of one size are written as one entry."""
    sizes, merged = np.diff(receipt.ties.ends, prepend=0), receipt.ties.merged
    changes = np.append(True, (np.diff(sizes) != 0) | (np.diff(merged) != 0))
    first = np.flatnonzero(changes)
    content = {
        "format": _FORMAT,
        "version": _VERSION,
        "written_by": {name: version(name) for name in ("skrank", "numpy")},
        "n_samples": receipt.ties.n_samples,
        "n_targets": int(receipt.hits.sum()),
        "n_missed": receipt.n_missed,
        "score_type": receipt.levels.dtype.name,
        "groups": {
            "score": receipt.levels.tolist(),
            "above": receipt.above.tolist(),
            "size": receipt.size.tolist(),
            "hits": receipt.hits.tolist(),
        },
        "ties": {
            "size": sizes[first].tolist(),
            "count": np.diff(first, append=sizes.size).tolist(),
            "stretch": merged[first].tolist(),
        },
        "hashes": receipt.hashes,
    }
    content["digest"] = _digest(content)
    return json.dumps(content, separators=(",", ":"))


def read_receipt(text: str) -> Receipt:
    """Read a receipt, and check that it is complete and consistent.

    Every number is checked against the others: a group with targets is a tie, or inside
    a stretch of items, and does not have more targets than items.
    """
    try:
        content = json.loads(text)
    except ValueError as error:
        raise _damaged(f"no JSON: {in_short(str(error))}") from error
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise _damaged(f"no receipt of a ranking: {in_short(text)}")
    if content.get("version") != _VERSION:
        got = brief(content.get("version"))
        raise _damaged(f"a receipt of version {got}, where {_VERSION} can be read")
    if content.pop("digest", None) != _digest(content):
        raise _damaged("other content than its digest says")
    n, m, n_missed = (
        _entry(content, f"n_{name}", int) for name in ("samples", "targets", "missed")
    )
    ties = _ties(_entry(content, "ties", dict), n)
    groups = _entry(content, "groups", dict)
    levels = _scores(_entry(groups, "score", list), _entry(content, "score_type", str))
    above, size, hits = (_counts(groups, name) for name in ("above", "size", "hits"))
    if not len({above.size, size.size, hits.size, levels.size}) == 1:
        raise _damaged("groups whose entries differ in number")
    apart = np.all((above + size)[:-1] <= above[1:])
    if not apart or not np.all(levels[1:] < levels[:-1]):
        raise _damaged("groups that are not in order")
    if np.any((hits < 1) | (hits > size)) or hits.sum() != m or n_missed < 0:
        raise _damaged(f"groups that do not hold the {m} targets")
    last = np.minimum(np.searchsorted(ties.ends, above, "right"), ties.ends.size - 1)
    start, end = np.append(0, ties.ends)[last], ties.ends[last]
    is_tie = (start == above) & (end == above + size)
    is_part = ties.merged[last] & (above + size <= end)
    if not np.all(is_tie | is_part):
        raise _damaged("groups that are no ties of the ranking")
    hashes = content.get("hashes")
    if hashes is not None:
        hashes = {
            name: _entry(_entry(content, "hashes", dict), name, str)
            for name in ("y_true", "y_score")
        }
    return Receipt(n_missed, above, size, hits, levels, ties, hashes)


def _ties(runs: dict[str, Any], n_samples: int) -> TieGroups:
    """Return all ties of the ranking."""
    size, count = _counts(runs, "size"), _counts(runs, "count")
    stretch = _entry(runs, "stretch", list)
    if any(type(one) is not bool for one in stretch):
        raise _damaged("`stretch` with other than true and false")
    if not size.size == count.size == len(stretch) > 0 or size.min() < 1:
        raise _damaged("ties whose entries differ in number, or are missing")
    total = (size.astype(float) * count).sum()
    if total != n_samples or count.sum() > _MOST_TIES:
        raise _damaged(f"ties that do not add up to the {n_samples} items")
    ends = np.cumsum(np.repeat(size, count))
    merged = np.repeat(np.array(stretch), count)
    if np.any(merged & (ends <= DETAILED)):
        raise _damaged("ties that are not told apart at the top")
    return TieGroups(ends, merged)


def _scores(given: list[Any], name: str) -> NDArray[Any]:
    """Return scores in their original type."""
    if name not in _TYPES:
        raise _damaged(f"scores of type {in_short(name)}")
    dtype = np.dtype(name)
    kind = float if dtype.kind == "f" else int
    info = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
    if not all(type(one) is kind and info.min <= one <= info.max for one in given):
        raise _damaged(f"scores that are not of type {name}")
    return np.array(given, dtype)


def _counts(content: dict[str, Any], name: str) -> _Ints:
    """Return whole numbers, checked to be at least 0."""
    given = _entry(content, name, list)
    if any(type(one) is not int or not 0 <= one < 2**53 for one in given):
        raise _damaged(f"`{name}` with other than whole numbers from 0 on")
    return np.array(given, dtype=np.intp)


def _entry(content: dict[str, Any], name: str, kind: type) -> Any:
    """Return a required entry, checked for its type."""
    if type(content.get(name)) is not kind:
        raise _damaged(f"`{name}` that is missing, or no {kind.__name__}")
    return content[name]


def _damaged(got: str) -> ValueError:
    return invalid("receipt", "be as `to_json` has written it", got)


def _digest(content: dict[str, Any]) -> str:
    """Return the hash of all other entries, independent of spaces and their order."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return _sha256(text.encode())


def _sha256(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"
