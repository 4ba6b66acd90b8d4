"""A metric of the whole list if a sample of its items has labels.

`SampledMetricInterval` draws the numbers of targets in the strata; `_draws` exchanges
those of one stratum at a time, `_placements` gives the metrics for them, `_limits` the
limits over all draws, `_remaining` counts the targets that were not found, and
`labels_to_collect` plans the sample. `_review` counts those of a list that is read by
rankings that change.
"""
