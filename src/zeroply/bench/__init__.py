"""Benchmarks that measure and compare in one run, because machines differ and are noisy."""

LARGEST = 1_000_000
"""Maximum number of games or positions in memory at once."""
