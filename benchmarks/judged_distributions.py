"""Errors of p-values relative to the errors that they report: 500 in twenty minutes.

Five hundred random null distributions, for rankings with the ties of many kinds of
models, for every metric and tie rule, with one p-value each. The reference values are
from judge.py, which shares no code with skrank.

    python benchmarks/judged_distributions.py [number] [seed]
"""

import math
import sys
import time
import warnings
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from itertools import pairwise

import judge
import numpy as np
from scipy.special import expit
from scipy.stats import binom
from sklearn.ensemble import HistGradientBoostingClassifier

import skrank
from skrank import RandomSelectionNull

ROUNDING = 1e-6  # of logarithms of probabilities: a smaller error need not be claimed
SLOW = 5.0  # seconds of an answer that is listed
RULES = ("expected", "together", "optimistic", "pessimistic")
# four metrics of few values can be told exactly, so the others are asked more often
METRICS = (
    *("average_precision",) * 4,
    *("average_precision_at_k", "rie", "bedroc") * 2,
    *(*judge.TOP, "reciprocal_rank"),
)
KINDS = (
    *("untied", "tie on top", "tie in the middle", "tie at the bottom", "two ties"),
    *("geometric ties", "lognormal ties", "neighbours", "boosted, any value"),
    *("boosted, its value", "dense", "small", "long"),
    *("forest", "scorecard", "rounded"),
)
LARGE = ("forest", "scorecard", "rounded")  # up to a million items, few scores
NAMED = ("inversion", "importance_sampling")


@dataclass(frozen=True)
class Case:
    """What is asked, and what the judge has found."""

    kind: str
    setup: judge.Setup
    statistic: float
    sign: int
    truth: float = math.nan
    se: float = 0.0

    @property
    def alternative(self):
        """The tail that the statistic is in."""
        return "greater" if self.sign > 0 else "less"

    @property
    def unsure(self):
        """By what the judge may be off."""
        return 3 * self.se + ROUNDING

    def null(self):
        """The null distribution as skrank has it."""
        setup = self.setup
        sizes = setup.sizes if setup.sizes.max() > 1 else None
        name = printed_name(setup.metric, setup.settings)
        return RandomSelectionNull(
            setup.n, setup.m, name, ties=setup.ties, tie_sizes=sizes
        )

    def __str__(self):
        setup = self.setup
        settings = "".join(f", {name}={x!r}" for name, x in setup.settings.items())
        return (
            f"RandomSelectionNull({setup.n}, {setup.m}, {setup.metric!r}, ties="
            f"{setup.ties!r}, tie_sizes={run_lengths(setup.sizes.tolist())}{settings})"
            f".tail({self.statistic!r}, alternative={self.alternative!r})"
        )


def run_lengths(sizes):
    """Python that makes a ranking of sizes; single items below each other are many."""
    if max(sizes) == 1:
        return "None"
    edges = np.flatnonzero(np.diff(sizes, prepend=-1, append=-1))
    runs = [(sizes[a], b - a) for a, b in pairwise(edges)]
    return "[" + ", ".join(f"*[{x}] * {c}" if c > 1 else f"{x}" for x, c in runs) + "]"


