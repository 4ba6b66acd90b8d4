"""Rankings of data sets that are larger than memory, by two passes over chunks.

The input is a data set in chunks, in one process or in many. The output is a `Ranking`,
the same as for data in memory. `_passes` counts; `_chunks` and `_dask` take a data set
through both passes; `_rank_counts` is the public class.
"""

from skrank.ranking._counts._rank_counts import RankCounts, read_counts

__all__ = ["RankCounts", "read_counts"]
