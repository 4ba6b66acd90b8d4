"""Tests, intervals and comparisons of rankings, each in one module with its result.

Test against random selection (`_random_selection`), intervals (`_metric_interval`,
`_hit_curve_band`), comparison of rankings (`_ranking_comparison`), and the test of the
best candidate of a search (`_search_selection`).
"""
