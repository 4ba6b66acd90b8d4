"""Public docstrings follow numpydoc, with the shared texts filled in."""

import inspect
import re

import pytest

import skrank

validate = pytest.importorskip("numpydoc.validate")

# an extended summary, an example for every method, undocumented specials, types of a
# returned value without a name, and links are not asked of all
LEFT_OUT = {"ES01", "EX01", "GL08", "RT02", "SA01"}
# attributes of a base class that its subclasses describe
INHERITED = {"PR01", "PR02", "PR03"}
# methods that other modules of the package call
WITHIN = {"terminal", "value", "values", "group_end"}


def public():
    """Names of public functions, classes and their methods."""
    for name in skrank.__all__:
        value = getattr(skrank, name)
        yield f"skrank.{name}"
        if inspect.isclass(value):
            for attribute, member in vars(value).items():
                function = getattr(member, "__func__", member)
                is_own = attribute in WITHIN or attribute.startswith("_")
                if not is_own and inspect.isfunction(function):
                    yield f"skrank.{name}.{attribute}"


@pytest.mark.parametrize("name", list(public()))
def test_a_docstring_follows_numpydoc(name):
    found = validate.validate(name)["errors"]
    left_out = LEFT_OUT
    if inspect.isclass(getattr(skrank, name.split(".")[1])) and name.count(".") == 1:
        left_out = LEFT_OUT | INHERITED
    wrong = [(code, text) for code, text in found if code not in left_out]
    assert wrong == []


@pytest.mark.parametrize("name", skrank.__all__)
def test_every_shared_text_is_filled(name):
    value = getattr(skrank, name)
    docs = [inspect.getdoc(value) or ""]
    if inspect.isclass(value):
        docs += [inspect.getdoc(one) or "" for _, one in inspect.getmembers(value)]
    lines = [line.strip() for doc in docs for line in doc.splitlines()]
    assert [line for line in lines if re.fullmatch(r"\{\w+\}", line)] == []
