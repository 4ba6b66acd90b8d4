"""Questions about rankings: one folder for each, with its result.

They read `Rankings`, apart from `sampled`, which reads a `SampledRanking`, and
`planning`, which reads settings. `base` and `variability` are what they share.
"""
