"""The candidates of a search: is the best one better than chance, and which is as good.

`SearchSelectionTest` reads the null distribution of the best of several (`_joint`), and
`within_noise` the values of the folds.
"""
