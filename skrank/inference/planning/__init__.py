"""How many targets does a study need? `random_selection_power`, `comparison_power`.

They simulate studies (`_study`), and ask the test or the comparison.
"""
