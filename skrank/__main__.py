"""Entry point of ``python -m skrank``."""

from skrank.report._command_line import run

run()
