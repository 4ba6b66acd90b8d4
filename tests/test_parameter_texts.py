"""What a parameter is called, may be and means is said alike wherever it stands."""

import inspect
import re
from collections import defaultdict

import pytest

import skrank
from shared_parameters import PACKAGE, written

# Words that a description begins with. What differs from place to place follows them.
BEGIN = {
    "ax": "Axes to draw on",
    "cv": "As in :func:`sklearn.model_selection.cross_validate`",
    "cv_groups": "Units that are held out whole",
    "detector_targets": "Whether the targets are the outliers",
    "metric": "(Metric, such as|Metric by its|The metric, as it is|Name of the metric)",
    "n_jobs": "Number of (jobs|joblib jobs|threads)",
    "n_missed": "Targets that were never scored",
    "n_unlisted": "(Items that were|Number of items that were) never scored",
    "n_resamples": "Number of (rankings|resamples|draws)",
    "pos_label": "Label of the targets",
    "progress": "Whether to show ",
    "random_state": "Source of randomness",
    "ties": "(Tie rule|Within (a|the) tie)",
    "undefined": "(Value to return if the metric is undefined|(Value|Score) of)",
    "y": "Labels of the items",
}
# Parameters that may be something else in another place.
SEVERAL_TYPES = {
    "n_missed",
    "n_unlisted",
    "metric",
    "ties",
    "ax",
    "recall",
    "n_resamples",
    "random_state",  # of `rvs`, which draws anew as SciPy's
}
ENTRY = re.compile(r"^(\w[\w, ]*) : (.+)\n((?:    .*\n|\n)+)", re.M)


def documented():
    """Docstrings of the public functions, classes and their public methods."""
    for name in skrank.__all__:
        value = getattr(skrank, name)
        yield name, inspect.getdoc(value) or ""
        if inspect.isclass(value):
            for method, function in inspect.getmembers(value, inspect.isfunction):
                if not method.startswith("_"):
                    yield f"{name}.{method}", inspect.getdoc(function) or ""


def entries():
    """Places, types and descriptions of each parameter."""
    found = defaultdict(list)
    for place, doc in documented():
        for section in re.findall(
            r"^Parameters\n-+\n(.*?)(?=^\w+\n-|\Z)", doc, re.M | re.S
        ):
            for names, kind, text in ENTRY.findall(section + "\n"):
                for name in names.split(", "):
                    found[name].append((place, kind, " ".join(text.split())))
    return found


ENTRIES = entries()


@pytest.mark.parametrize("name", BEGIN)
def test_a_parameter_is_described_alike(name):
    assert len(ENTRIES[name]) > 2
    unlike = [
        (place, text)
        for place, _, text in ENTRIES[name]
        if not re.match(BEGIN[name], text)
    ]
    assert unlike == []


@pytest.mark.parametrize("name", sorted(set(BEGIN) - SEVERAL_TYPES))
def test_a_parameter_has_one_type(name):
    assert len({kind for _, kind, _ in ENTRIES[name]}) == 1


def test_a_tie_rule_is_one_of_four_everywhere():
    rules = {'"expected"', '"together"', '"optimistic"', '"pessimistic"'}
    for _, kind, _ in ENTRIES["ties"]:
        assert set(re.findall(r'"\w+"', kind.split("}")[0])) <= rules
        assert kind.endswith('default="expected"')


def test_shared_texts_are_those_of_the_source():
    sources = {str(one): one.read_text("utf-8") for one in PACKAGE.rglob("*.py")}
    assert len(sources) > 100
    drifted = [name for name in sources if written(sources[name]) != sources[name]]
    assert drifted == [], "python tests/shared_parameters.py writes them"


@pytest.mark.parametrize("name", skrank.__all__)
def test_a_default_is_that_of_the_signature(name):
    value = getattr(skrank, name)
    if not callable(value):
        return
    known = inspect.signature(value).parameters
    for key, parameter in known.items():
        for place, kind, _ in ENTRIES.get(key, ()):
            said = re.search(r"default=(\S+)$", kind)
            if place == name and said:
                assert said[1].strip('"') == str(parameter.default), key
