"""Data sets that are larger than memory, counted in two passes over chunks.

What comes in is a ranking in chunks, in one process or in many; what goes out is a
`Ranking`, as of a ranking in memory. `_chunk` reads a chunk, `_passes` count,
`_drivers` and `_dask` take a whole ranking through both passes, `_cluster` says what
became of a cluster that could not, `_rank_counts` is what users see.
"""

from skrank.ranking._counts._rank_counts import RankCounts, read_counts

__all__ = ["RankCounts", "read_counts"]
