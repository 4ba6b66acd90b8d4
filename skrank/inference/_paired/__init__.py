"""Comparison of two rankings of the same items.

The input is a `Pair` of rankings, or the values of both rankings on several data sets.
The output is a `PairedResult`. There is one module for each source of variation: items
(`_pair`), targets found at one cutoff (`_at_cutoff`), and data sets (`_data_sets`).
"""
