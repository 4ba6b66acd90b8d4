"""Fixtures shared by the tests."""

from pathlib import Path

import pytest

SHARED = Path(__file__).parents[2] / "shared"


@pytest.fixture
def peer_numbers():
    """Folder of numbers that other programs give, where there is one."""
    folder = SHARED / "peer_tests"
    if not folder.is_dir():
        pytest.skip("the numbers of other programs are not here")
    return folder


@pytest.fixture
def rare_data():
    """Folder of real data with rare targets, where there is one."""
    folder = SHARED / "data"
    if not folder.is_dir():
        pytest.skip("the real data are not here")
    return folder
