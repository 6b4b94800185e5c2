"""Benchmarks: programs that measure and compare in one run, because machines differ and are noisy."""

LARGEST = 1_000_000
"""The most games or positions that a benchmark holds in memory at once."""
