"""Is a ranking better than random selection? `RandomSelectionTest` and its scorer.

It reads the null distribution, or exchanges labels where items depend on each other
(`_exchange`).
"""
