"""Checks, jobs, tables, text and warnings, which know nothing of rankings."""
