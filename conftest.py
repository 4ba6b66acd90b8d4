"""Figures of tests and of examples in docstrings: off the screen, and closed after."""

import matplotlib
import pytest

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def close_figures():
    """Close what a test has drawn."""
    yield
    import matplotlib.pyplot as plt

    plt.close("all")
