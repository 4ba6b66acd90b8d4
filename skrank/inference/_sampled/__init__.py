"""Metrics of a ranking of which only a sample of the items has labels.

`_placements` gives the metrics for numbers of targets in the strata. `_interval` draws
these numbers, as far as the sample tells; it and `_result` are the public classes,
`_remaining` counts the targets that were not found, and `_labels_to_collect` plans the
sample.
"""
