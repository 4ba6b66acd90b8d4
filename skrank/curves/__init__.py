"""Curves of a ranking as data.

What comes in is a ranking; what goes out is where its hits are (`_hit_curve`), what
thresholds on the score retrieve (`_operating_points`). What random selection does to a
curve is a `_band` along it.
"""
