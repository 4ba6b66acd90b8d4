"""False alarms and delays of RankingMonitor, beside charts that people use.

Each kind of days has its items, targets and scores; `shift` is the distance of the mean
scores of targets. "null" counts alarms of rankings without information, or of a model
that stays as it was, over all days; a monitor may have them in 5 % of the runs. "power"
is the first day on which at least 80 % of the runs have had an alarm. A break halves
the shift on day 60; the delay is that of the median and of nine in ten.

- "recall", "AP": mean below its true value before the break, and below 0.8 times it;
- "cusum": a CUSUM of the same values, whose limit is the 95 % quantile of the largest
  sums of 60 bootstrapped days of the first 60 days, as long as the days to come;
- "t test": of the last 20 days, each day.

"targets" compares the bets on days and on targets. Each target is found with a chance
of 0.6, which halves on day 60. The logits of the chances of days have the given
standard deviation, in spells of strength 0.9: targets are independent if it is 0. It
counts the warnings that days differ, up to a false alarm or to the end, looked at on
every day. Then the same with scores, where the other items of a day set what it takes
to be in its top.

Three other kinds are about what a monitor assumes. "dependent": days whose quality goes
up and down in spells, an autoregression with the given strength from day to day; the
mean over many runs is that of the reference, or equal for two models. It also counts
the warnings that neighbouring days are alike, looked at on every day. "prevalence": the
number of targets triples, or falls to a third, on day 60, and the model stays as it
was. "duplicates": each row is there twice, and the rankings are random.

    python benchmarks/monitor.py [runs] [kinds ...]
"""

import math
import sys
import warnings
from pathlib import Path

import numpy as np
from scipy.special import expit, logit
from scipy.stats import ttest_1samp

from skrank import (
    RankingMonitor,
    Rankings,
    average_precision,
    make_metric,
    recall_at_t,
)
from skrank.inference.monitor._monitor_evidence import are_alike, are_apart

# items of a day, mean number of targets, distinct scores, rhythm of the targets
KINDS = {
    "500 items, 2.5 targets": (500, 2.5, None, "constant"),
    "500 items, 0.5 targets": (500, 0.5, None, "constant"),
    "scorecard of 10 scores": (500, 2.5, 10, "constant"),
    "weekly rhythm": (500, 2.5, None, "weekly"),
    "drifting prevalence": (500, 2.5, None, "drift"),
    "5,000 items, 50 targets": (5000, 50, None, "constant"),
}


def days(kind, shifts, rng):
    """Return labels, scores and days."""
    n, mean, distinct, rhythm = KINDS[kind]
    number = np.arange(len(shifts))
    rate = np.full(number.size, mean / n)
    if rhythm == "weekly":
        rate *= np.where(number % 7 < 5, 1.3, 0.25)
    elif rhythm == "drift":
        rate *= np.exp(np.linspace(-1, 1, number.size))
    day = np.repeat(number, n)
    y = rng.random(day.size) < rate[day]
    score = rng.normal(np.asarray(shifts)[day] * y)
    if distinct:
        score = np.floor(np.clip((score + 2) / 5, 0, 0.999) * distinct)
    return y, score, day


def values_of(metric, y, score, day):
    """Return the values of the days with targets."""
    found = []
    for one in range(day.max() + 1):
        at = day == one
        if y[at].any():
            found.append(metric(y[at], score[at]))
    return np.array(found)


def cusum(values, rng, first=60, n_draws=200):
    """Return the first day of an alarm after the first ones; infinity without one."""
    mean, spread = values[:first].mean(), values[:first].std(ddof=1)
    step = mean - spread / 4
    later = values[first:]

    def largest(some):
        total, sums = 0.0, []
        for one in some:
            total = max(0.0, total + step - one)
            sums.append(total)
        return np.array(sums)

    drawn = [
        largest(rng.choice(values[:first], later.size)).max() for _ in range(n_draws)
    ]
    hit = largest(later) > np.quantile(drawn, 0.95)
    return first + int(hit.argmax()) if hit.any() else math.inf


