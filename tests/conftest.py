"""Fixtures shared by the tests."""

import pytest
from hypothesis import settings

# A busy machine is no failure, and what fails once fails again.
# Examples are the same in every run, so that more of them are not tried in time.
settings.register_profile("steady", deadline=None, derandomize=True, max_examples=25)
settings.load_profile("steady")
# For other versions of libraries: what they do otherwise shows soon.
settings.register_profile("brief", settings.get_profile("steady"), max_examples=10)


@pytest.fixture(scope="session")
def cluster():
    """Two worker processes of dask, made once; on a busy machine they may be slow."""
    distributed = pytest.importorskip("distributed")
    import dask

    names = ("distributed.comm.timeouts.connect", "distributed.comm.timeouts.tcp")
    with (
        dask.config.set(dict.fromkeys(names, "180s")),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0"
        ) as cluster,
    ):
        yield cluster


@pytest.fixture
def client(cluster):
    """Return the client of one test alone: while it is open, dask computes there."""
    import distributed

    with distributed.Client(cluster) as client:
        yield client
