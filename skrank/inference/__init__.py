"""Questions about rankings: one folder for each, with its result.

Each reads `Rankings`. `base` and `variability` are what they share.
"""
