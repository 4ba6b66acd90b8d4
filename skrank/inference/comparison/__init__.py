"""Which ranking is better? `RankingComparison`, its table and the leaderboard.

There is one module for each source of variation: items (`_pair`), targets found at one
cutoff (`_at_cutoff`), and data sets (`_data_sets`).
"""
