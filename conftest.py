"""Figures stay off the screen, and pages run beside the file of scores they read."""

from pathlib import Path

import matplotlib
import pytest

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def close_figures():
    """Close what a test has drawn."""
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


@pytest.fixture(autouse=True)
def run_beside_the_scores(request, monkeypatch):
    """Run the code of a page in the folder of `scores.csv`."""
    if request.path.suffix in {".md", ".rst"}:
        monkeypatch.chdir(Path(__file__).parent / "doc" / "_static")
