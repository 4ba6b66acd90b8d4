"""How sure is a value? `MetricInterval`, and `hit_curve_band` for the hit curve.

They read the standard errors and rules of `variability`.
"""
