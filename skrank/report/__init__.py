"""The report: all that is to be said of some rankings, as text, table and page."""
