"""The report on several rankings, as text, tables, HTML page and command."""
