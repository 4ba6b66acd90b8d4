"""Mutation testing: the share of small changes of the source that the tests notice.

cosmic-ray makes the changes: another operator, number, comparison or exception, `not`
added or removed, a loop that does not run, a decorator removed. A random sample of
places in the source gets one change each. Left out are changes of annotations, and bit
operators in place of arithmetic ones, which are errors for floats and tell nothing.

The fast tests and the examples in docstrings run once, to record which of them run each
line, and how long they take. Each change is then judged by those that run its line; of
a line that runs at import, those that run anything of its function, class or file. They
are taken function by function, one set of parameters of each at first and the shortest
first, as far as they take `SECONDS` together. The first failure kills the change, also
one to import or to collect tests, and so do three times the recorded time and a minute
more. At the end, the tests that failed run without a change, to see that they pass.

The survivors are printed, to be classified by hand: a survivor is equivalent if no
value, error or warning that users can see depends on it, such as the size of batches,
a keyword with its default, or a faster way to the same value. The score leaves
equivalent changes out.

    python benchmarks/mutation.py --mutants 200 --seed 0
    python benchmarks/mutation.py --recorded tests.json

The second command takes the record of the tests from a file, and makes it if it does
not exist.
"""

import argparse
import ast
import json
import multiprocessing
import os
import queue
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import pytest
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names
from coverage import CoverageData

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("skrank/ranking", "skrank/metrics", "skrank/inference")
N_MUTANTS, N_PROCESSES = 200, 2
SECONDS = 60  # of tests for one change, as recorded
FIRST = 25  # tests that run before the others
BITS = ("RShift", "LShift", "BitOr", "BitAnd", "BitXor")
RECORD = (
    "-vv --durations=0 --durations-min=0 "
    "--cov --cov-context=test --cov-report= --cov-fail-under=0"
)
OPTIONS = ["-p", "no:randomly", "-p", "no:cacheprovider"]
PYTEST = [sys.executable, "-m", "pytest", *OPTIONS]
# What takes longest to import is imported once, before processes are forked.
PROCESSES = multiprocessing.get_context("forkserver")
LIBRARIES = ["matplotlib.pyplot", "pandas", "scipy.stats", "sklearn.linear_model"]
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


class Mutant(NamedTuple):
    """A file with a change at a line."""

    path: str
    line: int
    source: str

    def __str__(self):
        old = (ROOT / self.path).read_text().splitlines()
        pairs = zip(old, self.source.splitlines(), strict=False)
        # a decorator that is removed leaves a line less
        first, second = next(pair for pair in pairs if pair[0] != pair[1])
        return f"{self.path}:{self.line}\n  - {first.strip()}\n  + {second.strip()}"


def copy_tree(folder):
    """Copy the files of the checkout."""
    listed = subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True)
    for name in filter(os.path.exists, listed.splitlines()):
        to = folder / "checkout" / name
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, to)
    return folder / "checkout"


def recorded_tests(tree):
    """Seconds of each test, and the tests that run each line of each file."""
    found = subprocess.run(
        [*PYTEST, "-n", str(N_PROCESSES), *RECORD.split()],
        cwd=tree,
        stdout=subprocess.PIPE,
        text=True,
    )
    if found.returncode:
        raise RuntimeError(found.stdout[-2000:])
    return read_record(tree, found.stdout)


def read_record(tree, printed):
    """Read times from what pytest printed, and contexts from the file of coverage."""
    seconds = defaultdict(float)
    for spent, test in re.findall(r"^([\d.]+)s \w+ +(.+)$", printed, re.MULTILINE):
        seconds[test] += float(spent)
    data, lines = CoverageData(tree / ".coverage"), {}
    data.read()
    for path in data.measured_files():
        name = str(Path(path).relative_to(tree))
        if not name.startswith(FOLDERS):
            continue
        contexts = data.contexts_by_lineno(path).items()
        # a context is a test and its phase, or empty at import
        lines[name] = {
            line: sorted({test.rsplit("|", 1)[0] for test in tests if test})
            for line, tests in contexts
        }
    return {"seconds": seconds, "lines": lines}


