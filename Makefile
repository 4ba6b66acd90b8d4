# Every target makes what it needs, the virtual environment included.
PYTHON ?= python3
VENV := .venv
OLDEST := .venv-oldest
# Left out on the oldest versions: files that only judge the arithmetic of this package, on
# arrays of numbers and by elementwise functions. What takes or gives objects of a library, sorts,
# or asks for functions of scipy that no other file reaches, stays.
NUMBERS := $(filter-out tests/null/test_null_moments.py,$(wildcard tests/null/*.py)) \
	$(addprefix tests/,$(addsuffix .py,metrics/test_measures metrics/test_peers ranking/test_counting \
	ranking/test_tie_search ranking/test_ties inference/test_constant_values \
	inference/test_equal_up_to_rounding inference/test_jackknife))
FAMILIES := _average_precision.py _top.py _early.py _curve.py
DISPLAYS := _curve_display.py _hit_curve.py _precision_recall.py _lift.py _null_distribution.py _ranking_comparison.py
QUESTIONS := _hit_curve_band.py _scorer.py _random_selection.py _selection_result.py \
	_metric_variability.py _variability_result.py _ranking_comparison.py _comparison_result.py \
	_search_selection.py _search_result.py
PUBLIC := skrank/__init__.py \
	skrank/ranking/_counts/_rank_counts.py \
	$(addprefix skrank/curves/,_band.py _hit_curve.py _operating_points.py) \
	$(addprefix skrank/metrics/,__init__.py _definitions/_names.py $(FAMILIES)) \
	$(addprefix skrank/metrics/_scorers/,__init__.py _factories.py _rare_target_scorers.py) \
	$(addprefix skrank/null/,__init__.py _distribution.py _base.py _choice.py) \
	$(addprefix skrank/inference/,$(QUESTIONS)) \
	$(addprefix skrank/displays/,$(DISPLAYS)) \
	$(addprefix skrank/report/,_report.py _result.py _evaluation.py)
PIP = -m pip --disable-pip-version-check install --quiet
RUN := $(VENV)/bin/python -m
# as many processes as processors, each with one thread
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow test-oldest lint format doc pictures bench bench-asv bench-peers bench-large changelog clean

help:  ## show this ranking
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

demo: $(VENV)/.demo  ## tune and test a ranking of rare digits, print the table, draw it
	$(VENV)/bin/python examples/plot_rare_digit.py hit_curve.png

test: $(VENV)/.test  ## run the tests
	$(ONE_THREAD) $(RUN) pytest -n auto -m "not slow" $(COVER)

test-slow: $(VENV)/.test  ## run the slow judges: simulations, clusters, millions of items
	$(ONE_THREAD) $(RUN) pytest -n auto tests -m slow $(COVER)

test-oldest: $(OLDEST)/.test  ## run the tests on the oldest supported versions
	$(ONE_THREAD) $(OLDEST)/bin/python -m pytest -n auto tests -m "not slow" --hypothesis-profile=brief $(NUMBERS:%=--ignore=%)

lint: $(VENV)/.lint  ## check style, types, layers and docstrings
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) mypy
	$(VENV)/bin/lint-imports
	$(RUN) numpydoc lint $(PUBLIC)

format: $(VENV)/.lint  ## mend the style
	$(RUN) ruff check --fix .
	$(RUN) ruff format .

doc: $(VENV)/.doc  ## build the documentation, warnings as errors
	$(RUN) sphinx -W --keep-going -b html doc doc/_build/html

pictures: $(VENV)/.demo  ## draw the pictures of the README again
	$(VENV)/bin/python examples/plot_rare_digit.py doc/_static/hit_curve.png
	$(VENV)/bin/python examples/plot_null_distribution.py doc/_static/null_distribution.png

bench: $(VENV)/.test  ## print speed ratios against loops of scikit-learn's
	$(VENV)/bin/python benchmarks/one_test.py
	$(VENV)/bin/python benchmarks/resampling.py

bench-asv: $(VENV)/.bench  ## time metrics, curves, tests and resampling once, by asv
	cd benchmarks && ../$(RUN) asv machine --yes && ../$(RUN) asv run --quick --python=same --show-stderr

bench-peers: $(VENV)/.peers  ## print speed and memory beside other packages
	$(VENV)/bin/python benchmarks/peers.py

bench-large: $(VENV)/.peers  ## print time and memory up to 100 million items
	$(VENV)/bin/python benchmarks/beyond_memory.py

changelog: $(VENV)/.doc  ## show the changelog of the next release
	$(RUN) towncrier build --draft

clean:  ## remove what the targets made
	rm -rf $(VENV) $(OLDEST) benchmarks/_asv build dist doc/_build doc/auto_examples doc/api/generated

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$@ $(PIP) --upgrade "pip>=25.1"

$(VENV)/.%: pyproject.toml | $(VENV)/bin/python
	$(VENV)/bin/python $(PIP) --editable ".[plot]" --group $*
	touch $@

$(OLDEST)/.test: pyproject.toml
	$(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python $(PIP) --upgrade "pip>=25.1"
	$(OLDEST)/bin/python $(PIP) --editable ".[plot]" --group test --group min-versions
	touch $@
