"""Displays of several rankings and their mean; the judge counts at each depth."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from skrank import (
    HitCurveDisplay,
    PrecisionRecallDisplay,
    average_precision,
)

DISPLAYS = [HitCurveDisplay, PrecisionRecallDisplay]
rng = np.random.default_rng(0)
DAY = np.repeat(np.arange(12), [40, 60] * 6)
Y = (rng.random(DAY.size) < 0.1).astype(int)
S = rng.normal(Y)


def legend(display):
    found = display.ax_.get_legend() or display.figure_.legends[0]
    return [text.get_text() for text in found.get_texts()]


def test_the_mean_hit_curve_is_the_mean_of_the_hits():
    display = HitCurveDisplay.from_predictions(Y, S, groups=DAY, name="model")
    x, y = display.mean_.get_data()
    own = [Y[d == DAY][np.argsort(-S[d == DAY])] for d in range(12)]
    for t in (1, 2, 5, 40, 60):  # those of 40 items find no more below
        expected = np.mean([labels[:t].sum() for labels in own])
        assert np.interp(t, x, y) == pytest.approx(expected)
    mean = average_precision(Y, S, groups=DAY)
    assert f"model, mean: AP {mean:#.3g}" in legend(display)
    assert any(text.startswith("12 rankings, AP ") for text in legend(display))
    assert len(display.line_) == 12
    # one chance level and one perfect curve, those of the mean
    assert len({id(line) for line in display.chance_level_}) == 1
    chance = display.chance_level_[0].get_data()
    expected = np.mean([Y[d == DAY].mean() for d in range(12)]) * 40
    assert np.interp(40, *chance) == pytest.approx(expected)
    perfect = display.perfect_[0].get_data()
    expected = np.mean([min(3, Y[d == DAY].sum()) for d in range(12)])
    assert np.interp(3, *perfect) == pytest.approx(expected)
    assert display.chance_band_ is None


@pytest.mark.parametrize("kind", DISPLAYS)
def test_all_displays_draw_the_mean(kind):
    display = kind.from_predictions(Y, S, groups=DAY, pvalue=True)
    x, y = display.mean_.get_data()
    heights = [np.interp(x, *line.get_data()) for line in display.line_]
    assert_allclose(y, np.mean(heights, axis=0))
    assert any(
        text.startswith("mean: AP") and "p = " in text for text in legend(display)
    )


def test_few_rankings_are_thin_beside_their_mean():
    kept = DAY < 3
    display = HitCurveDisplay.from_predictions(Y[kept], S[kept], groups=DAY[kept])
    assert all(line.get_linewidth() < 1 for line in display.line_)
    assert display.mean_.get_linewidth() > 2


def test_a_band_is_of_one_ranking():
    message = "`rankings` must contain one ranking for each model, .*1"
    with pytest.raises(ValueError, match=message):
        HitCurveDisplay.from_predictions(Y, S, groups=DAY, confidence_band="pointwise")
