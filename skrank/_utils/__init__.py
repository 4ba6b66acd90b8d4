"""Checks, jobs, tables, text and warnings. No module here depends on rankings."""
