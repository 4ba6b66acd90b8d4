"""Questions about rankings, one a module, with the result that answers it.

Is it better than chance (`_random_selection`), how well is the value known
(`_metric_interval`, `_hit_curve_band`), is it better than another
(`_ranking_comparison`), is the best of a search real (`_search_selection`).
"""
