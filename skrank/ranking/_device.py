"""Scores on a device: arrays of torch, CuPy, JAX and other array API namespaces.

The scores are sorted once on their device; arrays in the memory of the host are read by
NumPy. The scores of the targets, counts and labels are transferred, but not all scores.
The functions used are those of the array API standard, version 2023.12
(https://data-apis.org/array-api).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skrank._utils._checks import hard_labels, invalid
from skrank._utils._columns import check_length
from skrank._utils._optional import load
from skrank.ranking._ties import TieGroups, tie_groups

_Ints = NDArray[np.intp]


def namespace_of(values: Any) -> Any:
    """Return the array namespace of values on a device, or None if NumPy can read them.

    Devices of the host have names such as "cpu", "TFRT_CPU_0" and "CPU_DEVICE".
    """
    if isinstance(values, np.ndarray | np.generic | list | tuple):
        return None
    has_one = hasattr(type(values), "__array_namespace__")
    is_array = has_one or type(values).__module__ == "torch"
    if not is_array or "cpu" in str(values.device).lower():
        return None
    msg = "arrays on a device need array-api-compat: pip install skrank[array-api]"
    return load("array_api_compat", msg).array_namespace(values)


def to_host(values: Any) -> NDArray[Any]:
    """Transfer an array to NumPy."""
    namespace = namespace_of(values)
    if hasattr(namespace, "Device"):  # array-api-strict, which simulates other devices
        values = values.to_device(namespace.Device("CPU_DEVICE"))
    for move in ("cpu", "get"):  # torch, CuPy
        values = getattr(values, move)() if hasattr(values, move) else values
    return np.asarray(values)


def check_device_scores(xp: Any, name: str, scores: Any, n_labels: int) -> Any:
    """Check scores on a device; types without a search become float32."""
    if scores.ndim != 1:
        raise invalid(name, "be one-dimensional", f"shape {tuple(scores.shape)}")
    check_length(name, int(scores.shape[0]), n_labels)
    if not xp.isdtype(scores.dtype, ("integral", "real floating")):
        raise invalid(name, "hold real numbers that rank", str(scores.dtype))
    if xp.isdtype(scores.dtype, "real floating"):
        if not bool(xp.all(xp.isfinite(scores))):
            raise invalid(name, "be finite", "NaN or infinity")
        kept = scores.dtype in (xp.float32, xp.float64)
        return scores if kept else xp.astype(scores, xp.float32)
    low, high = int(xp.min(scores)), int(xp.max(scores))
    if high == 1 and (low == 0 or (low == -1 and bool(xp.all(scores != 0)))):
        raise hard_labels(name, f"integers {{{low}, {high}}}")
    return scores


def take_scores(scores: Any, positions: _Ints) -> NDArray[Any]:
    """Transfer the scores at some positions."""
    xp = namespace_of(scores)
    return to_host(xp.take(scores, xp.asarray(positions, device=scores.device)))


class DeviceItems:
    """Sorted scores on a device and their ties; O(log n) for each query."""

    weighted = False
    whole = True

    def __init__(self, scores: Any) -> None:
        self._xp = namespace_of(scores)
        self._ordered = self._xp.sort(scores)
        self._size = int(scores.shape[0])

    def count(self, levels: NDArray[Any]) -> tuple[_Ints, _Ints]:
        """Count the scores below and equal to each level; O(m log n)."""
        found = self._xp.asarray(levels, device=self._ordered.device)
        return self._count(found)

    def group_end(self, depth: float) -> float:
        """Return the depth at which the tie that contains a depth ends."""
        return float(self.group_ends(np.array([int(depth)]))[0])

    def group_ends(self, depths: _Ints) -> _Ints:
        """Return the depths at which the ties that contain the depths end."""
        return self._size - self._at(depths)[0]

    def tie_size(self, depth: float) -> int:
        """Return the size of the tie that contains a depth."""
        return int(self._at(np.array([int(depth)]))[1][0])

    def tie_groups(self) -> TieGroups:
        """Return all ties; one number for each is transferred."""
        ordered, xp = self._ordered, self._xp
        last = to_host(xp.nonzero(ordered[1:] != ordered[:-1])[0])
        ends = np.append(self._size - 1 - last[::-1], self._size).astype(np.intp)
        nowhere = ends[:0]
        return tie_groups(ends, nowhere, nowhere, self._size)

    def _at(self, depths: _Ints) -> tuple[_Ints, _Ints]:
        """Count the scores below and equal to those at the depths."""
        index = self._xp.asarray(self._size - depths, device=self._ordered.device)
        return self._count(self._xp.take(self._ordered, index))

    def _count(self, levels: Any) -> tuple[_Ints, _Ints]:
        first, last = (
            to_host(self._xp.searchsorted(self._ordered, levels, side=side))
            for side in ("left", "right")
        )
        return first.astype(np.intp), (last - first).astype(np.intp)
