"""What becomes of a count on a cluster of dask that fails: a sentence, and no wait.

The clusters are threads of this process; tests/test_dask_cluster.py has processes.
"""

import contextlib
import sys
import threading
import types
from concurrent.futures import CancelledError

import numpy as np
import pytest

from skrank import average_precision
from skrank.ranking._counts._passes import FirstPass

distributed = pytest.importorskip("distributed")
pytest.importorskip("pandas")

import dask
import dask.array as da

from dask_cases import in_arrays, in_frame, tied_columns

pytestmark = pytest.mark.slow

COLUMNS = tied_columns()
NO_WORKERS = r"has workers for them; got none for .*no-workers-timeout"
BROKEN_OFF = r"must stay on the cluster.*until they are counted; got .*ask again"
MY_OWN = ("my own",)
PATIENCE = "distributed.scheduler.no-workers-timeout"


@contextlib.contextmanager
def threads(n_workers=1, threads_per_worker=2):
    """A client of a cluster in threads."""
    steady = {"scheduler": None, "distributed.comm.timeouts.connect": "5s"}
    with (
        dask.config.set(steady),  # also where a client is closed by its scheduler
        distributed.LocalCluster(
            n_workers=n_workers,
            threads_per_worker=threads_per_worker,
            processes=False,
            dashboard_address=":0",  # any port: None means 8787, for one cluster alone
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def read_by(function, n=4):
    """Labels, and scores of partitions that a function reads."""
    y_true, y_score = COLUMNS
    parts = [
        da.from_delayed(
            dask.delayed(function)(part), (part.size,), y_score.dtype, name=f"p-{i}"
        )
        for i, part in enumerate(np.split(y_score, n))
    ]
    return da.from_array(y_true, chunks=y_true.size // n), da.concatenate(parts)


def read_when_released(scores):
    """Read a partition once the test lets it."""
    import held  # of this process, wherever the task has been

    held.asked.set()
    held.released.wait(60)
    return scores


@pytest.fixture
def held(monkeypatch):
    """Events: a partition is asked for, and it may be read."""
    events = types.SimpleNamespace(asked=threading.Event(), released=threading.Event())
    monkeypatch.setitem(sys.modules, "held", events)
    yield events
    events.released.set()


@contextlib.contextmanager
def meanwhile(held, action):
    """Do something as soon as a partition is asked for."""

    def act():
        held.asked.wait(60)
        action()

    thread = threading.Thread(target=act)
    thread.start()
    yield
    held.released.set()
    thread.join()


@pytest.mark.parametrize("how", [in_arrays, in_frame])
def test_no_workers_at_the_start(how):
    data = how(COLUMNS)
    with threads(0), dask.config.set({PATIENCE: "1s"}):
        with pytest.raises(RuntimeError, match=NO_WORKERS):
            average_precision(*data)
        with pytest.raises(RuntimeError, match=NO_WORKERS):  # to learn the sizes
            average_precision(COLUMNS[0], in_frame(COLUMNS)[1])


def test_the_scheduler_fails_tasks_without_workers():
    """Where it has the setting itself, and the process that asks has not."""
    with contextlib.ExitStack() as stack:
        with dask.config.set({PATIENCE: "500ms"}):
            stack.enter_context(threads(0))
        with pytest.raises(RuntimeError, match=NO_WORKERS) as raised:
            average_precision(*in_arrays(COLUMNS))
    assert type(raised.value.__cause__).__name__ == "NoWorkerError"


def test_workers_that_come_in_time():
    with threads(0) as client, dask.config.set({PATIENCE: "60s"}):
        timer = threading.Timer(1.5, client.cluster.scale, [1])
        timer.start()
        found = average_precision(*in_arrays(COLUMNS))
        timer.join()
    assert found == average_precision(*COLUMNS)


# What ends in the middle


ENDS = {
    "closed": lambda client: client.close(),
    "restarted": lambda client: client.restart(wait_for_workers=False),
    "cluster closed": lambda client: client.cluster.close(),
}


@pytest.mark.parametrize(
    "end",
    [
        "closed",
        "restarted",
        pytest.param("cluster closed", marks=pytest.mark.slow),  # it waits for tasks
    ],
)
def test_what_ends_in_the_middle(end, held):
    data = read_by(read_when_released)
    with threads() as client:
        with (
            meanwhile(held, lambda: ENDS[end](client)),
            pytest.raises(RuntimeError, match=BROKEN_OFF) as raised,
        ):
            average_precision(*data)
        assert isinstance(raised.value.__cause__, distributed.CancelledError)
    with threads():
        assert average_precision(*data) == average_precision(*COLUMNS)


def test_workers_that_go_in_the_middle(held):
    data = read_by(read_when_released)
    with (
        threads() as client,
        dask.config.set({PATIENCE: "1s"}),
        meanwhile(held, lambda: client.cluster.scale(0)),
        pytest.raises(RuntimeError, match="got none for 1 seconds"),
    ):
        average_precision(*data)


@pytest.mark.parametrize("error", [OSError, RuntimeError])
def test_a_scheduler_that_does_not_answer(error, held, monkeypatch):
    def no_answer(_):
        raise error

    with threads(), dask.config.set({PATIENCE: "1s"}):
        monkeypatch.setattr(distributed.Client, "nthreads", no_answer)
        with pytest.raises(RuntimeError, match="got none for 1 seconds"):
            average_precision(*read_by(read_when_released))
        held.released.set()


def test_a_long_count_is_waited_for(held):
    """There is a worker, however long it takes beside the time to wait for one."""
    with threads(), dask.config.set({PATIENCE: "100ms"}):
        timer = threading.Timer(2.5, held.released.set)
        timer.start()
        found = average_precision(*read_by(read_when_released))
        timer.join()
    assert found == average_precision(*COLUMNS)


def test_a_client_that_is_closed_between_the_passes(monkeypatch):
    with threads() as client:
        plan = FirstPass.plan

        def plan_and_close(first):
            client.close()
            return plan(first)

        monkeypatch.setattr(FirstPass, "plan", plan_and_close)
        with pytest.raises(RuntimeError, match=BROKEN_OFF):
            average_precision(*in_arrays(COLUMNS))


# What is gone before it is asked for


@pytest.mark.parametrize("how", [in_arrays, in_frame])
@pytest.mark.parametrize("end", ["closed", "cancelled"])
def test_what_was_persisted_and_is_gone(end, how):
    with threads() as client:
        y_true, y_score = how(COLUMNS)
        y_score = y_score.persist()
        distributed.wait(y_score)
        assert average_precision(y_true, y_score) == average_precision(*COLUMNS)
        if end == "closed":
            client.close()
        else:
            client.cancel(distributed.futures_of(y_score))
        with pytest.raises(RuntimeError, match=BROKEN_OFF):
            average_precision(y_true, y_score)


def test_what_was_persisted_by_a_client_that_nobody_means_now():
    client = distributed.Client(processes=False, dashboard_address=":0")
    y_true, y_score = in_arrays(COLUMNS)
    y_score = y_score.persist()
    client.close()
    with pytest.raises(RuntimeError, match=BROKEN_OFF):
        average_precision(y_true, y_score)


def test_a_client_that_was_closed():
    """What was not persisted is counted without it, unless dask still means it."""
    data = in_arrays(COLUMNS)
    with threads() as outer:
        outer.close()
        with pytest.raises(RuntimeError, match=BROKEN_OFF):
            average_precision(*data)
    distributed.Client(processes=False, dashboard_address=":0").close()
    assert average_precision(*data) == average_precision(*COLUMNS)


# What goes wrong inside a partition


@pytest.mark.parametrize(
    "error",
    [KeyError, ValueError, OSError, TimeoutError, RuntimeError, CancelledError],
)
@pytest.mark.parametrize("scheduler", ["cluster", "threads"])
def test_an_error_in_a_partition_is_shown(error, scheduler):
    def read(scores):
        raise error(*MY_OWN)

    here = contextlib.nullcontext() if scheduler == "threads" else threads()
    with here, pytest.raises(error, match=MY_OWN[0]):
        average_precision(*read_by(read))


def test_a_partition_that_kills_workers():
    """The scheduler's verdict, which tests/test_dask_cluster.py has it reach."""

    def read(scores):
        raise distributed.KilledWorker(*MY_OWN, types.SimpleNamespace(address=""), 3)

    message = r"got workers that died.*`repartition`.*scheduler\.allowed-failures"
    with threads(), pytest.raises(RuntimeError, match=message) as raised:
        average_precision(*read_by(read))
    assert isinstance(raised.value.__cause__, distributed.KilledWorker)


# Ways to the answer


def test_a_result_that_was_late(monkeypatch):
    """It is fetched again."""
    result = distributed.Future.result
    late = iter([True])

    def result_at_last(future, timeout=None):
        if next(late, False):
            raise TimeoutError
        return result(future, timeout)

    monkeypatch.setattr(distributed.Future, "result", result_at_last)
    with threads():
        value = average_precision(*in_arrays(COLUMNS))
    assert value == average_precision(*COLUMNS)
    assert not next(late, False)


def test_a_metric_in_a_task():
    """The only thread of the only worker waits for none but itself."""

    def ask():
        return average_precision(*in_arrays(COLUMNS))

    with threads(threads_per_worker=1) as client:
        assert client.submit(ask).result(60) == average_precision(*COLUMNS)


def test_dask_without_clusters(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert average_precision(*in_arrays(COLUMNS)) == average_precision(*COLUMNS)
