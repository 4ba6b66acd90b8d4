"""Displays of curves, of null distributions, of comparisons and of monitors.

Each display has a module: `_hit_curve`, `_precision_recall`, `_null_distribution`,
`_ranking_comparison` and `_ranking_monitor`. `_entrances` makes rankings of the data,
`_curve_display` is the base of the two displays of curves, and `_drawing` has axes,
lines and legends.
"""
