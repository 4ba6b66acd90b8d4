"""From data to a ranking, in one door and once.

What comes in is labels and scores, an estimator and items, chunks or dask. What goes
out is a `Ranking`: where the targets are, and how they are tied.
"""
