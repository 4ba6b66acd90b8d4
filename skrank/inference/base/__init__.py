"""What the questions share: entrances, settings, results, limits of an interval.

`Question` has the entrances, which all make `Rankings`; `Result` prints, and makes
tables.
"""
