"""Metrics of the whole list if a sample of its items has labels.

`SampleDraws` draws what each labelled item stands for, `_statements` are the metrics of
these, and `SampledMetricInterval` and `RankingComparison` ask for their limits.
`_remaining` counts the targets that were not found exactly, `_review` counts those of a
list that is read by rankings that change, and `labels_to_collect` plans the sample.
"""
