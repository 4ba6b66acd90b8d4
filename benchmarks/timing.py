"""Rankings, clocks and machine descriptions for the scripts that compare speed.

Other processes can only add to a time, so the candidates take turns, and the shortest
times are compared.
"""

import gc
import json
import os
import platform
import subprocess
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
from scipy.special import expit

SHORT = 2.0  # seconds that short calls are repeated for
FEWEST, MOST = 3, 200


def make_list(n, m, *, dtype=np.float64, distinct=0, seed=0):
    """Labels 0 and 1, and scores between 0 and 1, of m targets among n items."""
    rng = np.random.default_rng(seed)
    y_true = np.zeros(n, dtype=np.int64)
    y_true[rng.choice(n, m, replace=False)] = 1
    if distinct:
        y_score = rng.binomial(distinct - 1, 0.1 + 0.2 * y_true) / (distinct - 1)
    else:
        y_score = rng.standard_normal(n)
        y_score += y_true
        expit(y_score, out=y_score)
    return y_true, y_score.astype(dtype, copy=False)


def read_pass(y_score):
    """Read the scores as little as a check of them must: the unit of speed."""
    return y_score.max() and np.isfinite(y_score).all()


def seconds(function):
    """Time of one call."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def take_turns(calls, *, budget=SHORT):
    """Shortest time of each call, by name, after one round to warm up."""
    once = sum(seconds(call) for call in calls.values())
    rounds = int(np.clip(budget / once, FEWEST, MOST))
    times = {name: [] for name in calls}
    gc.collect()
    gc.disable()  # the rubbish of one is not to be cleared in the time of another
    for _ in range(rounds):
        for name, call in calls.items():
            times[name].append(seconds(call))
    gc.enable()
    return {name: min(spent) for name, spent in times.items()}


def fresh(script, *args):
    """Run a script in a process of its own; return what it printed as JSON."""
    command = [sys.executable, script, *map(str, args)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(done.stdout)


def peak_bytes():
    """Most memory that this process ever held, pages of mapped files included.

    It is what ru_maxrss should be, which a process inherits from the one it came from.
    """
    return status_bytes("VmHWM")


def status_bytes(name, process="self"):
    """Memory of a process by its name in /proc: RssAnon is without mapped files."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024
    msg = f"/proc/{process}/status has no {name}"
    raise RuntimeError(msg)


def _version(name):
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def has_avx512():
    """Whether the processor has the instructions by which NumPy would sort."""
    return any("avx512dq" in flags.split() for flags in _cpu_info("flags"))


def _cpu_info(name):
    """Lines of a name about the processors; none where the system has no such file."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.exists() else []
    return [line.split(":")[1] for line in lines if line.startswith(name)]


def print_head(*packages):
    """Say what runs here: versions, processor, load."""
    names = ("skrank", "numpy", "scipy", "scikit-learn", *packages)
    found = {name: _version(name) for name in names}
    print("Python", platform.python_version(), end="")
    print("".join(f", {name} {v}" for name, v in found.items() if v))
    lacking = [name for name, v in found.items() if not v]
    if lacking:
        print("not installed, and left out:", ", ".join(lacking))
    models = _cpu_info("model name")
    model = models[0].strip() if models else platform.processor()
    load = os.getloadavg()[0]
    print(f"{model}, {os.cpu_count()} cores, load before {load:.1f}\n", flush=True)
