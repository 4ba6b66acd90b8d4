"""Displays, one in each module. Only this folder draws."""
