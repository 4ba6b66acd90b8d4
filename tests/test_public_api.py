"""What is public, and that every metric has all its parts."""

import importlib.metadata
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import skrank
import skrank.metrics
from cases import WITHOUT_TIES, named
from public_api import LIST, listing
from skrank.metrics._definitions import METRICS, make_metric

DOC = Path(__file__).parents[1] / "doc"


def test_all_is_sorted_and_there():
    assert sorted(skrank.__all__) == skrank.__all__
    assert all(hasattr(skrank, name) for name in skrank.__all__)
    assert set(skrank.metrics.__all__) <= set(skrank.__all__)


def test_signatures_are_those_of_the_list():
    # a change of the public interface is seen as a change of the list
    assert listing() == LIST.read_text(), "python tests/public_api.py writes the list"


def made(name):
    """Return the metric of a function."""
    options = inspect.signature(getattr(skrank, name)).parameters
    values = {"k": 5, "t": 5, "recall": 0.5, "precision": 0.5}
    values |= {"benefit": 2, "cost": 1}
    needed = {key: value for key, value in values.items() if key in options}
    return make_metric(named(name, **needed)["metric"])


def test_every_metric_has_a_function_a_scorer_and_a_name():
    printed = set()
    for name in skrank.metrics.__all__:
        printed_name = made(name).name
        printed.add(re.split("[@(]", printed_name)[0])
        assert skrank.make_metric_scorer(printed_name).__name__.endswith(printed_name)
    # the extra records found are a recall less a constant
    assert printed == set(METRICS) - {"erf"}


@pytest.mark.parametrize("name", skrank.metrics.__all__)
def test_metrics_have_one_signature(name):
    parameters = inspect.signature(getattr(skrank, name)).parameters
    kinds = [parameter.kind for parameter in parameters.values()]
    assert list(parameters)[:2] == ["y_true", "y_score"]
    assert set(kinds[2:]) == {inspect.Parameter.KEYWORD_ONLY}
    shared = ["pos_label", "lower_is_better", "missing", "ties", "sample_weight"]
    shared += ["groups", "n_missed", "n_unlisted", "undefined"]
    if name in WITHOUT_TIES:
        shared.remove("ties")
        assert "ties" not in parameters
    if made(name).counts_ranks:
        shared.remove("sample_weight")
    assert list(parameters)[-len(shared) :] == shared


def test_every_public_name_is_once_in_the_api_pages():
    if not DOC.is_dir():
        pytest.skip("the documentation is not here")
    pages = [(DOC / "api" / f"{one}.rst").read_text() for one in ("index", "results")]
    listed = [name for page in pages for name in re.findall(r"^   (\w+)$", page, re.M)]
    assert sorted({*listed} - {"results"}) == sorted(skrank.__all__)
    assert len(listed) == len(skrank.__all__) + 1  # with the page of results


def test_version_is_that_of_the_installed_package():
    assert importlib.metadata.version("skrank") == skrank.__version__


def test_import_does_not_load_what_is_optional():
    code = (
        "import sys, skrank; "
        "print([m for m in ('matplotlib', 'polars') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
