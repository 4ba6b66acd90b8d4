"""Benchmarks for asv, which follow speed and memory from commit to commit."""
