"""Speed of average precision for scores on a device and on the host. Needs torch.

For each device of torch, it prints the seconds of ``average_precision`` for a tensor on
the device, and for a copy of the tensor on the host including the transfer, and the
speed-up.

    python benchmarks/device.py
"""

import time
from statistics import median

import numpy as np
import torch
from timing import make_list

from skrank import average_precision

SHAPES = [(10**5, 1000), (10**6, 1000), (10**7, 10_000)]


def seconds(function):
    """Median time of five calls that return a number, which waits for the device."""
    times = []
    for _ in range(6):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return median(times[1:])


def main():
    """Print the table."""
    there = "cuda" if torch.cuda.is_available() else "cpu"
    name = torch.cuda.get_device_name() if there == "cuda" else "no other device"
    print(f"torch {torch.__version__}, {name}")
    print(f"{'items':>10} {'targets':>8} {'there':>8} {'copied':>8} {'ratio':>6}")
    for n, m in SHAPES:
        y_true, y_score = make_list(n, m, dtype=np.float32)
        scores = torch.asarray(y_score, device=there)
        assert average_precision(y_true, scores) == average_precision(y_true, y_score)
        on_device = seconds(lambda y=y_true, s=scores: average_precision(y, s))
        copied = seconds(
            lambda y=y_true, s=scores: average_precision(y, s.cpu().numpy())
        )
        ratio = copied / on_device
        print(f"{n:>10} {m:>8} {on_device:>8.4f} {copied:>8.4f} {ratio:>6.2f}")


if __name__ == "__main__":
    main()
