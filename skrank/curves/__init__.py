"""Curves of a ranking as data.

Hit curve (`_hit_curve`) with its gains table (`_gains_table`), operating points
(`_operating_points`), bands along a curve (`_band`) with their depths (`_depths`), and
the distribution of hits by chance (`_hypergeometric`).
"""
