"""Rankings of data sets that are larger than memory, by two passes over chunks.

The input is a data set in chunks, in one process or in many. The output is a `Ranking`,
the same as for data in memory. `_passes` counts; `_chunks`, `_tables` and `_dask` take
a data set through both passes; `_rank_counts` is the public class.
"""

from skrank.ranking._counts._chunks import count_chunks
from skrank.ranking._counts._rank_counts import RankCounts, read_counts
from skrank.ranking._counts._tables import TablePieces, open_files, release_memory

__all__ = [
    "RankCounts",
    "TablePieces",
    "count_chunks",
    "open_files",
    "read_counts",
    "release_memory",
]
