"""From data to a ranking.

The input is labels and scores, an estimator and items, chunks, or dask collections. The
output is a `Ranking`: the ranks of the targets, and their ties.
"""
