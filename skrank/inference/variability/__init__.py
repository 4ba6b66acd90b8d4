"""How a metric varies from sample to sample: standard errors, and rules of intervals.

Items, clusters, groups and folds are drawn or left out. The questions read values and
their changes from here.
"""
