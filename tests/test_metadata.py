"""Files for automation, citation and packages agree with the metadata.

Most of them are in the repository and not in the source distribution.
"""

import json
import re
import tomllib
from pathlib import Path

import pytest

import skrank

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def read(name):
    """Return a file as data, or skip the test."""
    path = ROOT / name
    if not path.is_file():
        pytest.skip(f"{name} is in the repository only")
    if path.suffix == ".json":
        return json.loads(path.read_text())
    return pytest.importorskip("yaml").safe_load(path.read_text())


def test_zenodo_has_the_citation():
    zenodo, citation = read(".zenodo.json"), read("CITATION.cff")
    assert zenodo["title"] == citation["title"]
    assert zenodo["description"] == citation["abstract"]
    assert zenodo["version"] == str(citation["version"])
    assert zenodo["publication_date"] == citation["date-released"]
    assert zenodo["license"] == citation["license"] == PROJECT["license"]
    assert zenodo["keywords"] == citation["keywords"] == PROJECT["keywords"]
    assert zenodo["creators"] == citation["authors"] == PROJECT["authors"]


def test_addresses_of_the_citation():
    urls, citation = PROJECT["urls"], read("CITATION.cff")
    assert citation["repository-code"] == urls["Source"]
    assert citation["url"] == urls["Documentation"]
    about = read("conda/recipe.yaml")["about"]
    assert about["repository"] == about["homepage"] == urls["Source"]
    assert about["documentation"] == urls["Documentation"]
    linked = [one["identifier"] for one in read(".zenodo.json")["related_identifiers"]]
    assert linked == [urls["Source"], urls["Documentation"]]


def test_version_of_the_citation():
    # between releases it stays the last release
    citation = read("CITATION.cff")
    if "dev" not in skrank.__version__:
        assert citation["version"] == skrank.__version__


def test_recipe_has_the_requirements():
    recipe = read("conda/recipe.yaml")
    context = recipe["context"]
    assert context["version"] == str(read("CITATION.cff")["version"])
    assert f">={context['python_min']}" == PROJECT["requires-python"]
    run = {line.replace(" ", "") for line in recipe["requirements"]["run"]}
    python = {line for line in run if line.startswith("python")}
    assert run - python == set(PROJECT["dependencies"])
    extras = str(PROJECT["optional-dependencies"])
    for line in recipe["requirements"]["run_constraints"]:
        name, oldest = line.replace("-base", "").split()
        assert re.search(rf"{name}(\[[\w,]*\])?{oldest}", extras), line
    (entry,) = recipe["build"]["python"]["entry_points"]
    assert entry == f"skrank = {PROJECT['scripts']['skrank']}"


def test_pythons_of_the_workflow_are_those_of_the_metadata():
    matrix = read(".github/workflows/test.yml")["jobs"]["test"]["strategy"]["matrix"]
    versions = re.findall(r":: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert matrix["python"] == versions


def test_dependabot_leaves_the_oldest_versions():
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
    pinned = {re.split(r"[\[=]", one)[0] for one in groups["min-versions"]}
    (pip,) = [
        update
        for update in read(".github/dependabot.yml")["updates"]
        if update["package-ecosystem"] == "pip"
    ]
    assert {one["dependency-name"] for one in pip["ignore"]} == pinned


def test_the_hook_is_make_lint():
    (repo,) = read(".pre-commit-config.yaml")["repos"]
    assert [hook["entry"] for hook in repo["hooks"]] == ["make lint"]
