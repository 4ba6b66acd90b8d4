"""Two rankings of the same items, compared: one engine for each thing that may vary.

What comes in is a `Pair` of rankings, or the values of two on several data sets; what
goes out is a `PairedResult` of their difference. Items vary in `_pair`, the targets
found at one cutoff in `_at_cutoff`, data sets in `_data_sets`.
"""
