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

    python benchmarks/monitor.py [runs] [kinds ...]
"""

import math
import sys
import warnings

import numpy as np
from scipy.stats import ttest_1samp

from skrank import RankingMonitor, average_precision, recall_at_t

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
    return math.inf if result.alarm is None else result.labels.index(result.alarm)


def summary(days):
    days = np.asarray(days)
    ever = np.isfinite(days).mean()
    order = np.sort(days)
    power = order[math.ceil(0.8 * days.size) - 1] + 1
    return f"ever {ever:.3f}, median {np.median(days) + 1:g}, power .8 on {power:g}"


def main(runs, kinds):
    warnings.simplefilter("ignore")
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
                        monitor = RankingMonitor(name, against=share * mean)
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
    main(int(given[0]) if given else 200, given[1:] or KINDS)
