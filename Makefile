# Every target makes what it needs, the virtual environment included.
PYTHON ?= python3
VENV := .venv
OLDEST := .venv-oldest
DOC := .venv-doc
PIP = -m pip --disable-pip-version-check install --quiet
RUN := $(VENV)/bin/python -m
# as many processes as processors, each with one thread
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
# run an example, and save its first figure
DRAW = $(VENV)/bin/python -c "import runpy, sys, matplotlib.pyplot as plt; \
	example, picture = sys.argv[1:]; runpy.run_path(example); \
	plt.figure(1).savefig(picture, dpi=110); print('The picture is in', picture)"

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow nightly test-oldest test-integrations lint format doc picture bench bench-asv bench-peers bench-large bench-mutation changelog clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

demo: $(VENV)/.demo  ## tune and test a ranking of rare digits, print the table, draw it
	$(DRAW) examples/1_start/plot_rare_digit.py hit_curve.png

test: $(VENV)/.test  ## run the tests
	$(ONE_THREAD) $(RUN) pytest -n auto

test-slow: $(VENV)/.test  ## run the slow judges: enumerations, long rankings, draws
	$(ONE_THREAD) $(RUN) pytest -n auto tests -m "slow and not nightly"

nightly: $(VENV)/.test  ## run all tests, simulations with ten times the runs; coverage; speed
	SKRANK_NIGHTLY=1 $(ONE_THREAD) $(RUN) pytest -n auto -m "" --cov
	$(MAKE) bench

test-oldest: $(OLDEST)/.test  ## run the tests of other libraries' interfaces on the oldest versions
	$(ONE_THREAD) $(OLDEST)/bin/python -m pytest -n auto tests -m "contract and not slow and not nightly" --hypothesis-profile=brief

test-integrations: $(VENV)/.test $(VENV)/.integrations  ## run the tests with other packages and with a browser
	$(ONE_THREAD) $(RUN) pytest tests/integrations

lint: $(VENV)/.lint  ## check style, types, layers, workflows, docstrings and spelling
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) mypy
	$(VENV)/bin/zizmor --quiet --offline .github
	$(VENV)/bin/lint-imports
	$(RUN) pytest -q tests/test_docstrings.py
	$(VENV)/bin/codespell *.md CITATION.cff .github benchmarks changelog.d conda doc examples paper skrank

format: $(VENV)/.lint  ## mend the style
	$(VENV)/bin/python tests/shared_parameters.py
	$(RUN) ruff check --fix .
	$(RUN) ruff format .

doc: doc/_build/.package  ## build the documentation, warnings as errors
	$(ONE_THREAD) $(DOC)/bin/python -m sphinx -W --keep-going -j auto -b html doc doc/_build/html
	! grep -rlq 'mailto:' doc/_build/html --include=*.html

picture: $(VENV)/.demo  ## draw the picture of the README again
	$(DRAW) examples/1_start/plot_rare_digit.py doc/_static/hit_curve.png

bench: $(VENV)/.test  ## print the cost of each operation, and ratios to loops of scikit-learn's
	$(ONE_THREAD) $(VENV)/bin/python benchmarks/cost.py
	$(VENV)/bin/python benchmarks/one_test.py
	$(VENV)/bin/python benchmarks/resampling.py

bench-asv: $(VENV)/.bench  ## time metrics, curves, tests and resampling once, by asv
	cd benchmarks && ../$(RUN) asv machine --yes && ../$(RUN) asv run --quick --python=same --show-stderr

bench-peers: $(VENV)/.peers  ## print speed and memory beside other packages
	$(VENV)/bin/python benchmarks/peers.py

bench-large: $(VENV)/.peers  ## print time and memory up to 100 million items
	$(VENV)/bin/python benchmarks/beyond_memory.py

bench-mutation: $(VENV)/.mutation  ## print the share of changes of the source that tests notice
	$(VENV)/bin/python benchmarks/mutation.py

changelog: $(DOC)/.doc  ## show the changelog of the next release
	$(DOC)/bin/python -m towncrier build --draft

clean:  ## remove what the targets made
	rm -rf $(VENV) $(OLDEST) $(DOC) benchmarks/_asv build dist doc/_build doc/auto_examples doc/api/generated doc/sg_execution_times.rst

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

# Examples that have changed run again; all do, and all pages are new, if the package has.
doc/_build/.package: $(DOC)/.doc $(shell find skrank -type f -not -name '*.pyc')
	rm -rf doc/_build doc/auto_examples doc/api/generated
	mkdir doc/_build
	touch $@

$(DOC)/.doc: pyproject.toml
	$(PYTHON) -m venv $(DOC)
	$(DOC)/bin/python $(PIP) --upgrade "pip>=25.1"
	$(DOC)/bin/python $(PIP) --editable ".[plot]" --group doc
	touch $@