def t_test(values, mean, window=20):
    """Return the first day on which the last days differ from the mean."""
    for end in range(window, values.size + 1):
        some = values[end - window : end]
        if some.std() and ttest_1samp(some, mean, alternative="less").pvalue <= 0.05:
            return end
    return math.inf


def first_alarm(result):
    return result.labels.index(result.alarm_group) if result.alarm else math.inf


def summary(days):
    days = np.asarray(days)
    ever = np.isfinite(days).mean()
    order = np.sort(days)
    power = order[math.ceil(0.8 * days.size) - 1] + 1
    return f"ever {ever:.3f}, median {np.median(days) + 1:g}, power .8 on {power:g}"


def spells(n_days, strength, rng):
    """Return an autoregression with mean 0 and variance 1."""
    noise = rng.normal(size=n_days) * math.sqrt(1 - strength**2)
    found = [rng.normal()]
    for one in noise[1:]:
        found.append(strength * found[-1] + one)
    return np.array(found)


def share(found):
    return round(float(np.mean([*found])), 4)


def dependent(runs):
    """Print alarms and warnings of days that depend on one another."""
    looks = {
        "normal": lambda rng: rng.normal(size=400),
        "skewed": lambda rng: rng.exponential(size=400) ** 3,
        "two targets": lambda rng: rng.binomial(2, 0.6, 400) / 2,
        "rare": lambda rng: (rng.random(400) < 0.05).astype(float),
        "a change": lambda rng: rng.normal(size=400) + 2 * (np.arange(400) < 150),
        "weekly": lambda rng: rng.normal(size=400) + (np.arange(400) % 7 < 5),
        "strength 0.5": lambda rng: spells(400, 0.5, rng),
        "strength 0.9": lambda rng: spells(400, 0.9, rng),
    }
    for kind, draw in looks.items():
        series = [draw(np.random.default_rng([i, 3])) for i in range(10 * runs)]
        every = [[are_alike(one[:n]) for n in range(10, 401, 2)] for one in series]
        at = {n: share(one[(n - 10) // 2] for one in every) for n in (30, 60, 100)}
        ever = {
            n: np.mean([any(one[: n // 2 - 4]) for one in every]) for n in (60, 400)
        }
        print(f"dependent: {kind}: alike on day {at}, on any day to {ever}", flush=True)
    n, n_days = 100, 200
    day = np.repeat(np.arange(n_days), n)
    many = np.random.default_rng(99)
    for strength in (0.0, 0.5, 0.9):
        means = []
        for _ in range(5000):
            y = many.random(n) < 0.05
            if y.any():
                shift = 1.5 + 0.4 * many.normal()
                means.append(recall_at_t(y, many.normal(shift * y), t=10))
        found = {}
        for seed in range(runs):
            rng = np.random.default_rng([seed, 8])
            y = rng.random(day.size) < 0.05
            season = 0.4 * spells(n_days, strength, rng)[day]
            common = 0.8 * rng.normal(size=y.size)
            new, old = (
                common + 0.6 * rng.normal(size=y.size) + (1.5 + sign * season) * y
                for sign in (1, -1)
            )
            asked = {
                "the mean": ("recall@10", float(np.mean(means)), new),
                "0.8 of it": ("recall@10", 0.8 * float(np.mean(means)), new),
                "a model": ("average_precision", "old", {"new": new, "old": old}),
            }
            for name, (metric, against, scores) in asked.items():
                result = RankingMonitor(metric, reference=against).from_predictions(
                    y, scores, groups=day
                )
                end = min(first_alarm(result), n_days - 1) + 1
                values = np.array(result.values)
                seen = any(are_alike(values[:i]) for i in range(10, end + 1))
                alarm = result.alarm
                found.setdefault(name, []).append((alarm, alarm and seen, seen))
        for name, all_of in found.items():
            alarm, both, seen = np.mean(all_of, axis=0)
            print(
                f"dependent: strength {strength}, against {name}: alarms {alarm:.3f}, "
                f"with a warning before {both:.3f}; warnings until then {seen:.3f}",
                flush=True,
            )


def prevalence(runs):
    """Print alarms of a model that stays as it was, of days with other targets."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from cases import AreaUnderROC

    n, n_days = 300, 300
    day = np.repeat(np.arange(n_days), n)
    names = ["recall@20", "recall@30%", "average_precision"]
    for low, high in ((0.01, 0.03), (0.03, 0.01)):
        for asked in [*names, "ks_statistic", AreaUnderROC()]:
            metric = make_metric(asked)
            rng, known = np.random.default_rng(99), []
            for _ in range(3000):
                y = rng.random(n) < low
                if y.any():
                    known.append(metric(y, rng.normal(2.0 * y)))
            alarms = {1.0: 0, 0.8: 0}
            for seed in range(runs):
                rng = np.random.default_rng([seed, 9])
                y = rng.random(day.size) < np.where(day < 60, low, high)
                score = rng.normal(2.0 * y)
                for part in alarms:
                    monitor = RankingMonitor(asked, reference=part * np.mean(known))
                    result = monitor.from_predictions(y, score, groups=day)
                    alarms[part] += result.alarm / runs
            print(f"prevalence {low}, then {high}: {metric.name}: {alarms}", flush=True)


def duplicates(runs):
    """Print alarms of random rankings in which each row is there twice."""
    found = []
    for seed in range(runs):
        data = days("500 items, 2.5 targets", [0.0] * 150, np.random.default_rng(seed))
        y, score, day = (np.repeat(one, 2) for one in data)
        result = RankingMonitor().from_predictions(y, score, groups=day)
        found.append(result.alarm)
    print(f"duplicates: chance: alarms {np.mean(found):.3f}", flush=True)


def day_of(found, missed, t):
    """Return labels and scores of a day with some targets in its top t."""
    y = np.r_[np.ones(found), np.zeros(t - found), np.ones(missed)]
    return y, -np.arange(float(y.size))


def drawn_days(rate, spread, broken, rng, n_days=300):
    """Return numbers of targets and of those that are found."""
    chance = expit(logit(0.6) + spread * spells(n_days, 0.9, rng))
    chance[60:] *= 0.5 if broken else 1.0
    m = rng.poisson(rate, n_days)
    return m, rng.binomial(m, chance)


def said_of(alarms):
    """Print shares of alarms and delays, of days without and with a break."""
    false, after = (np.asarray(alarms[broken], float) for broken in (False, True))
    delay = np.sort(after[after >= 60]) - 59
    middle, most = (delay[int(q * delay.size)] for q in (0.5, 0.9))
    said = (
        f"false alarms {np.isfinite(false).mean():.3f}, delay {middle:g} / {most:g}, "
        f"before the break {np.mean(after < 60):.3f}"
    )
    if "warned" in alarms:
        alarm, seen = np.array(alarms["warned"]).T
        said += f"; warned before a false alarm {np.mean(alarm & seen):.3f}, "
        said += f"in all {np.mean(seen):.3f}"
    return said


def targets(runs):
    """Print alarms and delays of bets on days and on targets."""
    for rate in (2.5, 10, 50):
        t = int(2 * rate + 20)
        for spread in (0.0, 0.3, 0.6):
            rng, known = np.random.default_rng(99), []
            for _ in range(300):
                m, h = drawn_days(rate, spread, False, rng)
                known.append(np.mean(h[m > 0] / m[m > 0]))
            found = {}
            for seed in range(runs):
                for broken in (False, True):
                    rng = np.random.default_rng([seed, 11])
                    m, h = drawn_days(rate, spread, broken, rng)
                    each = [day_of(b, a - b, t) for a, b in zip(m, h, strict=True)]
                    y, score = (np.concatenate(one) for one in zip(*each, strict=True))
                    day = np.repeat(np.arange(m.size), [one.size for one, _ in each])
                    data = Rankings.from_predictions(y, score, groups=day)
                    compare_bets(found, f"recall@{t}", np.mean(known), data, broken)
            for name, alarms in found.items():
                said = f"{rate} a day, spread {spread}, {name}: {said_of(alarms)}"
                print(f"targets: {said}", flush=True)
    for kind, t in (("500 items, 2.5 targets", 20), ("5,000 items, 50 targets", 200)):
        metric = make_metric(f"recall@{t}")
        many = days(kind, [2.0] * 2000, np.random.default_rng(99))
        mean, found = values_of(metric, *many).mean(), {}
        for seed in range(runs):
            for broken in (False, True):
                shifts = [2.0] * 60 + [1.0 if broken else 2.0] * 140
                y, score, day = days(kind, shifts, np.random.default_rng([seed, 12]))
                data = Rankings.from_predictions(y, score, groups=day)
                compare_bets(found, metric.name, mean, data, broken)
        for name, alarms in found.items():
            print(f"targets: {kind}, {name}: {said_of(alarms)}", flush=True)


def compare_bets(found, metric, mean, data, broken):
    """Add the first alarms of bets on days and on targets."""
    for bet in ("day", "target"):
        for part in (1.0, 0.8):
            monitor = RankingMonitor(metric, reference=part * mean, bet=bet)
            alarms = found.setdefault(f"{bet}, {part:g} of {mean:.3f}", {})
            result = monitor.from_rankings(data)
            first = first_alarm(result)
            alarms.setdefault(broken, []).append(first)
            if bet == "target" and not broken:
                values, sizes = np.array(result.values), np.array(result._sizes[1])
                end = min(first, values.size - 1) + 1
                seen = any(are_apart(values[:n], sizes[:n]) for n in range(10, end + 1))
                alarms.setdefault("warned", []).append((result.alarm, seen))


def main(runs, kinds):
    warnings.simplefilter("ignore")
    for other in (targets, dependent, prevalence, duplicates):
        if other.__name__ in kinds:
            other(runs)
    kinds = [one for one in kinds if one in KINDS]
    recall, ap = (lambda y, s: recall_at_t(y, s, t=20)), average_precision
    for kind in kinds:
        large = KINDS[kind][0] > 1000
        horizon = 150 if large else 300
        for shift, n_days in ((0.0, horizon), (0.5, 120), (1.0, 40)):
            found = [
                first_alarm(
                    RankingMonitor().from_predictions(
                        *(data := days(kind, [shift] * n_days, rng))[:2],
                        groups=data[2],
                    )
                )
                for rng in map(np.random.default_rng, range(runs))
            ]
            print(f"{kind}: chance, shift {shift}: {summary(found)}", flush=True)
        # the true means of the model before the break
        many = days(kind, [2.0] * (200 if large else 4000), np.random.default_rng(99))
        means = {"recall@20": values_of(recall, *many).mean()}
        means["average_precision"] = values_of(ap, *many).mean()
        for broken in (False, True):
            n_days = horizon if not broken else 200
            later = 1.0 if broken else 2.0
            found = {}
            for seed in range(runs):
                rng = np.random.default_rng([seed, 7])
                data = days(kind, [2.0] * 60 + [later] * (n_days - 60), rng)
                y, score, day = data
                for name, metric in (("recall@20", recall), ("average_precision", ap)):
                    mean = means[name]
                    for share in (1.0, 0.8):
                        monitor = RankingMonitor(name, reference=share * mean)
                        result = monitor.from_predictions(y, score, groups=day)
                        key = f"{name}, {share:g} of the mean"
                        found.setdefault(key, []).append(first_alarm(result))
                    values = values_of(metric, y, score, day)
                    found.setdefault(f"{name}, cusum", []).append(cusum(values, rng))
                    found.setdefault(f"{name}, t test", []).append(t_test(values, mean))
            for name, alarms in found.items():
                alarms = np.asarray(alarms, dtype=float)
                if not broken:
                    said = f"false alarms {np.isfinite(alarms).mean():.3f}"
                else:
                    early = np.mean(alarms < 60)
                    delay = np.sort(alarms[alarms >= 60]) - 59
                    at = [int(q * delay.size) for q in (0.5, 0.9)]
                    middle, most = delay[at] if delay.size else (math.nan, math.nan)
                    said = f"delay {middle:g} / {most:g}, before the break {early:.3f}"
                print(
                    f"{kind}: {name} ({means[name.split(',')[0]]:.2f}): {said}",
                    flush=True,
                )


if __name__ == "__main__":
    given = sys.argv[1:]
    others = "targets", "dependent", "prevalence", "duplicates"
    main(int(given[0]) if given else 200, given[1:] or [*KINDS, *others])
