"""Data sets that are larger than memory, counted in two passes over chunks.

What comes in is a data set in chunks, in one process or in many; what goes out is a
`Ranking`, as of a data set in memory. `_passes` count, `_chunks`, `_tables` and `_dask`
take a whole data set through both passes, `_rank_counts` is what users see.
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
