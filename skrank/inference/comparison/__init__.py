"""Which ranking is better? `RankingComparison`, its table and the leaderboard.

`_ranking_comparison` chooses the method. There is a module for each way to test: items
that are exchanged or drawn (`_pair`), targets found at one cutoff (`_at_cutoff`), and
data sets (`_data_sets`); clusters, groups and folds have a standard error
(`variability/`). `_pvalues` makes p-values, `_rules` and `_losses` the intervals.
"""
