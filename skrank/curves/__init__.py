"""Curves of a ranking as data.

Hit curve (`_hit_curve`), operating points (`_operating_points`), and bands along a
curve (`_band`).
"""