def whole_sizes(weights, n):
    """Positive sizes that sum to n, nearly as the weights."""
    weights = np.asarray(weights, dtype=float)[: n // 2 + 1]
    ends = np.rint(np.cumsum(weights) / weights.sum() * n).astype(int)
    ends[-1] = n
    return np.diff(np.unique(np.append(0, ends)))


def tied_sizes(kind, n, rng):
    """Sizes of the ties of a ranking of some kind."""
    if kind == "geometric ties":
        ratio = rng.choice([0.5, 0.8, 1.25, 2.0])
        return whole_sizes(ratio ** np.arange(rng.integers(4, 25)), n)
    if kind == "lognormal ties":
        return whole_sizes(rng.lognormal(0, rng.uniform(0.5, 2.5), n // 3 + 2), n)
    if kind == "neighbours":
        most = int(rng.choice([3, 5, 10, 20]))
        return whole_sizes(binom.pmf(np.arange(most + 1), most, 0.15)[::-1], n)
    if kind == "untied":
        return np.ones(n, dtype=int)
    if kind in LARGE:
        scores = {
            "forest": lambda: rng.binomial(150, rng.beta(0.4, 4, n)),  # votes of trees
            "scorecard": lambda: np.rint(rng.normal(0, rng.choice([3, 20, 100]), n)),
            "rounded": lambda: np.round(rng.beta(1, 5, n), int(rng.choice([1, 2, 3]))),
        }
        return np.unique(-scores[kind](), return_counts=True)[1]
    return one_or_two_ties(kind, n, rng)


def one_or_two_ties(kind, n, rng):
    """Sizes where all else is untied; a second tie is anywhere below the first."""
    tie = int(np.clip(n * rng.choice([0.003, 0.02, 0.1, 0.3, 0.6]), 2, n - 2))
    rest = n - tie
    above = int(rng.integers(1, max(2, rest * rng.choice([0.02, 0.2, 0.9]))))
    above = {"tie on top": 0, "tie at the bottom": rest}.get(kind, above)
    sizes = [1] * above + [tie] + [1] * (rest - above)
    if kind == "two ties":
        start, end = np.sort(rng.integers(above + 1, len(sizes) + 1, 2))
        sizes[start:end] = [end - start] if end > start else []
    return np.array(sizes)


def boosted_list(_, rng):
    """Scores of boosted trees for a rare class of skewed features, ranked; its hits."""
    n = int(rng.choice([500, 2000, 8000, 20000]))
    normal = rng.normal(size=(n + 2000, 6))
    rare = rng.uniform(-6, -3) + normal[:, 0] + 0.7 * normal[:, 1] * normal[:, 2]
    y = rng.random(n + 2000) < expit(rare)
    y[:4] = y[-3:] = True
    X = np.exp(1.5 * normal)  # noqa: N806
    model = HistGradientBoostingClassifier(
        max_iter=int(rng.choice([2, 5, 15])),
        max_leaf_nodes=int(rng.choice([4, 8, 31])),
        min_samples_leaf=int(rng.choice([1, 5, 20])),
        early_stopping=False,
        random_state=0,
    )
    scores = -model.fit(X[:2000], y[:2000]).predict_proba(X[2000:])[:, 1]
    hits = np.flatnonzero(y[2000:][np.argsort(scores, kind="stable")])
    return np.unique(scores, return_counts=True)[1], hits.size, hits


def printed_name(metric, settings):
    """Name of a metric as classes take it, from that of a function and its settings."""
    name = metric.removesuffix("_at_k").removesuffix("_at_t")
    cutoff = settings.get("k", settings.get("t"))
    others = [f"{key}={x}" for key, x in settings.items() if key not in ("k", "t")]
    name += f"@{cutoff}" if cutoff else ""
    return f"{name}({', '.join(others)})" if others else name


def settings_of(metric, ties, sizes, rng):
    """Cut-offs from the very top to a half of the ranking."""
    n = int(sizes.sum())
    cut = int(np.clip(n * 10 ** rng.uniform(-2.5, -0.3), 1, n))
    if metric in judge.TOP:
        return {"t": cut}
    if metric in ("rie", "bedroc"):
        return {"alpha": float(rng.choice([5, 20, 100]))}
    if metric != "average_precision_at_k":
        return {}
    normalize = str(rng.choice(["min", "relevant", "hits"]))
    if normalize == "hits" and ties == "expected":  # a ratio in a tie: no cutoff there
        cut = int(np.cumsum(sizes)[np.searchsorted(np.cumsum(sizes), cut)])
    return {"k": cut, "normalize": normalize}


def any_list(kind, rng):
    """Draw the ties of a ranking, and the number of its targets."""
    if kind == "long":
        last = [[1] * 94_936, [94_936]][int(rng.integers(2))]
        return np.array([64, *last]), 30, None
    low, high = {"small": (8, 40), "dense": (20, 900)}.get(kind, (50, 20_000))
    high = 10**6 if kind in LARGE else high
    n = int(np.exp(rng.uniform(np.log(low), np.log(high))))
    form = str(rng.choice(KINDS[:8])) if kind in ("small", "dense") else kind
    most = {"small": n // 2, "dense": 0.9 * n}.get(kind, min(300, n / 8))
    least = 0.2 * n if kind == "dense" else 2
    m = int(max(2, np.exp(rng.uniform(np.log(least), np.log(max(most, 2.9))))))
    return tied_sizes(form, n, rng), m, None


def a_setup(kind, rng):
    """Draw a null distribution, and the hits of its ranking where a model made one."""
    draw = boosted_list if kind.startswith("boosted") else any_list
    sizes, m, hits = draw(kind, rng)
    metric, ties = str(rng.choice(METRICS)), str(rng.choice(RULES))
    settings = settings_of(metric, ties, sizes, rng)
    return judge.Setup(int(sizes.sum()), m, metric, ties, sizes, settings), hits


def a_statistic(setup, rng):
    """Mean + z std, as it is, or moved to a value that some ranking has."""
    cells = judge.Cells(setup)
    plain = judge.Proposal(cells, np.zeros(cells.sizes.size))
    values = setup.values(cells.place(plain.draw(400, rng), rng))
    mean, std = values.mean(), values.std()
    statistic = mean + rng.uniform(-3, 12) * std
    if rng.random() < 0.5 or not min(values) < statistic:
        way = list(judge.directions(setup, cells))[int(rng.integers(2))]
        proposal = judge.steered(setup, cells, way, statistic, rng) or plain
        known = setup.values(cells.place(proposal.draw(100, rng), rng))
        statistic = known[np.argmin(abs(known - statistic))]
    return float(statistic), 1 if statistic > mean else -1


def a_case(kind, rng):
    """Draw a case and judge it; None if the judge cannot, or p is far from moderate."""
    setup, hits = a_setup(kind, rng)
    check_metric(setup, rng)
    if kind == "boosted, its value":
        statistic, sign = float(setup.values(hits[None])[0]), 1
    else:
        statistic, sign = a_statistic(setup, rng)
    truth, se = judge.exact_tail(setup, statistic, sign), 0.0
    if truth is None:
        truth, se = judge.sampled_tail(setup, statistic, sign, rng) or (math.nan, 0.0)
    moderate = -80 < truth < math.log(0.9)  # not if nan
    return Case(kind, setup, statistic, sign, truth, se) if moderate else None


def check_metric(setup, rng):
    """The judge's values must be those of the public metric functions."""
    y = rng.permutation(np.arange(setup.n) < setup.m).astype(int)
    function = getattr(skrank, setup.metric)
    wanted = function(y, -setup.group_of, ties=setup.ties, **setup.settings)
    value = setup.values(np.flatnonzero(y)[None])[0]
    if abs(value - wanted) > 1e-9 * max(1.0, abs(wanted)):
        msg = f"the judge's metric is wrong: {vars(setup)}, {y}: not {wanted}"
        raise AssertionError(msg)


@dataclass(frozen=True)
class Verdict:
    """An answer of skrank beside that of the judge."""

    case: Case
    answer: object
    warned: bool
    seconds: float

    @property
    def outside(self):
        """By how much the truth is beyond the bounds."""
        lower, upper = self.answer.log_bounds or (-math.inf, math.inf)
        beyond = max(lower - self.case.truth, self.case.truth - upper)
        return max(beyond - self.case.unsure, 0.0)

    @property
    def ratio(self):
        """Error over what is claimed; nan without a claim."""
        if self.answer.error is None:
            return math.nan
        off = max(abs(self.answer.log_pvalue - self.case.truth) - self.case.unsure, 0.0)
        return off / max(self.answer.error, ROUNDING)

    @property
    def wrong(self):
        """Whether skrank has promised too much."""
        return self.outside > 0 or self.ratio > 3

    def __str__(self):
        return (
            f"{self.case.kind}, {self.seconds:.1f} s: {self.case}\n    {self.answer}\n"
            f"    judge: {self.case.truth:.6f} +- {self.case.se:.4f}; outside by "
            f"{self.outside:.3g}, error over claim {self.ratio:.3g}"
        )


def asked(case, method, rng):
    """Ask skrank; None where it refuses. What seems wrong is judged anew."""
    began = time.perf_counter()
    options = {"alternative": case.alternative, "method": method, "random_state": 0}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            answer = case.null().tail(case.statistic, **options)
        except ValueError:
            return None
    verdict = Verdict(case, answer, bool(caught), time.perf_counter() - began)
    return judged_anew(verdict, rng) if verdict.wrong and case.se else verdict


def judged_anew(verdict, rng):
    """Judge by other draws, three times as surely."""
    case, wanted = verdict.case, {"se": judge.SE / 3, "seconds": 60.0}
    found = judge.sampled_tail(case.setup, case.statistic, case.sign, rng, **wanted)
    truth, se = found or (case.truth, case.se)
    return replace(verdict, case=replace(case, truth=truth, se=se))


def report(rows):
    """Print a line for each kind, then what is wrong or slow."""
    print(
        f"{'kind':28} {'number':>6} {'exact':>5} {'worst':>6} {'outside':>7} "
        f"{'beyond':>6} {'doubt':>5} {'median s':>8} {'longest':>7}  methods"
    )
    for row, verdicts in rows.items():
        print(f"{row:28} {summary(verdicts)}")
    for row, verdicts in rows.items():
        for verdict in verdicts:
            if row != "all" and (verdict.wrong or verdict.seconds > SLOW):
                print(f"\n{'wrong' if verdict.wrong else 'slow'}, {row}: {verdict}")


def summary(verdicts):
    """A line of the table."""
    methods = Counter(verdict.answer.method for verdict in verdicts)
    ratios = np.array([0.0, *(verdict.ratio for verdict in verdicts)])
    seconds = [verdict.seconds for verdict in verdicts]
    return (
        f"{len(verdicts):6} {sum(v.case.se == 0 for v in verdicts):5} "
        f"{np.nanmax(ratios):6.2f} {sum(v.outside > 0 for v in verdicts):7} "
        f"{sum(ratios > 3):6} {sum(v.warned for v in verdicts):5} "
        f"{np.median(seconds):8.3f} {max(seconds):7.2f}  "
        + ", ".join(f"{name} {count}" for name, count in sorted(methods.items()))
    )


def drawn_case(seed, index):
    """A case that can be judged, how many could not be, and the generator after it."""
    kind = KINDS[index % len(KINDS)]
    if kind == "long" and index % 3:  # a few are enough
        kind = "untied"
    case, attempt = None, -1
    while case is None:
        attempt += 1
        rng = np.random.default_rng([seed, index, attempt])
        case = a_case(kind, rng)
    return case, attempt, rng


def main(number=500, seed=0):
    """Judge so many cases."""
    rows, replaced, refused = defaultdict(list), 0, Counter()
    for index in range(number):
        case, attempts, rng = drawn_case(seed, index)
        replaced += attempts
        for method in ("auto", *(NAMED if index % 10 == 0 else ())):
            verdict = asked(case, method, rng)
            refused[method] += verdict is None
            row = case.kind if method == "auto" else f'all kinds, "{method}"'
            rows[row] += [verdict] if verdict else []
        if index % 25 == 24:
            print(f"{index + 1} judged", file=sys.stderr, flush=True)
    by_kind = {kind: rows.pop(kind) for kind in KINDS if kind in rows}
    everything = [verdict for found in by_kind.values() for verdict in found]
    report({**by_kind, "all": everything, **rows})
    print(f"\nrefused: {dict(refused)}; replaced by other cases, as not judged, or by")
    print(f"rounding alone, or p above 0.9 or below exp(-80): {replaced}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