def without_annotations(source):
    """Return what a source does: its syntax tree without annotations."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        for name in ("annotation", "returns"):
            if getattr(node, name, None) is not None:
                setattr(node, name, ast.Constant(None))
    return ast.dump(tree)


def changes_by_place():
    """Operators and their occurrences, for each file, line and column."""
    places = defaultdict(list)
    for path in sorted(p for folder in FOLDERS for p in ROOT.glob(f"{folder}/**/*.py")):
        nodes = list(ast_nodes(get_ast(path.read_text())))
        for name in operator_names():
            operator = get_operator(name)
            if operator.arguments() or name.endswith(BITS):
                continue
            starts = (s for n in nodes for s, _ in operator().mutation_positions(n))
            for occurrence, start in enumerate(starts):
                place = str(path.relative_to(ROOT)), *start
                places[place].append((operator(), occurrence))
    return places


def mutants(seed):
    """Yield one change at each place, in random order."""
    places, rng = changes_by_place(), random.Random(seed)
    for place in rng.sample(sorted(places), len(places)):
        path, line, _ = place
        source = (ROOT / path).read_text()
        changed = mutate_code(source, *rng.choice(places[place]))
        try:
            if without_annotations(changed) != without_annotations(source):
                yield Mutant(path, line, changed)
        except SyntaxError:  # a marker in a signature is no operator
            continue


def statements(source, line):
    """First and last lines of the statements that contain a line, innermost first."""
    tree = ast.parse(source)
    found = [(1, len(source.splitlines()))]
    for node in ast.walk(tree):  # by depth
        if isinstance(node, ast.stmt):
            decorators = getattr(node, "decorator_list", [])
            first = min([node.lineno, *(one.lineno for one in decorators)])
            if first <= line <= node.end_lineno:
                found.append((first, node.end_lineno))
    return found[::-1]


def tests_of(mutant, record):
    """Tests that run the line, in the order of use, and their seconds."""
    lines, seconds = record["lines"].get(mutant.path, {}), record["seconds"]
    source = (ROOT / mutant.path).read_text()
    for first, last in statements(source, mutant.line):
        held = [tests for at, tests in lines.items() if first <= int(at) <= last]
        if found := set().union(*held):
            break
    turns, ordered = defaultdict(int), []
    for test in sorted(found, key=lambda test: (seconds[test], test)):
        function = test.split("[")[0]
        ordered.append((turns[function], seconds[test], test))
        turns[function] += 1
    chosen, total = [], 0.0
    for _, spent, test in sorted(ordered):
        total += spent
        if chosen and total > SECONDS:
            break
        chosen.append(test)
    return chosen, min(total, SECONDS)


def run_tests(tree, tests, limit):
    """Exit status of pytest, None if it takes longer, and the first test that fails."""
    with tempfile.NamedTemporaryFile("w+", suffix=".txt") as printed:
        given = tree, tests, printed.name
        process = PROCESSES.Process(target=pytest_here, args=given)
        process.start()
        process.join(limit)
        if process.exitcode is None:
            os.killpg(process.pid, signal.SIGKILL)
            return None, "the tests take too long"
        lines = printed.read()
    if process.exitcode == pytest.ExitCode.NO_TESTS_COLLECTED:
        raise RuntimeError(lines)
    line = re.search(r"^(?:FAILED|ERROR) (.+)$", lines, re.MULTILINE)
    failed = [t for t in tests if line and f"{line[1]} ".startswith(f"{t} ")]
    return process.exitcode, max(failed, key=len, default="the tests do not start")


def pytest_here(tree, tests, printed):
    """Run tests of a tree, in a process that has imported other libraries only."""
    os.setsid()  # so that processes of a test end with it
    os.chdir(tree)
    sys.dont_write_bytecode = False  # tests are compiled once
    sys.path.insert(0, str(tree))
    to = os.open(printed, os.O_WRONLY)
    os.dup2(to, 1)
    os.dup2(to, 2)
    sys.exit(int(pytest.main([*OPTIONS, "-x", "-q", "--tb=no", *tests])))


def judge(mutant, record, trees):
    """Return whether the change is killed, and the test that fails."""
    tests, seconds = tests_of(mutant, record)
    tree = trees.get()
    file = tree / mutant.path
    try:
        file.write_text(mutant.source)
        status, test = 0, ""
        # most changes are killed by the first few, before the rest are collected
        for some in filter(None, (tests[:FIRST], tests[FIRST:])):
            status, test = run_tests(tree, some, 60 + 3 * seconds)
            if status != 0:
                break
    finally:
        shutil.copy2(ROOT / mutant.path, file)
        trees.put(tree)
    result = f"killed: {test}" if status != 0 else "survived"
    print(f"{mutant}\n  {result}", flush=True)
    return status != 0, test


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mutants", type=int, default=N_MUTANTS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--recorded", type=Path, help="file of the record of the tests")
    os.environ.update(ONE_THREAD)
    PROCESSES.set_forkserver_preload(["__main__", *LIBRARIES])
    asked, began = parser.parse_args(), time.perf_counter()
    sample = list(islice(mutants(asked.seed), asked.mutants))
    with tempfile.TemporaryDirectory() as folder:
        trees = queue.Queue()
        for i in range(N_PROCESSES):
            trees.put(copy_tree(Path(folder) / str(i)))
        if asked.recorded and asked.recorded.exists():
            record = json.loads(asked.recorded.read_text())
        else:
            tree = copy_tree(Path(folder) / "record")
            record = json.loads(json.dumps(recorded_tests(tree)))
        if asked.recorded:
            asked.recorded.write_text(json.dumps(record))
        with ThreadPoolExecutor(N_PROCESSES) as pool:
            judged = list(pool.map(lambda one: judge(one, record, trees), sample))
        failed = sorted({test for dead, test in judged if dead and "::" in test})
        status, test = run_tests(trees.get(), failed, None)
        if status:
            print(f"\nnot to be relied on: without a change, {test} fails too")
    print("\nsurvivors, in the order of files:")
    for mutant in sorted(
        m for m, (dead, _) in zip(sample, judged, strict=True) if not dead
    ):
        print(mutant)
    killed = sum(dead for dead, _ in judged)
    minutes = (time.perf_counter() - began) / 60
    print(f"\n{killed} of {len(sample)} killed: {killed / len(sample):.1%}", end="")
    print(f", seed {asked.seed}, {minutes:.0f} minutes")


if __name__ == "__main__":
    main()
