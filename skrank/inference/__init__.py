"""Questions about rankings, one a module, with the result that answers it.

Is it better than chance (`_random_selection`), how much would it vary
(`_metric_variability`, `_hit_curve_band`), is it better than another
(`_ranking_comparison`), is the best of a search real (`_search_selection`).
"""
