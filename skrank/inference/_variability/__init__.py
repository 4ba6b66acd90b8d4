"""Sampling variation of the metric of a ranking."""
