"""Two rankings of the same items, compared: one engine for each thing that may vary.

What comes in is a `Pair` of rankings, or the values of two on several data sets; what
goes out is `PairedResult` of their difference. Items vary in `_items`, the targets
found at one cut in `_at_cut`, lists in `_lists`.
"""
