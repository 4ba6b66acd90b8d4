"""Compute with dask, and say in plain words what became of a cluster that could not.

Dask by itself waits for ever where there is no worker, and names a future where it
broke off. What is raised inside a partition is raised as it is.
"""

import sys
from collections.abc import Callable
from functools import partial
from threading import Event
from time import monotonic
from typing import Any, NoReturn

from skrank._utils._columns import is_dask

_SETTING = "distributed.scheduler.no-workers-timeout"
_PATIENCE = "5 minutes"  # where the setting is to wait for ever, as dask has it
_LOOK = 1.0  # seconds between looks at the workers


def computer(*columns: Any) -> Callable[[Any], Any]:
    """Return what computes values of columns, by the scheduler that is active now."""
    from dask import compute

    client = _active_client()
    if client is None:
        _check_kept(*columns)  # where there is a client, it notices
        return lambda value: compute(value)[0]
    return partial(_compute_on, client)


def _check_kept(*columns: Any) -> None:
    """Check that what `persist` has left on a cluster is still there."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return
    futures = distributed.futures_of([one for one in columns if is_dask(one)])
    if any(future.cancelled() for future in futures):
        _refuse_broken("partitions that are no longer on the cluster")


def _active_client() -> Any:
    """Client that dask would compute with; None if there is none.

    A task that asks on a worker is left to dask, which makes room for others meanwhile.
    """
    from dask.base import get_scheduler

    client = getattr(get_scheduler(), "__self__", None)
    distributed = sys.modules.get("distributed")
    if distributed is None or not isinstance(client, distributed.Client):
        return None
    return None if _is_on_worker(distributed) else client


def _is_on_worker(distributed: Any) -> bool:
    """Whether this is a task that a worker runs."""
    try:
        distributed.get_worker()
    except ValueError:
        return False
    return True


def _compute_on(client: Any, value: Any) -> Any:
    """Compute a delayed value on a cluster."""
    if client.status in ("closing", "closed"):
        _refuse_broken("a client that was closed")
    future = client.compute(value)
    try:
        return _result(client, future)
    finally:
        future.release()


def _result(client: Any, future: Any) -> Any:
    """Wait for a result; say what has become of the cluster, if there is none."""
    from distributed import CancelledError, KilledWorker
    from distributed.scheduler import NoValidWorkerError, NoWorkerError

    try:
        return _fetched(client, future)
    except KilledWorker as error:
        _refuse_killed(error)
    except (NoValidWorkerError, NoWorkerError) as error:
        _refuse_to_wait("for too long", error)
    except CancelledError as error:
        if future.status == "error":  # raised by a partition
            raise
        _refuse_broken("futures that were cancelled, or no connection", error)


def _fetched(client: Any, future: Any) -> Any:
    """Fetch a result once it is there; it is made again where it was lost."""
    patience = _patience()
    while True:
        _wait(client, future, patience)
        try:
            return future.result(timeout=patience)
        except TimeoutError:
            if future.status == "error":  # raised by a partition
                raise


def _wait(client: Any, future: Any, patience: float) -> None:
    """Wait until a future is done, unless there are no workers for so many seconds."""
    done = Event()
    future.add_done_callback(lambda _: done.set())
    last = monotonic()
    while not (done.wait(_LOOK) or future.done()):
        if _has_workers(client):
            last = monotonic()
        elif monotonic() - last > patience:
            _refuse_to_wait(f"for {patience:g} seconds")


def _has_workers(client: Any) -> bool:
    """Whether there are workers, as far as the scheduler can be asked."""
    try:
        return bool(client.nthreads())
    except (OSError, RuntimeError):  # no connection, or a client that is being closed
        return False


def _patience() -> float:
    """Seconds to wait for a worker."""
    from dask import config
    from dask.utils import parse_timedelta

    seconds: float = parse_timedelta(config.get(_SETTING, None) or _PATIENCE)
    return seconds


def _refuse_killed(cause: Exception) -> NoReturn:
    """Refuse partitions that workers die of."""
    msg = (
        "`y_true` and `y_score` must be in partitions that a worker of dask can load "
        "and count; got workers that died one after the other, most often for want of "
        "memory. Make the partitions smaller, by `repartition` or `rechunk`, or give "
        "the workers more memory. How many workers a partition may lose is dask's "
        "setting distributed.scheduler.allowed-failures."
    )
    raise RuntimeError(msg) from cause


def _refuse_to_wait(how_long: str, cause: Exception | None = None) -> NoReturn:
    """Refuse to wait for ever for a cluster."""
    msg = (
        "`y_true` and `y_score` must be on a cluster of dask that has workers for "
        f"them; got none {how_long}. Start workers and ask again; to wait longer, set "
        f'dask.config.set({{"{_SETTING}": "1 hour"}}).'
    )
    raise RuntimeError(msg) from cause


def _refuse_broken(got: str, cause: Exception | None = None) -> NoReturn:
    """Refuse what was cancelled before it was counted."""
    msg = (
        "`y_true` and `y_score` must stay on the cluster of dask, and its client and "
        f"scheduler must run, until they are counted; got {got}. Open a client, "
        "`persist` again what was persisted, and ask again."
    )
    raise RuntimeError(msg) from cause
