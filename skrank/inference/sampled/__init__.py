"""A metric of the whole list if a sample of its items has labels.

`SampledMetricInterval` draws the numbers of targets in the strata; `_placements` gives
the metrics for them, `_remaining` counts the targets that were not found, and
`labels_to_collect` plans the sample.
"""
